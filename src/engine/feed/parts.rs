//! The input and output types of a tick of a feed (SCIENCE 3 and 10). Nothing is decided here.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::arrivals::Arrivals;
use super::ledger::Ledger;
use super::people_parts::PeopleInParts;
use crate::histogram::{Headcount, Histogram, Release};
use crate::label::{Course, LevelsQuality, NoRelease, RecodingStep, Refusal};
use crate::measures::merged;
use crate::model::{Carving, Recoding};
use crate::policy::Output;

/// People whose atoms formed in one tick and who are not published yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Increment {
    /// The recoding whose classes are their labels, with the steps that led to it; `None` if each
    /// atom has a label of its own.
    pub course: Option<Course>,
    /// The labels of the atoms, and who is in which; `None` once the raw rows are gone: then the
    /// nodes of labels are in the place of leaves where atoms keep their labels.
    pub labels: Option<Carving>,
    /// The rows as counts, by the tick of their arrival.
    pub rows: Histogram,
    /// The same rows, each with its person, until they are published; empty once the raw rows are
    /// gone, and in a checkpoint.
    #[serde(skip)]
    pub people: Arrivals,
    /// The published values of masked rows; `None` if values are not masked.
    pub ledger: Option<Ledger>,
    /// The aggregates of their measures, by label, with the nodes of labels in the place of leaves.
    /// `None` if there are no measures.
    pub measures: Option<Histogram>,
}

impl Increment {
    /// The recoding whose classes are published; without columns if classes have labels of their
    /// own.
    pub fn recoding(&self) -> Recoding {
        self.course
            .as_ref()
            .map_or_else(Recoding::new, |course| course.cut().clone())
    }

    /// The rows as they are published.
    pub fn as_published(&self) -> Histogram {
        self.ledger
            .as_ref()
            .map_or_else(|| self.rows.clone(), |ledger| ledger.applied(&self.rows))
    }
}

/// People who entered the chain's releases together, as far as releases will ever distinguish them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedGroup {
    /// The number of the release.
    pub release: u32,
    /// The recoding it was published under; without columns if classes have labels of their own.
    pub recoding: Recoding,
    /// With the nodes of labels in the place of leaves where people are published in atoms; with
    /// leaves under `bcf`; empty in disjoint chains. Shared, so that the gate recognises a table
    /// that it has read before.
    pub rows: Arc<Histogram>,
    /// The aggregates of their measures, by label; `None` if there are no measures, and in disjoint
    /// chains.
    pub measures: Option<Arc<Histogram>>,
}

/// The release that a tick would publish.
#[derive(Debug, Clone)]
pub struct ProposedRelease {
    /// The number that the release would have.
    pub release: u32,
    /// Its recoding; without columns if classes have labels of their own.
    pub recoding: Recoding,
    pub(super) rows: PeopleInParts,
    /// If people are published in atoms, the rows that each increment adds to `rows`.
    pub(super) new: Vec<Histogram>,
    /// Set from the beginning, or built on demand if people are published in atoms.
    pub(super) table: OnceLock<Release>,
    /// The increments that are published with it, oldest first.
    pub increments: Vec<Increment>,
}

impl PartialEq for ProposedRelease {
    fn eq(&self, other: &ProposedRelease) -> bool {
        self.release == other.release
            && self.recoding == other.recoding
            && self.increments == other.increments
            && self.rows == other.rows
            && self.table() == other.table()
    }
}

impl Eq for ProposedRelease {}

impl ProposedRelease {
    /// From all people in it, and their table.
    pub(super) fn of(
        release: u32,
        table: Release,
        rows: Histogram,
        increments: Vec<Increment>,
    ) -> ProposedRelease {
        assert!(
            increments.is_empty() || release > 0,
            "releases are numbered from 1"
        );
        let (recoding, rows) = (table.recoding().to_vec(), PeopleInParts::from(rows));
        let (table, new) = (OnceLock::from(table), Vec::new());
        ProposedRelease {
            release,
            recoding,
            rows,
            new,
            table,
            increments,
        }
    }

