//! `tidegate demo`: the whole product in one command. A broker inside the program, a fictitious
//! hospital, the real daemon over it with a release every few seconds, and beside each release what
//! publishing every snapshot on its own would have revealed. All files are in one folder, which the
//! other commands can use afterwards.

mod broker;
mod hospital;
mod lines;
mod separate_releases;
mod story;
mod view;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::process::{runtime, safely, signals};
use super::{CommandResult, Exit, Out};
use crate::daemon::chance;
use crate::daemon::config::{FeedConfig, LogFormat};
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::daemon::observe::Observer;
use crate::daemon::service::{PageOptions, RunEnd, RunOptions, run as run_feeds};
use crate::daemon::sign::Signing;
use crate::engine::model::Kind as ColumnKind;
use broker::Broker;
use lines::Tee;
use separate_releases::Snapshots;
use story::{LAST_DAY, Story};
use view::DemoView;

/// Show the whole product: an invented hospital, a broker inside the program, a release every three
/// seconds
#[derive(clap::Args)]
#[command(after_help = "\
Nothing needs to be installed. An invented hospital writes its days to a topic; the daemon anonymises, attacks and \
publishes them. The demo ends after about 35 seconds, after --seconds, or with ctrl-C; the folder is complete whenever it \
ends, and `show`, `verify` and `audit --dir` work on it.

Exit code 0: done. 2: an error.")]
pub struct Args {
    /// The folder for all files, which must not exist yet or be empty
    #[arg(long, value_name = "DIR", default_value = "tidegate-demo")]
    dir: PathBuf,
    /// The duration of the demo
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
}

/// Files of the demo that are the same each time.
const FILES: [(&str, &str); 6] = [
    ("ward.csv", include_str!("sample/ward.csv")),
    ("zips.csv", include_str!("sample/zips.csv")),
    ("alone/ward.csv", include_str!("sample/ward.csv")),
    ("alone/zips.csv", include_str!("sample/zips.csv")),
    ("one-list/ward.csv", include_str!("sample/ward.csv")),
    ("one-list/zips.csv", include_str!("sample/zips.csv")),
];
const FEED: &str = include_str!("sample/feed.toml");
/// The seed of the people of the demo.
const SEED: u64 = 20;

/// Runs the command.
///
/// # Errors
/// The folder is not empty or cannot be written, or the feed has halted.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if out.json() {
        let text = "the demo has no JSON: run `tidegate show --json` and `tidegate audit --json` on its folder afterwards";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_field("--json")
            .into());
    }
    safely();
    let broker = Broker::start()?;
    let feed = written(&args.dir, &broker.port())?;
    let log = args.dir.join("log.jsonl");
    let file = File::create(&log).map_err(|error| Error::io(&log, "write the log", &error))?;
    let (to, events) = channel();
    let observer = Arc::new(Observer::new(
        LogFormat::Json,
        Tee::new(file, to),
        jiff::Timestamp::now,
    )?);
    let mut view = DemoView::new(&args.dir, out);
    view.begins();
    let mut play = Play {
        broker,
        story: Story::new(SEED),
        snapshots: Snapshots::new(&args.dir)?,
        fresh: Vec::new(),
        feed: FeedConfig::load(&feed)?,
        sent: None,
        days: 0,
        last: args.seconds.is_none().then_some(LAST_DAY),
        is_over: false,
    };
    play.day(&mut view)?;
    let runtime = runtime()?;
    let (sender, receiver) = runtime.block_on(async { signals() })?;
    let how = RunOptions {
        until: RunEnd::Asked,
        accept_clock: true,
        exit_on_halt: true,
    };
    let running = runtime.spawn(run_feeds(
        vec![FeedConfig::load(&feed)?],
        how,
        PageOptions::default(),
        observer,
        receiver,
    ));
    let until = args
        .seconds
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let played = play.all(&events, &mut view, until, &|| running.is_finished());
    // It may have ended by itself.
    let _ = sender.send(true);
    let ended = runtime.block_on(running);
    runtime.shutdown_background();
    played?;
    if let Ok(Err(errors)) = ended {
        return Err(super::answer::Failure::of(errors).expect("a feed that halts says why"));
    }
    view.ends();
    Ok(Exit::Done)
}

/// The running demo.
struct Play {
    broker: Broker,
    story: Story,
    snapshots: Snapshots,
    /// The people since the last snapshot.
    fresh: Vec<hospital::Admission>,
    feed: FeedConfig,
    /// The messages of a day whose tick has not been seen.
    sent: Option<SentDay>,
    days: u64,
    /// The last day.
    last: Option<u64>,
    /// Whether it has ended.
    is_over: bool,
}

/// The messages of a day that the daemon has not taken yet.
struct SentDay {
    left: u64,
}

impl SentDay {
    /// A batch of messages was taken.
    fn take(&mut self, batch: &Value) {
        for outcome in ["kept", "duplicate", "skipped", "quarantined"] {
            self.left = self
                .left
                .saturating_sub(batch[outcome].as_u64().unwrap_or_default());
        }
    }

    fn is_taken(&self) -> bool {
        self.left == 0
    }
}

