//! Roots that were changed outside the program: objects of every kind are changed, cut, removed, or
//! replaced by another one. Either the feed does not open and names the object and what to do, or
//! nothing changes: it reads the same state, and publishes the same tables in the end.
//! `WHAT_HAPPENS` lists the outcomes of each kind.

use crate::common::{draw, feed, is_long, random};

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;
use tidegate::daemon::error::{Error, Result};
use tidegate::daemon::feed_writer::{DecisionMade, FeedWriter, TakenMessages};
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::{Memory, ReadStore as _};
use tidegate::daemon::verify::{self, FileFault};
use tidegate::engine::release::Layout;

use draw::{Draw, POLICIES};
use feed::{Human, crowd, open, step, taken, time};

/// Ticks before the roots are damaged.
const TICKS: usize = 5;
/// One object in this many is damaged in an everyday run.
const EVERY: u64 = 5;

type Objects = BTreeMap<String, Vec<u8>>;

/// Both roots.
#[derive(Clone)]
struct Roots {
    private: Objects,
    public: Objects,
}

impl Roots {
    fn of(&mut self, root: &str) -> &mut Objects {
        if root == "private" {
            &mut self.private
        } else {
            &mut self.public
        }
    }
}

/// The damage of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Damage {
    Flipped,
    Cut,
    Gone,
    Swapped,
}

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The feed does not open: an error names the object and says what to do.
    Refused,
    /// The feed opens, and fails with such an error when it needs the object.
    Late,
    /// The feed opens in the state before its newest entry, and its file is read again.
    Earlier,
    /// Nothing changes.
    Same,
}
use Damage::{Cut, Flipped, Gone, Swapped};
use Outcome::{Earlier, Late, Refused, Same};

/// The outcomes of each kind of object and each damage, over all objects of the kind and all kinds
/// of chains. If there is more than one outcome, some of the objects are needed and some are not
/// any more.
const WHAT_HAPPENS: &[(&str, Damage, &[Outcome])] = &[
    // Its feed is a part of what wraps the keys.
    ("private FORMAT", Gone, &[Refused]),
    ("private FORMAT", Cut, &[Refused]),
    ("private FORMAT", Flipped, &[Refused]),
    // Nothing shows that the newest entry is gone, unless the public root contains a trace of it. A
    // fence that is in a pack as well is read there.
    ("private log", Gone, &[Refused, Earlier, Same]),
    ("private log", Cut, &[Refused, Same]),
    ("private log", Flipped, &[Refused, Same]),
    ("private log", Swapped, &[Refused]),
    ("private keys feed", Gone, &[Refused]),
    ("private keys feed", Cut, &[Refused]),
    ("private keys feed", Flipped, &[Refused]),
    // As for the objects that they open.
    ("private keys", Gone, &[Refused, Late, Same]),
    ("private keys", Cut, &[Refused, Late, Same]),
    ("private keys", Flipped, &[Refused, Late, Same]),
    ("private keys", Swapped, &[Refused, Late, Same]),
    ("private terms", Gone, &[Refused]),
    ("private terms", Cut, &[Refused]),
    ("private terms", Flipped, &[Refused]),
    // Needed until their tick is closed; until they are forgotten `verify` names missing ones.
    ("private seg", Gone, &[Refused, Same]),
    ("private seg", Cut, &[Refused, Same]),
    ("private seg", Flipped, &[Refused, Same]),
    ("private seg", Swapped, &[Refused, Same]),
    // Read as long as a person in them is not published; afterwards `verify` names changed ones.
    ("private atoms", Gone, &[Refused, Same]),
    ("private atoms", Cut, &[Refused, Same]),
    ("private atoms", Flipped, &[Refused, Same]),
    ("private atoms", Swapped, &[Refused, Same]),
    ("private mask", Gone, &[Refused]),
    ("private mask", Cut, &[Refused]),
    ("private mask", Flipped, &[Refused]),
    ("private mask", Swapped, &[Refused]),
    ("private members", Gone, &[Refused]),
    ("private members", Cut, &[Refused]),
    ("private members", Flipped, &[Refused]),
    ("private members", Swapped, &[Refused]),
    // A decided release cannot be published; later ones are also checked against its table. Packs
    // contain entries, counts, rows of closed ticks, and their keys.
    ("private pack", Gone, &[Refused, Same]),
    ("private pack", Cut, &[Refused]),
    ("private pack", Flipped, &[Refused, Same]),
    ("private pack", Swapped, &[Refused]),
    ("private stage", Gone, &[Refused, Late]),
    ("private stage", Cut, &[Refused, Late]),
    ("private stage", Flipped, &[Refused, Late]),
    ("private stage", Swapped, &[Refused, Late]),
    // Read when they are offered again, and by people.
    ("private quarantine", Gone, &[Same]),
    ("private quarantine", Cut, &[Same]),
    ("private quarantine", Flipped, &[Same]),
    ("private verdict", Gone, &[Same]),
    ("private verdict", Cut, &[Same]),
    ("private verdict", Flipped, &[Same]),
    ("private verdict", Swapped, &[Same]),
    ("public data", Gone, &[Refused, Same]),
    ("public data", Cut, &[Refused, Same]),
    ("public data", Flipped, &[Refused, Same]),
    ("public data", Swapped, &[Refused, Same]),
    // One for all releases: written again if missing, but never over another one.
    ("public taxonomy", Gone, &[Same]),
    ("public taxonomy", Cut, &[Late]),
    ("public taxonomy", Flipped, &[Late]),
    // For readers, who check them against their hashes and signatures. The feed knows what it has
    // published.
    ("public report", Gone, &[Same]),
    ("public report", Cut, &[Same]),
    ("public report", Flipped, &[Same]),
    ("public report", Swapped, &[Same]),
    ("public manifest", Gone, &[Same]),
    ("public manifest", Cut, &[Same]),
    ("public manifest", Flipped, &[Same]),
    ("public manifest", Swapped, &[Same]),
    ("public manifest sig", Gone, &[Same]),
    ("public manifest sig", Cut, &[Same]),
    ("public manifest sig", Flipped, &[Same]),
    ("public manifest sig", Swapped, &[Same]),
    // For people; written again with each release.
    ("public index.html", Gone, &[Same]),
    ("public index.html", Cut, &[Same]),
    ("public index.html", Flipped, &[Same]),
    ("public LATEST", Gone, &[Same]),
    ("public LATEST", Cut, &[Same]),
    ("public LATEST", Flipped, &[Same]),
];

