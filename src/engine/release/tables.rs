//! The tables of a release: one table, two that are joined by the number of the class, or new parts
//! of one that grows (CONTRACTS 4).

use super::data::{ROW_GROUP, data, part, two_in_groups};
use super::part::{ReleasePart, ReleaseSpan};
use super::table_kind::TableKind;
use crate::histogram::{Headcount, Histogram, Release, SensitiveValues};
use crate::measures::shown;
use crate::model::{Columns, ReleaseColumn};

/// The tables of a release as they are published.
#[derive(Clone, PartialEq, Eq)]
pub enum Tables {
    /// One table.
    One(Vec<u8>),
    /// A table with the quasi columns, and one with the sensitive ones.
    Two([Vec<u8>; 2]),
    /// New parts of a table that grows, and of the table of measures beside it.
    Parts(Vec<ReleasePart>),
    /// Tables of rows, with the table of the measures of their people.
    Measured(Box<Tables>, Vec<u8>),
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Tables({:?} bytes)",
            self.iter().map(<[u8]>::len).collect::<Vec<_>>()
        )
    }
}

impl Tables {
    /// From a release: one table, or two if its people's leaf tuples are given. `values` is the
    /// dictionary of the codes of `table`.
    ///
    /// # Panics
    /// If a sensitive value is not of its column's type, or a person is in no class of the table.
    pub fn of(
        table: &Release,
        values: &SensitiveValues,
        people: Option<&Headcount>,
        columns: &Columns,
    ) -> Tables {
        match people {
            None => Tables::One(data(table, values, columns)),
            Some(people) => Tables::Two(two_in_groups(table, values, people, columns, ROW_GROUP)),
        }
    }

    /// Parts of a table that grows: for each the releases, and the rows that they added, by the
    /// number of the release; their "leaves" are the nodes of labels. Parts without rows are left
    /// out.
    ///
    /// # Panics
    /// If a sensitive value is not of its column's type.
    pub fn parts(parts: &[(ReleaseSpan, Histogram)], columns: &Columns) -> Tables {
        let some = parts.iter().filter(|(_, rows)| rows.rows() > 0);
        let written = |(span, rows): &(ReleaseSpan, Histogram)| {
            let (table, rows, bytes) = (TableKind::Rows, rows.rows(), part(rows, columns));
            ReleasePart {
                table,
                span: *span,
                rows,
                bytes,
            }
        };
        let parts: Vec<ReleasePart> = some.map(written).collect();
        assert!(
            parts
                .windows(2)
                .all(|pair| !pair[0].span.meets(pair[1].span)),
            "parts of different releases"
        );
        Tables::Parts(parts)
    }

    /// The same with parts of the table of measures: for each the releases, and the aggregates of
    /// the rows that they added. Tables that do not grow have at most one such part, that of their
    /// release.
    #[must_use]
    pub fn with_measures(self, measures: &[(ReleaseSpan, Histogram)], columns: &Columns) -> Tables {
        let mut some = measures.iter().filter(|(_, rows)| rows.rows() > 0);
        let Tables::Parts(mut parts) = self else {
            let of_measures = columns.of_measures().with_release(ReleaseColumn::Absent);
            let Some((_, rows)) = some.next() else {
                return self;
            };
            assert!(
                some.next().is_none(),
                "measures of one release beside a table that does not grow"
            );
            return Tables::Measured(Box::new(self), part(&shown(rows, columns), &of_measures));
        };
        let of_measures = columns.of_measures();
        parts.extend(some.map(|(span, rows)| {
            let (table, bytes) = (
                TableKind::Measures,
                part(&shown(rows, columns), &of_measures),
            );
            ReleasePart {
                table,
                span: *span,
                rows: rows.rows(),
                bytes,
            }
        }));
        Tables::Parts(parts)
    }

    /// The tables of rows, and the table of measures of tables that do not grow.
    pub fn apart(&self) -> (&Tables, Option<&[u8]>) {
        match self {
            Tables::Measured(rows, measures) => (rows, Some(measures)),
            rows => (rows, None),
        }
    }

    /// Their bytes, in the order in which a manifest lists them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let bytes: Vec<&[u8]> = match self {
            Tables::One(data) => vec![data],
            Tables::Two(tables) => tables.iter().map(Vec::as_slice).collect(),
            Tables::Parts(parts) => parts.iter().map(|part| part.bytes.as_slice()).collect(),
            Tables::Measured(rows, measures) => rows.iter().chain([measures.as_slice()]).collect(),
        };
        bytes.into_iter()
    }

    /// The bytes, by value and in the same order.
    pub fn into_bytes(self) -> Vec<Vec<u8>> {
        match self {
            Tables::One(data) => vec![data],
            Tables::Two(tables) => tables.into(),
            Tables::Parts(parts) => parts.into_iter().map(|part| part.bytes).collect(),
            Tables::Measured(rows, measures) => [rows.into_bytes(), vec![measures]].concat(),
        }
    }

    /// The same tables with other bytes; `None` if there are not as many.
    #[must_use]
    pub fn with_bytes(self, mut bytes: Vec<Vec<u8>>) -> Option<Tables> {
        if let Tables::Measured(rows, _) = self {
            let measures = bytes.pop()?;
            return Some(Tables::Measured(
                Box::new(rows.with_bytes(bytes)?),
                measures,
            ));
        }
        let mut bytes = bytes.into_iter();
        let tables = match self {
            Tables::One(_) => Tables::One(bytes.next()?),
            Tables::Two(_) => Tables::Two([bytes.next()?, bytes.next()?]),
            Tables::Parts(parts) => {
                let read = |part: ReleasePart| {
                    Some(ReleasePart {
                        bytes: bytes.next()?,
                        ..part
                    })
                };
                Tables::Parts(parts.into_iter().map(read).collect::<Option<_>>()?)
            }
            Tables::Measured(..) => return None,
        };
        bytes.next().is_none().then_some(tables)
    }
}
