//! The visible releases follow from the requests, and from how long manifests and rows stay
//! (`publish.keep`, `publish.retain`): a model of the public root beside random feeds. It reads the
//! decisions of the feed, and never its list of removed releases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use tidegate::daemon::feed_writer::{FeedSettings, FeedWriter, RequestKind};
use tidegate::daemon::journal::store::Memory;
use tidegate::daemon::verify;
use tidegate::engine::release::{Layout, ListedRelease, RemovalReason, index};

use super::draw::{CROWDS, Draw, HALVED, MEASURED};
use super::feed::{Human, crowd, key, settings, step, time};
use super::random_requests::{answered, drawn};
use super::rows::{Roots, files_are_needed, table_is_whole};
use crate::common::{is_advisory, is_long as long};

const CHAINS: [&str; 4] = [CROWDS, MEASURED, CROWDS, HALVED];

/// Ticks of a feed, of a minute each.
const TICKS: usize = 18;

/// Ticks after which a manifest, or a row, is too old.
const KEEP: usize = 6;
const RETAIN: usize = 8;

/// Feeds that failed before: rows that were too old were published again after a withdrawal (104).
const FAILED: [u64; 1] = [104];

/// A release that was visible once.
struct Release {
    chain: u32,
    tick: usize,
    gone: Option<RemovalReason>,
    /// The newest release whose rows it left out because they were too old.
    retired_through: Option<u32>,
}

/// The expected content of the public root.
#[derive(Default)]
struct Model {
    releases: BTreeMap<u32, Release>,
}

impl Model {
    fn visible(&self) -> Vec<u32> {
        self.releases
            .iter()
            .filter(|(_, release)| release.gone.is_none())
            .map(|(number, _)| *number)
            .collect()
    }

    fn remove(&mut self, reason: RemovalReason, of_them: impl Fn(u32, &Release) -> bool) {
        for (number, release) in &mut self.releases {
            if release.gone.is_none() && of_them(*number, release) {
                release.gone = Some(reason);
            }
        }
    }

    /// Removes manifests that are too old at a tick, except the newest one of each chain.
    fn expire(&mut self, tick: usize) {
        let newest: BTreeSet<u32> = self
            .visible()
            .into_iter()
            .map(|number| (self.releases[&number].chain, number))
            .collect::<BTreeMap<_, _>>()
            .into_values()
            .collect();
        self.remove(RemovalReason::Expired, |number, release| {
            release.tick + KEEP <= tick && !newest.contains(&number)
        });
    }

    /// Adds releases that were published according to the log, and the erased rows that they left
    /// out: earlier ones with those rows are removed.
    fn published(&mut self, writer: &FeedWriter) {
        for line in writer
            .state()
            .releases
            .iter()
            .filter(|line| line.manifest.is_some())
        {
            let minute = |time: &str| time[14..16].parse::<usize>().expect("minutes");
            let retired_through = line.retired_through;
            let release = || Release {
                chain: line.chain,
                tick: minute(&line.time),
                gone: None,
                retired_through,
            };
            let release = self.releases.entry(line.release).or_insert_with(release);
            let is_known = release.gone.is_some() || release.retired_through == retired_through;
            assert!(
                is_known,
                "release {} is visible and left out other rows than it did",
                line.release
            );
        }
        for line in writer
            .state()
            .releases
            .iter()
            .filter(|line| line.manifest.is_some())
        {
            let Some(first) = line.erased.iter().map(|atom| atom.release).min() else {
                continue;
            };
            let holds = |number: u32, release: &Release| {
                release.chain == line.chain && (first..line.release).contains(&number)
            };
            self.remove(RemovalReason::Erased, holds);
        }
    }

    fn withdrawn(&mut self, first: u32, writer: &FeedWriter) {
        let chain = writer
            .state()
            .releases
            .iter()
            .find(|line| line.release == first)
            .expect("a release")
            .chain;
        self.remove(RemovalReason::Withdrawn, |number, release| {
            release.chain == chain && number >= first
        });
    }

    /// Checks that the public root contains the manifests of the model, notices in place of the
    /// others, and a page of the visible releases.
    fn holds(&self, roots: &Roots, why: &str) {
        let objects = roots.public.objects();
        let manifests: Vec<u32> = objects
            .keys()
            .filter_map(|path| Layout::Root.release(path))
            .collect();
        assert_eq!(manifests, self.visible(), "{why}");
        let mut notices = BTreeSet::new();
        for (number, release) in &self.releases {
            let Some(reason) = release.gone else { continue };
            let is_later = |(later, other): (&u32, &Release)| {
                later > number && other.chain == release.chain && other.gone == release.gone
            };
            // The newest notice of expired releases replaces those before it.
            if reason != RemovalReason::Expired || !self.releases.iter().any(is_later) {
                notices.insert(Layout::Root.removal(reason, *number));
            }
        }
        let folder = |path: &str| {
            ["withdrawn/", "expired/", "replaced/"]
                .iter()
                .any(|folder| path.starts_with(folder))
                && path.ends_with(".json")
        };
        let there: BTreeSet<String> = objects
            .keys()
            .filter(|path| folder(path))
            .cloned()
            .collect();
        assert_eq!(there, notices, "{why}");
        let manifests: Vec<_> = self
            .visible()
            .into_iter()
            .map(|release| roots.manifest(release))
            .collect();
        let listed = manifests.iter().map(|manifest| ListedRelease {
            figures: manifest.figures(),
            chain: manifest.chain,
            time: &manifest.time,
            report: manifest
                .files
                .iter()
                .map(|file| file.path.as_str())
                .find(|path| path.ends_with(".html")),
        });
        if let Some(page) = objects.get("index.html") {
            assert!(
                *page == index("small", Default::default(), &listed.collect::<Vec<_>>()),
                "{why}: the page over all releases"
            );
        }
        assert!(
            objects.contains_key("index.html") || self.releases.is_empty(),
            "{why}: a page over all releases"
        );
    }
}

