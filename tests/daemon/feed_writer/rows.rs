//! Published rows that are erased with their atoms (SCIENCE 11, erasure), on random chains of
//! crowds: the next release leaves them out under a notice, their people stay known, and all of
//! this holds across crashes, checkpoints, new chains and changes of the key.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::feed_writer::{
    FeedSettings, FeedState, FeedWriter, Hash, Request, RequestKind, RequestOutcome, TablePart,
    past,
};
use tidegate::daemon::journal::store::{Memory, Store};
use tidegate::daemon::journal::{KeyRing, LogHead, ObjectReader, RequestOrigin, split_generation};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::sign::Signing;
use tidegate::daemon::verify;
use tidegate::engine::gate::bytes;
use tidegate::engine::histogram::Person;
use tidegate::engine::release::{Layout, Manifest, Notice};

use super::crash::Dying;
use super::draw::{CROWDS, Draw, MEASURED, POLICIES, TWO_TABLES};
use super::feed::{
    Human, crowd, feed, grown, key, open, open_set, packed, settings, step, time, unpacked,
};
use crate::common::is_long as long;

/// Rows by label and value.
type Lines = BTreeMap<(Vec<u32>, u32), u64>;

/// A feed file with this policy, with its first taxonomy or a grown one.
pub fn feed_file(policy: &str, is_grown: bool) -> FeedConfig {
    if is_grown {
        grown(policy)
    } else {
        feed(policy)
    }
}

/// Both roots.
pub struct Roots {
    pub policy: &'static str,
    /// Whether a taxonomy has one value more than at the beginning.
    pub grown: bool,
    pub private: Memory,
    pub public: Memory,
}

/// Checks that the files that the list calls needed are needed one by one, also while some are
/// being removed.
pub fn files_are_needed(state: &FeedState, why: &str) {
    let files = || {
        state
            .releases
            .iter()
            .flat_map(|line| line.files.iter().map(move |(path, _)| (line, path)))
    };
    let needed: BTreeSet<&str> = files()
        .filter(|(line, path)| state.needs_file(line, path))
        .map(|(_, path)| path.as_str())
        .collect();
    assert_eq!(needed, state.needed_files(), "{why}");
}

/// Checks that after a tick the table contains no row that must be left out, and all rows that
/// belong to it, as far as a release can be made.
pub fn table_is_whole(writer: &FeedWriter, why: &str) {
    let state = writer.state();
    let waits = state.publishing.is_some() || state.held.is_some() || state.due.is_some();
    let is_one_table = !writer.policy().halves();
    let rows = state.feed.whole().rows() + state.feed.pending();
    let may_be_behind = is_one_table || waits || state.feed.stopped() || rows == 0;
    assert!(
        may_be_behind || state.retired.is_empty() && state.not_in_table().is_empty(),
        "{why}: no release was due"
    );
}

impl Roots {
    pub fn new(policy: &'static str) -> Roots {
        Roots {
            policy,
            grown: false,
            private: Memory::default(),
            public: Memory::default(),
        }
    }

    pub fn copy(&self) -> Roots {
        let [private, public] =
            [&self.private, &self.public].map(|store| Memory::with(store.objects()));
        Roots {
            policy: self.policy,
            grown: self.grown,
            private,
            public,
        }
    }

    /// The feed file.
    pub fn file(&self) -> FeedConfig {
        feed_file(self.policy, self.grown)
    }

    /// The newest entry of the log.
    pub fn head(&self) -> LogHead {
        let (whole, public) = (packed(&self.private), &self.public);
        let ring = KeyRing::open(&whole, &key()).expect("keys").expect("keys");
        let last = past(&whole, public, &ring)
            .expect("a log")
            .last
            .expect("an entry");
        LogHead {
            seq: last.entry.seq,
            sha256: last.sha256,
        }
    }

    pub fn open(&self, key: &OperatorKey, seed: u64, manual: bool) -> FeedWriter {
        self.open_set(key, seed, settings(manual))
    }

