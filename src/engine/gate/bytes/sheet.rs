//! The columns of one published table: quasi columns, the number of the class if the release has
//! two tables, sensitive columns, and in a part of a table that grows the number of the release in
//! which a row came, in this order.

use crate::model::{Column, Columns, Kind, Role};

/// A published table, by its columns.
pub(super) struct Sheet {
    /// The quasi and the sensitive columns; the number of the release is the last of these.
    pub columns: Columns,
    /// Whether rows contain the number of their class.
    pub classed: bool,
}

/// The required form of a column.
pub(super) struct ExpectedColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its cells; labels are text.
    pub kind: Kind,
    /// Whether cells may be missing.
    pub missing: bool,
    /// Whether cells are 32 bits wide.
    pub short: bool,
}

impl Sheet {
    /// The single table of a release.
    pub(super) fn one(columns: &Columns) -> Sheet {
        Sheet {
            columns: columns.clone(),
            classed: false,
        }
    }

    /// A part of a table that grows.
    pub(super) fn part(columns: &Columns) -> Sheet {
        Sheet::one(&columns.with_arrival())
    }

    /// The one of two tables that has the columns of this role.
    pub(super) fn of_two(columns: &Columns, role: Role) -> Sheet {
        Sheet {
            columns: columns.only(role),
            classed: true,
        }
    }

    /// The columns in order.
    pub(super) fn wanted(&self) -> Vec<ExpectedColumn<'_>> {
        let quasi = self.columns.of(Role::Quasi).map(|column| ExpectedColumn {
            name: &column.name,
            kind: Kind::String,
            missing: false,
            short: false,
        });
        let class = self.classed.then_some(ExpectedColumn {
            name: Column::CLASS,
            kind: Kind::Int,
            missing: false,
            short: false,
        });
        let sensitive = self
            .columns
            .of(Role::Sensitive)
            .map(|column| ExpectedColumn {
                name: &column.name,
                kind: column.kind,
                missing: !self.is_release(column),
                short: column.kind == Kind::Date || self.is_release(column),
            });
        let wanted: Vec<ExpectedColumn<'_>> = quasi.chain(class).chain(sensitive).collect();
        assert!(!wanted.is_empty(), "a table has columns");
        wanted
    }

    fn is_release(&self, column: &Column) -> bool {
        self.columns.release().name() == Some(&*column.name)
    }

    /// The description of any other column.
    pub(super) fn foreign(&self) -> &'static str {
        if self.classed {
            "the column does not belong to this table"
        } else {
            "the column is no quasi or sensitive column"
        }
    }
}
