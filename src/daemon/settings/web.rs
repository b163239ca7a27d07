//! Requests to other machines over HTTP, from a thread that waits for the answer until it is
//! stopped. Failures are described in words of this program, because texts of the library may quote
//! the address, which may contain a token.
//!
//! Redirects are not followed. With an [`AddressResolver`] the addresses of a name are checked at
//! the moment at which one of them is connected to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, ClientBuilder};
use tokio::runtime::{Builder, Runtime};

use super::error::{Complaint, Error, ErrorCategory, Result};

/// How often a wait checks whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// The time that a command waits for a name that it only looks up.
const MOMENTS: Duration = Duration::from_secs(3);

/// The client.
pub struct Web {
    /// Makes requests.
    pub client: Client,
    /// Set until it is dropped.
    runtime: Option<Runtime>,
}

impl Web {
    /// Does not connect yet. `field`: the key of the feed file that it is about.
    ///
    /// # Errors
    /// There is no encryption on this system, or the runtime cannot be started.
    pub fn new(client: ClientBuilder, field: &str) -> Result<Web> {
        let none = |_| {
            Error::new(
                ErrorCategory::Feed,
                "encrypted connections are not possible here",
            )
            .in_field(field)
        };
        // An answer must come from the address in the feed file, not from one that a redirect
        // names.
        let client = client
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(none)?;
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|_| Error::new(ErrorCategory::Io, "the system cannot wait for an answer"))?;
        Ok(Web {
            client,
            runtime: Some(runtime),
        })
    }

    /// Waits for an answer; None once it is no longer wanted.
    pub fn wait<T>(&self, answer: impl Future<Output = T>, ends: impl Fn() -> bool) -> Option<T> {
        let ended = async {
            while !ends() {
                tokio::time::sleep(LOOK).await;
            }
        };
        self.runtime.as_ref()?.block_on(async {
            tokio::select! {
                answer = answer => Some(answer),
                () = ended => None,
            }
        })
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // A name lookup in progress is not waited for, since it may take minutes.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Checks an address of a host: the error is the reason, in words of this program, why nothing is
/// sent there.
pub type AddressJudge = dyn Fn(&str, IpAddr) -> std::result::Result<(), String> + Send + Sync;
/// Looks up the addresses of a name.
type LookUp = dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync;

/// Gives a client only those addresses of a name that may be connected to. The client connects to
/// the addresses that it is given and looks up nothing itself, so no other answer of a name server
/// comes between the check and the connection.
pub struct AddressResolver {
    judge: Arc<AddressJudge>,
    look_up: Arc<LookUp>,
}

/// No address of a name may be connected to, and why.
#[derive(Debug)]
struct Forbidden(String);

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Forbidden {}

impl AddressResolver {
    /// With the names that the system knows.
    pub fn new(judge: Arc<AddressJudge>) -> AddressResolver {
        AddressResolver {
            judge,
            look_up: Arc::new(|name| Ok((name, 0).to_socket_addrs()?.collect())),
        }
    }

    /// Why no address of this name may be connected to; None if one may, or if the name is not
    /// known within moments.
    pub async fn refuses(&self, name: &str) -> Option<String> {
        let found = tokio::time::timeout(MOMENTS, self.resolve(name.parse().ok()?))
            .await
            .ok()?;
        found
            .err()?
            .downcast_ref::<Forbidden>()
            .map(|Forbidden(why)| why.clone())
    }
}

impl Resolve for AddressResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (judge, look_up) = (Arc::clone(&self.judge), Arc::clone(&self.look_up));
        Box::pin(async move {
            let name = name.as_str().to_owned();
            // The system's lookup blocks its thread.
            let found = tokio::task::spawn_blocking(move || {
                look_up(&name).map(|found| permitted(&name, found, &*judge))
            });
            let found: Addrs = Box::new(found.await???.into_iter());
            Ok(found)
        })
    }
}

/// The addresses of a name that may be connected to; the error says why there is none.
fn permitted(
    name: &str,
    found: Vec<SocketAddr>,
    judge: &AddressJudge,
) -> std::result::Result<Vec<SocketAddr>, Forbidden> {
    let (mut good, mut why) = (Vec::new(), None);
    for address in found {
        match judge(name, address.ip()) {
            Ok(()) => good.push(address),
            Err(text) => why = why.or(Some(text)),
        }
    }
    match why {
        Some(why) if good.is_empty() => Err(Forbidden(why)),
        _ => Ok(good),
    }
}

