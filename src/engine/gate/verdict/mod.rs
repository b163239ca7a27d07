//! Judges the next release of one of our own chains (SCIENCE 10): from the bytes that are about to
//! be published, the history as it was published, and the increments' private tables. Every check
//! is a file here and a line in `CHECKS`; all of them are made, and every reason is kept.
//!
//! This room shares no code with the modules that propose releases, and only this room can create
//! an [`Approved`].

mod addends;
mod approve;
mod atoms;
mod certainty;
mod chain;
mod check_result;
mod comparison;
mod correspondence;
mod crowd;
mod crowd_history;
mod diversity;
mod dominance;
mod form;
mod growth;
mod history;
mod history_check;
mod measures_history;
mod minimality;
mod next_release;
mod parts;
mod read_candidate;
mod read_tables;
mod refinement;
mod remaining_candidates;
mod unjudged_policy;
mod utility;

pub use approve::{Approved, JudgedTable};
pub use certainty::{against, learnt, text};
pub use check_result::{CheckResult, Figure, Verdict};
pub use crowd_history::ErasedAtom;
pub use history::{Defect, History};
pub use next_release::{NewIncrement, NextRelease, OlderIncrement, RecodingGain};

use comparison::PreparedCase;
use read_candidate::ReadCandidate;

use crate::release::Tables;

/// The checks that are made on a table that can be read, in the order of a verdict.
const CHECKS: &[fn(&PreparedCase<'_>) -> CheckResult] = &[
    crowd::check,
    growth::check,
    atoms::check,
    correspondence::check,
    chain::check,
    utility::check,
    minimality::check,
];

/// The tables of a release, read back from their bytes and compared with what was published. Not
/// judged yet.
pub struct ReadRelease<'a> {
    case: &'a NextRelease<'a>,
    tables: Tables,
    form: CheckResult,
    candidate: Option<ReadCandidate<'a>>,
}

/// Reads the bytes of the tables of a release back.
pub fn read<'a>(case: &'a NextRelease<'a>, tables: Tables) -> ReadRelease<'a> {
    let (mut form, table) = form::check(case, &tables);
    let candidate = table.and_then(|table| {
        let made = ReadCandidate::new(case, table);
        made.map_err(|reason| form.reasons.push(reason)).ok()
    });
    ReadRelease {
        case,
        tables,
        form,
        candidate,
    }
}

/// Judges the bytes of the tables of a release.
pub fn judge(case: &NextRelease<'_>, tables: Tables) -> JudgedTable {
    read(case, tables).judge()
}

impl ReadRelease<'_> {
    /// Judges what was read.
    pub fn judge(self) -> JudgedTable {
        let ReadRelease {
            case,
            tables,
            form,
            candidate,
        } = self;
        let ready = candidate.map(PreparedCase::new);
        let mut checks = vec![form];
        if let Some(ready) = &ready {
            checks.extend(CHECKS.iter().map(|check| check(ready)));
            checks.extend(diversity::checks(ready));
            checks.push(refinement::check(ready));
            checks.extend(certainty::checks(ready));
            checks.push(dominance::check(ready));
        }
        checks.extend(unjudged_policy::checks(case.policy));
        if case.policy.halves() {
            // Checks that the policy does not require have no line.
            checks.retain(|check| check.made || !check.reasons.is_empty());
        }
        JudgedTable::new(
            case,
            Verdict { checks },
            ready.map(PreparedCase::into_found),
            tables,
        )
    }
}
