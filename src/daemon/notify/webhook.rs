//! A web address that is told: a POST of JSON with an `Idempotency-Key`. The address is a secret and is never printed.

use std::time::Duration;

use reqwest::{Client, StatusCode, Url};

use super::hand::{Hand, Handed};
use super::notification::Notification;
use crate::daemon::config::{Address, is_local};
use crate::daemon::error::{Complaint, Error, Kind, Result};
use crate::daemon::web::{Web, why};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A web address.
pub struct Webhook {
    web: Web,
    url: Url,
}

impl Webhook {
    /// Connects to nobody yet.
    ///
    /// # Errors
    /// The address cannot be read, or is none.
    pub fn new(address: &Address, field: &str) -> Result<Webhook> {
        let text = address.read().map_err(|error| error.in_field(field))?;
        let url = Url::parse(&text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let url = url.ok_or_else(|| {
            Error::new(Kind::Feed, "this is no web address: write one that begins with https://").in_field(field)
        })?;
        let local = url.host_str().is_some_and(|host| is_local(host.trim_matches(['[', ']'])));
        // What the feed file says was warned of when it was read.
        if url.scheme() == "http" && !local && address.host().is_none() {
            let text = "notifications would travel unencrypted to another machine: write an address with https://";
            return Err(Error::new(Kind::Feed, text).in_field(field));
        }
        let agent = concat!("tidegate/", env!("CARGO_PKG_VERSION"));
        // Long after the last one whoever listens has closed the connection.
        let mut client = Client::builder().timeout(PATIENCE).user_agent(agent).pool_max_idle_per_host(0);
        if local {
            client = client.no_proxy();
        }
        Ok(Webhook { web: Web::new(client, field)?, url })
    }
}

impl Hand for Webhook {
    fn look(&self) -> Result<String> {
        let host = self.url.host_str().unwrap_or_default();
        Ok(format!("an address at {host}; whether anybody listens there is seen only when there is something to tell"))
    }

    fn hand(&mut self, notification: &Notification, ends: &dyn Fn() -> bool) -> Handed {
        let request = self.web.client.post(self.url.clone()).body(notification.bytes());
        let request = request.header("Content-Type", "application/json").header("Idempotency-Key", &notification.key);
        // What measures time begins within, where there is a clock.
        match self.web.wait(async { request.send().await }, ends) {
            None => Handed::Told,
            Some(Err(error)) => Handed::Away(why(&error)),
            Some(Ok(response)) => said(response.status()),
        }
    }
}

fn said(status: StatusCode) -> Handed {
    let words = || Complaint::of(&format!("it answers {}", status.as_u16()));
    match status {
        status if status.is_success() => Handed::Done,
        // It was told already.
        StatusCode::CONFLICT => Handed::Done,
        // Whoever says so will say so again; others must not wait behind it.
        StatusCode::BAD_REQUEST
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNSUPPORTED_MEDIA_TYPE
        | StatusCode::UNPROCESSABLE_ENTITY => Handed::Refused(words()),
        // An address that was mistyped, a token that has run out: somebody mends it.
        _ => Handed::Away(words()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        let word = |status: u16| match said(StatusCode::from_u16(status).expect("a status")) {
            Handed::Done => "done",
            Handed::Away(_) => "away",
            Handed::Refused(_) => "refused",
            Handed::Told => "told",
        };
        for (status, meant) in [
            (200, "done"),
            (204, "done"),
            (409, "done"),
            (301, "away"),
            (401, "away"),
            (404, "away"),
            (429, "away"),
            (503, "away"),
            (400, "refused"),
            (413, "refused"),
            (422, "refused"),
        ] {
            assert_eq!(word(status), meant, "{status}");
        }
    }
}