/// Why there was no answer.
pub fn why(error: &reqwest::Error) -> Complaint {
    let mut why = if error.is_timeout() {
        "no answer in time"
    } else {
        "no connection, or it was interrupted"
    }
    .to_owned();
    let (mut cause, mut is_unknown) = (std::error::Error::source(error), false);
    while let Some(next) = cause {
        if let Some(Forbidden(forbidden)) = next.downcast_ref::<Forbidden>() {
            why.clone_from(forbidden);
            break;
        }
        // The library has no type for it.
        if next.to_string() == "dns error" {
            why = "its host name cannot be resolved".to_owned();
            is_unknown = true;
        }
        // The system has made the connection, and OpenSSL rejects it.
        if next.is::<openssl::error::ErrorStack>() {
            why = "an encrypted connection to it failed".to_owned();
        }
        if let Some(system) = next
            .downcast_ref::<std::io::Error>()
            .filter(|_| !is_unknown)
        {
            use std::io::ErrorKind::{InvalidData, Other};
            why = match system.kind() {
                InvalidData | Other => "an encrypted connection to it failed".to_owned(),
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
    fn a_name_that_is_not_known() {
        let web = Web::new(Client::builder().no_proxy(), "notify.webhook").expect("a client");
        let request = web.client.post("http://unknown.invalid/hooks/Pq7person");
        let error = web
            .wait(async { request.send().await }, || false)
            .expect("an answer")
            .expect_err("no such host");
        assert_eq!(why(&error).text(), "its host name cannot be resolved");
    }

    /// A client that gets these addresses for every name, and rejects those of 127.0.0.0/8.
    fn resolving_to(found: &[SocketAddr]) -> ClientBuilder {
        let judge = |name: &str, address: IpAddr| {
            if address.is_loopback() {
                Err(format!("{name} leads to {address}"))
            } else {
                Ok(())
            }
        };
        let found = found.to_vec();
        let resolver = AddressResolver {
            judge: Arc::new(judge),
            look_up: Arc::new(move |_| Ok(found.clone())),
        };
        Client::builder()
            .no_proxy()
            .dns_resolver(Arc::new(resolver))
    }

    #[test]
    fn an_address_that_is_forbidden_is_not_connected_to() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = server.local_addr().expect("an address");
        let web = Web::new(resolving_to(&[address]), "notify.webhook").expect("a client");
        let request = web
            .client
            .post(format!("http://hooks.example:{}/Pq7person", address.port()));
        let error = web
            .wait(async { request.send().await }, || false)
            .expect("an answer")
            .expect_err("forbidden");
        assert_eq!(why(&error).text(), "hooks.example leads to 127.0.0.1");
        server.set_nonblocking(true).expect("it is ours");
        assert!(server.accept().is_err(), "the client has connected");
    }

    #[tokio::test]
    async fn a_name_that_leads_nowhere_good_is_refused() {
        let judge = |_: &str, address: IpAddr| {
            if address.is_loopback() {
                Err("loopback".to_owned())
            } else {
                Ok(())
            }
        };
        let known = |name: &str| match name {
            "bad.example" => Ok(vec!["127.0.0.1:0".parse().expect("an address")]),
            "good.example" => Ok(vec!["192.0.2.1:0".parse().expect("an address")]),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let resolver = AddressResolver {
            judge: Arc::new(judge),
            look_up: Arc::new(known),
        };
        assert_eq!(
            resolver.refuses("bad.example").await.as_deref(),
            Some("loopback")
        );
        assert_eq!(resolver.refuses("good.example").await, None);
        assert_eq!(
            resolver.refuses("unknown.example").await,
            None,
            "whether it is known later, nothing says now"
        );
    }

    #[test]
    fn addresses_that_are_permitted_are_left() {
        let judge = |_: &str, address: IpAddr| {
            if address.is_loopback() {
                Err("loopback".to_owned())
            } else {
                Ok(())
            }
        };
        let [bad, good]: [SocketAddr; 2] =
            ["127.0.0.1:0", "192.0.2.1:0"].map(|text| text.parse().expect("an address"));
        let left = |found: &[SocketAddr]| {
            permitted("a", found.to_vec(), &judge).map_err(|why| why.to_string())
        };
        assert_eq!(left(&[bad, good]), Ok(vec![good]));
        assert_eq!(left(&[bad]), Err("loopback".to_owned()));
        assert_eq!(left(&[]), Ok(vec![]));
    }

    #[tokio::test]
    async fn it_may_end_anywhere() {
        drop(Web::new(Client::builder(), "notify.webhook").expect("a client"));
    }
}
