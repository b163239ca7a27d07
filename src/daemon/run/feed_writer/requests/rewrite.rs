//! Rewrites objects with raw rows, counts and members without erased people, and without atoms that
//! are dissolved or left out of all later releases. Nothing here changes the state; the entry of
//! the erasure says which object replaces which.

use std::collections::{BTreeMap, BTreeSet};

use super::super::state::FeedState;
use super::super::state_parts::{RawRows, SetAsideMessages};
use super::super::writer::FeedWriter;
use super::leaving_atoms::Leaving;
use super::person_search::Absent;
use crate::engine::feed::{FixedTick, Ledger};
use crate::engine::histogram::{Headcount, Histogram, Person};
use crate::engine::model::{Leaf, Taxonomy};
use crate::error::Result;
use crate::formats::{
    AtomCounts, AtomMembers, Atoms, Grain, LedgerColumns, RowColumns, RowsByTick, terms_from_bytes,
};
use crate::ingest::{Offer, OfferWithout};
use crate::journal::{Drafts, Moved, ObjectReader, Ref};
use crate::terms::ChainTerms;

/// The current decisions of a tick, and the terms under which it was closed.
pub(in crate::feed_writer) struct Was {
    fixed: FixedTick,
    terms: ChainTerms,
    /// The published values of masked rows.
    ledger: Option<Ledger>,
    /// The members of its atoms, in a chain of crowds.
    members: Option<AtomMembers>,
}

/// The rewritten objects.
#[derive(Default)]
pub(in crate::feed_writer) struct Rewritten {
    pub drafts: Drafts,
    pub moved: Vec<Moved>,
}

/// The rewritten set-aside messages.
#[derive(Default)]
pub(in crate::feed_writer) struct RewrittenQuarantine {
    /// The number of messages of erased people.
    pub gone: u64,
    /// The number of unreadable objects.
    pub unread: u64,
}

/// People to be erased.
pub(in crate::feed_writer) struct ErasedPeople<'p> {
    pub known: &'p BTreeSet<Person>,
    /// Whether any of them is unpublished.
    pub unpublished: bool,
}

/// Objects with rows of people to be erased.
pub(in crate::feed_writer) struct FoundObjects {
    /// The segments, and their rows without these people.
    pub segments: Vec<(Ref, RowColumns)>,
    /// The atoms of ticks.
    pub atoms: Vec<Ref>,
}

/// Objects in the order in which they were written, each once: objects that were written together
/// are stored together.
fn each(objects: impl Iterator<Item = Ref>) -> Vec<Ref> {
    let mut known = BTreeSet::new();
    objects
        .filter(|object| known.insert(object.path.clone()))
        .collect()
}

fn is_segment(object: &Ref) -> bool {
    object.path.starts_with("seg/")
}

fn is_atoms(object: &Ref) -> bool {
    object.path.starts_with("atoms/")
}

/// Whether any of these people has a row in the atoms of a tick.
fn holds(atoms: &Atoms, people: &BTreeSet<Person>) -> bool {
    let met = |part: &RowsByTick| {
        part.iter()
            .any(|(_, roll)| roll.people().any(|person| people.contains(&person)))
    };
    [&atoms.waiting, &atoms.formed].into_iter().any(met)
}

/// The rows of a segment without these people; `None` if none of them is in it.
fn without(
    roll: &RowColumns,
    people: &BTreeSet<Person>,
    trees: &[&Taxonomy],
) -> Result<Option<RowColumns>> {
    if !roll.people().any(|person| people.contains(&person)) {
        return Ok(None);
    }
    let rows = roll.rows(trees)?;
    let persons = rows.people().unwrap_or_default();
    let rest = rows.only(|row| !people.contains(&persons[row]));
    Ok(Some(RowColumns::of(&rest, trees)))
}

/// The terms under which ticks were closed, each read once: taxonomies may have grown since, or
/// belong to another chain.
#[derive(Default)]
struct TermsOfTicks(BTreeMap<Ref, ChainTerms>);

impl TermsOfTicks {
    fn of<'t>(
        &'t mut self,
        tick: u32,
        state: &'t FeedState,
        objects: ObjectReader<'_>,
    ) -> Result<&'t ChainTerms> {
        let at = state.terms_from.partition_point(|(from, _)| *from <= tick);
        if at == state.terms_from.len() {
            return Ok(&state.terms);
        }
        let object = &state.terms_from[at - 1].1;
        if !self.0.contains_key(object) {
            self.0
                .insert(object.clone(), terms_from_bytes(&objects.need(object)?)?);
        }
        Ok(&self.0[object])
    }
}

