//! Folds the entries of the log into the state of the feed (HOUSE 3). Objects that are gone because
//! nothing needs them any more are skipped; at the end no needed object may be missing.

use std::collections::BTreeSet;

use super::objects::reading::ObjectSources;
use super::state::FeedState;
use super::state_parts::{Closing, Membership, UnpublishedAtoms};
use crate::engine::feed::{Arrivals, Increment, TickAtoms};
use crate::engine::label::LabellerMemory;
use crate::engine::model::Taxonomy;
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::formats::{AtomCounts, Atoms, Grain, LeavingAtom, LedgerColumns, other};
use crate::journal::{
    ChainStart, CheckedEntry, ClosedTick, Config, EntryBody, Erase, ErasedRows, Masked, Moved,
};

/// The number of people who are added together, on all cores.
const TOGETHER: usize = 1 << 16;

impl FeedState {
    /// The first entry with terms begins a feed.
    ///
    /// # Errors
    /// Its terms cannot be read.
    pub fn begin(chain: &ChainStart, reading: &ObjectSources<'_>) -> Result<FeedState> {
        let terms = reading.terms(&chain.terms, &chain.release_column)?;
        Ok(FeedState::new(terms))
    }

    /// Applies an entry.
    ///
    /// # Errors
    /// An object that it names was changed.
    pub fn apply(&mut self, entry: &CheckedEntry, reading: &ObjectSources<'_>) -> Result<()> {
        match &entry.entry.body {
            EntryBody::Fence(_) | EntryBody::Rekey(_) => {}
            EntryBody::Chain(chain) => self.chain(chain, reading)?,
            EntryBody::Config(config) => self.config(config, reading)?,
            EntryBody::Ingest(ingest) => self.ingest(ingest),
            EntryBody::Retry(retry) => self.retry(retry),
            EntryBody::Closed(closed) => self.went_by(closed, reading, &self.terms.policy()?),
            EntryBody::Masked(masked) => self.counted(masked, reading, &self.terms.policy()?)?,
            EntryBody::Coins(coins) => self.tossed(coins),
            EntryBody::Decision(decision) => {
                self.decided(decision, entry.sha256, &self.terms.policy()?)
            }
            EntryBody::Refused(refused) => self.refused(refused),
            EntryBody::Approve(approval) => self.approved(approval, &self.terms.policy()?),
            EntryBody::Published(published) => self.published(published),
            EntryBody::Erase(erase) => self.erased(erase, reading)?,
            EntryBody::Withdraw(withdraw) => self.withdraw(withdraw),
            EntryBody::Retire(retire) => self.retire(retire),
            EntryBody::Expire(expire) => self.expire(expire),
            EntryBody::Cleaned(_) => self.cleaned(),
            EntryBody::Forgotten(forgotten) => self.forgets(&forgotten.objects),
        }
        Ok(())
    }

    /// Records that a tick passed; its decisions are applied when its counts are known. No rows are
    /// read: those that are not published are read back at the end.
    fn went_by(&mut self, closed: &ClosedTick, reading: &ObjectSources<'_>, policy: &Policy) {
        if closed.skipped {
            let memory = match policy.halves() {
                true => LabellerMemory::after_halving(closed.turn),
                false => self.feed.memory().clone(),
            };
            self.feed.skipped(memory);
        } else if policy.waits_again() {
            self.again();
        }
        let named = closed.atoms.as_ref();
        let now = named.map(|atoms| reading.now(atoms).unwrap_or_else(|| atoms.clone()));
        self.closed(&ClosedTick {
            atoms: now,
            ..closed.clone()
        });
        // All rows in it are in later objects, or were erased.
        if let Some(gone) = named.filter(|atoms| reading.now(atoms).is_none()) {
            self.forgets(std::slice::from_ref(&gone.path));
        }
    }

    /// Applies the decisions of the last tick.
    fn take_over(&mut self, atoms: TickAtoms, policy: &Policy) {
        if atoms.formed.is_some() {
            self.forms();
        }
        self.feed.replay(atoms, policy);
    }

