//! What keeps a receiver from being notified is reported once, and is over when it is over: nothing
//! is left out on the way.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::config::LogFormat;
use crate::engine::release::{Layout, Manifest, Sha256};
use crate::journal::store::{CreateOutcome, ListedObject, Memory, ReadStore};
use crate::journal::{CandidateFile, EntryBody, Fence, Published};
use crate::notify::receiver::{HandoverOutcome, NotificationReceiver};
use crate::observe::Observer;
use crate::observe::events::Receiver;

const SOON: Duration = Duration::from_secs(10);

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl io::Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A store some of whose next calls fail.
#[derive(Clone, Default)]
struct Frail {
    inner: Memory,
    reads: Arc<AtomicUsize>,
    replaces: Arc<AtomicUsize>,
}

fn fails(left: &AtomicUsize) -> Result<()> {
    let took = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
        left.checked_sub(1)
    });
    took.map_or(Ok(()), |_| {
        Err(Error::new(ErrorCategory::Io, "the disk is full"))
    })
}

impl ReadStore for Frail {
    fn place(&self) -> String {
        self.inner.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        fails(&self.reads)?;
        self.inner.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.inner.list(prefix)
    }
}

impl Store for Frail {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        self.inner.create(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.inner.delete(path)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        fails(&self.replaces)?;
        self.inner.replace(path, bytes)
    }
}

/// A receiver that gives these answers, and then accepts everything.
#[derive(Clone, Default)]
struct Ear {
    received: Arc<Mutex<Vec<String>>>,
    answers: Arc<Mutex<VecDeque<HandoverOutcome>>>,
}

impl NotificationReceiver for Ear {
    fn look(&self) -> Result<String> {
        Ok(String::new())
    }

    fn hand(&mut self, notification: &Notification, _: &dyn Fn() -> bool) -> HandoverOutcome {
        self.received
            .lock()
            .expect("no panic")
            .push(notification.key.clone());
        self.answers
            .lock()
            .expect("no panic")
            .pop_front()
            .unwrap_or(HandoverOutcome::Done)
    }
}

/// A log and one receiver.
struct Desk {
    private: Frail,
    public: Frail,
    ear: Ear,
    paper: Paper,
    observer: FeedObserver,
}

