//! What is found on the way through a feed file: what is wrong, and what is only worth telling, by the path of its key.

use super::places::ConfigProblem;

/// Warnings and problems, by the path of their key.
#[derive(Default)]
pub struct Notes {
    /// Harmless, and worth telling.
    pub warnings: Vec<(String, String)>,
    /// Everything that is wrong.
    pub problems: Vec<ConfigProblem>,
}

impl Notes {
    /// Something is wrong with a key.
    pub fn refuse(&mut self, path: &str, text: impl Into<String>) {
        self.problems.push(ConfigProblem::new(path, text));
    }

    /// Something is wrong with a key if a condition holds.
    pub fn refuse_if(&mut self, condition: bool, path: &str, text: &str) {
        if condition {
            self.refuse(path, text);
        }
    }

    /// Something is worth telling.
    pub fn warn(&mut self, path: &str, text: impl Into<String>) {
        self.warnings.push((path.to_owned(), text.into()));
    }
}
