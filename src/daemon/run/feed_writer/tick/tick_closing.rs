//! Closes a tick of the schedule (SCIENCE 3, closing; HOUSE 3): it contains the rows that came
//! before it. Its decisions are recorded in the log before anything is based on them, with the
//! people read back from their segments.

use std::collections::BTreeMap;

use super::super::state_parts::Closing;
use super::super::writer::FeedWriter;
use super::chance_draws::ChanceDraws;
use super::repair::repair;
use crate::engine::feed::{self, ClosingResult, FixedTick, Ledger};
use crate::engine::histogram::{CodedRows, Headcount, Person};
use crate::engine::measures::{PersonNumbers, SumSuppression};
use crate::engine::model::{Leaf, Taxonomy};
use crate::engine::release::Layout;
use crate::error::Result;
use crate::formats::{
    AtomCounts, AtomMembers, Atoms, Grain, LedgerColumns, RecordedTick, RowColumns, RowsByTick,
};
use crate::journal::{ClosedTick, ClosingOutcome, Drafts, Masked, Ref};

/// The result of a tick.
#[derive(Debug, Clone)]
pub struct TickResult {
    /// Its number.
    pub tick: u32,
    /// The number of rows that came since the previous tick.
    pub new: u64,
    /// The number of rows whose atoms formed.
    pub added: u64,
    /// The outcome.
    pub outcome: ClosingOutcome,
    /// The record for the operator.
    pub recorded: RecordedTick,
}

/// The places of people after a tick.
struct Places<'a> {
    waiting: &'a Headcount,
    formed: &'a Headcount,
}

impl FeedWriter {
    /// Closes the tick scheduled for this time. If it makes a release, a decision is made next.
    ///
    /// # Errors
    /// Too many messages are set aside, or the log cannot be written.
    pub fn close(&mut self, time: &str) -> Result<Option<TickResult>> {
        self.retention(time)?;
        let is_due = self.state.table_is_behind(&self.policy);
        self.state.feed.set_due(is_due);
        let new = self.state.feed.new_rows();
        if self.goes_by() {
            return self.skip(new, time);
        }
        self.bearable(true)?;
        let columns = self.state.terms.columns.clone();
        let trees = columns.trees();
        let mut ticked = self.ticked(&trees)?;
        let mut recorded = RecordedTick::new(&ticked, &columns);
        let state = &mut self.state;
        recorded.repairs = repair(
            &mut state.feed,
            &mut ticked,
            &state.history,
            &self.policy,
            &columns,
        );
        let mut fixed = self.state.feed.fixed(&ticked);
        let outcome = match std::mem::replace(&mut ticked.closed, ClosingResult::Waiting) {
            ClosingResult::Held => ClosingOutcome::Held,
            ClosingResult::Waiting => ClosingOutcome::Waiting,
            ClosingResult::Stopped => {
                recorded.stopped_before();
                ClosingOutcome::Stopped
            }
            ClosingResult::Impossible(why) => {
                recorded.impossible(&why);
                ClosingOutcome::Impossible
            }
            ClosingResult::Candidate(candidate) => {
                self.state.candidate = Some(candidate);
                ClosingOutcome::Candidate
            }
        };
        let (rolls, people) = self.all_people(&fixed)?;
        let mut drafts = Drafts::default();
        let formed = Atoms::of(&fixed, rolls, &trees);
        self.measured(&formed, &mut fixed, &trees)?;
        let atoms = self.log.seal(&mut drafts, "atoms", &formed.bytes())?;
        let verdict = match recorded.has_content() {
            true => Some(self.log.seal(&mut drafts, "verdict", &recorded.bytes())?),
            false => None,
        };
        drafts.put(self.log.store())?;
        let feed = &self.state.feed;
        let closed = ClosedTick {
            tick: ticked.tick,
            time: time.to_owned(),
            skipped: false,
            new,
            added: ticked.added,
            waiting: feed.waiting().rows(),
            pending: feed.pending(),
            outcome,
            atoms: Some(atoms),
            verdict,
            turn: feed.memory().ticks().last(),
        };
        self.append(closed.clone())?;
        let held = self.state.held.take();
        self.state.closed(&closed);
        self.state.forms(&fixed);
        held.iter().try_for_each(|held| self.unstage(held))?;
        self.count(&fixed, &formed, people)?;
        Ok(Some(TickResult {
            tick: ticked.tick,
            new,
            added: ticked.added,
            outcome,
            recorded,
        }))
    }

