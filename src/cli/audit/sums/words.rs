//! The verdict on a table of sums, for a person at a terminal.

use std::fmt::Write;

use super::file::SumsFile;
use super::json::{self, SumsCheck, SumsVerdictName};
use super::protected_table::Protected;
use crate::common_texts::shell;
use crate::engine::dominance::DominanceRule;
use crate::engine::sums::{CellFault, ComputedCell, SumsVerdict};
use crate::paragraph::wrapped;

/// The greatest number of cells that are listed.
const MOST_CELLS: usize = 20;

/// The whole report; the second part of a pair says whether intervals are shown.
pub(super) fn report(
    read: &SumsFile,
    judged: &SumsVerdict,
    (rules, intervals): (&[DominanceRule], bool),
    protected: Option<&Protected>,
) -> String {
    let mut text = String::new();
    let cells = json::cells(read, judged);
    let mut left_out = vec![
        format!("{} as sensitive", cells.primary),
        format!("{} to protect others", cells.secondary),
    ];
    if cells.unknown > 0 {
        left_out.push(format!("{} without a reason", cells.unknown));
    }
    let line = format!(
        "{} cells, {} of them published; suppressed: {}",
        cells.all,
        cells.published,
        left_out.join(", ")
    );
    put(&mut text, &line);
    if let Some(protected) = protected {
        let least = if protected.least {
            "no cheaper pattern exists"
        } else {
            "a cheaper pattern may exist"
        };
        put(
            &mut text,
            &format!("Written to {}; {least}", shell(&protected.file)),
        );
    }
    put(&mut text, "");
    computed(&mut text, read, judged, intervals);
    if rules.is_empty() {
        wrapped(
            &mut text,
            "",
            "No rule was named (--p, --dominance), so of published cells only the number of contributors is checked, where \
             it is known, and suppressed cells fail only if readers can compute them exactly.",
        );
        put(&mut text, "");
    } else if cells.not_judged > 0 {
        let line = format!(
            "{} published cells are not checked, because their contributions are not known. Give columns freq, max1, \
             max2, … or --contributions.",
            cells.not_judged
        );
        wrapped(&mut text, "", &line);
        put(&mut text, "");
    }
    verdict(&mut text, read, judged, rules);
    text
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{}", line.trim_end()).expect("writing to a string");
}

/// How closely readers can compute the suppressed cells, the closest first.
fn computed(text: &mut String, read: &SumsFile, judged: &SumsVerdict, intervals: bool) {
    if judged.computed.is_empty() {
        return;
    }
    let mut of: Vec<(f64, &ComputedCell)> = judged
        .computed
        .iter()
        .map(|of| {
            (
                of.interval
                    .relative_error()
                    .map_or(f64::INFINITY, |error| json::share(&error)),
                of,
            )
        })
        .collect();
    of.sort_by(|one, other| {
        one.0
            .total_cmp(&other.0)
            .then(one.1.cell.cmp(&other.1.cell))
    });
    put(
        text,
        "Suppressed cells: the largest error of the best estimate that readers can make",
    );
    for (error, of) in of.iter().take(MOST_CELLS) {
        let error = match error {
            _ if of.interval.is_exact() => "exact".to_owned(),
            error if error.is_finite() => format!("{:.1} %", 100.0 * error),
            _ => "no limit".to_owned(),
        };
        let ends = if intervals {
            ends(of, read.scale)
        } else {
            String::new()
        };
        put(text, &format!("  {error:>9}  {}{ends}", read.name(of.cell)));
    }
    if of.len() > MOST_CELLS {
        put(
            text,
            &format!(
                "  … and {} more, with larger errors; --json lists all",
                of.len() - MOST_CELLS
            ),
        );
    }
    put(text, "");
}

fn ends(of: &ComputedCell, scale: u32) -> String {
    let low = of
        .interval
        .low
        .as_ref()
        .map_or("…".to_owned(), |low| json::bound(low, scale, false));
    let high = of
        .interval
        .high
        .as_ref()
        .map_or("…".to_owned(), |high| json::bound(high, scale, true));
    format!(": {low} to {high}")
}

fn verdict(text: &mut String, read: &SumsFile, judged: &SumsVerdict, rules: &[DominanceRule]) {
    match json::verdict_name(judged) {
        SumsVerdictName::Safe => {
            return put(text, "SAFE: no cell reveals a contribution too closely.");
        }
        SumsVerdictName::Undecided => {
            let line = "UNDECIDED: no fault was found, but no rule judged all published cells. Name a rule with --p or \
                        --dominance, and give the contributions that it reads.";
            return wrapped(text, "", line);
        }
        SumsVerdictName::Unsafe => {}
    }
    put(text, "UNSAFE");
    let percent_is_first = matches!(rules.first(), Some(DominanceRule::Percent(_)));
    let check = |fault: &(usize, CellFault)| (*fault, json::check_of(fault.1, percent_is_first));
    let checks: Vec<((usize, CellFault), SumsCheck)> = judged.faults.iter().map(check).collect();
    for &(fault, check) in checks.iter().take(MOST_CELLS) {
        wrapped(text, "  - ", &json::text(read, fault, check));
    }
    if checks.len() > MOST_CELLS {
        put(
            text,
            &format!(
                "  - … and {} more; --json lists all",
                checks.len() - MOST_CELLS
            ),
        );
    }
    put(text, "\nWhat to do");
    let has = |wanted: &[SumsCheck]| checks.iter().any(|(_, check)| wanted.contains(check));
    if has(&[SumsCheck::P, SumsCheck::Dominance, SumsCheck::Few]) {
        wrapped(
            text,
            "  - ",
            "suppress these cells, and others to protect them: --protect FILE writes such a table",
        );
    }
    if has(&[
        SumsCheck::Recovered,
        SumsCheck::Narrow,
        SumsCheck::Contributor,
    ]) {
        wrapped(
            text,
            "  - ",
            "suppress more cells of the same rows and columns: --protect FILE chooses them, given all values",
        );
        wrapped(
            text,
            "  - ",
            "a table that is already published cannot be recalled: inform the controller of the data",
        );
    }
}
