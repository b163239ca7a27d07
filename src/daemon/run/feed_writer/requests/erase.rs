//! Erasure of people (SCIENCE 3, erasure; HOUSE 3). A person who is not published is removed from
//! the feed, and their atom is dissolved. Of a published person the raw row is deleted, and a
//! tombstone stays. In a chain of crowds a request can also erase the whole atoms of published
//! people (SCIENCE 11): the counts are changed at once, the public root with the next release.
//!
//! The feed rewrites every object with a row of these people without it, and destroys the old one
//! with its key. The state in memory then follows the entry of the erasure, and a new checkpoint is
//! written.

use std::collections::{BTreeMap, BTreeSet};

use super::super::objects::reading::ObjectSources;
use super::super::publish::clean::clean;
use super::super::publish::make_visible::void;
use super::super::publish::public_root::PublicRoot;
use super::super::recovery::checkpoint::checkpoint;
use super::super::recovery::published_releases::remember;
use super::super::state::FeedState;
use super::super::writer::{FeedWriter, LastCheckpoint};
use super::leaving_atoms::{Leaving, erasure_text, keeps_rows, leaving};
use super::request::{Hash, Request, RequestOutcome};
use super::rewrite::{
    Rewritten, RewrittenQuarantine, objects_with, rewrite_atoms, rewrite_counts, rewrite_members,
    rewrite_quarantine, rewrite_segments,
};
use crate::engine::feed::ErasedPeople;
use crate::engine::gate::verdict::History;
use crate::engine::histogram::Person;
use crate::error::Result;
use crate::formats::LeavingAtom;
use crate::journal::{Erase, ErasedRows, Log, Ref, destroy_all};

/// The words about set-aside messages.
fn of_quarantine(&RewrittenQuarantine { gone, unread }: &RewrittenQuarantine) -> String {
    let mut text = match gone {
        0 => String::new(),
        _ => format!(". {gone} of their messages that were set aside are destroyed"),
    };
    if unread > 0 {
        text += &format!(
            ". {unread} objects of messages that are set aside were written by another version of tidegate and stay: \
             it is unknown whose messages they contain"
        );
    }
    text
}

