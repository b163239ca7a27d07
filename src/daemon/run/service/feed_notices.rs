//! Reports about a feed beside its files and ticks: requests, the share of messages that are set
//! aside, and late ticks. Counts only.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::keeper::Keeper;
use crate::config::FeedConfig;
use crate::error::Result;
use crate::feed_writer::PublishedRelease;
use crate::ingest::ColumnSpellings;
use crate::journal::Erase;
use crate::observe::events::{
    Answer, ColumnNames, Erased, NothingSetAside, OverdueWarning, QuarantineShare, Request,
    RequestDone, SpelledApart, StrangeNotes,
};

/// How late a tick may be before that is reported; a step may take some time.
const LATE: Duration = Duration::from_secs(60);

/// What an operator can do about values that differ in spelling alone.
const SPELLINGS: &str =
    "correct the source: each spelling of an identifier counts as a person of its own";

impl Keeper {
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
