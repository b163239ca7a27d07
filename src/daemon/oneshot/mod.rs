//! A chain of releases in a folder, one file after the other (CONTRACTS 3, anonymize): each input is a tick, each release
//! goes through the same feed and the same gate as the daemon's. Decides nothing: rows go in, what was approved is put
//! where the folder says, and the rest is told.

mod entry;
mod folder;
mod keys;
mod look;
mod outcome;
mod saved;
mod seal;
mod tables;

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use sha2::Digest as _;

pub use entry::{Against, Entry, Outcome, Told};
pub use folder::{Folder, open_state};
pub use keys::{Found, beside, find as find_key};
pub use look::{Seen, look};
pub use outcome::{Recorded, TickVerdict};
pub use saved::{Line, Saved};
pub use seal::OperatorKey;
pub use tables::tables;

use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::{PersonHasher, decode};
use crate::engine::feed::{Candidate, Closed, Published};
use crate::engine::gate::bytes;
use crate::engine::gate::own::{Approved, Case, History, Judged, Newest, Older, Pages, Verdict, judge};
use crate::engine::histogram::Rows;
use crate::engine::policy::Decimal;
use crate::engine::release::{self, CheckLine, Facts, FileLine, Manifest, Sha256};

/// What is asked for.
pub struct Task<'t> {
    /// The feed file.
    pub feed: &'t Feed,
    /// The inputs, in order.
    pub inputs: &'t [PathBuf],
    /// Where releases go.
    pub folder: &'t Path,
    /// The key of the folder.
    pub key: OperatorKey,
    /// The share of rows that may be set aside; `None` = none.
    pub quarantine: Option<Decimal>,
    /// The time that releases carry.
    pub time: &'t str,
}

/// An input that was decoded.
struct Input {
    name: String,
    digest: Sha256,
    /// `None` when the folder holds it already.
    rows: Option<Rows>,
    quarantined: u64,
}

/// Whoever wants to know how far the work is.
pub trait Watch {
    /// So many rows of this input were read.
    fn reading(&mut self, input: usize, rows: u64);
    /// This input's tick is computed.
    fn deciding(&mut self, input: usize);
    /// Columns of an input that nobody declared.
    fn undeclared(&mut self, columns: &[String]);
}

/// Runs all ticks.
///
/// # Errors
/// An input that cannot be decoded (the folder is unchanged then), or a folder that cannot be read or written.
pub fn run(task: &Task<'_>, watch: &mut dyn Watch) -> Result<Vec<Entry>> {
    let new = !Folder::begun(task.folder);
    // Nothing is made on the disk before the inputs are known to be good.
    let known = if new { None } else { Some(open_state(task.folder, &task.key)?) };
    if let Some(known) = &known {
        known.frozen(task.feed)?;
    }
    let inputs = read(task, known.as_ref(), watch)?;
    let folder = Folder::open(task.folder)?;
    let saved = folder.load(&task.key)?.unwrap_or_else(|| Saved::new(task.feed));
    saved.frozen(task.feed)?;
    let history = history(&folder, &saved, task.feed)?;
    let mut work = Work { task, folder, saved, history };
    let ticks = inputs.into_iter().enumerate();
    let entry = |(at, input): (usize, Input)| {
        watch.deciding(at);
        work.tick(at, input)
    };
    ticks.map(entry).collect()
}

/// Decodes all inputs that are not in the folder yet.
fn read(task: &Task<'_>, known: Option<&Saved>, watch: &mut dyn Watch) -> Result<Vec<Input>> {
    let hasher = PersonHasher::new(&task.key.derive("tidegate: people"));
    let mut inputs: Vec<Input> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for (at, path) in task.inputs.iter().enumerate() {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let digest = digest(path)?;
        let seen = inputs.iter().any(|input| input.name == name && input.digest == digest);
        if seen || known.is_some_and(|known| known.knows(&name, &digest)) {
            inputs.push(Input { name, digest, rows: None, quarantined: 0 });
            continue;
        }
        let mut progress = |rows| watch.reading(at, rows);
        let decoded = decode(path, &task.feed.columns, &hasher, task.quarantine, &mut progress)?;
        let news: Vec<String> = decoded.undeclared.into_iter().filter(|column| !told.contains(column)).collect();
        if !news.is_empty() {
            watch.undeclared(&news);
            told.extend(news);
        }
        let quarantined = decoded.quarantined.len() as u64;
        inputs.push(Input { name, digest, rows: Some(decoded.rows), quarantined });
    }
    Ok(inputs)
}

