//! Requests of people, on random feeds: erasures, new chains, approvals and rejections between
//! ticks. No person is lost or counted twice, erased people are in no object any more, and nothing
//! that is published changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::feed_writer::{
    Consumed, DecidedRelease, FeedState, FeedWriter, Hash, Request, RequestKind, RequestOutcome,
    TakenMessages, past, past_quickly,
};
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::{Memory, ReadStore as _, Store};
use tidegate::engine::histogram::Person;
use tidegate::engine::release::Sha256;

use super::draw::{
    CARVED, CROWDS, Draw, GROUPED, HALVED, LEVELS, MEASURED, POLICIES, SUPPRESSED, TWO_TABLES,
    disjoint,
};
use super::feed::{crowd, feed, key, open, packed, rows, step, time, unpacked};
use crate::common::{is_advisory, is_long as long};

fn ask(writer: &mut FeedWriter, ask: RequestKind, seed: u64, policy: &str) -> RequestOutcome {
    let mut chance = Seeded::new(seed);
    let why = Some("because".to_owned());
    let request = Request::new(
        ask,
        "me".to_owned(),
        time(0),
        why,
        writer.log().place(),
        &mut chance,
    )
    .expect("a request");
    let answer = writer
        .carry_out(&request, &|| Ok(feed(policy)), &time(0))
        .expect("an answer");
    let again = writer
        .carry_out(&request, &|| Ok(feed(policy)), &time(0))
        .expect("an answer");
    assert!(
        !answer.done || again.done && again.text == "done already",
        "a request is done once: {again:?}"
    );
    answer
}

/// The opened content of all sealed objects, with their paths.
fn opened(private: &Memory) -> Vec<(String, Vec<u8>)> {
    let ring = KeyRing::open(&packed(private), &key())
        .expect("keys")
        .expect("keys");
    let objects = unpacked(Arc::new(private.clone()));
    let sealed = objects
        .iter()
        .filter(|(path, _)| !path.starts_with("log/") && !path.starts_with("keys/"));
    let open = |(path, bytes): (&String, &Vec<u8>)| {
        let wrap = format!("keys/{}.wrap", path.split_once('/')?.1);
        let key = ring.unwrap(objects.get(&wrap)?, &wrap)?;
        key.open(bytes, path)
            .map(|bytes| (path.clone(), bytes.to_vec()))
    };
    sealed.filter_map(open).collect()
}

/// An object that contains a person; this cannot be decided for the first one, whose hash is zeros.
fn holds(private: &Memory, person: u128) -> Option<String> {
    let bytes = person.to_le_bytes();
    let holds = |(_, object): &(String, Vec<u8>)| object.windows(16).any(|window| window == bytes);
    opened(private)
        .into_iter()
        .filter(|_| person != 0)
        .find(holds)
        .map(|(path, _)| path)
}

/// The state that the log gives.
fn folded(private: &Memory, public: &Memory) -> Vec<u8> {
    let whole = packed(private);
    let ring = KeyRing::open(&whole, &key()).expect("keys").expect("keys");
    past(&whole, public, &ring)
        .expect("a log")
        .state
        .expect("a chain")
        .bytes()
}

/// Decides on a held release, or does not.
fn about_held(
    writer: &mut FeedWriter,
    draw: &mut Draw,
    seed: u64,
    policy: &str,
) -> Option<RequestOutcome> {
    let held = writer.state().held.clone()?;
    let (release, decision) = (held.approved.release(), held.decision);
    let one = match draw.below(3) {
        0 => return None,
        1 => RequestKind::Reject { release, decision },
        _ => RequestKind::Approve { release, decision },
    };
    let answer = ask(writer, one, seed, policy);
    assert!(answer.done, "{}", answer.text);
    Some(answer)
}

/// A chain that stops at its first release.
const STOPPED: &str = "k = 3\ndiversity = { distinct_l = 4 }";

/// The other kinds of chain.
const FURTHER: [&str; 8] = [
    CARVED, HALVED, CROWDS, MEASURED, SUPPRESSED, TWO_TABLES, GROUPED, LEVELS,
];

/// The rows of the newest release of each chain, or of each release if they are disjoint.
fn newest_rows(releases: &[DecidedRelease], disjoint: bool) -> BTreeMap<u32, u64> {
    let of = |(at, line): (usize, &DecidedRelease)| {
        (if disjoint { at as u32 } else { line.chain }, line.rows)
    };
    releases.iter().enumerate().map(of).collect()
}

