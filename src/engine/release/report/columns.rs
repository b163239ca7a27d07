//! How coarse each column is: one table over all columns (SCIENCE 8), then each column with its
//! labels.

use maud::{Markup, html};

use super::html::{fixed, head, name, names, numbers, wide};
use super::words::{Words, fill};
use super::{ColumnCut, Form, Report, detail, icicle, labels};

/// The heading, and what was done to values.
fn heading(words: &Words, form: Form) -> [&'static str; 2] {
    match form {
        Form::TwoTables => [words.columns_two, words.columns_two_text],
        Form::Global | Form::StandingLabels => [words.columns, words.columns_text],
        Form::LastingLabels => [words.columns, words.columns_lasting_text],
        Form::OwnLabels => [words.columns, words.columns_own_text],
    }
}

/// The sections on columns.
pub(super) fn sections(report: &Report) -> Markup {
    let words = report.words;
    let [heading, text] = heading(words, report.form);
    let keeps = report.form.keeps();
    html! {
        section {
            h2 { (heading) }
            p { (fill(words.loss_scale, &[("text", &text)])) }
            (wide(heading, if keeps { detail::table(words, &report.columns) } else { losses(report) }))
            (sensitive(report))
            @if !keeps { p class="paper" { (words.on_screen) } }
        }
        @match report.form {
            Form::LastingLabels | Form::StandingLabels => {},
            Form::OwnLabels => (own_labels(report)),
            Form::Global | Form::TwoTables => (drawings(report)),
        }
    }
}

/// The table over all columns.
fn losses(report: &Report) -> Markup {
    let words = report.words;
    let cells = |column: &ColumnCut| {
        [
            words.decimal(column.shown.loss(column.tree), 4),
            words.count(column.nodes.len() as u64),
            words.count(column.tree.values(0)),
            words.share(column.shown.at(0), column.shown.all()),
        ]
    };
    html! {
        table {
            (head([words.column], [words.loss, words.labels, words.values_before, words.no_detail_rows]))
            tbody {
                @for column in &report.columns {
                    tr { th scope="row" { (name(column.name)) } (numbers(cells(column))) }
                }
            }
        }
    }
}

/// The labels of each column as tables, if classes have labels of their own.
fn own_labels(report: &Report) -> Markup {
    let words = report.words;
    html! {
        section class="screen" {
            h2 { (words.labels_of_columns) }
            p { (words.labels_of_columns_text) }
            @for column in &report.columns {
                section class="column" { h3 { (name(column.name)) } (labels::table(words, column)) }
            }
        }
    }
}

/// Each column drawn on its taxonomy, with its labels.
fn drawings(report: &Report) -> Markup {
    let words = report.words;
    let keys = [
        ("above", words.drawings_key_divided),
        ("published", words.drawings_key_published),
        ("several", words.drawings_key_several),
    ];
    html! {
        section class="screen" {
            h2 { (words.drawings) }
            p class="key" {
                @for (at, (class, text)) in keys.into_iter().enumerate() {
                    @if at > 0 { ", " }
                    svg class={ "swatch " (class) } aria-hidden="true" { rect width="100%" height="100%" {} }
                    " " (text)
                }
                ". " (fixed(words.drawings_key_text))
            }
            @for column in &report.columns {
                section class="column" {
                    h3 { (name(column.name)) }
                    (icicle::drawing(words, column))
                    (labels::table(words, column))
                }
            }
        }
    }
}

/// The sensitive columns, which are published as they are.
fn sensitive(report: &Report) -> Markup {
    let words = report.words;
    let Some((last, others)) = report.sensitive.split_last() else {
        return Markup::default();
    };
    assert!(!last.is_empty(), "a column has a name");
    let list =
        html! { (names(others, ", ")) @if !others.is_empty() { " " (words.and) " " } (name(last)) };
    let text = if report.form == Form::TwoTables {
        words.sensitive_other_table
    } else {
        words.sensitive_beside
    };
    html! { p { (fill(text, &[("columns", &list)])) } }
}