/// A class that none of the others is in.
fn many(from: u128, count: u32) -> Vec<Human> {
    (0..count)
        .map(|at| (from + u128::from(at), at % 2, at % 40, (at % 4) as u8))
        .collect()
}

/// The last file.
fn rest() -> TakenMessages {
    taken("rest.csv", &many(1 << 90, 6))
}

/// A feed that has published, has a decided release to publish, and has read rows since; some
/// messages are set aside.
fn running_feed(policy: &str) -> Roots {
    let (private, public) = (Memory::default(), Memory::default());
    let (mut draw, mut known) = (Draw(3), 0);
    let mut writer = opened(policy, &private, &public, 1).expect("a feed");
    for tick in 0..TICKS {
        step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
    }
    assert!(
        !writer.state().releases.is_empty(),
        "{policy}: something was published"
    );
    let (tick, now) = (TICKS, time(TICKS));
    let mut aside = taken(&format!("{tick:03}.csv"), &many(1 << 100, 120));
    let part = &mut aside.parts[0];
    (part.seen, part.next) = (part.seen + 1, part.next + 1);
    part.aside = Some((1, b"set aside".to_vec().into()));
    writer.take(aside, &now).expect("a file");
    writer.close(&now).expect("a tick");
    let decided = writer
        .decide()
        .expect("a decision")
        .map(|(decided, ..)| decided);
    assert_eq!(decided, Some(DecisionMade::Publish), "{policy}");
    writer.take(rest(), &now).expect("a file");
    Roots {
        private: private.objects(),
        public: public.objects(),
    }
}

fn opened(policy: &str, private: &Memory, public: &Memory, chance: u64) -> Result<FeedWriter> {
    open(
        &feed::feed(policy),
        Arc::new(private.clone()),
        Arc::new(public.clone()),
        chance,
        false,
    )
}

/// The following steps: the decided release is published, a file is offered again, and there is
/// another tick.
fn continues(writer: &mut FeedWriter) -> Result<()> {
    writer.roll_forward(&time(TICKS + 1))?;
    if writer.taken("rest.csv").is_none() {
        writer.take(rest(), &time(TICKS))?;
    }
    step(writer, TICKS + 2, &many(1 << 80, 60))
}

/// A feed that was opened and continued: its state then and in the end, the number of files that it
/// knew, and what it published.
#[derive(PartialEq)]
struct Story {
    files: usize,
    states: [Vec<u8>; 2],
    tables: Objects,
}