/// Whether each known person is in one place.
fn adds_up(state: &FeedState, policy: &str) -> bool {
    let newest = newest_rows(&state.releases, disjoint(policy));
    let rest = state.feed.waiting().rows();
    let sum = newest.values().sum::<u64>() + rest + state.feed.pending() + state.feed.new_rows();
    let people = state.feed.people().len() as u64;
    // People of a release that stopped its chain count as published for ever.
    if policy.contains("distinct_l") {
        sum <= people
    } else {
        sum == people
    }
}

#[test]
fn whatever_is_asked_no_person_is_lost() {
    let mut done = BTreeMap::<String, u32>::new();
    let policies = [&POLICIES[..], &FURTHER].concat();
    // Each kind of chain once in every everyday run.
    let seeds = policies.len() as u64 * if long() { 200 } else { 1 };
    // An erasure that removes the only atom, one in a chain that has stopped while others wait, and
    // one of all people who wait without atoms.
    for seed in (0..seeds).chain([375, 1070, 2073]) {
        let policy = policies[seed as usize % policies.len()];
        let manual = seed % 3 == 0;
        let (private, public) = (Memory::default(), Memory::default());
        let stores = || -> (Arc<dyn Store>, Arc<dyn Store>) {
            (Arc::new(private.clone()), Arc::new(public.clone()))
        };
        let (mut draw, mut known) = (Draw(seed), 0);
        let (mine, public_root) = stores();
        let mut writer = open(&feed(policy), mine, public_root, seed, manual).expect("a feed");
        let mut came: BTreeSet<u128> = BTreeSet::new();
        let mut out: BTreeSet<u128> = BTreeSet::new();
        for tick in 0..if long() || seed >= seeds { 20 } else { 12 } {
            let before = public.objects();
            let crowd = crowd(&mut draw, &mut known);
            for human in &crowd {
                came.insert(human.0);
                out.remove(&human.0);
            }
            step(&mut writer, tick, &crowd).expect("a tick");
            let chosen: Vec<u128> = came
                .iter()
                .copied()
                .filter(|_| draw.below(12) == 0)
                .collect();
            let mut asks = [
                RequestKind::Erase {
                    people: chosen.iter().map(|&person| Hash(Person(person))).collect(),
                    rows: false,
                },
                RequestKind::NewChain,
            ];
            // A new chain may have begun just before people are erased.
            if draw.below(2) == 0 {
                asks.reverse();
            }
            for (at, one) in asks.into_iter().enumerate() {
                let erase = matches!(one, RequestKind::Erase { .. });
                if draw.below(if erase { 3 } else { 9 }) > 0 {
                    continue;
                }
                let answer = ask(
                    &mut writer,
                    one,
                    seed * 1000 + tick as u64 * 10 + at as u64,
                    policy,
                );
                *done
                    .entry(format!("{} {}", answer.asked, answer.done))
                    .or_default() += 1;
                if erase {
                    let gone =
                        |person: &&u128| !writer.state().feed.people().knows(Person(**person));
                    out.extend(chosen.iter().filter(gone));
                }
            }
            if let Some(answer) = about_held(
                &mut writer,
                &mut draw,
                seed * 1000 + tick as u64 * 10 + 7,
                policy,
            ) {
                *done
                    .entry(format!("{} {}", answer.asked, answer.done))
                    .or_default() += 1;
            }
            for (path, bytes) in before {
                assert!(
                    is_advisory(&path) || public.objects().get(&path) == Some(&bytes),
                    "{path} never changes"
                );
            }
            assert!(
                folded(&private, &public) == writer.state().bytes(),
                "{policy}, seed {seed}, tick {tick}"
            );
            let state = writer.state();
            assert!(adds_up(state, policy), "{policy}, seed {seed}, tick {tick}");
            assert_eq!(
                state.feed.people().len(),
                came.len() - out.len(),
                "{policy}, seed {seed}, tick {tick}"
            );
            let left = out.iter().find_map(|&person| holds(&private, person));
            assert_eq!(left, None, "{policy}, seed {seed}, tick {tick}");
        }
        let (mine, public_root) = stores();
        drop(writer);
        let writer = open(&feed(policy), mine, public_root, seed + 500, manual).expect("a feed");
        assert_eq!(writer.state().feed.people().len(), came.len() - out.len());
    }
    println!("{done:?}");
    for what in [
        "erase true",
        "new-chain true",
        "approve true",
        "reject true",
    ] {
        assert!(
            done.get(what)
                .is_some_and(|times| u64::from(*times) > seeds / 4),
            "{what}: {done:?}"
        );
    }
}

