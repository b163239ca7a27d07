//! Asks other machines over HTTP, from a thread that may wait for the answer and must stop waiting when it is told to. What
//! is said of a failure is in words of our own: those of the library may quote the address, which may hold a token.

use std::time::Duration;

use reqwest::{Client, ClientBuilder};
use tokio::runtime::{Builder, Runtime};

use super::error::{Complaint, Error, Kind, Result};

/// How often it is looked whether an answer is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// Whoever asks.
pub struct Web {
    /// Makes requests.
    pub client: Client,
    /// There until the end.
    runtime: Option<Runtime>,
}

impl Web {
    /// Connects to nobody yet. `field`: the key of the feed file that it is about.
    ///
    /// # Errors
    /// There is no encryption here, or no way to wait.
    pub fn new(client: ClientBuilder, field: &str) -> Result<Web> {
        let none = |_| Error::new(Kind::Feed, "no encrypted connection can be made here").in_field(field);
        // An answer comes from where the feed file says, not from where that sends us.
        let client = client.redirect(reqwest::redirect::Policy::none()).build().map_err(none)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|_| Error::new(Kind::Io, "the system does not let us wait for an answer"))?;
        Ok(Web { client, runtime: Some(runtime) })
    }

    /// Waits for an answer; `None` once it is not wanted any more.
    pub fn wait<T>(&self, answer: impl Future<Output = T>, ends: impl Fn() -> bool) -> Option<T> {
        let told = async {
            while !ends() {
                tokio::time::sleep(LOOK).await;
            }
        };
        self.runtime.as_ref()?.block_on(async {
            tokio::select! {
                answer = answer => Some(answer),
                () = told => None,
            }
        })
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // A name that is being looked up is not waited for: that may take minutes.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Why nothing came.
pub fn why(error: &reqwest::Error) -> Complaint {
    let mut why = if error.is_timeout() { "no answer in time" } else { "no connection, or it broke off" }.to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        // The library has no type for it.
        if next.to_string() == "dns error" {
            why = "its name is not known here".to_owned();
            break;
        }
        // The system has let the connection through, and OpenSSL does not.
        if next.is::<openssl::error::ErrorStack>() {
            why = "there is no encrypted connection to it".to_owned();
        }
        if let Some(system) = next.downcast_ref::<std::io::Error>() {
            use std::io::ErrorKind::{InvalidData, Other};
            why = match system.kind() {
                InvalidData | Other => "there is no encrypted connection to it".to_owned(),
                kind => kind.to_string(),
            };
        }
        cause = next.source();
    }
    Complaint::of(&why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_knows() {
        let web = Web::new(Client::builder().no_proxy(), "notify.webhook").expect("a client");
        let request = web.client.post("http://nobody.invalid/hooks/Pq7person");
        let error = web.wait(async { request.send().await }, || false).expect("an answer").expect_err("nobody");
        assert_eq!(why(&error).text(), "its name is not known here");
    }

    #[tokio::test]
    async fn it_may_end_anywhere() {
        drop(Web::new(Client::builder(), "notify.webhook").expect("a client"));
    }
}