impl FeedWriter {
    /// The objects with rows of these people. Segments and atoms of a tick are in the same packs,
    /// which are read once for both. If people are unpublished, all atoms are found: others may
    /// wait again in any of them.
    pub(in crate::feed_writer) fn objects_with(
        &self,
        known: &BTreeSet<Person>,
        unpublished: bool,
    ) -> Result<FoundObjects> {
        let state = &self.state;
        let segments = state.segments.iter().map(|segment| &segment.object);
        let raw = state.raw.iter().map(|raw| &raw.object);
        let pool = state.pool_in_use().map(|place| &place.object);
        let all = each(
            segments
                .chain(raw)
                .chain(pool)
                .chain(&state.formed)
                .cloned(),
        );
        let (all, mut atoms) = match unpublished {
            true => all.into_iter().partition(|object| !is_atoms(object)),
            false => (all, Vec::new()),
        };
        let all: Vec<Ref> = all
            .into_iter()
            .filter(|object| is_segment(object) || is_atoms(object))
            .collect();
        atoms.retain(is_atoms);
        let trees = state.terms.columns.trees();
        let held = |object: &Ref, content: &[u8]| {
            if is_atoms(object) {
                return Ok(holds(&Atoms::parse(content)?, known).then(|| (object.clone(), None)));
            }
            let rest = without(&RowColumns::parse(content)?, known, &trees)?;
            Ok(rest.map(|rest| (object.clone(), Some(rest))))
        };
        let mut segments = Vec::new();
        for (object, rest) in self.found_in((&all, Absent::Forgotten), known, held)? {
            match rest {
                Some(rest) => segments.push((object, rest)),
                None => atoms.push(object),
            }
        }
        Ok(FoundObjects { segments, atoms })
    }

    pub(in crate::feed_writer) fn rewrite_segments(
        &mut self,
        segments: &[(Ref, RowColumns)],
        rewritten: &mut Rewritten,
    ) -> Result<()> {
        for (old, rest) in segments {
            let new = self.log.seal(&mut rewritten.drafts, "seg", &rest.bytes())?;
            rewritten.moved.push(Moved::to(old.path.clone(), new));
        }
        Ok(())
    }

    /// Removes set-aside messages whose identifiers can be read. An object that cannot be read
    /// stays, and other people are erased nevertheless.
    pub(in crate::feed_writer) fn rewrite_quarantine(
        &mut self,
        erased_people: &BTreeSet<Person>,
        rewritten: &mut Rewritten,
    ) -> Result<RewrittenQuarantine> {
        let mut done = RewrittenQuarantine::default();
        for SetAsideMessages { object, .. } in self.state.quarantine.clone() {
            let Some(sealed) = self.log.objects().read(&object)? else {
                continue;
            };
            let Ok(offer) = Offer::parse(&sealed) else {
                done.unread += 1;
                continue;
            };
            let columns = &self.state.terms.columns;
            let Some(OfferWithout { rest, gone }) =
                offer.without(erased_people, columns, &self.hasher)
            else {
                continue;
            };
            done.gone += gone;
            let messages = rest.messages().len() as u64;
            let new = match messages {
                0 => None,
                _ => Some(
                    self.log
                        .seal(&mut rewritten.drafts, "quarantine", &rest.bytes())?,
                ),
            };
            rewritten.moved.push(Moved {
                old: object.path,
                new,
                messages: Some(messages),
            });
        }
        Ok(done)
    }

    /// Rewrites atoms without rows of erased people, and with rows that wait again because their
    /// atom is dissolved. Returns the current atoms of ticks with unpublished people.
    pub(in crate::feed_writer) fn rewrite_atoms(
        &mut self,
        all: Vec<Ref>,
        erased: &ErasedPeople<'_>,
        rewritten: &mut Rewritten,
    ) -> Result<BTreeMap<u32, Was>> {
        let (mut changed, mut again, mut pending) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut terms = TermsOfTicks::default();
        for object in all {
            let Some(sealed) = self.log.objects().read(&object)? else {
                continue;
            };
            let mut atoms = Atoms::parse(&sealed)?;
            let terms = terms.of(atoms.tick(), &self.state, self.log.objects())?;
            if self.thin(&object, &mut atoms, terms, erased, &mut again)? {
                changed.push((object, atoms));
            }
        }
        let newest = self
            .state
            .pool
            .iter()
            .find(|place| place.waiting)
            .map(|place| place.object.clone());
        let sensitive = self.state.sensitive();
        for (object, atoms) in &mut changed {
            if Some(&*object) == newest.as_ref() {
                atoms.waiting.append(&mut again);
            }
            // If the counts show what was published, or nothing was and its people are in another
            // chain since, the ledger is deleted: it shows which of the values were changed.
            let ledgers = self.state.raw.iter().filter(|raw| raw.tick == atoms.tick());
            let ledgers = ledgers.filter(|raw| raw.object.path.starts_with("mask/"));
            let ledgers = ledgers.filter(|raw| {
                !self
                    .state
                    .ledgers
                    .values()
                    .any(|ledger| *ledger == raw.object)
            });
            let gone = |raw: &RawRows| Moved {
                old: raw.object.path.clone(),
                new: None,
                messages: None,
            };
            rewritten.moved.extend(ledgers.map(gone));
            if !atoms.are_published {
                let terms = terms.of(atoms.tick(), &self.state, self.log.objects())?;
                let (policy, trees) = (terms.policy()?, terms.columns.trees());
                let fixed = atoms.fixed(sensitive, &policy, &trees)?;
                let members = if policy.keeps_labels() {
                    AtomMembers::of(atoms, &trees)?
                } else {
                    None
                };
                pending.insert(
                    atoms.tick(),
                    Was {
                        fixed,
                        terms: terms.clone(),
                        ledger: None,
                        members,
                    },
                );
            }
        }
        self.rewrite_ledgers(&mut pending, rewritten)?;
        for (object, atoms) in changed {
            if atoms.formed.is_empty() {
                self.state.none_formed(&object);
            }
            let new = self
                .log
                .seal(&mut rewritten.drafts, "atoms", &atoms.bytes())?;
            rewritten.moved.push(Moved::to(object.path, new));
        }
        Ok(pending)
    }

