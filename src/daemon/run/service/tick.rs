//! One tick of a feed from its close to its release, step by step, and how it is reported.

use std::time::{Duration, Instant};

use super::keeper::Keeper;
use super::outcome::{FeedTick, TickOutcome};
use crate::clock;
use crate::error::Result;
use crate::feed_writer::{DecisionMade, PublishedRelease};
use crate::journal::ClosingOutcome as Came;
use crate::observe::events::{
    Checks, ColumnNames, Decided as DecidedEvent, Decision, Held, Hold, MisspelledGuarded,
    Published, Rejected, Stopped, TickClosed, TickGathered, TickSkipped, TickWaiting,
    WithoutDetail,
};

/// The command that shows which settings would give more detail.
const HELP: &str = "tidegate preview --feed FEED --in SAMPLE";
/// What to do about a guarded value in a spelling that is not guarded.
const SPELLING: &str = "correct the source, or add the spelling to `guarded` with a new chain";

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
}
