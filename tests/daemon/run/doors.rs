//! The daemon's pages if other machines reach them (CONTRACTS 1 and 5), and `tidegate health`:
//! without a token a reader learns that the process runs, and nothing about its feeds.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value as Json;

use super::place::{Daemon, NEVER, PER_FILE, Place, people};
use crate::common::wait;

const LOOPBACK: &str = "bind = \"127.0.0.1:0\"\n";
const TOKENS: &str = "tokens = [\"file:metrics.token\"]\n";

/// The port of a daemon.
fn port(daemon: &Daemon) -> String {
    daemon.says("listening address=", 1);
    let said = daemon.said();
    let address = said
        .split("address=")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next())
        .expect("an address");
    address.rsplit_once(':').expect("a port").1.to_owned()
}

/// The status and the body of a page, requested with this header.
fn page(port: &str, path: &str, header: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: tidegate\r\n{header}\r\n"
    )
    .expect("it reads");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("it answers");
    let status = page
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("a status");
    (
        status,
        page.split_once("\r\n\r\n").expect("a head").1.to_owned(),
    )
}

/// Checks the answer of `health` against the shipped schema.
fn fits(answer: &Json) {
    let schema = std::fs::read_to_string("schemas/v1/health.schema.json").expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    assert!(
        jsonschema::validator_for(&schema)
            .expect("a schema")
            .is_valid(answer),
        "{answer}"
    );
}

