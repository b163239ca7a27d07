//! `check` for people: a report as paragraphs and a table of columns. Adds nothing to the content
//! of the report.

use std::fmt::Write;

use super::doubts::WarningReport;
use super::report::{DeclaredColumn, FeedReport};
use crate::daemon::config::kind_name;
use crate::daemon::error::printable;
use crate::engine::model::Role;
use crate::engine::policy::Output;
use crate::paragraph::wrapped;

/// One feed.
pub(super) fn feed(report: &FeedReport) -> String {
    let mut text = format!("{} ({})\n\nColumns\n", report.name, printable(&report.file));
    let name_width = report
        .columns
        .iter()
        .map(|column| column.name.chars().count())
        .max()
        .unwrap_or(0);
    for column in &report.columns {
        let (name, role, kind) = (&column.name, role(column.role), kind_name(column.kind));
        let row = format!("  {name:name_width$}  {role:10}  {kind:6}  ");
        wrapped(
            &mut text,
            &row,
            &about(column, report.policy.output == Some(Output::TwoTable)),
        );
    }
    if !report.records.is_empty() {
        text.push_str("\nRecords\n");
    }
    for sentence in &report.records {
        wrapped(&mut text, "  ", sentence);
    }
    text.push_str("\nPolicy\n");
    for sentence in &report.explained {
        wrapped(&mut text, "  ", sentence);
    }
    text.push_str("\nHow releases are made\n");
    for sentence in &report.publishing {
        wrapped(&mut text, "  ", sentence);
    }
    text.push_str("\nWhen it runs\n");
    for sentence in &report.for_daemon {
        wrapped(&mut text, "  ", sentence);
    }
    text.push_str("\nWhat can go wrong\n");
    for warning in &report.warnings {
        wrapped(&mut text, "  - ", &warning.text);
    }
    text.push('\n');
    text
}

/// Warnings about several feeds.
pub(super) fn together(warnings: &[WarningReport]) -> String {
    let mut text = String::from("All feeds together\n");
    for warning in warnings {
        wrapped(&mut text, "  - ", &warning.text);
    }
    text.push('\n');
    text
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier",
        Role::Quasi => "quasi",
        Role::Sensitive => "sensitive",
        Role::Measure => "measure",
        Role::Input => "input",
    }
}

/// What happens to a column.
fn about(column: &DeclaredColumn, two: bool) -> String {
    let mut text = String::new();
    match column.role {
        Role::Identifier => text.push_str("must not be in a release"),
        Role::Quasi if two => text.push_str("published as it is, and generalised to form classes"),
        Role::Quasi => text.push_str("generalised"),
        Role::Sensitive => text.push_str("published, never generalised"),
        Role::Input => text.push_str("read for other columns only, never published"),
        Role::Measure => {
            text.push_str("published as count, sum and mean for each label and release")
        }
    }
    if let Some(tree) = &column.taxonomy {
        let (leaves, levels) = (tree.leaves, tree.levels);
        let _ = write!(text, ": {leaves} leaves, {levels} levels");
        if let (Some(first), Some(last)) = (&tree.first, &tree.last) {
            let _ = write!(text, ", {first} … {last}");
        }
        let _ = write!(text, ", then up to {}", tree.root);
    }
    if column.guarded_sets > 0 {
        let _ = write!(text, "; guarded sets: {}", column.guarded_sets);
    }
    if column.optional {
        text.push_str("; missing values are `unknown`");
    }
    if let Some(leaf) = &column.unknown {
        let _ = write!(text, "; other values are `{leaf}`");
    }
    if let Some(path) = &column.path {
        let _ = write!(text, "; read from {path}");
    }
    for path in &column.other_paths {
        let _ = write!(text, ", else from {path}");
    }
    let (computed, changed): (Vec<&String>, Vec<&String>) = column
        .changed
        .iter()
        .partition(|words| words.starts_with("computed"));
    for words in computed {
        let _ = write!(text, "; {words}");
    }
    let changed: Vec<&str> = changed.into_iter().map(String::as_str).collect();
    if !changed.is_empty() {
        let _ = write!(text, "; its text: {}", changed.join(", "));
    }
    text
}
