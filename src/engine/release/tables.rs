//! The tables of a release: one, or two that are joined by the number of the class (CONTRACTS 4).

use super::data::{ROW_GROUP, data, two_in_groups};
use crate::histogram::{Headcount, Release, Values};
use crate::model::Columns;

/// The tables of a release as they are published.
#[derive(Clone, PartialEq, Eq)]
pub struct Tables {
    /// The table; of two the one with the quasi columns.
    pub data: Vec<u8>,
    /// Of two tables the one with the sensitive columns.
    pub sensitive: Option<Vec<u8>>,
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tables({:?} bytes)", self.iter().map(<[u8]>::len).collect::<Vec<_>>())
    }
}

impl Tables {
    /// Of a release: one table, or two where its people's leaf tuples are given. `values` is the dictionary that the codes
    /// of `table` are of.
    ///
    /// # Panics
    /// If a sensitive value is not of its column's type, or somebody is in no class of the table.
    pub fn of(table: &Release, values: &Values, people: Option<&Headcount>, columns: &Columns) -> Tables {
        match people {
            None => Tables { data: data(table, values, columns), sensitive: None },
            Some(people) => {
                let [data, sensitive] = two_in_groups(table, values, people, columns, ROW_GROUP);
                Tables { data, sensitive: Some(sensitive) }
            }
        }
    }

    /// Their bytes, in the order in which a manifest lists them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        [Some(&self.data), self.sensitive.as_ref()].into_iter().flatten().map(Vec::as_slice)
    }
}
