//! The operator's key is changed by a writer that dies at every single write, before it or after
//! it: at every moment one of the two keys opens everything and the other one nothing, and running
//! the command again completes the change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::{FeedWriter, Hash, Request, RequestKind, past, past_quickly};
use tidegate::daemon::journal::store::{Memory, Store, log};
use tidegate::daemon::journal::{
    CheckedEntry, Entry, EntryBody, FOLDERS, KeyRing, ObjectReader, RequestOrigin, Withdraw,
    WrappedKey, split_generation,
};
use tidegate::daemon::seal::{OperatorKey, SealingKey};
use tidegate::daemon::verify;
use tidegate::engine::histogram::Person;
use tidegate::engine::release::Layout;

use super::crash::Dying;
use super::draw::{CROWDS, Draw, POLICIES};
use super::feed::{
    Human, crowd, feed, key, open, open_set, packed, settings, step, taken, time, unpacked,
};

const POLICY: &str = POLICIES[1];
/// Ticks before the key is changed.
const BEFORE: usize = 10;
/// A person who is erased between two attempts.
const ERASED: u128 = 0x00de_adbe_efde_adbe_efde_adbe_efde_adbe;

fn new_key() -> OperatorKey {
    OperatorKey::parse(&"b".repeat(64)).expect("a key")
}

/// A feed after some ticks, with a checkpoint among its objects, and a person who waits.
fn begun(policy: &str) -> (Memory, Memory, Vec<Vec<Human>>) {
    let (private, public) = (Memory::default(), Memory::default());
    let (mut draw, mut known) = (Draw(7), 0);
    let ticks: Vec<Vec<Human>> = (0..BEFORE + 2)
        .map(|_| crowd(&mut draw, &mut known))
        .collect();
    let opened = open(
        &feed(policy),
        Arc::new(private.clone()),
        Arc::new(public.clone()),
        1,
        false,
    );
    let mut writer = opened.expect("a feed");
    for (tick, people) in ticks.iter().enumerate().take(BEFORE) {
        step(&mut writer, tick, people).expect("a tick");
        writer.checkpoint().expect("a checkpoint");
    }
    writer
        .take(taken("erased.csv", &[(ERASED, 1, 39, 0)]), &time(BEFORE))
        .expect("rows");
    assert!(
        private
            .objects()
            .keys()
            .any(|path| path.starts_with("checkpoint/")),
        "a checkpoint was due"
    );
    (private, public, ticks)
}

fn wanted() -> RequestOrigin {
    RequestOrigin {
        request: "r".repeat(32),
        who: "me".to_owned(),
        when: time(0),
        why: None,
        signed: None,
    }
}

/// A store whose writer dies at a write.
struct Deadly<'a> {
    private: &'a Memory,
    public: &'a Memory,
    left: Arc<AtomicU64>,
    after: bool,
    policy: &'a str,
}

impl<'a> Deadly<'a> {
    fn new(private: &'a Memory, public: &'a Memory, writes: u64, after: bool) -> Deadly<'a> {
        Deadly {
            private,
            public,
            left: Arc::new(AtomicU64::new(writes)),
            after,
            policy: POLICY,
        }
    }

    /// One that lives, for a feed under another policy.
    fn living(private: &'a Memory, public: &'a Memory, policy: &'a str) -> Deadly<'a> {
        Deadly {
            policy,
            ..Deadly::new(private, public, u64::MAX, false)
        }
    }

    fn open(&self, key: &OperatorKey, seed: u64) -> Result<FeedWriter> {
        let store = |of: &Memory| -> Arc<dyn Store> {
            Arc::new(Dying {
                store: of.clone(),
                left: self.left.clone(),
                after: self.after,
            })
        };
        open_set(
            key,
            &feed(self.policy),
            store(self.private),
            store(self.public),
            seed,
            settings(false),
        )
    }

    /// The steps of the command, whatever was done before.
    fn rekey(&self, seed: u64) -> Result<()> {
        match KeyRing::open(&packed(self.private), &key()) {
            Ok(_) => self
                .open(&key(), seed)?
                .rekey(&new_key(), wanted())
                .map(|_| ()),
            Err(_) => self.open(&new_key(), seed).map(|_| ()),
        }
    }
}

