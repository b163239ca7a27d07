//! A checkpoint of a large state consists of several objects: it is valid only as a whole, and is
//! removed as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::{
    FeedWriter, Hash, ReplayedLog, Request, RequestKind, past, past_quickly,
};
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::{ListedObject, Memory, Packs, ReadStore, Store};
use tidegate::daemon::verify;
use tidegate::engine::histogram::Person;
use tidegate::engine::release::Layout;

use super::draw::{CROWDS, POLICIES};
use super::feed::{Human, feed, key, open, packed, step, taken, time};

/// Enough people that their state needs more than two objects.
const PEOPLE: u128 = 2_000;

fn people(tick: usize) -> Vec<Human> {
    let one = |person: u128| {
        let id = (tick as u128 * PEOPLE + person)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        (
            id,
            (person % 2) as u32,
            (person % 40) as u32,
            (person % 4) as u8,
        )
    };
    (0..PEOPLE).map(one).collect()
}

/// Ticks until a checkpoint is written.
fn until_checkpoint(writer: &mut FeedWriter) {
    loop {
        let tick = writer.state().files.len();
        step(
            writer,
            tick,
            if tick < 2 { people(tick) } else { Vec::new() }.as_slice(),
        )
        .expect("a tick");
        if writer.checkpoint().expect("a checkpoint").is_some() {
            return;
        }
    }
}

fn paths(private: &Memory, folder: &str) -> BTreeSet<String> {
    packed(private)
        .list(folder)
        .expect("a listing")
        .into_iter()
        .map(|listed| listed.path)
        .collect()
}

fn read(private: &Memory, public: &Memory) -> ReplayedLog {
    let store = packed(private);
    let ring = KeyRing::open(&store, &key()).expect("keys").expect("keys");
    past_quickly(&store, public, &ring).expect("a log")
}

#[test]
fn a_checkpoint_in_pieces_counts_only_as_a_whole() {
    for policy in [POLICIES[0], POLICIES[1], CROWDS] {
        let (private, public) = (Memory::default(), Memory::default());
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            3,
            false,
        )
        .expect("a feed");
        until_checkpoint(&mut writer);
        let objects = paths(&private, "checkpoint");
        assert!(objects.len() > 3, "{policy}: {objects:?}");
        let whole = read(&private, &public);
        assert!(whole.checkpoint.is_some(), "{policy}: it is read");
        let state = whole.state.expect("a chain").sha256();
        assert_eq!(state, writer.state().sha256(), "{policy}");
        // None of them contains the state twice.
        let sizes: BTreeMap<&str, usize> = objects
            .iter()
            .map(|path| (path.as_str(), private.objects()[path].len()))
            .collect();
        let all: usize = sizes.values().sum();
        assert!(
            all < writer.state().bytes().len() + 1_000 * objects.len(),
            "{policy}: {sizes:?}"
        );
        for path in &objects {
            let key = format!("keys/{}.wrap", path.split_once('/').expect("a folder").1);
            for lost in [path, &key] {
                let mut objects = private.objects();
                assert!(objects.remove(lost).is_some(), "{policy}: {lost}");
                let without = read(&Memory::with(objects), &public);
                assert_eq!(without.checkpoint, None, "{policy}: without {lost}");
                assert_eq!(
                    without.state.expect("a chain").sha256(),
                    state,
                    "{policy}: without {lost}"
                );
                let mut objects = private.objects();
                let bytes = objects.get_mut(lost).expect("an object");
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                let changed = read(&Memory::with(objects), &public);
                assert_eq!(changed.checkpoint, None, "{policy}: {lost} was changed");
                assert_eq!(
                    changed.state.expect("a chain").sha256(),
                    state,
                    "{policy}: {lost} was changed"
                );
            }
        }
    }
}

/// The next one replaces it, with its pieces and keys, and removes what a writer has left that died
/// before its last piece.
#[test]
fn nothing_is_left_of_older_checkpoints() {
    let (private, public) = (Memory::default(), Memory::default());
    let begun = |seed: u64| {
        let stores: [Arc<dyn Store>; 2] = [Arc::new(private.clone()), Arc::new(public.clone())];
        let [private, public] = stores;
        open(&feed(POLICIES[0]), private, public, seed, false).expect("a feed")
    };
    let mut writer = begun(3);
    until_checkpoint(&mut writer);
    let first = paths(&private, "checkpoint");
    // The last one written names the others.
    let head = first
        .iter()
        .find(|path| !path.contains('-'))
        .expect("a checkpoint");
    private.delete(head).expect("memory");
    let mut writer = begun(4);
    let left = paths(&private, "checkpoint");
    assert!(
        left.is_subset(&first) && left.iter().all(|path| path.contains('-')),
        "{left:?}"
    );
    assert_eq!(read(&private, &public).checkpoint, None);
    until_checkpoint(&mut writer);
    let second = paths(&private, "checkpoint");
    assert!(second.is_disjoint(&first), "{second:?}");
    let keys = paths(&private, "keys");
    let key = |path: &String| format!("keys/{}.wrap", path.split_once('/').expect("a folder").1);
    assert!(second.iter().all(|path| keys.contains(&key(path))));
    assert!(
        first.iter().all(|path| !keys.contains(&key(path))),
        "keys of pieces are left"
    );
    let store = packed(&private);
    let ring = KeyRing::open(&store, &super::feed::key())
        .expect("keys")
        .expect("keys");
    let whole = past(&store, &public, &ring)
        .expect("a log")
        .state
        .expect("a chain");
    assert_eq!(
        read(&private, &public).state.expect("a chain").sha256(),
        whole.sha256()
    );
}

