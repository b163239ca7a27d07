//! The operator's key is changed by a writer that dies at every single write, before it or after it: at every moment
//! one of the two keys opens everything and the other one nothing, and running the command again completes the change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::{FeedWriter, Hash, Request, RequestKind, past, past_quickly};
use tidegate::daemon::journal::store::{Memory, ReadStore as _, Store};
use tidegate::daemon::journal::{KeyRing, ObjectReader, RequestOrigin, WrappedKey};
use tidegate::daemon::seal::OperatorKey;
use tidegate::engine::histogram::Person;

use super::crash::Dying;
use super::draw::{Draw, POLICIES};
use super::feed::{Human, crowd, feed, key, open, open_set, packed, settings, step, taken, time, unpacked};

const POLICY: &str = POLICIES[1];
/// Ticks before the key is changed.
const BEFORE: usize = 10;
/// A person who is erased between two attempts.
const ERASED: u128 = 0x00de_adbe_efde_adbe_efde_adbe_efde_adbe;

fn new_key() -> OperatorKey {
    OperatorKey::parse(&"b".repeat(64)).expect("a key")
}

/// A feed after some ticks, with a checkpoint among its objects, and a person who waits.
fn begun() -> (Memory, Memory, Vec<Vec<Human>>) {
    let (private, public) = (Memory::default(), Memory::default());
    let (mut draw, mut known) = (Draw(7), 0);
    let ticks: Vec<Vec<Human>> = (0..BEFORE + 2).map(|_| crowd(&mut draw, &mut known)).collect();
    let opened = open(&feed(POLICY), Arc::new(private.clone()), Arc::new(public.clone()), 1, false);
    let mut writer = opened.expect("a feed");
    for (tick, people) in ticks.iter().enumerate().take(BEFORE) {
        step(&mut writer, tick, people).expect("a tick");
        writer.checkpoint().expect("a checkpoint");
    }
    writer.take(taken("erased.csv", &[(ERASED, 1, 39, 0)]), &time(BEFORE)).expect("rows");
    assert!(private.objects().keys().any(|path| path.starts_with("checkpoint/")), "a checkpoint was due");
    (private, public, ticks)
}

fn wanted() -> RequestOrigin {
    RequestOrigin { request: "r".repeat(32), who: "me".to_owned(), when: time(0), why: None, signed: None }
}

/// A store whose writer dies at a write.
struct Deadly<'a> {
    private: &'a Memory,
    public: &'a Memory,
    left: Arc<AtomicU64>,
    after: bool,
}

