//! Every event once: its line in both forms, and what it moves.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::log_fields::{Event, ProcessEvent};
use super::*;
use crate::config::{FeedConfig, LogFormat};
use crate::engine::model::{Column, Columns, DetailSettings, Kind as ColumnKind, Role};
use crate::engine::release::Sha256;
use crate::error::{Complaint, Error, ErrorCategory};
use crate::intake_counts::IntakeCounts;
use crate::observe::{FeedObserver, FeedPhase, Observer, SourceLag};

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().expect("no panic"))).expect("text")
    }
}

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A moment in 2026.
fn then() -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(1_795_255_200_007).expect("a time")
}

fn feed() -> FeedConfig {
    let text = "[feed]\nname = \"admissions\"\n[policy]\nk = 2\n\
                [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
                [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n";
    FeedConfig::parse(text, Path::new("feed.toml")).expect("a feed")
}

/// One feed, watched in both forms.
struct Watch {
    papers: [Paper; 2],
    feeds: [FeedObserver; 2],
}

impl Watch {
    fn new() -> Watch {
        let papers = [Paper::default(), Paper::default()];
        let feeds = [LogFormat::Text, LogFormat::Json].map(|format| {
            let paper = papers[usize::from(format == LogFormat::Json)].clone();
            Arc::new(Observer::new(format, paper, then).expect("a thread")).feed(&feed())
        });
        Watch { papers, feeds }
    }

    /// What an event writes, after the time, and the series that it changes.
    #[track_caller]
    fn check(&self, event: &impl Event, line: &str, moved: &[&str]) {
        let before = self.feeds[0].observer().metrics();
        self.feeds.iter().for_each(|feed| feed.emit(event));
        self.check_line(line);
        let after = self.feeds[0].observer().metrics();
        let mut changed: Vec<String> = after
            .lines()
            .filter(|series| {
                !before.lines().any(|line| line == *series)
                    && !series.contains("_bucket{")
                    && !series.starts_with('#')
            })
            .map(|series| {
                series
                    .replace("tidegate_", "")
                    .replace("feed=\"admissions\"", "")
                    .replace("{}", "")
            })
            .map(|series| series.replace("{,", "{").replace(",}", "}"))
            .collect();
        changed.sort();
        assert_eq!(changed, moved);
    }

    #[track_caller]
    fn check_process(&self, event: &impl ProcessEvent, line: &str) {
        self.feeds
            .iter()
            .for_each(|feed| feed.observer().emit(event));
        self.check_line(line);
    }

    #[track_caller]
    fn check_line(&self, expected: &str) {
        let [text, json] = [&self.papers[0], &self.papers[1]].map(Paper::take);
        assert_eq!(text, format!("2026-11-21T10:00:00.007Z {expected}\n"));
        assert_eq!(json.lines().count(), 1, "{json}");
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&json).expect("JSON");
        // The same fields in the same order, each key once.
        let mut words = vec![
            format!("{:<5}", object["level"].as_str().expect("text")),
            word(&object["event"]),
        ];
        assert_eq!(object["time"], "2026-11-21T10:00:00.007Z");
        words.extend(
            object
                .iter()
                .skip(3)
                .map(|(key, value)| format!("{key}={}", word(value))),
        );
        assert_eq!(words.join(" "), expected);
        assert_eq!(json.matches("\":").count(), object.len(), "{json}");
    }
}

/// A value of JSON, written in text.
fn word(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) if text.contains(' ') => format!("\"{text}\""),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(names) if names.is_empty() => "\"\"".to_owned(),
        serde_json::Value::Array(names) => names.iter().map(word).collect::<Vec<_>>().join(","),
        serde_json::Value::Number(number) if number.is_f64() && number.as_f64() != Some(0.01) => {
            format!("{:.3}", number.as_f64().expect("a number"))
        }
        other => other.to_string(),
    }
}

const FEED: &str = "feed=admissions";

fn name(text: &str) -> FileName {
    FileName::of(Path::new(text))
}