impl Desk {
    fn new() -> Desk {
        let text = "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
                    [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n";
        let feed = FeedConfig::parse(text, Path::new("feed.toml")).expect("a feed");
        let paper = Paper::default();
        let observer =
            Observer::new(LogFormat::Text, paper.clone(), jiff::Timestamp::now).expect("a thread");
        let observer = Arc::new(observer).feed(&feed);
        Desk {
            private: Frail::default(),
            public: Frail::default(),
            ear: Ear::default(),
            paper,
            observer,
        }
    }

    fn append(&self, seq: u64, body: EntryBody) {
        let entry = Entry {
            seq,
            epoch: 0,
            writer: "w".to_owned(),
            prev_sha256: None,
            body,
            signature: String::new(),
        };
        self.private
            .inner
            .replace(&Entry::path(seq), &entry.bytes())
            .expect("memory");
    }

    /// Follows from the first entry.
    fn begin(&self, audience: Audience) -> Notifier {
        let name = if audience == Audience::Public {
            Receiver::Webhook
        } else {
            Receiver::OperatorWebhook
        };
        marker::begin(&self.private.inner, name, 0).expect("memory");
        let listener = Listener {
            name,
            audience,
            hand: Box::new(self.ear.clone()),
        };
        let private: Arc<dyn Store> = Arc::new(self.private.clone());
        let public: Arc<dyn ReadStore> = Arc::new(self.public.clone());
        Notifier::over(vec![listener], "t", (&private, &public), 0, &self.observer)
            .expect("a thread")
    }

    fn received(&self) -> Vec<String> {
        self.ear.received.lock().expect("no panic").clone()
    }

    /// Waits until so many lines of this kind are written.
    #[track_caller]
    fn says(&self, word: &str, times: usize) {
        let begun = Instant::now();
        while self.said().matches(word).count() < times {
            assert!(begun.elapsed() < SOON, "{word}: {}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(
            self.said().matches(word).count(),
            times,
            "{word}: {}",
            self.said()
        );
    }

    fn said(&self) -> String {
        String::from_utf8(self.paper.0.lock().expect("no panic").clone()).expect("text")
    }

    /// Everything was notified, and no receiver is away.
    #[track_caller]
    fn done(&self, notifier: &Notifier, receiver: &str) {
        let all = |known: &Known| {
            known
                .notified
                .iter()
                .all(|&notified| notified >= known.entries)
        };
        assert!(notifier.shared.until(Some(SOON), all), "{}", self.said());
        let page = self.observer.observer().metrics();
        let away = format!("tidegate_receiver_away{{feed=\"t\",receiver=\"{receiver}\"}} 1");
        assert!(!page.contains(&away), "{page}");
    }
}

fn staged() -> CandidateFile {
    CandidateFile {
        stage: String::new(),
        path: String::new(),
        sha256: Sha256::of(b""),
        rows: None,
        span: None,
        bytes: None,
    }
}

fn hold(tick: u32) -> EntryBody {
    let decided = serde_json::json!({
        "outcome": "hold", "release": tick, "tick": tick, "time": "", "files": [], "manifest": staged(),
        "figures": {"release": tick, "rows": 3, "classes": 1, "smallest_class": 3, "loss": 0.0, "refinement": null},
        "verdict": {"path": "", "sha256": Sha256::of(b"")}, "rule": {"needed": 1, "approvers": []}
    });
    EntryBody::Decision(serde_json::from_value(decided).expect("a decision"))
}

fn fence() -> EntryBody {
    EntryBody::Fence(Fence {
        time: String::new(),
        program: String::new(),
    })
}

fn manifest(release: u32) -> Vec<u8> {
    let manifest = serde_json::json!({
        "schema": 2, "feed": "t", "chain": 1, "release": release, "time": "2026-11-21T10:00:00Z", "policy": {},
        "guarantee": "blind", "k": 2, "smallest_class": 2, "rows": 2, "classes": 1, "withheld": 0, "loss": 0.0,
        "discernibility": 1.0, "recoding": {"sex": ["*"]}, "files": [], "checks": [], "signed": false, "decision": null,
        "previous": null
    });
    serde_json::from_value::<Manifest>(manifest)
        .expect("a manifest")
        .bytes()
}

/// A release that is visible under a manifest that is there.
fn published(desk: &Desk, release: u32) -> EntryBody {
    let bytes = manifest(release);
    let path = Layout::Root.manifest(release);
    desk.public.inner.replace(&path, &bytes).expect("memory");
    desk.public
        .inner
        .replace("LATEST", path.as_bytes())
        .expect("memory");
    EntryBody::Published(Published {
        release,
        manifest: Sha256::of(&bytes),
        time: String::new(),
    })
}

/// A public receiver does not wait for ever for what an old release was.
#[test]
fn a_manifest_that_is_gone_or_was_changed_is_passed_over() {
    let desk = Desk::new();
    for (seq, release) in (0..).zip(1..=4) {
        desk.append(seq, published(&desk, release));
    }
    let path = |release| Layout::Root.manifest(release);
    desk.public.inner.delete(&path(1)).expect("memory");
    desk.public.inner.replace(&path(3), b"{}").expect("memory");
    let notifier = desk.begin(Audience::Public);
    notifier.entries(4);
    desk.done(&notifier, "webhook");
    assert_eq!(desk.received(), ["t/release/2", "t/release/4"]);
    desk.says(
        "notification_refused feed=t receiver=webhook notice=release why=",
        2,
    );
    desk.says("notification_sent", 2);
    desk.says("receiver_away", 0);
}

/// One that cannot be read just now is waited for.
#[test]
fn a_public_root_that_is_away_is_waited_for() {
    let desk = Desk::new();
    desk.append(0, published(&desk, 1));
    let notifier = desk.begin(Audience::Public);
    desk.public.reads.store(2, Ordering::SeqCst);
    notifier.entries(1);
    desk.done(&notifier, "webhook");
    assert_eq!(desk.received(), ["t/release/1"]);
    for (word, times) in [
        ("receiver_away", 1),
        ("receiver_back", 1),
        ("notification_sent", 1),
    ] {
        desk.says(word, times);
    }
}

/// So is one that is not mounted yet: nothing is refused for want of it.
#[test]
fn a_public_root_that_holds_nothing_is_waited_for() {
    let desk = Desk::new();
    desk.append(0, published(&desk, 1));
    let all = desk.public.inner.objects();
    all.keys()
        .for_each(|path| desk.public.inner.delete(path).expect("memory"));
    let notifier = desk.begin(Audience::Public);
    notifier.entries(1);
    desk.says(
        "receiver_away feed=t receiver=webhook why=\"the public root contains no releases",
        1,
    );
    for (path, bytes) in &all {
        desk.public.inner.replace(path, bytes).expect("memory");
    }
    desk.done(&notifier, "webhook");
    assert_eq!(desk.received(), ["t/release/1"]);
    desk.says("notification_refused", 0);
    desk.says("receiver_back", 1);
}

/// The position of a receiver cannot be stored: it is reported once, the receiver is notified once,
/// and nothing comes after it.
#[test]
fn a_position_that_cannot_be_stored_is_reported() {
    let desk = Desk::new();
    desk.append(0, hold(1));
    desk.append(1, hold(2));
    let notifier = desk.begin(Audience::Operator);
    desk.private.replaces.store(2, Ordering::SeqCst);
    notifier.entries(2);
    desk.says(
        "receiver_away feed=t receiver=operator_webhook why=\"the disk is full\"",
        1,
    );
    assert_eq!(
        (
            desk.received(),
            desk.said().matches("notification_sent").count()
        ),
        (vec!["t/approval/1".to_owned()], 0)
    );
    desk.done(&notifier, "operator_webhook");
    assert_eq!(desk.received(), ["t/approval/1", "t/approval/2"]);
    for (word, times) in [
        ("receiver_away", 1),
        ("receiver_back", 1),
        ("notification_sent", 2),
    ] {
        desk.says(word, times);
    }
    let place = desk
        .private
        .inner
        .read("told/operator_webhook.json")
        .expect("memory")
        .expect("it is there");
    assert_eq!(place, br#"{"entries":2}"#);
}

/// An entry of the log that is said to be there and is not, or is none, is not passed over.
#[test]
fn a_log_that_is_not_there_is_waited_for() {
    for wrong in [None, Some(&b"{}"[..])] {
        let desk = Desk::new();
        if let Some(wrong) = wrong {
            desk.private
                .inner
                .replace(&Entry::path(0), wrong)
                .expect("memory");
        }
        desk.append(1, hold(2));
        let notifier = desk.begin(Audience::Operator);
        notifier.entries(2);
        desk.says("receiver_away feed=t receiver=operator_webhook why=", 1);
        assert_eq!(desk.received(), [""; 0]);
        desk.append(0, hold(1));
        desk.done(&notifier, "operator_webhook");
        assert_eq!(desk.received(), ["t/approval/1", "t/approval/2"]);
        for (word, times) in [
            ("receiver_away", 1),
            ("receiver_back", 1),
            ("notification_sent", 2),
        ] {
            desk.says(word, times);
        }
    }
}

/// An entry that concerns no receiver says as well that none is away any more.
#[test]
fn a_feed_is_followed_again_after_an_entry_that_is_read() {
    let desk = Desk::new();
    desk.append(0, fence());
    let notifier = desk.begin(Audience::Operator);
    desk.private.reads.store(2, Ordering::SeqCst);
    notifier.entries(1);
    desk.done(&notifier, "operator_webhook");
    desk.says("receiver_away", 1);
    desk.says("receiver_back", 1);
}

/// A receiver that answers, whatever it answers, is not away.
#[test]
fn a_receiver_that_refuses_is_back() {
    let desk = Desk::new();
    desk.append(0, hold(1));
    let why = || Complaint::of("it answers 503");
    desk.ear.answers.lock().expect("no panic").extend([
        HandoverOutcome::Away(why()),
        HandoverOutcome::Refused(why()),
    ]);
    let notifier = desk.begin(Audience::Operator);
    notifier.entries(1);
    desk.done(&notifier, "operator_webhook");
    for (word, times) in [
        ("receiver_away", 1),
        ("receiver_back", 1),
        ("notification_refused", 1),
    ] {
        desk.says(word, times);
    }
}