/// For a published person only the raw row is removed: the knowledge about people stays, and a new
/// checkpoint replaces the previous one.
#[test]
fn a_published_person_is_erased_without_a_replay() {
    for policy in POLICIES.into_iter().chain([CROWDS, MEASURED, HALVED]) {
        let (private, public, mut draw, mut known) =
            (Memory::default(), Memory::default(), Draw(4), 0);
        let mine = || -> (Arc<dyn Store>, Arc<dyn Store>) {
            (Arc::new(private.clone()), Arc::new(public.clone()))
        };
        let (store, shown) = mine();
        let mut writer = open(&feed(policy), store, shown, 3, false).expect("a feed");
        let ticks: Vec<_> = (0..12).map(|_| crowd(&mut draw, &mut known)).collect();
        ticks
            .iter()
            .enumerate()
            .for_each(|(tick, people)| step(&mut writer, tick, people).expect("a tick"));
        while writer.checkpoint().expect("a checkpoint").is_none() {
            let tick = writer.state().files.len();
            step(&mut writer, tick, &[]).expect("a tick");
        }
        let one = |person: u128| RequestKind::Erase {
            people: vec![Hash(Person(person))],
            rows: false,
        };
        let is_published = |person: &u128| {
            let [private, public] = [&private, &public].map(|store| Memory::with(store.objects()));
            let mut copy =
                open(&feed(policy), Arc::new(private), Arc::new(public), 5, false).expect("a feed");
            ask(&mut copy, one(*person), 6, policy).changed == Some(0)
        };
        let person = ticks
            .iter()
            .flatten()
            .map(|human| human.0)
            .find(is_published)
            .expect("some are published");
        let checkpoints = || packed(&private).list("checkpoint").expect("a listing");
        let before = checkpoints();
        let answer = ask(&mut writer, one(person), 6, policy);
        assert!(
            checkpoints().iter().all(|now| !before.contains(now)),
            "{policy}: one from before it is left"
        );
        assert_eq!(
            (answer.done, answer.changed),
            (true, Some(0)),
            "{policy}: {}",
            answer.text
        );
        let whole = packed(&private);
        let ring = KeyRing::open(&whole, &key()).expect("keys").expect("keys");
        let quick = past_quickly(&whole, &public, &ring).expect("a log");
        assert!(
            quick.checkpoint.is_some() && quick.read < 3,
            "{policy}: {} entries",
            quick.read
        );
        assert!(
            quick.state.expect("a chain").bytes() == folded(&private, &public),
            "{policy}"
        );
        assert!(
            folded(&private, &public) == writer.state().bytes(),
            "{policy}"
        );
        let raw = |path: &String| path.starts_with("seg/") || path.starts_with("atoms/");
        let bytes = person.to_le_bytes();
        let rows = opened(&private).into_iter().filter(|(path, _)| raw(path));
        assert_eq!(
            rows.filter(|(_, rows)| rows.windows(16).any(|some| some == bytes))
                .count(),
            0,
            "{policy}"
        );
    }
}

#[test]
fn messages_set_aside_that_cannot_be_read_keep_no_person_here() {
    let (private, public) = (Memory::default(), Memory::default());
    let mut writer = open(
        &feed(POLICIES[0]),
        Arc::new(private.clone()),
        Arc::new(public),
        1,
        false,
    )
    .expect("a feed");
    let (look, aside) = (
        Consumed {
            code: Sha256::of(b"a"),
            generation: 0,
            size: 1,
            modified: 0,
        },
        vec![1].into(),
    );
    let people = rows(&[(7 << 100, 0, 1, 0)]);
    writer
        .take(
            TakenMessages::file("a.csv".to_owned(), look, 2, people, Some((1, aside)), 0),
            &time(0),
        )
        .expect("rows");
    let answer = ask(
        &mut writer,
        RequestKind::Erase {
            people: vec![Hash(Person(7 << 100))],
            rows: false,
        },
        1,
        POLICIES[0],
    );
    assert!(answer.done && answer.changed == Some(1), "{}", answer.text);
    assert!(
        answer
            .text
            .contains("1 objects of messages that are set aside"),
        "{}",
        answer.text
    );
    assert!(holds(&private, 7 << 100).is_none() && writer.state().quarantine.len() == 1);
    let answer = ask(&mut writer, RequestKind::Retry, 2, POLICIES[0]);
    assert!(
        !answer.done
            && answer
                .text
                .contains("messages that are set aside in the private root: format version 1."),
        "{}",
        answer.text
    );
}

