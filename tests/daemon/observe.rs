//! The daemon's pages from outside (CONTRACTS 5), over plain sockets: the answers to each reader,
//! while feeds begin, halt and begin again, and that rude, slow or curious clients do no harm.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tidegate::daemon::config::{FeedConfig, LogFormat};
use tidegate::daemon::error::{Error, ErrorCategory};
use tidegate::daemon::observe::Halt;
use tidegate::daemon::observe::events::{Halted, Recovered, Resumed, Started, UnpublishedRows};
use tidegate::daemon::observe::http::{self, HttpPort};
use tidegate::daemon::observe::{FeedObserver, Observer, format};
use tokio::sync::oneshot;

use crate::common::secret;
use crate::common::wait::{self, LIMIT};

/// The time limit of a connection.
const LASTS: Duration = Duration::from_secs(5);

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text")
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A feed file with these tables at its end.
fn feed(name: &str, folder: &Path, tables: &str) -> FeedConfig {
    let text = format!(
        "[feed]\nname = \"{name}\"\n[policy]\nk = 2\n\
         [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
         [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [\"F\", \"M\"] }}\n{tables}"
    );
    FeedConfig::parse(&text, &folder.join(format!("{name}.toml"))).expect("a feed")
}

/// Pages that are served until this is dropped.
struct Served {
    address: SocketAddr,
    observer: Arc<Observer>,
    paper: Paper,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    fn new(feed: &FeedConfig) -> Served {
        let paper = Paper::default();
        let observer =
            Observer::new(LogFormat::Json, paper.clone(), jiff::Timestamp::now).expect("a thread");
        let observer = Arc::new(observer);
        let door = HttpPort::open(&feed.services.http).expect("a port");
        let address = door.address();
        let (end, ended) = oneshot::channel();
        let for_server = Arc::clone(&observer);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            let until = async { drop(ended.await) };
            runtime
                .block_on(http::serve(door, for_server, until))
                .expect("served");
        });
        Served {
            address,
            observer,
            paper,
            end: Some(end),
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let port = self.address.port();
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("a server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        stream
    }

    /// Status, headers in lower case and body of the answer to exactly these bytes.
    fn ask(&self, question: &str) -> (u16, String, String) {
        let answer = wait::until(
            || "an answer",
            || {
                let (begun, mut stream) = (Instant::now(), self.connect());
                let mut answer = String::new();
                let asked = stream
                    .write_all(question.as_bytes())
                    .and_then(|()| stream.read_to_string(&mut answer));
                // On a machine that stalls for this long the time of the connection is over.
                if begun.elapsed() >= LASTS && answer.is_empty() {
                    return None;
                }
                asked.expect("answered and closed");
                Some(answer)
            },
        );
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String, String) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: tidegate\r\n\r\n"))
    }

    fn with_token(&self, path: &str, header: &str) -> u16 {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: tidegate\r\nAuthorization: {header}\r\n\r\n"
        ))
        .0
    }

    fn ready(&self) -> (u16, Value) {
        let (status, head, body) = self.get("/health/ready");
        assert!(head.contains("content-type: application/json"), "{head}");
        (status, serde_json::from_str(&body).expect("JSON"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.end.take());
        self.thread
            .take()
            .expect("a thread")
            .join()
            .expect("ends when it is asked to");
    }
}

fn recover(feed: &FeedObserver) {
    feed.emit(&Recovered {
        log_entries: 1,
        entries_read: 0,
        checkpoint: None,
        rolled_forward: 0,
        release: None,
        rows: None,
        sums: None,
        sums_left_out: None,
        new_rows: 0,
        standing: UnpublishedRows::default(),
        last_tick: None,
        last_publication: None,
        seconds: Duration::ZERO,
    });
}

const ANY_PORT: &str = "[http]\nbind = \"127.0.0.1:0\"\n";

