//! What a feed file would publish of a sample (CONTRACTS 3, preview): the ticks of `anonymize` are
//! run in memory, and their newest release is read back from its public files. Nothing is written,
//! and nothing is decided here.

mod alternatives;
mod answer;
mod broad_labels;
mod figures;
mod measures;
mod people_behind_rows;
mod sample_lists;

pub use answer::{
    Alternative, BroadLabel, CountFigures, MeasureSums, Preview, PreviewTick, SampleList,
    SpelledColumn, UniformRows,
};
pub use people_behind_rows::PeopleBehindRows;

use std::path::{Path, PathBuf};

use self::alternatives::{choices, sort};
use self::figures::PreviewFigures;
use crate::chance;
use crate::config::{FeedConfig, Setting};
use crate::engine::counting::RandomCounts;
use crate::engine::histogram::{CodedRows, Headcount};
use crate::engine::model::Role;
use crate::engine::release::{Layout, Manifest};
use crate::error::{Error, ErrorCategory, Result};
use crate::folder::{
    InputEntry, InputOutcome, RehearsalRows, SilentProgress, Task, TaskProgress, rehearse,
};
use crate::ingest::ColumnSpellings;
use crate::journal::store::Memory;
use crate::opened_release::{ExpectedRelease, Opened, find_manifest};
use crate::seal::OperatorKey;

/// The request for a preview.
pub struct PreviewRequest<'a> {
    /// The feed file.
    pub file: &'a Path,
    /// Keys that have another value than in the file.
    pub settings: &'a [Setting],
    /// Files of raw rows, one per tick unless `one_tick` is set.
    pub inputs: &'a [PathBuf],
    /// Whether all files are one tick.
    pub one_tick: bool,
    /// The time that releases carry.
    pub time: &'a str,
    /// Whether other settings are tried too.
    pub alternatives: bool,
}

/// Receives the progress of a preview.
pub trait PreviewProgress {
    /// Receives warnings about the sample.
    fn sample(&mut self) -> &mut dyn TaskProgress;
    /// The sample is run in parts now.
    fn in_ticks(&mut self);
    /// The sample is run under these settings now.
    fn under(&mut self, settings: &[Setting]);
}

/// The number of ticks that the sample is divided into to see how a chain continues.
const TICKS: usize = 10;
/// What errors call the place of releases that are not in files.
const MEMORY: &str = "memory";

/// Runs a sample.
///
/// # Errors
/// The feed file or an input cannot be read, or no chain can begin under it.
pub fn preview(request: &PreviewRequest<'_>, follow: &mut dyn PreviewProgress) -> Result<Preview> {
    let feed = FeedConfig::load_with(request.file, request.settings)?;
    let run = Run {
        feed: &feed,
        request,
    };
    let sample = run.sample(follow.sample())?;
    let Some(rows) = sample.rows().filter(|rows| !rows.is_empty()) else {
        return Err(Error::new(ErrorCategory::Input, "the sample has no rows").in_field("--in"));
    };
    let people = headcount(&rows);
    let counts = RandomCounts::draw(&people, &feed.columns.trees());
    let base = run.once(&sample, &counts, &feed, follow.sample())?;
    follow.in_ticks();
    let ticks = run.ticks(&sample.divided(TICKS))?;
    let mut alternatives = Vec::new();
    for settings in choices(&feed).into_iter().filter(|_| request.alternatives) {
        follow.under(&settings);
        alternatives.extend(run.with(&settings, &sample, &counts, base.figures.as_ref())?);
    }
    sort(&mut alternatives);
    let broad = broad_labels::find(&feed.columns, &people);
    let sample_lists = sample_lists::find(&feed, &people);
    let spellings = spellings(&sample);
    let preview = base.preview(rows.len() as u64, ticks, alternatives);
    Ok(Preview {
        broad_labels: broad,
        sample_lists,
        spellings,
        ..preview
    })
}

/// The result of one run of a sample, without alternatives.
#[derive(Debug)]
pub struct PreviewTrial {
    /// The outcome of the last input.
    pub outcome: InputOutcome,
    /// Quasi columns of the newest release that show only labels that stand for all values.
    pub without_detail: Vec<String>,
    /// Taxonomies that list hardly more than the values of the sample.
    pub sample_lists: Vec<SampleList>,
    /// The people behind the rows, if rows outnumber them.
    pub people: Option<PeopleBehindRows>,
    /// Columns with values that differ in spelling alone.
    pub spellings: Vec<SpelledColumn>,
}

