//! The slow check of everything while a feed runs: damaged files are named in the words of
//! `verify`, and objects that the feed itself packs, forgets, erases and removes meanwhile are not
//! damage.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::feed_writer::{FeedWriter, Hash, Request, RequestKind};
use tidegate::daemon::journal::store::{Memory, ReadStore as _, Store};
use tidegate::daemon::verify::{self, Damage, FileFault, Scrub, ScrubInput, ScrubStep, inspect};
use tidegate::engine::histogram::Person;
use tidegate::engine::release::Layout;

use crate::common::draw::{CROWDS, Draw, POLICIES, TWO_TABLES};
use crate::common::feed::{self, crowd, open, step, taken, time};
use crate::common::random;

/// More steps than any round takes here.
const MANY: u32 = 100_000;

fn roots(writer: &FeedWriter) -> ScrubInput<'_> {
    let log = writer.log();
    ScrubInput {
        private: log.store(),
        public: writer.public(),
        ring: log.ring(),
        state: writer.state(),
        next: log.next(),
    }
}

/// The finding of a step, which is found again.
fn found(writer: &FeedWriter, step: ScrubStep) -> Option<Damage> {
    let ScrubStep::Damaged(damage) = step else {
        return None;
    };
    inspect(roots(writer), &damage.place).expect("memory")
}

/// All findings of a whole round.
fn round(writer: &FeedWriter) -> Vec<Damage> {
    let (mut scrub, mut all) = (Scrub::default(), Vec::new());
    for _ in 0..MANY {
        match scrub.step(roots(writer)).expect("memory") {
            ScrubStep::Over => return all,
            step => all.extend(found(writer, step)),
        }
    }
    panic!("a round has an end");
}

fn verified(writer: &FeedWriter, private: &Memory, public: &Memory) -> Vec<FileFault> {
    let private = feed::packed(private);
    let found = verify::roots(&private, writer.log().ring(), public, Layout::Root, &[]);
    // Without a pack, or with a changed one, it ends with an error.
    found.map_or_else(
        |_| Vec::new(),
        |(seen, found)| found.findings.into_iter().chain(seen.findings).collect(),
    )
}

fn begun(policy: &str) -> (Memory, Memory, FeedWriter) {
    let (private, public, mut draw, mut known) = (Memory::default(), Memory::default(), Draw(3), 0);
    let (roots, seed) = ((Arc::new(private.clone()), Arc::new(public.clone())), 1);
    let mut writer = open(&feed::feed(policy), roots.0, roots.1, seed, false).expect("a feed");
    for tick in 0..5 {
        step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
    }
    let mut aside = taken("aside.csv", &[(1 << 90, 1, 2, 3)]);
    let part = &mut aside.parts[0];
    (part.seen, part.next, part.aside) = (2, 2, Some((1, b"set aside".to_vec().into())));
    writer.take(aside, &time(6)).expect("a file");
    assert!(
        !writer.state().releases.is_empty(),
        "{policy}: something was published"
    );
    (private, public, writer)
}

/// Whether a scrub has to find this: it is where the log names it, packed or not, and the feed
/// still needs it.
fn is_named(writer: &FeedWriter, root: &str, path: &str) -> bool {
    let state = writer.state();
    let needed = |path: &str| state.live.contains(path);
    match path.split('/').next().unwrap_or_default() {
        _ if root == "public" => {
            let lines = || state.releases.iter().filter(|line| line.is_visible());
            let is_manifest = |release: u32| {
                path.strip_suffix(".sig").unwrap_or(path) == Layout::Root.manifest(release)
            };
            lines().any(|line| {
                is_manifest(line.release) || line.files.iter().any(|(file, _)| file == path)
            })
        }
        "log" => true,
        "pack" => path.starts_with("pack/log/"),
        "keys" => state
            .live
            .iter()
            .any(|object| writer.log().ring().place(object) == path),
        _ => needed(path),
    }
}

#[test]
fn damage_behind_a_running_feed_is_named_in_the_words_of_verify() {
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for policy in [POLICIES[0], CROWDS, TWO_TABLES] {
        let (private, public, writer) = begun(policy);
        assert_eq!(round(&writer), [], "{policy}");
        for (root, store) in [("private", &private), ("public", &public)] {
            for (path, whole) in store
                .objects()
                .into_iter()
                .filter(|(path, _)| is_named(&writer, root, path))
            {
                for is_gone in [true, false] {
                    // A changed signature concerns readers, who have the public key.
                    if !is_gone && path.ends_with(".sig") {
                        continue;
                    }
                    store.delete(&path).expect("memory");
                    let mut bytes = whole.clone();
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 1;
                    if !is_gone {
                        store.replace(&path, &bytes).expect("memory");
                    }
                    let found = round(&writer);
                    // An entry that is also unpacked may be read in its pack.
                    let is_twice = path.starts_with("log/")
                        && feed::packed(&private)
                            .read(&path)
                            .expect("memory")
                            .is_some();
                    let case = format!("{policy}: {root} {path}, gone: {is_gone}");
                    assert!(!found.is_empty() || is_twice, "{case}");
                    let meant = verified(&writer, &private, &public);
                    let other = found
                        .iter()
                        .find(|damage| !meant.is_empty() && !meant.contains(&damage.finding));
                    assert!(other.is_none(), "{case}: {other:?} and verify {meant:?}");
                    *kinds
                        .entry(format!(
                            "{root} {}",
                            path.split('/').next().expect("a folder")
                        ))
                        .or_default() += 1;
                    store.replace(&path, &whole).expect("memory");
                }
            }
        }
        assert_eq!(round(&writer), [], "{policy}: everything was put back");
    }
    let meant = [
        "log",
        "pack",
        "keys",
        "terms",
        "atoms",
        "mask",
        "quarantine",
        "seg",
    ]
    .map(|kind| format!("private {kind}"));
    let public = ["data", "taxonomy", "report", "manifest", "sensitive"]
        .map(|kind| format!("public {kind}"));
    let missing: Vec<_> = meant
        .iter()
        .chain(&public)
        .filter(|kind| !kinds.contains_key(*kind))
        .collect();
    assert!(missing.is_empty(), "no case of {missing:?}: {kinds:?}");
}

