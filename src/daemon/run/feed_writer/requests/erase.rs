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
use super::super::writer::{FeedWriter, LastCheckpoint};
use super::leaving_atoms::{Leaving, erasure_text};
use super::request::{Hash, Request, RequestOutcome};
use super::rewrite::{ErasedPeople, Rewritten, RewrittenQuarantine};
use crate::engine::feed::ErasedPlace;
use crate::engine::gate::verdict::History;
use crate::engine::histogram::Person;
use crate::engine::model::{Leaf, Value};
use crate::error::Result;
use crate::formats::{Atoms, LeavingAtom, RowColumns};
use crate::journal::{Erase, ErasedRows, destroy_all};

/// A row of a person to be erased.
struct Row {
    person: Person,
    since: u32,
    leaves: Vec<Leaf>,
    value: Box<[Value]>,
}

/// People who were removed from the feed.
#[derive(Default)]
struct Gone {
    people: BTreeSet<Person>,
    /// The ticks in which they arrived.
    arrived: BTreeSet<u32>,
    /// How many were in dissolved atoms.
    dissolved: u64,
}

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
        let rows = self.rows_of(&known)?;
        let unpublished = !rows.is_empty();
        let Gone {
            people: gone,
            arrived,
            dissolved,
        } = self.take_rows(&rows);
        let mut rewritten = Rewritten::default();
        let found = self.objects_with(&raw, unpublished)?;
        self.rewrite_segments(&found.segments, &mut rewritten)?;
        let aside = self.rewrite_quarantine(&asked, &mut rewritten)?;
        let erased = ErasedPeople {
            known: &raw,
            unpublished,
        };
        let pending = self.rewrite_atoms(found.atoms, &erased, &mut rewritten)?;
        self.rewrite_counts((&gone, &arrived), &pending, &leaving, &mut rewritten)?;
        self.rewrite_members(&pending, &leaving, &mut rewritten)?;
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
            .filter(|person| !gone.contains(person) && !leaving.people.contains(person))
            .count();
        let elsewhere = Some(still).filter(|still| *still > 0);
        let erase = Erase {
            wanted: request.wanted.clone(),
            asked: asked.len() as u64,
            erased: gone.len() as u64,
            published: (known.len() - gone.len()) as u64,
            unknown: (asked.len() - known.len()) as u64,
            dissolved,
            waits_again: dissolved > 0 && self.policy.waits_again(),
            moved,
            rows,
        };
        self.append(erase.clone())?;
        let void = self.void()?;
        self.destroyed(&erase)?;
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

    /// Erases these rows from the unpublished increments.
    fn take_rows(&mut self, rows: &[Row]) -> Gone {
        let (columns, mut left) = (self.state.terms.columns.clone(), Gone::default());
        for row in rows {
            let at = (&row.leaves[..], row.since, &row.value[..]);
            let erased = self
                .state
                .feed
                .erase(row.person, at, &self.policy, &columns.trees());
            left.dissolved += u64::from(erased == Some(ErasedPlace::Formed));
            if erased.is_some() {
                left.people.insert(row.person);
                left.arrived.insert(row.since);
            }
        }
        left
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

    /// The rows of people who are not published.
    fn rows_of(&self, people: &BTreeSet<Person>) -> Result<Vec<Row>> {
        let (trees, objects) = (self.state.terms.columns.trees(), self.log.objects());
        let mut found = Vec::new();
        let mut look = |roll: &RowColumns, since: u32| -> Result<()> {
            if !roll.people().any(|person| people.contains(&person)) {
                return Ok(());
            }
            let rows = roll.rows(&trees)?;
            for (row, &person) in rows.people().unwrap_or_default().iter().enumerate() {
                if people.contains(&person) {
                    let value = rows.values().get(rows.codes()[row]).into();
                    found.push(Row {
                        person,
                        since,
                        leaves: rows.tuple_at(row).collect(),
                        value,
                    });
                }
            }
            Ok(())
        };
        for segment in &self.state.segments {
            look(
                &RowColumns::parse(&objects.need(&segment.object)?)?,
                segment.tick,
            )?;
        }
        for place in self.state.pool_in_use() {
            let atoms = Atoms::parse(&objects.need(&place.object)?)?;
            place
                .rows_of(&atoms)
                .try_for_each(|(since, roll)| look(roll, *since))?;
        }
        for formed in &self.state.formed {
            let atoms = Atoms::parse(&objects.need(formed)?)?;
            atoms
                .formed
                .iter()
                .try_for_each(|(since, roll)| look(roll, *since))?;
        }
        Ok(found)
    }
}
