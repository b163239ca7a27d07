//! A receiver over the web: a server that records requests and answers as a test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;

/// A notification.
#[derive(Clone)]
pub struct Received {
    pub path: String,
    pub key: String,
    /// The header of its signature, and the signed bytes.
    pub signature: String,
    pub body: Vec<u8>,
    pub what: Json,
}

struct Kept {
    status: u16,
    /// The other address that an answer names.
    location: Option<String>,
    /// The number of requests.
    asked: usize,
    /// Requests that were not answered, until the sender gave up.
    given_up: usize,
    reported: Vec<Received>,
}

/// A server for as long as the test runs.
pub struct Listener {
    address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
}

impl Listener {
    /// Answers with this status; with 0 it accepts everything and never answers.
    pub fn new(status: u16) -> Listener {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = server.local_addr().expect("an address");
        let kept = Arc::new(Mutex::new(Kept {
            status,
            location: None,
            asked: 0,
            given_up: 0,
            reported: Vec::new(),
        }));
        let keeps = Arc::clone(&kept);
        std::thread::spawn(move || {
            for stream in server.incoming().flatten() {
                let keeps = Arc::clone(&keeps);
                std::thread::spawn(move || serve(stream, &keeps));
            }
        });
        Listener { address, kept }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn answers(&self, status: u16) {
        self.kept.lock().expect("no panic").status = status;
    }

    /// Redirects requests to another address.
    pub fn sends_to(&self, url: &str) {
        let mut kept = self.kept.lock().expect("no panic");
        (kept.status, kept.location) = (307, Some(url.to_owned()));
    }

    /// The requests that it answered with a status of success.
    pub fn reported(&self) -> Vec<Received> {
        self.kept.lock().expect("no panic").reported.clone()
    }

    /// The number of requests.
    pub fn asked(&self) -> usize {
        self.kept.lock().expect("no panic").asked
    }

    /// Requests that were never answered, until their sender gave up.
    pub fn given_up(&self) -> usize {
        self.kept.lock().expect("no panic").given_up
    }

    pub fn keys(&self) -> Vec<String> {
        self.reported()
            .into_iter()
            .map(|reported| reported.key)
            .collect()
    }
}

fn serve(stream: TcpStream, kept: &Mutex<Kept>) {
    let mut reader = BufReader::new(&stream);
    let (mut path, mut key, mut signature, mut length) =
        (String::new(), String::new(), String::new(), 0);
    loop {
        let mut line = String::new();
        // The sending command may be killed before its request ends.
        let Ok(1..) = reader.read_line(&mut line) else {
            return;
        };
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or((line, ""));
        match name.to_ascii_lowercase().as_str() {
            "idempotency-key" => value.clone_into(&mut key),
            "tidegate-signature" => value.clone_into(&mut signature),
            "content-length" => length = value.parse().expect("a length"),
            "content-type" => assert_eq!(value, "application/json"),
            _ if path.is_empty() => line
                .split(' ')
                .nth(1)
                .expect("a path")
                .clone_into(&mut path),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let (status, location) = {
        let mut kept = kept.lock().expect("no panic");
        kept.asked += 1;
        if (200..300).contains(&kept.status) {
            // What is asked of a proxy has no body.
            let what = if body.is_empty() {
                Json::Null
            } else {
                serde_json::from_slice(&body).expect("JSON")
            };
            kept.reported.push(Received {
                path,
                key,
                signature,
                body,
                what,
            });
        }
        (
            kept.status,
            kept.location
                .as_ref()
                .map(|url| format!("Location: {url}\r\n"))
                .unwrap_or_default(),
        )
    };
    if status == 0 {
        // Until the other end is closed.
        let _ = reader.read_to_end(&mut Vec::new());
        kept.lock().expect("no panic").given_up += 1;
        return;
    }
    // The sending command may be gone.
    let _ = write!(
        &stream,
        "HTTP/1.1 {status} Said\r\n{location}Content-Length: 0\r\nConnection: close\r\n\r\n"
    );
}