/// Runs a sample once, without parts and other settings.
///
/// # Errors
/// As for [`preview`].
pub fn trial(request: &PreviewRequest<'_>, watch: &mut dyn TaskProgress) -> Result<PreviewTrial> {
    let feed = FeedConfig::load_with(request.file, request.settings)?;
    let task = Run {
        feed: &feed,
        request,
    }
    .task()?;
    // Warnings about the sample are given only once.
    let sample = RehearsalRows::read(&task, watch)?;
    let (entries, public) = rehearse(&task, &sample, &mut SilentProgress)?;
    let last = entries
        .last()
        .ok_or_else(|| Error::new(ErrorCategory::Input, "there is no sample").in_field("--in"))?;
    let newest = entries.iter().rev().find_map(|entry| entry.release);
    let manifest = newest
        .map(|release| published(&public, release))
        .transpose()?;
    let without_detail = manifest.map_or_else(Vec::new, |manifest| {
        manifest
            .without_detail(&feed.columns)
            .into_iter()
            .map(str::to_owned)
            .collect()
    });
    let sample_lists = sample.rows().map_or_else(Vec::new, |rows| {
        sample_lists::find(&feed, &headcount(&rows))
    });
    let people = people(request, &feed)?;
    let spellings = spellings(&sample);
    Ok(PreviewTrial {
        outcome: last.outcome,
        without_detail,
        sample_lists,
        people,
        spellings,
    })
}

/// The people behind the rows of the newest release, if a column of the sample looks like their
/// key.
fn people(request: &PreviewRequest<'_>, feed: &FeedConfig) -> Result<Option<PeopleBehindRows>> {
    let Some(key) = people_behind_rows::key(feed, request.inputs) else {
        return Ok(None);
    };
    let keyed = people_behind_rows::with_key(feed, &key);
    let task = Run {
        feed: &keyed,
        request,
    }
    .task()?;
    // The sample was read without this column, so that an error is about its type.
    let Ok(sample) = RehearsalRows::read(&task, &mut SilentProgress) else {
        return Ok(None);
    };
    let (entries, public) = rehearse(&task, &sample, &mut SilentProgress)?;
    let Some(release) = entries.iter().rev().find_map(|entry| entry.release) else {
        return Ok(None);
    };
    let manifest = published(&public, release)?;
    if manifest.two_tables() {
        return Ok(None);
    }
    let opened = Opened::in_store(&public, manifest, Path::new(MEMORY))?;
    Ok(people_behind_rows::count(&opened, feed, key))
}

/// Columns with values that differ in spelling alone; of several files the one with the most.
fn spellings(sample: &RehearsalRows) -> Vec<SpelledColumn> {
    let mut found: Vec<SpelledColumn> = Vec::new();
    for ColumnSpellings { column, values } in sample.spellings() {
        match found.iter_mut().find(|known| known.column == *column) {
            Some(known) => known.values = known.values.max(*values),
            None => found.push(SpelledColumn {
                column: column.clone(),
                values: *values,
            }),
        }
    }
    found
}

/// A sample under a feed file.
struct Run<'a> {
    feed: &'a FeedConfig,
    request: &'a PreviewRequest<'a>,
}

/// The result of a run.
struct TrialResult {
    /// The outcome of the last input.
    last: InputEntry,
    /// Rows of people who have a row already.
    repeats: u64,
    /// What the newest release shows; None if none was published.
    figures: Option<PreviewFigures>,
}

