//! The answer of a preview (CONTRACTS 3, preview). Counts and labels of a trial release for the
//! operator; no value of a record.

use schemars::JsonSchema;
use serde::Serialize;

use crate::engine::release::{CheckLine, Finding};
use crate::folder::InputOutcome;
use crate::opened_release::ColumnDetail;

/// What a feed file would publish of a sample.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Preview {
    /// The number of rows in the sample.
    pub rows: u64,
    /// The outcome of the last input.
    pub outcome: InputOutcome,
    /// The number of rows in the newest release; 0 if none was published.
    pub published: u64,
    /// Rows that wait, or are in classes that are not published yet.
    pub waiting: u64,
    /// Rows of people who have a row already.
    pub repeats: u64,
    /// The information loss of the newest release.
    pub loss: Option<f64>,
    /// Detail of the newest release by quasi column.
    pub columns: Vec<ColumnDetail>,
    /// Columns in which most rows of the sample share one of the finest labels.
    pub broad_labels: Vec<BroadLabel>,
    /// Taxonomies that list hardly more than the values of the sample; releases publish all their
    /// leaves.
    pub sample_lists: Vec<SampleList>,
    /// Identifier and sensitive columns of the sample with values that differ in spelling alone.
    pub spellings: Vec<SpelledColumn>,
    /// Errors of the answers to random count queries over two and three columns, each with a true
    /// answer of at least half a percent of the rows of the sample. Rows that are not published are
    /// missing from the answers.
    pub count_error: Option<CountFigures>,
    /// Rows in classes with only one sensitive value.
    pub uniform_classes: UniformRows,
    /// The number of sums of measures in the newest release; empty if there are no measures.
    pub measures: Vec<MeasureSums>,
    /// The checks of the newest release.
    pub checks: Vec<CheckLine>,
    /// Why the last input led to no release.
    pub reasons: Vec<Finding>,
    /// The ticks of a chain that receives the sample in ten parts.
    pub ticks: Vec<PreviewTick>,
    /// The share of these ticks whose release is rejected.
    pub failing: f64,
    /// The same sample under other settings, those with the most precise counts first.
    pub alternatives: Vec<Alternative>,
}

/// A finest label of a taxonomy that stands for several values, and that more than half of the rows
/// of the sample have: the column says little about them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BroadLabel {
    /// The column.
    pub column: String,
    /// The label.
    pub label: String,
    /// The number of values that it stands for.
    pub values: u64,
    /// The share of the sample's rows that have it.
    pub share: f64,
}

/// A taxonomy that lists its leaves, has at most twice as many as the sample has values, and more
/// than a third of them occur once: it may be a list of people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SampleList {
    /// The column.
    pub column: String,
    /// The number of leaves.
    pub leaves: u64,
    /// The number of leaves that the sample has.
    pub values: u64,
    /// The number of leaves that one row of the sample has.
    pub once: u64,
}

/// A column with values that differ in spelling alone: in spaces, capitals, Unicode forms, or zeros
/// of a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpelledColumn {
    /// The column.
    pub column: String,
    /// How many of its values differ from another one in spelling alone; of several files the
    /// greatest number.
    pub values: u64,
}

/// Relative errors of counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CountFigures {
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
}

/// Sums of a measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MeasureSums {
    /// The measure.
    pub name: String,
    /// Labels of releases.
    pub labels: u64,
    /// Labels whose sum is shown.
    pub shown: u64,
    /// Labels whose sum is left out, because it would reveal a value or has too few values.
    pub left_out: u64,
}

/// Rows in classes with only one sensitive value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct UniformRows {
    /// The number of rows.
    pub rows: u64,
    /// Their share of all rows of the release.
    pub share: f64,
}

/// One tick of a chain.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PreviewTick {
    /// Its outcome.
    pub outcome: InputOutcome,
    /// The number of rows in its release.
    pub rows: u64,
    /// Rows that wait after it, or are not published yet.
    pub waiting: u64,
}

/// The same sample under other settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Alternative {
    /// The settings, as `--set` takes them.
    pub set: String,
    /// The information loss of its newest release.
    pub loss: f64,
    /// The loss of the same columns without these settings.
    pub loss_without: Option<f64>,
    /// Errors of counts.
    pub count_error: Option<CountFigures>,
    /// Rows that wait, or are not published yet.
    pub waiting: u64,
}
