//! The aggregates of atoms, from their people's numbers.

use std::collections::BTreeMap;
use std::fmt;

use crate::dominance::{DominanceRule, SumCell};
use crate::histogram::{Cell as Count, CodedRows, Histogram, SensitiveValues, ValueCode};
use crate::model::{Leaf, Node, Value};
use crate::{Dominance, Policy};

/// The rule for suppressing sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SumSuppression {
    rules: Vec<DominanceRule>,
    /// The smallest number of values in a published sum, except that an empty sum may be published.
    least: u64,
}

impl SumSuppression {
    /// The rule of a policy.
    pub fn of(policy: &Policy) -> SumSuppression {
        let settings = policy.in_force();
        let largest = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let dominance = settings
            .dominance
            .map(|Dominance { n, share }| DominanceRule::Dominance {
                largest: largest(n),
                share,
            });
        let rules = dominance
            .into_iter()
            .chain(settings.p_rule.map(DominanceRule::Percent))
            .collect();
        assert!(policy.k() >= 2, "one person is no class");
        SumSuppression {
            rules,
            least: policy.k(),
        }
    }

    /// The aggregates of these people's measures, class by class: for each measure the number of
    /// values and their sum, in units of its last decimal. A suppressed sum is null; if there are
    /// too few values, their number is null as well. The rows of the result are labels, with their
    /// nodes in the place of leaves; `label` gives that of a leaf tuple.
    ///
    /// # Panics
    /// If a row has no label.
    pub fn aggregates(
        &self,
        rows: &CodedRows,
        label: impl Fn(&[Leaf]) -> Option<Vec<Node>>,
    ) -> Histogram {
        let as_row = |(label, cells): (Vec<Node>, Vec<SumCell>)| {
            (
                label,
                cells
                    .iter()
                    .flat_map(|cell| self.number_and_sum(cell))
                    .collect(),
            )
        };
        table(
            rows.width(),
            2 * rows.measures().len(),
            self.cells(rows, label).into_iter().map(as_row),
        )
    }

    /// The numbers of these people, by label.
    ///
    /// # Panics
    /// If a row has no label.
    pub(super) fn cells(
        &self,
        rows: &CodedRows,
        label: impl Fn(&[Leaf]) -> Option<Vec<Node>>,
    ) -> BTreeMap<Vec<Node>, Vec<SumCell>> {
        assert!(
            rows.measures()
                .iter()
                .all(|measure| measure.len() == rows.len()),
            "a number, or none, for each row"
        );
        let none = || self.none(rows.measures().len());
        let mut labels: BTreeMap<Vec<Node>, Vec<SumCell>> = BTreeMap::new();
        let mut leaves: Vec<Leaf> = Vec::new();
        for row in 0..rows.len() {
            leaves.clear();
            leaves.extend(rows.tuple_at(row));
            let label = label(&leaves).expect("each row has a label");
            let cells = labels.entry(label).or_insert_with(none);
            for (cell, measure) in cells.iter_mut().zip(rows.measures()) {
                measure[row].into_iter().for_each(|number| cell.add(number));
            }
        }
        labels
    }

    /// Empty cells for a number of measures.
    fn none(&self, measures: usize) -> Vec<SumCell> {
        vec![SumCell::new(self.kept()); measures]
    }

    /// How many of the largest numbers are stored for each sum.
    pub(super) fn kept(&self) -> usize {
        self.rules
            .iter()
            .map(|rule| rule.keeps())
            .max()
            .unwrap_or(0)
    }

    /// Whether there are too few values to publish even their number.
    pub(super) fn are_few(&self, cell: &SumCell) -> bool {
        (1..self.least).contains(&cell.rows())
    }

    /// Whether their sum is suppressed.
    pub(super) fn is_hidden(&self, cell: &SumCell) -> bool {
        self.are_few(cell) || self.rules.iter().any(|rule| rule.is_sensitive(cell))
    }

    /// The number of values, and their sum.
    fn number_and_sum(&self, cell: &SumCell) -> [Value; 2] {
        if self.are_few(cell) {
            assert!(self.is_hidden(cell), "a sum of few people is hidden");
            return [Value::Null, Value::Null];
        }
        let sum = if self.is_hidden(cell) {
            Value::Null
        } else {
            Value::Decimal(cell.sum())
        };
        [count(cell), sum]
    }
}

/// The number of values.
pub(super) fn count(cell: &SumCell) -> Value {
    Value::Int(i64::try_from(cell.rows()).expect("fewer than 2^63 people"))
}

/// The numbers of people, by their leaf tuples, as far as needed to decide whether a sum of them is
/// suppressed.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonNumbers {
    suppression: SumSuppression,
    cells: BTreeMap<Vec<Leaf>, Vec<SumCell>>,
}

// Leaf tuples are data of people.
impl fmt::Debug for PersonNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Numbers({} leaf tuples)", self.cells.len())
    }
}

impl PersonNumbers {
    /// Starts without people.
    pub fn new(suppression: SumSuppression) -> PersonNumbers {
        PersonNumbers {
            suppression,
            cells: BTreeMap::new(),
        }
    }

    /// Adds the numbers of more people.
    pub fn add(&mut self, rows: &CodedRows) {
        assert!(
            rows.measures()
                .iter()
                .all(|measure| measure.len() == rows.len()),
            "a number, or none, for each row"
        );
        for row in 0..rows.len() {
            let none = || self.suppression.none(rows.measures().len());
            let cells = self
                .cells
                .entry(rows.tuple_at(row).collect())
                .or_insert_with(none);
            for (cell, measure) in cells.iter_mut().zip(rows.measures()) {
                measure[row].into_iter().for_each(|number| cell.add(number));
            }
        }
    }

    /// Whether some sum over the people of these leaf tuples is suppressed.
    pub fn are_hidden(&self, tuples: &[Vec<Leaf>]) -> bool {
        let mut sums: Vec<SumCell> = Vec::new();
        for cells in tuples.iter().filter_map(|tuple| self.cells.get(tuple)) {
            match sums.is_empty() {
                true => sums.clone_from(cells),
                false => sums
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(sum, cell)| sum.merge(cell)),
            }
        }
        sums.iter()
            .any(|sum| self.suppression.number_and_sum(sum)[1] == Value::Null)
    }
}

/// Labels with their aggregates as a table.
pub(super) fn table(
    quasi: usize,
    width: usize,
    labels: impl Iterator<Item = (Vec<Node>, Box<[Value]>)>,
) -> Histogram {
    assert!(quasi > 0 || width > 0, "a table has columns");
    let (labels, tuples): (Vec<Vec<Node>>, Vec<Box<[Value]>>) = labels.unzip();
    let mut distinct: Vec<Box<[Value]>> = tuples.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let code = |tuple: &[Value]| {
        distinct
            .binary_search_by(|known| known[..].cmp(tuple))
            .expect("one of them") as ValueCode
    };
    let cells: Vec<Count> = tuples
        .iter()
        .map(|tuple| Count {
            increment: 0,
            value: code(tuple),
            count: 1,
        })
        .collect();
    let columns: Vec<Vec<Leaf>> = (0..quasi)
        .map(|at| labels.iter().map(|label| label[at]).collect())
        .collect();
    let (values, _) = SensitiveValues::from_distinct(width, distinct);
    Histogram::of_counts(&columns, values, &cells)
}