impl<'a> Run<'a> {
    fn task(&self) -> Result<Task<'a>> {
        let key = OperatorKey::parse(&chance::key()?);
        let key =
            key.ok_or_else(|| Error::new(ErrorCategory::Internal, "a key that was drawn is one"))?;
        let PreviewRequest { inputs, time, .. } = *self.request;
        Ok(Task {
            feed: self.feed,
            inputs,
            folder: Path::new("memory"),
            key,
            made: None,
            quarantine: None,
            time,
        })
    }

    fn sample(&self, watch: &mut dyn TaskProgress) -> Result<RehearsalRows> {
        let rows = RehearsalRows::read(&self.task()?, watch)?;
        Ok(if self.request.one_tick {
            rows.divided(1)
        } else {
            rows
        })
    }

    /// The figures of the sample, with count queries that were drawn under the columns of `base`.
    fn once(
        &self,
        sample: &RehearsalRows,
        counts: &RandomCounts,
        base: &FeedConfig,
        watch: &mut dyn TaskProgress,
    ) -> Result<TrialResult> {
        let (entries, public) = rehearse(&self.task()?, sample, watch)?;
        let repeats = entries.iter().map(|entry| entry.duplicate).sum();
        let figures = match entries.iter().rev().find_map(|entry| entry.release) {
            None => None,
            Some(release) => {
                let manifest = published(&public, release)?;
                // Two tables show each value unchanged: there is no detail to report, and no label
                // to count by.
                let figures = if manifest.two_tables() {
                    PreviewFigures::of_manifest(&manifest)
                } else {
                    let opened = Opened::in_store(&public, manifest.clone(), Path::new(MEMORY))?;
                    PreviewFigures::of(&opened, |column| place(base, self.feed, column), counts)?
                };
                let measures = measures::sums(&public, &manifest, &self.feed.columns)?;
                Some(PreviewFigures {
                    measures,
                    ..figures
                })
            }
        };
        let last = entries
            .into_iter()
            .next_back()
            .expect("a sample has inputs");
        Ok(TrialResult {
            last,
            repeats,
            figures,
        })
    }

    /// The course of a chain that begins with the first part of the sample.
    fn ticks(&self, sample: &RehearsalRows) -> Result<Vec<PreviewTick>> {
        let (entries, _) = rehearse(&self.task()?, sample, &mut SilentProgress)?;
        let tick = |entry: &InputEntry| PreviewTick {
            outcome: entry.outcome,
            rows: entry.rows,
            waiting: unpublished(entry),
        };
        Ok(entries.iter().map(tick).collect())
    }

    /// The same sample under other settings; None if the feed file does not accept them, or if
    /// nothing is published then.
    fn with(
        &self,
        settings: &[Setting],
        sample: &RehearsalRows,
        counts: &RandomCounts,
        base: Option<&PreviewFigures>,
    ) -> Result<Option<Alternative>> {
        let all = [self.request.settings, settings].concat();
        let Ok(feed) = FeedConfig::load_with(self.request.file, &all) else {
            return Ok(None);
        };
        let run = Run {
            feed: &feed,
            request: self.request,
        };
        // Rows consist of codes of the columns that they were read under.
        let other = settings
            .iter()
            .any(Setting::is_of_column)
            .then(|| run.sample(&mut SilentProgress))
            .transpose();
        let Ok(other) = other else { return Ok(None) };
        let TrialResult { last, figures, .. } = run.once(
            other.as_ref().unwrap_or(sample),
            counts,
            self.feed,
            &mut SilentProgress,
        )?;
        let published = last.outcome == InputOutcome::Published;
        Ok(figures.filter(|_| published).map(
            |PreviewFigures {
                 loss,
                 count_error,
                 columns,
                 ..
             }| {
                let set = settings
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ");
                let loss_without =
                    base.map(|base| base.loss_of(columns.iter().map(|column| &column.name)));
                Alternative {
                    set,
                    loss,
                    loss_without,
                    count_error,
                    waiting: unpublished(&last),
                }
            },
        ))
    }
}

/// The manifest of a release that a rehearsal has published.
fn published(public: &Memory, release: u32) -> Result<Manifest> {
    let expected = ExpectedRelease::default();
    let found = find_manifest(
        public,
        Layout::Folders,
        Some(release),
        &expected,
        Path::new(MEMORY),
    )?;
    Ok(found.manifest)
}

/// The position of a quasi column of one feed among those of another one.
fn place(base: &FeedConfig, other: &FeedConfig, column: usize) -> Option<usize> {
    let name = &base.columns.of(Role::Quasi).nth(column)?.name;
    other
        .columns
        .of(Role::Quasi)
        .position(|column| column.name == *name)
}

/// People by their leaves.
fn headcount(rows: &CodedRows) -> Headcount {
    rows.histogram(0).headcount()
}

/// Rows that are in no release.
fn unpublished(entry: &InputEntry) -> u64 {
    entry.waiting + entry.pending
}

impl TrialResult {
    fn preview(
        self,
        rows: u64,
        ticks: Vec<PreviewTick>,
        alternatives: Vec<Alternative>,
    ) -> Preview {
        let TrialResult {
            last,
            repeats,
            figures,
        } = self;
        let failed = |tick: &&PreviewTick| {
            matches!(tick.outcome, InputOutcome::Rejected | InputOutcome::Stopped)
        };
        let failing = ticks.iter().filter(failed).count() as f64 / ticks.len().max(1) as f64;
        let loss = figures.as_ref().map(|figures| figures.loss);
        let PreviewFigures {
            rows: published,
            columns,
            count_error,
            uniform_classes,
            measures,
            checks,
            ..
        } = figures.unwrap_or_default();
        Preview {
            rows,
            outcome: last.outcome,
            published,
            waiting: unpublished(&last),
            repeats,
            loss,
            columns,
            broad_labels: Vec::new(),
            sample_lists: Vec::new(),
            spellings: Vec::new(),
            count_error,
            uniform_classes,
            measures,
            checks,
            reasons: last.reasons,
            ticks,
            failing,
            alternatives,
        }
    }
}