#[test]
fn the_process_is_ready_when_every_feed_is() {
    let here = Path::new("");
    let (one, two) = (feed("one", here, ANY_PORT), feed("two", here, ""));
    let served = Served::new(&one);
    assert_eq!(served.get("/health/live").0, 200);
    assert_eq!(
        served.ready(),
        (503, json!({ "ready": false, "feeds": {} }))
    );
    let (one, two) = (served.observer.feed(&one), served.observer.feed(&two));
    let feeds = |ready: bool, one: &str, two: &str| json!({ "ready": ready, "feeds": { "one": one, "two": two } });
    one.emit(&Started { version: "0" });
    assert_eq!(served.ready(), (503, feeds(false, "starting", "starting")));
    recover(&one);
    assert_eq!(served.ready(), (503, feeds(false, "running", "starting")));
    recover(&two);
    assert_eq!(served.ready(), (200, feeds(true, "running", "running")));
    let why = json!({ "since": "2026-11-25T10:00:00Z", "reason": "the disk is full", "what_to_do": "Make space." });
    one.explain(serde_json::from_value::<Halt>(why.clone()).expect("a halt"));
    assert_eq!(
        served.ready(),
        (200, feeds(true, "running", "running")),
        "it has not halted yet"
    );
    one.emit(&Halted::because(&Error::new(
        ErrorCategory::Io,
        "the disk is full",
    )));
    let mut halted = feeds(false, "halted", "running");
    halted["halted"] = json!({ "one": why });
    assert_eq!(served.ready(), (503, halted.clone()));
    assert_eq!(
        served.get("/health/live").0,
        200,
        "a halted feed is nothing that a restart mends"
    );
    // It is not ready while it is tried again.
    recover(&one);
    assert_eq!(served.ready(), (503, halted));
    one.emit(&Resumed {
        since: jiff::Timestamp::UNIX_EPOCH,
    });
    assert_eq!(served.ready(), (200, feeds(true, "running", "running")));
}

#[test]
fn metrics_are_text_that_prometheus_reads() {
    let one = feed("one", Path::new(""), ANY_PORT);
    let served = Served::new(&one);
    recover(&served.observer.feed(&one));
    let (status, head, body) = served.get("/metrics");
    assert_eq!(status, 200);
    assert!(
        head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
        "{head}"
    );
    assert!(head.contains("cache-control: no-store"), "{head}");
    assert!(
        body.contains("tidegate_log_entries{feed=\"one\"} 1.0\n") && body.ends_with("# EOF\n"),
        "{body}"
    );
    assert!(served.paper.text().starts_with("{\"time\":\""));
}

#[test]
fn pages_are_read_only_and_few() {
    let served = Served::new(&feed("one", Path::new(""), ANY_PORT));
    for path in ["/health/live", "/health/ready", "/metrics"] {
        let (get, ..) = served.get(path);
        let (status, head, body) =
            served.ask(&format!("HEAD {path} HTTP/1.1\r\nHost: tidegate\r\n\r\n"));
        assert_eq!((status, body.as_str()), (get, ""), "{head}");
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let question = format!(
                "{method} {path} HTTP/1.1\r\nHost: tidegate\r\nContent-Length: 3\r\n\r\nabc"
            );
            let (status, head, _) = served.ask(&question);
            assert_eq!(status, 405, "{head}");
            assert!(head.contains("allow: get,head"), "{head}");
        }
    }
    for path in [
        "/",
        "/metrics/",
        "/health",
        "/../etc/passwd",
        "/health/live/x",
        "//metrics",
        "/metrics%00",
    ] {
        assert_eq!(served.get(path).0, 404, "{path}");
        assert_eq!(
            served
                .ask(&format!("POST {path} HTTP/1.1\r\nHost: tidegate\r\n\r\n"))
                .0,
            404,
            "{path}"
        );
    }
}

