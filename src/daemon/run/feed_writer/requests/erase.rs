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
use super::super::state::FeedState;
use super::super::writer::{FeedWriter, LastCheckpoint};
use super::leaving_atoms::{Leaving, erasure_text};
use super::request::{Hash, Request, RequestOutcome};
use super::rewrite::{Rewritten, RewrittenQuarantine};
use crate::engine::feed::ErasedPeople;
use crate::engine::gate::verdict::History;
use crate::engine::histogram::Person;
use crate::error::Result;
use crate::formats::LeavingAtom;
use crate::journal::{Erase, ErasedRows, Ref, destroy_all};

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

impl FeedWriter {
    pub(in crate::feed_writer) fn erase(
        &mut self,
        request: &Request,
        people: &[Hash],
        with_rows: bool,
        now: &str,
    ) -> Result<RequestOutcome> {
        if let Some(why) = self.keeps_rows().filter(|_| with_rows) {
            return Ok(request.ask.refused(why));
        }
        let asked: BTreeSet<Person> = people.iter().map(|hash| hash.0).collect();
        let known: BTreeSet<Person> = asked
            .iter()
            .copied()
            .filter(|&person| self.state.feed.people().knows(person))
            .collect();
        let leaving = if with_rows {
            self.leaving(&known)?
        } else {
            Leaving::default()
        };
        // Raw rows of people whose published rows are erased have no purpose any more.
        let raw: BTreeSet<Person> = known.union(&leaving.people).copied().collect();
        let columns = self.state.terms.columns.clone();
        let (trees, feed) = (columns.trees(), &mut self.state.feed);
        let gone = feed.erase(&known, &self.policy, &trees);
        let mut rewritten = Rewritten::default();
        let found = self.objects_with(&raw)?;
        self.rewrite_segments(&found.segments, &mut rewritten)?;
        let aside = self.rewrite_quarantine(&asked, &mut rewritten)?;
        let changed = self.rewrite_atoms(&found.atoms, &gone, &mut rewritten)?;
        self.rewrite_counts(&gone, &changed, &leaving, &mut rewritten)?;
        self.rewrite_members(&changed, &leaving, &mut rewritten)?;
        let Rewritten { mut drafts, moved } = rewritten;
        let atoms = &leaving.atoms;
        let rows = match atoms.is_empty() {
            true => None,
            false => {
                let named =
                    self.log
                        .seal(&mut drafts, "members", &LeavingAtom::all_bytes(atoms))?;
                Some(ErasedRows {
                    rows: leaving.rows,
                    atoms: atoms.len() as u64,
                    named,
                })
            }
        };
        drafts.put(self.log.store())?;
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
            waits_again: gone.dissolved > 0 && self.policy.waits_again(),
            moved,
            rows,
        };
        self.append(erase.clone())?;
        let void = self.void()?;
        self.destroyed(&erase)?;
        self.state.wait_in_the_newest(&gone);
        self.follows(&erase, &leaving)?;
        self.clean(now)?;
        // So that the next start replays nothing.
        self.checkpoint()?;
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
    fn follows(&mut self, erase: &Erase, leaving: &Leaving) -> Result<()> {
        let moved = BTreeMap::new();
        // A proposed release may contain them; it is built again.
        self.state.candidate = None;
        let (objects, forgotten) = (self.log.objects(), Default::default());
        self.state.erased(
            erase,
            &ObjectSources {
                objects,
                moved: &moved,
                forgotten,
            },
        )?;
        let parts = self.state.parts();
        if leaving
            .atoms
            .iter()
            .any(|atom| !parts.iter().any(|part| part.span.holds(atom.release)))
        {
            self.state.history = History::default();
            self.remember()?;
        }
        Ok(())
    }

    /// Removes the objects that were rewritten, and every checkpoint: one from before a person was
    /// published contains their row among the waiting ones.
    fn destroyed(&mut self, erase: &Erase) -> Result<()> {
        // The next checkpoint is due at once.
        self.last = LastCheckpoint::default();
        let store = self.log.store();
        let checkpoints = self.log.ring().listed(store, "checkpoint")?;
        let moved = erase.moved.iter().map(|moved| moved.old.as_str());
        destroy_all(
            store,
            self.log.ring(),
            moved.chain(
                checkpoints
                    .iter()
                    .map(|checkpoint| checkpoint.path.as_str()),
            ),
        )
    }
}

impl FeedState {
    /// All rows that wait are in the newest object, if one of the erased people waited or was in an
    /// atom; the entry of the erasure deletes the others.
    fn wait_in_the_newest(&mut self, erased: &ErasedPeople) {
        if erased.people.len() as u64 == erased.new {
            return;
        }
        let at = self.formed.iter().enumerate();
        let emptied = at.filter(|(at, _)| erased.emptied.contains(at));
        let emptied: Vec<Ref> = emptied.map(|(_, object)| object.clone()).collect();
        self.formed.retain(|object| !emptied.contains(object));
        self.pool.iter_mut().for_each(|place| place.formed = false);
    }
}
