//! JSON keys that the feed file does not declare, for people to read: few, short and without
//! terminal control characters.

use crate::error::printable;

/// The most names that are kept.
const MOST: usize = 20;
/// The most characters of a name.
const LONGEST: usize = 64;

/// Distinct names in order of appearance, up to the limit.
#[derive(Default)]
pub(crate) struct UnknownKeys(Vec<String>);

impl UnknownKeys {
    /// Adds a name.
    pub(crate) fn add(&mut self, name: &str) {
        if self.0.len() < MOST {
            let cut: String = name.chars().take(LONGEST).collect();
            self.push(printable(&cut));
        }
    }

    /// Adds the names of others.
    pub(crate) fn take(&mut self, others: &UnknownKeys) {
        others.0.iter().for_each(|name| self.push(name.clone()));
    }

    fn push(&mut self, name: String) {
        if self.0.len() < MOST && !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names.
    pub(crate) fn names(self) -> Vec<String> {
        self.0
    }
}
