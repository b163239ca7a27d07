//! The task of `anonymize`, and the listener for its progress.

use std::path::{Path, PathBuf};

use super::entry::InputEntry;
use super::keys::NewKey;
use crate::config::FeedConfig;
use crate::engine::policy::Decimal;
use crate::ingest::ColumnSpellings;
use crate::seal::OperatorKey;

/// The task.
pub struct Task<'t> {
    /// The feed file.
    pub feed: &'t FeedConfig,
    /// The inputs, in order.
    pub inputs: &'t [PathBuf],
    /// The folder for releases.
    pub folder: &'t Path,
    /// The key of the folder.
    pub key: OperatorKey,
    /// The file for the key, if it was just made.
    pub made: Option<NewKey>,
    /// The share of rows that may be set aside; `None` = none.
    pub quarantine: Option<Decimal>,
    /// The time of the releases.
    pub time: &'t str,
}

/// A listener for the progress of the work.
pub trait TaskProgress {
    /// This many rows of this input have been read.
    fn reading(&mut self, input: usize, rows: u64);
    /// The tick of this input is being computed.
    fn deciding(&mut self, input: usize);
    /// Columns of an input that are not declared.
    fn undeclared(&mut self, columns: &[String]);
    /// This many sensitive cells of an input were missing or could not be read.
    fn missing(&mut self, input: usize, cells: u64);
    /// This many rows of an input are on the leaf of a column for values that its taxonomy does not
    /// know.
    fn unknown(&mut self, input: usize, column: &str, leaf: &str, rows: u64);
    /// In this many rows of an input a sensitive column has a guarded value with other surrounding
    /// spaces or in another case, so that it is not guarded.
    fn misspelled(&mut self, input: usize, column: &str, rows: u64);
    /// A column of an input has values that differ in spelling alone.
    fn spelled(&mut self, input: usize, found: &ColumnSpellings);
    /// Sensitive columns in which nearly every row of an input has a value of its own.
    fn telling(&mut self, columns: &[String]);
    /// A file that an earlier command had accepted, and that is none of this command's inputs, has
    /// its tick now.
    fn finished(&mut self, file: &str, entry: &InputEntry);
    /// The new key is in this file now.
    fn kept(&mut self, key: &Path);
}

/// Ignores all progress.
#[derive(Debug)]
pub struct SilentProgress;

impl TaskProgress for SilentProgress {
    fn reading(&mut self, _: usize, _: u64) {}
    fn deciding(&mut self, _: usize) {}
    fn undeclared(&mut self, _: &[String]) {}
    fn missing(&mut self, _: usize, _: u64) {}
    fn unknown(&mut self, _: usize, _: &str, _: &str, _: u64) {}
    fn misspelled(&mut self, _: usize, _: &str, _: u64) {}
    fn spelled(&mut self, _: usize, _: &ColumnSpellings) {}
    fn telling(&mut self, _: &[String]) {}
    fn finished(&mut self, _: &str, _: &InputEntry) {}
    fn kept(&mut self, _: &Path) {}
}
