//! What would have been given away without tidegate: each time a release is published, everything that has come so far is
//! k-anonymised on its own, as if nothing had been published before, and `audit` attacks all of these tables together.

use std::fs;
use std::path::{Path, PathBuf};

use super::hospital::{Admission, HEADER};
use crate::cli::audit;
use crate::daemon::chance;
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::oneshot::{Entry, Task, Watch, run};
use crate::daemon::seal::OperatorKey;

/// The folder of these tables.
pub const FOLDER: &str = "alone";
/// Snapshots that were made so far.
pub struct Snapshots {
    folder: PathBuf,
    all: String,
    releases: Vec<PathBuf>,
    increments: Vec<PathBuf>,
}

impl Snapshots {
    /// None yet; the feed file in this folder asks for all rows in every table.
    pub fn new(dir: &Path) -> Snapshots {
        let folder = dir.join(FOLDER);
        Snapshots { folder, all: HEADER.to_owned(), releases: Vec::new(), increments: Vec::new() }
    }

    /// The feed file of the snapshots.
    pub fn feed(&self) -> PathBuf {
        self.folder.join("feed.toml")
    }

    /// Another snapshot, with people who came since the last one: with how few candidates somebody is left by all of them.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn add(&mut self, new: &[Admission]) -> Result<u64> {
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
        let moved = fs::rename(work.join("1/data.parquet"), &release).and_then(|()| fs::remove_dir_all(&work));
        moved.and_then(|()| fs::remove_file(&all)).map_err(|error| Error::io(&release, "write the table", &error))?;
        self.releases.push(release);
        self.increments.push(increment);
        left(&self.audit())
    }

    /// The audit of all of them.
    pub fn audit(&self) -> audit::Args {
        let (releases, increments) = (self.releases.clone(), self.increments.clone());
        audit::Args { feed: Some(self.feed()), releases, increments, dir: None, key: None, minimality: false }
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|error| Error::io(&path, "write the rows", &error))?;
        Ok(path)
    }

    /// A first release of these rows, in a folder of its own.
    fn anonymised(&self, rows: &Path, work: &Path) -> Result<()> {
        let feed = Feed::load(&self.feed())?;
        let key = OperatorKey::parse(&chance::key()?).expect("a key was drawn");
        let (inputs, time) = ([rows.to_path_buf()], crate::daemon::clock::now());
        let task = Task { feed: &feed, inputs: &inputs, folder: work, key, made: None, quarantine: None, time: &time };
        match run(&task, &mut Nobody)?.entries.first() {
            Some(Entry { release: Some(_), .. }) => Ok(()),
            _ => Err(Error::new(Kind::Internal, "a snapshot of the demo has no release").in_file(rows)),
        }
    }
}

/// With how few candidates somebody is left by these releases.
///
/// # Errors
/// They cannot be read.
pub fn left(args: &audit::Args) -> Result<u64> {
    let least = audit::least(args)?;
    least.ok_or_else(|| Error::new(Kind::Internal, "an audit of the demo tells nothing"))
}

/// Nobody wants to know how far it is.
struct Nobody;

impl Watch for Nobody {
    fn reading(&mut self, _: usize, _: u64) {}
    fn deciding(&mut self, _: usize) {}
    fn undeclared(&mut self, _: &[String]) {}
    fn missing(&mut self, _: usize, _: u64) {}
    fn unknown(&mut self, _: usize, _: &str, _: &str, _: u64) {}
    fn telling(&mut self, _: &[String]) {}
    fn finished(&mut self, _: &str, _: &Entry) {}
    fn kept(&mut self, _: &Path) {}
}
