//! Rows of a release in the order in which they stand: counted as runs of equal rows, and looked at whether they ascend.

use arrow_array::RecordBatch;

use super::encode::{Dictionary, Encoder, Misfit};
use super::{Cell, Histogram, Tuples, Values};
use crate::engine::model::{Node, Value};

/// Runs of equal rows, so far.
pub struct Labelled<'a> {
    encoder: &'a Encoder<'a>,
    /// Per sensitive column the distinct values.
    cells: Vec<Dictionary>,
    sensitive: Tuples,
    /// Nodes, then the number of the sensitive tuple.
    runs: Vec<(Vec<Node>, u32, u32)>,
}

impl<'a> Labelled<'a> {
    /// No rows yet.
    pub fn new(encoder: &'a Encoder<'a>) -> Labelled<'a> {
        let cells = (0..encoder.sensitive()).map(|_| Dictionary::default()).collect();
        Labelled { encoder, cells, sensitive: Tuples::new(encoder.sensitive()), runs: Vec::new() }
    }

    /// Takes in the rows that follow; tells whether they still ascend by nodes, then by sensitive tuple.
    ///
    /// # Errors
    /// The first cell that does not fit.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<bool, Misfit> {
        let encoded = self.encoder.encode(batch, &mut self.cells)?;
        let columns: Vec<&[u32]> = encoded.quasi.iter().chain(&encoded.sensitive).map(Vec::as_slice).collect();
        let mut ascending = true;
        let mut from = 0;
        while from < batch.num_rows() {
            let same = |to: usize| columns.iter().all(|column| column[to] == column[from]);
            let to = (from + 1..batch.num_rows()).find(|&to| !same(to)).unwrap_or(batch.num_rows());
            let nodes: Vec<Node> = encoded.quasi.iter().map(|column| column[from]).collect();
            let tuple: Vec<u32> = encoded.sensitive.iter().map(|column| column[from]).collect();
            let value = self.sensitive.number(&tuple);
            ascending &= self.push(nodes, value, (to - from) as u32);
            from = to;
        }
        Ok(ascending)
    }

    /// A run; `false` if it does not come after the last one.
    fn push(&mut self, nodes: Vec<Node>, value: u32, rows: u32) -> bool {
        let Some((last, of, count)) = self.runs.last_mut() else {
            self.runs.push((nodes, value, rows));
            return true;
        };
        if *last == nodes && *of == value {
            *count = count.checked_add(rows).expect("fewer than 2^32 equal rows");
            return true;
        }
        let after = match last.as_slice().cmp(&nodes) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => {
                let of = *of;
                self.tuple(of).lt(self.tuple(value))
            }
            std::cmp::Ordering::Greater => false,
        };
        self.runs.push((nodes, value, rows));
        after
    }

    fn tuple(&self, number: u32) -> impl Iterator<Item = &Value> {
        let codes = self.sensitive.get(number).iter().zip(&self.cells);
        codes.map(|(&code, cells)| &cells.values()[code as usize])
    }

    /// Counts per nodes and sensitive tuple.
    pub fn finish(mut self) -> Histogram {
        let tuples = (0..self.sensitive.len() as u32).map(|number| self.tuple(number).cloned().collect()).collect();
        let (values, code) = Values::from_distinct(self.encoder.sensitive(), tuples);
        self.runs.iter_mut().for_each(|run| run.1 = code[run.1 as usize]);
        self.runs.sort_unstable();
        let mut histogram = Histogram { values, ..Histogram::empty(self.encoder.quasi(), 0) };
        let mut pool: Vec<Cell> = Vec::new();
        for class in self.runs.chunk_by(|a, b| a.0 == b.0) {
            histogram.leaves.iter_mut().zip(&class[0].0).for_each(|(column, &node)| column.push(node));
            pool.clear();
            pool.extend(class.iter().map(|&(_, value, count)| Cell { increment: 0, value, count }));
            histogram.push_cells(&pool);
        }
        histogram
    }
}