#[test]
fn a_feed_lives() {
    let watch = Watch::new();
    let state = || watch.feeds[0].observer().health().feeds["admissions"];
    watch.check(
        &Started { version: "0.1.0" },
        &format!("info  started {FEED} version=0.1.0"),
        &[],
    );
    assert_eq!(state(), FeedPhase::Starting);
    let ahead = ClockAhead {
        now: then(),
        ahead: Duration::from_secs(7200),
    };
    watch.check(
        &ahead,
        &format!("warn  clock_ahead {FEED} now=2026-11-21T10:00:00Z ahead=7200.000"),
        &[],
    );
    let ignored = VariablesIgnored {
        names: VariableNames::new(vec!["AWS_PROFILE".into(), "AWS_ALLOW_HTTP".into()]),
    };
    watch.check(
        &ignored,
        &format!("warn  variables_ignored {FEED} names=AWS_PROFILE,AWS_ALLOW_HTTP"),
        &[],
    );
    let behind = ClockBehind {
        due: jiff::Timestamp::UNIX_EPOCH,
        last: then(),
    };
    let line = "due=1970-01-01T00:00:00Z last=2026-11-21T10:00:00Z";
    let off = |seconds: &str| format!("clock_off_seconds {seconds}");
    watch.check(
        &behind,
        &format!("warn  clock_behind {FEED} {line}"),
        &[&off("1795255200.0")],
    );
    let right = ClockRight { now: then() };
    let line = format!("info  clock_right {FEED} now=2026-11-21T10:00:00Z");
    watch.check(&right, &line, &[&off("0.0")]);
    let stepped = ClockStepped {
        now: then(),
        by: jiff::SignedDuration::from_secs(-7200),
    };
    let moved = format!("warn  clock_stepped {FEED} now=2026-11-21T10:00:00Z by=-7200.000");
    watch.check(&stepped, &moved, &[&off("7200.0")]);
    watch.check(&right, &line, &[&off("0.0")]);
    let fence = FenceAppended { seq: 7, epoch: 2 };
    let moved = ["epoch 2.0", "log_entries 8.0"];
    watch.check(
        &fence,
        &format!("info  fence_appended {FEED} seq=7 epoch=2"),
        &moved,
    );
    let recovered = Recovered {
        log_entries: 9,
        entries_read: 3,
        checkpoint: Some(5),
        rolled_forward: 1,
        release: Some(4),
        rows: Some(500),
        sums: None,
        sums_left_out: None,
        new_rows: 12,
        standing: UnpublishedRows {
            waiting: 3,
            pending: 1,
        },
        last_tick: Some(jiff::Timestamp::UNIX_EPOCH),
        last_publication: None,
        seconds: Duration::from_millis(1_500),
    };
    let line = "log_entries=9 entries_read=3 checkpoint=5 rolled_forward=1 release=4 rows=500 new_rows=12 waiting=3 \
                pending=1 last_tick=1970-01-01T00:00:00Z seconds=1.500";
    let moved = [
        "last_tick_timestamp_seconds 0.0",
        "log_entries 9.0",
        "new_rows 12.0",
        "newest_release 4.0",
        "newest_release_rows 500.0",
        "pending_rows 1.0",
        "waiting_rows 3.0",
    ];
    watch.check(
        &recovered,
        &format!("info  recovered {FEED} {line}"),
        &moved,
    );
    assert!(watch.feeds[0].observer().health().ready);
    // A source that is further ahead than it may be.
    let oldest = Arc::new(AtomicU64::new(60));
    let seconds = Arc::clone(&oldest);
    let behind = move || SourceLag {
        lag: vec![(3, 7)],
        oldest: Duration::from_secs(seconds.load(Ordering::Relaxed)),
    };
    watch.feeds[0].watch(Duration::from_secs(60), behind);
    assert!(watch.feeds[0].observer().health().ready);
    oldest.store(61, Ordering::Relaxed);
    assert!(state() == FeedPhase::Behind && !watch.feeds[0].observer().health().ready);
    let text = watch.feeds[0].observer().metrics();
    for line in [
        "source_lag{feed=\"admissions\",partition=\"3\"} 7.0",
        "source_oldest_seconds{feed=\"admissions\"} 61.0",
    ] {
        assert!(text.contains(&format!("tidegate_{line}\n")), "{text}");
    }
    oldest.store(0, Ordering::Relaxed);
    assert_eq!(state(), FeedPhase::Running);
}