    pub fn open_set(&self, key: &OperatorKey, seed: u64, settings: FeedSettings) -> FeedWriter {
        let stores: [Arc<dyn Store>; 2] = [
            Arc::new(self.private.clone()),
            Arc::new(self.public.clone()),
        ];
        let [private, public] = stores;
        open_set(key, &self.file(), private, public, seed, settings).expect("a feed")
    }

    /// A feed whose writer dies when none of the writes to both roots is left; `after`: its last
    /// bytes were written.
    pub fn open_dying(
        &self,
        key: &OperatorKey,
        seed: u64,
        settings: FeedSettings,
        after: bool,
    ) -> (FeedWriter, Arc<AtomicU64>) {
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let store = |of: &Memory| {
            Arc::new(Dying {
                store: of.clone(),
                left: left.clone(),
                after,
            })
        };
        let (private, public) = (store(&self.private), store(&self.public));
        (
            open_set(key, &self.file(), private, public, seed, settings).expect("a feed"),
            left,
        )
    }

    /// Checks that the log gives the state of the writer, and that everything is as it was written,
    /// also for a public root alone.
    pub fn whole(&self, writer: &FeedWriter, key: &OperatorKey, why: &str) {
        let whole = packed(&self.private);
        let ring = KeyRing::open(&whole, key).expect("keys").expect("keys");
        let state = past(&whole, &self.public, &ring)
            .unwrap_or_else(|error| panic!("{why}: {error}"))
            .state;
        let state = state.expect("a chain");
        assert!(
            state.bytes() == writer.state().bytes(),
            "{why}: {state:#?} against {:#?}",
            writer.state()
        );
        let signing = Signing::parse(&"1".repeat(64)).expect("a key").public();
        let seen = verify::roots(&whole, &ring, &self.public, Layout::Root, &[signing]);
        let (public, private) = seen.unwrap_or_else(|error| panic!("{why}: {error}"));
        assert!(
            public.findings.is_empty() && public.strange.is_empty(),
            "{why}: {public:?}"
        );
        assert!(private.findings.is_empty(), "{why}: {:?}", private.findings);
        files_are_needed(&state, why);
        for (id, table) in state.tables.iter().filter(|_| !state.cleaning) {
            let visible = || {
                state
                    .releases
                    .iter()
                    .filter(|line| line.chain == id.chain && line.is_visible())
            };
            let in_use = |part: &TablePart| {
                part.until.is_none() || visible().any(|line| part.is_in(line.release))
            };
            let spare = table.parts().iter().find(|part| !in_use(part));
            assert!(spare.is_none(), "{why}: no release has {spare:?}");
        }
    }

    /// Checks that there is a notice with its signature, and that `verify` names it if it or the
    /// signature is changed or missing.
    fn proven(&self, notice: &str) {
        let signing = Signing::parse(&"1".repeat(64)).expect("a key").public();
        for path in [notice.to_owned(), format!("{notice}.sig")] {
            for changed in [None, Some(b"{}\n".to_vec())] {
                let mut objects = self.public.objects();
                assert!(objects.remove(&path).is_some(), "{path} is there");
                objects.extend(changed.map(|bytes| (path.clone(), bytes)));
                let public = verify::public(
                    &Memory::with(objects),
                    Layout::Root,
                    std::slice::from_ref(&signing),
                );
                let findings = public.expect("a public root").findings;
                assert!(
                    findings
                        .iter()
                        .any(|finding| finding.file.starts_with(notice)),
                    "{path}: {findings:?}"
                );
            }
        }
    }

    /// The rows of a release, read from its public bytes.
    pub fn lines(&self, release: u32, writer: &FeedWriter) -> Lines {
        let manifest = self.manifest(release);
        let mut lines = Lines::new();
        for file in manifest
            .files
            .iter()
            .filter(|file| file.path.starts_with("data/"))
        {
            let data = self.public.objects()[&file.path].clone();
            let (part, _) = bytes::read_part(&data, &writer.state().terms.columns, 1);
            let part = part.expect("a part");
            for table in part.releases.values() {
                for class in 0..table.classes() {
                    for group in table.range(class) {
                        // Values are `s0` to `s3`.
                        let value = format!("{:?}", part.values.get(table.values()[group]));
                        let value = value
                            .bytes()
                            .find(u8::is_ascii_digit)
                            .map_or(9, |digit| u32::from(digit - b'0'));
                        *lines
                            .entry((table.class(class).to_vec(), value))
                            .or_default() += table.counts()[group];
                    }
                }
            }
        }
        lines
    }