/// The cost of an erasure depends on what it changes, not on the length of the log: of the entries
/// only the newest one exists while people are erased who wait and whose atoms are in a held
/// release.
#[test]
fn an_erasure_does_not_read_the_log() {
    let mut dissolved = BTreeSet::new();
    for policy in [&POLICIES[..], &FURTHER, &[STOPPED]].concat() {
        let (private, public, mut draw, mut known) =
            (Memory::default(), Memory::default(), Draw(7), 0);
        let mut writer = open(
            &feed(policy),
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            3,
            true,
        )
        .expect("a feed");
        let mut people = Vec::new();
        // Entries are not packed, and a release waits in the end.
        for tick in (0..40).filter(|tick| tick % 3 < 2) {
            let crowd = crowd(&mut draw, &mut known);
            people.extend(crowd.iter().map(|human| Hash(Person(human.0))));
            step(&mut writer, tick, &crowd).expect("a tick");
            if writer.state().held.is_some()
                || writer.state().feed.stopped() && writer.state().feed.waiting().rows() > 0
            {
                break;
            }
        }
        assert_eq!(writer.state().feed.stopped(), policy == STOPPED, "{policy}");
        let pending = writer.state().feed.pending();
        let entries = private.list("log").expect("a listing");
        let taken: Vec<(String, Vec<u8>)> = entries[..entries.len() - 1]
            .iter()
            .map(|entry| {
                (
                    entry.path.clone(),
                    private
                        .read(&entry.path)
                        .expect("a read")
                        .expect("an entry"),
                )
            })
            .collect();
        taken
            .iter()
            .for_each(|(path, _)| private.delete(path).expect("it goes"));
        people.retain(|_| draw.below(3) == 0);
        let answer = ask(
            &mut writer,
            RequestKind::Erase {
                people,
                rows: false,
            },
            6,
            policy,
        );
        assert!(
            answer.done && answer.changed > Some(0),
            "{policy}: {}",
            answer.text
        );
        if writer.state().feed.pending() < pending {
            dissolved.insert(policy);
        }
        for (path, bytes) in &taken {
            assert!(private.create(path, bytes).is_ok(), "{path}");
        }
        assert!(
            folded(&private, &public) == writer.state().bytes(),
            "{policy}"
        );
    }
    assert!(dissolved.len() > 6, "{dissolved:?}");
}

/// Whatever a writer has left half done, the next one completes it before it handles the request.
#[test]
fn a_person_is_erased_behind_any_crash() {
    use super::crash::Dying;
    use std::sync::atomic::AtomicU64;
    for policy in [POLICIES[1], POLICIES[3]] {
        let (mut draw, mut known) = (Draw(3), 0);
        let ticks: Vec<Vec<super::feed::Human>> =
            (0..4).map(|_| crowd(&mut draw, &mut known)).collect();
        // Every fifth write in everyday runs, of either kind.
        for at in (1..200).step_by(if long() { 1 } else { 5 }) {
            let (private, public) = (Memory::default(), Memory::default());
            let left = Arc::new(AtomicU64::new(at));
            let store = |of: &Memory| {
                Arc::new(Dying {
                    store: of.clone(),
                    left: left.clone(),
                    after: at % 2 == 0,
                })
            };
            let run = open(&feed(policy), store(&private), store(&public), at, false).and_then(
                |mut writer| {
                    ticks
                        .iter()
                        .enumerate()
                        .try_for_each(|(tick, people)| step(&mut writer, tick, people))
                },
            );
            if run.is_ok() {
                break;
            }
            let opened = open(
                &feed(policy),
                Arc::new(private.clone()),
                Arc::new(public.clone()),
                at + 1000,
                false,
            );
            let mut writer = opened.expect("a feed");
            let people = ticks
                .iter()
                .flatten()
                .step_by(3)
                .map(|human| Hash(Person(human.0)))
                .collect();
            assert!(
                ask(
                    &mut writer,
                    RequestKind::Erase {
                        people,
                        rows: false
                    },
                    at,
                    policy
                )
                .done
            );
            ticks
                .iter()
                .enumerate()
                .for_each(|(tick, people)| step(&mut writer, tick, people).expect("a tick"));
            let fold = folded(&private, &public);
            assert!(
                fold == writer.state().bytes(),
                "{policy}, write {at}: {:#?}",
                writer.state()
            );
        }
    }
}
