//! One entry after the other becomes the state of the feed (HOUSE 3). Objects that are gone because nobody needs them any
//! more are passed over; at the end nothing may be missing that somebody does.

use std::collections::{BTreeMap, BTreeSet};

use super::atoms::{Atoms, Counts};
use super::roll::{Roll, parse};
use super::state::{Aside, Closing, Consumed, Due, Line, Pending, Place, Raw, Segment, Share, State, blind};
use crate::daemon::error::Result;
use crate::daemon::journal::store::Store;
use crate::daemon::journal::{
    Body, Chain, Checked, Closed, Config, Decision, Erase, Ingest, Masked, Moved, Objects, Outcome, Part, Published,
    Ref, Retry, Wanted,
};
use crate::daemon::terms::Terms;
use crate::engine::feed::Fixed;
use crate::engine::histogram::Histogram;
use crate::engine::policy::Policy;
use crate::engine::release::Sha256;
use zeroize::Zeroizing;

/// The version of segments and terms.
pub const VERSION: u32 = 1;

/// Where objects are read, and which took the place of which.
pub struct Reading<'a> {
    /// The sealed objects.
    pub objects: Objects<'a>,
    /// The new object by the path of the old one.
    pub moved: &'a BTreeMap<String, Option<Ref>>,
}

/// What has moved, over a whole log.
pub fn moved(entries: &[Checked]) -> BTreeMap<String, Option<Ref>> {
    let mut moved = BTreeMap::new();
    for entry in entries {
        if let Body::Erase(erase) = &entry.entry.body {
            moved.extend(erase.moved.iter().map(|Moved { old, new }| (old.clone(), new.clone())));
        }
    }
    moved
}

impl Reading<'_> {
    /// Where an object is now.
    pub fn now(&self, object: &Ref) -> Option<Ref> {
        let mut now = object.clone();
        while let Some(next) = self.moved.get(&now.path) {
            now = next.clone()?;
        }
        Some(now)
    }

    /// What an object says; `None` when it is gone.
    ///
    /// # Errors
    /// It was changed.
    pub fn read(&self, object: &Ref) -> Result<Option<Zeroizing<Vec<u8>>>> {
        match self.now(object) {
            Some(now) => self.objects.read(&now),
            None => Ok(None),
        }
    }

    /// Rows of a segment.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn roll(&self, object: &Ref) -> Result<Roll> {
        let now = self.now(object).unwrap_or_else(|| object.clone());
        parse(VERSION, &self.objects.need(&now)?)
    }

    fn terms(&self, object: &Ref) -> Result<Terms> {
        parse(VERSION, &self.objects.need(object)?)
    }
}

impl State {
    /// The first entry with terms begins a feed.
    ///
    /// # Errors
    /// Its terms cannot be read.
    pub fn begin(chain: &Chain, reading: &Reading<'_>) -> Result<State> {
        Ok(State::new(reading.terms(&chain.terms)?))
    }

    /// Takes over an entry.
    ///
    /// # Errors
    /// An object that it names was changed.
    pub fn apply(&mut self, entry: &Checked, reading: &Reading<'_>) -> Result<()> {
        let policy = self.terms.policy()?;
        match &entry.entry.body {
            Body::Fence(_) | Body::Rekey(_) => {}
            Body::Chain(chain) => self.chain(chain, reading)?,
            Body::Config(config) => self.config(config, reading)?,
            Body::Ingest(ingest) => self.ingest(ingest),
            Body::Retry(retry) => self.retry(retry),
            Body::Closed(closed) => self.went_by(closed, reading)?,
            Body::Masked(masked) => self.counted(masked, reading, &policy)?,
            Body::Decision(decision) => self.decided(decision, entry.sha256, &policy),
            Body::Approve(asked) => {
                self.wanted(&asked.wanted);
                self.approved(&policy);
            }
            Body::Published(published) => self.published(published),
            Body::Erase(erase) => self.erased(erase),
        }
        Ok(())
    }