/// The one key that opens the root, and everything in it; the other one is refused with a text.
fn holder(private: &Memory, public: &Memory) -> OperatorKey {
    let private = &packed(private);
    let opened = [key(), new_key()].map(|key| KeyRing::open(private, &key));
    let (ring, holds, refused) = match opened {
        [Ok(Some(ring)), Err(error)] => (ring, key(), error),
        [Err(error), Ok(Some(ring))] => (ring, new_key(), error),
        other => panic!("one key opens it, and one alone: {other:?}"),
    };
    let known = [
        "was changed with `tidegate rekey`",
        "begun in the private root",
        "does not open the private root",
    ];
    assert!(
        known.iter().any(|text| refused.text.contains(text)),
        "{refused}"
    );
    let state = past(private, public, &ring)
        .expect("a log")
        .state
        .expect("a chain");
    let quick = past_quickly(private, public, &ring).expect("a log");
    let checkpoint = !ring
        .listed(private, "checkpoint")
        .expect("a listing")
        .is_empty();
    assert!(
        quick.checkpoint.is_some() == checkpoint
            && quick.state.expect("a chain").bytes() == state.bytes()
    );
    let counts = state.counts.iter().map(|(_, counts)| counts);
    let needed = counts
        .chain(state.pool.iter().map(|place| &place.object))
        .chain(&state.formed);
    needed.for_each(|object| {
        _ = ObjectReader::new(private, &ring)
            .need(object)
            .expect("it opens")
    });
    holds
}

/// Checks that every key is wrapped with the new one, and that every object is sealed under it.
fn done(private: &Memory, public: &Memory, case: &str) {
    assert!(holder(private, public).is(&new_key()), "{case}");
    let ring = KeyRing::open(&packed(private), &new_key())
        .expect("a ring")
        .expect("a feed");
    let old = key().wrapping(ring.feed());
    for (path, sealed) in unpacked(Arc::new(private.clone())) {
        if path.starts_with("keys/") {
            assert_eq!(
                WrappedKey::at(&path).map(|wrap| wrap.generation),
                Some(ring.generation()),
                "{case}: {path}"
            );
            assert!(old.open(&sealed, &path).is_none(), "{case}: {path}");
            assert!(
                path.ends_with("/feed.wrap") || ring.unwrap(&sealed, &path).is_some(),
                "{case}: {path}"
            );
        } else if is_object(&path) {
            assert_eq!(
                split_generation(&path).1,
                ring.generation(),
                "{case}: {path}"
            );
        }
    }
}

fn is_object(path: &str) -> bool {
    FOLDERS
        .into_iter()
        .chain(["checkpoint"])
        .any(|folder| path.split('/').next() == Some(folder))
}

/// Another tick, and an erasure: no key opens an object that contains the erased person any more.
fn meanwhile(private: &Memory, public: &Memory, ticks: &[Vec<Human>], seed: u64) {
    let holds = holder(private, public);
    let mut writer = Deadly::new(private, public, u64::MAX, false)
        .open(&holds, seed)
        .expect("a feed");
    let people = vec![Hash(Person(ERASED))];
    let request = Request::new(
        RequestKind::Erase {
            people,
            rows: false,
        },
        "me".into(),
        time(0),
        None,
        writer.log().place(),
        &mut Seeded::new(seed),
    );
    let answer = writer
        .carry_out(&request.expect("a request"), &|| Ok(feed(POLICY)), &time(0))
        .expect("an answer");
    assert_eq!(answer.changed, Some(1), "{}", answer.text);
    step(&mut writer, BEFORE, &ticks[BEFORE]).expect("a tick");
    let objects = unpacked(Arc::new(private.clone()));
    let wrappings = [key(), new_key()].map(|key| key.wrapping(writer.log().ring().feed()));
    for (path, sealed) in objects.iter().filter(|(path, _)| is_object(path)) {
        let (object, generation) = split_generation(path);
        let name = object.split_once('/').map_or("", |(_, name)| name);
        let keys = objects.iter().filter(|(wrap, _)| {
            WrappedKey::at(wrap)
                == Some(WrappedKey {
                    object: Some(name),
                    generation,
                })
        });
        for (wrap, wrapped) in keys {
            let opened = wrappings
                .iter()
                .find_map(|wrapping| wrapping.open(wrapped, wrap))
                .expect("a key");
            let opened = SealingKey::from_bytes(&opened).expect("a key");
            let bytes = opened.open(sealed, object).expect("an object");
            assert!(
                !bytes
                    .windows(16)
                    .any(|window| window == ERASED.to_le_bytes()),
                "{path} holds an erased person"
            );
        }
    }
}

