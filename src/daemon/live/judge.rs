//! The gate is asked (HOUSE 3, Publish): every public file of a candidate is written aside and read back, and what was read is
//! judged with the people of the increments as the journal has them.

use super::atoms::{Atoms, histogram};
use super::ledger::Kept;
use super::record::Recorded;
use super::state::Due;
use super::work::Live;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::journal::Ref;
use crate::engine::feed::{Candidate, Increment};
use crate::engine::gate::own::{Approved, Case, Census, Judged, Learnt, Newest, Older, Verdict, judge};
use crate::engine::histogram::Histogram;
use crate::engine::policy::Output;
use crate::engine::release::{Facts, Pages, Tables};
use crate::engine::safeguards::trace::{Terms, told};

/// What the gate said of a candidate, and where its files lie aside.
pub(super) enum Said {
    Approved(Box<Approved>, Vec<(String, String)>),
    Refused(Verdict),
}

impl Live {
    /// Stages every file of a candidate, reads it back, and asks the gate.
    pub(super) fn judged(&self, candidate: &Candidate, due: &Due, recorded: &mut Recorded) -> Result<Said> {
        let columns = &self.state.terms.columns;
        let mut stages = Vec::new();
        let release = candidate.release;
        let exact = candidate.exact(self.policy.output());
        let tables = Tables::of(candidate.table(), candidate.rows().values(), exact.as_ref(), columns);
        let [data] = self.stage(release, [("data.parquet", tables.data)], &mut stages)?;
        let sensitive = match tables.sensitive {
            None => None,
            Some(sensitive) => {
                let [sensitive] = self.stage(release, [("sensitive.parquet", sensitive)], &mut stages)?;
                Some(sensitive)
            }
        };
        let tables = Tables { data, sensitive };
        let judged = self.ask(candidate, due, tables.clone())?;
        recorded.verdict(judged.verdict());
        let Some(table) = judged.table() else { return Ok(Said::Refused(judged.verdict().clone())) };
        let (lines, facts) = (judged.lines(), self.facts(&due.time)?);
        let pages = Pages::of(&facts, &judged.terms(&lines), &table.release, &tables);
        let pages = self.staged_pages(release, pages, &mut stages)?;
        Ok(match judged.approve(&facts, pages) {
            Ok(approved) => {
                recorded.verdict(approved.verdict());
                Said::Approved(Box::new(approved), stages)
            }
            Err(verdict) => {
                recorded.verdict(&verdict);
                Said::Refused(verdict)
            }
        })
    }

    /// Stages the files that go with a table, in the order of their paths in the manifest, and the manifest last.
    fn staged_pages(&self, release: u32, pages: Pages, stages: &mut Vec<(String, String)>) -> Result<Pages> {
        let first = [("taxonomy.json", pages.taxonomy), ("report.html", pages.report)];
        let [taxonomy, report] = self.stage(release, first, stages)?;
        let notice = match pages.notice {
            Some(notice) => {
                let [notice] = self.stage(release, [("erased.json", notice)], stages)?;
                Some(notice)
            }
            None => None,
        };
        let [manifest] = self.stage(release, [("manifest.json", pages.manifest)], stages)?;
        Ok(Pages { taxonomy, report, manifest, notice })
    }

    /// Asks the gate, with the people of what is new as their objects have them.
    fn ask(&self, candidate: &Candidate, due: &Due, tables: Tables) -> Result<Judged> {
        let state = &self.state;
        let proposed = due.recoding.as_ref().is_some_and(|recoding| *recoding == candidate.recoding);
        let searched = proposed && !state.feed.is_coarsest();
        let kept = self.increments(candidate)?;
        let older = state.feed.published().iter();
        let older: Vec<Older<'_>> =
            older.map(|of| Older { known: &of.recoding, atoms: &of.atoms, rows: &of.rows }).collect();
        let newest = candidate.increments.iter().zip(&kept);
        let newest: Vec<Newest<'_>> = newest.map(|(new, kept)| newest_of(new, kept)).collect();
        let census = self.policy.standing();
        let census =
            census.map(|_| Census { came: state.feed.standing().arrived(), waiting: state.feed.waiting().rows() });
        let case = Case {
            policy: &self.policy,
            columns: &state.terms.columns,
            release: candidate.release,
            withheld: state.feed.withheld().rows(),
            census,
            tests: state.feed.tests(),
            recoding: &candidate.recoding,
            carving: candidate.carving.as_ref(),
            searched,
            learnt: Some(candidate).filter(|_| searched).and_then(|candidate| self.learnt(candidate)),
            history: &state.history,
            erased: &state.for_the_gate(&state.erased)?,
            before: state.feed.whole(),
            older: &older,
            newest: &newest,
        };
        Ok(judge(&case, tables))
    }

