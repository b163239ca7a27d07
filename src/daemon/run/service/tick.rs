//! One tick of a feed from its close to its release, step by step, and how it is reported; and what
//! is done beside ticks: requests, reports of the share of messages that are set aside, and of late
//! ticks. Counts only.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::keeper::Keeper;
use super::outcome::{FeedTick, TickOutcome};
use crate::clock;
use crate::config::FeedConfig;
use crate::error::Result;
use crate::feed_writer::{DecisionMade, PublishedRelease};
use crate::ingest::ColumnSpellings;
use crate::journal::{ClosingOutcome as Came, Erase};
use crate::observe::events::{
    Answer, Checks, ColumnNames, Decided as DecidedEvent, Decision, Erased, Held, Hold,
    MisspelledGuarded, NothingSetAside, OverdueWarning, Published, QuarantineShare, Rejected,
    Request, RequestDone, SpelledApart, Stopped, StrangeNotes, TickClosed, TickGathered,
    TickSkipped, TickWaiting, WithoutDetail,
};

/// The command that shows which settings would give more detail.
const HELP: &str = "tidegate preview --feed FEED --in SAMPLE";
/// What to do about a guarded value in a spelling that is not guarded.
const SPELLING: &str = "correct the source, or add the spelling to `guarded` with a new chain";

/// How late a tick may be before that is reported; a step may take some time.
const LATE: Duration = Duration::from_secs(60);

/// What an operator can do about values that differ in spelling alone.
const SPELLINGS: &str =
    "correct the source: each spelling of an identifier counts as a person of its own";

impl Keeper {
    /// The tick scheduled for this time.
    pub(super) fn tick(&mut self, due: &str) -> Result<FeedTick> {
        let files = self.writer.state().fresh.len() as u64;
        let ticked = self.tick_of_all(due)?;
        Ok(FeedTick { files, ..ticked })
    }

    /// The same, without the number of its files.
    fn tick_of_all(&mut self, due: &str) -> Result<FeedTick> {
        let begun = Instant::now();
        if self.writer.state().feed.new_rows() >= self.schedule().min_records {
            self.report_set_aside(true);
        }
        let Some(ticked) = self.writer.close(due)? else {
            return Ok(self.nothing());
        };
        let seq = self.writer.log().next() - 1;
        let tick = u64::from(ticked.tick);
        if ticked.outcome == Came::Skipped {
            self.report_skipped(tick, ticked.new);
            return Ok(FeedTick {
                tick: Some(ticked.tick),
                outcome: TickOutcome::Skipped,
                ..self.nothing()
            });
        }
        let (added, standing) = (ticked.added, self.standing());
        self.observer.emit(&TickClosed {
            tick,
            seq,
            added,
            standing,
            seconds: begun.elapsed(),
        });
        let outcome = match ticked.outcome {
            Came::Candidate => {
                let judged = self.judge(begun)?;
                // If all people of the rejected classes wait again, the release adds no rows.
                let gone = judged.outcome != TickOutcome::Published
                    && self.writer.state().feed.pending() == 0;
                return Ok(FeedTick {
                    added: if gone { 0 } else { added },
                    ..judged
                });
            }
            Came::Held => {
                let rows = self.writer.state().feed.waiting().rows();
                self.observer.emit(&Held {
                    tick,
                    why: Hold::TooFew,
                    rows,
                });
                TickOutcome::Held
            }
            Came::Stopped => {
                self.observer.emit(&Stopped {
                    tick,
                    against: Checks::named(["stopped"]),
                });
                TickOutcome::Stopped
            }
            Came::Impossible => {
                self.observer.emit(&Rejected {
                    tick,
                    against: Checks::named(["search"]),
                });
                TickOutcome::Rejected
            }
            Came::Waiting | Came::Skipped => {
                self.observer.emit(&TickWaiting { tick });
                TickOutcome::Waiting
            }
        };
        Ok(FeedTick {
            tick: Some(ticked.tick),
            outcome,
            added,
            reasons: ticked.recorded.reasons,
            ..self.nothing()
        })
    }

