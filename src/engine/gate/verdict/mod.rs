//! Judges the next release of one of our own chains (SCIENCE 10): from the bytes that are about to
//! be published, the history as it was published, and the increments' private tables. Every check
//! is a file or folder of `checks`; all of them are made, and every reason is kept.
//!
//! This room shares no code with the modules that propose releases, and only this room can create
//! an [`Approved`].

mod approve;
mod check_result;
mod checks;
mod comparison;
mod crowd_history;
mod history;
mod measures_history;
mod next_release;
mod parts;
mod read_candidate;
mod read_tables;

pub use approve::{Approved, JudgedTable};
pub use check_result::{CheckResult, Figure, Verdict};
pub use checks::certainty::{against, learnt, text};
pub use crowd_history::ErasedAtom;
pub use history::{Defect, History};
pub use next_release::{NewIncrement, NextRelease, OlderIncrement, RecodingGain};

use comparison::PreparedCase;
use read_candidate::ReadCandidate;

use crate::release::Tables;

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
    let (mut form, table) = checks::form::check(case, &tables);
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
        let mut results = vec![form];
        if let Some(ready) = &ready {
            results.extend(checks::of_table(ready));
        }
        results.extend(checks::unjudged_policy::checks(case.policy));
        if case.policy.halves() {
            // Checks that the policy does not require have no line.
            results.retain(|check| check.made || !check.reasons.is_empty());
        }
        JudgedTable::new(
            case,
            Verdict { checks: results },
            ready.map(PreparedCase::into_found),
            tables,
        )
    }
}
