//! A candidate on its way to the gate (HOUSE 3, Publish): every public file is written aside and read back, the gate is
//! asked about what was read, with the people of the increments as the journal has them, and what it says is put into the
//! log.

use super::atoms::{Atoms, histogram};
use super::ledger::Kept;
use super::record::Recorded;
use super::state::{Due, blind};
use super::work::Live;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::journal::{Against, Body, Decision, Ref, Staged};
use crate::engine::feed::Candidate;
use crate::engine::gate::own::{Approved, Case, Census, Judged, Newest, Older, Verdict, judge};
use crate::engine::histogram::Histogram;
use crate::engine::release::{Facts, Manifest, Pages, Sha256, Tables};

/// What was decided about a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// It is on its way out.
    Publish,
    /// It waits for a person.
    Hold,
    /// It may not leave, for reasons of quasi-identifiers.
    Reject,
    /// A check that reads sensitive values failed.
    Stop,
}

/// What the gate said of a candidate, and where its files lie aside.
enum Said {
    Approved(Box<Approved>, Vec<(String, String)>),
    Refused(Verdict),
}

impl Live {
    /// Decides about the release that is due, if one is.
    ///
    /// # Errors
    /// Its files cannot be written, or the log cannot.
    pub fn decide(&mut self) -> Result<Option<(Decided, Recorded)>> {
        let Some(due) = self.state.due.clone() else { return Ok(None) };
        let recoding = due.recoding.as_ref().ok_or_else(|| Error::new(Kind::Internal, "a tick proposes a recoding"))?;
        let candidate = match self.state.candidate.take() {
            Some(candidate) => candidate,
            None => Box::new(self.state.feed.propose(recoding, &self.policy)),
        };
        let release = candidate.release;
        let mut recorded = self.recorded(due.tick, due.verdict.as_ref())?;
        let said = self.judged(&candidate, &due, &mut recorded)?;
        let verdict = self.log.keep("verdict", &recorded.bytes())?;
        let (decision, decided, approved) = match said {
            Said::Approved(approved, stages) => {
                self.state.candidate = Some(candidate);
                let (files, manifest) = staged(&approved, stages);
                let (tick, time) = (due.tick, due.time.clone());
                if self.settings.manual {
                    (Decision::Hold { release, tick, time, files, manifest, verdict }, Decided::Hold, Some(approved))
                } else {
                    let decision = Decision::Publish { release, tick, time, files, manifest, verdict };
                    (decision, Decided::Publish, Some(approved))
                }
            }
            Said::Refused(said) => {
                self.discard(release)?;
                let decided = if said.stops() { Decided::Stop } else { Decided::Reject };
                (rejection(release, &due, &said, verdict), decided, None)
            }
        };
        let sha256 = self.append(Body::Decision(decision.clone()))?;
        self.state.decided(&decision, sha256, &self.policy);
        if let (Some(approved), Decided::Publish) = (approved, decided) {
            self.commit(*approved)?;
        }
        Ok(Some((decided, recorded)))
    }

    /// What the operator is told of a tick, as it was kept.
    ///
    /// # Errors
    /// It is gone, or was changed.
    pub fn recorded(&self, tick: u32, kept: Option<&Ref>) -> Result<Recorded> {
        match kept {
            Some(kept) => Recorded::parse(&self.log.objects().need(kept)?),
            None => Ok(Recorded::of(tick)),
        }
    }

    /// The gate's own memory of what was published grows by what it has just read.
    fn commit(&mut self, approved: Approved) -> Result<()> {
        let table = approved.spend().table;
        let cumulative = self.policy.standing().is_some() || self.policy.guarantee().is_some();
        if let Some(published) = self.state.feed.published().last().filter(|_| cumulative) {
            let pushed = self.state.history.push(&table, &published.recoding);
            pushed.map_err(|_| Error::new(Kind::Internal, "the gate has looked at the labels"))?;
        }
        Ok(())
    }