#[test]
fn pages_ask_for_a_token_and_that_of_life_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    secret::write(
        &folder.path().join("one"),
        "hunter-one-00112233445566778899aabb\n",
    );
    secret::write(
        &folder.path().join("two"),
        "hunter-two-00112233445566778899aabb",
    );
    let tables = format!("{ANY_PORT}tokens = [\"file:one\", \"file:two\"]\n");
    let served = Served::new(&feed("one", folder.path(), &tables));
    assert_eq!(served.get("/health/live").0, 200);
    let one = served.observer.feed(&feed("one", folder.path(), &tables));
    let [since, reason, what_to_do] =
        ["2026-11-25T10:00:00Z", "ward-7.csv", "Act."].map(str::to_owned);
    one.explain(Halt {
        since,
        reason,
        what_to_do,
    });
    one.emit(&Halted::because(&Error::new(
        ErrorCategory::Io,
        "ward-7.csv",
    )));
    // Probes of a cluster send no token: they learn that the process runs, and nothing about its
    // feeds.
    assert_eq!(served.get("/health/live").2, "live\n");
    let shown = "GET /health/ready HTTP/1.1\r\nHost: tidegate\r\nAuthorization: Bearer hunter-one-00112233445566778899aabb\r\n\r\n";
    assert!(served.ask(shown).2.contains("ward-7.csv"));
    let refused = |path: &str| {
        let (status, head, body) = served.get(path);
        assert_eq!(status, 401, "{path}");
        assert!(head.contains("www-authenticate: bearer"), "{head}");
        body
    };
    // The same answer for a page that exists, for one of a feed that is halted, and for no page.
    let pages = ["/metrics", "/health/ready", "/nothing", "/health/live/"].map(refused);
    assert_eq!(
        pages,
        std::array::from_fn(|_| "a token is required: Authorization: Bearer …\n".to_owned())
    );
    for header in [
        "Bearer hunter-one-00112233445566778899aabb",
        "Bearer hunter-two-00112233445566778899aabb",
        "bearer hunter-two-00112233445566778899aabb",
    ] {
        assert_eq!(served.with_token("/metrics", header), 200, "{header}");
        assert_eq!(served.with_token("/health/ready", header), 503, "{header}");
        assert_eq!(served.with_token("/nothing", header), 404, "{header}");
    }
    for header in [
        "Bearer hunter",
        "Bearer hunter-one-00112233445566778899aabb,hunter-two-00112233445566778899aabb",
        "Bearer ",
        "Basic hunter-one-00112233445566778899aabb",
        "hunter-one-00112233445566778899aabb",
        "\u{ff}",
    ] {
        assert_eq!(served.with_token("/metrics", header), 401, "{header}");
        assert_eq!(served.with_token("/health/ready", header), 401, "{header}");
        assert_eq!(served.with_token("/nothing", header), 401, "{header}");
    }
    assert_eq!(
        served
            .ask("POST /metrics HTTP/1.1\r\nHost: tidegate\r\n\r\n")
            .0,
        401
    );
    let log = served.paper.text();
    assert!(
        log.contains("\"event\":\"listening\"") && log.contains("\"tokens\":true"),
        "{log}"
    );
    assert!(!log.contains("hunter"), "{log}");
}

