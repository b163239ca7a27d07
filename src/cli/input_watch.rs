//! Progress of ticks over input files on a terminal, warnings on the way, and their outcomes.

use std::path::{Path, PathBuf};

use super::common_texts::{name, note};
use super::progress;
use crate::daemon::error::printable;
use crate::daemon::folder::{InputEntry, InputOutcome, TaskProgress};
use crate::daemon::ingest::ColumnSpellings;

/// One line that says what is being done.
pub(crate) struct InputLine {
    names: Vec<String>,
    line: progress::ProgressLine,
}

impl InputLine {
    /// For these inputs.
    pub(crate) fn new(inputs: &[PathBuf]) -> InputLine {
        let names = inputs.iter().map(|path| printable(&name(path))).collect();
        InputLine {
            names,
            line: progress::ProgressLine::new("starting"),
        }
    }

    /// Shows what is being done.
    pub(crate) fn say(&self, doing: String) {
        self.line.say(doing);
    }
}

impl TaskProgress for InputLine {
    fn reading(&mut self, input: usize, rows: u64) {
        self.line
            .say(format!("reading {}: {rows} rows", self.names[input]));
    }

    fn deciding(&mut self, input: usize) {
        self.line.say(format!(
            "forming and checking the release of {} ({} of {})",
            self.names[input],
            input + 1,
            self.names.len()
        ));
    }

    fn undeclared(&mut self, columns: &[String]) {
        let names: Vec<String> = columns
            .iter()
            .map(|column| format!("`{}`", printable(column)))
            .collect();
        self.line.paused(|| {
            note(&format!(
                "columns that the feed file does not declare are ignored: {}",
                names.join(", ")
            ))
        });
    }

    fn missing(&mut self, input: usize, cells: u64) {
        let (cells, are) = if cells == 1 {
            ("1 cell of a sensitive column or a measure".to_owned(), "is")
        } else {
            (
                format!("{cells} cells of sensitive columns or measures"),
                "are",
            )
        };
        let text = format!(
            "{}: {cells} missing or unreadable {are} treated as missing",
            self.names[input]
        );
        self.line.paused(|| note(&text));
    }

    fn unknown(&mut self, input: usize, column: &str, leaf: &str, rows: u64) {
        let (rows, fall) = if rows == 1 {
            ("1 row".to_owned(), "falls")
        } else {
            (format!("{rows} rows"), "fall")
        };
        let text = format!(
            "{}: {rows} {fall} on `{}` in `{}`, the label for values that the taxonomy lacks",
            self.names[input],
            printable(leaf),
            printable(column)
        );
        self.line.paused(|| note(&text));
    }

    fn misspelled(&mut self, input: usize, column: &str, rows: u64) {
        let (rows, have) = if rows == 1 {
            ("1 row".to_owned(), "has")
        } else {
            (format!("{rows} rows"), "have")
        };
        let column = printable(column);
        let text = format!(
            "{}: {rows} {have} a guarded value of `{column}` with other spaces or capitals. Such a spelling is not \
             guarded and is published unchanged: correct the source, or add the spelling to `guarded`",
            self.names[input]
        );
        self.line.paused(|| note(&text));
    }

    fn spelled(&mut self, input: usize, found: &ColumnSpellings) {
        let text = format!(
            "{}: {}",
            self.names[input],
            spelled(&found.column, found.values)
        );
        self.line.paused(|| note(&text));
    }

    fn telling(&mut self, columns: &[String]) {
        let names: Vec<String> = columns
            .iter()
            .map(|column| format!("`{}`", printable(column)))
            .collect();
        let text = format!(
            "nearly every row has a unique value in {}, and sensitive columns are published unchanged: an attacker who \
             knows the value of a person finds their row. If the column names or numbers people, make it the identifier",
            names.join(", ")
        );
        self.line.paused(|| note(&text));
    }

    fn finished(&mut self, file: &str, entry: &InputEntry) {
        let release = entry
            .release
            .map(|release| format!(" as release {release}"))
            .unwrap_or_default();
        let mut text = format!(
            "{}, which an interrupted command had begun, is now complete: {}{release}",
            printable(file),
            word(entry.outcome)
        );
        entry
            .reasons
            .iter()
            .for_each(|reason| text += &format!("; {}", reason.text));
        self.line.paused(|| note(&text));
    }

    fn kept(&mut self, key: &Path) {
        let name = printable(&key.display().to_string());
        let text = format!(
            "a key was made: {name}. Keep it: without it the folder cannot be continued, and waiting \
             rows cannot be read"
        );
        self.line.paused(|| note(&text));
    }
}

/// The warning about a column with values that differ in spelling alone.
pub(crate) fn spelled(column: &str, values: u64) -> String {
    let (values, differ) = if values == 1 {
        ("1 value".to_owned(), "differs")
    } else {
        (format!("{values} values"), "differ")
    };
    format!(
        "{values} of `{}` {differ} from another one in spelling alone (spaces, capitals, Unicode forms, zeros of a number). Of an \
         identifier each spelling is a person of its own; sensitive values are published as they are spelled, and diversity \
         counts their spellings as one value: correct the source",
        printable(column)
    )
}

/// An outcome.
pub(crate) fn word(outcome: InputOutcome) -> &'static str {
    match outcome {
        InputOutcome::Published => "published",
        InputOutcome::Waiting => "waiting",
        InputOutcome::Held => "held",
        InputOutcome::Rejected => "rejected",
        InputOutcome::Stopped => "stopped",
        InputOutcome::Known => "known",
    }
}
