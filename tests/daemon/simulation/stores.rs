//! Simulated stores: a folder or a bucket, which may be full, silent, late, or not say what it did;
//! and the writing process may die before a write, after it, or in the middle of several.

use std::sync::Arc;
use std::time::Duration;

use tidegate::daemon::error::{Error, ErrorCategory, Result};
use tidegate::daemon::journal::store::{CreateOutcome, ListedObject, ReadStore, Store};

use super::nature::{Fate, Nature, Side};

/// The time after which a process gives up a silent store.
const GIVE_UP: Duration = Duration::from_secs(60);

/// A change of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Create(String, Vec<u8>),
    Replace(String, Vec<u8>),
    Delete(String),
}

impl Change {
    pub fn path(&self) -> &str {
        match self {
            Change::Create(path, _) | Change::Replace(path, _) | Change::Delete(path) => path,
        }
    }
}

/// A root as one process sees it.
pub struct Seen {
    pub nature: Arc<Nature>,
    pub process: u32,
    pub side: Side,
}

fn refused<T>(text: &str) -> Result<T> {
    Err(Error::new(
        ErrorCategory::Io,
        format!("the simulated store {text}"),
    ))
}

impl Seen {
    /// Waits until the store answers, if it is silent.
    fn answers(&self) -> Result<()> {
        self.nature.passes(self.process);
        let silent = self.nature.silent(self.side);
        if silent.is_zero() {
            return Ok(());
        }
        self.nature.turns.rest(self.process, silent.min(GIVE_UP));
        if silent > GIVE_UP {
            refused("does not answer")
        } else {
            Ok(())
        }
    }

    /// Changes the store; None if it does not say what it did.
    fn change(&self, change: Change) -> Result<Option<CreateOutcome>> {
        self.answers()?;
        let nature = &self.nature;
        match nature.fate(self.process, self.side, &change) {
            Fate::Happens => Ok(Some(nature.happens(self.side, change))),
            Fate::Dies { after } => {
                if after {
                    nature.happens(self.side, change);
                }
                nature.dies(self.process);
                refused("is gone with its process")
            }
            Fate::Refused => refused("is full"),
            Fate::Unsaid { happens } => {
                if happens {
                    nature.happens(self.side, change);
                }
                Ok(None)
            }
            Fate::Late => {
                nature.comes_late(self.side, change);
                Ok(None)
            }
            Fate::Skipped => Ok(Some(CreateOutcome::Made)),
        }
    }

    fn changes(&self, change: impl Fn() -> Change) -> Result<()> {
        // A request without an answer is sent again.
        for _ in 0..4 {
            if self.change(change())?.is_some() {
                return Ok(());
            }
        }
        refused("never says what it did")
    }

    /// Some of these changes happen at once, in any order, before a process dies.
    fn together<T>(
        &self,
        changes: Vec<Change>,
        each: impl Fn(&Seen, Change) -> Result<T>,
    ) -> Result<Vec<T>> {
        if self.nature.dies_within(self.process, changes.len()) {
            for change in self.nature.some(changes) {
                self.nature.happens(self.side, change);
            }
            self.nature.dies(self.process);
            return refused("is gone with its process");
        }
        changes
            .into_iter()
            .map(|change| each(self, change))
            .collect()
    }
}

impl ReadStore for Seen {
    fn place(&self) -> String {
        format!("{:?}", self.side)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.answers()?;
        self.nature.root(self.side).read(path)
    }

    fn list(&self, prefix: &str) -> Result<Vec<ListedObject>> {
        self.answers()?;
        self.nature.root(self.side).list(prefix)
    }
}

impl Store for Seen {
    fn create(&self, path: &str, bytes: &[u8]) -> Result<CreateOutcome> {
        Ok(self
            .change(Change::Create(path.to_owned(), bytes.to_vec()))?
            .unwrap_or(CreateOutcome::Unknown))
    }

    fn delete(&self, path: &str) -> Result<()> {
        self.changes(|| Change::Delete(path.to_owned()))
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.changes(|| Change::Replace(path.to_owned(), bytes.to_vec()))
    }

    fn create_all(&self, objects: &[(String, Vec<u8>)]) -> Result<Vec<CreateOutcome>> {
        let changes = objects
            .iter()
            .map(|(path, bytes)| Change::Create(path.clone(), bytes.clone()));
        self.together(changes.collect(), |seen, change| {
            Ok(seen.change(change)?.unwrap_or(CreateOutcome::Unknown))
        })
    }

    fn delete_all(&self, paths: &[&str]) -> Result<()> {
        let changes = paths.iter().map(|path| Change::Delete((*path).to_owned()));
        self.together(changes.collect(), |seen, change| {
            seen.changes(|| change.clone())
        })
        .map(|_| ())
    }
}
