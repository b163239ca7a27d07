//! Why a feed is halted, for a command that only looks: by the note in its private root, or, where the feed could leave none,
//! by what the process that runs it says on its page. No token is shown to whatever listens there.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::halt::left_by;
use crate::daemon::config::Feed;
use crate::daemon::observe::Halt;

/// How long the page is waited for: it is on this machine.
const PATIENCE: Duration = Duration::from_millis(500);
/// A page that is longer is none of ours.
const MOST: u64 = 1 << 20;

/// Why a feed is halted; `None` if it is not, or if that cannot be known here.
pub fn halted(feed: &Feed) -> Option<Halt> {
    left_by(feed).or_else(|| on_page(feed))
}

fn on_page(feed: &Feed) -> Option<Halt> {
    let bind = feed.services.http.bind;
    if bind.port() == 0 {
        return None;
    }
    let host = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let page = read(SocketAddr::new(host, bind.port())).ok()?;
    let (_, body) = page.split_once("\r\n\r\n")?;
    let health: Value = serde_json::from_str(body).ok()?;
    serde_json::from_value(health.get("halted")?.get(&feed.name)?.clone()).ok()
}

fn read(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /health/ready HTTP/1.1\r\nHost: tidegate\r\nConnection: close\r\n\r\n")?;
    let mut page = String::new();
    stream.take(MOST).read_to_string(&mut page)?;
    Ok(page)
}
