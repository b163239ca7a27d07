//! The tables of a release, as a list of files with rows (CONTRACTS 4): one table, two that are joined
//! by the number of the class, or new parts of one that grows; and the measures beside them.

use super::data::{ROW_GROUP, data, part, two_in_groups};
use super::part::{PartContent, ReleasePart, ReleaseSpan};
use crate::histogram::{Headcount, Histogram, Release, SensitiveValues};
use crate::measures::shown;
use crate::model::{Columns, ReleaseColumn};

/// The tables of a release as they are published, in the order in which a manifest lists them.
#[derive(Clone, PartialEq, Eq)]
pub struct Tables(pub Vec<ReleasePart>);

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
        let own = |content, bytes| ReleasePart {
            content,
            span: None,
            rows: table.rows(),
            bytes,
        };
        let Some(people) = people else {
            return Tables(vec![own(PartContent::Rows, data(table, values, columns))]);
        };
        let [quasi, sensitive] = two_in_groups(table, values, people, columns, ROW_GROUP);
        Tables(vec![
            own(PartContent::Quasi, quasi),
            own(PartContent::Sensitive, sensitive),
        ])
    }

    /// Parts of a table that grows: for each the releases, and the rows that they added, by the
    /// number of the release; their "leaves" are the nodes of labels. Parts without rows are left
    /// out.
    ///
    /// # Panics
    /// If a sensitive value is not of its column's type.
    pub fn parts(parts: &[(ReleaseSpan, Histogram)], columns: &Columns) -> Tables {
        let some = parts.iter().filter(|(_, rows)| rows.rows() > 0);
        let written = |(span, rows): &(ReleaseSpan, Histogram)| ReleasePart {
            content: PartContent::Rows,
            span: Some(*span),
            rows: rows.rows(),
            bytes: part(rows, columns),
        };
        assert!(
            parts.windows(2).all(|pair| !pair[0].0.meets(pair[1].0)),
            "parts of different releases"
        );
        Tables(some.map(written).collect())
    }

    /// The same with parts of the table of measures: for each the releases, and the aggregates of
    /// the rows that they added.
    #[must_use]
    pub fn with_measures(self, parts: &[(ReleaseSpan, Histogram)], columns: &Columns) -> Tables {
        let of_measures = columns.of_measures();
        let some = parts.iter().filter(|(_, rows)| rows.rows() > 0);
        self.and(some.map(|(span, rows)| measured(Some(*span), rows, columns, &of_measures)))
    }

    /// The same with the aggregates of the people of a release whose table does not grow.
    #[must_use]
    pub fn with_own_measures(self, rows: Option<&Histogram>, columns: &Columns) -> Tables {
        let of_measures = columns.of_measures().with_release(ReleaseColumn::Absent);
        let some = rows.into_iter().filter(|rows| rows.rows() > 0);
        self.and(some.map(|rows| measured(None, rows, columns, &of_measures)))
    }

    fn and(mut self, more: impl Iterator<Item = ReleasePart>) -> Tables {
        self.0.extend(more);
        self
    }

    /// Their bytes, in the order in which a manifest lists them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|part| part.bytes.as_slice())
    }

    /// The bytes, by value and in the same order.
    pub fn into_bytes(self) -> Vec<Vec<u8>> {
        self.0.into_iter().map(|part| part.bytes).collect()
    }

    /// The same tables with other bytes; `None` if there are not as many.
    #[must_use]
    pub fn with_bytes(self, bytes: Vec<Vec<u8>>) -> Option<Tables> {
        let parts = self.0;
        (parts.len() == bytes.len()).then(|| {
            let read = |(part, bytes)| ReleasePart { bytes, ..part };
            Tables(parts.into_iter().zip(bytes).map(read).collect())
        })
    }
}

/// Aggregates of measures as a file.
fn measured(
    span: Option<ReleaseSpan>,
    rows: &Histogram,
    columns: &Columns,
    of_measures: &Columns,
) -> ReleasePart {
    ReleasePart {
        content: PartContent::Measures,
        span,
        rows: rows.rows(),
        bytes: part(&shown(rows, columns), of_measures),
    }
}