/// The digest of a file.
fn digest(path: &Path) -> Result<Sha256> {
    let about = path.metadata().map_err(|error| Error::io(path, "open the file", &error))?;
    if about.is_dir() {
        return Err(Error::new(Kind::Input, "this is a folder, not a file").in_file(path));
    }
    if !about.is_file() {
        return Err(Error::irregular(Kind::Input, path));
    }
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, "open the file", &error))?;
    let mut reader = std::io::BufReader::with_capacity(1 << 20, file);
    let mut hash = sha2::Sha256::new();
    loop {
        let bytes = reader.fill_buf().map_err(|error| Error::io(path, "read the file", &error))?;
        if bytes.is_empty() {
            return Ok(Sha256::from_bytes(hash.finalize().into()));
        }
        hash.update(bytes);
        let read = bytes.len();
        reader.consume(read);
    }
}

/// The chain's releases as they lie in the folder.
fn history(folder: &Folder, saved: &Saved, feed: &Feed) -> Result<History> {
    let mut history = History::default();
    let lines = saved.releases.iter().filter(|line| line.chain == saved.feed.chain() && !saved.disjoint);
    for (line, published) in lines.zip(saved.feed.published()) {
        let data = folder.published(line.release, "data.parquet", &line.data)?;
        let (table, _) = bytes::read(&data, &feed.columns);
        let fits = table.and_then(|table| history.push(&table, &published.recoding).ok());
        fits.ok_or_else(|| {
            Error::new(Kind::Internal, format!("release {} cannot be read back as it was published", line.release))
        })?;
    }
    Ok(history)
}

/// A folder at work.
struct Work<'t> {
    task: &'t Task<'t>,
    folder: Folder,
    saved: Saved,
    history: History,
}

/// What the gate said of a candidate.
enum Said {
    Approved(Approved),
    Refused(Verdict),
}