    pub fn manifest(&self, release: u32) -> Manifest {
        Manifest::parse(&self.public.objects()[&Layout::Root.manifest(release)])
            .expect("a manifest")
    }

    fn notice(&self, release: u32) -> Option<Notice> {
        let bytes = self
            .public
            .objects()
            .get(&Layout::Root.notice(release))
            .cloned()?;
        Some(Notice::parse(&bytes).expect("a notice"))
    }
}

fn request(writer: &FeedWriter, people: &[u128], seed: u64) -> Request {
    let people = people.iter().map(|&person| Hash(Person(person))).collect();
    let ask = RequestKind::Erase { people, rows: true };
    Request::new(
        ask,
        "me".to_owned(),
        time(0),
        None,
        writer.log().place(),
        &mut Seeded::new(seed),
    )
    .expect("a request")
}

fn erase(writer: &mut FeedWriter, people: &[u128], seed: u64) -> RequestOutcome {
    let request = request(writer, people, seed);
    writer
        .carry_out(&request, &|| Ok(feed(CROWDS)), &time(0))
        .expect("an answer")
}

/// The opened content of all sealed objects except the inbox.
fn opened(roots: &Roots, key: &OperatorKey) -> Vec<(String, Vec<u8>)> {
    let ring = KeyRing::open(&packed(&roots.private), key)
        .expect("keys")
        .expect("keys");
    let objects = unpacked(Arc::new(roots.private.clone()));
    let open = |(path, bytes): (&String, &Vec<u8>)| {
        let (object, _) = split_generation(path);
        let wrap = ring.place(object);
        let key = ring.unwrap(objects.get(&wrap)?, &wrap)?;
        key.open(bytes, object)
            .map(|bytes| (path.clone(), bytes.to_vec()))
    };
    objects.iter().filter_map(open).collect()
}

/// A chain of crowds after some ticks, and the people of each.
pub fn begun(seed: u64, many: usize) -> (Roots, Vec<Vec<Human>>) {
    let (roots, mut draw, mut known) = (Roots::new(CROWDS), Draw(seed), 0);
    let ticks: Vec<Vec<Human>> = (0..many).map(|_| crowd(&mut draw, &mut known)).collect();
    let mut writer = roots.open(&key(), seed, false);
    for (tick, people) in ticks.iter().enumerate() {
        step(&mut writer, tick, people).expect("a tick");
    }
    assert!(
        writer.state().releases.len() > 1,
        "seed {seed}: something was published"
    );
    (roots, ticks)
}

/// A published person: the first one whose atom can be erased, tried on a copy.
fn published(roots: &Roots, ticks: &[Vec<Human>]) -> (u128, u64) {
    let leaves = |human: &Human| {
        let copy = roots.copy();
        let rows = erase(&mut copy.open(&key(), 77, false), &[human.0], 5)
            .rows
            .expect("it was asked for");
        (rows > 0).then_some((human.0, rows))
    };
    ticks
        .iter()
        .flatten()
        .find_map(leaves)
        .expect("a person is published")
}

