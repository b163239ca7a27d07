//! The checks in words: what each asks, its limit, and, where that is public, its figure and the margin. A check that was not made is
//! listed as not made, whatever the reason.

use super::Report;
use super::html::{Page, put};
use super::words::{Words, fill};
use crate::release::check::CheckLine;
use crate::release::check::{Check, Side};
use crate::release::figure::Figure;

/// The section on checks.
pub fn write(page: &mut Page, report: &Report) {
    let (words, checks) = (report.words, &report.manifest.checks);
    put!(page, "<section id=\"checks\">\n<h2>{}</h2>\n<p>{}</p>\n", words.checks_heading, words.checks_text);
    if checks.is_empty() {
        put!(page, "<p class=\"warning\">{}</p>\n</section>\n", words.no_check);
        return;
    }
    put!(page, "<table class=\"cards\">\n<thead><tr>");
    for name in [words.check_column, words.outcome] {
        put!(page, "<th scope=\"col\">{name}</th>");
    }
    for name in [words.found, words.limit, words.margin] {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for line in checks {
        row(page, report, line);
    }
    put!(page, "</tbody>\n</table>\n</section>\n");
}

fn row(page: &mut Page, report: &Report, line: &CheckLine) {
    let words = report.words;
    put!(page, "<tr{}>", if line.made { "" } else { " class=\"missing\"" });
    let about = words.check(line.check, report.manifest.is_divided());
    put!(page, "<th scope=\"row\">{}<p>{}</p></th>", about.title, about.meaning);
    put!(page, "<td data-label=\"{}\">{}</td>", words.outcome, outcome(words, line));
    let cells = [
        (words.found, line.value.filter(|_| line.made).map(|value| words.figure(value))),
        (words.limit, line.limit.map(|limit| limit_words(words, line.check, limit))),
        (words.margin, margin(line).map(|margin| words.figure(margin))),
    ];
    for (name, cell) in cells {
        put!(page, "<td class=\"number\" data-label=\"{name}\">{}</td>", cell.as_deref().unwrap_or("–"));
    }
    put!(page, "</tr>\n");
}

fn outcome(words: &Words, line: &CheckLine) -> String {
    let text = match (line.made, line.value, line.limit) {
        (false, ..) => return format!("<b>{}</b>", words.not_made),
        (true, None, Some(_)) => words.passed_private,
        (true, None, None) => words.passed,
        (true, Some(_), None) => words.reported,
        (true, Some(value), Some(limit)) if line.check.facts().side.is_some_and(|side| !side.holds(value, limit)) => {
            return format!("<b>{}</b>", words.beyond);
        }
        (true, Some(_), Some(_)) => words.passed,
    };
    text.to_owned()
}

fn limit_words(words: &Words, check: Check, limit: Figure) -> String {
    let text = match check.facts().side {
        Some(Side::AtLeast) => words.at_least,
        Some(Side::AtMost) => words.at_most,
        Some(Side::Below) => words.less_than,
        None => "{limit}",
    };
    fill(text, &[("limit", &words.figure(limit))])
}

/// How far a figure keeps from its limit.
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