/// Damage that stops a feed, and damage that concerns people only.
#[test]
fn a_feed_continues_without_objects_for_readers_alone() {
    let (private, public, writer) = begun(POLICIES[0]);
    for (root, store) in [("private", &private), ("public", &public)] {
        for (path, whole) in store
            .objects()
            .into_iter()
            .filter(|(path, _)| is_named(&writer, root, path))
        {
            store.delete(&path).expect("memory");
            let stops = round(&writer).iter().any(Damage::stops);
            let is_for_people = ["report/", "quarantine/", "verdict/"]
                .iter()
                .any(|folder| path.starts_with(folder));
            let is_key_of_them = path.starts_with("keys/") || path.starts_with("pack/");
            let is_twice = feed::packed(&private)
                .read(&path)
                .expect("memory")
                .is_some();
            assert!(
                stops != is_for_people || is_key_of_them || is_twice,
                "{root} {path}"
            );
            store.replace(&path, &whole).expect("memory");
        }
    }
}

#[test]
fn what_a_feed_does_itself_is_no_damage() {
    let (cases, left) = (AtomicU32::new(0), AtomicU32::new(0));
    random::run("scrub", 12, |draw| {
        // Only few kinds of chains can remove releases.
        let policies: Vec<&str> = match cases.fetch_add(1, Ordering::Relaxed) % 4 {
            0 => vec![CROWDS],
            1 => vec![CROWDS, TWO_TABLES],
            _ => POLICIES.to_vec(),
        };
        let policy = policies[draw.between(0, policies.len() as u64 - 1) as usize];
        let feed_file = feed::feed(policy);
        let (private, public) = (Memory::default(), Memory::default());
        let mut writer = open(
            &feed_file,
            Arc::new(private.clone()),
            Arc::new(public.clone()),
            1,
            false,
        )
        .expect("a feed");
        let (mut people, mut known, mut scrub, mut rounds) =
            (Draw(draw.between(0, 1 << 40)), 0, Scrub::default(), 0);
        let mut came = BTreeSet::new();
        for tick in 0..24 {
            for _ in 0..draw.between(1, 4) {
                for _ in 0..draw.between(0, 60) {
                    let step = scrub.step(roots(&writer)).expect("memory");
                    rounds += u32::from(step == ScrubStep::Over);
                    let damage = found(&writer, step);
                    assert!(damage.is_none(), "{policy}: {damage:?}");
                }
                match draw.between(0, 4) {
                    0 => drop(writer.pack().expect("a root")),
                    1 => drop(
                        writer
                            .forget(time(tick + 30).parse().expect("a time"))
                            .expect("a root"),
                    ),
                    2 if !came.is_empty() => {
                        let gone: Vec<Hash> = came
                            .iter()
                            .copied()
                            .take(2)
                            .map(|one| Hash(Person(one)))
                            .collect();
                        came.retain(|one| !gone.contains(&Hash(Person(*one))));
                        asks(
                            &mut writer,
                            RequestKind::Erase {
                                people: gone,
                                rows: policy == CROWDS,
                            },
                            policy,
                            tick,
                        );
                    }
                    3 => {
                        let newest = writer
                            .state()
                            .releases
                            .iter()
                            .rev()
                            .find(|line| line.is_visible());
                        if let Some(release) = newest.map(|line| line.release) {
                            asks(
                                &mut writer,
                                RequestKind::Withdraw {
                                    release,
                                    republish: true,
                                },
                                policy,
                                tick,
                            );
                        }
                    }
                    _ => {}
                }
            }
            let crowd = crowd(&mut people, &mut known);
            came.extend(crowd.iter().map(|human| human.0));
            step(&mut writer, tick, &crowd).expect("a tick");
        }
        let damage = round(&writer);
        assert!(damage.is_empty(), "{policy}: {damage:?}");
        assert!(rounds > 0, "{policy}: no round was over");
        let removed = writer
            .state()
            .releases
            .iter()
            .filter(|line| line.removed.is_some())
            .count();
        left.fetch_add(removed as u32, Ordering::Relaxed);
    });
    assert!(left.into_inner() > 0, "no release has left the public root");
}

/// Makes a request; a refused one changes nothing.
fn asks(writer: &mut FeedWriter, ask: RequestKind, policy: &str, tick: usize) {
    let (now, why, seed) = (time(tick), Some("a reason".to_owned()), writer.log().next());
    let request = Request::new(
        ask,
        "me".to_owned(),
        now,
        why,
        writer.log().place(),
        &mut Seeded::new(seed),
    );
    writer
        .carry_out(
            &request.expect("a request"),
            &|| Ok(feed::feed(policy)),
            &time(tick),
        )
        .expect("a root");
    writer.clean(&time(tick)).expect("a root");
}
