//! A network between a client and an S3 server that produces by plan the faults of real ones: it
//! loses requests and answers, delays both beyond the client's time limit, and answers 409, 412,
//! 500 and 503 when nothing was done. What it does to the n-th request for a path follows from the
//! seed alone.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::random::Draw;
use crate::common::wait;

/// The fault of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// None: it is forwarded, and so is its answer.
    None,
    /// 409, and it is not forwarded.
    Conflict,
    /// 412, and it is not forwarded.
    Refused,
    /// 500, and it is not forwarded.
    Broken,
    /// 503, and it is not forwarded.
    Busy,
    /// The connection is closed before it is forwarded.
    LostRequest,
    /// It is forwarded, then the connection is closed.
    LostAnswer,
    /// It is forwarded, then answered with 500.
    BrokenAnswer,
    /// It is forwarded, then the connection is closed in the middle of the answer.
    TornAnswer,
    /// It is forwarded, and the answer arrives when no caller waits for it any more.
    SlowAnswer,
    /// It is forwarded when no caller waits for it any more.
    SlowRequest,
}

/// Faults per thousand requests.
type Plan = &'static [(Fault, u64)];

/// Faults of writes.
pub const WRITES: Plan = &[
    (Fault::Conflict, 40),
    (Fault::Refused, 40),
    (Fault::Broken, 30),
    (Fault::Busy, 20),
    (Fault::LostRequest, 40),
    (Fault::LostAnswer, 40),
    (Fault::BrokenAnswer, 30),
    (Fault::SlowAnswer, 15),
    (Fault::SlowRequest, 20),
];

/// Faults of reads.
pub const READS: Plan = &[
    (Fault::Broken, 30),
    (Fault::Busy, 20),
    (Fault::LostRequest, 30),
    (Fault::LostAnswer, 30),
    (Fault::TornAnswer, 30),
    (Fault::SlowAnswer, 15),
];

/// A request, as its bytes.
struct Request {
    method: String,
    path: String,
    /// Without the empty line at its end.
    head: Vec<u8>,
    body: Vec<u8>,
}

/// The proxy's counts.
#[derive(Default)]
pub struct Seen {
    requests: BTreeMap<String, u64>,
    /// How often each fault occurred, by method.
    pub faults: BTreeMap<(String, Fault), u64>,
    /// How many writes to a path the server accepted.
    pub taken: BTreeMap<String, u64>,
    busy: u64,
    /// Requests that the server itself took too long for.
    pub slow: u64,
}

/// The proxy; it lasts until the test ends.
#[derive(Clone)]
pub struct Proxy {
    /// Its address.
    pub address: SocketAddr,
    server: SocketAddr,
    seed: u64,
    /// The length of its delays.
    late: Duration,
    seen: Arc<Mutex<Seen>>,
}

impl Proxy {
    /// Starts one in front of a server.
    pub fn start(server: SocketAddr, seed: u64, late: Duration) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its port");
        let proxy = Proxy {
            address,
            server,
            seed,
            late,
            seen: Arc::default(),
        };
        let door = proxy.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let proxy = door.clone();
                proxy.seen().busy += 1;
                thread::spawn(move || {
                    // A client that gave up has closed its end.
                    let _ = proxy.serve(client);
                    proxy.seen().busy -= 1;
                });
            }
        });
        proxy
    }

    /// Its counts.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("no panic while it is held")
    }

    /// Waits until nothing is in progress, including the longest delays.
    pub fn settle(&self) {
        wait::until(
            || "the end of every request",
            || (self.seen().busy == 0).then_some(()),
        );
    }

    /// One request on each connection.
    fn serve(&self, mut client: TcpStream) -> Result<()> {
        let request = receive(&client)?;
        let fault = self.meet(&request);
        match fault {
            Fault::None => client.write_all(&self.forward(&request)?),
            Fault::Conflict => say(&mut client, "409 Conflict"),
            Fault::Refused => say(&mut client, "412 Precondition Failed"),
            Fault::Broken => say(&mut client, "500 Internal Server Error"),
            Fault::Busy => say(&mut client, "503 Slow Down"),
            Fault::LostRequest => client.shutdown(Shutdown::Both),
            Fault::LostAnswer => {
                self.forward(&request)?;
                client.shutdown(Shutdown::Both)
            }
            Fault::BrokenAnswer => {
                self.forward(&request)?;
                say(&mut client, "500 Internal Server Error")
            }
            Fault::TornAnswer => {
                let answer = self.forward(&request)?;
                client.write_all(&answer[..answer.len() - answer.len().min(7)])?;
                client.shutdown(Shutdown::Both)
            }
            Fault::SlowAnswer => {
                let answer = self.forward(&request)?;
                thread::sleep(self.late);
                client.write_all(&answer)
            }
            Fault::SlowRequest => {
                thread::sleep(self.late);
                client.write_all(&self.forward(&request)?)
            }
        }
    }

    /// The fault that the plan has for a request.
    fn meet(&self, request: &Request) -> Fault {
        let mut seen = self.seen();
        let before = seen
            .requests
            .entry(format!("{} {}", request.method, request.path))
            .or_default();
        let case = request.path.bytes().fold(*before, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(byte.into())
        });
        *before += 1;
        let plan = if request.method == "PUT" {
            WRITES
        } else {
            READS
        };
        let mut drawn = Draw::new(self.seed, case).between(0, 999);
        let mut met = Fault::None;
        for (fault, share) in plan {
            match drawn.checked_sub(*share) {
                Some(rest) => drawn = rest,
                None => {
                    met = *fault;
                    break;
                }
            }
        }
        *seen
            .faults
            .entry((request.method.clone(), met))
            .or_default() += 1;
        met
    }

    /// The server's answer to a request.
    fn forward(&self, request: &Request) -> Result<Vec<u8>> {
        let begun = Instant::now();
        let mut server = TcpStream::connect(self.server)?;
        server.write_all(
            &[
                &request.head[..],
                b"Connection: close\r\n\r\n",
                &request.body,
            ]
            .concat(),
        )?;
        let mut answer = Vec::new();
        server.read_to_end(&mut answer)?;
        self.seen().slow += u64::from(begun.elapsed() >= self.late / 3);
        if request.method == "PUT" && answer.starts_with(b"HTTP/1.1 200") {
            *self.seen().taken.entry(request.path.clone()).or_default() += 1;
        }
        Ok(answer)
    }
}

fn say(client: &mut TcpStream, status: &str) -> Result<()> {
    client.write_all(
        format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").as_bytes(),
    )
}

/// Reads one request to its end.
fn receive(client: &TcpStream) -> Result<Request> {
    let mut from = BufReader::new(client);
    let mut line = String::new();
    let mut head = Vec::new();
    let (mut length, mut chunked) = (0, false);
    while from.read_line(&mut line)? > 0 && line != "\r\n" {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().expect("a length"),
            "transfer-encoding" => chunked = value.trim() == "chunked",
            _ => {}
        }
        head.extend(line.as_bytes());
        line.clear();
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    while chunked {
        let at = body.len();
        from.read_until(b'\n', &mut body)?;
        let size = std::str::from_utf8(&body[at..]).map_or("", str::trim);
        let size = usize::from_str_radix(size, 16).expect("the size of a chunk");
        let mut chunk = vec![0; size + 2];
        from.read_exact(&mut chunk)?;
        body.extend(chunk);
        chunked = size > 0;
    }
    let first = String::from_utf8_lossy(&head);
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    if method.is_empty() {
        Err(std::io::ErrorKind::UnexpectedEof.into())
    } else {
        Ok(Request {
            method,
            path,
            head,
            body,
        })
    }
}