    /// A tick went by; what it has fixed is taken over when its counts are known.
    fn went_by(&mut self, closed: &Closed, reading: &Reading<'_>) -> Result<()> {
        let now = closed.atoms.as_ref().and_then(|atoms| reading.now(atoms));
        let bytes = now.as_ref().map(|atoms| reading.objects.read(atoms)).transpose()?.flatten();
        let atoms = bytes.map(|bytes| Atoms::parse(&bytes)).transpose()?;
        if closed.skipped {
            self.feed.skip();
        }
        let atoms_now = now.or_else(|| closed.atoms.clone());
        self.closed(&Closed { atoms: atoms_now, ..closed.clone() });
        self.fixed = match atoms {
            Some(atoms) => Some((atoms.fixed(self.sensitive(), &self.terms.columns.trees())?, atoms.told)),
            None => None,
        };
        Ok(())
    }

    /// Takes over what the last tick has fixed.
    fn take_over(&mut self, fixed: Fixed) {
        if let Some(due) = &mut self.due {
            due.recoding.clone_from(&fixed.proposed);
        }
        self.forms(&fixed);
        self.replay(fixed);
    }

    /// Where the people are whose atoms a tick formed.
    pub fn forms(&mut self, fixed: &Fixed) {
        if let (Some(closing), Some(_)) = (&self.closing, &fixed.formed) {
            self.formed.push(closing.atoms.clone());
        }
    }

    /// People were taken out: objects took the place of others.
    fn erased(&mut self, erase: &Erase) {
        self.wanted(&erase.wanted);
        self.held = None;
        for Moved { old, new } in &erase.moved {
            if self.live.remove(old) {
                self.live.extend(new.iter().map(|new| new.path.clone()));
            }
            let Some(new) = new else {
                self.raw.retain(|raw| raw.object.path != *old);
                continue;
            };
            let raw = self.raw.iter_mut().map(|raw| &mut raw.object);
            let pool = self.pool.iter_mut().map(|place| &mut place.object);
            let counts = self.counts.iter_mut().map(|(_, counts)| counts);
            let segments = self.segments.iter_mut().map(|segment| &mut segment.object);
            let closing = self.closing.iter_mut().flat_map(|closing| {
                closing.segments.iter_mut().map(|segment| &mut segment.object).chain([&mut closing.atoms])
            });
            let known = raw.chain(pool).chain(&mut self.formed).chain(counts).chain(segments).chain(closing);
            known.filter(|object| object.path == *old).for_each(|object| object.clone_from(new));
        }
    }

    fn replay(&mut self, fixed: Fixed) {
        self.feed.replay(fixed, &self.terms.columns.trees());
    }

    /// A request was done.
    pub fn wanted(&mut self, wanted: &Wanted) {
        self.requests.insert(wanted.request.clone());
    }

    /// A new chain begins, with everybody who is not published; whoever was put anywhere since is not needed here.
    fn chain(&mut self, chain: &Chain, reading: &Reading<'_>) -> Result<()> {
        self.live.insert(chain.terms.path.clone());
        if chain.chain == 1 {
            return Ok(());
        }
        chain.wanted.iter().for_each(|wanted| self.wanted(wanted));
        self.terms = reading.terms(&chain.terms)?;
        // Whoever is in an atom that was not published waits from now on, and is still where they were.
        for object in std::mem::take(&mut self.formed) {
            match self.pool.iter_mut().find(|place| place.object == object) {
                Some(place) => place.formed = true,
                None => self.pool.push(Place { object, waiting: false, formed: true }),
            }
        }
        let trees = self.terms.columns.trees();
        let mut everybody = vec![Histogram::empty(trees.len(), self.sensitive())];
        for place in &self.pool {
            if let Some(bytes) = reading.read(&place.object)? {
                let atoms = Atoms::parse(&bytes)?;
                for (since, roll) in atoms.at(place) {
                    everybody.push(roll.rows(&trees)?.histogram(*since));
                }
            }
        }
        self.feed.begin_chain(Histogram::merge_all(everybody).expect("one at least"));
        self.history = Default::default();
        (self.due, self.held, self.candidate) = (None, None, None);
        Ok(())
    }

    fn config(&mut self, config: &Config, reading: &Reading<'_>) -> Result<()> {
        self.services = Some(config.services);
        if let Some(terms) = &config.terms {
            self.live.insert(terms.path.clone());
            let terms = reading.terms(terms)?;
            self.grown(terms)?;
        }
        self.held = None;
        Ok(())
    }

    /// The taxonomies have grown.
    ///
    /// # Errors
    /// The policy cannot be read.
    pub fn grown(&mut self, terms: Terms) -> Result<()> {
        if let Some(growth) = self.terms.growth(&terms.columns) {
            self.feed.grow(&growth, &terms.policy()?, &terms.columns.trees());
            self.history = Default::default();
            self.candidate = None;
        }
        self.terms = terms;
        Ok(())
    }