#[test]
fn a_feed_halts() {
    let watch = Watch::new();
    let state = || watch.feeds[0].observer().health().feeds["admissions"];
    let error = Error::new(ErrorCategory::Io, "cannot write it: the disk is full")
        .in_file(Path::new("var/a"));
    let line =
        format!("error halted {FEED} kind=io error=\"var/a: cannot write it: the disk is full\"");
    watch.check(
        &Halted::because(&error),
        &line,
        &["halted 1.0", "halts_total 1"],
    );
    assert_eq!(state(), FeedPhase::Halted);
    watch.check(
        &ShuttingDown {},
        &format!("info  shutting_down {FEED}"),
        &[],
    );
    assert_eq!(state(), FeedPhase::Halted);
    let error = Error::new(ErrorCategory::Feed, "no schedule");
    let line = format!("error still_halted {FEED} kind=feed error=\"no schedule\"");
    watch.check(&StillHalted::because(&error), &line, &[]);
    watch.check(
        &Started { version: "0.1.0" },
        &format!("info  started {FEED} version=0.1.0"),
        &[],
    );
    assert_eq!(state(), FeedPhase::Halted, "it is tried again");
    watch.check(
        &Resumed { since: then() },
        &format!("info  resumed {FEED} since=2026-11-21T10:00:00Z"),
        &["halted 0.0"],
    );
    assert_eq!(state(), FeedPhase::Running);
}

#[test]
fn rows_come_in() {
    let watch = Watch::new();
    let rows = IntakeCounts {
        seen: 10,
        kept: 4,
        duplicate: 3,
        skipped: 2,
        quarantined: 1,
    };
    let seconds = Duration::from_micros(250_400);
    let taken = FileTaken {
        file: name("in/a b.csv"),
        seq: 3,
        rows,
        nulled: 5,
        new_rows: 44,
        seconds,
    };
    let line = "file=\"a b.csv\" seq=3 seen=10 kept=4 duplicate=3 skipped=2 quarantined=1 nulled=5 new_rows=44 \
                seconds=0.250";
    let moved = [
        "files_total 1",
        "log_entries 4.0",
        "new_rows 44.0",
        "null_cells_total 5",
        "rows_total{outcome=\"duplicate\"} 3",
        "rows_total{outcome=\"kept\"} 4",
        "rows_total{outcome=\"quarantined\"} 1",
        "rows_total{outcome=\"skipped\"} 2",
        "step_seconds_count{step=\"ingest\"} 1",
        "step_seconds_sum{step=\"ingest\"} 0.2504",
    ];
    watch.check(&taken, &format!("info  file_taken {FEED} {line}"), &moved);
    let left = FileLeftAlone {
        file: name("a.csv"),
        kind: "link",
    };
    watch.check(
        &left,
        &format!("warn  file_left_alone {FEED} file=a.csv kind=link"),
        &[],
    );
    let late = LateFile {
        file: name("a.csv"),
        after: name("b.csv"),
    };
    watch.check(
        &late,
        &format!("warn  late_file {FEED} file=a.csv after=b.csv"),
        &["late_files_total 1"],
    );
    let share = QuarantineShare {
        quarantined: 1,
        seen: 4,
        limit: 0.01,
        above: true,
    };
    let line = format!("warn  quarantine_share {FEED} quarantined=1 seen=4 limit=0.01 above=true");
    watch.check(&share, &line, &["quarantine_ratio 0.25"]);
    let none = NothingSetAside { seen: 4 };
    watch.check(
        &none,
        &format!("info  nothing_set_aside {FEED} seen=4"),
        &["quarantine_ratio 0.0"],
    );
}

#[test]
fn messages_of_a_topic_come_in() {
    let watch = Watch::new();
    let rows = IntakeCounts {
        seen: 10,
        kept: 4,
        duplicate: 3,
        skipped: 2,
        quarantined: 1,
    };
    let batch = BatchTaken {
        partitions: 3,
        seq: 6,
        rows,
        nulled: 0,
        new_rows: 4,
        seconds: Duration::from_millis(250),
    };
    let line = "partitions=3 seq=6 seen=10 kept=4 duplicate=3 skipped=2 quarantined=1 nulled=0 new_rows=4 seconds=0.250";
    let moved = [
        "batch_rows_count 1",
        "batch_rows_sum 10.0",
        "batches_total 1",
        "log_entries 7.0",
        "new_rows 4.0",
        "rows_total{outcome=\"duplicate\"} 3",
        "rows_total{outcome=\"kept\"} 4",
        "rows_total{outcome=\"quarantined\"} 1",
        "rows_total{outcome=\"skipped\"} 2",
        "step_seconds_count{step=\"ingest\"} 1",
        "step_seconds_sum{step=\"ingest\"} 0.25",
    ];
    watch.check(&batch, &format!("info  batch_taken {FEED} {line}"), &moved);
    let away = BrokersAway {
        why: Some(ErrorText::from(Complaint::of(
            "127.0.0.1:9092: connection refused",
        ))),
    };
    let line = format!("warn  brokers_away {FEED} why=\"127.0.0.1:9092: connection refused\"");
    watch.check(&away, &line, &["brokers_away 1.0"]);
    watch.check(
        &BrokersBack {},
        &format!("info  brokers_back {FEED}"),
        &["brokers_away 0.0"],
    );
    let away = RegistryAway {
        why: ErrorText::from(Complaint::of("connection refused")),
    };
    watch.check(
        &away,
        &format!("warn  registry_away {FEED} why=\"connection refused\""),
        &["registry_away 1.0"],
    );
    watch.check(
        &RegistryBack {},
        &format!("info  registry_back {FEED}"),
        &["registry_away 0.0"],
    );
    let begun = PartitionsBegun {
        partitions: 3,
        seq: 7,
    };
    watch.check(
        &begun,
        &format!("info  partitions_begun {FEED} partitions=3 seq=7"),
        &["log_entries 8.0"],
    );
}