    /// A candidate whose people are published in atoms, with the standing recoding if there is one. `rows` holds all people in it and `new` the people of each
    /// increment; both hold the nodes of labels in the place of leaves.
    pub(super) fn of_labels(
        release: u32,
        recoding: Recoding,
        (rows, new): (PeopleInParts, Vec<Histogram>),
        increments: Vec<Increment>,
    ) -> ProposedRelease {
        assert!(release > 0, "releases are numbered from 1");
        assert!(
            new.iter().all(|part| part.width() == rows.width()),
            "new rows have the columns of all"
        );
        let table = OnceLock::new();
        ProposedRelease {
            release,
            recoding,
            rows,
            new,
            table,
            increments,
        }
    }

    /// The table of all people in it under its recoding.
    pub fn table(&self) -> &Release {
        let table = self
            .table
            .get_or_init(|| Release::from_own_labels(self.rows.get()));
        assert_eq!(
            table.width(),
            self.rows.width(),
            "one label for each column"
        );
        table
    }

    /// The table from which readers can learn how its search went: if people are published in
    /// atoms, the atoms of the first tick, under the standing recoding.
    pub fn searched(&self) -> Option<Cow<'_, Release>> {
        let Some(first) = self.new.first() else {
            return Some(Cow::Borrowed(self.table()));
        };
        let shown = Release::from_own_labels(first).under_recoding(&self.recoding);
        shown.ok().map(Cow::Owned)
    }

    /// Its classes in the order in which they were formed, if each release has new ones with
    /// labels of their own.
    pub fn own_labels(&self) -> Option<&Carving> {
        let newest = self.increments.last()?;
        newest
            .labels
            .as_ref()
            .filter(|_| self.new.is_empty() && newest.course.is_none())
    }

    /// All people in it; they share the dictionary of the table.
    pub fn rows(&self) -> &Histogram {
        self.rows.get()
    }

    /// Its new rows, if people are published in atoms, with the nodes of their labels in the place of leaves and
    /// its number as increment.
    pub fn new_rows(&self) -> Histogram {
        let new = self
            .new
            .iter()
            .map(|rows| rows.clone().as_one(self.release));
        Histogram::merge_all(new.collect())
            .unwrap_or_else(|| Histogram::empty(self.rows.width(), 0))
    }

    /// The aggregates of the measures of its new people, by label; `None` if there are no measures.
    pub fn measures(&self) -> Option<Histogram> {
        let parts: Vec<&Histogram> = self
            .increments
            .iter()
            .filter_map(|increment| increment.measures.as_ref())
            .collect();
        merged(&parts).map(|rows| rows.as_one(self.release))
    }

    /// All people in it, in the parts that exist.
    pub(super) fn into_rows(self) -> PeopleInParts {
        self.rows.settled()
    }

    /// Each person's leaf tuple, if the release shows it, in two tables.
    pub fn exact(&self, output: Output) -> Option<Headcount> {
        (output == Output::TwoTable).then(|| self.rows().headcount())
    }
}

/// The result of closing a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClosingResult {
    /// There is no release yet and too few rows for one; under `bcf` too few new ones.
    Held,
    /// No rows were added to what is published.
    Waiting,
    /// A check that reads sensitive values failed earlier in this chain.
    Stopped,
    /// No release keeps the guarantee (`bcf` only).
    Impossible(NoRelease),
    /// This release would be published.
    Candidate(Box<ProposedRelease>),
}

/// The result of one tick.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedTickResult {
    /// The number of the tick, from 0.
    pub tick: u32,
    /// Rows of people who have a row already.
    pub duplicate: u64,
    /// Rows whose atoms formed.
    pub added: u64,
    /// What was done to the standing recoding.
    pub step: Option<RecodingStep>,
    /// The candidates that the search refused, and why.
    pub refusals: Vec<Refusal>,
    /// How good the levels are that the tick found, if it searched levels.
    pub levels: Option<LevelsQuality>,
    /// The result of closing.
    pub closed: ClosingResult,
}

impl FeedTickResult {
    /// A tick that formed nothing.
    pub(super) fn of(tick: u32) -> FeedTickResult {
        FeedTickResult {
            tick,
            duplicate: 0,
            added: 0,
            step: None,
            refusals: Vec::new(),
            levels: None,
            closed: ClosingResult::Stopped,
        }
    }

    /// Whether there is a release to publish.
    pub fn proposes(&self) -> bool {
        matches!(self.closed, ClosingResult::Candidate(_))
    }
}
