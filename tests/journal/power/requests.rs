//! A feed with requests: between its ticks people are erased, a release is withdrawn, a chain
//! begins under another policy, the operator's key is changed, and checkpoints are written. Steps
//! that a previous writer has completed are not repeated.

use std::collections::BTreeSet;
use std::sync::Arc;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::{
    FeedSettings, FeedState, FeedWriter, Hash, Request, RequestKind, past_quickly,
};
use tidegate::daemon::journal::store::{Memory, Packs, ReadStore, Store};
use tidegate::daemon::journal::{KeyRing, RequestOrigin, read};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::sign::Signing;
use tidegate::daemon::verify;
use tidegate::engine::histogram::Person;
use tidegate::engine::release::Layout;

use super::draw::{CROWDS, POLICIES, TWO_TABLES};
use super::feed::{feed, key, open_set, settings, time};
use super::writer::Script;

/// The policy of the first chain, and that of the one which begins after it.
pub const ASKED: [[&str; 2]; 3] = [
    [CROWDS, POLICIES[0]],
    [POLICIES[3], CROWDS],
    [TWO_TABLES, CROWDS],
];
/// Ticks that contain all requests.
pub const TICKS: usize = 8;

/// Ticks that manifests and rows stay for.
const STAYS: usize = 2;
/// After these ticks there is a request.
const ERASES: usize = 1;
const ERASES_ROWS: usize = 3;
const WITHDRAWS: usize = 4;
const BEGINS_A_CHAIN: usize = 5;
const CHANGES_THE_KEY: usize = 6;

/// The operator's key of a feed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    First,
    New,
}

impl Key {
    fn operator(self) -> OperatorKey {
        match self {
            Key::First => key(),
            Key::New => OperatorKey::parse(&"b".repeat(64)).expect("a key"),
        }
    }
}

/// The key that opens a feed, and its keys; None before it has begun.
pub fn opened(private: &dyn ReadStore) -> Result<Option<(Key, KeyRing)>> {
    let open = |key: Key| Ok(KeyRing::open(private, &key.operator())?.map(|ring| (key, ring)));
    open(Key::First).or_else(|_| open(Key::New))
}

/// The state that the log gives; None before the feed has begun.
fn state(private: &dyn Store, public: &dyn Store) -> Result<Option<FeedState>> {
    let Some((_, ring)) = opened(private)? else {
        return Ok(None);
    };
    Ok(past_quickly(private, public, &ring)?.state)
}

/// Opens it with its present key and policy.
///
/// # Errors
/// As the feed.
pub fn open(
    script: &Script,
    private: &Arc<dyn Store>,
    public: &Arc<dyn Store>,
    chance: u64,
) -> Result<FeedWriter> {
    let whole = Packs::over(Arc::clone(private));
    let key = opened(&whole)?
        .map_or(Key::First, |(key, _)| key)
        .operator();
    let chain = state(&whole, &**public)?.map_or(1, |state| state.feed.chain());
    let policy = ASKED[script.policy][usize::from(chain > 1)];
    // Published rows can be removed only if labels are kept.
    let stays = (policy == CROWDS).then_some(60 * STAYS as u64);
    let settings = FeedSettings {
        keep: stays,
        retain: stays,
        ..settings(false)
    };
    open_set(
        &key,
        &feed(policy),
        Arc::clone(private),
        Arc::clone(public),
        chance,
        settings,
    )
}

/// The number of a request in a script is its name.
fn name(number: usize) -> String {
    format!("{number:032x}")
}

/// The steps after a tick.
///
/// # Errors
/// As the feed.
pub fn between(
    mut writer: FeedWriter,
    tick: usize,
    script: &Script,
    open: &dyn Fn() -> Result<FeedWriter>,
) -> Result<FeedWriter> {
    let person = |tick: usize, at: usize| script.people()[tick][at].0;
    let erase = |person: u128, rows: bool| RequestKind::Erase {
        people: vec![Hash(Person(person))],
        rows,
    };
    let keeps_labels = script.policy() == CROWDS;
    let newest = writer.state().releases.last().map(|line| line.release);
    let ask = match tick {
        ERASES => Some(erase(person(1, 2), false)),
        ERASES_ROWS => Some(erase(person(0, 0), keeps_labels)),
        WITHDRAWS => newest.map(|release| RequestKind::Withdraw {
            release,
            republish: keeps_labels,
        }),
        BEGINS_A_CHAIN => Some(RequestKind::NewChain),
        _ => None,
    };
    if let Some(ask) = ask {
        asks(&mut writer, tick, ask, script)?;
    }
    if tick == CHANGES_THE_KEY
        && opened(writer.log().store())?.is_some_and(|(now, _)| now == Key::First)
    {
        let wanted = RequestOrigin {
            request: name(tick),
            who: "me".to_owned(),
            when: time(0),
            why: None,
            signed: None,
        };
        writer.rekey(&Key::New.operator(), wanted)?;
        writer = open()?;
    }
    writer.clean(&time(tick))?;
    writer.forget(time(tick).parse().expect("a time"))?;
    writer.checkpoint()?;
    Ok(writer)
}

