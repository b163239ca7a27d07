//! The first section for an officer: that the gate approved the release, which checks were made and
//! which were not, and columns without detail.

use maud::{Markup, html};

use super::html::names;
use super::words::fill;
use super::{ColumnCut, Form, Report};
use crate::check::Check;
use crate::check::CheckLine;

/// The section.
pub(super) fn section(report: &Report) -> Markup {
    let (words, manifest) = (report.words, report.manifest);
    let is_two = report.form == Form::TwoTables;
    let without_detail = report
        .columns
        .iter()
        .filter(|column| !is_two && is_without_detail(column));
    let without_detail: Vec<&str> = without_detail.map(|column| column.name).collect();
    html! {
        section aria-label=(words.verdict) {
            @if manifest.checks.iter().any(|line| line.made) {
                p class="rule" { (words.approved) }
            } @else {
                p class="warning" { (words.unchecked) }
            }
            @for (judged, name) in [(true, words.judged), (false, words.not_judged)] {
                @let titles = titles(report, judged);
                @if !titles.is_empty() {
                    p { b { (name) ":" } " " (titles.join("; ")) "." }
                }
            }
            @if !without_detail.is_empty() {
                p class="warning" { (fill(words.without_detail, &[("columns", &names(&without_detail, ", "))])) }
            }
        }
    }
}

/// Checks that look at sensitive values. If the policy requires none of them, the manifests of some
/// chains list none.
const OF_VALUES: [Check; 8] = [
    Check::DistinctL,
    Check::EntropyL,
    Check::RecursiveC,
    Check::Alpha,
    Check::Confidence,
    Check::T,
    Check::Minimality,
    Check::Diversity,
];

/// The titles of checks that were made, or that were not.
fn titles(report: &Report, made: bool) -> Vec<String> {
    let title = |check: Check| {
        report
            .words
            .check(check, report.manifest.has_atoms())
            .title
            .to_owned()
    };
    let checks = &report.manifest.checks;
    let is_of_values = |line: &CheckLine| OF_VALUES.contains(&line.check);
    let unlisted = !made && !report.sensitive.is_empty() && !checks.iter().any(is_of_values);
    let lines = checks
        .iter()
        .filter(|line| line.made == made)
        .map(|line| title(line.check));
    lines
        .chain(unlisted.then(|| title(Check::Diversity)))
        .collect()
}

/// Whether all rows show `*` in a column that has several values.
fn is_without_detail(column: &ColumnCut) -> bool {
    column.tree.values(0) > 1 && column.shown.all() > 0 && column.shown.at(0) == column.shown.all()
}