#[test]
fn published_rows_leave_the_next_release_with_their_whole_atom() {
    for seed in 1..4 {
        let (roots, ticks) = begun(seed, 7);
        let (person, rows) = published(&roots, &ticks);
        let mut writer = roots.open(&key(), seed + 50, false);
        let before = writer.state().releases.last().expect("a release").clone();
        let known = writer.state().feed.people().len();
        let shown = roots.lines(before.release, &writer);
        let counted = |roots: &Roots| -> usize {
            let objects = opened(roots, &key());
            let holds = |bytes: &[u8]| {
                bytes
                    .windows(16)
                    .any(|window| window == person.to_le_bytes())
            };
            objects
                .iter()
                .filter(|(path, bytes)| path.starts_with("members/") && holds(bytes))
                .count()
        };
        assert_eq!(counted(&roots), 1, "who is in which atom is kept, once");
        let answer = erase(&mut writer, &[person], 6);
        assert!(
            answer.done && answer.rows == Some(rows) && answer.changed == Some(0),
            "{answer:?}"
        );
        assert_eq!(
            counted(&roots),
            0,
            "who was in an atom that is gone is not kept"
        );
        roots.whole(&writer, &key(), "erased");
        assert_eq!(
            writer.state().feed.people().len(),
            known,
            "all people of the atom stays known"
        );
        assert_eq!(writer.state().feed.whole().rows(), before.rows - rows);

        // There are no new people, and a release is due.
        step(&mut writer, ticks.len(), &[]).expect("a tick");
        let now = writer.state().releases.last().expect("a release").clone();
        assert_eq!(now.release, before.release + 1, "a release is due");
        roots.whole(&writer, &key(), "published");
        let notice = roots.notice(now.release).expect("a notice");
        assert_eq!(
            (notice.rows, notice.release, notice.labels.len()),
            (rows, now.release, 1)
        );
        assert!(
            roots
                .manifest(now.release)
                .files
                .iter()
                .any(|file| file.path == Layout::Root.notice(now.release))
        );
        roots.proven(&Layout::Root.notice(now.release));
        let lines = roots.lines(now.release, &writer);
        let gone: u64 = shown
            .iter()
            .map(|(line, rows)| rows - rows.min(lines.get(line).unwrap_or(&0)))
            .sum();
        assert!(gone <= rows, "no other row is gone");
        assert_eq!(
            now.rows
                - writer
                    .state()
                    .feed
                    .published()
                    .last()
                    .map_or(0, |last| last.rows.rows()),
            before.rows - rows
        );

        // Every further row of a person of the atom is a repeat, here or in the next chain; a
        // second request finds nothing.
        let last = ticks.len() + 1;
        let again: Vec<Human> = ticks.iter().flatten().copied().collect();
        step(&mut writer, last, &again).expect("a tick");
        assert_eq!(writer.state().feed.people().len(), known);
        assert_eq!(writer.state().feed.new_rows(), 0);
        let answer = erase(&mut writer, &[person], 7);
        assert!(answer.done && answer.rows == Some(0), "{answer:?}");
        assert!(
            answer
                .text
                .contains("1 of the published people have no row in this chain"),
            "{}",
            answer.text
        );
        ask(&mut writer, RequestKind::NewChain, 8);
        step(&mut writer, last + 1, &again).expect("a tick");
        assert_eq!(
            (
                writer.state().feed.people().len(),
                writer.state().feed.new_rows()
            ),
            (known, 0)
        );
        roots.whole(&writer, &key(), "a new chain");
    }
}

#[test]
fn rows_stay_where_no_atom_could_leave_as_a_whole() {
    for policy in [POLICIES[2], TWO_TABLES] {
        let (private, public) = (Memory::default(), Memory::default());
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            1,
            false,
        )
        .expect("a feed");
        let (mut draw, mut known) = (Draw(3), 0);
        (0..3).for_each(|tick| {
            step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick")
        });
        let before = (private.objects(), public.objects());
        let request = request(&writer, &[0], 4);
        let answer = writer
            .carry_out(&request, &|| Ok(feed(policy)), &time(0))
            .expect("an answer");
        assert!(
            !answer.done && answer.text.contains("--rows is for chains"),
            "{answer:?}"
        );
        assert!(
            before == (private.objects(), public.objects()),
            "nothing is changed"
        );
    }
}

fn ask(writer: &mut FeedWriter, ask: RequestKind, seed: u64) -> RequestOutcome {
    let policy = if writer.state().terms.columns.has_measures() {
        MEASURED
    } else {
        CROWDS
    };
    let request = Request::new(
        ask,
        "me".into(),
        time(0),
        None,
        writer.log().place(),
        &mut Seeded::new(seed),
    );
    let answer = writer
        .carry_out(&request.expect("a request"), &|| Ok(feed(policy)), &time(0))
        .expect("an answer");
    assert!(answer.done, "{}", answer.text);
    answer
}

