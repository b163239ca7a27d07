//! The answer in words, and the counts as a table.

use std::path::Path;

use serde_json::Value as Json;

use crate::daemon::error::printable;
use crate::daemon::opened_release::Opened;
use crate::daemon::view::query::{QueryAnswer, QueryFigures, SpreadRule};
use crate::engine::release::Manifest;
use crate::newest::newest_line;
use crate::table::{Head, TextTable};

/// The greatest number of table lines that are shown; all of them are in the file and in JSON.
const MOST: usize = 200;

/// The answer.
pub(super) fn answer(
    answer: &QueryAnswer,
    opened: &Opened,
    by: &[&str],
    file: Option<&Path>,
) -> String {
    let Manifest { feed, time, .. } = &opened.manifest;
    let mut text = format!(
        "release {} of {feed}, of {time}, {} rows\n",
        answer.release, answer.rows
    );
    if answer.newest.release == answer.release {
        text.push_str("it is the newest release\n");
    } else {
        text.push_str(&newest_line(&answer.newest));
    }
    text.push_str(&format!("rows that match: {}\n", figures(&answer.all)));
    text.push_str(match answer.method {
        SpreadRule::Em => {
            "rows are spread over values by the shares under which the published labels are most likely \
             (em)\n"
        }
        SpreadRule::Uniform => {
            "rows are spread evenly over the values of their labels; the error is not known (uniform)\n"
        }
    });
    if let Some(file) = file {
        text.push_str(&format!(
            "{} counts are in {}\n",
            answer.groups.len(),
            file.display()
        ));
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
                "about {estimate:.0}, with a standard error of {error:.0}; certainly at least {low} and at most {high}"
            )
        }
        None => format!("about {estimate:.0}; certainly at least {low} and at most {high}"),
    }
}

fn table(answer: &QueryAnswer, by: &[&str]) -> String {
    let names: Vec<String> = by.iter().map(|name| printable(name)).collect();
    let counts = ["estimate", "standard error", "at least", "at most"].map(Head::Right);
    let mut table = TextTable::new(
        &names
            .iter()
            .map(|name| Head::Left(name))
            .chain(counts)
            .collect::<Vec<_>>(),
    );
    for group in answer.groups.iter().take(MOST) {
        let QueryFigures {
            estimate,
            standard_error,
            low,
            high,
        } = group.of;
        let error = standard_error.map_or_else(|| "-".to_owned(), |error| format!("{error:.1}"));
        let counts = [
            format!("{estimate:.1}"),
            error,
            low.to_string(),
            high.to_string(),
        ];
        table.row(
            by.iter()
                .map(|name| cell(&group.group[*name]))
                .chain(counts),
        );
    }
    let mut text = String::new();
    table.write(&mut text, "");
    if answer.groups.len() > MOST {
        let more = answer.groups.len() - MOST;
        text.push_str(&format!("and {more} more, which --json and --out show\n"));
    }
    text
}

/// The text of a cell.
fn cell(value: &Json) -> String {
    match value {
        Json::String(text) => printable(text),
        other => other.to_string(),
    }
}