    /// Removes the lines of people who are in no atom any more from ledgers.
    pub(in crate::feed_writer) fn rewrite_ledgers(
        &mut self,
        pending: &mut BTreeMap<u32, Was>,
        rewritten: &mut Rewritten,
    ) -> Result<()> {
        for (tick, was) in pending {
            let Some(object) = self.state.ledgers.get(tick).cloned() else {
                continue;
            };
            let trees = was.terms.columns.trees();
            let ledger =
                LedgerColumns::parse(&self.log.objects().need(&object)?)?.ledger(&trees)?;
            // Where all people wait again, the release of that tick is void.
            let ledger = match &was.fixed.formed {
                Some(formed) if !was.terms.policy()?.waits_again() => ledger.among(&formed.rows),
                _ => Ledger::default(),
            };
            let new = self.log.seal(
                &mut rewritten.drafts,
                "mask",
                &LedgerColumns::of(&ledger, &trees).bytes(),
            )?;
            rewritten.moved.push(Moved::to(object.path, new));
            was.ledger = Some(ledger);
        }
        Ok(())
    }

    /// Removes people from the atoms of a tick; returns whether these have to be rewritten. The
    /// newest atoms have to be if any of these people is unpublished: others may wait again in
    /// them.
    fn thin(
        &self,
        object: &Ref,
        atoms: &mut Atoms,
        terms: &ChainTerms,
        &ErasedPeople { known, unpublished }: &ErasedPeople<'_>,
        again: &mut RowsByTick,
    ) -> Result<bool> {
        let (state, trees) = (&self.state, terms.columns.trees());
        let place = state.pool.iter().find(|place| place.object == *object);
        let (pending, waits) = (
            state.formed.contains(object),
            place.is_some_and(|place| place.formed),
        );
        let formed = pending || waits;
        let waiting = place.is_some_and(|place| place.waiting);
        let mut touched = waiting && unpublished || holds(atoms, known);
        if !touched && !unpublished {
            return Ok(false);
        }
        let heads = |rows: &[&Histogram]| -> Vec<Headcount> {
            rows.iter().map(|rows| rows.headcount()).collect()
        };
        if formed {
            let still: Vec<&Histogram> = state
                .feed
                .unpublished()
                .iter()
                .map(|increment| &increment.rows)
                .collect();
            // After a new chain has begun they wait, and nothing is dissolved; nor if all form
            // again with the next tick. Otherwise no atom may be left.
            let form_anew = still.is_empty() && self.policy.waits_again();
            let still = if pending && !form_anew {
                heads(&still)
            } else {
                heads(&[state.feed.waiting()])
            };
            let (stay, leave) = self.divide(&atoms.formed, &still, known)?;
            touched |= !leave.is_empty();
            atoms.formed = stay;
            if terms.policy()?.has_atoms() {
                atoms.dissolved(state.sensitive(), &trees)?;
            }
            again.extend(leave);
        } else if touched {
            // They are published, or are in later atoms.
            (atoms.formed, atoms.are_published) = (Vec::new(), true);
        }
        if touched {
            atoms.forget_tuples(state.sensitive(), &trees)?;
        }
        if waiting {
            let waits = heads(&[state.feed.waiting()]);
            (atoms.waiting, _) = self.divide(&atoms.waiting, &waits, known)?;
        } else if touched {
            atoms.waiting = Vec::new();
        }
        Ok(touched)
    }