/// Checks that the releases of a chain show the expected rows, and the newest one those that are
/// left. Returns how many leave rows out.
fn reported(roots: &Roots, writer: &FeedWriter, why: &str) -> u32 {
    let mut notices = 0;
    for line in writer.state().of_chain().filter(|line| line.is_visible()) {
        let rows: u64 = roots.lines(line.release, writer).values().sum();
        assert_eq!(rows, line.rows, "{why}: what a release showed is known");
        notices += u32::from(roots.notice(line.release).is_some());
    }
    if writer.state().erased.is_empty() && writer.state().publishing.is_none() {
        let newest = writer.state().of_chain().last().map_or(0, |line| line.rows);
        assert_eq!(
            newest,
            writer.state().feed.whole().rows(),
            "{why}: the newest release holds what is left"
        );
    }
    notices
}

/// Erases some people with their rows. Returns whether rows are removed; people who are not known
/// any more are added to `gone`.
fn erased(writer: &mut FeedWriter, chosen: &[u128], seed: u64, gone: &mut BTreeSet<u128>) -> bool {
    let shown = writer.state().feed.whole().rows();
    let people = chosen.iter().map(|&person| Hash(Person(person))).collect();
    let answer = ask(writer, RequestKind::Erase { people, rows: true }, seed);
    let rows = answer.rows.expect("it was asked for");
    assert_eq!(writer.state().feed.whole().rows(), shown - rows);
    assert!(rows == 0 || rows >= writer.policy().a(), "whole atoms");
    gone.extend(
        chosen
            .iter()
            .copied()
            .filter(|person| !writer.state().feed.people().knows(Person(*person))),
    );
    rows > 0
}

/// Whatever happens in between: new chains, restarts from checkpoints, releases that wait for a
/// person, another key.
#[test]
fn whatever_comes_between_whole_atoms_leave() {
    let mut done = BTreeMap::<&str, u32>::new();
    for seed in 0..if long() { 40 } else { 6 } {
        let (policy, manual) = (if seed % 2 == 0 { CROWDS } else { MEASURED }, seed % 3 == 0);
        let (roots, mut draw, mut known) = (Roots::new(policy), Draw(seed + 100), 0);
        let (mut holder, mut writer) = (key(), roots.open(&key(), seed, manual));
        let (mut came, mut gone): (BTreeSet<u128>, BTreeSet<u128>) = Default::default();
        for tick in 0..22 {
            let (why, chance) = (
                format!("seed {seed}, tick {tick}"),
                (seed * 100 + tick as u64) * 10,
            );
            let people = crowd(&mut draw, &mut known);
            came.extend(people.iter().map(|human| human.0));
            step(&mut writer, tick, &people).expect("a tick");
            gone.retain(|person| !writer.state().feed.people().knows(Person(*person)));
            if let Some(held) = writer.state().held.clone().filter(|_| draw.below(2) == 0) {
                ask(
                    &mut writer,
                    RequestKind::Approve {
                        release: held.approved.release(),
                        decision: held.decision,
                    },
                    chance,
                );
            }
            let chosen: Vec<u128> = came
                .iter()
                .copied()
                .filter(|_| draw.below(20) == 0)
                .collect();
            let erases = draw.below(3) == 0 && !chosen.is_empty();
            if erases {
                *done.entry("rows").or_default() +=
                    u32::from(erased(&mut writer, &chosen, chance + 1, &mut gone));
            }
            let what = match draw.below(12) {
                0 => {
                    ask(&mut writer, RequestKind::NewChain, chance + 2);
                    "chain"
                }
                1 | 2 => {
                    writer.checkpoint().expect("a checkpoint");
                    drop(writer);
                    writer = roots.open(&holder, chance + 3, manual);
                    "restart"
                }
                3 => {
                    let new = || {
                        OperatorKey::parse(&format!("{:02x}", tick + 1).repeat(32)).expect("a key")
                    };
                    let wanted = RequestOrigin {
                        request: format!("{tick:032}"),
                        who: "me".into(),
                        when: time(0),
                        why: None,
                        signed: None,
                    };
                    writer.rekey(&new(), wanted).expect("another key");
                    (holder, writer) = (new(), roots.open(&new(), chance + 4, manual));
                    "rekey"
                }
                _ => "nothing",
            };
            *done.entry(what).or_default() += 1;
            if !erases && what == "nothing" && tick % 5 > 0 {
                continue;
            }
            roots.whole(&writer, &holder, &why);
            *done.entry("notice").or_default() += reported(&roots, &writer, &why);
            for (path, bytes) in opened(&roots, &holder) {
                let holds = |person: &u128| {
                    bytes
                        .windows(16)
                        .any(|window| window == person.to_le_bytes())
                };
                assert!(
                    !gone.iter().any(holds),
                    "{why}: {path} holds a person who was not published and is erased"
                );
            }
        }
    }
    println!("{done:?}");
    for what in ["rows", "chain", "restart", "rekey", "notice"] {
        assert!(
            done.get(what).is_some_and(|times| *times > 2),
            "{what}: {done:?}"
        );
    }
}

