//! The JSON of `tidegate audit --sums` (CONTRACTS 3). The types here are the contract:
//! `schemas/v1/audit-sums.schema.json` is made from them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::file::SumsFile;
use super::number::written;
use super::options::SumsArgs;
use super::protected_table::Protected;
use crate::engine::arithmetic::RationalNumber;
use crate::engine::sums::{CellFault, CellMark, ComputedCell, SumsVerdict};

/// The result of `tidegate audit --sums --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SumsAnswer {
    /// No reason was found, and every published cell was judged by a rule.
    pub safe: bool,
    /// `undecided` if there is no reason, but no rule judged some published cells.
    pub verdict: SumsVerdictName,
    /// Every reason against, in the order of cells; empty when safe or undecided.
    pub reasons: Vec<SumsReason>,
    /// How many cells there are.
    pub cells: CellCounts,
    /// The cells that are left out, each with how closely readers can compute it.
    pub left_out: Vec<SuppressedCell>,
    /// What `--protect` has written; null without it. Everything else is about that table then.
    pub protected: Option<WrittenFile>,
}

/// The verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SumsVerdictName {
    /// Every published cell was judged, and no reason was found.
    Safe,
    /// There is a reason.
    Unsafe,
    /// There is no reason, but no rule judged some published cells.
    Undecided,
}

/// Why the table is not safe.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SumsReason {
    /// What is wrong.
    pub check: SumsCheck,
    /// The cell: the code of each dimension.
    pub cell: BTreeMap<String, String>,
    /// The cell whose only contributor is the attacker; null for other checks.
    pub by: Option<BTreeMap<String, String>>,
    /// The line of the cell in the table; null where the table has no such line.
    pub line: Option<u64>,
    /// The same for people.
    pub text: String,
}

/// What is wrong with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SumsCheck {
    /// The cell is published, and sensitive by the p% rule.
    P,
    /// The cell is published, and sensitive by the dominance rule.
    Dominance,
    /// The cell is published, and fewer than three people contributed to it.
    Few,
    /// The cell is left out, and readers can compute it exactly.
    Recovered,
    /// The cell is left out, and readers can compute it more closely than the rules allow.
    Narrow,
    /// The cell is left out, and the only contributor to another one (`by`) can compute it exactly,
    /// or more closely than the rules allow.
    Contributor,
}

/// Numbers of cells.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CellCounts {
    /// All that the table has.
    pub all: usize,
    /// Those with a sum.
    pub published: usize,
    /// Published ones that no rule judges: their contributions are not known, or no rule was named.
    pub not_judged: usize,
    /// Left out as sensitive.
    pub primary: usize,
    /// Left out to protect others.
    pub secondary: usize,
    /// Left out, the table does not say why.
    pub unknown: usize,
}

/// A cell that is left out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressedCell {
    /// The cell: the code of each dimension.
    pub cell: BTreeMap<String, String>,
    /// `u`: sensitive; `x`: to protect others; null: not said.
    pub status: Option<String>,
    /// Whether readers can compute it exactly.
    pub exact: bool,
    /// Whether it follows by addition and subtraction alone, also for readers who do not know that
    /// no contribution is below 0.
    pub derivable: bool,
    /// By how much, as a share of the value, the best estimate of readers is wrong at most; null:
    /// without limit.
    pub relative_error: Option<f64>,
    /// The smallest value it can have, rounded down in its last digit; null without `--intervals`,
    /// and where there is no limit.
    pub low: Option<String>,
    /// The largest value it can have, rounded up in its last digit; null without `--intervals`, and
    /// where there is no limit.
    pub high: Option<String>,
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrittenFile {
    /// The file.
    pub file: String,
    /// What the secondary cells cost: their number, or the sum of their values in units of the last
    /// decimal.
    pub cost: String,
    /// Whether it is certain that no pattern costs less.
    pub least: bool,
}

/// The JSON of a result.
pub fn sums(
    read: &SumsFile,
    judged: &SumsVerdict,
    args: &SumsArgs,
    protected: Option<&Protected>,
) -> SumsAnswer {
    let reason = |&(cell, fault): &(usize, CellFault)| {
        let check = check_of(fault, args.percent.is_some());
        let by = if let CellFault::Known(lone) = fault {
            Some(codes(read, lone))
        } else {
            None
        };
        let text = text(read, (cell, fault), check);
        SumsReason {
            check,
            cell: codes(read, cell),
            by,
            line: read.lines[cell],
            text,
        }
    };
    let reasons = judged.faults.iter().map(reason);
    let left_out = judged
        .computed
        .iter()
        .map(|computed| left_out(read, computed, args.intervals));
    let written = |protected: &Protected| WrittenFile {
        file: protected.file.display().to_string(),
        cost: protected.cost.to_string(),
        least: protected.least,
    };
    SumsAnswer {
        safe: judged.is_safe(),
        verdict: verdict_name(judged),
        reasons: reasons.collect(),
        cells: cells(read, judged),
        left_out: left_out.collect(),
        protected: protected.map(written),
    }
}

