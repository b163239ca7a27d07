//! How coarse each column had to become: one table over all columns (SCIENCE 8), then each column drawn on its taxonomy
//! with its labels.

use super::html::{Count, Page, Share, Text, put};
use super::{Cutting, detail, icicle, labels};

/// What labels are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// They take the place of values, and are the same in all crowds.
    Global,
    /// They take the place of values, and every crowd has its own.
    Local,
    /// The same, and a crowd keeps them in all later releases.
    Crowds {
        /// Some values of sensitive columns may be others.
        masked: bool,
    },
    /// They form the crowds of two tables.
    Two,
}

/// The heading, and what was done to values.
fn heading(form: Form) -> [&'static str; 2] {
    match form {
        Form::Two => [
            "What forms the crowds",
            "Nothing was replaced: one table shows these columns as they are. People are in one crowd when they lie under the \
             same coarser labels, which are drawn here. Loss is the share of its domain that such a label holds together",
        ],
        Form::Global => [
            "What is left of each column",
            "Values were replaced by coarser labels until every crowd was large enough. Loss is the share of its domain that \
             a label hides",
        ],
        Form::Crowds { .. } => [
            "What is left of each column",
            "Values were replaced by coarser labels, in every crowd by its own, which it keeps in all later releases. The table \
             says how many rows show a label of which size. Loss is the share of its domain that a label hides",
        ],
        Form::Local => [
            "What is left of each column",
            "Values were replaced by coarser labels, in every crowd by its own, as fine as it could be. Loss is the share of \
             its domain that a label hides",
        ],
    }
}

/// The sections on columns.
pub fn write(page: &mut Page, columns: &[Cutting], sensitive: &[&str], form: Form) {
    let [heading, text] = heading(form);
    let two = form == Form::Two;
    put!(
        page,
        "<section>\n<h2>{heading}</h2>\n<p>{text}, as the mean over all rows: 0 = everything is as it was, 1 = nothing is \
        left.</p>\n"
    );
    if let Form::Crowds { masked } = form {
        detail::write(page, columns);
        published_as_they_are(page, sensitive, two);
        put!(page, "</section>\n");
        return detail::write_use(page, masked);
    }
    put!(page, "<table>\n<thead><tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"number\">Loss</th>");
    put!(page, "<th scope=\"col\" class=\"number\">Labels</th><th scope=\"col\" class=\"number\">Values before</th>");
    put!(page, "<th scope=\"col\" class=\"number\">Rows with no detail left</th></tr></thead>\n<tbody>\n");
    for column in columns {
        let rows = column.shown.all();
        put!(page, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", Text(column.name));
        put!(page, "<td class=\"number\">{:.4}</td>", column.shown.loss(column.tree));
        put!(page, "<td class=\"number\">{}</td>", Count(column.nodes.len() as u64));
        put!(page, "<td class=\"number\">{}</td>", Count(column.tree.values(0)));
        put!(page, "<td class=\"number\">{}</td></tr>\n", Share(column.shown.at(0), rows));
    }
    put!(page, "</tbody>\n</table>\n");
    published_as_they_are(page, sensitive, two);
    put!(page, "</section>\n<section>\n");
    if form == Form::Local {
        put!(
            page,
            "<h2>The labels of each column</h2>\n<p>A label may lie under another one, which other crowds show.</p>\n"
        );
        for column in columns {
            put!(page, "<section class=\"column\">\n<h3><bdi>{}</bdi></h3>\n", Text(column.name));
            labels::write(page, column, column.shown.all());
            put!(page, "</section>\n");
        }
        put!(page, "</section>\n");
        return;
    }
    put!(page, "<h2>The columns on their taxonomies</h2>\n");
    put!(
        page,
        "<p class=\"key\"><svg class=\"swatch above\" aria-hidden=\"true\"><rect width=\"100%\" height=\"100%\"/>\
        </svg> divided further, <svg class=\"swatch published\" aria-hidden=\"true\"><rect width=\"100%\" height=\"100%\"/>\
        </svg> published label, <svg class=\"swatch several\" aria-hidden=\"true\"><rect width=\"100%\" height=\"100%\"/>\
        </svg> several published labels. Each is as wide as the part of the domain that it stands for; the bars below have the \
        area of its rows.</p>\n"
    );
    for column in columns {
        put!(page, "<section class=\"column\">\n<div class=\"drawing\">\n<h3><bdi>{}</bdi></h3>\n", Text(column.name));
        icicle::write(page, column);
        put!(page, "</div>\n");
        labels::write(page, column, column.shown.all());
        put!(page, "</section>\n");
    }
    put!(page, "</section>\n");
}

/// The other columns of the table.
fn published_as_they_are(page: &mut Page, sensitive: &[&str], two: bool) {
    let Some((last, others)) = sensitive.split_last() else { return };
    put!(page, "<p>{} holds ", if two { "The other table" } else { "Beside them the table" });
    for (at, name) in others.iter().enumerate() {
        put!(page, "{}<bdi>{}</bdi>", if at > 0 { ", " } else { "" }, Text(name));
    }
    put!(page, "{}<bdi>{}</bdi>: sensitive, not generalised", if others.is_empty() { "" } else { " and " }, Text(last));
    put!(page, ". What is missing there was missing or could not be read.</p>\n");
}
