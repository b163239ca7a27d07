//! Rewrites objects with raw rows, counts and members without erased people, and without atoms that
//! are dissolved or left out of all later releases. The rows that are not published are written
//! from memory, where the people are gone already; other objects with raw rows of these people are
//! deleted. Nothing here changes the state; the entry of the erasure says which object replaces
//! which.

use std::collections::{BTreeMap, BTreeSet};

use super::super::state::FeedState;
use super::super::state_parts::{SetAsideMessages, UnpublishedAtoms};
use super::leaving_atoms::{Leaving, leaving_of};
use super::person_search::{Absent, found_in};
use crate::config::RecordRules;
use crate::engine::feed::{ErasedPeople, Increment};
use crate::engine::histogram::Person;
use crate::engine::policy::Policy;
use crate::error::{Error, ErrorCategory, Result};
use crate::formats::{
    AtomCounts, AtomMembers, Atoms, Grain, LedgerColumns, RowColumns, RowsByTick,
};
use crate::ingest::{Offer, OfferWithout, PersonHasher};
use crate::journal::{Drafts, Log, Moved, Ref};

/// The rewritten objects.
#[derive(Default)]
pub(in crate::feed_writer) struct Rewritten {
    pub drafts: Drafts,
    pub moved: Vec<Moved>,
}

impl Rewritten {
    fn delete(&mut self, old: &Ref) {
        self.moved.push(Moved {
            old: old.path.clone(),
            new: None,
            messages: None,
        });
    }

    fn replace(&mut self, old: &Ref, new: Ref) {
        self.moved.push(Moved::to(old.path.clone(), new));
    }
}

/// The rewritten set-aside messages.
#[derive(Default)]
pub(in crate::feed_writer) struct RewrittenQuarantine {
    /// The number of messages of erased people.
    pub gone: u64,
    /// The number of unreadable objects.
    pub unread: u64,
}

/// Objects with rows of people to be erased.
pub(in crate::feed_writer) struct FoundObjects {
    /// The segments, and their rows without these people.
    pub segments: Vec<(Ref, RowColumns)>,
    /// The atoms of ticks.
    pub atoms: Vec<Ref>,
}

/// Ticks whose atoms were not published and have changed, with the number of what is left of them
/// among the unpublished increments; `None`: no release will contain an atom of that tick.
pub(in crate::feed_writer) type ChangedTicks = BTreeMap<u32, Option<usize>>;

/// Objects in the order in which they were written, each once: objects that were written together
/// are stored together.
fn each(objects: impl Iterator<Item = Ref>) -> Vec<Ref> {
    let mut known = BTreeSet::new();
    objects
        .filter(|object| known.insert(object.path.clone()))
        .collect()
}

fn is_atoms(object: &Ref) -> bool {
    object.path.starts_with("atoms/")
}

/// Whether any of these people has a row in the atoms of a tick.
fn holds(atoms: &Atoms, people: &BTreeSet<Person>) -> bool {
    let rows = atoms.waiting.columns().chain(atoms.formed.columns());
    rows.flat_map(RowColumns::people)
        .any(|person| people.contains(&person))
}

/// The tick that wrote an object with raw rows.
fn tick_of(state: &FeedState, object: &Ref) -> Result<u32> {
    let raw = state.raw.iter().find(|raw| raw.object == *object);
    let unknown = || Error::new(ErrorCategory::Internal, "atoms are of a tick");
    raw.map(|raw| raw.tick).ok_or_else(unknown)
}

/// The number of what is left of a tick's atoms among the unpublished increments, by the object
/// of the atoms; the erasure has emptied some increments.
fn left_of(state: &FeedState, object: &Ref, erased: &ErasedPeople) -> Option<usize> {
    let before = state.formed.iter().position(|formed| formed == object)?;
    let emptied = erased.emptied.range(..before).count();
    (!erased.emptied.contains(&before)).then(|| before - emptied)
}

/// The objects with rows of these people. Segments and atoms of a tick are in the same packs,
/// which are read once for both.
pub(in crate::feed_writer) fn objects_with(
    log: &Log,
    state: &FeedState,
    people: &BTreeSet<Person>,
) -> Result<FoundObjects> {
    let segments = state.segments.iter().map(|segment| &segment.object);
    let raw = state.raw.iter().map(|raw| &raw.object);
    let pool = state.pool_in_use().map(|place| &place.object);
    let all = segments.chain(raw).chain(pool).chain(&state.formed);
    let has_rows = |object: &&Ref| is_atoms(object) || object.path.starts_with("seg/");
    let all = each(all.filter(has_rows).cloned());
    let held = |object: &Ref, content: &[u8]| {
        if is_atoms(object) {
            return Ok(holds(&Atoms::parse(content)?, people).then(|| (object.clone(), None)));
        }
        let rest = RowColumns::parse(content)?.without(people);
        Ok(rest.map(|rest| (object.clone(), Some(rest))))
    };
    let (mut segments, mut atoms) = (Vec::new(), Vec::new());
    for (object, rest) in found_in(log, (&all, Absent::Forgotten), people, held)? {
        match rest {
            Some(rest) => segments.push((object, rest)),
            None => atoms.push(object),
        }
    }
    Ok(FoundObjects { segments, atoms })
}