/// Rows since the last tick are read from their segments: a checkpoint is written all the same, and
/// erasing some of them causes no replay.
#[test]
fn a_checkpoint_is_written_while_rows_wait_for_their_tick() {
    for policy in POLICIES.into_iter().chain([CROWDS]) {
        let (private, public) = (Memory::default(), Memory::default());
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            3,
            false,
        )
        .expect("a feed");
        let tick = |writer: &mut FeedWriter, at: usize| {
            step(writer, at, &people(at)[..60]).expect("a tick")
        };
        (0..4).for_each(|at| tick(&mut writer, at));
        // A tick of a chain of crowds may end and leave its rows to the next one.
        let (before, newcomers) = (writer.state().feed.new_rows(), people(4));
        let mut seq = None;
        for (at, one) in newcomers.iter().take(40).enumerate() {
            writer
                .take(taken(&format!("new-{at:03}.csv"), &[*one]), &time(4))
                .expect("rows");
            seq = seq.or(writer.checkpoint().expect("a checkpoint"));
        }
        assert_eq!(
            (seq.is_some(), writer.state().feed.new_rows()),
            (true, before + 40),
            "{policy}"
        );
        let same = |writer: &FeedWriter, why: &str| {
            let quick = read(&private, &public);
            assert!(quick.checkpoint.is_some(), "{policy}: {why}");
            let store = packed(&private);
            let ring = KeyRing::open(&store, &key()).expect("keys").expect("keys");
            let whole = past(&store, &public, &ring)
                .expect("a log")
                .state
                .expect("a chain")
                .sha256();
            assert_eq!(writer.state().sha256(), whole, "{policy}: {why}");
            assert_eq!(
                quick.state.expect("a chain").sha256(),
                whole,
                "{policy}: {why}"
            );
            quick.read
        };
        same(&writer, "a checkpoint");
        let gone = vec![Hash(Person(newcomers[3].0)), Hash(Person(newcomers[39].0))];
        let mut chance = Seeded::new(9);
        let ask = RequestKind::Erase {
            people: gone,
            rows: false,
        };
        let request = Request::new(
            ask,
            "me".to_owned(),
            time(4),
            None,
            writer.log().place(),
            &mut chance,
        )
        .expect("a request");
        let answer = writer
            .carry_out(&request, &|| Ok(feed(policy)), &time(4))
            .expect("an answer");
        assert_eq!(
            (answer.done, answer.changed),
            (true, Some(2)),
            "{policy}: {}",
            answer.text
        );
        assert_eq!(
            same(&writer, "an erasure"),
            0,
            "{policy}: entries are read again behind an erasure"
        );
        assert_eq!(writer.state().feed.new_rows(), before + 38, "{policy}");
        drop(writer);
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            4,
            false,
        )
        .expect("a feed");
        writer.close(&time(5)).expect("a tick");
        same(&writer, "a tick behind a restart");
        assert_eq!(writer.state().feed.people().len(), 278, "{policy}");
    }
}

/// A private root whose writer reads a row whenever checkpoints are looked for.
struct WriterAtWork {
    root: Packs,
    writer: Mutex<(FeedWriter, usize)>,
}

impl ReadStore for WriterAtWork {
    fn place(&self) -> String {
        self.root.place()
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.root.read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        if prefix == "checkpoint" {
            let (writer, rows) = &mut *self.writer.lock().expect("no panic");
            *rows += 1;
            writer
                .take(
                    taken(&format!("new-{rows}.csv"), &people(4)[*rows..=*rows]),
                    &time(4),
                )
                .expect("a row");
        }
        self.root.list(prefix)
    }
}

/// A checkpoint is compared with the log as far as that was read, whatever is appended meanwhile.
#[test]
fn a_writer_at_work_makes_no_checkpoint_wrong() {
    for policy in [POLICIES[0], CROWDS] {
        let (private, public) = (Memory::default(), Memory::default());
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            3,
            false,
        )
        .expect("a feed");
        until_checkpoint(&mut writer);
        let root = packed(&private);
        let ring = KeyRing::open(&root, &key()).expect("keys").expect("keys");
        let store = WriterAtWork {
            root,
            writer: Mutex::new((writer, 0)),
        };
        let (seen, found) =
            verify::roots(&store, &ring, &public, Layout::Root, &[]).expect("memory");
        assert!(
            store.writer.lock().expect("no panic").1 > 1,
            "{policy}: entries were appended meanwhile"
        );
        let findings = found.with_public(seen);
        assert!(findings.is_empty(), "{policy}: {findings:?}");
    }
}