#[test]
fn a_writer_may_die_at_every_write_of_it() {
    let (private, public, ticks) = begun(POLICY);
    let writes = {
        let (private, public) = (
            Memory::with(private.objects()),
            Memory::with(public.objects()),
        );
        let store = Deadly::new(&private, &public, u64::MAX, false);
        store.rekey(2).expect("a change of key");
        done(&private, &public, "without a death");
        u64::MAX - store.left.load(Ordering::SeqCst)
    };
    assert!(writes > 60, "{writes} writes");
    let (mut old, mut new) = (0, 0);
    for at in 1..=writes {
        for (after, between) in [(false, at % 4 == 0), (true, at % 4 == 2)] {
            let case = format!("write {at}, after it: {after}, a daemon between: {between}");
            let (private, public) = (
                Memory::with(private.objects()),
                Memory::with(public.objects()),
            );
            let died = Deadly::new(&private, &public, at, after).rekey(2);
            assert_eq!(died.expect_err("it dies").text, "dead", "{case}");
            match holder(&private, &public).is(&key()) {
                true => old += 1,
                false => new += 1,
            }
            if between {
                meanwhile(&private, &public, &ticks, at + 1000);
            }
            Deadly::new(&private, &public, u64::MAX, false)
                .rekey(at + 5000)
                .expect("the same again");
            done(&private, &public, &case);
            let mut writer = Deadly::new(&private, &public, u64::MAX, false)
                .open(&new_key(), at + 9000)
                .expect("a feed");
            step(&mut writer, BEFORE + 1, &ticks[BEFORE + 1]).expect("a tick");
        }
    }
    assert!(
        old > 50 && new > 50,
        "{old} deaths before the entry, {new} behind it"
    );
}

#[test]
fn writers_may_die_one_after_another_and_the_key_is_changed() {
    let (private, public, _) = begun(POLICY);
    let mut draw = Draw(11);
    for seed in 0..10 {
        let (private, public) = (
            Memory::with(private.objects()),
            Memory::with(public.objects()),
        );
        for death in 0..12 {
            let (writes, after) = (1 + draw.below(180), draw.below(2) == 0);
            // It may survive all of its writes.
            let _ = Deadly::new(&private, &public, writes, after).rekey(seed * 100 + death);
            holder(&private, &public);
        }
        Deadly::new(&private, &public, u64::MAX, false)
            .rekey(seed * 100 + 50)
            .expect("the same again");
        done(&private, &public, &format!("seed {seed}"));
    }
}