/// Opens a feed and continues it; true with an error that occurred after it was open.
fn story(policy: &str, roots: &Roots) -> std::result::Result<Story, (Error, bool)> {
    let (private, public) = (
        Memory::with(roots.private.clone()),
        Memory::with(roots.public.clone()),
    );
    let mut writer = opened(policy, &private, &public, 2).map_err(|error| (error, false))?;
    let (state, files) = (writer.state().bytes(), writer.state().files.len());
    continues(&mut writer).map_err(|error| (error, true))?;
    let mut tables = public.objects();
    tables.retain(|path, _| path.starts_with("data/") && !roots.public.contains_key(path));
    Ok(Story {
        files,
        states: [state, writer.state().bytes()],
        tables,
    })
}

/// The findings of `verify` in damaged roots, and none in whole ones.
fn verified(roots: &Roots) -> Result<Option<Vec<FileFault>>> {
    let (private, public) = (
        Memory::with(roots.private.clone()),
        Memory::with(roots.public.clone()),
    );
    let private = feed::packed(&private);
    let Some(ring) = KeyRing::open(&private, &feed::key())? else {
        return Ok(None);
    };
    let (seen, found) = verify::roots(&private, &ring, &public, Layout::Root, &[])?;
    Ok(Some(
        found.findings.into_iter().chain(seen.findings).collect(),
    ))
}

/// Damage that `verify` misses: it must name everything that is wrong, and what a start refuses in
/// the same words. The newest entry is an exception: nothing shows that it existed, unless there is
/// a trace of it elsewhere.
fn missed(
    policy: &str,
    roots: &Roots,
    (root, path, damage): (&str, &str, Damage),
) -> Option<String> {
    // Without keys, or with wrong ones, it ends with the error of a start.
    let Ok(Some(found)) = verified(roots) else {
        return None;
    };
    if let Err((error, false)) = story(policy, roots) {
        let said = found.iter().any(|finding| finding.text == error.text);
        return (!said).then(|| format!("a start says {error}, and verify says {found:?}"));
    }
    let newest = path.starts_with("log/") && damage == Gone;
    (root == "private" && found.is_empty() && !newest).then(|| "verify finds nothing".to_owned())
}

/// The kind of an object: its folder, and for keys the kind of object that they open.
fn kind(root: &str, path: &str) -> String {
    let folder = path.split('/').next().unwrap_or(path);
    let more = match path {
        _ if path.ends_with("/feed.wrap") => " feed",
        _ if path.ends_with(".sig") => " sig",
        _ => "",
    };
    format!("{root} {folder}{more}")
}

/// All ways in which one object is damaged: the roots, and the names that an error may contain.
fn damaged(roots: &Roots, root: &str, path: &str) -> Vec<(Damage, Roots, Vec<String>)> {
    let whole = roots.clone().of(root).clone();
    let bytes = whole[path].clone();
    let with = |change: &dyn Fn(&mut Objects)| {
        let mut roots = roots.clone();
        change(roots.of(root));
        roots
    };
    let mut found = Vec::new();
    for (at, bit) in [
        (0, 1),
        (bytes.len() / 3, 0x20),
        (bytes.len() / 2, 1),
        (bytes.len() - 1, 4),
    ] {
        let flip = |objects: &mut Objects| objects.get_mut(path).expect("it is there")[at] ^= bit;
        found.push((Flipped, with(&flip), vec![path.to_owned()]));
    }
    for size in [0, bytes.len() / 2, bytes.len() - 1] {
        let cut =
            |objects: &mut Objects| objects.get_mut(path).expect("it is there").truncate(size);
        found.push((Cut, with(&cut), vec![path.to_owned()]));
    }
    found.push((
        Gone,
        with(&|objects| _ = objects.remove(path)),
        vec![path.to_owned()],
    ));
    let alike = |other: &&String| *other != path && kind(root, other) == kind(root, path);
    let other = whole
        .keys()
        .filter(alike)
        .find(|other| other.as_str() > path)
        .or_else(|| whole.keys().find(alike));
    if let Some(other) = other.filter(|other| whole[*other] != bytes) {
        let swap = |objects: &mut Objects| {
            objects.insert(path.to_owned(), whole[other].clone());
            objects.insert(other.clone(), bytes.clone());
        };
        found.push((Swapped, with(&swap), vec![path.to_owned(), other.clone()]));
    }
    found
}

