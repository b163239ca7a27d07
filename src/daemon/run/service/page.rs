//! What the pages of the process that runs a feed say about it, read on the machine of that
//! process: whether its feeds are ready, and why a feed is halted that could not write the file
//! about it in its private root.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use zeroize::Zeroizing;

use super::halt::left_by;
use crate::config::{FeedConfig, Http};
use crate::error::{Error, ErrorCategory, Result, cause};
use crate::observe::{Halt, Health};

/// The time that `show` waits for the page, which is on this machine.
const GLANCE: Duration = Duration::from_millis(500);
/// The time that a command waits which asks for nothing else.
const PATIENCE: Duration = Duration::from_secs(3);
/// A page that is longer is not one of this program.
const MOST: u64 = 1 << 20;

/// Why a feed is halted; None if it is not, or if that cannot be known here.
pub fn halted(feed: &FeedConfig) -> Option<Halt> {
    left_by(feed).or_else(|| on_page(feed))
}

/// Missing or changed files in the roots of a feed, as the process that runs it has found; empty if
/// none answers.
pub fn damaged(feed: &FeedConfig) -> Vec<String> {
    glance(feed)
        .and_then(|mut health| health.damaged.remove(&feed.name))
        .unwrap_or_default()
}

/// Why no tick of a feed closes because of the clock, as the process that runs it says; None if
/// none answers.
pub fn waits_for_clock(feed: &FeedConfig) -> Option<String> {
    glance(feed)?.clock.remove(&feed.name)
}

fn on_page(feed: &FeedConfig) -> Option<Halt> {
    glance(feed)?.halted.remove(&feed.name)
}

/// The page, if it requires no token. `show` sends none: another program may listen there by now.
fn glance(feed: &FeedConfig) -> Option<Health> {
    let address = near(feed.services.http.bind)?;
    let (_, body) = read(address, None, GLANCE).ok()?;
    serde_json::from_str(&body).ok()
}

/// Whether the feeds of the process that serves these pages are ready. The first token is sent to
/// the program that listens there.
///
/// # Errors
/// No daemon answers there, or it requires another token.
pub fn ask_health(http: &Http) -> Result<Health> {
    let refuse = |kind, text: String, field: &str| Err(Error::new(kind, text).in_field(field));
    let Some(address) = near(http.bind) else {
        let text = "with port 0 the system chooses the port at each start: find it in the log line `listening`, and give it \
            with --bind";
        return refuse(ErrorCategory::Usage, text.to_owned(), "http.bind");
    };
    let token = http
        .tokens
        .first()
        .map(|token| token.read().map(Zeroizing::new))
        .transpose();
    let token = token.map_err(|error| error.in_field("http.tokens"))?;
    let (status, body) = read(
        address,
        token.as_ref().map(|token| token.as_str()),
        PATIENCE,
    )
    .map_err(|error| {
        let text = format!(
            "no daemon answers at {address} ({}): start it, or name its address with --bind",
            cause(&error)
        );
        Error::new(ErrorCategory::Io, text).in_field("http.bind")
    })?;
    match (status, serde_json::from_str(&body)) {
        (200 | 503, Ok(health)) => Ok(health),
        (401, _) => {
            let text = format!(
                "the daemon at {address} requires a different token: name it in `http.tokens`, or with --token"
            );
            refuse(ErrorCategory::Usage, text, "http.tokens")
        }
        _ => refuse(
            ErrorCategory::Io,
            format!("the program that answers at {address} is not tidegate"),
            "http.bind",
        ),
    }
}

/// The address at which this machine reaches an address to listen on; None if the system chooses
/// the port.
fn near(bind: SocketAddr) -> Option<SocketAddr> {
    let host = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    (bind.port() != 0).then(|| SocketAddr::new(host, bind.port()))
}

/// The status and the body of `/health/ready`.
fn read(address: SocketAddr, token: Option<&str>, patience: Duration) -> io::Result<(u16, String)> {
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    let shown = Zeroizing::new(
        token
            .map(|token| format!("Authorization: Bearer {token}\r\n"))
            .unwrap_or_default(),
    );
    let head = "GET /health/ready HTTP/1.1\r\nHost: tidegate\r\nConnection: close\r\n";
    stream.write_all(Zeroizing::new(format!("{head}{}\r\n", *shown)).as_bytes())?;
    let mut page = String::new();
    stream.take(MOST).read_to_string(&mut page)?;
    let status = page
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let body = page.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    status
        .zip(body)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}