pub(in crate::feed_writer) fn rewrite_segments(
    log: &mut Log,
    segments: &[(Ref, RowColumns)],
    rewritten: &mut Rewritten,
) -> Result<()> {
    for (old, rest) in segments {
        let new = log.seal(&mut rewritten.drafts, "seg", &rest.bytes())?;
        rewritten.replace(old, new);
    }
    Ok(())
}

/// Removes set-aside messages whose identifiers can be read. An object that cannot be read
/// stays, and other people are erased nevertheless.
pub(in crate::feed_writer) fn rewrite_quarantine(
    log: &mut Log,
    state: &FeedState,
    (hasher, rules): (&PersonHasher, &RecordRules),
    erased_people: &BTreeSet<Person>,
    rewritten: &mut Rewritten,
) -> Result<RewrittenQuarantine> {
    let mut done = RewrittenQuarantine::default();
    for SetAsideMessages { object, .. } in state.quarantine.clone() {
        let Some(sealed) = log.objects().read(&object)? else {
            continue;
        };
        let Ok(offer) = Offer::parse(&sealed) else {
            done.unread += 1;
            continue;
        };
        let columns = &state.terms.columns;
        let Some(OfferWithout { rest, gone }) =
            offer.without(erased_people, columns, hasher, rules)
        else {
            continue;
        };
        done.gone += gone;
        let messages = rest.messages().len() as u64;
        let new = match messages {
            0 => None,
            _ => Some(log.seal(&mut rewritten.drafts, "quarantine", &rest.bytes())?),
        };
        rewritten.moved.push(Moved {
            old: object.path,
            new,
            messages: Some(messages),
        });
    }
    Ok(done)
}

/// Rewrites the atoms of ticks in which rows of erased people were found. If one of these people
/// waited or was in an atom, all rows that wait are written into the newest object.
pub(in crate::feed_writer) fn rewrite_atoms(
    log: &mut Log,
    state: &FeedState,
    found: &[Ref],
    erased: &ErasedPeople,
    rewritten: &mut Rewritten,
) -> Result<ChangedTicks> {
    let pool: Vec<UnpublishedAtoms> = state.pool_in_use().cloned().collect();
    let newest = state.pool.iter().find(|place| place.waiting).cloned();
    let places = pool.iter().map(|place| &place.object);
    let mut all = each(places.chain(&state.formed).cloned());
    let waited = erased.people.len() as u64 > erased.new;
    if waited {
        all = each(newest.iter().map(|place| place.object.clone()).chain(all));
    }
    let mut changed = ChangedTicks::new();
    for object in found.iter().filter(|object| !all.contains(object)) {
        rewritten.delete(object);
        delete_ledger(state, tick_of(state, object)?, rewritten);
    }
    for object in &all {
        let is_found = found.contains(object);
        let is_newest = newest.as_ref().is_some_and(|place| place.object == *object);
        let place = pool.iter().find(|place| place.object == *object);
        if !waited {
            if is_found {
                strip(log, state, object, place, rewritten)?;
            }
            continue;
        }
        let tick = tick_of(state, object)?;
        let left = left_of(state, object, erased);
        let formed = place.is_some_and(|place| place.formed);
        if formed || state.formed.contains(object) && (is_found || is_newest) {
            changed.insert(tick, left);
        } else if left.is_none() && state.formed.contains(object) {
            changed.insert(tick, None);
        } else if !is_newest && !is_found {
            continue;
        }
        delete_ledger(state, tick, rewritten);
        let increment = left.map(|at| &state.feed.unpublished()[at]);
        if !is_newest && increment.is_none() {
            rewritten.delete(object);
            continue;
        }
        let trees = state.terms.columns.trees();
        let old = Atoms::parse(&log.objects().need(object)?)?;
        let waiting = match is_newest {
            true => RowsByTick::of(state.feed.waiting(), &trees),
            false => RowsByTick::default(),
        };
        let atoms = match increment {
            Some(increment) => old.with_formed(increment, &trees),
            None => old.without_formed(),
        };
        let atoms = atoms.with_waiting(waiting);
        let new = log.seal(&mut rewritten.drafts, "atoms", &atoms.bytes())?;
        rewritten.replace(object, new);
    }
    rewrite_ledgers(log, state, &changed, rewritten)?;
    Ok(changed)
}

/// Rewrites the atoms of a tick without rows that are published or in later objects.
fn strip(
    log: &mut Log,
    state: &FeedState,
    object: &Ref,
    place: Option<&UnpublishedAtoms>,
    rewritten: &mut Rewritten,
) -> Result<()> {
    let mut atoms = Atoms::parse(&log.objects().need(object)?)?;
    if !place.is_some_and(|place| place.waiting) {
        atoms = atoms.with_waiting(RowsByTick::default());
    }
    let forms = state.formed.contains(object);
    if !forms && !place.is_some_and(|place| place.formed) {
        atoms = atoms.without_formed();
    }
    delete_ledger(state, atoms.tick(), rewritten);
    let new = log.seal(&mut rewritten.drafts, "atoms", &atoms.bytes())?;
    rewritten.replace(object, new);
    Ok(())
}

