//! The root of a feed that notifies a receiver, which has the notification of release 1 and not
//! that of release 2.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::feeds::{continue_feed, run_again};
use super::root::Root;

/// Starts a server that accepts every notification until the test ends. Returns its address and the
/// keys that it receives.
fn receiver() -> (SocketAddr, Receiver<String>) {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address");
    let (keys, received) = channel();
    std::thread::spawn(move || {
        server
            .incoming()
            .flatten()
            .for_each(|stream| accept(&stream, &keys))
    });
    (address, received)
}

fn accept(mut stream: &TcpStream, keys: &Sender<String>) {
    let mut reader = BufReader::new(stream);
    let (mut key, mut length) = (None, 0);
    for line in reader
        .by_ref()
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
    {
        match line
            .split_once(": ")
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
        {
            Some((name, value)) if name == "idempotency-key" => key = Some(value.to_owned()),
            Some((name, value)) if name == "content-length" => {
                length = value.parse().expect("a length")
            }
            _ => {}
        }
    }
    let whole = reader.read_exact(&mut vec![0; length]).is_ok();
    if let (Some(key), true) = (key, whole) {
        // The test may have ended, and the receiver of the keys be gone.
        let _ = keys.send(key);
        let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    }
}

/// Moves the receiver to another address. It gets the notifications of release 2 and of the next
/// release, once each.
pub fn notify_once_per_release(root: &Root) {
    let (address, received) = receiver();
    let feed = root.read("feed.toml");
    let webhook = feed
        .lines()
        .find(|line| line.starts_with("webhook = "))
        .expect("a receiver");
    root.edit(
        "feed.toml",
        webhook,
        &format!("webhook = \"http://{address}/releases\""),
    );
    continue_feed(root);
    let mut keys: Vec<String> = received.try_iter().collect();
    // A command waits ten seconds for its receivers, which a slow machine may exceed.
    for _ in 0..20 {
        if keys.len() >= 2 {
            break;
        }
        run_again(root);
        keys.extend(received.try_iter());
    }
    assert_eq!(
        keys,
        ["clinic/release/2", "clinic/release/3"],
        "{}",
        root.name
    );
}