/// A request is written into the inbox, and answered.
fn asks(writer: &mut FeedWriter, tick: usize, ask: RequestKind, script: &Script) -> Result<()> {
    let after = || Ok(feed(ASKED[script.policy][1]));
    // The request before a writer ended.
    writer.inbox(&after, &time(tick))?;
    let (who, when) = ("me".to_owned(), time(tick));
    let request = Request::new(
        ask,
        who,
        when,
        None,
        writer.log().place(),
        &mut Seeded::new(tick as u64),
    )?;
    if !writer
        .state()
        .requests
        .contains_key(&request.wanted.request)
    {
        request.put(
            writer.log().store(),
            writer.log().ring(),
            &mut Seeded::new(tick as u64 + 100),
        )?;
        writer.inbox(&after, &time(tick))?;
    }
    request.read(writer.log().store())
}

/// Checks what must hold in the end.
pub fn is_whole(
    writer: &FeedWriter,
    private: &dyn Store,
    public: &dyn Store,
) -> std::result::Result<(), String> {
    let text = |error: tidegate::daemon::error::Error| error.to_string();
    let state = writer.state();
    if state.feed.chain() < 2 {
        return Err("no chain has begun".to_owned());
    }
    let left = private.list("inbox").map_err(text)?;
    if let Some(note) = left.first() {
        return Err(format!(
            "{} has no answer, or one that was not read",
            note.path
        ));
    }
    let (now, ring) = opened(private).map_err(text)?.ok_or("no keys")?;
    if now != Key::New || KeyRing::open(private, &key()).is_ok() {
        return Err("the key was not changed".to_owned());
    }
    let signing = Signing::parse(&"1".repeat(64)).expect("a key");
    let (seen, found) =
        verify::roots(private, &ring, public, Layout::Root, &[signing.public()]).map_err(text)?;
    match found.with_public(seen).first() {
        Some(finding) => Err(format!("{}: {}", finding.file, finding.text)),
        None => Ok(()),
    }
}

/// These scripts contain every kind of request, and every entry that follows from one.
#[test]
fn all_is_asked() {
    let (mut kinds, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for policy in 0..ASKED.len() {
        let script = Script {
            policy,
            seed: 1,
            ticks: TICKS,
            asked: true,
        };
        let (private, public): (Arc<dyn Store>, Arc<dyn Store>) =
            (Arc::<Memory>::default(), Arc::<Memory>::default());
        let writer = script.run(&private, &public, 1).expect("a script");
        let whole = Packs::over(private);
        is_whole(&writer, &whole, &*public)
            .unwrap_or_else(|wrong| panic!("{}: {wrong}", script.policy()));
        let entries = read(&whole, writer.log().ring(), 0, None).expect("a log");
        kinds.extend(entries.iter().map(|entry| entry.entry.body.kind()));
        let listed = [whole.list(""), public.list("")].map(|listed| listed.expect("memory"));
        paths.extend(listed.into_iter().flatten().map(|listed| listed.path));
    }
    let meant = [
        "Chain",
        "Coins",
        "Erase",
        "Withdraw",
        "Retire",
        "Expire",
        "Cleaned",
        "Forgotten",
        "Rekey",
    ];
    for kind in meant {
        assert!(
            kinds.contains(kind),
            "no entry is of the kind {kind}: {kinds:?}"
        );
    }
    for folder in ["checkpoint/", "_delta_log/"] {
        assert!(
            paths.iter().any(|path| path.contains(folder)),
            "no object lies in {folder}: {paths:?}"
        );
    }
}