    /// Reports a tick that decided nothing.
    fn report_skipped(&self, tick: u64, new_rows: u64) {
        let feed = &self.writer.state().feed;
        let policy = self.writer.policy();
        if policy.halves() {
            let waiting_rows = feed.waiting().rows() + feed.new_rows();
            let ticks = feed.memory().ticks();
            self.observer.emit(&TickGathered {
                tick,
                new_rows,
                waiting_rows,
                ticks_left: ticks.ahead(policy.publish_every()).halving,
            });
        } else {
            self.observer.emit(&TickSkipped {
                tick,
                new_rows,
                min_records: self.schedule().min_records,
            });
        }
    }

    /// Lets the gate decide on the release that is due, and publishes it if the gate approves.
    pub(super) fn judge(&mut self, begun: Instant) -> Result<FeedTick> {
        let judging = Instant::now();
        if self.writer.state().due.is_some() {
            self.check_newest()?;
        }
        let misspelled = self.writer.misspelled_guarded();
        let Some((decided, recorded)) = self.writer.decide()? else {
            return Ok(self.nothing());
        };
        let number = recorded.tick;
        let release =
            self.writer.state().feed.releases() + u32::from(decided != DecisionMade::Publish);
        let tick = u64::from(number);
        let made = recorded
            .verdict
            .as_ref()
            .map_or(Checks::named([]), Checks::made);
        let against = recorded
            .verdict
            .as_ref()
            .map_or(Checks::named([]), Checks::against);
        let report = |decision: Decision| {
            let (made, against) = (made.clone(), against.clone());
            let (release, seq) = (u64::from(release), self.writer.log().next() - 1);
            let seconds = judging.elapsed();
            self.observer.emit(&DecidedEvent {
                tick,
                release,
                seq,
                decision,
                made,
                against,
                seconds,
            });
        };
        if !misspelled.is_empty() {
            let columns = ColumnNames::declared(&self.feed.columns, &misspelled);
            self.observer.emit(&MisspelledGuarded {
                tick,
                columns,
                help: SPELLING,
            });
        }
        let without_detail = self.writer.newly_without_detail()?;
        let columns = ColumnNames::declared(&self.feed.columns, &without_detail);
        let (outcome, release) = match decided {
            DecisionMade::Publish => {
                report(Decision::Publish);
                if let Some(left) = self.writer.leave(&self.now())? {
                    self.published(&left, Some(number), begun, false);
                }
                (TickOutcome::Published, Some(release))
            }
            DecisionMade::Hold => {
                report(Decision::Hold);
                self.observer.emit(&Held {
                    tick,
                    why: Hold::Approval,
                    rows: self.writer.state().feed.pending(),
                });
                (TickOutcome::Approval, Some(release))
            }
            DecisionMade::Reject => {
                report(Decision::Reject);
                self.observer.emit(&Rejected { tick, against });
                (TickOutcome::Rejected, None)
            }
            DecisionMade::Stop => {
                report(Decision::Reject);
                self.observer.emit(&Stopped { tick, against });
                (TickOutcome::Stopped, None)
            }
        };
        if let Some(release) = release.filter(|_| !without_detail.is_empty()) {
            self.observer.emit(&WithoutDetail {
                tick,
                release: u64::from(release),
                columns,
                help: HELP,
            });
        }
        let reasons = recorded.reasons;
        Ok(FeedTick {
            tick: Some(number),
            outcome,
            release,
            without_detail,
            reasons,
            ..self.nothing()
        })
    }

    pub(super) fn published(
        &mut self,
        left: &PublishedRelease,
        tick: Option<u32>,
        begun: Instant,
        approved: bool,
    ) {
        // An error in counting for the operator stops no release.
        let sums = self.writer.newest_sums().ok().flatten();
        let state = self.writer.state();
        let line = state.releases.last();
        let due = state.ticked.as_deref().and_then(clock::parse);
        let since = due.map_or(0, |due| self.time().as_second() - due.as_second());
        self.observer.emit(&Published {
            release: u64::from(left.release),
            tick: u64::from(
                tick.or_else(|| line.map(|line| line.tick))
                    .unwrap_or_default(),
            ),
            seq: self.writer.log().next() - 1,
            rows: left.rows,
            sums: sums.map(|sums| sums.shown),
            sums_left_out: sums.map(|sums| sums.left_out),
            pending: state.feed.pending(),
            manifest: left.manifest,
            approved,
            seconds_since_tick: Duration::from_secs(u64::try_from(since).unwrap_or(0)),
            seconds: begun.elapsed(),
        });
    }