impl Play {
    /// Runs until the story or the time has ended, or the feed ends.
    fn all(
        &mut self,
        events: &Receiver<Value>,
        view: &mut DemoView<'_>,
        until: Option<Instant>,
        ended: &dyn Fn() -> bool,
    ) -> error::Result<()> {
        loop {
            match events.recv_timeout(Duration::from_millis(100)) {
                Ok(event) => self.happened(&event, view)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            let over = until.map_or(self.is_over, |until| Instant::now() >= until);
            if over || ended() {
                return Ok(());
            }
        }
    }

    /// The next day of the hospital.
    fn day(&mut self, view: &mut DemoView<'_>) -> error::Result<()> {
        let day = self.story.next();
        self.days += 1;
        view.day(self.days, &day);
        self.sent = Some(SentDay {
            left: day.messages.len() as u64,
        });
        self.broker.send(&day.messages)?;
        self.fresh.extend(day.new);
        day.gone.iter().try_for_each(|patient| {
            view.erased(&ask_erasure(&self.feed, patient)?);
            Ok(())
        })
    }

    /// The daemon has written a log line.
    fn happened(&mut self, event: &Value, view: &mut DemoView<'_>) -> error::Result<()> {
        let name = event["event"].as_str().unwrap_or_default();
        view.show_event(name, event);
        if let ("batch_taken", Some(sent)) = (name, &mut self.sent) {
            sent.take(event);
        }
        // A tick may close between two batches of a day, or before the first one: the day is not
        // over then.
        let is_whole = self.sent.as_ref().is_none_or(SentDay::is_taken);
        match name {
            "published" => {
                let fresh = if is_whole {
                    std::mem::take(&mut self.fresh)
                } else {
                    Vec::new()
                };
                let beside = self.snapshots.add(&fresh)?;
                // On a slow machine a release may be removed while it is read.
                let ours = separate_releases::left(&view.audit())
                    .or_else(|_| separate_releases::left(&view.audit()))?;
                view.published(event, ours, &beside)?;
            }
            "tick_waiting" | "tick_gathered" | "held" if self.sent.is_some() => view.nothing(),
            "rejected" => view.rejected(event),
            _ => return Ok(()),
        }
        if !is_whole || self.sent.take().is_none() {
            return Ok(());
        }
        self.is_over = self.last == Some(self.days);
        if self.is_over { Ok(()) } else { self.day(view) }
    }
}

/// A person would run `tidegate erase --rows`.
fn ask_erasure(feed: &FeedConfig, patient: &str) -> error::Result<String> {
    use crate::daemon::feed_writer::{Hash, RequestKind};
    use crate::daemon::ingest::PersonHasher;
    let by = crate::daemon::service::Requester::with_reason("consent was taken back");
    let asking = |known: &crate::daemon::service::FeedFacts<'_>| {
        let person = PersonHasher::new(&known.ring.people()).read(&[(patient, ColumnKind::String)]);
        let people = vec![Hash(person.expect("a patient of the demo has a number"))];
        Ok(RequestKind::Erase { people, rows: true })
    };
    Ok(crate::daemon::service::ask(feed, &asking, &by, false)?.text)
}

/// Writes feed files, taxonomies and keys; returns the path of the feed file.
fn written(dir: &Path, port: &str) -> error::Result<PathBuf> {
    if dir
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
    {
        let text = "the folder is not empty: remove it, or name another one with --dir";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(dir)
            .in_field("--dir"));
    }
    let write = |name: &str, content: &str| {
        let path = dir.join(name);
        let written = std::fs::create_dir_all(path.parent().unwrap_or(dir))
            .and_then(|()| std::fs::write(&path, content));
        written
            .map(|()| path.clone())
            .map_err(|error| Error::io(&path, "write the file", &error))
    };
    for (name, content) in FILES {
        write(name, content)?;
    }
    let feed = FEED.replace("{port}", port);
    let (head, columns) = feed
        .split_once("[[column]]")
        .expect("the feed file has columns");
    let unguarded: Vec<&str> = columns
        .lines()
        .filter(|line| !line.starts_with("guarded"))
        .collect();
    let alone = format!(
        "# Every snapshot on its own: all rows in each table, and nothing known of those before.\n\n\
         [feed]\nname = \"alone\"\n\n[policy]\nk = 10\nguarantee = \"bcf\"\n\n[[column]]{}\n",
        unguarded.join("\n")
    );
    write("alone/feed.toml", &alone)?;
    let one_list = format!(
        "# The same people in a chain with one list of labels for all rows.\n\n[feed]\nname = \"one-list\"\n\n[policy]\nk = 10\nm = 2\n\
         search = \"top-down\"\n\n[[column]]{columns}"
    );
    write("one-list/feed.toml", &one_list)?;
    let (key, signing) = (chance::key()?, chance::key()?);
    write("key", &key)?;
    write("signing.key", &signing)?;
    write(
        "signing.pub",
        &Signing::parse(&signing)
            .expect("a key was drawn")
            .public()
            .text(),
    )?;
    write("feed.toml", &format!("{head}[[column]]{columns}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_over_when_all_its_messages_are_taken() {
        let mut day = SentDay { left: 40 };
        assert!(
            !day.is_taken(),
            "a tick that closes before the first batch is not the tick of the day"
        );
        day.take(
            &serde_json::json!({ "kept": 20, "duplicate": 3, "skipped": 0, "quarantined": 1 }),
        );
        assert!(!day.is_taken());
        day.take(
            &serde_json::json!({ "kept": 14, "duplicate": 0, "skipped": 1, "quarantined": 1 }),
        );
        assert!(day.is_taken());
    }
}
