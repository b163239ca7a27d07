//! Texts that several commands have in common. Must never see a record.

use std::io::Write;
use std::path::Path;

use super::render;
use crate::daemon::error::printable;
use crate::daemon::formats::LevelsRecord;
use crate::daemon::preview::SampleList;

/// Writes a notice that is not an error to standard error.
pub(crate) fn note(text: &str) {
    // If this fails there is no way left to report it.
    let _ = writeln!(anstream::stderr(), "{}", render::note(text));
}

/// The file's own name.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A path quoted for a shell.
pub(crate) fn shell(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// A count in groups of three digits.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The warning about a taxonomy that may be a list of the people of a sample.
pub(crate) fn sample_list(list: &SampleList) -> String {
    let SampleList {
        column,
        leaves,
        values,
        once,
    } = list;
    format!(
        "`{}`: its taxonomy lists {} leaves, of which this sample has {} and {} occur once, as keys and names of people \
         do. Releases publish every leaf of a taxonomy, even without rows: list all possible values instead of those \
         of a sample, or remove the column",
        printable(column),
        grouped(*leaves),
        grouped(*values),
        grouped(*once)
    )
}

/// How good the levels are that a search found.
pub(crate) fn levels(found: &LevelsRecord) -> String {
    let LevelsRecord {
        minimised,
        found,
        lower_bound,
        stopped,
        checked,
    } = found;
    let figure = if minimised == "loss" {
        "Loss"
    } else {
        "mean error of the counts"
    };
    if *stopped {
        return format!(
            "the search stopped at its limit, after checking {checked} states. The levels that it found have a {figure} of \
             {found:.4}; no levels have less than {lower_bound:.4}."
        );
    }
    format!(
        "the {figure} is {found:.4}, the least that one level per column can have ({checked} states were checked)."
    )
}
