//! The effect of each entry on the state: for the writer that has just appended it, and for one
//! that replays the log.
//!
//! Nothing here reads an object.

use super::publish::chain_table::{ChainTable, NewRelease};
use super::publish::delta_log::DeltaLog;
use super::state::FeedState;
use super::state_parts::{
    Closing, Consumed, DecidedRelease, Membership, MessageShare, OutgoingRelease, RawRows, Segment,
    SetAsideMessages, UndecidedRelease, UnpublishedAtoms,
};
use super::tick::parts::parts_with;
use super::times::milliseconds;
use crate::engine::delta::Metadata;
use crate::engine::feed::grow;
use crate::engine::policy::{ChainKind, Policy};
use crate::engine::release::{FileLine, PartLine, Sha256, TableId, TableKind};
use crate::error::Result;
use crate::ingest::topic::Position;
use crate::journal::{
    ApprovalRule, ApproverDecision, CandidateFile, ChainStart, ClosedTick, ClosingOutcome, Coins,
    Decision, Ingest, Masked, MessageOrigin, Published, Ref, Refused, Rejection, ReleaseDecision,
    RequestOrigin, Retry,
};
use crate::terms::ChainTerms;

impl FeedState {
    /// Records the place of the people whose atoms the tick formed whose values are not fixed yet.
    pub fn forms(&mut self) {
        let atoms = self.closing.as_ref().map(|closing| closing.atoms.clone());
        self.formed.extend(atoms);
    }

    /// People in classes that were not published wait from now on; their rows stay where they are.
    pub fn again(&mut self) {
        self.feed.again();
        self.ledgers.clear();
        self.formed_wait();
    }

    pub(super) fn formed_wait(&mut self) {
        for object in std::mem::take(&mut self.formed) {
            match self.pool.iter_mut().find(|place| place.object == object) {
                Some(place) => place.formed = true,
                None => self.pool.push(UnpublishedAtoms {
                    object,
                    waiting: false,
                    formed: true,
                }),
            }
        }
    }

    /// A request was done.
    pub fn wanted(&mut self, wanted: &RequestOrigin) {
        self.requests.insert(wanted.request.clone(), true);
    }

    /// A request was refused.
    pub fn refused(&mut self, refused: &Refused) {
        self.requests.insert(refused.wanted.request.clone(), false);
    }

    /// The taxonomies have grown.
    ///
    /// # Errors
    /// The policy cannot be read.
    pub fn grown(&mut self, terms: ChainTerms) -> Result<()> {
        if let Some(growth) = self.terms.growth(&terms.columns) {
            let trees = terms.columns.trees();
            grow(&mut self.feed, &growth, &terms.policy()?, &trees);
            self.history = Default::default();
            self.candidate = None;
        }
        self.terms = terms;
        Ok(())
    }

    /// Messages were accepted; the entry says where their rows are.
    pub fn ingest(&mut self, ingest: &Ingest) {
        for part in &ingest.parts {
            match part.origin.clone() {
                MessageOrigin::File {
                    file,
                    code,
                    generation,
                    size,
                    modified,
                } => {
                    self.fresh.push(file.clone());
                    self.files.entry(file).or_default().push(Consumed {
                        code,
                        generation,
                        size,
                        modified,
                    });
                }
                MessageOrigin::Partition {
                    topic,
                    topic_id,
                    partition,
                } => {
                    let known = self.partitions.entry(topic).or_default();
                    // Nothing more is read from a topic that was replaced by another one.
                    known.retain(|_, position| position.topic_id == topic_id);
                    known.insert(
                        partition,
                        Position {
                            topic_id,
                            next: part.next,
                            epoch: part.epoch,
                        },
                    );
                }
            }
            self.share.seen += part.counts.seen;
            // Duplicates are no fault of the source.
            self.share.aside += part.counts.quarantined - part.repeats;
        }
        for aside in &ingest.quarantine {
            let (object, messages) = (aside.object.clone(), aside.messages);
            self.live.insert(object.path.clone());
            self.quarantine.push(SetAsideMessages {
                object,
                messages,
                time: ingest.time.clone(),
                fresh: true,
            });
        }
        if !ingest.segments.is_empty() {
            self.since.get_or_insert_with(|| ingest.time.clone());
        }
        let tick = ingest.tick;
        self.arrived(ingest.segments.iter().map(|kept| Segment {
            object: kept.object.clone(),
            tick,
        }));
    }

    fn arrived(&mut self, segments: impl Iterator<Item = Segment>) {
        for segment in segments {
            self.live.insert(segment.object.path.clone());
            self.segments.push(segment);
        }
    }

    /// The remaining messages of an object of set-aside messages, in another object; `None`: none.
    pub(super) fn still_aside(&mut self, old: &str, rest: Option<(&Ref, u64)>) {
        let Some(at) = self
            .quarantine
            .iter()
            .position(|aside| aside.object.path == old)
        else {
            return;
        };
        match rest {
            Some((object, messages)) => {
                let aside = &mut self.quarantine[at];
                (aside.object, aside.messages) = (object.clone(), messages);
            }
            None => _ = self.quarantine.remove(at),
        }
    }

