//! A candidate on its way to the gate: every public file is written aside and read back, and the gate is asked about what
//! was read.

use super::entry::Outcome;
use super::saved::Line;
use super::ticks::Work;
use crate::daemon::error::Result;
use crate::daemon::live::Recorded;
use crate::engine::feed::{Candidate, Published};
use crate::engine::gate::own::{Approved, Case, Census, Judged, Newest, Older, Verdict, judge};
use crate::engine::release::{self, Facts, Pages, Sha256};

/// What the gate said of a candidate.
enum Said {
    Approved(Approved),
    Refused(Verdict),
}

impl Work<'_> {
    /// Writes a candidate aside, has it judged, and takes what came of it into the feed.
    pub(super) fn candidate(
        &mut self,
        candidate: Candidate,
        recorded: &mut Recorded,
    ) -> Result<(Outcome, Option<(Line, Approved)>)> {
        let (policy, trees) = (&self.task.feed.policy, self.task.feed.columns.trees());
        match self.judged(&candidate, recorded)? {
            Said::Approved(approved) => {
                let line = Line {
                    release: candidate.release,
                    chain: self.saved.feed.chain(),
                    tick: recorded.tick,
                    ..Line::of(&approved)
                };
                self.saved.feed.publish(candidate, policy, &trees);
                Ok((Outcome::Published, Some((line, approved))))
            }
            Said::Refused(verdict) => {
                self.folder.discard(candidate.release)?;
                if verdict.stops() {
                    self.saved.feed.stop(policy);
                    return Ok((Outcome::Stopped, None));
                }
                Ok((Outcome::Rejected, None))
            }
        }
    }

    /// Stages every file of a candidate, reads it back, and asks the gate.
    fn judged(&self, candidate: &Candidate, recorded: &mut Recorded) -> Result<Said> {
        let feed = self.task.feed;
        let stage = |name: &str, bytes: &[u8]| self.folder.stage(candidate.release, name, bytes);
        let data = release::data(&candidate.table, candidate.rows.values(), &feed.columns);
        let data = stage("data.parquet", &data)?;
        let judged = self.ask(candidate, data.clone());
        recorded.verdict(judged.verdict());
        let Some(table) = judged.table() else { return Ok(Said::Refused(judged.verdict().clone())) };
        let (lines, facts) = (judged.lines(), self.facts());
        let pages = Pages::of(&facts, &judged.terms(&lines), &table.release, &data);
        let pages = Pages {
            taxonomy: stage(&format!("{}.json", Sha256::of(&pages.taxonomy)), &pages.taxonomy)?,
            report: stage("report.html", &pages.report)?,
            manifest: stage("manifest.json", &pages.manifest)?,
        };
        Ok(match judged.approve(&facts, pages) {
            Ok(approved) => {
                recorded.verdict(approved.verdict());
                Said::Approved(approved)
            }
            Err(verdict) => {
                recorded.verdict(&verdict);
                Said::Refused(verdict)
            }
        })
    }

    fn ask(&self, candidate: &Candidate, data: Vec<u8>) -> Judged {
        let older = self.saved.feed.published().iter();
        let older: Vec<Older<'_>> =
            older.map(|Published { recoding, rows, .. }| Older { known: recoding, rows }).collect();
        let newest = candidate.increments.iter().map(|new| Newest { atoms: &new.recoding, rows: &new.rows });
        let newest: Vec<Newest<'_>> = newest.collect();
        let known = &self.saved.feed;
        let census = self.task.feed.policy.standing();
        let census = census.map(|_| Census { came: known.standing().arrived(), waiting: known.waiting().rows() });
        let case = Case {
            policy: &self.task.feed.policy,
            columns: &self.task.feed.columns,
            release: candidate.release,
            withheld: known.withheld().rows(),
            census,
            recoding: candidate.table.recoding(),
            history: &self.history,
            before: known.whole(),
            older: &older,
            newest: &newest,
        };
        judge(&case, data)
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            feed: &self.saved.terms.name,
            chain: self.saved.feed.chain(),
            time: self.task.time,
            signed: false,
            decision: None,
            previous: self.saved.releases.last().map(|line| Sha256::from_bytes(line.manifest)),
            layout: release::Layout::Folders,
        }
    }
}