#[test]
fn a_notification_is_received_or_is_not() {
    let watch = Watch::new();
    let sent = NotificationSent {
        receiver: Receiver::Topic,
        notice: Notice::Release,
    };
    let moved = [
        "notifications_total{receiver=\"topic\"} 1",
        "receiver_away{receiver=\"topic\"} 0.0",
    ];
    watch.check(
        &sent,
        &format!("info  notification_sent {FEED} receiver=topic notice=release"),
        &moved,
    );
    let why = || ErrorText::from(Complaint::of("it answers 503"));
    let away = ReceiverAway {
        receiver: Receiver::OperatorWebhook,
        why: why(),
    };
    let line =
        format!("warn  receiver_away {FEED} receiver=operator_webhook why=\"it answers 503\"");
    watch.check(
        &away,
        &line,
        &["receiver_away{receiver=\"operator_webhook\"} 1.0"],
    );
    let back = ReceiverBack {
        receiver: Receiver::OperatorWebhook,
    };
    let moved = ["receiver_away{receiver=\"operator_webhook\"} 0.0"];
    watch.check(
        &back,
        &format!("info  receiver_back {FEED} receiver=operator_webhook"),
        &moved,
    );
    let refused = NotificationRefused {
        receiver: Receiver::Webhook,
        notice: Notice::Halted,
        why: why(),
    };
    let line = "receiver=webhook notice=halted why=\"it answers 503\"";
    let moved = ["receiver_away{receiver=\"webhook\"} 0.0"];
    watch.check(
        &refused,
        &format!("warn  notification_refused {FEED} {line}"),
        &moved,
    );
}

#[test]
fn ticks_end_in_one_outcome_each() {
    let watch = Watch::new();
    let late = OverdueWarning {
        tick: 6,
        seconds_late: Duration::from_secs(90),
        missed: 2,
    };
    let line = format!("warn  overdue {FEED} tick=6 seconds_late=90.000 missed=2");
    watch.check(&late, &line, &["missed_ticks_total 2"]);
    let skipped = TickSkipped {
        tick: 6,
        new_rows: 3,
        min_records: 500,
    };
    let moved = [
        "last_tick_timestamp_seconds 1795255200.0",
        "new_rows 3.0",
        "ticks_total{outcome=\"skipped\"} 1",
    ];
    watch.check(
        &skipped,
        &format!("info  tick_skipped {FEED} tick=6 new_rows=3 min_records=500"),
        &moved,
    );
    let gathered = TickGathered {
        tick: 6,
        new_rows: 3,
        waiting_rows: 5,
        ticks_left: 2,
    };
    let moved = ["ticks_total{outcome=\"skipped\"} 2"];
    watch.check(
        &gathered,
        &format!("info  tick_gathered {FEED} tick=6 new_rows=3 waiting_rows=5 ticks_left=2"),
        &moved,
    );
    let standing = UnpublishedRows {
        waiting: 3,
        pending: 1,
    };
    let closed = TickClosed {
        tick: 7,
        seq: 8,
        added: 40,
        standing,
        seconds: Duration::from_millis(500),
    };
    let line = "tick=7 seq=8 added=40 waiting=3 pending=1 seconds=0.500";
    let moved = [
        "log_entries 9.0",
        "new_rows 0.0",
        "pending_rows 1.0",
        "step_seconds_count{step=\"closing\"} 1",
        "step_seconds_sum{step=\"closing\"} 0.5",
        "waiting_rows 3.0",
    ];
    watch.check(&closed, &format!("info  tick_closed {FEED} {line}"), &moved);
    let moved = ["ticks_total{outcome=\"waiting\"} 1"];
    watch.check(
        &TickWaiting { tick: 7 },
        &format!("info  tick_waiting {FEED} tick=7"),
        &moved,
    );
    let held = Held {
        tick: 8,
        why: Hold::TooFew,
        rows: 4,
    };
    let moved = ["ticks_total{outcome=\"held\"} 1"];
    watch.check(
        &held,
        &format!("info  held {FEED} tick=8 why=too_few rows=4"),
        &moved,
    );
}

