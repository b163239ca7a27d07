//! What is asked of a table, and how it is answered.

use crate::model::Leaf;

/// The leaves of a quasi column, in groups that are counted apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The number of the quasi column.
    pub column: usize,
    /// The group of each leaf; `None` where it is not counted.
    pub group: Vec<Option<usize>>,
    /// How many groups.
    pub groups: usize,
}

impl Axis {
    /// Some leaves of a column with so many, in one group.
    pub fn some(column: usize, leaves: usize, mut wanted: impl FnMut(Leaf) -> bool) -> Axis {
        let group = (0..leaves as Leaf).map(|leaf| wanted(leaf).then_some(0)).collect();
        Axis { column, group, groups: 1 }
    }
}

/// A count, or a table of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The quasi columns that it looks at, each once.
    pub axes: Vec<Axis>,
    /// The group of each code of sensitive values; `None` where it is not counted.
    pub values: Vec<Option<usize>>,
    /// How many groups of sensitive values.
    pub groups: usize,
}

impl Question {
    /// Whatever the sensitive values of a dictionary of so many.
    pub fn of_all_rows(axes: Vec<Axis>, values: usize) -> Question {
        Question { axes, values: vec![Some(0); values], groups: 1 }
    }

    /// How many counts the answer has: one for each combination of groups, the groups of the last axis within those of the axes
    /// before it, and groups of sensitive values within those.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.groups).product::<usize>() * self.groups
    }
}

/// How rows are spread over the cells of their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By the shares that make the labels most likely: for labels of halving, on which data have no bearing but by refused splits.
    Em {
        /// The fewest people of a class.
        fewest: u64,
        /// How many splits halving may refuse on the way to a label; 0 for labels that come about otherwise.
        refusals: u32,
    },
    /// Evenly.
    Uniform,
}