    /// Handles the requests in the inbox.
    pub(super) fn inbox(&mut self) -> Result<()> {
        let file = self.feed.file.clone();
        let (begun, before) = (Instant::now(), self.writer.state().releases.len());
        // A request may approve the release that is held.
        if self.writer.state().held.is_some()
            && !self.writer.log().store().list("inbox")?.is_empty()
        {
            self.check_newest()?;
        }
        let done = self
            .writer
            .inbox(&|| FeedConfig::load(&file), &self.now())?;
        if let Some(line) = self.writer.state().releases.get(before).cloned() {
            let left = line.manifest.map(|manifest| PublishedRelease {
                release: line.release,
                rows: line.rows,
                manifest,
            });
            left.iter()
                .for_each(|left| self.published(left, None, begun, true));
        }
        for answer in done.answers {
            let what = match answer.asked.as_str() {
                "approve" => Request::Approve,
                "reject" => Request::Reject,
                "erase" => Request::Erase,
                "new-chain" => Request::NewChain,
                "withdraw" => Request::Withdraw,
                _ => Request::QuarantineRetry,
            };
            let said = if answer.done {
                Answer::Done
            } else {
                Answer::Refused
            };
            self.observer.emit(&RequestDone {
                what,
                answer: said,
                seq: self.writer.log().next().checked_sub(1),
            });
        }
        for Erase {
            erased,
            published,
            moved,
            rows,
            ..
        } in done.erased
        {
            let segments = moved
                .iter()
                .filter(|moved| moved.old.starts_with("seg/"))
                .count() as u64;
            let rows = rows.map_or(0, |rows| rows.rows);
            self.observer.emit(&Erased {
                waiting: erased,
                published,
                rows,
                segments,
            });
        }
        if done.strange > 0 {
            self.observer.emit(&StrangeNotes {
                notes: done.strange,
            });
        }
        Ok(())
    }

    /// Whether few enough messages are set aside to continue before the tick.
    pub(super) fn bearable(&mut self) -> Result<()> {
        self.report_set_aside(false);
        self.writer.bearable(false)
    }

    /// Reports the share of messages that are set aside: at a tick always, before it if the share
    /// is near the limit.
    pub(super) fn report_set_aside(&mut self, closing: bool) {
        let Some(share) = self.writer.set_aside(closing) else {
            return;
        };
        let is_reported = share.near || (closing && (share.aside > 0 || self.aside));
        if is_reported {
            self.aside = share.aside > 0;
            let (quarantined, seen, limit) = (share.aside, share.seen, share.most.get());
            if quarantined == 0 {
                return self.observer.emit(&NothingSetAside { seen });
            }
            self.observer.emit(&QuarantineShare {
                quarantined,
                seen,
                limit,
                above: share.above,
            });
        }
    }

    /// Reports columns of a file or batch with values that differ in spelling alone, each when it
    /// has more than before.
    pub(super) fn report_spellings(&mut self, found: Vec<ColumnSpellings>) {
        for ColumnSpellings { column, values } in found {
            if values > self.spelled.get(&column).copied().unwrap_or(0) {
                let columns =
                    ColumnNames::declared(&self.feed.columns, std::slice::from_ref(&column));
                self.observer.emit(&SpelledApart {
                    columns,
                    values,
                    help: SPELLINGS,
                });
                self.spelled.insert(column, values);
            }
        }
    }

    /// Reports a late tick.
    pub(super) fn overdue(&self, due: Timestamp, missed: u64) {
        let late = Duration::try_from(self.time().duration_since(due)).unwrap_or(Duration::ZERO);
        if missed > 0 || late >= LATE {
            let tick = u64::from(self.writer.state().feed.ticks());
            self.observer.emit(&OverdueWarning {
                tick,
                seconds_late: late,
                missed,
            });
        }
    }
}