    /// Rows without these people: those that are still among some, and the others.
    fn divide(
        &self,
        rolls: &RowsByTick,
        among: &[Headcount],
        without: &BTreeSet<Person>,
    ) -> Result<(RowsByTick, RowsByTick)> {
        let trees = self.state.terms.columns.trees();
        let (mut stay, mut leave) = (RowsByTick::new(), RowsByTick::new());
        for (since, roll) in rolls {
            let rows = roll.rows(&trees)?;
            let holds = |row: usize| {
                let leaves: Vec<Leaf> = rows.tuple_at(row).collect();
                let at = |heads: &Headcount| {
                    let tuple = heads.find(&leaves);
                    tuple.is_some_and(|tuple| {
                        heads
                            .heads_of(tuple)
                            .iter()
                            .any(|heads| heads.since == *since)
                    })
                };
                among.iter().any(at)
            };
            let persons = rows.people();
            let gone = |row: usize| persons.is_some_and(|persons| without.contains(&persons[row]));
            for (part, stays) in [(&mut stay, true), (&mut leave, false)] {
                let some = rows.only(|row| !gone(row) && holds(row) == stays);
                if !some.is_empty() {
                    part.push((*since, RowColumns::of(&some, &trees)));
                }
            }
        }
        Ok((stay, leave))
    }

    /// Rewrites the members of atoms of ticks whose atoms have changed, or are erased. Nothing is
    /// kept of atoms that no release will contain.
    pub(in crate::feed_writer) fn rewrite_members(
        &mut self,
        pending: &BTreeMap<u32, Was>,
        leaving: &Leaving,
        rewritten: &mut Rewritten,
    ) -> Result<()> {
        for membership in self.state.members.clone() {
            let old = membership.object.path.clone();
            let rest = match (
                pending.get(&membership.tick),
                self.leaving_of(membership.tick, leaving),
            ) {
                (Some(was), _) if membership.release.is_none() => was.members.clone(),
                (_, Some(labels)) => {
                    AtomMembers::parse(&self.log.objects().need(&membership.object)?)?
                        .without(labels)
                }
                _ => continue,
            };
            let new = rest
                .map(|rest| {
                    self.log
                        .seal(&mut rewritten.drafts, "members", &rest.bytes())
                })
                .transpose()?;
            rewritten.moved.push(Moved {
                old,
                new,
                messages: None,
            });
        }
        let never = self
            .state
            .raw
            .iter()
            .filter(|raw| raw.object.path.starts_with("members/"));
        let gone = |raw: &RawRows| Moved {
            old: raw.object.path.clone(),
            new: None,
            messages: None,
        };
        rewritten.moved.extend(never.map(gone));
        Ok(())
    }

    /// Rewrites the counts of ticks whose atoms have changed, or are erased, and those with the
    /// hash of a person who may come again: that person was counted by the first tick that closed
    /// after they arrived.
    pub(in crate::feed_writer) fn rewrite_counts(
        &mut self,
        (gone, arrived): (&BTreeSet<Person>, &BTreeSet<u32>),
        pending: &BTreeMap<u32, Was>,
        leaving: &Leaving,
        rewritten: &mut Rewritten,
    ) -> Result<()> {
        let ticks = || self.state.counts.iter().map(|(tick, _)| *tick);
        let counted: BTreeSet<u32> = arrived
            .iter()
            .filter_map(|&tick| ticks().find(|&counts| counts >= tick))
            .collect();
        for (tick, object) in self.state.counts.clone() {
            if !counted.contains(&tick)
                && !pending.contains_key(&tick)
                && self.leaving_of(tick, leaving).is_none()
            {
                continue;
            }
            let counts = AtomCounts::parse(&self.log.objects().need(&object)?)?;
            let met = counts.people().any(|person| gone.contains(&person));
            let (was, labels) = (pending.get(&tick), self.leaving_of(tick, leaving));
            if !met && was.is_none() && labels.is_none() {
                continue;
            }
            let people: Vec<Person> = counts
                .people()
                .filter(|person| !gone.contains(person))
                .collect();
            let counts = match was {
                Some(Was {
                    fixed,
                    terms,
                    ledger,
                    ..
                }) => {
                    let policy = terms.policy()?;
                    let mut fixed = match ledger {
                        Some(ledger) => fixed.as_published(ledger),
                        None => fixed.clone(),
                    };
                    if policy.waits_again() {
                        // Nothing of that tick will be published.
                        fixed.formed = None;
                    }
                    let (fixed, grain) = (&fixed, Grain::of(&policy));
                    AtomCounts::of(fixed, grain, people, &terms.columns.trees())
                }
                None => counts.with_people(people),
            };
            let counts = match labels {
                Some(labels) => counts.without_labels(labels),
                None => counts,
            };
            let new = self
                .log
                .seal(&mut rewritten.drafts, "mask", &counts.bytes())?;
            rewritten.moved.push(Moved::to(object.path, new));
        }
        Ok(())
    }
}
