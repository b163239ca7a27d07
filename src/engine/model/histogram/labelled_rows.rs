//! Rows of a release in their order: counted as runs of equal rows, with a check that they ascend.
//! In two tables every row has the number of its class, which is the first sorting key.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;

use super::encode::{Dictionary, Encoder, Misfit};
use super::{Cell, Histogram, MisfitKind, SensitiveValues, Tuples, ValueCode};
use crate::{Column, Node, Value};

/// Equal rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowGroup {
    /// The number of their class; 0 if rows have none.
    pub class: i64,
    /// Their labels, which the runs of one class share.
    pub nodes: Arc<[Node]>,
    /// Their sensitive tuple.
    pub value: ValueCode,
    /// The number of rows.
    pub rows: u32,
}

/// Runs of equal rows that were read so far.
pub struct LabelledRows<'a> {
    encoder: &'a Encoder<'a>,
    /// For each sensitive column the distinct values.
    cells: Vec<Dictionary>,
    sensitive: Tuples,
    /// Whether rows have the number of their class.
    classed: bool,
    /// Runs of rows; values are numbers of sensitive tuples.
    runs: Vec<RowGroup>,
}

impl<'a> LabelledRows<'a> {
    /// Starts empty.
    pub fn new(encoder: &'a Encoder<'a>) -> LabelledRows<'a> {
        let cells = (0..encoder.sensitive())
            .map(|_| Dictionary::default())
            .collect();
        LabelledRows {
            encoder,
            cells,
            sensitive: Tuples::new(encoder.sensitive()),
            classed: false,
            runs: Vec::new(),
        }
    }

    /// The same for rows that have the number of their class.
    #[must_use]
    pub fn classed(self) -> LabelledRows<'a> {
        LabelledRows {
            classed: true,
            ..self
        }
    }

    /// Adds the rows that follow; returns whether they still ascend by class, by nodes, then by
    /// sensitive tuple.
    ///
    /// # Errors
    /// The first cell that does not fit.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<bool, Misfit> {
        let encoded = self.encoder.encode(batch, &mut self.cells)?;
        let columns: Vec<&[u32]> = encoded
            .quasi
            .iter()
            .chain(&encoded.sensitive)
            .map(Vec::as_slice)
            .collect();
        let numbers = if self.classed {
            Some(numbers(batch)?)
        } else {
            None
        };
        let class = |row: usize| numbers.map_or(0, |numbers| numbers[row]);
        let mut ascending = true;
        let mut from = 0;
        while from < batch.num_rows() {
            let same = |to: usize| {
                class(to) == class(from) && columns.iter().all(|column| column[to] == column[from])
            };
            let to = (from + 1..batch.num_rows())
                .find(|&to| !same(to))
                .unwrap_or(batch.num_rows());
            let nodes = self.nodes(encoded.quasi.iter().map(|column| column[from]));
            let tuple: Vec<u32> = encoded
                .sensitive
                .iter()
                .map(|column| column[from])
                .collect();
            let value = self.sensitive.number(&tuple);
            ascending &= self.push(RowGroup {
                class: class(from),
                nodes,
                value,
                rows: (to - from) as u32,
            });
            from = to;
        }
        Ok(ascending)
    }

    /// The labels of the next run: those of the last one if they are equal.
    fn nodes(&self, nodes: impl Iterator<Item = Node> + Clone) -> Arc<[Node]> {
        match self.runs.last() {
            Some(last) if last.nodes.iter().copied().eq(nodes.clone()) => Arc::clone(&last.nodes),
            _ => nodes.collect(),
        }
    }

    /// Adds a run; `false` if it does not come after the last one.
    fn push(&mut self, run: RowGroup) -> bool {
        let Some(last) = self.runs.last_mut() else {
            self.runs.push(run);
            return true;
        };
        let order = (last.class, &last.nodes).cmp(&(run.class, &run.nodes));
        if order.is_eq() && last.value == run.value {
            last.rows = last
                .rows
                .checked_add(run.rows)
                .expect("fewer than 2^32 equal rows");
            return true;
        }
        let of = last.value;
        let after = order
            .then_with(|| self.tuple(of).cmp(self.tuple(run.value)))
            .is_lt();
        self.runs.push(run);
        after
    }

    fn tuple(&self, number: u32) -> impl Iterator<Item = &Value> {
        let codes = self.sensitive.get(number).iter().zip(&self.cells);
        codes.map(|(&code, cells)| &cells.values()[code as usize])
    }

    /// All runs of rows in order, with adjacent equal rows counted together. The codes refer to the
    /// dictionary that is returned.
    pub fn alike(mut self) -> (SensitiveValues, Vec<RowGroup>) {
        let (width, len) = (self.encoder.sensitive(), self.sensitive.len());
        let mut cells = Vec::with_capacity(width * len);
        (0..len as u32).for_each(|number| cells.extend(self.tuple(number).cloned()));
        (self.cells, self.sensitive) = (Vec::new(), Tuples::new(width));
        let (values, code) = SensitiveValues::from_cells(width, len, cells);
        self.runs
            .iter_mut()
            .for_each(|run| run.value = code[run.value as usize]);
        self.runs.sort_unstable();
        self.runs.dedup_by(|run, first| {
            let same =
                (run.class, run.value) == (first.class, first.value) && run.nodes == first.nodes;
            if same {
                first.rows = first
                    .rows
                    .checked_add(run.rows)
                    .expect("fewer than 2^32 equal rows");
            }
            same
        });
        assert!(
            self.runs.is_sorted_by(|one, next| one < next),
            "each run comes once"
        );
        assert!(
            self.runs
                .iter()
                .all(|run| (run.value as usize) < values.len()),
            "a run has a value"
        );
        (values, self.runs)
    }

    /// Counts by nodes and sensitive tuple.
    pub fn finish(self) -> Histogram {
        let width = self.encoder.quasi();
        let (values, runs) = self.alike();
        let mut histogram = Histogram {
            values,
            ..Histogram::empty(width, 0)
        };
        let mut pool: Vec<Cell> = Vec::new();
        for class in runs.chunk_by(|a, b| a.nodes == b.nodes) {
            histogram
                .leaves
                .iter_mut()
                .zip(&*class[0].nodes)
                .for_each(|(column, &node)| column.push(node));
            pool.clear();
            pool.extend(class.iter().map(|run| Cell {
                increment: 0,
                value: run.value,
                count: run.rows,
            }));
            histogram.push_cells(&pool);
        }
        assert_eq!(
            histogram.rows(),
            runs.iter().map(|run| u64::from(run.rows)).sum::<u64>(),
            "each row is counted"
        );
        histogram
    }
}

/// The numbers of the classes.
fn numbers(batch: &RecordBatch) -> Result<&[i64], Misfit> {
    let misfit = |kind| Misfit {
        row: 0,
        column: Column::CLASS.into(),
        kind,
    };
    let column = batch
        .column_by_name(Column::CLASS)
        .ok_or_else(|| misfit(MisfitKind::NoColumn))?;
    let numbers = column
        .as_primitive_opt::<Int64Type>()
        .ok_or_else(|| misfit(MisfitKind::WrongType))?;
    assert_eq!(
        numbers.values().len(),
        batch.num_rows(),
        "a number for each row"
    );
    Ok(numbers.values())
}