    /// Adds the measures of the people whose atoms formed.
    fn measured(
        &mut self,
        formed: &Atoms,
        fixed: &mut FixedTick,
        trees: &[&Taxonomy],
    ) -> Result<()> {
        if let Some(measures) = formed.measures(&self.policy, trees)? {
            self.state.feed.measured(measures.clone());
            if let Some(atoms) = &mut fixed.formed {
                atoms.measures = Some(measures);
            }
            // It was built without them.
            self.state.candidate = None;
        }
        Ok(())
    }

    /// Whether a tick passes without publishing anything.
    fn goes_by(&self) -> bool {
        // A held release leaves out everything that has to be left out: it is not made again at
        // every tick.
        let owed = self.state.feed.owes_release() && self.state.held.is_none();
        !owed
            && !self
                .state
                .feed
                .is_due(&self.policy, self.settings.min_records)
    }

    /// The feed's result for a tick, with the random numbers that its labeller needs.
    fn ticked(&mut self, trees: &[&Taxonomy]) -> Result<feed::FeedTickResult> {
        let halves = self.policy.halves() && self.state.feed.is_due(&self.policy, 0);
        if halves && !self.state.feed.stopped() {
            let mut coins = self.coins()?;
            let feed = &mut self.state.feed;
            return Ok(feed.close(&self.policy, trees, None, &mut coins));
        }
        if self.policy.waits_again() {
            self.state.again();
        }
        let groups_sums = self.policy.in_force().dominance_safe == Some(true);
        let numbers = groups_sums.then(|| self.numbers(trees)).transpose()?;
        let mut drawn = ChanceDraws::from(self.log.chance());
        let feed = &mut self.state.feed;
        let ticked = feed.close(&self.policy, trees, numbers.as_ref(), &mut drawn);
        drawn.sound()?;
        Ok(ticked)
    }

    /// The numbers of all people who are not published.
    fn numbers(&self, trees: &[&Taxonomy]) -> Result<PersonNumbers> {
        let mut numbers = PersonNumbers::new(SumSuppression::of(&self.policy));
        for place in self.state.pool_in_use() {
            let atoms = Atoms::parse(&self.log.objects().need(&place.object)?)?;
            place
                .rows_of(&atoms)
                .try_for_each(|(_, roll)| roll.rows(trees).map(|rows| numbers.add(&rows)))?;
        }
        for segment in &self.state.segments {
            numbers.add(&self.roll(&segment.object)?.rows(trees)?);
        }
        Ok(numbers)
    }

    /// Lets a tick pass. It is recorded if rows wait for it.
    fn skip(&mut self, new: u64, time: &str) -> Result<Option<TickResult>> {
        let feed = &self.state.feed;
        let (waiting, pending) = (feed.waiting().rows(), feed.pending());
        // The number of a tick can decide whether a later one halves.
        let memory = feed.memory_after_passing(&self.policy);
        // Each file of a folder has an entry of its own.
        let is_folder = self.settings.layout == Layout::Folders;
        if new == 0 && waiting == 0 && memory == *feed.memory() && !is_folder {
            return Ok(None);
        }
        let (tick, outcome) = (feed.ticks(), ClosingOutcome::Skipped);
        let closed = ClosedTick {
            tick,
            time: time.to_owned(),
            skipped: true,
            new,
            added: 0,
            waiting,
            pending,
            outcome,
            atoms: None,
            verdict: None,
            turn: memory.ticks().last(),
        };
        self.append(closed.clone())?;
        self.state.feed.skipped(memory);
        self.state.closed(&closed);
        Ok(Some(TickResult {
            tick,
            new,
            added: 0,
            outcome,
            recorded: RecordedTick::of(tick),
        }))
    }

    /// Fixes the values of a tick as they will be published.
    fn count(&mut self, fixed: &FixedTick, atoms: &Atoms, people: Vec<Person>) -> Result<()> {
        let columns = self.state.terms.columns.clone();
        let trees = columns.trees();
        let changes = self.changes()?.filter(|_| fixed.formed.is_some());
        let masked_rows = changes.as_ref().map(|ledger| fixed.as_published(ledger));
        let counts = AtomCounts::of(
            masked_rows.as_ref().unwrap_or(fixed),
            Grain::of(&self.policy),
            people,
            &trees,
        );
        let mut drafts = Drafts::default();
        let counts = self.log.seal(&mut drafts, "mask", &counts.bytes())?;
        let ledger = match &changes {
            Some(ledger) => Some(self.log.seal(
                &mut drafts,
                "mask",
                &LedgerColumns::of(ledger, &trees).bytes(),
            )?),
            None => None,
        };
        let members = if self.policy.keeps_labels() {
            AtomMembers::of(atoms, &trees)?
        } else {
            None
        };
        let members = members
            .map(|members| self.log.seal(&mut drafts, "members", &members.bytes()))
            .transpose()?;
        drafts.put(self.log.store())?;
        let masked = Masked {
            tick: fixed.tick,
            counts,
            ledger,
            members,
        };
        self.append(masked.clone())?;
        self.state.masked(&masked);
        if let Some(ledger) = changes {
            self.state.feed.masked(ledger);
            // It was built from unmasked values.
            self.state.candidate = None;
        }
        Ok(())
    }

