//! Reports of a running feed beside its files and ticks (CONTRACTS 5): each in a log line and in
//! `/metrics`, counts only.

use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Signal, kill_process};

use super::place::{Daemon, HEADER, NEVER, OFTEN, PER_FILE, PLANTED, Place, people, person, until};

/// The value of a series of the feed on the page.
fn metric(daemon: &Daemon, name: &str) -> Option<f64> {
    let page = daemon.page("/metrics");
    let line = page
        .lines()
        .find(|line| line.starts_with(&format!("tidegate_{name}{{feed=\"t\"}} ")))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[track_caller]
fn shows(daemon: &Daemon, name: &str, value: f64) {
    until(
        || metric(daemon, name) == Some(value),
        || format!("{name}: {:?}", metric(daemon, name)),
    );
}

/// This many good rows from a number on, and this many that cannot be decoded.
fn rows(from: u64, good: u64, bad: u64) -> String {
    let wrong = (0..bad).map(|row| format!("{}x{from}{row},old,A1,x\n", PLANTED[0]));
    people(from..from + good) + &wrong.collect::<String>()
}

#[test]
fn the_share_that_is_set_aside() {
    let place = Place::new(PER_FILE);
    place.edit(
        "settle = \"0s\"",
        "settle = \"0s\"\nmax_quarantine_share = 0.1",
    );
    let mut daemon = place.start_until_halt();
    daemon.says("recovered", 1);
    place.offer("0.csv", rows(0, 199, 1));
    daemon.says(
        "quarantine_share feed=t quarantined=1 seen=200 limit=0.1 above=false",
        1,
    );
    shows(&daemon, "quarantine_ratio", 0.005);
    place.offer("1.csv", rows(200, 50, 0));
    daemon.says("nothing_set_aside feed=t seen=50", 1);
    shows(&daemon, "quarantine_ratio", 0.0);
    place.offer("2.csv", rows(300, 50, 0));
    daemon.says("published feed=t", 3);
    assert_eq!(
        daemon.said().matches("quarantine_share").count(),
        1,
        "nothing is told of nothing"
    );
    assert_eq!(
        daemon.said().matches("nothing_set_aside").count(),
        1,
        "and that once"
    );
    place.offer("3.csv", rows(400, 80, 20));
    daemon.says(
        "quarantine_share feed=t quarantined=20 seen=100 limit=0.1 above=true",
        1,
    );
    assert_eq!(daemon.ended(), Some(2));
    assert!(daemon.said().contains("halted feed=t") && !daemon.said().contains(PLANTED[0]));
}

/// Before the tick the share is reported if it is near the limit, and not for every file.
#[test]
fn a_share_that_comes_near_the_limit() {
    let place = Place::new(NEVER);
    place.edit(
        "settle = \"0s\"",
        "settle = \"0s\"\nmax_quarantine_share = 0.1",
    );
    let daemon = place.start();
    place.offer("0.csv", rows(0, 1190, 10));
    daemon.says("file_taken", 1);
    place.offer("1.csv", rows(2000, 100, 70));
    daemon.says(
        "quarantine_share feed=t quarantined=80 seen=1370 limit=0.1 above=false",
        1,
    );
    assert_eq!(
        daemon.said().matches("quarantine_share").count(),
        1,
        "{}",
        daemon.said()
    );
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn people_who_are_taken_out() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    place.once();
    let daemon = place.start();
    place.offer("1.csv", HEADER.to_owned() + &person(50));
    daemon.says("file_taken", 1);
    shows(&daemon, "erased_people_total", 0.0);
    let named: String = [50, 3, 4, 99]
        .map(|number| format!("{}{number}\n", PLANTED[0]))
        .concat();
    let file = place.put("gone.csv", named);
    place.done(&["erase", "feed.toml", "--from", file.to_str().expect("text")]);
    daemon.says("erased feed=t waiting=1 published=2 rows=0 segments=2", 1);
    shows(&daemon, "erased_people_total", 3.0);
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn a_note_that_was_written_without_the_key() {
    let place = Place::new(NEVER);
    let daemon = place.start();
    daemon.says("recovered", 1);
    let inbox = place.path("private/inbox");
    std::fs::create_dir_all(&inbox).expect("a folder");
    for name in ["0", "1"] {
        std::fs::write(
            inbox.join(format!("{name}.tmp")),
            format!("{{\"ask\": \"{}\"}}", PLANTED[0]),
        )
        .expect("a note");
    }
    kill_process(daemon.pid(), Signal::STOP).expect("it is at work");
    for name in ["0", "1"] {
        std::fs::rename(
            inbox.join(format!("{name}.tmp")),
            inbox.join(format!("{name}.json")),
        )
        .expect("a note");
    }
    kill_process(daemon.pid(), Signal::CONT).expect("it is at work");
    daemon.says("strange_notes feed=t notes=2", 1);
    assert!(!inbox.join("0.json").exists() && !daemon.said().contains(PLANTED[0]));
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn ticks_that_come_late() {
    let place = Place::new(NEVER);
    let daemon = place.start();
    let offered = Instant::now();
    place.offer("0.csv", people(0..40));
    daemon.says("file_taken", 1);
    assert_eq!(daemon.end(), Some(0));
    // Rows arrived, and then no process was running for some ticks.
    place.edit(NEVER, OFTEN);
    sleep(Duration::from_millis(3100));
    let daemon = place.start();
    daemon.says("overdue feed=t tick=0", 1);
    daemon.says("published feed=t", 1);
    let missed = metric(&daemon, "missed_ticks_total").expect("a series");
    let most = offered.elapsed().as_secs_f64() + 2.0;
    assert!(
        (2.0..most).contains(&missed),
        "{missed} of {most}: {}",
        daemon.said()
    );
    // And a process was running, but stopped.
    kill_process(daemon.pid(), Signal::STOP).expect("it is at work");
    sleep(Duration::from_millis(3500));
    kill_process(daemon.pid(), Signal::CONT).expect("it is at work");
    daemon.says("overdue feed=t", 2);
    until(
        || metric(&daemon, "missed_ticks_total").is_some_and(|more| more >= missed + 2.0),
        || daemon.said(),
    );
    assert_eq!(daemon.end(), Some(0));
}

#[test]
fn the_last_publication_outlasts_a_restart() {
    let begun = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time")
        .as_secs_f64()
        .floor();
    let place = Place::new(PER_FILE);
    let daemon = place.start();
    daemon.says("recovered", 1);
    assert_eq!(
        metric(&daemon, "last_publication_timestamp_seconds"),
        None,
        "there is none"
    );
    place.offer("0.csv", people(0..40));
    daemon.says("published feed=t", 1);
    until(
        || metric(&daemon, "last_publication_timestamp_seconds").is_some(),
        || daemon.said(),
    );
    let published = metric(&daemon, "last_publication_timestamp_seconds").expect("a time");
    assert_eq!(daemon.end(), Some(0));
    let ended = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time")
        .as_secs_f64();
    // Times are of whole seconds.
    sleep(Duration::from_millis(2100));
    let daemon = place.start();
    daemon.says("last_publication=", 1);
    let again = metric(&daemon, "last_publication_timestamp_seconds").expect("a time");
    assert!(
        (begun..=ended).contains(&again),
        "{again} is after the end of the one that published at {published}"
    );
    assert_eq!(daemon.end(), Some(0));
}

/// Each person is in one class: each column shows its root, which is reported once and not again.
#[test]
fn columns_without_detail_are_named_where_they_begin() {
    let place = Place::with(OFTEN, "k = 50\n", "");
    place.offer("0.csv", people(0..60));
    let output = place.output(&["run", "--once", "feed.toml"]);
    let [words, log] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(
        words.contains(
            "without any detail: `age`, `ward`; `tidegate preview --feed FEED --in SAMPLE`"
        ),
        "{words}"
    );
    assert!(
        log.contains("warn  without_detail feed=t tick=0 release=1 columns=age,ward help="),
        "{log}"
    );
    place.offer("1.csv", people(60..120));
    let output = place.output(&["run", "--once", "feed.toml", "--json"]);
    let tick: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (
            &tick["ticks"][0]["release"],
            &tick["ticks"][0]["without_detail"]
        ),
        (&2.into(), &serde_json::json!([]))
    );
    assert!(!String::from_utf8_lossy(&output.stderr).contains("without_detail"));
}

/// The feed file names an address that this machine does not have.
#[test]
fn pages_are_served_where_the_command_says() {
    let place = Place::new(NEVER);
    place.put("metrics.token", "hunter-one-00112233445566778899aabb");
    place.edit(
        "bind = \"127.0.0.1:0\"\n",
        "bind = \"203.0.113.1:9464\"\ntokens = [\"file:metrics.token\"]\n",
    );
    let daemon = place.start_with(&["--bind", "127.0.0.1:0", "feed.toml"]);
    daemon.says("listening address=127.0.0.1:", 1);
    assert!(daemon.page("/health/live").starts_with("HTTP/1.1 200"));
    assert_eq!(daemon.end(), Some(0));
}
