//! `tidegate audit --sums` (CONTRACTS 3): reads a table of sums from any source, and reports which
//! published sums reveal contributions and which suppressed ones readers can compute. Reads, writes
//! and prints; the engine checks.

mod file;
mod hierarchy;
pub mod json;
mod named_csv;
mod number;
mod options;
mod protected_table;
mod words;

use std::collections::BTreeSet;

pub use options::SumsArgs;

use self::file::{SumsFile, SumsFileForm};
use self::options::{hierarchy_of, rules};
use crate::daemon::error::{self, Error, ErrorCategory};
use crate::engine::dominance::DominanceRule;
use crate::engine::sums::{SumSystem, SumsContradiction, SumsVerdict};
use crate::{CommandResult, Exit, Out, progress};

/// Runs the command on a table of sums.
///
/// # Errors
/// The table cannot be read, its parts do not add up, or an option is invalid.
pub fn run(args: &SumsArgs, out: &mut Out) -> CommandResult<Exit> {
    let rules = rules(args)?;
    let hierarchies = args
        .hierarchies
        .iter()
        .map(|text| hierarchy_of(text))
        .collect::<error::Result<Vec<_>>>()?;
    let file = args.sums.as_deref().expect("the caller has checked it");
    let form = SumsFileForm {
        file,
        value: &args.value,
        total: &args.total,
        hierarchies: &hierarchies,
        signed: args.signed,
        kept: rules
            .iter()
            .map(|rule| rule.keeps())
            .max()
            .unwrap_or(1)
            .max(1),
        contributions: args
            .contributions
            .as_deref()
            .map(|file| (file, args.person.as_str())),
    };
    let mut read = file::read(&form)?;
    let _shown = progress::ProgressLine::new("computing");
    let mut judged = judge(&read, &rules, &form)?;
    let mut protected = None;
    if let Some(target) = &args.protect {
        protected = Some(protected_table::protect(&mut read, &rules, args, target)?);
        judged = judge(&read, &rules, &form)?;
    }
    let safe = judged.is_safe();
    if out.json() {
        out.value(&json::sums(&read, &judged, args, protected.as_ref()));
    } else {
        out.text(&words::report(
            &read,
            &judged,
            (&rules, args.intervals),
            protected.as_ref(),
        ));
    }
    Ok(if safe { Exit::Done } else { Exit::Unsafe })
}

fn judge(
    read: &SumsFile,
    rules: &[DominanceRule],
    form: &SumsFileForm,
) -> error::Result<SumsVerdict> {
    read.table.judge(rules).map_err(|SumsContradiction { relations }| {
        let system = read.table.dimensions.system(read.table.range);
        let first = &system.relations()[*relations.first().expect("a contradiction is of some relation")];
        let (total, over) = read.table.dimensions.total(first);
        let text = format!(
            "{} is not the sum of its parts over `{}`{}: write all values with the same number of decimals, and do not \
             round them",
            read.name(total),
            read.dimensions[over].name,
            suspect(read, &system, &relations)
        );
        let error = Error::new(ErrorCategory::Input, text).in_file(form.file).in_field(form.value);
        match read.lines[total] {
            Some(line) => error.at_line(line),
            None => error,
        }
    })
}

/// The one cell that all these totals have in common, if there are several of them.
fn suspect(read: &SumsFile, system: &SumSystem, relations: &[usize]) -> String {
    let cells = |at: &usize| {
        system.relations()[*at]
            .terms()
            .iter()
            .map(|term| term.0)
            .collect::<BTreeSet<usize>>()
    };
    let common = relations
        .iter()
        .map(cells)
        .reduce(|one, other| &one & &other)
        .unwrap_or_default();
    match (relations.len(), common.first()) {
        (1, _) => String::new(),
        (all, Some(&cell)) if common.len() == 1 => {
            format!(
                "; {} is in all {all} totals that do not add up",
                read.name(cell)
            )
        }
        (all, _) => format!(", together with {} other total(s)", all - 1),
    }
}
