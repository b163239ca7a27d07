//! A question about a table, and the method of answering it.

use crate::model::Leaf;

/// The leaves of a quasi column, in groups that are counted separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The number of the quasi column.
    pub column: usize,
    /// The group of each leaf; `None` if it is not counted.
    pub group: Vec<Option<usize>>,
    /// The number of groups.
    pub groups: usize,
}

impl Axis {
    /// The wanted leaves of a column with `leaves` leaves, as one group.
    pub fn some(column: usize, leaves: usize, mut wanted: impl FnMut(Leaf) -> bool) -> Axis {
        let group = (0..leaves as Leaf)
            .map(|leaf| wanted(leaf).then_some(0))
            .collect();
        Axis {
            column,
            group,
            groups: 1,
        }
    }
}

/// A count, or a table of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The quasi columns of the question, each once.
    pub axes: Vec<Axis>,
    /// The group of each code of sensitive values; `None` if it is not counted.
    pub values: Vec<Option<usize>>,
    /// The number of groups of sensitive values.
    pub groups: usize,
}

impl Question {
    /// Counts rows with any sensitive value, with a dictionary of `values` values.
    pub fn of_all_rows(axes: Vec<Axis>, values: usize) -> Question {
        Question {
            axes,
            values: vec![Some(0); values],
            groups: 1,
        }
    }

    /// The number of counts in the answer: one for each combination of groups; the groups of the
    /// last axis vary faster than those of the axes before it, and groups of sensitive values
    /// fastest.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.groups).product::<usize>() * self.groups
    }
}

/// How rows are spread over the cells of their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By the shares under which the labels are most likely: for labels of halving, which data
    /// influence only through refused splits.
    Em {
        /// The smallest number of people of a class.
        fewest: u64,
        /// How many splits halving may refuse on the way to a label; 0 for other labels.
        refusals: u32,
    },
    /// Evenly.
    Uniform,
}