#[test]
fn rude_guests_do_no_harm() {
    let served = Served::new(&feed("one", Path::new(""), ANY_PORT));
    // A head that is too long: refused, or the connection is closed before its end.
    let long = vec![b'x'; 8 << 20];
    let many: String = (0..500)
        .map(|number| format!("X-{number}: x\r\n"))
        .collect();
    for head in [long, format!("{many}\r\n").into_bytes()] {
        let mut stream = served.connect();
        let _ = stream.write_all(b"GET /health/live HTTP/1.1\r\nHost: t\r\nX: ");
        let _ = stream.write_all(&head);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(
            answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
    for nonsense in [
        "\0\0\0",
        "GET\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}",
        "GET /metrics HTTP/9.9\r\n\r\n",
    ] {
        let mut stream = served.connect();
        let _ = stream.write_all(nonsense.as_bytes());
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    // Silent clients take every place, and lose it after a while.
    let silent: Vec<TcpStream> = (0..64).map(|_| served.connect()).collect();
    assert_eq!(served.get("/health/live").0, 200);
    for mut stream in silent {
        assert_eq!(stream.read(&mut [0; 1]).unwrap_or(0), 0, "hung up on");
    }
    // One connection, one request.
    let twice = "GET /health/live HTTP/1.1\r\nHost: t\r\n\r\n".repeat(2);
    let (_, _, body) = served.ask(&twice);
    assert_eq!(body, "live\n");
}

#[test]
fn a_guest_who_says_nothing_does_not_hold_the_end_up() {
    // A server that waits for its client never ends before the time limit of the connection. One
    // that does not wait ends first if the machine is fast enough.
    let ends_before_its_guest = || {
        let served = Served::new(&feed("one", Path::new(""), ANY_PORT));
        let (begun, mut stream) = (Instant::now(), served.connect());
        stream.write_all(b"GET /health/live HT").expect("sent");
        assert_eq!(served.get("/health/live").0, 200);
        drop(served);
        begun.elapsed() < LASTS
    };
    wait::until(
        || "an end before that of the guest's time",
        || ends_before_its_guest().then_some(()),
    );
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let feed = feed(
        "one",
        Path::new(""),
        &format!("[http]\nbind = \"{address}\"\n"),
    );
    let error = HttpPort::open(&feed.services.http).err().expect("taken");
    assert_eq!(error.field.as_deref(), Some("http.bind"));
    let text = format!(
        "cannot listen on {address}: another program listens there: stop that program, or write another `http.bind`"
    );
    assert_eq!(error.text, text);
}

#[test]
fn a_token_that_cannot_be_is_refused_before_anything_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    secret::write(&folder.path().join("empty"), "\n");
    secret::write(&folder.path().join("spaced"), "hunter two".repeat(4));
    secret::write(
        &folder.path().join("short"),
        "hunter".repeat(6).split_at(31).0,
    );
    for name in ["empty", "spaced", "short", "missing"] {
        let feed = feed(
            "one",
            folder.path(),
            &format!("{ANY_PORT}tokens = [\"file:{name}\"]\n"),
        );
        let error = HttpPort::open(&feed.services.http).err().expect("refused");
        assert_eq!(error.field.as_deref(), Some("http.tokens"));
        assert!(!error.to_string().contains("hunter"), "{error}");
    }
}

/// A feed file of this kind is not accepted; an option of `run` may set it, too.
#[test]
fn pages_that_other_machines_reach_have_a_token() {
    let feed = feed("one", Path::new(""), ANY_PORT);
    for (bind, opens) in [
        ("127.0.0.1:0", true),
        ("127.8.9.10:0", true),
        ("[::ffff:127.0.0.1]:0", true),
        ("0.0.0.0:0", false),
        ("[::]:0", false),
        ("[::ffff:0.0.0.0]:0", false),
        ("192.0.2.1:0", false),
    ] {
        let http = feed
            .services
            .http
            .changed_by(Some(bind.parse().expect("an address")), None);
        assert_eq!(!http.is_open(), opens, "{bind}");
        if opens {
            continue;
        }
        let error = HttpPort::open(&http).err().expect("refused");
        assert_eq!(error.field.as_deref(), Some("http.tokens"));
        assert!(
            error
                .text
                .contains("no token is required: name one in `http.tokens`"),
            "{error}"
        );
    }
}

#[test]
fn feeds_of_one_process_must_agree() {
    let here = Path::new("");
    let same = |name: &str| {
        feed(
            name,
            here,
            "[http]\nbind = \"127.0.0.1:9000\"\ntokens = [\"file:t\"]\n",
        )
    };
    let agreed = [same("one"), same("two")];
    assert_eq!(
        http::address(&agreed)
            .expect("one")
            .map(|http| http.bind.port()),
        Some(9000)
    );
    assert!(http::address(&[]).expect("none").is_none());
    assert_eq!(format(&agreed).expect("one"), LogFormat::Text);
    let differs = [
        same("one"),
        feed(
            "two",
            here,
            "[http]\ntokens = [\"file:t\"]\n[log]\nformat = \"json\"\n",
        ),
    ];
    let error = http::address(&differs).expect_err("two addresses");
    assert_eq!(
        (error.field.as_deref(), error.file.as_deref()),
        (Some("http.bind"), Some(Path::new("two.toml")))
    );
    assert!(
        error
            .text
            .starts_with("127.0.0.1:9464 here and 127.0.0.1:9000 in one.toml"),
        "{}",
        error.text
    );
    assert_eq!(
        format(&differs).expect_err("two forms").field.as_deref(),
        Some("log.format")
    );
    let differs = [
        same("one"),
        feed("two", here, "[http]\nbind = \"127.0.0.1:9000\"\n"),
    ];
    assert_eq!(
        http::address(&differs)
            .expect_err("these tokens differ")
            .field
            .as_deref(),
        Some("http.tokens")
    );
}
