//! The findings about a feed file: problems and warnings, by the path of their key.

use super::places::ConfigProblem;

/// Warnings and problems, by the path of their key.
#[derive(Default)]
pub(super) struct Notes {
    /// Harmless findings that an operator should know.
    pub warnings: Vec<(String, String)>,
    /// All problems.
    pub problems: Vec<ConfigProblem>,
}

impl Notes {
    /// Adds a problem with a key.
    pub(super) fn refuse(&mut self, path: &str, text: impl Into<String>) {
        self.problems.push(ConfigProblem::new(path, text));
    }

    /// Adds a problem with a key if a condition holds.
    pub(super) fn refuse_if(&mut self, condition: bool, path: &str, text: &str) {
        if condition {
            self.refuse(path, text);
        }
    }

    /// Adds a warning.
    pub(super) fn warn(&mut self, path: &str, text: impl Into<String>) {
        self.warnings.push((path.to_owned(), text.into()));
    }
}