/// If nothing is locked a daemon may be running meanwhile, before or after: it damages no key, and
/// gets an error.
#[test]
fn writers_without_a_lock_harm_no_key() {
    let (private, public, ticks) = begun(POLICY);
    let store = Deadly::new(&private, &public, u64::MAX, false);
    let whole = packed(&private);
    let ring = KeyRing::open(&whole, &key())
        .expect("a ring")
        .expect("a feed");
    let mut stale = store.open(&key(), 2).expect("a feed");
    let rekeys = store.open(&key(), 3).expect("a feed");
    // The writer that began last has taken over, and the change of the other one is void.
    let later = store.open(&key(), 4).expect("a feed");
    let error = rekeys
        .rekey(&new_key(), wanted())
        .expect_err("it was taken over");
    assert!(error.text.contains("has taken over"), "{error}");
    assert!(holder(&private, &public).is(&key()));
    drop(later);
    store.rekey(5).expect("a change of key");
    done(&private, &public, "after another one");
    // A process that had the old key before does not continue, removes no key, and reads nothing
    // more either.
    stale.sweep().expect("nothing of its own is left");
    done(&private, &public, "after a sweep of an earlier writer");
    let error = step(&mut stale, BEFORE, &ticks[BEFORE]).expect_err("it was taken over");
    assert!(error.text.contains("has taken over"), "{error}");
    let error = past(&whole, &public, &ring)
        .err()
        .expect("the key was changed");
    assert!(
        error.text.contains("was changed with `tidegate rekey`"),
        "{error}"
    );
    Deadly::new(&private, &public, u64::MAX, false)
        .open(&new_key(), 6)
        .expect("a feed");
    done(&private, &public, "after a start");
}

/// A thief who has a copy of the private root and the key that opened it, and who can write into
/// the root.
struct Thief {
    copy: Memory,
    ring: KeyRing,
}

impl Thief {
    /// Steals everything.
    fn of(private: &Memory) -> Thief {
        let copy = Memory::with(private.objects());
        let ring = KeyRing::open(&packed(&copy), &key())
            .expect("a ring")
            .expect("a feed");
        Thief { copy, ring }
    }

    /// How many objects of a root open with any key of the copy, or with any key of the root that
    /// the old key unwraps.
    fn opens(&self, private: &Memory) -> usize {
        let (copy, root) = (
            unpacked(Arc::new(self.copy.clone())),
            unpacked(Arc::new(private.clone())),
        );
        let mut keys = Vec::new();
        for (path, wrapped) in copy
            .iter()
            .chain(&root)
            .filter(|(path, _)| path.starts_with("keys/"))
        {
            keys.extend(self.ring.unwrap(wrapped, path));
        }
        let opens = |(path, sealed): &(&String, &Vec<u8>)| {
            keys.iter()
                .any(|key| key.open(sealed, split_generation(path).0).is_some())
        };
        root.iter()
            .filter(|(path, _)| is_object(path))
            .filter(opens)
            .count()
    }

    /// Puts a request into the inbox that withdraws the first release.
    fn asks_to_withdraw(&self, private: &Memory, writer: &FeedWriter) {
        let ask = RequestKind::Withdraw {
            release: 1,
            republish: false,
        };
        let place = (self.ring.feed(), writer.log().place().1);
        let request = Request::new(
            ask,
            "thief".into(),
            time(0),
            None,
            place,
            &mut Seeded::new(77),
        )
        .expect("a request");
        request
            .put(private, &self.ring, &mut Seeded::new(78))
            .expect("an inbox");
    }

    /// An entry behind the last one that the copy holds, which withdraws the first release.
    fn entry(&self, private: &Memory, last: Option<&CheckedEntry>) {
        let last = last.expect("an entry");
        let (seq, epoch, writer) = (
            last.entry.seq + 1,
            last.entry.epoch,
            last.entry.writer.clone(),
        );
        let body = EntryBody::Withdraw(Withdraw {
            wanted: wanted(),
            chain: 1,
            first: 1,
            last: 1,
            left: None,
            rows: 0,
            republish: false,
            time: time(0),
        });
        let entry = Entry {
            seq,
            epoch,
            writer,
            prev_sha256: Some(last.sha256),
            body,
            signature: String::new(),
        };
        private.delete(&Entry::path(seq)).expect("memory");
        private
            .create(&Entry::path(seq), &entry.signed(&self.ring))
            .expect("a place");
    }
}