/// The outcome of damage; an error must contain one of these names, and what to do.
fn outcome(
    policy: &str,
    roots: &Roots,
    meant: &Story,
    names: &[String],
) -> std::result::Result<Outcome, String> {
    let reported = catch_unwind(AssertUnwindSafe(|| story(policy, roots)))
        .map_err(|_| "it panics".to_owned())?;
    match reported {
        Ok(story) if story == *meant => Ok(Same),
        Ok(story) if story.tables == meant.tables && story.files + 1 == meant.files => Ok(Earlier),
        Ok(_) => Err("something is different, and no error says so".to_owned()),
        Err((error, late)) => {
            let text = error.to_string();
            let named = names.iter().any(|name| text.contains(name.as_str()));
            let helps = [
                "restore",
                "Restore",
                "name the ",
                "Move it away",
                "give each feed its own",
            ]
            .iter()
            .any(|way| text.contains(way));
            match named && helps {
                true => Ok(if late { Late } else { Refused }),
                false => Err(format!(
                    "it does not say which object, or what to do: {text}"
                )),
            }
        }
    }
}

/// The names of an object in errors, or of one of two objects that were exchanged. For a missing
/// pack the error names its content.
fn names(roots: &Roots, path: &str) -> Vec<String> {
    if path.starts_with("pack/") {
        let alone = Memory::with(
            [(path.to_owned(), roots.private[path].clone())]
                .into_iter()
                .collect(),
        );
        let held = feed::packed(&alone)
            .list("")
            .expect("a pack")
            .into_iter()
            .map(|listed| listed.path);
        let run = path
            .strip_prefix("pack/log/")
            .and_then(|run| run.split_once('-'));
        let run =
            run.map(|(first, last)| [first, last].map(|at| at.parse::<u64>().expect("a place")));
        let entries = run
            .into_iter()
            .flat_map(|[first, last]| first..=last)
            .map(|at| format!("{at:020}.json"));
        let name = |path: String| {
            path.rsplit('/')
                .next()
                .expect("a name")
                .trim_end_matches(".wrap")
                .to_owned()
        };
        return held
            .map(name)
            .chain([path.to_owned()])
            .chain(entries)
            .collect();
    }
    match path
        .strip_prefix("keys/")
        .and_then(|path| path.strip_suffix("/feed.wrap"))
    {
        // Without it the epoch that it belonged to is unknown.
        Some(_) => vec![path.to_owned(), "`keys`".to_owned()],
        // A key, or the object that it opens.
        None => {
            let name = path
                .rsplit('/')
                .next()
                .expect("a name")
                .trim_end_matches(".wrap");
            // Of a feed with another name.
            let other = (path == "FORMAT").then(|| "belongs to the feed".to_owned());
            [name.to_owned()].into_iter().chain(other).collect()
        }
    }
}

