//! Folds the entries of the log into the state of the feed (HOUSE 3). Objects that are gone because
//! nothing needs them any more are skipped; at the end no needed object may be missing.

use std::collections::BTreeSet;

use super::objects::reading::ObjectSources;
use super::state::FeedState;
use super::state_parts::Segment;
use crate::engine::feed::FixedTick;
use crate::engine::histogram::Histogram;
use crate::engine::label::LabellerMemory;
use crate::engine::policy::Policy;
use crate::error::Result;
use crate::formats::{AtomCounts, Atoms, Grain, LeavingAtom, LedgerColumns};
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
        Ok(FeedState::new(
            reading.terms(&chain.terms, &chain.release_column)?,
            chain.terms.clone(),
        ))
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
            EntryBody::Closed(closed) => self.went_by(closed, reading, &self.terms.policy()?)?,
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

    /// Records that a tick passed; its decisions are applied when its counts are known.
    fn went_by(
        &mut self,
        closed: &ClosedTick,
        reading: &ObjectSources<'_>,
        policy: &Policy,
    ) -> Result<()> {
        let now = closed.atoms.as_ref().and_then(|atoms| reading.now(atoms));
        let bytes = now
            .as_ref()
            .map(|atoms| reading.read_now(atoms))
            .transpose()?
            .flatten();
        let atoms = bytes.map(|bytes| Atoms::parse(&bytes)).transpose()?;
        if closed.skipped {
            let memory = match policy.halves() {
                true => LabellerMemory::after_halving(closed.turn),
                false => self.feed.memory().clone(),
            };
            self.feed.skipped(memory);
        } else if policy.waits_again() {
            self.again();
        }
        let atoms_now = now.or_else(|| closed.atoms.clone());
        self.closed(&ClosedTick {
            atoms: atoms_now,
            ..closed.clone()
        });
        self.fixed = match atoms {
            Some(atoms) => {
                let fixed = atoms.fixed(self.sensitive(), policy, &self.terms.columns.trees())?;
                Some((fixed.after_halving(closed.turn), atoms.are_published))
            }
            None => None,
        };
        Ok(())
    }

    /// Applies the decisions of the last tick.
    fn take_over(&mut self, fixed: FixedTick, policy: &Policy) {
        self.forms(&fixed);
        self.feed.replay(fixed, policy);
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
                continue;
            };
            let raw = self.raw.iter_mut().map(|raw| &mut raw.object);
            let pool = self.pool.iter_mut().map(|place| &mut place.object);
            let counts = self.counts.iter_mut().map(|(_, counts)| counts);
            let segments = self.segments.iter_mut().map(|segment| &mut segment.object);
            let closing = self.closing.iter_mut().flat_map(|closing| {
                closing
                    .segments
                    .iter_mut()
                    .map(|segment| &mut segment.object)
                    .chain([&mut closing.atoms])
            });
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
        self.terms_are(
            reading.terms(&chain.terms, &chain.release_column)?,
            &chain.terms,
        );
        self.begin_tables(chain);
        self.ledgers.clear();
        self.members_are_in_none();
        // Nothing that a release of the previous chain would have left out is in this one.
        self.erased.clear();
        self.retired.clear();
        self.retired_through = None;
        // People in an unpublished atom wait from now on; their rows stay where they are.
        self.formed_wait();
        let trees = self.terms.columns.trees();
        let mut all_rows = vec![Histogram::empty(trees.len(), self.sensitive())];
        for place in &self.pool {
            if let Some(bytes) = reading.read(&place.object)? {
                let atoms = Atoms::parse(&bytes)?;
                for (since, roll) in place.rows_of(&atoms) {
                    all_rows.push(roll.rows(&trees)?.histogram(*since));
                }
            }
        }
        self.feed
            .begin_chain(Histogram::merge_all(all_rows).expect("one at least"));
        self.history = Default::default();
        (self.due, self.held, self.candidate) = (None, None, None);
        Ok(())
    }

    fn config(&mut self, config: &Config, reading: &ObjectSources<'_>) -> Result<()> {
        self.services = Some(config.services);
        self.void(&self.terms.policy()?);
        if let Some(terms) = &config.terms {
            self.live.insert(terms.path.clone());
            self.grown(reading.terms(terms, self.terms.columns.release())?, terms)?;
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
        let (grain, trees) = (Grain::of(policy), self.terms.columns.trees());
        let turn = self.closing.as_ref().and_then(|closing| closing.turn);
        let named = masked
            .ledger
            .as_ref()
            .map(|ledger| reading.read(ledger))
            .transpose()?;
        // Without the ledger only the counts show what was published.
        let forgotten = named.as_ref().is_some_and(Option::is_none);
        let (fixed, ledger) = match self.fixed.take() {
            Some((fixed, false)) if !forgotten => (fixed, named.flatten()),
            Some((fixed, _)) => (counts.completed(fixed, grain, &trees)?, None),
            None => (counts.fixed(grain, &trees)?.after_halving(turn), None),
        };
        // All people who were published may have been erased since.
        let ledger = ledger.filter(|_| fixed.formed.is_some());
        let ledger = ledger
            .map(|ledger| LedgerColumns::parse(&ledger)?.ledger(&trees))
            .transpose()?;
        self.take_over(fixed, policy);
        ledger
            .into_iter()
            .for_each(|ledger| self.feed.masked(ledger));
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

    /// Reads what has come since the last closed tick; then the state is complete.
    ///
    /// # Errors
    /// Something that is needed is gone, or was changed.
    pub fn complete(&mut self, reading: &ObjectSources<'_>) -> Result<()> {
        self.feed.known(std::mem::take(&mut self.named));
        if let Some((fixed, _)) = self.fixed.take() {
            self.take_over(fixed, &self.terms.policy()?);
        }
        let members = self.members.iter().map(|members| &members.object);
        for needed in self
            .formed
            .iter()
            .chain(self.pool_in_use().map(|place| &place.object))
            .chain(members)
        {
            if reading.objects.read(needed)?.is_none() {
                reading.objects.need(needed)?;
            }
        }
        for segment in &mut self.segments {
            segment.object = reading
                .now(&segment.object)
                .unwrap_or_else(|| segment.object.clone());
        }
        let trees = self.terms.columns.trees();
        let open: Vec<&Segment> = match &self.closing {
            Some(closing) => closing.segments.iter().collect(),
            None => Vec::new(),
        };
        for segment in open {
            let roll = reading.roll(&segment.object)?;
            self.feed.known(roll.people());
        }
        for segment in &self.segments {
            let roll = reading.roll(&segment.object)?;
            self.feed.known(roll.people());
            self.feed.arrive(&roll.rows(&trees)?, segment.tick);
        }
        Ok(())
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