    /// Applies an erasure: objects replace others.
    pub(super) fn erased(&mut self, erase: &Erase, reading: &ObjectSources<'_>) -> Result<()> {
        self.wanted(&erase.wanted);
        self.held = None;
        if let Some(ErasedRows { named, .. }) = &erase.rows {
            self.live.insert(named.path.clone());
            self.erase_atoms(LeavingAtom::parse_all(&reading.objects.need(named)?)?);
        }
        for Moved { old, new, messages } in &erase.moved {
            if self.live.remove(old) {
                self.live.extend(new.iter().map(|new| new.path.clone()));
            }
            if let Some(messages) = messages {
                self.still_aside(old, new.as_ref().map(|new| (new, *messages)));
                continue;
            }
            let Some(new) = new else {
                self.raw.retain(|raw| raw.object.path != *old);
                self.members.retain(|members| members.object.path != *old);
                self.pool.retain(|place| place.object.path != *old);
                self.formed.retain(|object| object.path != *old);
                self.ledgers.retain(|_, ledger| ledger.path != *old);
                continue;
            };
            let raw = self.raw.iter_mut().map(|raw| &mut raw.object);
            let pool = self.pool.iter_mut().map(|place| &mut place.object);
            let counts = self.counts.iter_mut().map(|(_, counts)| counts);
            let segments = self.segments.iter_mut().map(|segment| &mut segment.object);
            let closing = self.closing.iter_mut().map(|closing| &mut closing.atoms);
            let ledgers = self.ledgers.values_mut();
            let members = self.members.iter_mut().map(|members| &mut members.object);
            let known = raw
                .chain(pool)
                .chain(&mut self.formed)
                .chain(ledgers)
                .chain(counts)
                .chain(segments);
            let known = known.chain(closing).chain(members);
            known
                .filter(|object| object.path == *old)
                .for_each(|object| object.clone_from(new));
        }
        if erase.waits_again {
            // What was proposed is void.
            self.again();
            self.due = None;
        }
        Ok(())
    }

    /// Begins a new chain, with all people who are not published; the objects with their rows are
    /// not needed here.
    fn chain(&mut self, chain: &ChainStart, reading: &ObjectSources<'_>) -> Result<()> {
        self.live.insert(chain.terms.path.clone());
        if chain.chain == 1 {
            self.begin_tables(chain);
            return Ok(());
        }
        chain.wanted.iter().for_each(|wanted| self.wanted(wanted));
        self.terms = reading.terms(&chain.terms, &chain.release_column)?;
        self.begin_tables(chain);
        self.ledgers.clear();
        self.members_are_in_none();
        // Nothing that a release of the previous chain would have left out is in this one.
        self.erased.clear();
        self.retired.clear();
        self.retired_through = None;
        // People in an unpublished atom wait from now on; their rows stay where they are.
        self.formed_wait();
        let columns = (self.terms.columns.trees().len(), self.sensitive());
        self.feed.begin_chain(Arrivals::default(), columns);
        self.history = Default::default();
        (self.due, self.held, self.candidate) = (None, None, None);
        Ok(())
    }

    fn config(&mut self, config: &Config, reading: &ObjectSources<'_>) -> Result<()> {
        self.services = Some(config.services);
        self.void(&self.terms.policy()?);
        if let Some(terms) = &config.terms {
            self.live.insert(terms.path.clone());
            self.grown(reading.terms(terms, self.terms.columns.release())?)?;
        }
        Ok(())
    }

