//! Finds rows that stand for a person who has a row already (SCIENCE 3, repeats). Identifiers are hashed as they are read;
//! nothing here keeps or prints one.

use std::hash::BuildHasher;

use arrow_array::RecordBatch;
use foldhash::quality::FixedState;

use crate::engine::histogram::{Cells, RawCell};
use crate::engine::model::{Columns, Role};

/// The people of a table: one hash per row that has all its identifiers.
#[derive(Default)]
pub struct People(Vec<u128>);

impl People {
    /// Takes in the rows of a batch, if it holds all identifier columns.
    pub fn add(&mut self, batch: &RecordBatch, columns: &Columns) {
        let cells = |name: &str| batch.column_by_name(name).and_then(Cells::of);
        let Some(identifiers) =
            columns.of(Role::Identifier).map(|column| cells(&column.name)).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        if identifiers.is_empty() {
            return;
        }
        let mut rows: Vec<Option<Vec<u8>>> = vec![Some(Vec::new()); batch.num_rows()];
        for cells in identifiers {
            let mut row = rows.iter_mut();
            cells.each(|cell| {
                let row = row.next().expect("one cell per row");
                match (bytes(cell), row.as_mut()) {
                    (Some(text), Some(known)) => {
                        known.extend((text.len() as u64).to_le_bytes());
                        known.extend(text.as_bytes());
                    }
                    _ => *row = None,
                }
            });
        }
        let hash = |bytes: Vec<u8>| {
            let half = |seed: u64| u128::from(FixedState::with_seed(seed).hash_one(&bytes));
            half(1) << 64 | half(2)
        };
        self.0.extend(rows.into_iter().flatten().map(hash));
    }

    /// How many rows of the last of these tables stand for somebody who has another row in any of them.
    pub fn repeats(tables: &[&People]) -> usize {
        let Some((last, before)) = tables.split_last() else { return 0 };
        let mut known: Vec<u128> = before.iter().flat_map(|people| people.0.iter().copied()).collect();
        known.sort_unstable();
        let mut own = last.0.clone();
        own.sort_unstable();
        let again = |at: usize| at > 0 && own[at] == own[at - 1] || known.binary_search(&own[at]).is_ok();
        (0..own.len()).filter(|&at| again(at)).count()
    }
}

/// An identifier as text, byte for byte; `None` when it is missing.
fn bytes(cell: RawCell<'_>) -> Option<String> {
    Some(match cell {
        RawCell::Null => return None,
        RawCell::Text(text) => text.to_owned(),
        RawCell::Int(number) => number.to_string(),
        RawCell::Float(number) => number.to_string(),
        RawCell::Bool(truth) => truth.to_string(),
        RawCell::Days(days) => days.to_string(),
    })
}
