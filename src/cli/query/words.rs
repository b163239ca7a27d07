//! The answer in words, and the counts as a table.

use std::path::Path;

use serde_json::Value as Json;

use crate::daemon::error::printable;
use crate::daemon::opened_release::Opened;
use crate::daemon::view::query::{QueryAnswer, QueryFigures, SpreadRule};

/// Lines of a table that are shown; all of them are in the file and in JSON.
const MOST: usize = 200;

/// The answer.
pub fn answer(answer: &QueryAnswer, opened: &Opened, by: &[&str], file: Option<&Path>) -> String {
    let mut text = format!("release {} of {}, {} rows\n", answer.release, opened.manifest.feed, answer.rows);
    text.push_str(&format!("rows that were asked for: {}\n", figures(&answer.all)));
    text.push_str(match answer.method {
        SpreadRule::Em => "rows are spread by the shares that make the published labels most likely (em)\n",
        SpreadRule::Uniform => {
            "rows are spread evenly over the values of their labels: nothing says how far that lies off (uniform)\n"
        }
    });
    if let Some(file) = file {
        text.push_str(&format!("{} counts are in {}\n", answer.groups.len(), file.display()));
    } else if !by.is_empty() {
        text.push('\n');
        text.push_str(&table(answer, by));
    }
    text
}

fn figures(of: &QueryFigures) -> String {
    let (estimate, QueryFigures { low, high, .. }) = (of.estimate, of);
    match of.standard_error {
        _ if low == high => format!("{low}, which is certain"),
        Some(error) => {
            format!(
                "about {estimate:.0}, with a standard error of {error:.0}; at least {low} and at most {high} for certain"
            )
        }
        None => format!("about {estimate:.0}; at least {low} and at most {high} for certain"),
    }
}

fn table(answer: &QueryAnswer, by: &[&str]) -> String {
    let mut lines = vec![by.iter().map(|name| printable(name)).collect::<Vec<_>>()];
    lines[0].extend(["estimate", "standard error", "at least", "at most"].map(str::to_owned));
    for group in answer.groups.iter().take(MOST) {
        let mut line: Vec<String> = by.iter().map(|name| cell(&group.group[*name])).collect();
        let QueryFigures { estimate, standard_error, low, high } = group.of;
        let error = standard_error.map_or_else(|| "-".to_owned(), |error| format!("{error:.1}"));
        line.extend([format!("{estimate:.1}"), error, low.to_string(), high.to_string()]);
        lines.push(line);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| {
            if at < by.len() { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    if answer.groups.len() > MOST {
        let more = answer.groups.len() - MOST;
        text.push_str(&format!("and {more} more, which --json and --out show\n"));
    }
    text
}

/// What stands in a cell.
fn cell(value: &Json) -> String {
    match value {
        Json::String(text) => printable(text),
        other => other.to_string(),
    }
}
