//! Warnings about a sample: columns that would be published without any detail. The sample is run
//! in memory, and no value of it is shown.

use std::path::{Path, PathBuf};

use super::doubts::WarningReport;
use crate::common_texts::{self, grouped, shell};
use crate::daemon::clock;
use crate::daemon::error::{Error, ErrorCategory, Result, printable};
use crate::daemon::folder::InputOutcome;
use crate::daemon::preview::{PeopleBehindRows, PreviewRequest, SpelledColumn, trial};
use crate::input_watch::{InputLine, spelled, word};

/// The error for a sample with several feed files.
pub(super) fn of_one_feed() -> Error {
    Error::new(
        ErrorCategory::Usage,
        "a sample is run under one feed file: name one only",
    )
    .in_field("--in")
}

/// Warnings about a sample, with the command that shows what helps.
///
/// # Errors
/// The sample cannot be read, or no chain can begin under the feed file.
pub(super) fn warnings(feed: &Path, inputs: &[PathBuf]) -> Result<Vec<WarningReport>> {
    let time = clock::now();
    let request = PreviewRequest {
        file: feed,
        settings: &[],
        inputs,
        one_tick: false,
        time: &time,
        alternatives: false,
    };
    let found = trial(&request, &mut InputLine::new(inputs))?;
    let files: Vec<String> = inputs.iter().map(|path| printable(&shell(path))).collect();
    let preview = format!(
        "`tidegate preview --feed {} --in {}`",
        printable(&shell(feed)),
        files.join(" ")
    );
    let warning = |field: &str, text: String| WarningReport {
        field: Some(field.to_owned()),
        text,
    };
    let mut warnings: Vec<WarningReport> = found
        .without_detail
        .iter()
        .map(|column| {
            let text = format!(
                "`{}` would be published without any detail: every row of this sample has the same label, which stands \
                 for all values. {preview} shows which settings give more",
                printable(column)
            );
            warning("column", text)
        })
        .collect();
    for list in &found.sample_lists {
        warnings.push(warning("column", common_texts::sample_list(list)));
    }
    if let Some(people) = &found.people {
        warnings.push(warning("column", of_people(people)));
    }
    for SpelledColumn { column, values } in &found.spellings {
        warnings.push(warning("column", spelled(column, *values)));
    }
    if found.outcome != InputOutcome::Published {
        let text = format!(
            "the last file of this sample adds no release ({}): {preview} says why",
            word(found.outcome)
        );
        warnings.push(warning("policy", text));
    }
    Ok(warnings)
}

/// What k means if a person has several rows, with the figures of this sample.
fn of_people(found: &PeopleBehindRows) -> String {
    let PeopleBehindRows {
        column,
        identifier,
        rows,
        people,
        classes,
        k,
        below,
        fewest,
    } = found;
    let column = printable(column);
    let counts = match identifier {
        Some(identifier) => format!(
            "k counts values of the identifier `{}`, not people",
            printable(identifier)
        ),
        None => "k counts rows, not people, since no column is an identifier".to_owned(),
    };
    let classes_below = match below {
        0 => format!(
            "each of {} classes holds {k} people or more",
            grouped(*classes)
        ),
        _ => format!(
            "{} of {} classes hold fewer than {k} people, the fewest {fewest}",
            grouped(*below),
            grouped(*classes)
        ),
    };
    format!(
        "`{column}` looks like the key of a person, and by it the {} published rows of this sample are of {} people: \
         {counts}. {classes_below}. If `{column}` is the person, make it the identifier",
        grouped(*rows),
        grouped(*people)
    )
}