pub(in crate::feed_writer) fn erase(
    writer: &mut FeedWriter,
    request: &Request,
    people: &[Hash],
    with_rows: bool,
    now: &str,
) -> Result<RequestOutcome> {
    if let Some(why) = keeps_rows(&writer.policy, &writer.state).filter(|_| with_rows) {
        return Ok(request.ask.refused(why));
    }
    let asked: BTreeSet<Person> = people.iter().map(|hash| hash.0).collect();
    let known: BTreeSet<Person> = asked
        .iter()
        .copied()
        .filter(|&person| writer.state.feed.people().knows(person))
        .collect();
    let leaving = if with_rows {
        leaving(&writer.log, &mut writer.state, &known)?
    } else {
        Leaving::default()
    };
    // Raw rows of people whose published rows are erased have no purpose any more.
    let raw: BTreeSet<Person> = known.union(&leaving.people).copied().collect();
    let columns = writer.state.terms.columns.clone();
    let (trees, feed) = (columns.trees(), &mut writer.state.feed);
    let gone = feed.erase(&known, &writer.policy, &trees);
    let mut rewritten = Rewritten::default();
    let found = objects_with(&writer.log, &writer.state, &raw)?;
    rewrite_segments(&mut writer.log, &found.segments, &mut rewritten)?;
    let aside = rewrite_quarantine(
        &mut writer.log,
        &writer.state,
        (&writer.hasher, &writer.settings.records),
        &asked,
        &mut rewritten,
    )?;
    let changed = rewrite_atoms(
        &mut writer.log,
        &writer.state,
        &found.atoms,
        &gone,
        &mut rewritten,
    )?;
    rewrite_counts(
        &mut writer.log,
        &writer.state,
        &writer.policy,
        &gone,
        &changed,
        &leaving,
        &mut rewritten,
    )?;
    rewrite_members(
        &mut writer.log,
        &writer.state,
        &changed,
        &leaving,
        &mut rewritten,
    )?;
    let Rewritten { mut drafts, moved } = rewritten;
    let atoms = &leaving.atoms;
    let rows = match atoms.is_empty() {
        true => None,
        false => {
            let named = writer
                .log
                .seal(&mut drafts, "members", &LeavingAtom::all_bytes(atoms))?;
            Some(ErasedRows {
                rows: leaving.rows,
                atoms: atoms.len() as u64,
                named,
            })
        }
    };
    drafts.put(writer.log.store())?;
    let still = known
        .iter()
        .filter(|person| !gone.people.contains(person) && !leaving.people.contains(person))
        .count();
    let elsewhere = Some(still).filter(|still| *still > 0);
    let erase = Erase {
        wanted: request.wanted.clone(),
        asked: asked.len() as u64,
        erased: gone.people.len() as u64,
        published: (known.len() - gone.people.len()) as u64,
        unknown: (asked.len() - known.len()) as u64,
        dissolved: gone.dissolved,
        waits_again: gone.dissolved > 0 && writer.policy.waits_again(),
        moved,
        rows,
    };
    writer.log.append(erase.clone())?;
    let void = void(&writer.log, &mut writer.state)?;
    destroyed(&writer.log, &mut writer.last, &erase)?;
    wait_in_the_newest(&mut writer.state, &gone);
    follows(
        &writer.log,
        &mut writer.state,
        &writer.public,
        &erase,
        &leaving,
    )?;
    clean(writer, now)?;
    // So that the next start replays nothing.
    checkpoint(&mut writer.log, &writer.state, &mut writer.last)?;
    let text = erasure_text(&erase, leaving.before, elsewhere.filter(|_| with_rows))
        + &void
        + &of_quarantine(&aside);
    let rows = with_rows.then(|| erase.rows.as_ref().map_or(0, |rows| rows.rows));
    let (count, changed) = (Some(erase.asked), Some(erase.erased));
    Ok(RequestOutcome {
        count,
        changed,
        rows,
        ..request.ask.done(text)
    })
}

/// Updates the rest of the state: where rows are, and the gate's history of releases that are
/// in no file, which follows from the counts.
fn follows(
    log: &Log,
    state: &mut FeedState,
    public: &PublicRoot,
    erase: &Erase,
    leaving: &Leaving,
) -> Result<()> {
    let moved = BTreeMap::new();
    // A proposed release may contain them; it is built again.
    state.candidate = None;
    let (objects, forgotten) = (log.objects(), Default::default());
    state.erased(
        erase,
        &ObjectSources {
            objects,
            moved: &moved,
            forgotten,
        },
    )?;
    let parts = state.parts();
    if leaving
        .atoms
        .iter()
        .any(|atom| !parts.iter().any(|part| part.span.holds(atom.release)))
    {
        state.history = History::default();
        remember(log, state, public)?;
    }
    Ok(())
}

/// Removes the objects that were rewritten, and every checkpoint: one from before a person was
/// published contains their row among the waiting ones.
fn destroyed(log: &Log, last: &mut LastCheckpoint, erase: &Erase) -> Result<()> {
    // The next checkpoint is due at once.
    *last = LastCheckpoint::default();
    let store = log.store();
    let checkpoints = log.ring().listed(store, "checkpoint")?;
    let moved = erase.moved.iter().map(|moved| moved.old.as_str());
    destroy_all(
        store,
        log.ring(),
        moved.chain(
            checkpoints
                .iter()
                .map(|checkpoint| checkpoint.path.as_str()),
        ),
    )
}

/// All rows that wait are in the newest object, if one of the erased people waited or was in an
/// atom; the entry of the erasure deletes the others.
fn wait_in_the_newest(state: &mut FeedState, erased: &ErasedPeople) {
    if erased.people.len() as u64 == erased.new {
        return;
    }
    let at = state.formed.iter().enumerate();
    let emptied = at.filter(|(at, _)| erased.emptied.contains(at));
    let emptied: Vec<Ref> = emptied.map(|(_, object)| object.clone()).collect();
    state.formed.retain(|object| !emptied.contains(object));
    state.pool.iter_mut().for_each(|place| place.formed = false);
}