#[test]
fn a_writer_may_die_at_every_write_of_an_erasure_with_rows() {
    // The tick after it halves no people, so that nothing is drawn.
    let (roots, ticks, tick) = (1..)
        .find_map(|seed| {
            let (roots, ticks) = begun(seed, 6);
            let writer = roots.copy().open(&key(), 9, false);
            let halves = writer.state().feed.is_due(writer.policy(), 0);
            (!halves).then_some((roots, ticks.clone(), ticks.len()))
        })
        .expect("every second tick halves no people");
    let (person, rows) = published(&roots, &ticks);
    // The same request, whichever process handles it.
    let request = Request {
        after: roots.head(),
        ..request(&roots.copy().open(&key(), 9, false), &[person], 6)
    };
    let all = |writer: &mut FeedWriter| -> tidegate::daemon::error::Result<()> {
        writer.carry_out(&request, &|| Ok(feed(CROWDS)), &time(0))?;
        step(writer, tick, &[])
    };
    let shown = |roots: &Roots| -> BTreeMap<String, Vec<u8>> {
        let kinds = ["data/", "erased/", "taxonomy/"];
        roots
            .public
            .objects()
            .into_iter()
            .filter(|(path, _)| kinds.iter().any(|kind| path.starts_with(kind)))
            .collect()
    };
    let meant = roots.copy();
    let mut writer = meant.open(&key(), 10, false);
    all(&mut writer).expect("no writer dies");
    let newest = writer.state().releases.last().expect("a release").release;
    assert_eq!(meant.notice(newest).map(|notice| notice.rows), Some(rows));
    for at in 1.. {
        let mut died = false;
        for after in [false, true]
            .into_iter()
            .filter(|&after| long() || after == (at % 2 == 0))
        {
            let here = roots.copy();
            let left = Arc::new(AtomicU64::new(at));
            let store = |of: &Memory| {
                Arc::new(Dying {
                    store: of.clone(),
                    left: left.clone(),
                    after,
                })
            };
            let run = open(
                &feed(CROWDS),
                store(&here.private),
                store(&here.public),
                10 + at,
                false,
            )
            .and_then(|mut writer| all(&mut writer));
            died |= run.is_err();
            assert!(run.is_ok() == (left.load(Ordering::SeqCst) > 0));
            let mut writer = here.open(&key(), 1000 + at, false);
            all(&mut writer).expect("no writer dies");
            let why = format!("write {at}, after it: {after}");
            here.whole(&writer, &key(), &why);
            assert!(shown(&here) == shown(&meant), "{why}");
            let whole = packed(&here.private);
            let ring = KeyRing::open(&whole, &key()).expect("keys").expect("keys");
            for members in &writer.state().members {
                ObjectReader::new(&whole, &ring)
                    .need(&members.object)
                    .expect("it opens");
            }
        }
        if !died {
            break;
        }
    }
}
