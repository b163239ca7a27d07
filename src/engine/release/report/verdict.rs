//! What an officer reads first: that the gate approved the release, what it judged and what it did not judge, and columns without detail.

use super::html::{Page, Text, put};
use super::words::fill;
use super::{Cutting, Form, Report};
use crate::release::check::Check;
use crate::release::check::CheckLine;

/// The section.
pub fn write(page: &mut Page, report: &Report) {
    let (words, manifest) = (report.words, report.manifest);
    put!(page, "<section aria-label=\"{}\">\n", words.verdict);
    match manifest.checks.iter().any(|line| line.made) {
        false => put!(page, "<p class=\"warning\">{}</p>\n", words.unchecked),
        true => put!(page, "<p class=\"rule\">{}</p>\n", words.approved),
    }
    for (judged, name) in [(true, words.judged), (false, words.not_judged)] {
        let titles = titles(report, judged);
        if !titles.is_empty() {
            put!(page, "<p><b>{name}:</b> {}.</p>\n", titles.join("; "));
        }
    }
    let two = report.form == Form::TwoTables;
    let none: Vec<String> =
        report.columns.iter().filter(|_| !two).filter(|column| is_without_detail(column)).map(name).collect();
    if !none.is_empty() {
        put!(page, "<p class=\"warning\">{}</p>\n", fill(words.without_detail, &[("columns", &none.join(", "))]));
    }
    put!(page, "</section>\n");
}

/// Checks that look at sensitive values. Where the policy asks for none of them, the manifest of some chains lists none.
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

/// Checks that were made, or were not, as people call them.
fn titles(report: &Report, made: bool) -> Vec<String> {
    let title = |check: Check| report.words.check(check, report.manifest.is_divided()).title.to_owned();
    let checks = &report.manifest.checks;
    let is_of_values = |line: &CheckLine| OF_VALUES.contains(&line.check);
    let unlisted = !made && !report.sensitive.is_empty() && !checks.iter().any(is_of_values);
    let lines = checks.iter().filter(|line| line.made == made).map(|line| title(line.check));
    lines.chain(unlisted.then(|| title(Check::Diversity))).collect()
}

/// Whether each row shows the root of a column that has several values.
fn is_without_detail(column: &Cutting) -> bool {
    column.tree.values(0) > 1 && column.shown.all() > 0 && column.shown.at(0) == column.shown.all()
}

fn name(column: &Cutting) -> String {
    format!("<bdi>{}</bdi>", Text(column.name))
}