impl Work<'_> {
    /// One input.
    fn tick(&mut self, at: usize, input: Input) -> Result<Entry> {
        let Some(rows) = input.rows else {
            return Ok(Entry::known(at, self.told(0)));
        };
        self.saved.inputs.push((input.name.clone(), *input.digest.bytes()));
        let feed = self.task.feed;
        let mut ticked = self.saved.feed.tick(rows, &feed.policy, &feed.columns.trees());
        let closed = std::mem::replace(&mut ticked.closed, Closed::Waiting);
        let mut recorded = Recorded::new(&ticked, &input.name, feed);
        let (outcome, approved) = match closed {
            Closed::Held => (Outcome::Held, None),
            Closed::Waiting => (Outcome::Waiting, None),
            Closed::Stopped => {
                recorded.stopped_before();
                (Outcome::Stopped, None)
            }
            Closed::Impossible(why) => {
                recorded.impossible(&why, feed);
                (Outcome::Rejected, None)
            }
            Closed::Candidate(candidate) => self.candidate(*candidate, &mut recorded)?,
        };
        let release = approved.as_ref().map(|(line, _)| line.release);
        let mut entry = Entry::new(at, outcome, release, self.told(self.rows(approved.as_ref())));
        (entry.added, entry.duplicate, entry.quarantined) = (ticked.added, ticked.duplicate, input.quarantined);
        if outcome == Outcome::Rejected || outcome == Outcome::Stopped {
            entry.added = if self.saved.feed.pending() > 0 { ticked.added } else { 0 };
        }
        entry.reasons = recorded.reasons();
        self.folder.verdict(ticked.tick, &recorded.bytes(&entry, self.task.time, self.saved.feed.chain()))?;
        self.commit(approved)?;
        Ok(entry)
    }

    /// The rows of the newest release.
    fn rows(&self, approved: Option<&(Line, Approved)>) -> u64 {
        let newest = approved.map(|(line, _)| line.rows);
        newest.or_else(|| self.saved.releases.last().map(|line| line.rows)).unwrap_or(0)
    }

    fn told(&self, rows: u64) -> Told {
        let feed = &self.saved.feed;
        let rows = if rows > 0 { rows } else { self.rows(None) };
        Told { rows, waiting: feed.waiting().rows(), withheld: feed.withheld().rows(), pending: feed.pending() }
    }

    /// Makes the sealed state the one of this tick, and the release visible.
    fn commit(&mut self, approved: Option<(Line, Approved)>) -> Result<()> {
        if let Some((line, _)) = &approved {
            self.saved.releases.push(line.clone());
        }
        let done = self.folder.commit(&self.saved, &self.task.key, approved)?;
        if let (Some(files), Some(published)) = (done, self.saved.feed.published().last())
            && !self.saved.disjoint
        {
            let pushed = self.history.push(&files.table, &published.recoding);
            pushed.expect("the gate has looked at the labels");
        }
        Ok(())
    }

    /// Writes a candidate aside, has it judged, and takes what came of it into the feed.
    fn candidate(
        &mut self,
        candidate: Candidate,
        recorded: &mut Recorded,
    ) -> Result<(Outcome, Option<(Line, Approved)>)> {
        let (policy, trees) = (&self.task.feed.policy, self.task.feed.columns.trees());
        match self.judged(&candidate, recorded)? {
            Said::Approved(approved) => {
                let line = Line {
                    release: candidate.release,
                    chain: self.saved.feed.chain(),
                    tick: recorded.tick(),
                    ..Line::of(&approved)
                };
                self.saved.feed.publish(candidate, policy, &trees);
                Ok((Outcome::Published, Some((line, approved))))
            }
            Said::Refused(verdict) => {
                self.folder.discard(candidate.release)?;
                if verdict.stops() {
                    self.saved.feed.stop(policy);
                    return Ok((Outcome::Stopped, None));
                }
                Ok((Outcome::Rejected, None))
            }
        }
    }

    /// Stages every file of a candidate, reads it back, and asks the gate.
    fn judged(&self, candidate: &Candidate, recorded: &mut Recorded) -> Result<Said> {
        let feed = self.task.feed;
        let stage = |name: &str, bytes: &[u8]| self.folder.stage(candidate.release, name, bytes);
        let data = release::data(&candidate.table, candidate.rows.values(), &feed.columns);
        let data = stage("data.parquet", &data)?;
        let judged = self.ask(candidate, data.clone());
        recorded.verdict(judged.verdict());
        let Some(table) = judged.table() else { return Ok(Said::Refused(judged.verdict().clone())) };
        let taxonomy = release::taxonomy(&feed.columns);
        let taxonomy_name = format!("{}.json", Sha256::of(&taxonomy));
        let taxonomy = stage(&taxonomy_name, &taxonomy)?;
        let lines = judged.lines();
        let facts = self.facts(candidate, &lines);
        let place = |name: &str| format!("{}/{name}", candidate.release);
        let (data_path, report_path) = (place("data.parquet"), place("report.html"));
        let taxonomy_path = format!("taxonomy/{taxonomy_name}");
        let line = |path: &str, bytes: &[u8], rows| FileLine { path: path.to_owned(), sha256: Sha256::of(bytes), rows };
        let files = vec![line(&data_path, &data, Some(table.release.rows())), line(&taxonomy_path, &taxonomy, None)];
        let mut manifest = Manifest::of(&facts, &table.release, files);
        let report = stage("report.html", &release::report(&manifest, &feed.columns, &table.release))?;
        manifest.files.push(line(&report_path, &report, None));
        let manifest = stage("manifest.json", &manifest.bytes())?;
        let pages =
            Pages { data: data_path, taxonomy: (taxonomy_path, taxonomy), report: (report_path, report), manifest };
        Ok(match judged.approve(&facts, pages) {
            Ok(approved) => {
                recorded.verdict(approved.verdict());
                Said::Approved(approved)
            }
            Err(verdict) => {
                recorded.verdict(&verdict);
                Said::Refused(verdict)
            }
        })
    }

    fn ask(&self, candidate: &Candidate, data: Vec<u8>) -> Judged {
        let older = self.saved.feed.published().iter();
        let older: Vec<Older<'_>> =
            older.map(|Published { recoding, rows, .. }| Older { known: recoding, rows }).collect();
        let newest = candidate.increments.iter().map(|new| Newest { atoms: &new.recoding, rows: &new.rows });
        let newest: Vec<Newest<'_>> = newest.collect();
        let case = Case {
            policy: &self.task.feed.policy,
            columns: &self.task.feed.columns,
            recoding: candidate.table.recoding(),
            history: &self.history,
            before: self.saved.feed.whole(),
            older: &older,
            newest: &newest,
        };
        judge(&case, data)
    }

    fn facts<'f>(&'f self, candidate: &Candidate, checks: &'f [CheckLine]) -> Facts<'f> {
        Facts {
            feed: &self.saved.name,
            chain: self.saved.feed.chain(),
            release: candidate.release,
            time: self.task.time,
            policy: &self.task.feed.policy,
            columns: &self.task.feed.columns,
            withheld: self.saved.feed.withheld().rows(),
            checks,
            signed: false,
            decision: None,
            previous: self.saved.releases.last().map(|line| Sha256::from_bytes(line.manifest)),
        }
    }
}