    /// Messages were taken in; their rows are where the entry says.
    pub fn ingest(&mut self, ingest: &Ingest) {
        for part in &ingest.parts {
            let Part { file, sha256, size, modified, .. } = part.clone();
            self.files.insert(file, Consumed { sha256, size, modified });
            self.share.seen += part.seen;
            self.share.aside += part.quarantined;
        }
        if let Some(aside) = &ingest.quarantine {
            let (object, messages) = (aside.object.clone(), aside.messages);
            self.live.insert(object.path.clone());
            self.quarantine.push(Aside { object, messages, time: ingest.time.clone(), fresh: true });
        }
        if !ingest.segments.is_empty() {
            self.since.get_or_insert_with(|| ingest.time.clone());
        }
        let tick = ingest.tick;
        self.arrived(ingest.segments.iter().map(|kept| Segment { object: kept.object.clone(), tick }));
    }

    fn arrived(&mut self, segments: impl Iterator<Item = Segment>) {
        for segment in segments {
            self.live.insert(segment.object.path.clone());
            self.segments.push(segment);
        }
    }

    /// Messages that were set aside were offered again.
    pub fn retry(&mut self, retry: &Retry) {
        self.wanted(&retry.wanted);
        // What is left of an object takes its place.
        let mut rest = retry.rest.iter();
        for old in &retry.of {
            self.live.remove(&old.path);
            let Some(at) = self.quarantine.iter().position(|aside| aside.object == *old) else { continue };
            match rest.next().and_then(Option::as_ref) {
                Some(rest) => {
                    self.live.insert(rest.object.path.clone());
                    let aside = &mut self.quarantine[at];
                    (aside.object, aside.messages) = (rest.object.clone(), rest.messages);
                }
                None => _ = self.quarantine.remove(at),
            }
        }
        self.share.aside = self.share.aside.saturating_sub(retry.cleared);
        if !retry.segments.is_empty() {
            self.since.get_or_insert_with(|| retry.wanted.when.clone());
        }
        self.arrived(retry.segments.iter().map(|kept| Segment { object: kept.object.clone(), tick: retry.tick }));
    }

    /// A tick went by; what it has fixed is in the feed already, if it could be read.
    pub fn closed(&mut self, closed: &Closed) {
        self.ticked = Some(closed.time.clone());
        let Some(atoms) = closed.atoms.clone() else { return };
        (self.share, self.since) = (Share::default(), None);
        self.quarantine.iter_mut().for_each(|aside| aside.fresh = false);
        (self.due, self.held) = (None, None);
        self.live.insert(atoms.path.clone());
        let segments = std::mem::take(&mut self.segments);
        let raw = |object: &Ref| Raw { object: object.clone(), tick: closed.tick, published: None };
        self.raw.extend(segments.iter().map(|segment| raw(&segment.object)));
        self.raw.push(raw(&atoms));
        self.pool = vec![Place { object: atoms.clone(), waiting: true, formed: false }];
        if closed.outcome == Outcome::Candidate {
            self.due = Some(Due { tick: closed.tick, time: closed.time.clone(), recoding: None });
        }
        self.closing = Some(Closing { tick: closed.tick, atoms, segments });
    }

    fn counted(&mut self, masked: &Masked, reading: &Reading<'_>, policy: &Policy) -> Result<()> {
        let object = reading.now(&masked.counts).unwrap_or_else(|| masked.counts.clone());
        let counts = Counts::parse(&reading.objects.need(&object)?)?;
        self.feed.known(counts.people());
        let (blind, trees) = (blind(policy), self.terms.columns.trees());
        let fixed = match self.fixed.take() {
            Some((fixed, false)) => fixed,
            Some((fixed, true)) => counts.completed(fixed, blind, &trees)?,
            None => counts.fixed(blind, &trees)?,
        };
        self.take_over(fixed);
        self.masked(&Masked { counts: object, ..masked.clone() });
        Ok(())
    }

    /// The values of the last tick are fixed.
    pub fn masked(&mut self, masked: &Masked) {
        self.live.insert(masked.counts.path.clone());
        self.counts.push((masked.tick, masked.counts.clone()));
        self.closing = None;
    }

