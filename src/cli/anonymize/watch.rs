//! Progress of `anonymize` on a terminal, and what is noticed on the way.

use std::path::PathBuf;

use crate::cli::progress;
use crate::cli::tell::{name, note};
use crate::daemon::error::printable;
use crate::daemon::oneshot::Watch;

/// One line that says what is being done.
pub struct Shown {
    names: Vec<String>,
    line: progress::Shown,
}

impl Shown {
    /// Of these inputs.
    pub fn new(inputs: &[PathBuf]) -> Shown {
        let names = inputs.iter().map(|path| printable(&name(path))).collect();
        Shown { names, line: progress::Shown::new("starting") }
    }
}

impl Watch for Shown {
    fn reading(&mut self, input: usize, rows: u64) {
        self.line.say(format!("reading {}: {rows} rows", self.names[input]));
    }

    fn deciding(&mut self, input: usize) {
        self.line.say(format!("deciding and judging {} ({} of {})", self.names[input], input + 1, self.names.len()));
    }

    fn undeclared(&mut self, columns: &[String]) {
        let names: Vec<String> = columns.iter().map(|column| format!("`{}`", printable(column))).collect();
        self.line.aside(|| note(&format!("undeclared columns are left out: {}", names.join(", "))));
    }
}