    /// The changed values of the people whose atoms formed last, drawn again: nothing outside knows
    /// an earlier draw.
    fn changes(&mut self) -> Result<Option<Ledger>> {
        let mut drawn = ChanceDraws::from(self.log.chance());
        let changes = self
            .state
            .feed
            .mask(&self.policy, &self.state.terms.columns, &mut drawn);
        drawn.sound()?;
        // If no value is available they stay unchanged, and the gate stops the chain.
        Ok(changes.unwrap_or_else(|_| Some(Ledger::default())))
    }

    /// Completes a tick that was closed and whose values were not fixed when the writer ended.
    ///
    /// # Errors
    /// Its atoms are gone, or the log cannot be written.
    pub(in crate::feed_writer) fn finish_closing(&mut self) -> Result<()> {
        let Some(Closing {
            atoms, segments, ..
        }) = self.state.closing.clone()
        else {
            return Ok(());
        };
        let atoms = Atoms::parse(&self.log.objects().need(&atoms)?)?;
        let fixed = atoms.fixed(
            self.state.sensitive(),
            &self.policy,
            &self.state.terms.columns.trees(),
        )?;
        let mut people = Vec::new();
        for segment in &segments {
            people.extend(self.roll(&segment.object)?.people());
        }
        self.count(&fixed, &atoms, people)
    }

    fn roll(&self, object: &Ref) -> Result<RowColumns> {
        RowColumns::parse(&self.log.objects().need(object)?)
    }

    /// All unpublished people, read back from their objects, by their current places; and new
    /// people since the previous tick.
    fn all_people(&self, fixed: &FixedTick) -> Result<([RowsByTick; 2], Vec<Person>)> {
        let trees = self.state.terms.columns.trees();
        let none = Headcount::empty(trees.len());
        let waiting = fixed.waiting.headcount();
        let formed = fixed.formed.as_ref();
        let formed = formed.map_or(none, |atoms| atoms.rows.headcount());
        let places = Places {
            waiting: &waiting,
            formed: &formed,
        };
        let mut found: [BTreeMap<u32, CodedRows>; 2] = Default::default();
        let mut people = Vec::new();
        for place in &self.state.pool {
            // The object may be gone if no person waited in it; all people are counted below.
            let Some(bytes) = self.log.objects().read(&place.object)? else {
                continue;
            };
            let atoms = Atoms::parse(&bytes)?;
            for (since, roll) in place.rows_of(&atoms) {
                places.put(&roll.rows(&trees)?, *since, &mut found);
            }
        }
        for segment in &self.state.segments {
            let roll = self.roll(&segment.object)?;
            people.extend(roll.people());
            places.put(&roll.rows(&trees)?, segment.tick, &mut found);
        }
        let count = |rows: &BTreeMap<u32, CodedRows>| {
            rows.values().map(|rows| rows.len() as u64).sum::<u64>()
        };
        let meant = [&waiting, &formed].map(Headcount::rows);
        assert_eq!(
            found.each_ref().map(count),
            meant,
            "the people of a tick are those who were decided about"
        );
        let rolls = found.map(|rows| {
            rows.iter()
                .map(|(&since, rows)| (since, RowColumns::of(rows, &trees)))
                .collect()
        });
        Ok((rolls, people))
    }
}

impl Places<'_> {
    /// Adds rows of one arrival to their current places; a person in no place is published.
    fn put(&self, rows: &CodedRows, since: u32, found: &mut [BTreeMap<u32, CodedRows>; 2]) {
        let places = [self.waiting, self.formed];
        let mut leaves: Vec<Leaf> = Vec::new();
        let place: Vec<Option<usize>> = (0..rows.len())
            .map(|row| {
                leaves.clear();
                leaves.extend(rows.tuple_at(row));
                places.iter().position(|place| holds(place, &leaves, since))
            })
            .collect();
        for (at, found) in found.iter_mut().enumerate() {
            let some = rows.only(|row| place[row] == Some(at));
            if !some.is_empty() {
                let known = found.remove(&since);
                found.insert(since, known.map_or(some.clone(), |known| known.and(&some)));
            }
        }
    }
}

fn holds(people: &Headcount, leaves: &[Leaf], since: u32) -> bool {
    people
        .find(leaves)
        .is_some_and(|at| people.heads_of(at).iter().any(|heads| heads.since == since))
}
