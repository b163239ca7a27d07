//! The accounts of a simulated run while no process is running: `verify` finds nothing, and each
//! person who was accepted is in one place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::{FeedState, past_quickly};
use tidegate::daemon::ingest::PersonHasher;
use tidegate::daemon::journal::store::{Memory, Packs, ReadStore as _, Store};
use tidegate::daemon::journal::{
    CheckedEntry, Decision, EntryBody, KeyRing, read, split_generation,
};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::sign::Signing;
use tidegate::daemon::verify::{self, FileFault};
use tidegate::engine::release::Layout;

use super::commands::KEYS;
use super::nature::{Nature, Side};
use super::person::{self, is_of_new_ward};
use super::promises::Known;
use crate::common::measures::{Shown, cost, is_sensitive};

/// The key that signs releases.
fn signing() -> Signing {
    Signing::parse(&"fedcba9876543210".repeat(4)).expect("a key")
}

/// The keys of the feed under one of the operator's keys.
fn opened(private: &dyn Store) -> Result<Option<KeyRing>> {
    let tried = KEYS.map(|key| KeyRing::open(private, &OperatorKey::parse(key).expect("a key")));
    tried.into_iter().reduce(Result::or).expect("keys")
}

/// The keys of the feed; None before it has any.
pub fn ring(nature: &Nature) -> Option<KeyRing> {
    opened(&nature.private()).expect("a private root that was written well")
}

/// The state of the feed, from its newest checkpoint on; None before it has begun.
pub fn state(nature: &Nature) -> Option<FeedState> {
    let read = past_quickly(&nature.private(), nature.root(Side::Public), &ring(nature)?);
    read.unwrap_or_else(|error| panic!("the log cannot be read: {error}"))
        .state
}

/// The findings of `verify` in these roots, and whether it misses a commit in the public one alone.
fn findings(
    store: &dyn Store,
    shown: &dyn Store,
    ring: &KeyRing,
) -> Result<(Vec<FileFault>, bool)> {
    let (seen, found) = verify::roots(store, ring, shown, Layout::Root, &[signing().public()])?;
    let gap = seen
        .findings
        .iter()
        .any(|finding| finding.text.contains("commit of the Delta log is missing"));
    Ok((found.with_public(seen), gap))
}

/// Whether a decision of the log has stopped a chain.
fn has_stopped(nature: &Nature, ring: &KeyRing) -> bool {
    let stops = |entry: &CheckedEntry| matches!(&entry.entry.body, EntryBody::Decision(Decision::Reject(rejection)) if rejection.stops);
    read(&nature.private(), ring, 0, None)
        .expect("a log")
        .iter()
        .any(stops)
}

/// Changes or removes something on a copy of both roots: `verify` must name what a start would halt
/// on.
pub fn damage(nature: &Nature) {
    let mut roots = [Side::Private, Side::Public].map(|side| nature.root(side).objects());
    let (side, at, byte) = nature.draw(|draw| {
        let side = usize::from(draw.once_in(4));
        let at = draw.between(0, (roots[side].len() as u64).saturating_sub(1));
        (
            side,
            at as usize,
            draw.once_in(2).then(|| draw.between(0, 1 << 20) as usize),
        )
    });
    let Some(path) = roots[side].keys().nth(at).cloned() else {
        return;
    };
    match (
        byte,
        roots[side].get_mut(&path).filter(|bytes| !bytes.is_empty()),
    ) {
        (Some(byte), Some(bytes)) => {
            let at = byte % bytes.len();
            bytes[at] ^= 1;
        }
        _ => _ = roots[side].remove(&path),
    }
    let [hidden, shown] = roots.map(Memory::with);
    let hidden = Packs::over(Arc::new(hidden));
    // Without the keys nothing can be checked, by a start or by `verify`.
    let Ok(Some(ring)) = opened(&hidden) else {
        return;
    };
    let halts = past_quickly(&hidden, &shown, &ring).err();
    if let Some(halts) = halts {
        assert!(
            !findings(&hidden, &shown, &ring)
                .expect("roots that can be read")
                .0
                .is_empty(),
            "`verify` is content without {path}, and a start is not: {halts}"
        );
    }
}

/// Whether a finding is something that a dead process has left behind, and that the next one, or
/// the same command again, removes.
fn left_behind(finding: &FileFault) -> bool {
    [
        "the next start removes it",
        "or will be when the feed runs again",
        "at its next tick",
        "repeat the last `tidegate rekey`",
    ]
    .iter()
    .any(|says| finding.text.contains(says))
}

