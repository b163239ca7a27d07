//! The stored summary of the numbers of people whose class other people join (SCIENCE 7): how many,
//! their sum, the sum of their absolute values and the largest of these. The addends of two groups
//! of people give those of both together, and decide whether the sum may be published.

use std::collections::BTreeMap;

use super::aggregate::{SumSuppression, count, table};
use super::table::rows;
use crate::dominance::SumCell;
use crate::histogram::{CodedRows, Histogram};
use crate::model::{Leaf, Node, Value};

/// The number of values that are stored for each sum besides the largest numbers.
const FIGURES: usize = 3;

/// The addends of each measure, by label.
pub(super) type MeasureAddends = BTreeMap<Vec<Node>, Vec<SumCell>>;

impl SumSuppression {
    /// The addends of these people's measures, by label, with the nodes of the labels in the place
    /// of leaves; `label` gives that of a leaf tuple.
    ///
    /// # Panics
    /// If a row has no label.
    pub fn addends(
        &self,
        people: &CodedRows,
        label: impl Fn(&[Leaf]) -> Option<Vec<Node>>,
    ) -> Histogram {
        self.written(
            people.width(),
            people.measures().len(),
            self.cells(people, label),
        )
    }

    /// The addends of all these people together.
    pub fn together(&self, parts: &[&Histogram]) -> Option<Histogram> {
        let (quasi, width) = parts
            .first()
            .map(|part| (part.width(), part.values().width()))?;
        let mut all = MeasureAddends::new();
        for (label, cells) in parts.iter().flat_map(|part| self.read(part)) {
            match all.get_mut(&label) {
                Some(known) => known
                    .iter_mut()
                    .zip(&cells)
                    .for_each(|(known, more)| known.merge(more)),
                None => _ = all.insert(label, cells),
            }
        }
        assert!(
            parts.iter().all(|part| part.values().width() == width),
            "parts have the same measures"
        );
        assert_eq!(width % self.width(), 0, "figures of whole measures");
        Some(self.written(quasi, width / self.width(), all))
    }

    /// The addends of a table, by label.
    pub(super) fn read<'t>(
        &self,
        table: &'t Histogram,
    ) -> impl Iterator<Item = (Vec<Node>, Vec<SumCell>)> + use<'t> {
        let width = self.width();
        rows(table).map(move |(label, values)| (label, values.chunks(width).map(cell).collect()))
    }

    fn written(&self, quasi: usize, measures: usize, addends: MeasureAddends) -> Histogram {
        let values = |cells: Vec<SumCell>| cells.iter().flat_map(values).collect();
        table(
            quasi,
            measures * self.width(),
            addends
                .into_iter()
                .map(|(label, cells)| (label, values(cells))),
        )
    }

    /// The number of values that are stored for each sum.
    pub(super) fn width(&self) -> usize {
        FIGURES + self.kept()
    }
}

fn values(cell: &SumCell) -> Vec<Value> {
    let absolute =
        i128::try_from(cell.absolute()).expect("a sum of fewer than 2^64 numbers of 63 bits");
    let figures = [
        count(cell),
        Value::Decimal(cell.sum()),
        Value::Decimal(absolute),
    ];
    figures
        .into_iter()
        .chain(cell.kept().map(|number| Value::Decimal(number.into())))
        .collect()
}

/// # Panics
/// If these are not the values of a cell.
fn cell(values: &[Value]) -> SumCell {
    assert!(values.len() >= FIGURES, "a count, a sum and a sum of sizes");
    let number = |value: &Value| match value {
        Value::Int(number) => i128::from(*number),
        Value::Decimal(number) => *number,
        _ => panic!("addends are numbers"),
    };
    let whole = |value: &Value| {
        u64::try_from(number(value)).expect("a number of people, or the size of one number")
    };
    let absolute = u128::try_from(number(&values[2])).expect("a sum of sizes");
    SumCell::restored(
        whole(&values[0]),
        number(&values[1]),
        absolute,
        values[FIGURES..].iter().map(whole).collect(),
    )
}
