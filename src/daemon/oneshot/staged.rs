//! A candidate on its way to the gate: every public file is written aside and read back, and the gate is asked about what
//! was read.

use super::entry::Outcome;
use super::outcome::Recorded;
use super::saved::Line;
use super::ticks::Work;
use crate::daemon::error::Result;
use crate::engine::feed::{Candidate, Published};
use crate::engine::gate::own::{Approved, Case, Judged, Newest, Older, Pages, Verdict, judge};
use crate::engine::release::{self, CheckLine, Facts, FileLine, Manifest, Sha256};

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
                    tick: recorded.tick(),
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
        let taxonomy = release::taxonomy(&feed.columns);
        let taxonomy_name = format!("{}.json", Sha256::of(&taxonomy));
        let taxonomy = stage(&taxonomy_name, &taxonomy)?;
        let lines = judged.lines();
        let facts = self.facts(candidate, &lines);
        let place = |name: &str| format!("{}/{name}", candidate.release);
        let (data_path, report_path) = (place("data.parquet"), place("report.html"));
        let taxonomy_path = format!("taxonomy/{taxonomy_name}");
        let line = |path: &str, bytes: &[u8], rows| FileLine { path: path.to_owned(), sha256: Sha256::of(bytes), rows };
        let files = vec![line(&data_path, &data, Some(table.release.rows())), line(&taxonomy_path, &taxonomy, None)];
        let mut manifest = Manifest::of(&facts, &table.release, files);
        let report = stage("report.html", &release::report(&manifest, &feed.columns, &table.release))?;
        manifest.files.push(line(&report_path, &report, None));
        let manifest = stage("manifest.json", &manifest.bytes())?;
        let pages =
            Pages { data: data_path, taxonomy: (taxonomy_path, taxonomy), report: (report_path, report), manifest };
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
        let case = Case {
            policy: &self.task.feed.policy,
            columns: &self.task.feed.columns,
            recoding: candidate.table.recoding(),
            history: &self.history,
            before: self.saved.feed.whole(),
            older: &older,
            newest: &newest,
        };
        judge(&case, data)
    }

    fn facts<'f>(&'f self, candidate: &Candidate, checks: &'f [CheckLine]) -> Facts<'f> {
        Facts {
            feed: &self.saved.name,
            chain: self.saved.feed.chain(),
            release: candidate.release,
            time: self.task.time,
            policy: &self.task.feed.policy,
            columns: &self.task.feed.columns,
            withheld: self.saved.feed.withheld().rows(),
            checks,
            signed: false,
            decision: None,
            previous: self.saved.releases.last().map(|line| Sha256::from_bytes(line.manifest)),
        }
    }
}