#[test]
fn releases_leave_or_do_not() {
    let watch = Watch::new();
    let made = Checks::named(["crowd", "chain"]);
    let decided = Decided {
        tick: 7,
        release: 3,
        seq: 10,
        decision: Decision::Publish,
        made,
        against: Checks::default(),
        seconds: Duration::from_millis(2_000),
    };
    let line =
        "tick=7 release=3 seq=10 decision=publish made=crowd,chain against=\"\" seconds=2.000";
    let moved = [
        "decisions_total{outcome=\"publish\"} 1",
        "log_entries 11.0",
        "step_seconds_count{step=\"judging\"} 1",
        "step_seconds_sum{step=\"judging\"} 2.0",
    ];
    watch.check(&decided, &format!("info  decided {FEED} {line}"), &moved);
    let published = Published {
        release: 3,
        tick: 7,
        seq: 11,
        rows: 540,
        sums: Some(7),
        sums_left_out: Some(2),
        pending: 0,
        manifest: Sha256::from_bytes([0xab; 32]),
        approved: false,
        seconds_since_tick: Duration::from_secs(4),
        seconds: Duration::from_millis(125),
    };
    let line = format!(
        "release=3 tick=7 seq=11 rows=540 sums=7 sums_left_out=2 pending=0 manifest={} approved=false seconds_since_tick=4.000 seconds=0.125",
        "ab".repeat(32)
    );
    let moved = [
        "last_publication_timestamp_seconds 1795255200.0",
        "log_entries 12.0",
        "measure_sums 7.0",
        "measure_sums_left_out 2.0",
        "newest_release 3.0",
        "newest_release_rows 540.0",
        "pending_rows 0.0",
        "releases_total 1",
        "step_seconds_count{step=\"publishing\"} 1",
        "step_seconds_sum{step=\"publishing\"} 0.125",
        "tick_to_publication_seconds_count 1",
        "tick_to_publication_seconds_sum 4.0",
        "ticks_total{outcome=\"published\"} 1",
    ];
    watch.check(
        &published,
        &format!("info  published {FEED} {line}"),
        &moved,
    );
    // One that a person approved had its tick counted as held.
    watch.feeds[0].emit(&Published {
        approved: true,
        ..published
    });
    let metrics = watch.feeds[0].observer().metrics();
    assert!(
        metrics.contains("tidegate_ticks_total{feed=\"admissions\",outcome=\"published\"} 1\n"),
        "{metrics}"
    );
    assert!(
        metrics.contains("tidegate_releases_total{feed=\"admissions\"} 2\n"),
        "{metrics}"
    );
    watch.papers[0].take();
    let against = || Checks::named(["chain"]);
    let moved = ["ticks_total{outcome=\"rejected\"} 1"];
    let line = format!("warn  rejected {FEED} tick=8 against=chain");
    watch.check(
        &Rejected {
            tick: 8,
            against: against(),
        },
        &line,
        &moved,
    );
    let moved = ["ticks_total{outcome=\"stopped\"} 1"];
    let line = format!("error stopped {FEED} tick=9 against=chain");
    watch.check(
        &Stopped {
            tick: 9,
            against: against(),
        },
        &line,
        &moved,
    );
}