/// If the counts of a tick show what was published, or nothing was and its people are in another
/// chain since, its ledger is deleted: it shows which of the values were changed.
fn delete_ledger(state: &FeedState, tick: u32, rewritten: &mut Rewritten) {
    let is_ledger = |object: &Ref| object.path.starts_with("mask/");
    let in_use = |object: &Ref| state.ledgers.values().any(|ledger| ledger == object);
    let raw = state.raw.iter().filter(|raw| raw.tick == tick);
    raw.map(|raw| &raw.object)
        .filter(|object| is_ledger(object) && !in_use(object))
        .for_each(|object| rewritten.delete(object));
}

/// Removes the lines of people who are in no atom any more from ledgers.
fn rewrite_ledgers(
    log: &mut Log,
    state: &FeedState,
    changed: &ChangedTicks,
    rewritten: &mut Rewritten,
) -> Result<()> {
    for (tick, left) in changed {
        let Some(object) = state.ledgers.get(tick).cloned() else {
            continue;
        };
        let trees = state.terms.columns.trees();
        let increment = left.map(|at| &state.feed.unpublished()[at]);
        match increment.and_then(|increment| increment.ledger.as_ref()) {
            Some(ledger) => {
                let ledger = LedgerColumns::of(ledger, &trees).bytes();
                let new = log.seal(&mut rewritten.drafts, "mask", &ledger)?;
                rewritten.replace(&object, new);
            }
            None => rewritten.delete(&object),
        }
    }
    Ok(())
}

/// Rewrites the members of atoms of ticks whose atoms have changed, or are erased. Nothing is
/// kept of atoms that no release will contain.
pub(in crate::feed_writer) fn rewrite_members(
    log: &mut Log,
    state: &FeedState,
    changed: &ChangedTicks,
    leaving: &Leaving,
    rewritten: &mut Rewritten,
) -> Result<()> {
    for membership in state.members.clone() {
        let object = &membership.object;
        let rest = match (
            changed.get(&membership.tick),
            leaving_of(state, membership.tick, leaving),
        ) {
            (Some(left), _) if membership.release.is_none() => {
                let trees = state.terms.columns.trees();
                let increment = left.map(|at| &state.feed.unpublished()[at]);
                increment.and_then(|increment| AtomMembers::of(increment, &trees))
            }
            (_, Some(labels)) => AtomMembers::parse(&log.objects().need(object)?)?.without(labels),
            _ => continue,
        };
        match rest {
            Some(rest) => {
                let rest = rest.bytes();
                let new = log.seal(&mut rewritten.drafts, "members", &rest)?;
                rewritten.replace(object, new);
            }
            None => rewritten.delete(object),
        }
    }
    let raw = state.raw.iter().map(|raw| &raw.object);
    raw.filter(|object| object.path.starts_with("members/"))
        .for_each(|object| rewritten.delete(object));
    Ok(())
}

/// Rewrites the counts of ticks whose atoms have changed, or are erased, and those with the
/// hash of a person who may come again: that person was counted by the first tick that closed
/// after they arrived.
pub(in crate::feed_writer) fn rewrite_counts(
    log: &mut Log,
    state: &FeedState,
    policy: &Policy,
    erased: &ErasedPeople,
    changed: &ChangedTicks,
    leaving: &Leaving,
    rewritten: &mut Rewritten,
) -> Result<()> {
    let ticks = || state.counts.iter().map(|(tick, _)| *tick);
    let counted: BTreeSet<u32> = erased
        .arrived
        .iter()
        .filter_map(|&tick| ticks().find(|&counts| counts >= tick))
        .collect();
    for (tick, object) in state.counts.clone() {
        let (left, labels) = (changed.get(&tick), leaving_of(state, tick, leaving));
        if !counted.contains(&tick) && left.is_none() && labels.is_none() {
            continue;
        }
        let counts = AtomCounts::parse(&log.objects().need(&object)?)?;
        let (gone, people): (Vec<Person>, Vec<Person>) = counts
            .people()
            .partition(|person| erased.people.contains(person));
        if gone.is_empty() && left.is_none() && labels.is_none() {
            continue;
        }
        let mut counts = counts.with_people(people);
        if let Some(left) = left {
            let increment: Option<&Increment> = left.map(|at| &state.feed.unpublished()[at]);
            let (grain, trees) = (Grain::of(policy), state.terms.columns.trees());
            counts = match increment {
                Some(increment) => counts.with_formed(increment, grain, &trees),
                None => counts.without_formed(),
            };
        }
        if let Some(labels) = labels {
            counts = counts.without_labels(labels);
        }
        let new = log.seal(&mut rewritten.drafts, "mask", &counts.bytes())?;
        rewritten.replace(&object, new);
    }
    Ok(())
}