/// It may lack the keys of the request, which another writer does.
#[test]
fn a_writer_that_was_taken_over_removes_no_request() {
    let (private, public, _) = begun(CROWDS);
    let open = |key: &OperatorKey, seed| {
        Deadly::living(&private, &public, CROWDS)
            .open(key, seed)
            .expect("a feed")
    };
    let mut earlier = open(&key(), 2);
    Deadly::living(&private, &public, CROWDS)
        .rekey(3)
        .expect("a change of key");
    let mut later = open(&new_key(), 4);
    let ask = RequestKind::Withdraw {
        release: later.state().releases[0].release,
        republish: true,
    };
    let place = later.log().place();
    let request = Request::new(
        ask,
        "me".to_owned(),
        time(0),
        None,
        place,
        &mut Seeded::new(5),
    )
    .expect("a request");
    request
        .put(&private, later.log().ring(), &mut Seeded::new(6))
        .expect("an inbox");
    let answers = |writer: &mut FeedWriter| writer.inbox(&|| Ok(feed(CROWDS)), &time(0));
    let error = answers(&mut earlier).expect_err("another writer");
    assert!(
        error.text.contains("another tidegate has taken over"),
        "{error}"
    );
    let done = answers(&mut later).expect("an inbox");
    assert!(done.answers.len() == 1 && done.answers[0].done, "{done:?}");
}

#[test]
fn a_thief_of_the_old_key_is_locked_out() {
    let (private, public, _) = begun(CROWDS);
    let thief = Thief::of(&private);
    let answers = |writer: &mut FeedWriter| {
        writer
            .inbox(&|| Ok(feed(CROWDS)), &time(0))
            .expect("an inbox")
    };
    // Before: everything opens, and a forged request withdraws a release.
    let all = unpacked(Arc::new(private.clone()))
        .keys()
        .filter(|path| is_object(path))
        .count();
    assert!(
        all > 30 && thief.opens(&private) == all,
        "{} of {all} objects open",
        thief.opens(&private)
    );
    {
        let (private, public) = (
            Memory::with(private.objects()),
            Memory::with(public.objects()),
        );
        let mut writer = Deadly::living(&private, &public, CROWDS)
            .open(&key(), 2)
            .expect("a feed");
        thief.asks_to_withdraw(&private, &writer);
        let done = answers(&mut writer);
        assert!(
            done.answers.len() == 1 && done.answers[0].done,
            "{:?}",
            done.answers
        );
        assert!(!writer.state().releases[0].is_visible());
    }
    let before = past(&packed(&private), &public, &thief.ring)
        .expect("a log")
        .last;
    Deadly::living(&private, &public, CROWDS)
        .rekey(3)
        .expect("a change of key");
    done(&private, &public, "after a theft");
    // After: nothing opens, the request is removed, and the releases stay.
    assert_eq!(
        thief.opens(&private),
        0,
        "objects open with the old key, or with keys of the copy"
    );
    let open =
        |private: &Memory, seed| Deadly::living(private, &public, CROWDS).open(&new_key(), seed);
    let mut writer = open(&private, 4).expect("a feed");
    thief.asks_to_withdraw(&private, &writer);
    let done = answers(&mut writer);
    assert!(done.answers.is_empty() && done.strange == 1, "{done:?}");
    assert!(writer.state().releases[0].is_visible());
    drop(writer);
    // Nor can the thief write the log on, or write it anew from before the change.
    let whole = unpacked(Arc::new(private.clone()));
    let ring = KeyRing::open(&packed(&private), &new_key())
        .expect("a ring")
        .expect("a feed");
    let newest = past(&packed(&private), &public, &ring).expect("a log").last;
    for last in [newest, before] {
        let forged = Memory::with(whole.clone());
        let seq = last.as_ref().expect("an entry").entry.seq;
        let later = whole
            .keys()
            .filter(|path| log::place(path).is_some_and(|of| of > seq));
        later.for_each(|path| forged.delete(path).expect("memory"));
        thief.entry(&forged, last.as_ref());
        let error = open(&forged, 9).err().expect("a forged log");
        assert!(
            error.text.contains("restore the whole private root"),
            "{error}"
        );
        let found = verify::roots(&packed(&forged), &ring, &public, Layout::Root, &[])
            .expect("roots")
            .1;
        assert!(!found.findings.is_empty(), "`verify` says nothing");
    }
}