#[test]
fn columns_without_detail_are_named() {
    let watch = Watch::new();
    let column = |name: &str| Column {
        name: name.into(),
        source: Default::default(),
        role: Role::Sensitive,
        kind: ColumnKind::String,
        taxonomy: None,
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    };
    let columns = Columns::new(vec![column("age"), column("ward")]);
    let names = ["ward", "HIV positive", "age"].map(str::to_owned);
    let spelled = ColumnNames::declared(&columns, &names[..1]);
    let line = format!("warn  spelled_apart {FEED} columns=ward values=3 help=\"correct it\"");
    watch.check(
        &SpelledApart {
            columns: spelled,
            values: 3,
            help: "correct it",
        },
        &line,
        &[],
    );
    let columns = ColumnNames::declared(&columns, &names);
    let without_detail = WithoutDetail {
        tick: 7,
        release: 3,
        columns,
        help: "tidegate preview",
    };
    let line = "tick=7 release=3 columns=ward,age help=\"tidegate preview\"";
    watch.check(
        &without_detail,
        &format!("warn  without_detail {FEED} {line}"),
        &[],
    );
}

#[test]
fn people_ask_and_things_are_deleted() {
    let watch = Watch::new();
    let done = RequestDone {
        what: Request::NewChain,
        answer: Answer::Done,
        seq: Some(20),
    };
    let line = format!("info  request_done {FEED} what=new_chain answer=done seq=20");
    let moved = [
        "log_entries 21.0",
        "requests_total{kind=\"new_chain\",outcome=\"done\"} 1",
    ];
    watch.check(&done, &line, &moved);
    let refused = RequestDone {
        what: Request::Approve,
        answer: Answer::Refused,
        seq: None,
    };
    let line = format!("info  request_done {FEED} what=approve answer=refused");
    watch.check(
        &refused,
        &line,
        &["requests_total{kind=\"approve\",outcome=\"refused\"} 1"],
    );
    watch.check(
        &StrangeNotes { notes: 2 },
        &format!("warn  strange_notes {FEED} notes=2"),
        &[],
    );
    let erased = Erased {
        waiting: 2,
        published: 1,
        rows: 5,
        segments: 3,
    };
    let line = format!("info  erased {FEED} waiting=2 published=1 rows=5 segments=3");
    watch.check(&erased, &line, &["erased_people_total 3"]);
    let line = format!("info  forgotten {FEED} objects=5");
    watch.check(
        &Forgotten { objects: 5 },
        &line,
        &["forgotten_objects_total 5"],
    );
    watch.check(
        &Swept { objects: 6 },
        &format!("info  swept {FEED} objects=6"),
        &["swept_objects_total 6"],
    );
    let checkpoint = CheckpointWritten {
        seq: 20,
        bytes: 9_000,
        seconds: Duration::from_millis(3),
    };
    let line = format!("info  checkpoint_written {FEED} seq=20 bytes=9000 seconds=0.003");
    watch.check(&checkpoint, &line, &["checkpoints_total 1"]);
    let gone = Error::new(ErrorCategory::Input, "this published file is missing")
        .in_field("report/1.html");
    let line = format!(
        "warn  damaged {FEED} damaged=1 error=\"`report/1.html`: this published file is missing\""
    );
    watch.check(&Damaged::because(1, &gone), &line, &["damaged 1.0"]);
    let scrubbed = Scrubbed {
        rounds: 2,
        log_entries: 20,
        bytes: 9_000,
        damaged: 0,
        seconds: Duration::from_millis(3),
    };
    let line =
        format!("info  scrubbed {FEED} rounds=2 log_entries=20 bytes=9000 damaged=0 seconds=0.003");
    watch.check(
        &scrubbed,
        &line,
        &[
            "damaged 0.0",
            "last_scrub_timestamp_seconds 1795255200.0",
            "scrubs_total 2",
        ],
    );
}

#[test]
fn the_process_prints_the_addresses_of_its_pages() {
    let watch = Watch::new();
    let address: SocketAddr = "0.0.0.0:9464".parse().expect("an address");
    watch.check_process(
        &Listening {
            address,
            tokens: true,
        },
        "info  listening address=0.0.0.0:9464 tokens=true",
    );
}

#[test]
fn a_name_of_a_file_cannot_write_a_line() {
    let watch = Watch::new();
    let file = name("a\n2026-11-21T10:00:00.007Z info  published feed=b \u{1b}[31m.csv");
    watch.feeds.iter().for_each(|feed| {
        feed.emit(&LateFile {
            file: file.clone(),
            after: name("b"),
        })
    });
    for paper in &watch.papers {
        let text = paper.take();
        assert!(
            text.matches('\n').count() == 1 && !text.contains('\u{1b}'),
            "{text}"
        );
    }
}