    fn counted(
        &mut self,
        masked: &Masked,
        reading: &ObjectSources<'_>,
        policy: &Policy,
    ) -> Result<()> {
        let object = reading
            .now(&masked.counts)
            .unwrap_or_else(|| masked.counts.clone());
        let counts = AtomCounts::parse(&reading.objects.need(&object)?)?;
        self.named.extend(counts.people());
        if self.named.len() >= TOGETHER {
            self.feed.known(std::mem::take(&mut self.named));
        }
        let turn = self.closing.as_ref().and_then(|closing| closing.turn);
        let atoms = counts.read(Grain::of(policy), &self.terms.columns.trees())?;
        self.take_over(atoms.after_halving(turn), policy);
        let ledger = masked
            .ledger
            .as_ref()
            .and_then(|ledger| reading.now(ledger));
        let members = masked
            .members
            .as_ref()
            .and_then(|members| reading.now(members));
        self.masked(&Masked {
            counts: object,
            ledger,
            members,
            ..masked.clone()
        });
        Ok(())
    }

    /// Reads the rows that are not published; then the state is complete.
    ///
    /// # Errors
    /// Something that is needed is gone, or was changed.
    pub fn complete(&mut self, reading: &ObjectSources<'_>) -> Result<()> {
        self.feed.known(std::mem::take(&mut self.named));
        let (policy, columns) = (self.terms.policy()?, self.terms.columns.clone());
        let trees = columns.trees();
        if let Some(Closing { atoms, turn, .. }) = &self.closing {
            let read = Atoms::parse(&reading.objects.need(atoms)?)?.read(&policy, &trees)?;
            let formed = read.formed.iter().map(|formed| &formed.people);
            let people = formed.chain([&read.waiting]);
            self.feed
                .known(people.flat_map(|rows| rows.people_after(None)));
            let read = read.after_halving(*turn);
            self.take_over(read, &policy);
        }
        for Membership { object, .. } in &self.members {
            if reading.objects.read(object)?.is_none() {
                reading.objects.need(object)?;
            }
        }
        let waiting = self.waiting_rows(reading, &trees)?;
        let formed = self.formed_atoms(reading, &policy, &trees)?;
        self.feed.read_back(waiting, formed);
        for segment in &mut self.segments {
            if let Some(now) = reading.now(&segment.object) {
                segment.object = now;
            }
            let roll = reading.roll(&segment.object)?;
            self.feed.known(roll.people());
            self.feed.arrive(roll.rows(&trees)?, segment.tick);
        }
        Ok(())
    }

    /// The rows that wait. An object in which nobody waits may be gone, and is not named any more.
    fn waiting_rows(&self, reading: &ObjectSources<'_>, trees: &[&Taxonomy]) -> Result<Arrivals> {
        let mut rows = Arrivals::default();
        let named = |place: &&UnpublishedAtoms| self.live.contains(&place.object.path);
        for place in self.pool.iter().filter(named) {
            let atoms = Atoms::parse(&reading.objects.need(&place.object)?)?;
            rows.append(place.rows_of(&atoms, trees)?);
        }
        Ok(rows)
    }

    /// The atoms that are not published, with their masked values.
    fn formed_atoms(
        &self,
        reading: &ObjectSources<'_>,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Result<Vec<Increment>> {
        let mut all = Vec::with_capacity(self.formed.len());
        for object in &self.formed {
            let atoms = Atoms::parse(&reading.objects.need(object)?)?;
            let mut formed = atoms.increment(policy, trees)?.ok_or_else(other)?;
            if let Some(ledger) = self.ledgers.get(&atoms.tick()) {
                let ledger = LedgerColumns::parse(&reading.objects.need(ledger)?)?;
                formed.ledger = Some(ledger.ledger(trees)?);
            }
            all.push(formed);
        }
        Ok(all)
    }

    /// Records that these objects are not named any more.
    pub(super) fn forgets(&mut self, objects: &[String]) {
        // The number of named objects grows with every tick, and the cost of an entry should not:
        // the oldest objects are the first.
        objects.iter().for_each(|path| _ = self.live.remove(path));
        let (mut aside, mut raw): (BTreeSet<&str>, BTreeSet<&str>) = objects
            .iter()
            .map(String::as_str)
            .partition(|path| path.starts_with("quarantine/"));
        self.raw
            .retain(|of| raw.is_empty() || !raw.remove(of.object.path.as_str()));
        self.quarantine
            .retain(|of| aside.is_empty() || !aside.remove(of.object.path.as_str()));
    }
}
