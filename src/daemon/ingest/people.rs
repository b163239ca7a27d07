//! Finds rows whose person has a row already (SCIENCE 3, repeats), within one run: the hashes are
//! not stored, so their key is no secret. Nothing here stores or prints an identifier.

use super::person::PersonHasher;
use crate::engine::histogram::{CodedRows, Person};

/// The people of a table: one hash per row, if it has identifiers.
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
