//! Warnings about a sample: columns that would be published without any detail. The sample is run in memory, and no
//! value of it is shown.

use std::path::{Path, PathBuf};

use super::doubts::WarningReport;
use crate::cli::common_texts::shell;
use crate::cli::input_watch::{InputLine, word};
use crate::daemon::clock;
use crate::daemon::error::{Error, ErrorCategory, Result, printable};
use crate::daemon::folder::InputOutcome;
use crate::daemon::preview::{PreviewRequest, trial};

/// The error for a sample with several feed files.
pub fn of_one_feed() -> Error {
    Error::new(ErrorCategory::Usage, "a sample is run under one feed file: name one only").in_field("--in")
}

/// Warnings about a sample, with the command that shows what helps.
///
/// # Errors
/// The sample cannot be read, or no chain can begin under the feed file.
pub fn warnings(feed: &Path, inputs: &[PathBuf]) -> Result<Vec<WarningReport>> {
    let time = clock::now();
    let request = PreviewRequest { file: feed, settings: &[], inputs, time: &time, alternatives: false };
    let found = trial(&request, &mut InputLine::new(inputs))?;
    let files: Vec<String> = inputs.iter().map(|path| printable(&shell(path))).collect();
    let preview = format!("`tidegate preview --feed {} --in {}`", printable(&shell(feed)), files.join(" "));
    let warning = |field: &str, text: String| WarningReport { field: Some(field.to_owned()), text };
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
    if found.outcome != InputOutcome::Published {
        let text =
            format!("the last file of this sample adds no release ({}): {preview} says why", word(found.outcome));
        warnings.push(warning("policy", text));
    }
    Ok(warnings)
}