    /// Set-aside messages were offered again.
    pub fn retry(&mut self, retry: &Retry) {
        self.wanted(&retry.wanted);
        // The remaining messages of an object replace it.
        let mut rest = retry.rest.iter();
        for old in &retry.of {
            self.live.remove(&old.path);
            if !self.quarantine.iter().any(|aside| aside.object == *old) {
                continue;
            }
            let rest = rest.next().and_then(Option::as_ref);
            self.live.extend(rest.map(|rest| rest.object.path.clone()));
            self.still_aside(&old.path, rest.map(|rest| (&rest.object, rest.messages)));
        }
        self.share.aside = self.share.aside.saturating_sub(retry.cleared);
        if !retry.segments.is_empty() {
            self.since.get_or_insert_with(|| retry.wanted.when.clone());
        }
        self.arrived(retry.segments.iter().map(|kept| Segment {
            object: kept.object.clone(),
            tick: retry.tick,
        }));
    }

    /// A tick passed; the feed has its decisions already, if they could be read.
    pub fn closed(&mut self, closed: &ClosedTick) {
        self.ticked = Some(closed.time.clone());
        self.fresh.clear();
        let Some(atoms) = closed.atoms.clone() else {
            return;
        };
        self.coins = None;
        (self.share, self.since) = (MessageShare::default(), None);
        self.quarantine
            .iter_mut()
            .for_each(|aside| aside.fresh = false);
        (self.due, self.held) = (None, None);
        self.live.insert(atoms.path.clone());
        self.live
            .extend(closed.verdict.iter().map(|verdict| verdict.path.clone()));
        let raw = |object: &Ref| RawRows {
            object: object.clone(),
            tick: closed.tick,
            published: None,
        };
        let segments = std::mem::take(&mut self.segments);
        self.raw
            .extend(segments.iter().map(|segment| raw(&segment.object)));
        self.raw.push(raw(&atoms));
        self.pool = vec![UnpublishedAtoms {
            object: atoms.clone(),
            waiting: true,
            formed: false,
        }];
        if closed.outcome == ClosingOutcome::Candidate {
            let (tick, time, verdict) = (closed.tick, closed.time.clone(), closed.verdict.clone());
            self.due = Some(UndecidedRelease {
                tick,
                time,
                verdict,
            });
        }
        self.closing = Some(Closing {
            tick: closed.tick,
            atoms,
            turn: closed.turn,
        });
    }

    /// The values of the last tick are fixed.
    pub fn masked(&mut self, masked: &Masked) {
        self.live.insert(masked.counts.path.clone());
        if let Some(ledger) = &masked.ledger {
            self.live.insert(ledger.path.clone());
            self.raw.push(RawRows {
                object: ledger.clone(),
                tick: masked.tick,
                published: None,
            });
            self.ledgers.insert(masked.tick, ledger.clone());
        }
        if let Some(object) = &masked.members {
            self.live.insert(object.path.clone());
            self.members.push(Membership {
                object: object.clone(),
                tick: masked.tick,
                release: None,
            });
        }
        self.counts.push((masked.tick, masked.counts.clone()));
        self.closing = None;
    }

    /// The coins of the next tick were drawn.
    pub fn tossed(&mut self, coins: &Coins) {
        self.live.insert(coins.coins.path.clone());
        self.raw.push(RawRows {
            object: coins.coins.clone(),
            tick: coins.tick,
            published: None,
        });
        self.coins = Some(coins.clone());
    }

    /// A decision was made.
    pub fn decided(&mut self, decision: &Decision, sha256: Sha256, policy: &Policy) {
        self.due = None;
        self.live
            .extend(decision.verdict().map(|verdict| verdict.path.clone()));
        let pending = |approved: &ReleaseDecision, rule: ApprovalRule| {
            let (approved, approvals) = (approved.clone(), Vec::new());
            OutgoingRelease {
                approved,
                decision: sha256,
                rule,
                approvals,
            }
        };
        match decision {
            Decision::Publish(approved) => {
                self.leaves(pending(approved, ApprovalRule::by_operator()), policy)
            }
            Decision::Hold(hold) => self.held = Some(pending(&hold.approved, hold.rule.clone())),
            Decision::Reject(Rejection { stops, wanted, .. }) => {
                (self.held, self.candidate) = (None, None);
                wanted.iter().for_each(|wanted| self.wanted(wanted));
                if *stops {
                    self.feed.stop();
                    self.members_are_in_none();
                    self.formed.clear();
                    self.ledgers.clear();
                } else if policy.waits_again() {
                    self.again();
                }
            }
        }
    }

    /// A person approved the release that is held. It is published when no other approval is
    /// missing.
    pub fn approved(&mut self, approval: &ApproverDecision, policy: &Policy) {
        self.wanted(&approval.wanted);
        match (approval.missing, self.held.take()) {
            (_, None) => {}
            (0, Some(pending)) => self.leaves(pending, policy),
            (_, Some(mut pending)) => {
                pending.approvals.push(approval.wanted.clone());
                self.held = Some(pending);
            }
        }
    }