#[test]
fn a_feed_that_listens_beyond_this_machine_names_a_token() {
    let place = Place::new(NEVER);
    place.put("metrics.token", "hunter-one-00112233445566778899aabb\n");
    place.edit(LOOPBACK, "bind = \"0.0.0.0:0\"\n");
    for command in [&["check", "feed.toml"][..], &["run", "feed.toml"]] {
        let (code, answer) = place.json(command);
        let (field, text) = (
            &answer["error"]["field"],
            answer["error"]["text"].as_str().unwrap_or_default(),
        );
        assert_eq!((code, field), (2, &"http.bind".into()), "{answer}");
        assert!(text.contains("write `tokens = "), "{answer}");
    }
    place.edit(
        "bind = \"0.0.0.0:0\"\n",
        &format!("bind = \"0.0.0.0:0\"\n{TOKENS}"),
    );
    assert_eq!(place.json(&["check", "feed.toml"]).0, 0);
    let daemon = place.start();
    daemon.says("recovered", 1);
    let port = port(&daemon);
    assert_eq!(page(&port, "/health/live", ""), (200, "live\n".to_owned()));
    for path in ["/health/ready", "/metrics", "/nothing"] {
        for header in [
            "",
            "Authorization: Bearer hunter-two-00112233445566778899aabb\r\n",
            "Authorization: Basic hunter-one-00112233445566778899aabb\r\n",
        ] {
            let (status, body) = page(&port, path, header);
            assert_eq!(status, 401, "{path}");
            assert!(
                !body.contains("running") && !body.contains("tidegate_"),
                "{body}"
            );
        }
    }
    let shown = "Authorization: Bearer hunter-one-00112233445566778899aabb\r\n";
    let (status, body) = page(&port, "/health/ready", shown);
    assert_eq!(
        (status, body.trim_end()),
        (200, "{\"ready\":true,\"feeds\":{\"t\":\"running\"}}")
    );
    assert!(
        page(&port, "/metrics", shown)
            .1
            .contains("tidegate_halted{feed=\"t\"} 0")
    );
    assert!(!daemon.said().contains("hunter"), "{}", daemon.said());
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn an_option_that_opens_the_pages_needs_a_token_too() {
    let place = Place::new(NEVER);
    place.put("metrics.token", "hunter-one-00112233445566778899aabb");
    let (code, answer) = place.json(&["run", "--bind=0.0.0.0:0", "feed.toml"]);
    assert_eq!(
        (code, &answer["error"]["field"]),
        (2, &"http.tokens".into()),
        "{answer}"
    );
    assert!(
        answer["error"]["text"]
            .as_str()
            .is_some_and(|text| text.contains("--token")),
        "{answer}"
    );
    let daemon = place.start_with(&["--bind=0.0.0.0:0", "--token=metrics.token", "feed.toml"]);
    daemon.says("recovered", 1);
    let port = port(&daemon);
    assert_eq!(page(&port, "/metrics", "").0, 401);
    assert_eq!(
        page(
            &port,
            "/metrics",
            "Authorization: Bearer hunter-one-00112233445566778899aabb\r\n"
        )
        .0,
        200
    );
    // A probe in the container sends the same request.
    let bind = format!("--bind=0.0.0.0:{port}");
    let health = place.done(&["health", &bind, "--token=metrics.token", "feed.toml"]);
    assert_eq!(health["feeds"]["t"], "running");
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn connections_that_send_nothing_keep_nobody_waiting() {
    let place = Place::new(NEVER);
    let daemon = place.start();
    daemon.says("recovered", 1);
    let port = port(&daemon);
    let open = || TcpStream::connect(format!("127.0.0.1:{port}")).expect("it listens");
    let mut half_open: Vec<TcpStream> = (0..300).map(|_| open()).collect();
    // Half of them send the beginning of a request.
    half_open
        .iter_mut()
        .step_by(2)
        .for_each(|stream| _ = stream.write_all(b"GET /metrics HTTP/1.1\r\nHost:"));
    assert_eq!(page(&port, "/health/live", "").1, "live\n");
    assert_eq!(page(&port, "/health/ready", "").0, 200);
    // A connection that was closed for a newer one, and the newest ones, which time out.
    for mut stream in half_open {
        let _ = stream.read(&mut [0]);
    }
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn a_probe_asks_the_daemon() {
    let place = Place::new(PER_FILE);
    place.put("metrics.token", "hunter-one-00112233445566778899aabb\n");
    place.put("other.token", "hunter-two-00112233445566778899aabb\n");
    place.edit(LOOPBACK, &format!("{LOOPBACK}{TOKENS}"));
    let daemon = place.start();
    daemon.says("recovered", 1);
    let bind = format!("--bind=127.0.0.1:{}", port(&daemon));
    let health = place.done(&["health", &bind, "feed.toml"]);
    fits(&health);
    assert_eq!(
        health,
        serde_json::json!({"ready": true, "feeds": {"t": "running"}})
    );
    let words = place.output(&["health", &bind, "feed.toml"]);
    assert_eq!(
        String::from_utf8_lossy(&words.stdout),
        "ready\n  t: running\n"
    );
    // Another token; a port that the system has chosen.
    let refused = |args: &[&str], field: &str| {
        let (code, answer) = place.json(args);
        assert_eq!(
            (code, &answer["error"]["field"]),
            (2, &field.into()),
            "{answer}"
        );
        assert!(!answer.to_string().contains("hunter"), "{answer}");
    };
    refused(
        &["health", &bind, "--token=other.token", "feed.toml"],
        "http.tokens",
    );
    refused(&["health", "feed.toml"], "http.bind");
    // A feed that is halted is not ready, and says why.
    place.offer("0.csv", people(0..40).replace("ward", "word"));
    wait::until(
        || format!("a halt: {}", daemon.said()),
        || daemon.said().contains("halted feed=t").then_some(()),
    );
    let (code, health) = place.json(&["health", &bind, "feed.toml"]);
    fits(&health);
    assert_eq!(
        (code, &health["feeds"]["t"]),
        (1, &"halted".into()),
        "{health}"
    );
    let words = place.output(&["health", &bind, "feed.toml"]);
    let words = String::from_utf8_lossy(&words.stdout);
    assert!(
        words.starts_with("not ready\n  t: halted\n    since ") && words.contains("0.csv"),
        "{words}"
    );
    drop(daemon);
    refused(&["health", &bind, "feed.toml"], "http.bind");
}