impl<'a> Deadly<'a> {
    fn new(private: &'a Memory, public: &'a Memory, writes: u64, after: bool) -> Deadly<'a> {
        Deadly { private, public, left: Arc::new(AtomicU64::new(writes)), after }
    }

    fn open(&self, key: &OperatorKey, seed: u64) -> Result<FeedWriter> {
        let store = |of: &Memory| -> Arc<dyn Store> {
            Arc::new(Dying { store: of.clone(), left: self.left.clone(), after: self.after })
        };
        open_set(key, &feed(POLICY), store(self.private), store(self.public), seed, settings(false))
    }

    /// The steps of the command, whatever was done before.
    fn rekey(&self, seed: u64) -> Result<()> {
        match KeyRing::open(&packed(self.private), &key()) {
            Ok(_) => self.open(&key(), seed)?.rekey(&new_key(), wanted()).map(|_| ()),
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
    let known = ["was changed with `tidegate rekey`", "begun in the private root", "does not open the private root"];
    assert!(known.iter().any(|text| refused.text.contains(text)), "{refused}");
    let state = past(private, public, &ring).expect("a log").state.expect("a chain");
    let quick = past_quickly(private, public, &ring).expect("a log");
    let checkpoint = !private.list("checkpoint").expect("a listing").is_empty();
    assert!(quick.checkpoint.is_some() == checkpoint && quick.state.expect("a chain").bytes() == state.bytes());
    let counts = state.counts.iter().map(|(_, counts)| counts);
    let needed = counts.chain(state.pool.iter().map(|place| &place.object)).chain(&state.formed);
    needed.for_each(|object| _ = ObjectReader::new(private, &ring).need(object).expect("it opens"));
    holds
}

/// Checks that every key is wrapped with the new one.
fn done(private: &Memory, public: &Memory, case: &str) {
    assert!(holder(private, public).is(&new_key()), "{case}");
    let ring = KeyRing::open(&packed(private), &new_key()).expect("a ring").expect("a feed");
    // Only the operator's key makes the difference.
    let old = ring.under(&key(), ring.generation());
    for (path, sealed) in unpacked(Arc::new(private.clone())).into_iter().filter(|(path, _)| path.starts_with("keys/"))
    {
        assert_eq!(WrappedKey::at(&path).map(|wrap| wrap.generation), Some(ring.generation()), "{case}: {path}");
        assert!(old.unwrap(&sealed, &path).is_none() && ring.unwrap(&sealed, &path).is_some(), "{case}: {path}");
    }
}

/// Another tick, and an erasure: no key opens an object that contains the erased person any more.
fn meanwhile(private: &Memory, public: &Memory, ticks: &[Vec<Human>], seed: u64) {
    let holds = holder(private, public);
    let mut writer = Deadly::new(private, public, u64::MAX, false).open(&holds, seed).expect("a feed");
    let people = vec![Hash(Person(ERASED))];
    let request = Request::new(
        RequestKind::Erase { people, rows: false },
        "me".into(),
        time(0),
        None,
        writer.log().ring(),
        &mut Seeded::new(seed),
    );
    let answer = writer.carry_out(&request.expect("a request"), &|| Ok(feed(POLICY)), &time(0)).expect("an answer");
    assert_eq!(answer.changed, Some(1), "{}", answer.text);
    step(&mut writer, BEFORE, &ticks[BEFORE]).expect("a tick");
    let objects = unpacked(Arc::new(private.clone()));
    let wraps = || objects.iter().filter(|(path, _)| path.starts_with("keys/"));
    for (path, sealed) in objects.iter().filter(|(path, _)| !path.starts_with("keys/")) {
        let name = path.split_once('/').map_or("", |(_, name)| name);
        for (wrap, wrapped) in
            wraps().filter(|(wrap, _)| WrappedKey::at(wrap).and_then(|wrap| wrap.object) == Some(name))
        {
            let keys = [key(), new_key()];
            let opened =
                keys.iter().find_map(|key| writer.log().ring().under(key, 0).unwrap(wrapped, wrap)).expect("a key");
            let bytes = opened.open(sealed, path).expect("an object");
            assert!(!bytes.windows(16).any(|window| window == ERASED.to_le_bytes()), "{path} holds an erased person");
        }
    }
}

#[test]
fn a_writer_may_die_at_every_write_of_it() {
    let (private, public, ticks) = begun();
    let writes = {
        let (private, public) = (Memory::with(private.objects()), Memory::with(public.objects()));
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
            let (private, public) = (Memory::with(private.objects()), Memory::with(public.objects()));
            let died = Deadly::new(&private, &public, at, after).rekey(2);
            assert_eq!(died.expect_err("it dies").text, "dead", "{case}");
            match holder(&private, &public).is(&key()) {
                true => old += 1,
                false => new += 1,
            }
            if between {
                meanwhile(&private, &public, &ticks, at + 1000);
            }
            Deadly::new(&private, &public, u64::MAX, false).rekey(at + 5000).expect("the same again");
            done(&private, &public, &case);
            let mut writer =
                Deadly::new(&private, &public, u64::MAX, false).open(&new_key(), at + 9000).expect("a feed");
            step(&mut writer, BEFORE + 1, &ticks[BEFORE + 1]).expect("a tick");
        }
    }
    assert!(old > 50 && new > 50, "{old} deaths before the entry, {new} behind it");
}

#[test]
fn writers_may_die_one_after_another_and_the_key_is_changed() {
    let (private, public, _) = begun();
    let mut draw = Draw(11);
    for seed in 0..10 {
        let (private, public) = (Memory::with(private.objects()), Memory::with(public.objects()));
        for death in 0..12 {
            let (writes, after) = (1 + draw.below(180), draw.below(2) == 0);
            // It may survive all of its writes.
            let _ = Deadly::new(&private, &public, writes, after).rekey(seed * 100 + death);
            holder(&private, &public);
        }
        Deadly::new(&private, &public, u64::MAX, false).rekey(seed * 100 + 50).expect("the same again");
        done(&private, &public, &format!("seed {seed}"));
    }
}

/// If nothing is locked a daemon may be running meanwhile, before or after: it damages no key, and gets an error.
#[test]
fn writers_without_a_lock_harm_no_key() {
    let (private, public, ticks) = begun();
    let store = Deadly::new(&private, &public, u64::MAX, false);
    let whole = packed(&private);
    let ring = KeyRing::open(&whole, &key()).expect("a ring").expect("a feed");
    let mut stale = store.open(&key(), 2).expect("a feed");
    let rekeys = store.open(&key(), 3).expect("a feed");
    // The writer that began last has taken over, and the change of the other one is void.
    let later = store.open(&key(), 4).expect("a feed");
    let error = rekeys.rekey(&new_key(), wanted()).expect_err("it was taken over");
    assert!(error.text.contains("has taken over"), "{error}");
    assert!(holder(&private, &public).is(&key()));
    drop(later);
    store.rekey(5).expect("a change of key");
    done(&private, &public, "after another one");
    // A process that had the old key before does not continue, removes no key, and reads nothing more either.
    stale.sweep().expect("nothing of its own is left");
    done(&private, &public, "after a sweep of an earlier writer");
    let error = step(&mut stale, BEFORE, &ticks[BEFORE]).expect_err("it was taken over");
    assert!(error.text.contains("has taken over"), "{error}");
    let error = past(&whole, &public, &ring).err().expect("the key was changed");
    assert!(error.text.contains("was changed with `tidegate rekey`"), "{error}");
    Deadly::new(&private, &public, u64::MAX, false).open(&new_key(), 6).expect("a feed");
    done(&private, &public, "after a start");
}