/// The verdict in a word.
pub fn verdict_name(judged: &SumsVerdict) -> SumsVerdictName {
    if !judged.faults.is_empty() {
        return SumsVerdictName::Unsafe;
    }
    if judged.is_safe() {
        SumsVerdictName::Safe
    } else {
        SumsVerdictName::Undecided
    }
}

/// A fault in words.
pub fn text(read: &SumsFile, (cell, fault): (usize, CellFault), check: SumsCheck) -> String {
    let name = read.name(cell);
    match check {
        SumsCheck::P => format!(
            "{name} is published, but the person with the second largest contribution can compute the largest one too \
             closely (p% rule)"
        ),
        SumsCheck::Dominance => {
            format!(
                "{name} is published, but its largest contributions are too large a share of it (dominance rule)"
            )
        }
        SumsCheck::Few => format!(
            "{name} is published, but fewer than three people contributed to it, and each of them can compute the others' \
             contributions"
        ),
        SumsCheck::Recovered => {
            format!("{name} is suppressed, but readers can compute it exactly from published cells")
        }
        SumsCheck::Narrow => {
            format!(
                "{name} is suppressed, but readers can compute it too closely from published cells"
            )
        }
        SumsCheck::Contributor => {
            let lone = if let CellFault::Known(lone) = fault {
                read.name(lone)
            } else {
                String::new()
            };
            format!(
                "{name} is suppressed, but the only contributor to {lone}, who knows that sum, can compute it exactly \
                 or too closely"
            )
        }
    }
}

/// The check that found a fault. Of two rules p% comes first.
pub fn check_of(fault: CellFault, percent_is_first: bool) -> SumsCheck {
    match fault {
        CellFault::Sensitive(0) if percent_is_first => SumsCheck::P,
        CellFault::Sensitive(_) => SumsCheck::Dominance,
        CellFault::Few => SumsCheck::Few,
        CellFault::Recovered => SumsCheck::Recovered,
        CellFault::Narrow => SumsCheck::Narrow,
        CellFault::Known(_) => SumsCheck::Contributor,
    }
}

fn codes(read: &SumsFile, cell: usize) -> BTreeMap<String, String> {
    read.codes(cell)
        .into_iter()
        .map(|(column, code)| (column.to_owned(), code.to_owned()))
        .collect()
}

/// The numbers of cells.
pub fn cells(read: &SumsFile, judged: &SumsVerdict) -> CellCounts {
    let count = |mark: CellMark| {
        read.table
            .entries
            .iter()
            .filter(|entry| entry.mark == mark)
            .count()
    };
    let published = count(CellMark::Published) + count(CellMark::Kept);
    CellCounts {
        all: read.table.entries.len() - count(CellMark::Absent),
        published,
        not_judged: judged.not_judged,
        primary: count(CellMark::Primary),
        secondary: count(CellMark::Secondary),
        unknown: count(CellMark::LeftOut),
    }
}

fn left_out(read: &SumsFile, computed: &ComputedCell, intervals: bool) -> SuppressedCell {
    let interval = &computed.interval;
    let status = match read.table.entries[computed.cell].mark {
        CellMark::Primary => Some("u".to_owned()),
        CellMark::Secondary => Some("x".to_owned()),
        _ => None,
    };
    SuppressedCell {
        cell: codes(read, computed.cell),
        status,
        exact: interval.is_exact(),
        derivable: computed.derivable,
        relative_error: interval.relative_error().map(|error| share(&error)),
        low: interval
            .low
            .as_ref()
            .filter(|_| intervals)
            .map(|low| bound(low, read.scale, false)),
        high: interval
            .high
            .as_ref()
            .filter(|_| intervals)
            .map(|high| bound(high, read.scale, true)),
    }
}

/// A share with six digits, rounded down: an estimate is never shown as worse than it is.
pub fn share(of: &RationalNumber) -> f64 {
    let millionths = of.numerator() * 1_000_000 / of.denominator();
    u32::try_from(millionths).map_or(f64::MAX, |millionths| f64::from(millionths) / 1e6)
}

/// An end of an interval in the decimals of the table, rounded outwards.
pub fn bound(of: &RationalNumber, scale: u32, up: bool) -> String {
    let rounded = if up { of.ceil() } else { of.floor() };
    i128::try_from(rounded).map_or_else(
        |_| "beyond 128 bits".to_owned(),
        |units| written(units, scale),
    )
}