#[test]
fn damage_is_named_or_makes_no_difference() {
    let mut found: BTreeMap<(String, Damage), BTreeSet<Outcome>> = BTreeMap::new();
    let mut wrong = Vec::new();
    // In an everyday run one object in this many is damaged, chosen by the seed.
    let seed = random::seed();
    println!("damage: the same again: TIDEGATE_SEED={seed}");
    let is_chosen = |at: usize| is_long() || at as u64 % EVERY == seed % EVERY;
    // Publishing the root as fallback has no objects of its own.
    for policy in POLICIES.into_iter().take(3) {
        let roots = running_feed(policy);
        let meant = story(policy, &roots)
            .map_err(|(error, _)| error)
            .expect("it goes on");
        assert_eq!(
            verified(&roots).expect("whole roots"),
            Some(Vec::new()),
            "{policy}"
        );
        let private = roots.private.keys().map(|path| ("private", path));
        let all = private
            .chain(roots.public.keys().map(|path| ("public", path)))
            .enumerate();
        let all: Vec<(&str, &String)> = all
            .filter(|(at, _)| is_chosen(*at))
            .map(|(_, object)| object)
            .collect();
        let whole = &roots;
        let look = |(root, path): &(&'static str, &String)| {
            let one = |(damage, roots, paths): (Damage, Roots, Vec<String>)| {
                let names: Vec<String> = paths.iter().flat_map(|path| names(whole, path)).collect();
                let missed = missed(policy, &roots, (root, path, damage));
                let outcome = outcome(policy, &roots, &meant, &names);
                let outcome = missed.map_or(outcome, Err);
                (
                    (kind(root, path), damage),
                    outcome.map_err(|text| format!("{policy}: {path}, {damage:?}: {text}")),
                )
            };
            damaged(&roots, root, path)
                .into_iter()
                .map(one)
                .collect::<Vec<_>>()
        };
        let looked: Vec<_> = all.par_iter().flat_map_iter(look).collect();
        for (case, outcome) in looked {
            match outcome {
                Ok(outcome) => _ = found.entry(case).or_default().insert(outcome),
                Err(text) => wrong.push(text),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let outcomes = |outcomes: &[Outcome]| outcomes.iter().copied().collect::<BTreeSet<_>>();
    let table: BTreeMap<(String, Damage), BTreeSet<Outcome>> = WHAT_HAPPENS
        .iter()
        .map(|(kind, damage, of)| (((*kind).to_owned(), *damage), outcomes(of)))
        .collect();
    let fits = |meant: &BTreeSet<Outcome>, found: &BTreeSet<Outcome>| {
        found.is_subset(meant) && (!is_long() || found.len() == meant.len())
    };
    let other: Vec<_> = found
        .iter()
        .filter(|(case, outcomes)| !table.get(case).is_some_and(|meant| fits(meant, outcomes)))
        .collect();
    assert!(
        other.is_empty(),
        "what happens is not what the table says: {other:#?}"
    );
    // Some kinds have one object in each root, which is not damaged in every everyday run.
    let least = if is_long() {
        table.len()
    } else {
        table.len() / 4
    };
    assert!(
        found.len() >= least,
        "{} of {} rows of the table have a case",
        found.len(),
        table.len()
    );
}

/// An object that was removed together with its key: the log contains what was forgotten, and this
/// was not.
#[test]
fn an_object_that_went_with_its_key_is_named() {
    for policy in POLICIES.into_iter().take(2) {
        let roots = running_feed(policy);
        let ring = KeyRing::open(
            &feed::packed(&Memory::with(roots.private.clone())),
            &feed::key(),
        )
        .expect("keys");
        let ring = ring.expect("a feed");
        let mut looked = 0;
        let sealed = [
            "seg/",
            "atoms/",
            "mask/",
            "quarantine/",
            "verdict/",
            "terms/",
        ];
        for path in roots
            .private
            .keys()
            .filter(|path| sealed.iter().any(|folder| path.starts_with(folder)))
        {
            let mut roots = roots.clone();
            roots.private.remove(path);
            roots
                .private
                .remove(&ring.place(path))
                .expect("a key that lies alone");
            let found = verified(&roots).expect("roots").expect("keys");
            assert!(
                found.iter().any(|finding| finding.file == *path),
                "{policy}: {path}: {found:?}"
            );
            looked += 1;
        }
        assert!(looked > 6, "{policy}: {looked} objects");
    }
}

/// The log contains what was forgotten, and `verify` does not look for it.
#[test]
fn what_was_forgotten_is_not_missed() {
    for policy in POLICIES.into_iter().take(3) {
        let (private, public) = (Memory::default(), Memory::default());
        let (mut draw, mut known) = (Draw(3), 0);
        let mut writer = opened(policy, &private, &public, 1).expect("a feed");
        for tick in 0..TICKS {
            step(&mut writer, tick, &crowd(&mut draw, &mut known)).expect("a tick");
        }
        let gone = writer
            .forget("2027-01-01T00:00:00Z".parse().expect("a time"))
            .expect("a root");
        assert!(gone > 0, "{policy}");
        let roots = Roots {
            private: private.objects(),
            public: public.objects(),
        };
        assert_eq!(
            verified(&roots).expect("roots"),
            Some(Vec::new()),
            "{policy}"
        );
        let again = opened(policy, &private, &public, 2).expect("a feed");
        assert!(again.state().bytes() == writer.state().bytes(), "{policy}");
    }
}

/// A private root that claims to be another feed's.
#[test]
fn the_name_of_another_feed_is_named() {
    let mut roots = running_feed(POLICIES[0]);
    let format = String::from_utf8(roots.private["FORMAT"].clone()).expect("text");
    let (before, name) = format.split_once("\"feed\":\"").expect("a name");
    roots.private.insert(
        "FORMAT".to_owned(),
        format!("{before}\"feed\":\"x{name}").into_bytes(),
    );
    let Err((refused, false)) = story(POLICIES[0], &roots) else {
        panic!("a start refuses it")
    };
    assert!(refused.text.contains("belongs to the feed"), "{refused}");
    let error = verified(&roots).expect_err("the keys were wrapped for a feed of another name");
    assert!(
        error
            .text
            .contains("`FORMAT` was changed, or belongs to another feed"),
        "{error}"
    );
}
