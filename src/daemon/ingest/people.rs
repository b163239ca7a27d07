//! Finds rows whose person has a row already (SCIENCE 3, repeats), within one run: the hashes are
//! not stored, so their key is no secret. Nothing here stores or prints an identifier.

use arrow_array::RecordBatch;

use super::person::{PersonHasher, Tuple};
use crate::engine::histogram::{CellReading, CodedRows, Misfit, Person, ReadableColumn};
use crate::engine::model::{Column, Columns, Kind, Role};

/// The people of a table: one hash per row that has all its identifiers.
#[derive(Default)]
pub struct RowPeople(Vec<Person>);

impl RowPeople {
    /// The hasher that is used here.
    pub(super) fn hasher() -> PersonHasher {
        PersonHasher::new(&[0; 32])
    }

    /// The people of rows that were hashed here.
    pub(super) fn of(rows: &CodedRows) -> RowPeople {
        RowPeople(rows.people().unwrap_or_default().to_vec())
    }

    /// Adds the rows of a batch, if it contains all identifier columns.
    ///
    /// # Errors
    /// A whole column has another type.
    pub fn add(
        &mut self,
        batch: &RecordBatch,
        columns: &Columns,
        reading: CellReading,
    ) -> Result<(), Misfit> {
        let fitting = |column: &Column| {
            let array = batch.column_by_name(&column.name)?;
            let misfit = |kind| Misfit {
                row: 0,
                column: column.name.clone(),
                kind,
            };
            let mut reading = reading;
            if column.source.is_changed() && !reading.is_labels() {
                reading = CellReading::Text;
            }
            Some(
                ReadableColumn::fitting(array, column.kind, column.role, reading)
                    .map(|cells| (cells, column.kind))
                    .map_err(misfit),
            )
        };
        let Some(identifiers) = columns
            .of(Role::Identifier)
            .map(fitting)
            .collect::<Option<Vec<_>>>()
        else {
            return Ok(());
        };
        let identifiers = identifiers.into_iter().collect::<Result<Vec<_>, _>>()?;
        if identifiers.is_empty() {
            return Ok(());
        }
        let (hasher, mut tuple) = (RowPeople::hasher(), Tuple::default());
        for row in 0..batch.num_rows() {
            tuple.clear();
            let whole = identifiers.iter().all(|(cells, kind)| {
                let cell = cells.at(row);
                // A value that is not of the declared type is compared in its written form.
                tuple
                    .add(cell, *kind, reading)
                    .or_else(|_| tuple.add(cell, Kind::String, CellReading::Typed))
                    .is_ok()
            });
            if whole {
                self.0.push(hasher.hash(&tuple));
            }
        }
        Ok(())
    }

    /// How many rows of the last of these tables belong to a person who has another row in any of
    /// them.
    pub fn repeats(tables: &[&RowPeople]) -> usize {
        let Some((last, before)) = tables.split_last() else {
            return 0;
        };
        let mut known: Vec<Person> = before
            .iter()
            .flat_map(|people| people.0.iter().copied())
            .collect();
        known.sort_unstable();
        let mut own = last.0.clone();
        own.sort_unstable();
        let again =
            |at: usize| at > 0 && own[at] == own[at - 1] || known.binary_search(&own[at]).is_ok();
        (0..own.len()).filter(|&at| again(at)).count()
    }
}