/// Checks that the report of a release that has just been published plots all earlier ones of its
/// chain, except those that were withdrawn.
fn earlier_are_plotted(
    roots: &Roots,
    model: &Model,
    writer: &FeedWriter,
    tick: usize,
    why: &str,
) -> bool {
    let Some(line) = writer
        .state()
        .releases
        .last()
        .filter(|line| line.is_visible() && line.time == time(tick))
    else {
        return false;
    };
    let (report, _) = line
        .files
        .iter()
        .find(|(path, _)| path.ends_with(".html"))
        .expect("a report");
    let page = String::from_utf8(roots.public.objects()[report].clone()).expect("a page");
    let points = page
        .split_once("<polyline points=\"")
        .map_or(1, |(_, behind)| {
            let (points, _) = behind.split_once('"').expect("points");
            points.split_whitespace().count()
        });
    let counts = |(number, release): &(&u32, &Release)| {
        **number <= line.release
            && release.chain == line.chain
            && release.gone != Some(RemovalReason::Withdrawn)
    };
    assert_eq!(
        points,
        model.releases.iter().filter(counts).count(),
        "{why}: the report of release {}",
        line.release
    );
    points > 1
}

/// Checks that the newest release of a table that grows contains the rows that are left, none of
/// which is too old.
fn rows_are_left(roots: &Roots, writer: &FeedWriter, tick: usize, why: &str) -> bool {
    let state = writer.state();
    let newest = state.of_chain().last().filter(|line| line.is_visible());
    let Some(newest) = newest.filter(|_| state.erased.is_empty() && state.retired.is_empty())
    else {
        return false;
    };
    let rows: u64 = roots.lines(newest.release, writer).values().sum();
    assert_eq!(
        (rows, newest.rows),
        (newest.rows, state.feed.whole().rows()),
        "{why}: release {}",
        newest.release
    );
    if newest.time == time(tick) {
        let too_old = |line: &&tidegate::daemon::feed_writer::DecidedRelease| {
            time(tick - RETAIN.min(tick)) >= line.time && tick >= RETAIN
        };
        for line in state.of_chain().filter(too_old) {
            let holds = state
                .parts()
                .iter()
                .any(|part| part.span.last == line.release);
            assert!(
                !holds,
                "{why}: release {} is too old for release {}",
                line.release, newest.release
            );
        }
    }
    true
}

fn kept(manual: bool) -> FeedSettings {
    FeedSettings {
        keep: Some(60 * KEEP as u64),
        retain: Some(60 * RETAIN as u64),
        ..settings(manual)
    }
}

/// The writer dies somewhere in a tick, and another one continues.
fn dies(
    roots: &Roots,
    (seed, at): (u64, u64),
    tick: usize,
    people: &[Human],
    manual: bool,
) -> FeedWriter {
    let (mut dying, left) = roots.open_dying(&key(), seed, kept(manual), at.is_multiple_of(2));
    left.store(at, Ordering::SeqCst);
    let done = step(&mut dying, tick, people);
    assert!(
        done.is_ok() == (left.load(Ordering::SeqCst) > 0),
        "seed {seed}, tick {tick}, write {at}: {done:?}"
    );
    let writer = roots.open_set(&key(), seed + 1, kept(manual));
    files_are_needed(
        writer.state(),
        &format!("seed {seed}, tick {tick}, behind write {at}"),
    );
    writer
}

