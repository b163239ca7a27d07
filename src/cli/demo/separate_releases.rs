//! What would have been revealed without tidegate: each time a release is published, all rows so
//! far are k-anonymised on their own, as if nothing had been published before, and `audit` attacks
//! all of these tables together. Also how much detail tidegate itself would have kept with one list
//! of labels for all rows.

use std::fs;
use std::path::{Path, PathBuf};

use super::hospital::{Admission, HEADER};
use crate::audit;
use crate::daemon::chance;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::folder::{InputEntry, SilentProgress, Task, manifest_of, run};
use crate::daemon::seal::OperatorKey;

/// The folder of these tables.
pub(super) const FOLDER: &str = "alone";
/// The folder of the chain with one list of labels for all rows.
pub(super) const ONE_LIST: &str = "one-list";

/// The snapshots so far.
pub(super) struct Snapshots {
    folder: PathBuf,
    one_list: PathBuf,
    /// The key of that chain, which is not needed after the demo.
    key: String,
    /// The number of its releases.
    released: usize,
    all: String,
    releases: Vec<PathBuf>,
    increments: Vec<PathBuf>,
}

impl Snapshots {
    /// None yet; the feed file in this folder puts all rows into every table.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(super) fn new(dir: &Path) -> Result<Snapshots> {
        let (folder, one_list) = (dir.join(FOLDER), dir.join(ONE_LIST));
        let (key, all) = (chance::key()?, HEADER.to_owned());
        Ok(Snapshots {
            folder,
            one_list,
            key,
            released: 0,
            all,
            releases: Vec::new(),
            increments: Vec::new(),
        })
    }

    /// The feed file of the snapshots.
    pub(super) fn feed(&self) -> PathBuf {
        self.folder.join("feed.toml")
    }

    /// Another snapshot, with the people since the last one.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn add(&mut self, new: &[Admission]) -> Result<ReleaseComparison> {
        let number = self.releases.len() + 1;
        let mut rows = HEADER.to_owned();
        for one in new {
            one.row(&mut rows);
            one.row(&mut self.all);
        }
        let increment = self.write(&format!("increment-{number}.csv"), &rows)?;
        let all = self.write("all.csv", &self.all)?;
        let release = self.folder.join(format!("release-{number}.parquet"));
        let work = self.folder.join("work");
        self.anonymised(&all, &work)?;
        let moved = fs::rename(work.join("1/data.parquet"), &release)
            .and_then(|()| fs::remove_dir_all(&work));
        moved
            .and_then(|()| fs::remove_file(&all))
            .map_err(|error| Error::io(&release, "write the table", &error))?;
        let one_list = self.one_list(&increment)?;
        self.releases.push(release);
        self.increments.push(increment);
        Ok(ReleaseComparison {
            left: left(&self.audit())?,
            one_list,
        })
    }

    /// The information loss of the newest release with one list of labels for all rows, after these
    /// people were added.
    fn one_list(&mut self, increment: &Path) -> Result<f64> {
        let feed = FeedConfig::load(&self.one_list.join("feed.toml"))?;
        let releases = self.one_list.join("releases");
        let entries = self.ticked(&feed, increment, &releases)?;
        self.released += entries
            .iter()
            .filter(|entry| entry.release.is_some())
            .count();
        // Before the first release there is no loss.
        let newest = (self.released > 0)
            .then(|| manifest_of(&releases, self.released as u32))
            .transpose()?;
        Ok(newest.map_or(1.0, |manifest| manifest.loss))
    }

    /// The audit of all of them.
    pub(super) fn audit(&self) -> audit::Args {
        let (releases, increments) = (self.releases.clone(), self.increments.clone());
        audit::Args {
            feed: Some(self.feed()),
            releases,
            increments,
            population: None,
            dir: None,
            key: None,
            minimality: false,
            requirement: None,
            guarding: None,
            sums: Box::default(),
        }
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|error| Error::io(&path, "write the rows", &error))?;
        Ok(path)
    }

    /// A first release of these rows, in a folder of its own.
    fn anonymised(&self, rows: &Path, work: &Path) -> Result<()> {
        match self
            .ticked(&FeedConfig::load(&self.feed())?, rows, work)?
            .first()
        {
            Some(InputEntry {
                release: Some(_), ..
            }) => Ok(()),
            _ => Err(Error::new(
                ErrorCategory::Internal,
                "a snapshot of the demo has no release",
            )
            .in_file(rows)),
        }
    }

    /// Adds these rows to a folder as its next tick.
    fn ticked(&self, feed: &FeedConfig, rows: &Path, folder: &Path) -> Result<Vec<InputEntry>> {
        let key = OperatorKey::parse(&self.key).expect("a key was drawn");
        let (inputs, time) = ([rows.to_path_buf()], crate::daemon::clock::now());
        let task = Task {
            feed,
            inputs: &inputs,
            folder,
            key,
            made: None,
            quarantine: None,
            time: &time,
        };
        Ok(run(&task, &mut SilentProgress)?.entries)
    }
}

/// The figures beside a release of the demo.
pub(super) struct ReleaseComparison {
    /// The fewest candidates that all snapshots leave for a person.
    pub left: u64,
    /// The loss with one list of labels for all rows.
    pub one_list: f64,
}

/// The fewest candidates that these releases leave for a person.
///
/// # Errors
/// They cannot be read.
pub(super) fn left(args: &audit::Args) -> Result<u64> {
    let least = audit::least(args)?;
    least.ok_or_else(|| {
        Error::new(
            ErrorCategory::Internal,
            "an audit of the demo has no result",
        )
    })
}