    /// By how much the course of a search narrows down who is where, for the gate to judge.
    fn learnt(&self, candidate: &Candidate) -> Option<Learnt> {
        let limits = self.policy.refinement();
        let global = !candidate.table().is_local() && self.policy.output() == Output::OneTable;
        if !global || !limits.looks_at_coarseness() || !self.state.history.is_empty() {
            return None;
        }
        let (trees, terms) = (self.state.terms.columns.trees(), Terms::of(&limits, candidate.release.into()));
        let [finally, wholly] = told(candidate.table(), &trees, self.policy.a(), terms);
        Some(Learnt { finally, wholly })
    }

    /// The rows of what is new, increment by increment, read back from the journal.
    fn increments(&self, candidate: &Candidate) -> Result<Vec<Read>> {
        let (trees, sensitive) = (self.state.terms.columns.trees(), self.state.sensitive());
        let read = |object: &Ref| -> Result<Atoms> { Atoms::parse(&self.log.objects().need(object)?) };
        if self.policy.forms() {
            let formed = self.state.formed.iter().map(|object| {
                let atoms = read(object)?;
                let rows = histogram(&atoms.formed, sensitive, &trees)?;
                self.told(rows, self.state.ledgers.get(&atoms.tick()))
            });
            return formed.collect();
        }
        assert_eq!(candidate.increments.len(), 1, "whoever waits is the increment");
        let waiting = self.state.pool.iter().map(|place| histogram(&read(&place.object)?.waiting, sensitive, &trees));
        let waiting = Histogram::merge_all(waiting.collect::<Result<Vec<_>>>()?);
        let ledger = self.state.due.as_ref().and_then(|due| self.state.ledgers.get(&due.tick));
        waiting.into_iter().map(|rows| self.told(rows, ledger)).collect()
    }

    /// Rows as they are published, where a ledger says that some were changed.
    fn told(&self, rows: Histogram, ledger: Option<&Ref>) -> Result<Read> {
        let Some(ledger) = ledger else { return Ok(Read { told: rows, raw: None }) };
        let ledger = Kept::parse(&self.log.objects().need(ledger)?)?.ledger(&self.state.terms.columns.trees())?;
        Ok(Read { told: ledger.applied(&rows), raw: Some(rows) })
    }

    pub(super) fn facts<'f>(&'f self, time: &'f str) -> Result<Facts<'f>> {
        let previous = match self.state.releases.last() {
            None => None,
            Some(line) => Some(line.manifest.ok_or_else(|| Error::new(Kind::Internal, "releases come one by one"))?),
        };
        Ok(Facts {
            feed: &self.state.terms.name,
            chain: self.state.feed.chain(),
            time,
            signed: self.settings.signing.is_some(),
            decision: None,
            previous,
            layout: self.settings.layout,
        })
    }
}

fn newest_of<'a>(new: &'a Increment, kept: &'a Read) -> Newest<'a> {
    Newest { atoms: &new.recoding, carving: new.carving.as_ref(), rows: &kept.told, raw: kept.raw() }
}

/// People of an increment.
struct Read {
    /// As they are published.
    told: Histogram,
    /// As they are, where that may be something else.
    raw: Option<Histogram>,
}

impl Read {
    fn raw(&self) -> Option<&Histogram> {
        self.raw.as_ref()
    }
}