    /// A decision was made.
    pub fn decided(&mut self, decision: &Decision, sha256: Sha256, policy: &Policy) {
        let recoding = self.due.take().and_then(|due| due.recoding);
        match decision {
            Decision::Publish { release, tick, time, files, manifest, verdict } => {
                self.live.insert(verdict.path.clone());
                let (files, manifest, time) = (files.clone(), manifest.clone(), time.clone());
                let pending =
                    Pending { release: *release, tick: *tick, time, files, manifest, decision: sha256, recoding };
                self.leaves(pending, policy);
            }
            Decision::Hold { release, tick, time, files, manifest, verdict } => {
                self.live.insert(verdict.path.clone());
                let (files, manifest, time) = (files.clone(), manifest.clone(), time.clone());
                self.held =
                    Some(Pending { release: *release, tick: *tick, time, files, manifest, decision: sha256, recoding });
            }
            Decision::Reject { stops, verdict, wanted, .. } => {
                (self.held, self.candidate) = (None, None);
                verdict.iter().for_each(|verdict| _ = self.live.insert(verdict.path.clone()));
                wanted.iter().for_each(|wanted| self.wanted(wanted));
                if *stops {
                    self.feed.stop(policy);
                    self.formed.clear();
                    if !blind(policy) {
                        self.pool.clear();
                    }
                }
            }
        }
    }

    /// A person approved the release that was held.
    pub fn approved(&mut self, policy: &Policy) {
        if let Some(pending) = self.held.take() {
            self.leaves(pending, policy);
        }
    }

    /// From now on its people are published.
    fn leaves(&mut self, pending: Pending, policy: &Policy) {
        let candidate = self.candidate.take().map(|candidate| *candidate);
        let candidate = candidate.or_else(|| Some(self.feed.propose(pending.recoding.as_ref()?, policy)));
        let candidate = candidate.expect("a decision is about what a tick has proposed");
        let files = pending.files.iter().map(|file| (file.path.clone(), file.sha256)).collect();
        self.releases.push(Line {
            release: pending.release,
            chain: self.feed.chain(),
            tick: pending.tick,
            rows: candidate.table.rows(),
            files,
            manifest: None,
        });
        self.feed.publish(candidate, policy, &self.terms.columns.trees());
        self.formed.clear();
        if !blind(policy) {
            // Whoever waited is in the release.
            self.pool.clear();
        }
        self.publishing = Some(pending);
    }

    /// A release is visible.
    pub fn published(&mut self, published: &Published) {
        self.publishing = None;
        let Some(line) = self.releases.last_mut() else { return };
        line.manifest = Some(published.manifest);
        let tick = line.tick;
        for raw in self.raw.iter_mut().filter(|raw| raw.tick <= tick && raw.published.is_none()) {
            raw.published = Some(published.time.clone());
        }
    }

    /// Reads what has come since the last tick that was closed; then the state is complete.
    ///
    /// # Errors
    /// Something that is needed is gone, or was changed.
    pub fn complete(&mut self, reading: &Reading<'_>, store: &dyn Store) -> Result<()> {
        self.forgotten(store)?;
        if let Some((fixed, _)) = self.fixed.take() {
            self.take_over(fixed);
        }
        for needed in self.formed.iter().chain(self.pool.iter().map(|place| &place.object)) {
            if reading.objects.read(needed)?.is_none() {
                reading.objects.need(needed)?;
            }
        }
        for segment in &mut self.segments {
            segment.object = reading.now(&segment.object).unwrap_or_else(|| segment.object.clone());
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

    /// What was forgotten is named by no one any more.
    fn forgotten(&mut self, store: &dyn Store) -> Result<()> {
        let mut there = BTreeSet::new();
        for folder in ["seg", "atoms", "quarantine"] {
            there.extend(store.list(folder)?.into_iter().map(|object| object.path));
        }
        self.raw.retain(|raw| there.contains(&raw.object.path));
        self.quarantine.retain(|aside| there.contains(&aside.object.path));
        let needed: BTreeSet<&String> = self.segments.iter().map(|segment| &segment.object.path).collect();
        let kept = |path: &String| {
            let folder = path.split('/').next().unwrap_or_default();
            !matches!(folder, "seg" | "atoms" | "quarantine") || there.contains(path) || needed.contains(path)
        };
        self.live.retain(kept);
        Ok(())
    }
}
