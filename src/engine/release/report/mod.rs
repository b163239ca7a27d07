//! The report of a release: one self-contained page for people who are no experts (CONTRACTS 4). A
//! pure function of the manifest, the taxonomies, the number of rows under each label, and public
//! facts about the release: its other files and earlier releases.
//!
//! It never contains a sensitive value, nor a count of one: only class sizes are read from the
//! table. The page loads nothing and runs no script. The manifest's list of files and its decision
//! are not used, so that the report can be one of those files and the gate can write it again.

mod changes;
mod checks;
mod columns;
mod detail;
mod figures;
mod glossary;
mod head;
pub mod html;
mod icicle;
mod index;
mod labels;
mod measures;
mod operator;
mod policy;
mod promise;
mod reading;
mod risk;
mod sizes;
mod trends;
mod verdict;
mod words;

pub use index::{ListedRelease, index};
pub use operator::{OperatorFacts, SignedApproval, WaitingRows, operators_copy};

use maud::html;

use super::file::FileLine;
use super::language::Language;
use super::layout::PlacedFile;
use super::manifest::{Manifest, ReleaseFacts, ReleaseTerms};
use super::measure_figures::MeasureFigures;
use super::overview::Overview;
use super::past_release::PastRelease;
use super::presentation::Presentation;
use super::utility::LabelCounts;
use crate::histogram::TableSums;
use crate::model::{Column, Columns, Node, Role, Taxonomy};
use html::{Text, document};
use words::{Words, fill};

/// A quasi column: its name, its tree, its published labels, and the number of rows of each.
struct ColumnCut<'a> {
    name: &'a str,
    tree: &'a Taxonomy,
    nodes: Vec<Node>,
    shown: LabelCounts,
}

/// The relation of labels and classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Labels replace values and are the same in all classes.
    Global,
    /// Labels replace values, and each class has labels of its own.
    OwnLabels,
    /// As `OwnLabels`, and a class keeps its labels in all later releases.
    LastingLabels,
    /// As `Global`, and rows keep their labels in all later releases.
    StandingLabels,
    /// Labels form the classes of two tables.
    TwoTables,
}

impl Form {
    fn of(manifest: &Manifest, table: &Overview<'_>) -> Form {
        match (manifest.two_tables(), table.local) {
            (true, _) => Form::TwoTables,
            (_, true) if manifest.keeps_labels() => Form::LastingLabels,
            _ if manifest.keeps_labels() => Form::StandingLabels,
            (_, true) => Form::OwnLabels,
            _ => Form::Global,
        }
    }

    /// Whether rows keep their labels in all later releases.
    fn keeps(self) -> bool {
        matches!(self, Form::LastingLabels | Form::StandingLabels)
    }
}

/// Information on the page besides the release itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The language of the page.
    pub language: Language,
    /// Earlier releases of the chain, oldest first.
    pub earlier: &'a [PastRelease],
    /// The other files that are published with the release.
    pub files: &'a [FileLine],
    /// The number of files with rows of earlier releases that belong to it.
    pub kept: usize,
}

impl<'a> Surroundings<'a> {
    /// For a release whose tables and taxonomies are these files; `placed` are the same files.
    pub fn of(
        facts: &ReleaseFacts<'a>,
        terms: &ReleaseTerms<'_>,
        placed: &[PlacedFile<'_>],
        files: &'a [FileLine],
    ) -> Surroundings<'a> {
        let kept = PlacedFile::lines(terms.kept, placed).len() - placed.len();
        let Presentation {
            language, earlier, ..
        } = facts.presentation;
        Surroundings {
            language,
            earlier,
            files,
            kept,
        }
    }
}

/// The input of the sections.
struct Report<'a> {
    words: &'static Words,
    manifest: &'a Manifest,
    columns: Vec<ColumnCut<'a>>,
    sensitive: Vec<&'a str>,
    form: Form,
    sums: &'a TableSums,
    measures: &'a [MeasureFigures],
    around: Surroundings<'a>,
}

/// The report as HTML.
///
/// # Panics
/// If the manifest belongs to another table.
pub fn report(
    manifest: &Manifest,
    columns: &Columns,
    table: &Overview<'_>,
    around: Surroundings<'_>,
) -> Vec<u8> {
    let sums = &*table.sums;
    assert_eq!(
        (manifest.rows, manifest.classes),
        (sums.rows(), sums.classes()),
        "the manifest of this table"
    );
    let quasi = columns.of(Role::Quasi).zip(columns.trees()).enumerate();
    let cutting = |(at, (column, tree))| {
        let column: &Column = column;
        ColumnCut {
            name: &column.name,
            tree,
            nodes: table.labels(at),
            shown: LabelCounts::of(table, at),
        }
    };
    let words = Words::of(around.language);
    let report = Report {
        words,
        manifest,
        columns: quasi.map(cutting).collect(),
        sensitive: columns
            .of(Role::Sensitive)
            .map(|column| &*column.name)
            .collect(),
        form: Form::of(manifest, table),
        sums,
        measures: &table.measures,
        around,
    };
    let title = fill(
        words.title,
        &[
            ("feed", &Text(&manifest.feed)),
            ("release", &manifest.release),
        ],
    );
    let body = html! {
        (head::head(&report))
        main {
            (verdict::section(&report))
            (figures::section(&report))
            (changes::section(&report))
            (trends::section(&report))
            (promise::section(&report))
            (columns::sections(&report))
            (measures::section(&report))
            (checks::section(&report))
            (sizes::section(&report))
            (risk::section(&report))
            (reading::section(&report))
            (policy::sections(&report))
            (glossary::section(words))
        }
    };
    document(words.language.tag(), title, "", body)
}
