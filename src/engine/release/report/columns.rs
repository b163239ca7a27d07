//! How coarse each column had to become: one table over all columns (SCIENCE 8), then each column with its labels.

use super::html::{Page, Text, WideSection, put};
use super::words::{Words, fill};
use super::{Form, Report, detail, icicle, labels};

/// The heading, and what was done to values.
fn heading(words: &Words, form: Form) -> [&'static str; 2] {
    match form {
        Form::TwoTables => [words.columns_two, words.columns_two_text],
        Form::Global => [words.columns, words.columns_text],
        Form::LastingLabels => [words.columns, words.columns_lasting_text],
        Form::OwnLabels => [words.columns, words.columns_own_text],
    }
}

/// The sections on columns.
pub fn write(page: &mut Page, report: &Report) {
    let words = report.words;
    let [heading, text] = heading(words, report.form);
    put!(
        page,
        "<section>\n<h2>{heading}</h2>\n<p>{}</p>\n{}",
        fill(words.loss_scale, &[("text", &text)]),
        WideSection(heading)
    );
    if report.form == Form::LastingLabels {
        detail::write(page, words, &report.columns);
    } else {
        losses(page, report);
    }
    put!(page, "</div>\n");
    sensitive(page, report);
    match report.form {
        Form::LastingLabels => put!(page, "</section>\n"),
        Form::OwnLabels => {
            put!(page, "<p class=\"paper\">{}</p>\n</section>\n", words.on_screen);
            own_labels(page, report);
        }
        Form::Global | Form::TwoTables => {
            put!(page, "<p class=\"paper\">{}</p>\n</section>\n", words.on_screen);
            drawings(page, report);
        }
    }
}

/// The table over all columns.
fn losses(page: &mut Page, report: &Report) {
    let words = report.words;
    put!(page, "<table>\n<thead><tr><th scope=\"col\">{}</th>", words.column);
    for name in [words.loss, words.labels, words.values_before, words.no_detail_rows] {
        put!(page, "<th scope=\"col\" class=\"number\">{name}</th>");
    }
    put!(page, "</tr></thead>\n<tbody>\n");
    for column in &report.columns {
        put!(page, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", Text(column.name));
        let cells = [
            words.decimal(column.shown.loss(column.tree), 4),
            words.count(column.nodes.len() as u64),
            words.count(column.tree.values(0)),
            words.share(column.shown.at(0), column.shown.all()),
        ];
        for cell in cells {
            put!(page, "<td class=\"number\">{cell}</td>");
        }
        put!(page, "</tr>\n");
    }
    put!(page, "</tbody>\n</table>\n");
}

/// The labels of each column as tables, where classes have labels of their own.
fn own_labels(page: &mut Page, report: &Report) {
    let words = report.words;
    put!(
        page,
        "<section class=\"screen\">\n<h2>{}</h2>\n<p>{}</p>\n",
        words.labels_of_columns,
        words.labels_of_columns_text
    );
    for column in &report.columns {
        put!(page, "<section class=\"column\">\n<h3><bdi>{}</bdi></h3>\n", Text(column.name));
        labels::write(page, words, column);
        put!(page, "</section>\n");
    }
    put!(page, "</section>\n");
}

/// Each column drawn on its taxonomy, with its labels.
fn drawings(page: &mut Page, report: &Report) {
    let words = report.words;
    put!(page, "<section class=\"screen\">\n<h2>{}</h2>\n<p class=\"key\">", words.drawings);
    let keys = [
        ("above", words.drawings_key_divided),
        ("published", words.drawings_key_published),
        ("several", words.drawings_key_several),
    ];
    for (at, (class, text)) in keys.into_iter().enumerate() {
        put!(
            page,
            "{}<svg class=\"swatch {class}\" aria-hidden=\"true\"><rect width=\"100%\" height=\"100%\"/></svg> {text}",
            if at > 0 { ", " } else { "" }
        );
    }
    put!(page, ". {}</p>\n", words.drawings_key_text);
    for column in &report.columns {
        put!(page, "<section class=\"column\">\n<h3><bdi>{}</bdi></h3>\n", Text(column.name));
        icicle::write(page, words, column);
        labels::write(page, words, column);
        put!(page, "</section>\n");
    }
    put!(page, "</section>\n");
}

/// The sensitive columns, which are published as they are.
fn sensitive(page: &mut Page, report: &Report) {
    let words = report.words;
    let names: Vec<String> = report.sensitive.iter().map(|name| format!("<bdi>{}</bdi>", Text(name))).collect();
    let Some((last, others)) = names.split_last() else { return };
    let list = match others {
        [] => last.clone(),
        _ => format!("{} {} {last}", others.join(", "), words.and),
    };
    let text = if report.form == Form::TwoTables { words.sensitive_other_table } else { words.sensitive_beside };
    put!(page, "<p>{}</p>\n", fill(text, &[("columns", &list)]));
}