    /// Stages every file of a candidate, reads it back, and asks the gate.
    fn judged(&self, candidate: &Candidate, due: &Due, recorded: &mut Recorded) -> Result<Said> {
        let columns = &self.state.terms.columns;
        let mut stages = Vec::new();
        let release = candidate.release;
        let exact = candidate.exact(self.policy.output());
        let tables = Tables::of(&candidate.table, candidate.rows.values(), exact.as_ref(), columns);
        let [data] = self.stage(release, [("data.parquet", tables.data)], &mut stages)?;
        let sensitive = match tables.sensitive {
            None => None,
            Some(sensitive) => {
                let [sensitive] = self.stage(release, [("sensitive.parquet", sensitive)], &mut stages)?;
                Some(sensitive)
            }
        };
        let tables = Tables { data, sensitive };
        let judged = self.ask(candidate, tables.clone())?;
        recorded.verdict(judged.verdict());
        let Some(table) = judged.table() else { return Ok(Said::Refused(judged.verdict().clone())) };
        let (lines, facts) = (judged.lines(), self.facts(&due.time)?);
        let pages = Pages::of(&facts, &judged.terms(&lines), &table.release, &tables);
        let pages =
            [("taxonomy.json", pages.taxonomy), ("report.html", pages.report), ("manifest.json", pages.manifest)];
        let [taxonomy, report, manifest] = self.stage(release, pages, &mut stages)?;
        let pages = Pages { taxonomy, report, manifest };
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

    /// Asks the gate, with the people of what is new as their objects have them.
    fn ask(&self, candidate: &Candidate, tables: Tables) -> Result<Judged> {
        let state = &self.state;
        let kept = self.increments(candidate)?;
        let older = state.feed.published().iter();
        let older: Vec<Older<'_>> =
            older.map(|published| Older { known: &published.recoding, rows: &published.rows }).collect();
        let newest = candidate.increments.iter().zip(&kept);
        let newest: Vec<Newest<'_>> =
            newest.map(|(new, kept)| Newest { atoms: &new.recoding, rows: &kept.told, raw: kept.raw() }).collect();
        let census = self.policy.standing();
        let census =
            census.map(|_| Census { came: state.feed.standing().arrived(), waiting: state.feed.waiting().rows() });
        let case = Case {
            policy: &self.policy,
            columns: &state.terms.columns,
            release: candidate.release,
            withheld: state.feed.withheld().rows(),
            census,
            recoding: candidate.table.recoding(),
            history: &state.history,
            before: state.feed.whole(),
            older: &older,
            newest: &newest,
        };
        Ok(judge(&case, tables))
    }

    /// The rows of what is new, increment by increment, read back from the journal.
    fn increments(&self, candidate: &Candidate) -> Result<Vec<Read>> {
        let (trees, sensitive) = (self.state.terms.columns.trees(), self.state.sensitive());
        let read = |object: &Ref| -> Result<Atoms> { Atoms::parse(&self.log.objects().need(object)?) };
        if blind(&self.policy) {
            let formed = self.state.formed.iter().map(|object| {
                let atoms = read(object)?;
                let rows = histogram(&atoms.formed, sensitive, &trees)?;
                let Some(ledger) = self.state.ledgers.get(&atoms.tick()) else { return Ok(Read::as_they_are(rows)) };
                let ledger = Kept::parse(&self.log.objects().need(ledger)?)?.ledger(&trees)?;
                Ok(Read { told: ledger.applied(&rows), raw: Some(rows) })
            });
            return formed.collect();
        }
        assert_eq!(candidate.increments.len(), 1, "whoever waits is the increment");
        let waiting = self.state.pool.iter().map(|place| histogram(&read(&place.object)?.waiting, sensitive, &trees));
        let waiting = Histogram::merge_all(waiting.collect::<Result<Vec<_>>>()?);
        Ok(waiting.into_iter().map(Read::as_they_are).collect())
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

/// People of an increment.
struct Read {
    /// As they are published.
    told: Histogram,
    /// As they are, where that may be something else.
    raw: Option<Histogram>,
}

impl Read {
    fn as_they_are(told: Histogram) -> Read {
        Read { told, raw: None }
    }

    fn raw(&self) -> Option<&Histogram> {
        self.raw.as_ref()
    }
}

/// The files of an approved release, which were staged in their order, and its manifest, which was the last.
fn staged(approved: &Approved, mut stages: Vec<(String, String)>) -> (Vec<Staged>, Staged) {
    let (_, manifest) = stages.pop().expect("a manifest was staged");
    assert_eq!(stages.len(), approved.files().len(), "every file was staged");
    let rows = approved.table().release.rows();
    let files = stages.into_iter().zip(approved.files()).map(|((name, stage), (path, bytes))| Staged {
        stage,
        path: path.clone(),
        sha256: Sha256::of(bytes),
        rows: name.ends_with(".parquet").then_some(rows),
    });
    let (path, sha256) = (String::new(), Sha256::of(approved.manifest()));
    (files.collect(), Staged { stage: manifest, path, sha256, rows: None })
}

fn rejection(release: u32, due: &Due, verdict: &Verdict, kept: Ref) -> Decision {
    let reasons = verdict.reasons();
    let reasons = reasons.map(|(check, reason)| Against {
        check: check.check.clone(),
        value: reason.value.filter(|_| check.public_value().is_some()),
        limit: reason.limit,
    });
    Decision::Reject {
        release,
        tick: due.tick,
        time: due.time.clone(),
        stops: verdict.stops(),
        reasons: reasons.collect(),
        verdict: Some(kept),
        wanted: None,
    }
}

/// The manifest as it is published: what was decided, with the digest of the decision.
pub fn final_manifest(staged: &[u8], decision: Sha256) -> Result<Vec<u8>> {
    let manifest = Manifest::parse(staged).map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
    Ok(Manifest { decision: Some(decision), ..manifest }.bytes())
}