/// Runs the feed of a seed, and counts the events; `mortal`: its writers die now and then.
fn plays(seed: u64, mortal: bool, done: &mut BTreeMap<String, u64>) {
    let policy = CHAINS[seed as usize % CHAINS.len()];
    let (roots, manual, mut draw, mut known) =
        (Roots::new(policy), seed % 5 == 4, Draw(seed + 7_000), 0);
    let (mut writer, mut model, mut came) = (
        roots.open_set(&key(), seed, kept(manual)),
        Model::default(),
        BTreeSet::new(),
    );
    for tick in 0..TICKS {
        let why = format!("seed {seed}, tick {tick}");
        let people = crowd(&mut draw, &mut known);
        came.extend(people.iter().map(|human| human.0));
        model.expire(tick);
        if mortal && draw.below(2) == 0 {
            drop(writer);
            writer = dies(
                &roots,
                (seed + 900 + tick as u64, 1 + draw.below(60)),
                tick,
                &people,
                manual,
            );
        }
        step(&mut writer, tick, &people).unwrap_or_else(|error| panic!("{why}: {error}"));
        table_is_whole(&writer, &why);
        model.published(&writer);
        model.holds(&roots, &why);
        let plotted = earlier_are_plotted(&roots, &model, &writer, tick, &why);
        *done.entry("plotted".to_owned()).or_default() += u64::from(plotted);
        if draw.below(3) == 0
            && let Some(ask) = drawn(&writer, &mut draw, &came)
        {
            let (name, withdrawn) = (
                ask.name(),
                if let RequestKind::Withdraw { release, .. } = ask {
                    Some(release)
                } else {
                    None
                },
            );
            let answer = answered(&mut writer, ask, seed * 1000 + tick as u64, policy);
            if let Some(first) = withdrawn.filter(|_| answer.done) {
                model.withdrawn(first, &writer);
            }
            model.published(&writer);
            *done.entry(format!("{name} {}", answer.done)).or_default() += 1;
            model.holds(&roots, &format!("{why}, {name}: {}", answer.text));
        }
        if policy != HALVED {
            *done.entry("rows".to_owned()).or_default() +=
                u64::from(rows_are_left(&roots, &writer, tick, &why));
        }
        roots.whole(&writer, &key(), &why);
        if draw.below(5) == 0 {
            drop(writer);
            writer = roots.open_set(&key(), seed + 500 + tick as u64, kept(manual));
        }
    }
    each_manifest_is_missed(&roots, &model, &format!("seed {seed}"));
    for release in model.releases.values() {
        *done.entry(format!("{:?}", release.gone)).or_default() += 1;
    }
    *done.entry("too old rows".to_owned()).or_default() += u64::from(
        writer
            .state()
            .releases
            .iter()
            .any(|line| line.retired_through.is_some()),
    );
}

/// Checks that `verify` of a public root alone names each missing manifest, also without the files
/// that only help readers.
fn each_manifest_is_missed(roots: &Roots, model: &Model, why: &str) {
    for release in model.visible() {
        let mut objects = roots.public.objects();
        let manifest = Layout::Root.manifest(release);
        assert!(
            objects.remove(&manifest).is_some()
                && objects.remove(&format!("{manifest}.sig")).is_some()
        );
        objects.retain(|path, _| !is_advisory(path));
        let seen =
            verify::public(&Memory::with(objects), Layout::Root, &[]).expect("a public root");
        assert!(
            !seen.findings.is_empty(),
            "{why}: nothing misses {manifest}"
        );
    }
}

#[test]
fn what_is_visible_follows_from_what_was_asked_and_from_time() {
    let mut done = BTreeMap::new();
    let seeds = CHAINS.len() as u64 * if long() { 200 } else { 2 };
    for seed in (0..seeds).chain(FAILED) {
        plays(seed, false, &mut done);
    }
    (0..seeds).for_each(|seed| plays(seed + 1_000, true, &mut done));
    println!("{done:?}");
    for what in [
        "rows",
        "plotted",
        "withdraw true",
        "erase true",
        "too old rows",
    ] {
        assert!(
            done.get(what).is_some_and(|times| *times > 2),
            "{what}: {done:?}"
        );
    }
    for reason in [
        RemovalReason::Withdrawn,
        RemovalReason::Expired,
        RemovalReason::Erased,
    ] {
        assert!(
            done.get(&format!("{:?}", Some(reason)))
                .is_some_and(|times| *times > 2),
            "{reason:?}: {done:?}"
        );
    }
}

/// A release that left rows out is withdrawn, and the one before it still has them: another one
/// leaves them out, though there are no new people and no row has become too old since.
#[test]
fn rows_that_are_too_old_leave_again_behind_a_withdrawal() {
    let roots = Roots::new(CROWDS);
    let mut writer = roots.open_set(&key(), 1, kept(false));
    let people = |tick: usize| -> Vec<Human> {
        (0..12)
            .map(|human| (1 + human + 100 * tick as u128, 0, 0, human as u8))
            .collect()
    };
    // Every second tick adds rows. Those of the first one are too old at the last one, which adds
    // none.
    for tick in [0, RETAIN - 2, RETAIN - 1] {
        step(&mut writer, tick, &people(tick)).expect("a tick");
    }
    step(&mut writer, RETAIN, &[]).expect("a tick");
    let newest = writer.state().releases.last().expect("a release");
    assert_eq!(
        (writer.state().releases.len(), newest.retired_through),
        (3, Some(1))
    );
    let ask = RequestKind::Withdraw {
        release: newest.release,
        republish: false,
    };
    assert!(answered(&mut writer, ask, 2, CROWDS).done);
    assert!(
        !writer.state().retired.is_empty(),
        "the release before it has the rows"
    );
    step(&mut writer, RETAIN + 1, &[]).expect("a tick");
    let newest = writer.state().releases.last().expect("a release");
    assert_eq!((newest.release, newest.retired_through), (4, Some(1)));
    table_is_whole(&writer, "behind the next tick");
    roots.whole(&writer, &key(), "behind the next tick");
}
