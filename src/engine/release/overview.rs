//! The facts about a whole table that the manifest and the report contain: sums, and the labels of
//! its columns. For a table that grows they do not require reading all rows.

use std::borrow::Cow;

use super::measure_figures::MeasureFigures;
use crate::histogram::{Release, TableSums};
use crate::model::{Cut, Node};

/// The facts about a whole table.
#[derive(Debug, Clone)]
pub struct Overview<'a> {
    /// Its sums.
    pub sums: Cow<'a, TableSums>,
    /// Its recoding; without columns if classes have labels of their own.
    recoding: &'a [Cut],
    /// Whether classes have labels of their own.
    pub local: bool,
    /// The published figures of measures, for new labels; empty if there are no measures.
    pub measures: Vec<MeasureFigures>,
}

impl<'a> Overview<'a> {
    /// From a table.
    pub fn of(table: &'a Release) -> Overview<'a> {
        Overview {
            sums: Cow::Owned(TableSums::of(table)),
            recoding: table.recoding(),
            local: table.is_local(),
            measures: Vec::new(),
        }
    }

    /// From a table that grows, with its standing recoding; without columns if classes have labels
    /// of their own.
    pub fn of_sums(sums: &'a TableSums, recoding: &'a [Cut]) -> Overview<'a> {
        Overview {
            sums: Cow::Borrowed(sums),
            recoding,
            local: recoding.is_empty(),
            measures: Vec::new(),
        }
    }

    /// The same with the published figures of measures.
    #[must_use]
    pub fn with_measures(self, measures: Vec<MeasureFigures>) -> Overview<'a> {
        assert!(
            measures.iter().all(|of| of.labels >= of.shown + of.empty),
            "a label is shown, or is empty, once"
        );
        Overview { measures, ..self }
    }

    /// The labels of a quasi column: those of its cut, whether rows show them or not; if classes
    /// have labels of their own, those that rows show.
    pub fn labels(&self, column: usize) -> Vec<Node> {
        let shown = || self.sums.shown(column).map(|(node, _)| node).collect();
        self.recoding
            .get(column)
            .map_or_else(shown, |cut| cut.nodes().to_vec())
    }
}
