//! Builds a histogram from Arrow batches (HOUSE 2): each chunk of batches is counted on a core of
//! its own, and the counts are merged. The chunks depend on the input, not on the machine.

use arrow_array::RecordBatch;
use rayon::prelude::*;

use super::encode::{Dictionary, EncodedBatch, Encoder, Misfit};
use super::{Cell, Histogram, SensitiveValues, Tuples};
use crate::Value;

/// The number of chunks; each is counted separately before they are merged.
const CHUNKS: usize = 32;

/// Counts rows one batch after another; [`Builder::finish`] sorts the counts into canonical order.
pub struct Builder<'a> {
    encoder: &'a Encoder<'a>,
    increment: u32,
    /// Leaf tuples, with the increment and the sensitive code as the last entries.
    keys: Tuples,
    counts: Vec<u32>,
    /// Sensitive tuples as codes of `cells`, one column each.
    sensitive: Tuples,
    /// For each sensitive column the distinct values.
    cells: Vec<Dictionary>,
}

impl<'a> Builder<'a> {
    /// Starts empty; all rows will belong to `increment`.
    pub fn new(encoder: &'a Encoder<'a>, increment: u32) -> Builder<'a> {
        Builder {
            encoder,
            increment,
            keys: Tuples::new(encoder.quasi() + 2),
            counts: Vec::new(),
            sensitive: Tuples::new(encoder.sensitive()),
            cells: (0..encoder.sensitive())
                .map(|_| Dictionary::default())
                .collect(),
        }
    }

    /// Counts the rows of a batch.
    ///
    /// # Errors
    /// The first row with a cell that has no leaf; nothing of the batch is counted then.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<(), Misfit> {
        let encoded = self.encoder.encode(batch, &mut self.cells)?;
        let increment = self.increment;
        self.count(&encoded, batch.num_rows(), |_| increment);
        Ok(())
    }

    /// Counts the rows of a batch, each of which belongs to an increment of its own.
    ///
    /// # Errors
    /// As for [`Builder::add`].
    pub fn add_each(&mut self, batch: &RecordBatch, increments: &[u32]) -> Result<(), Misfit> {
        assert_eq!(
            increments.len(),
            batch.num_rows(),
            "an increment for each row"
        );
        let encoded = self.encoder.encode(batch, &mut self.cells)?;
        self.count(&encoded, batch.num_rows(), |row| increments[row]);
        Ok(())
    }

    fn count(&mut self, encoded: &EncodedBatch, rows: usize, increment: impl Fn(usize) -> u32) {
        let quasi = self.encoder.quasi();
        let mut key = vec![0; quasi + 2];
        let mut sensitive = vec![0; self.encoder.sensitive()];
        for row in 0..rows {
            for (slot, column) in key.iter_mut().zip(&encoded.quasi) {
                *slot = column[row];
            }
            for (slot, column) in sensitive.iter_mut().zip(&encoded.sensitive) {
                *slot = column[row];
            }
            key[quasi] = increment(row);
            key[quasi + 1] = self.sensitive.number(&sensitive);
            let number = self.keys.number(&key) as usize;
            if number == self.counts.len() {
                self.counts.push(0);
            }
            self.counts[number] = self.counts[number]
                .checked_add(1)
                .expect("fewer than 2^32 equal rows");
        }
    }

    /// The counts in canonical order.
    pub fn finish(self) -> Histogram {
        let quasi = self.encoder.quasi();
        let columns: Vec<&[Value]> = self.cells.iter().map(Dictionary::values).collect();
        let mut cells: Vec<Value> = Vec::with_capacity(self.sensitive.len() * columns.len());
        for tuple in self.sensitive.iter() {
            cells.extend(
                tuple
                    .iter()
                    .zip(&columns)
                    .map(|(&code, column)| column[code as usize].clone()),
            );
        }
        let (values, code) =
            SensitiveValues::from_cells(columns.len(), self.sensitive.len(), cells);
        let mut order: Vec<u32> = (0..self.keys.len() as u32).collect();
        order.sort_unstable_by_key(|&number| {
            let key = self.keys.get(number);
            (&key[..=quasi], code[key[quasi + 1] as usize])
        });
        let mut histogram = Histogram {
            values,
            ..Histogram::empty(quasi, 0)
        };
        let mut pool: Vec<Cell> = Vec::new();
        for (at, &number) in order.iter().enumerate() {
            let key = self.keys.get(number);
            let (value, count) = (code[key[quasi + 1] as usize], self.counts[number as usize]);
            pool.push(Cell {
                increment: key[quasi],
                value,
                count,
            });
            let next = order.get(at + 1).map(|&next| &self.keys.get(next)[..quasi]);
            if next != Some(&key[..quasi]) {
                histogram
                    .leaves
                    .iter_mut()
                    .zip(key)
                    .for_each(|(column, &leaf)| column.push(leaf));
                histogram.push_cells(&pool);
                pool.clear();
            }
        }
        let rows: u64 = self.counts.iter().map(|&count| u64::from(count)).sum();
        assert_eq!(
            histogram.rows(),
            rows,
            "no row is lost, and none is counted twice"
        );
        histogram
    }
}

impl Histogram {
    /// Counts the rows of many batches on all cores.
    ///
    /// # Errors
    /// The first misfit, by batch and row; its `row` counts through all batches from 0.
    pub fn of(
        encoder: &Encoder<'_>,
        increment: u32,
        batches: &[RecordBatch],
    ) -> Result<Histogram, Misfit> {
        let before: Vec<u64> = batches
            .iter()
            .scan(0, |rows, batch| {
                let before = *rows;
                *rows += batch.num_rows() as u64;
                Some(before)
            })
            .collect();
        let chunk = batches.len().div_ceil(CHUNKS).max(1);
        let parts: Vec<Result<Histogram, Misfit>> = batches
            .par_chunks(chunk)
            .zip(before.par_chunks(chunk))
            .map(|(batches, before)| {
                let mut builder = Builder::new(encoder, increment);
                for (batch, &before) in batches.iter().zip(before) {
                    builder.add(batch).map_err(|misfit| Misfit {
                        row: misfit.row + before,
                        ..misfit
                    })?;
                }
                Ok(builder.finish())
            })
            .collect();
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Histogram::merge_all(parts)
            .unwrap_or_else(|| Histogram::empty(encoder.quasi(), encoder.sensitive())))
    }

    /// The rows of all parts, merged in pairs on all cores.
    pub fn merge_all(mut parts: Vec<Histogram>) -> Option<Histogram> {
        while parts.len() > 1 {
            parts = parts
                .par_chunks(2)
                .map(|pair| match pair {
                    [a, b] => a.merge(b),
                    one => one[0].clone(),
                })
                .collect();
        }
        parts.pop()
    }
}
