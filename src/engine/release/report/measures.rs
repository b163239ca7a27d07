//! The published sums of the table of measures, and the suppressed ones, with the reason and what
//! readers can still conclude.

use maud::{Markup, html};

use super::Report;
use super::html::{Text, fixed, head, name, numbers, wide};
use super::words::fill;
use crate::measure_figures::MeasureFigures;

/// The most labels that are named for each measure and reason; the table itself contains all of
/// them.
const NAMED: usize = 12;

/// The section, if the feed has measures.
pub(super) fn section(report: &Report) -> Markup {
    let (words, measures) = (report.words, report.measures);
    if measures.is_empty() {
        return Markup::default();
    }
    let sums = [
        words.new_labels,
        words.sums_shown,
        words.sums_dominated,
        words.sums_of_few,
        words.sums_of_none,
    ];
    let counts = |of: &MeasureFigures| {
        [
            of.labels,
            of.shown,
            of.hidden.len() as u64,
            of.few.len() as u64,
            of.empty,
        ]
        .map(|count| words.count(count))
    };
    let table = html! {
        table {
            (head([words.measure], sums))
            tbody {
                @for of in measures { tr { th scope="row" { (name(&of.name)) } (numbers(counts(of))) } }
            }
        }
    };
    html! {
        section id="measures" {
            h2 { (words.measures) }
            p { (fixed(words.measures_text)) " " (fixed(words.measures_of_new)) }
            @if !report.manifest.unrelated.is_empty() {
                p { (fill(words.measures_unrelated, &[("measures", &Text(&report.manifest.unrelated.join(", ")))])) }
            }
            (wide(words.measures, table))
            @for of in measures { (without_sums(report, of)) }
            p { (fixed(words.measures_interval)) }
        }
    }
}

/// The labels without a sum.
fn without_sums(report: &Report, of: &MeasureFigures) -> Markup {
    let words = report.words;
    let texts = [words.labels_dominated, words.labels_of_few];
    let listed = |labels: &[String]| {
        let list = html! {
            @for (at, label) in labels.iter().take(NAMED).enumerate() { @if at > 0 { "; " } (Text(label)) }
        };
        match labels.len().saturating_sub(NAMED) {
            0 => list,
            more => fill(
                words.and_more,
                &[("list", &list), ("more", &words.count(more as u64))],
            ),
        }
    };
    let k = words.count(report.manifest.k);
    html! {
        @for (text, labels) in texts.into_iter().zip([&of.hidden, &of.few]).filter(|(_, labels)| !labels.is_empty()) {
            p { (fill(text, &[("measure", &Text(&of.name)), ("k", &k), ("labels", &listed(labels))])) }
        }
    }
}