/// Checks the accounts; `ended`: the last process has ended by itself, and left nothing behind.
pub fn balance(nature: &Nature, erased: &BTreeMap<u64, String>, ended: bool) {
    let Some(ring) = ring(nature) else { return };
    // `verify` names a manifest or a file of a Delta log that was restored by a late write, and the
    // next start or tick removes it.
    let returned = nature.promises(|promises| !promises.returned.is_empty());
    assert!(!ended || !returned, "what has come back is still there");
    if returned {
        return;
    }
    let (findings, gap) =
        findings(&nature.private(), nature.root(Side::Public), &ring).expect("whole roots");
    assert!(!gap, "readers who have the public root alone miss a commit");
    let behind = nature.promises(super::promises::Promises::index_is_behind);
    let accepted = |finding: &&FileFault| {
        !ended && left_behind(finding) || behind && finding.file == "index.html"
    };
    let wrong: Vec<&FileFault> = findings
        .iter()
        .filter(|finding| !accepted(finding))
        .collect();
    assert!(wrong.is_empty(), "`verify` is not content: {wrong:?}");
    // `verify` has compared it with the state of the whole log.
    let Some(state) = state(nature) else { return };
    if ended {
        let pending = state
            .publishing
            .iter()
            .chain(&state.held)
            .flat_map(|pending| pending.approved.staged());
        let named: BTreeSet<&str> = pending.map(|file| file.stage.as_str()).collect();
        let late = nature.promises(|promises| promises.staged_late.clone());
        for left in nature.private().list("stage").expect("memory") {
            let (path, _) = split_generation(&left.path);
            assert!(
                named.contains(path) || late.contains(&left.path),
                "{} was not removed",
                left.path
            );
        }
    }
    let next = nature.promises(|promises| promises.next.clone());
    let came = nature.topic(|topic, _| topic.people(&next));
    let ever = nature.promises(super::promises::Promises::ever);
    assert!(
        ever.is_subset(&came),
        "a person is published who has not come"
    );
    // A decided release that is not visible yet contains people who are nowhere else.
    if state.publishing.is_some() || state.closing.is_some() {
        return;
    }
    if ended
        && nature.measured
        && !nature
            .promises(super::promises::Promises::visible)
            .is_empty()
    {
        let public = |path: &str| {
            nature
                .root(Side::Public)
                .read(path)
                .expect("memory")
                .expect("a public file")
        };
        Shown::of(&public).check_published_measures(cost, |numbers| is_sensitive(numbers, [6, 1]));
    }
    let feed = &state.feed;
    let alone = unpublished(nature, &came, &ever, erased, (&state, &ring));
    // A check that reads sensitive values has stopped a chain: people of its increments count as
    // published for ever.
    if has_stopped(nature, &ring) {
        let known = feed.new_rows() + feed.waiting().rows() + feed.pending();
        return assert!(
            known <= alone,
            "{known} people wait, {alone} have come and are not published"
        );
    }
    let places = [feed.new_rows(), feed.waiting().rows(), feed.pending()];
    let known = places.iter().sum::<u64>();
    assert!(
        alone == known,
        "people who are not published: {known} of the log (new, waiting, pending: {places:?}), {alone} of the topic"
    );
}

/// The number of people of the topic who count and are not published. People of the new ward are
/// set aside first: the log contains how many of them count already, and what the feed knew about
/// one when they were erased. For all others the topic contains it.
fn unpublished(
    nature: &Nature,
    came: &BTreeSet<u64>,
    ever: &BTreeSet<u64>,
    erased: &BTreeMap<u64, String>,
    (state, ring): (&FeedState, &KeyRing),
) -> u64 {
    let is_late = |person: &u64| nature.new_ward && is_of_new_ward(*person);
    let many = |of: &dyn Fn(&u64) -> bool| came.iter().filter(|person| of(person)).count() as u64;
    let (kept, erasures) = nature.promises(|promises| (promises.kept, promises.erasures.clone()));
    let known_of = |person: &u64| erased.get(person).and_then(|request| erasures.get(request));
    let usual = many(&|person| !is_late(person));
    let late = kept
        .checked_sub(usual)
        .expect("people whose wards are known count");
    let taken_out =
        many(&|person| is_late(person) && known_of(person) == Some(&Known::Unpublished));
    // An erased person without a published row stays out, and so do their set-aside messages.
    let hasher = PersonHasher::new(&ring.people());
    let knows = |person: &u64| {
        state
            .feed
            .people()
            .knows(hasher.person(&[&person::id(*person)]))
    };
    let is_back = |person: &u64| {
        known_of(person).is_some_and(|known| *known != Known::Published) && knows(person)
    };
    assert_eq!(many(&is_back), 0, "people who were erased are back");
    let known = many(&|person| is_late(person) && knows(person));
    assert_eq!(
        late,
        known + taken_out,
        "of the new ward {late} were taken in, {taken_out} were erased, {known} are known"
    );
    let alone =
        many(&|person| !is_late(person) && !ever.contains(person) && known_of(person).is_none());
    let shown = many(&|person| is_late(person) && ever.contains(person));
    alone
        + (late - taken_out)
            .checked_sub(shown)
            .expect("people who are published count")
}
