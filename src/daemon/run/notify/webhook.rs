//! A web address that is notified: a signed POST of JSON with an `Idempotency-Key`. The address is
//! a secret and is never printed. Redirects are not followed, and only those addresses of the host
//! are connected to that the feed file permits.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Proxy, StatusCode, Url};

use super::notification::Notification;
use super::receiver::{HandoverOutcome, NotificationReceiver};
use super::signature::{HEADER, Signer};
use crate::clock;
use crate::config::{AllowedHosts, Notify, UNENCRYPTED, WebAddress, WebhookSettings, is_local};
use crate::error::{Complaint, Error, ErrorCategory, Result};
use crate::web::{AddressResolver, Web, why};

/// The time limit for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A web address to be notified.
pub(super) struct Webhook {
    web: Web,
    url: Url,
    signer: Signer,
    /// Checks the addresses of the host, unless a proxy looks them up.
    resolver: Option<Arc<AddressResolver>>,
}

impl Webhook {
    /// Does not connect yet. `field`: the key of the feed file that contains the address.
    ///
    /// # Errors
    /// The address or its key cannot be read or is invalid, or the feed file does not permit the
    /// host.
    pub(super) fn new(hook: &WebhookSettings, notify: &Notify, field: &str) -> Result<Webhook> {
        let text = hook.address.read().map_err(|error| error.in_field(field))?;
        let url = notify
            .reach
            .url(&text)
            .map_err(|text| Error::new(ErrorCategory::Feed, text).in_field(field))?;
        let local = url
            .host_str()
            .is_some_and(|host| is_local(host.trim_matches(['[', ']'])));
        if url.scheme() == "http" && !local {
            return Err(Error::new(ErrorCategory::Feed, UNENCRYPTED).in_field(field));
        }
        let signer =
            Signer::read(&hook.key).map_err(|error| error.in_field(format!("{field}_key")))?;
        let agent = concat!("tidegate/", env!("CARGO_PKG_VERSION"));
        // By the time of the next notification the receiver has closed the connection.
        let mut client = Client::builder()
            .timeout(PATIENCE)
            .user_agent(agent)
            .pool_max_idle_per_host(0);
        let (mut reach, proxy) = (
            notify.reach.clone(),
            notify.proxy.as_ref().filter(|_| !local),
        );
        client = match proxy {
            Some(proxy) => {
                let (proxy, host) =
                    through(proxy).map_err(|error| error.in_field("notify.proxy"))?;
                reach = reach.with_private(&host);
                client.proxy(proxy)
            }
            // Proxies from environment variables resolve names themselves, so the addresses could
            // not be checked.
            None => client.no_proxy(),
        };
        let resolver = Arc::new(AddressResolver::new(Arc::new(
            move |host: &str, address| reach.permits(host, address),
        )));
        let web = Web::new(client.dns_resolver(Arc::clone(&resolver)), field)?;
        Ok(Webhook {
            web,
            url,
            signer,
            resolver: proxy.is_none().then_some(resolver),
        })
    }
}

/// A proxy and its host. The host may be this machine or one in a private network, since the feed
/// file names it.
fn through(proxy: &WebAddress) -> Result<(Proxy, String)> {
    let text = proxy.read()?;
    let none = |text: String| Error::new(ErrorCategory::Feed, text);
    let parsed = Url::parse(&text)
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned));
    let host = parsed.ok_or_else(|| {
        none("this is not the address of a proxy: write one such as http://proxy:3128".to_owned())
    })?;
    AllowedHosts::default()
        .with_private(&host)
        .url(&text)
        .map_err(none)?;
    let proxy = Proxy::all(&text).map_err(|_| {
        none("this is not the address of a proxy: write one such as http://proxy:3128".to_owned())
    })?;
    Ok((proxy, host))
}

impl NotificationReceiver for Webhook {
    fn look(&self) -> Result<String> {
        let host = self.url.host_str().unwrap_or_default();
        let refuses = self
            .resolver
            .as_ref()
            .and_then(|resolver| self.web.wait(resolver.refuses(host), || false).flatten());
        if let Some(why) = refuses {
            return Err(Error::new(ErrorCategory::Feed, why));
        }
        Ok(format!(
            "will notify {host}; the connection is tested with the first notification"
        ))
    }

    fn hand(&mut self, notification: &Notification, ends: &dyn Fn() -> bool) -> HandoverOutcome {
        let body = notification.bytes();
        // Each attempt has a time of its own, because receivers reject old signatures.
        let signature = self.signer.sign(clock::instant(), &body);
        let request = self.web.client.post(self.url.clone()).body(body);
        let request = request
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", &notification.key);
        let request = request.header(HEADER, signature);
        // Code that needs the runtime's timers starts inside it, where there is a clock.
        match self.web.wait(async { request.send().await }, ends) {
            None => HandoverOutcome::Ending,
            Some(Err(error)) => HandoverOutcome::Away(why(&error)),
            Some(Ok(response)) => said(response.status()),
        }
    }
}

fn said(status: StatusCode) -> HandoverOutcome {
    let words = || Complaint::of(&format!("it answers {}", status.as_u16()));
    match status {
        status if status.is_success() => HandoverOutcome::Done,
        // The receiver has this notification already.
        StatusCode::CONFLICT => HandoverOutcome::Done,
        // The receiver will reject it again; others must not wait for it.
        StatusCode::BAD_REQUEST
        | StatusCode::PAYLOAD_TOO_LARGE
        | StatusCode::UNSUPPORTED_MEDIA_TYPE
        | StatusCode::UNPROCESSABLE_ENTITY => HandoverOutcome::Refused(words()),
        // A mistyped address or an expired token, for example, which an operator has to correct.
        _ => HandoverOutcome::Away(words()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        let word = |status: u16| match said(StatusCode::from_u16(status).expect("a status")) {
            HandoverOutcome::Done => "done",
            HandoverOutcome::Away(_) => "away",
            HandoverOutcome::Refused(_) => "refused",
            HandoverOutcome::Ending => "told",
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
