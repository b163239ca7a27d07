//! A whole table as the manifest and the report tell it: sums, and the labels that its columns are published in. Of a table that grows
//! all rows need not be looked at for that.

use std::borrow::Cow;

use super::measure_figures::MeasureFigures;
use crate::histogram::{Release, TableSums};
use crate::model::{Cut, Node};

/// What the manifest and the report tell of a whole table.
#[derive(Debug, Clone)]
pub struct Overview<'a> {
    /// Its sums.
    pub sums: Cow<'a, TableSums>,
    /// Its recoding; of no column where classes have labels of their own.
    recoding: &'a [Cut],
    /// Whether classes have labels of their own.
    pub local: bool,
    /// What is shown of measures, in the labels that are new or in all classes; empty where there are none.
    pub measures: Vec<MeasureFigures>,
    /// Whether people join the classes of earlier releases, and their sums.
    pub joins: bool,
}

impl<'a> Overview<'a> {
    /// Of a table.
    pub fn of(table: &'a Release) -> Overview<'a> {
        Overview {
            sums: Cow::Owned(TableSums::of(table)),
            recoding: table.recoding(),
            local: table.is_local(),
            measures: Vec::new(),
            joins: false,
        }
    }

    /// Of a table whose classes have labels of their own.
    pub fn of_sums(sums: &'a TableSums) -> Overview<'a> {
        Overview { sums: Cow::Borrowed(sums), recoding: &[], local: true, measures: Vec::new(), joins: false }
    }

    /// The same with what is shown of measures; whether people join the classes of earlier releases.
    #[must_use]
    pub fn with_measures(self, measures: Vec<MeasureFigures>, joins: bool) -> Overview<'a> {
        assert!(measures.iter().all(|of| of.labels >= of.shown + of.empty), "a label is shown, or is empty, once");
        Overview { measures, joins, ..self }
    }

    /// The labels that a quasi column is published in: those of its cut, whether rows show them or not; where classes have labels of
    /// their own, those that rows show.
    pub fn labels(&self, column: usize) -> Vec<Node> {
        let shown = || self.sums.shown(column).map(|(node, _)| node).collect();
        self.recoding.get(column).map_or_else(shown, |cut| cut.nodes().to_vec())
    }
}