    /// The feed file was changed, which makes a release void that is held. A table that grows needs
    /// another release at the next tick, even if no row came since.
    pub fn void(&mut self, policy: &Policy) -> Option<OutgoingRelease> {
        let held = self.held.take()?;
        if policy.has_atoms() {
            self.feed.owe_release();
        }
        Some(held)
    }

    /// From now on its people are published.
    fn leaves(&mut self, pending: OutgoingRelease, policy: &Policy) {
        let candidate = match self.candidate.take() {
            Some(candidate) => *candidate,
            None => self.feed.propose(policy, &self.terms.columns.trees()),
        };
        let files = pending
            .approved
            .files()
            .iter()
            .map(|file| (file.path.clone(), file.sha256))
            .collect();
        // The release contained rows that have been erased since.
        let rows = if policy.has_atoms() {
            let line = |file: &CandidateFile| FileLine {
                path: file.path.clone(),
                sha256: file.sha256,
                rows: file.rows,
            };
            let part = |file: &CandidateFile| {
                Some((
                    PartLine {
                        span: file.span?,
                        file: line(file),
                    },
                    file.bytes.unwrap_or(0),
                ))
            };
            let new: Vec<(PartLine, u64)> =
                pending.approved.files().iter().filter_map(part).collect();
            self.joins_table(&pending, new, policy);
            self.parts().iter().filter_map(|part| part.file.rows).sum()
        } else {
            pending
                .approved
                .files()
                .iter()
                .find_map(|file| file.rows)
                .unwrap_or_else(|| candidate.table().rows())
        };
        self.releases.push(DecidedRelease {
            release: pending.approved.release(),
            chain: self.feed.chain(),
            tick: pending.approved.tick(),
            rows,
            files,
            manifest: None,
            erased: std::mem::take(&mut self.erased),
            retired: std::mem::take(&mut self.retired),
            retired_through: self.retired_through.take(),
            time: pending.approved.time().to_owned(),
            figures: pending.approved.figures(),
            removed: None,
        });
        self.members_are_in(pending.approved.release());
        self.feed.publish(candidate, policy);
        self.formed.clear();
        self.ledgers.clear();
        self.publishing = Some(pending);
    }

    /// Adds a release to the table of its chain, which grows.
    fn joins_table(
        &mut self,
        pending: &OutgoingRelease,
        new: Vec<(PartLine, u64)>,
        policy: &Policy,
    ) {
        let lines: Vec<PartLine> = new.iter().map(|(line, _)| line.clone()).collect();
        let parts = parts_with(self, &lines, policy);
        for id in self.table_ids() {
            let time = milliseconds(pending.approved.time());
            let release = NewRelease {
                release: pending.approved.release(),
                time,
                new: new
                    .iter()
                    .filter(|(line, _)| line.table() == id.kind)
                    .cloned()
                    .collect(),
                parts: parts
                    .iter()
                    .filter(|part| part.table() == id.kind)
                    .cloned()
                    .collect(),
                overwrites: policy.kind() == ChainKind::Disjoint,
            };
            let terms = &self.terms;
            let table = self.tables.entry(id).or_default();
            table.publish(release, || match id.kind {
                TableKind::Rows => Metadata::of(&terms.name, id, time, &terms.columns),
                TableKind::Measures => {
                    Metadata::of(&terms.name, id, time, &terms.columns.of_measures())
                }
            });
        }
    }

    /// A chain begins, with tables that have no release yet.
    pub fn begin_tables(&mut self, chain: &ChainStart) {
        let measures = self
            .terms
            .columns
            .has_measures()
            .then_some(TableKind::Measures);
        for kind in [TableKind::Rows].into_iter().chain(measures) {
            self.tables.insert(
                TableId {
                    chain: chain.chain,
                    kind,
                },
                ChainTable::of(chain),
            );
        }
    }

    /// A release is visible.
    pub fn published(&mut self, published: &Published) {
        self.publishing = None;
        self.tables
            .values_mut()
            .filter_map(ChainTable::delta_mut)
            .for_each(DeltaLog::shown);
        self.visible = Some(published.time.clone());
        let Some(line) = self.releases.last_mut() else {
            return;
        };
        line.manifest = Some(published.manifest);
        let (tick, release) = (line.tick, line.release);
        self.erased_rows_are_gone(release);
        for raw in self
            .raw
            .iter_mut()
            .filter(|raw| raw.tick <= tick && raw.published.is_none())
        {
            raw.published = Some(published.time.clone());
        }
    }

    /// Records that atoms are in this release.
    pub(super) fn members_are_in(&mut self, release: u32) {
        let new = self
            .members
            .iter_mut()
            .filter(|members| members.release.is_none());
        new.for_each(|members| members.release = Some(release));
    }

    /// Records that atoms are in no release and never will be: their members are forgotten with
    /// their rows.
    pub(super) fn members_are_in_none(&mut self) {
        let gone = self
            .members
            .extract_if(.., |members| members.release.is_none());
        let raw = |Membership { object, tick, .. }| RawRows {
            object,
            tick,
            published: None,
        };
        self.raw.extend(gone.map(raw));
    }
}
