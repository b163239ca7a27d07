//! The tables of a release: one, two that are joined by the number of the class, or new parts of one that grows (CONTRACTS 4).

use super::data::{ROW_GROUP, data, part, two_in_groups};
use super::part::{Part, Span};
use super::table_kind::TableKind;
use crate::histogram::{Headcount, Histogram, Release, Values};
use crate::measures::shown;
use crate::model::Columns;

/// The tables of a release as they are published.
#[derive(Clone, PartialEq, Eq)]
pub enum Tables {
    /// One.
    One(Vec<u8>),
    /// One with the quasi columns, and one with the sensitive ones.
    Two([Vec<u8>; 2]),
    /// New parts of a table that grows.
    Parts(Vec<Part>),
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
            None => Tables::One(data(table, values, columns)),
            Some(people) => Tables::Two(two_in_groups(table, values, people, columns, ROW_GROUP)),
        }
    }

    /// Parts of a table that grows: for each the releases, and the rows that they have added, by the number of the release; their
    /// "leaves" are the nodes that labels stand for. A part without rows is none.
    ///
    /// # Panics
    /// If a sensitive value is not of its column's type.
    pub fn parts(parts: &[(Span, Histogram)], columns: &Columns) -> Tables {
        let some = parts.iter().filter(|(_, rows)| rows.rows() > 0);
        let written = |(span, rows): &(Span, Histogram)| {
            let (table, rows, bytes) = (TableKind::Rows, rows.rows(), part(rows, columns));
            Part { table, span: *span, rows, bytes }
        };
        Tables::Parts(some.map(written).collect())
    }

    /// The same with parts of the table of measures: for each the releases, and the aggregates of the rows that they have added.
    ///
    /// # Panics
    /// If the tables are not parts of one that grows.
    #[must_use]
    pub fn with_measures(self, measures: &[(Span, Histogram)], columns: &Columns) -> Tables {
        let Tables::Parts(mut parts) = self else { panic!("only a table that grows has one of measures beside it") };
        let of_measures = columns.of_measures();
        parts.extend(measures.iter().filter(|(_, rows)| rows.rows() > 0).map(|(span, rows)| {
            let (table, bytes) = (TableKind::Measures, part(&shown(rows, columns), &of_measures));
            Part { table, span: *span, rows: rows.rows(), bytes }
        }));
        Tables::Parts(parts)
    }

    /// Their bytes, in the order in which a manifest lists them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let bytes: Vec<&[u8]> = match self {
            Tables::One(data) => vec![data],
            Tables::Two(tables) => tables.iter().map(Vec::as_slice).collect(),
            Tables::Parts(parts) => parts.iter().map(|part| part.bytes.as_slice()).collect(),
        };
        bytes.into_iter()
    }

    /// The bytes, handed over in the same order.
    pub fn into_bytes(self) -> Vec<Vec<u8>> {
        match self {
            Tables::One(data) => vec![data],
            Tables::Two(tables) => tables.into(),
            Tables::Parts(parts) => parts.into_iter().map(|part| part.bytes).collect(),
        }
    }

    /// The same tables with other bytes; `None` if there are not as many.
    #[must_use]
    pub fn with_bytes(self, bytes: Vec<Vec<u8>>) -> Option<Tables> {
        let mut bytes = bytes.into_iter();
        let tables = match self {
            Tables::One(_) => Tables::One(bytes.next()?),
            Tables::Two(_) => Tables::Two([bytes.next()?, bytes.next()?]),
            Tables::Parts(parts) => {
                let read = |part: Part| Some(Part { bytes: bytes.next()?, ..part });
                Tables::Parts(parts.into_iter().map(read).collect::<Option<_>>()?)
            }
        };
        bytes.next().is_none().then_some(tables)
    }
}
