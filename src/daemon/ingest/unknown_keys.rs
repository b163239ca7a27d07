//! Keys of JSON that the feed file does not declare, for people to look at: few, short and without anything that draws on a terminal.

use crate::daemon::error::printable;

/// Names that are kept.
const MOST: usize = 20;
/// Characters of a name that are kept.
const LONGEST: usize = 64;

/// Distinct names in order of appearance, as far as they are kept.
#[derive(Default)]
pub struct UnknownKeys(Vec<String>);

impl UnknownKeys {
    /// The next name.
    pub fn add(&mut self, name: &str) {
        if self.0.len() < MOST {
            let cut: String = name.chars().take(LONGEST).collect();
            self.push(printable(&cut));
        }
    }

    /// The names of others.
    pub fn take(&mut self, others: &UnknownKeys) {
        others.0.iter().for_each(|name| self.push(name.clone()));
    }

    fn push(&mut self, name: String) {
        if self.0.len() < MOST && !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// The names.
    pub fn names(self) -> Vec<String> {
        self.0
    }
}
