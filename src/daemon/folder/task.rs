//! What is asked of `anonymize`, and what watches how far it is.

use std::path::{Path, PathBuf};

use super::entry::InputEntry;
use super::keys::NewKey;
use crate::daemon::config::FeedConfig;
use crate::daemon::seal::OperatorKey;
use crate::engine::policy::Decimal;

/// What is asked for.
pub struct Task<'t> {
    /// The feed file.
    pub feed: &'t FeedConfig,
    /// The inputs, in order.
    pub inputs: &'t [PathBuf],
    /// Where releases go.
    pub folder: &'t Path,
    /// The key of the folder.
    pub key: OperatorKey,
    /// Where the key is to be kept, if it was made just now.
    pub made: Option<NewKey>,
    /// The share of rows that may be set aside; `None` = none.
    pub quarantine: Option<Decimal>,
    /// The time that releases carry.
    pub time: &'t str,
}

/// Is told how far the work is.
pub trait TaskProgress {
    /// So many rows of this input were read.
    fn reading(&mut self, input: usize, rows: u64);
    /// This input's tick is computed.
    fn deciding(&mut self, input: usize);
    /// Columns of an input that are not declared.
    fn undeclared(&mut self, columns: &[String]);
    /// So many sensitive cells of an input were missing or could not be read.
    fn missing(&mut self, input: usize, cells: u64);
    /// So many rows of an input fall on the leaf of a column that takes what its taxonomy does not know.
    fn unknown(&mut self, input: usize, column: &str, leaf: &str, rows: u64);
    /// In so many rows of an input a sensitive column has a guarded value but for spaces around it or capital letters, so that it is not
    /// guarded.
    fn misspelled(&mut self, input: usize, column: &str, rows: u64);
    /// Sensitive columns in which nearly every row of an input has a value of its own.
    fn telling(&mut self, columns: &[String]);
    /// A file that a command before this one had taken in, and that is none of this one's inputs, has its tick now.
    fn finished(&mut self, file: &str, entry: &InputEntry);
    /// The key that was made lies in this file now.
    fn kept(&mut self, key: &Path);
}

/// Shows nothing of it.
#[derive(Debug)]
pub struct SilentProgress;

impl TaskProgress for SilentProgress {
    fn reading(&mut self, _: usize, _: u64) {}
    fn deciding(&mut self, _: usize) {}
    fn undeclared(&mut self, _: &[String]) {}
    fn missing(&mut self, _: usize, _: u64) {}
    fn unknown(&mut self, _: usize, _: &str, _: &str, _: u64) {}
    fn misspelled(&mut self, _: usize, _: &str, _: u64) {}
    fn telling(&mut self, _: &[String]) {}
    fn finished(&mut self, _: &str, _: &InputEntry) {}
    fn kept(&mut self, _: &Path) {}
}
