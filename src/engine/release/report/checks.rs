//! The checks in words: what each requires, its limit, and, if public, its figure and the margin. A
//! check that was not made is listed as not made, whatever the reason.

use maud::{Markup, html};

use super::Report;
use super::html::{fixed, head};
use super::words::{Words, fill};
use crate::check::CheckLine;
use crate::check::{Check, Side};
use crate::figure::Figure;

/// The section on checks.
pub(super) fn section(report: &Report) -> Markup {
    let (words, checks) = (report.words, &report.manifest.checks);
    html! {
        section id="checks" {
            h2 { (words.checks_heading) }
            p { (fixed(words.checks_text)) }
            @if checks.is_empty() {
                p class="warning" { (words.no_check) }
            } @else {
                table class="cards" {
                    (head([words.check_column, words.outcome], [words.found, words.limit, words.margin]))
                    tbody { @for line in checks { (row(report, line)) } }
                }
            }
        }
    }
}

fn row(report: &Report, line: &CheckLine) -> Markup {
    let words = report.words;
    let about = words.check(line.check, report.manifest.has_atoms());
    let cells = [
        (
            words.found,
            line.value
                .filter(|_| line.made)
                .map(|value| html! { (words.figure(value)) }),
        ),
        (
            words.limit,
            line.limit
                .map(|limit| limit_words(words, line.check, limit)),
        ),
        (
            words.margin,
            margin(line).map(|margin| html! { (words.figure(margin)) }),
        ),
    ];
    html! {
        tr class=[(!line.made).then_some("missing")] {
            th scope="row" { (about.title) p { (fixed(about.meaning)) } }
            td data-label=(words.outcome) { (outcome(words, line)) }
            @for (name, cell) in cells {
                td class="number" data-label=(name) { @if let Some(cell) = cell { (cell) } @else { "–" } }
            }
        }
    }
}

fn outcome(words: &Words, line: &CheckLine) -> Markup {
    let is_beyond = |value, limit| {
        line.check
            .facts()
            .side
            .is_some_and(|side| !side.holds(value, limit))
    };
    match (line.made, line.value, line.limit) {
        (false, ..) => html! { b { (words.not_made) } },
        (true, Some(value), Some(limit)) if is_beyond(value, limit) => {
            html! { b { (words.beyond) } }
        }
        (true, None, Some(_)) => html! { (words.passed_private) },
        (true, Some(_), None) => html! { (words.reported) },
        (true, None, None) | (true, Some(_), Some(_)) => html! { (words.passed) },
    }
}

fn limit_words(words: &Words, check: Check, limit: Figure) -> Markup {
    let text = match check.facts().side {
        Some(Side::AtLeast) => words.at_least,
        Some(Side::AtMost) => words.at_most,
        Some(Side::Below) => words.less_than,
        None => "{limit}",
    };
    fill(text, &[("limit", &words.figure(limit))])
}

/// The distance of a figure from its limit.
fn margin(line: &CheckLine) -> Option<Figure> {
    let (value, limit) = (line.value?, line.limit?);
    if !line.made || !line.check.facts().side?.holds(value, limit) {
        return None;
    }
    match (value, limit) {
        (Figure::Whole(value), Figure::Whole(limit)) => Some(Figure::Whole(value.abs_diff(limit))),
        _ => Figure::real((value.get() - limit.get()).abs()),
    }
}
