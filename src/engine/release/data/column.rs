//! One column of a published table as runs of equal cells, and the runs as Arrow arrays: labels and
//! texts as dictionaries with an entry per run, everything else plain. Nothing here looks at
//! another column.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float64Type, Int32Type, Int64Type,
};
use arrow_array::{ArrayRef, DictionaryArray, LargeStringArray};
use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, Field};

use super::leaf_table::LeafTable;
use crate::histogram::{Release, SensitiveValues};
use crate::model::{Kind, Taxonomy, Value};

/// A column, and how much of it has been written.
pub(super) struct ColumnWriter<'a> {
    cells: Cells<'a>,
    /// The number of pieces that have been begun, and how many rows of the last of them are still
    /// to be written.
    begun: usize,
    left: u64,
}

/// The source of cells: pieces of rows with equal cells, one after the other.
#[derive(Clone, Copy)]
enum Cells<'a> {
    /// One label per class.
    Labels {
        table: &'a Release,
        column: usize,
        tree: &'a Taxonomy,
    },
    /// The number of each class, from 1.
    Numbers { table: &'a Release },
    /// One label per leaf tuple, class by class.
    Leaves {
        exact: &'a LeafTable<'a>,
        column: usize,
        tree: &'a Taxonomy,
    },
    /// The number of a release per group: the last value of its sensitive tuple.
    Arrivals {
        table: &'a Release,
        values: &'a SensitiveValues,
    },
    /// One value per group.
    Values {
        table: &'a Release,
        column: usize,
        values: &'a SensitiveValues,
        kind: Kind,
    },
}

/// Adjacent equal cells: a piece that represents them, and their number of rows.
struct Run {
    of: usize,
    rows: usize,
}

impl<'a> ColumnWriter<'a> {
    fn new(cells: Cells<'a>) -> ColumnWriter<'a> {
        ColumnWriter {
            cells,
            begun: 0,
            left: 0,
        }
    }

    /// The labels of a quasi column.
    pub(super) fn labels(
        table: &'a Release,
        column: usize,
        tree: &'a Taxonomy,
    ) -> ColumnWriter<'a> {
        assert!(column < table.width(), "a column of the table");
        ColumnWriter::new(Cells::Labels {
            table,
            column,
            tree,
        })
    }

    /// The numbers of the classes.
    pub(super) fn numbers(table: &'a Release) -> ColumnWriter<'a> {
        ColumnWriter::new(Cells::Numbers { table })
    }

    /// The leaves of a quasi column.
    pub(super) fn leaves(
        exact: &'a LeafTable<'a>,
        column: usize,
        tree: &'a Taxonomy,
    ) -> ColumnWriter<'a> {
        ColumnWriter::new(Cells::Leaves {
            exact,
            column,
            tree,
        })
    }

    /// The cells of a sensitive column.
    pub(super) fn cells(
        table: &'a Release,
        values: &'a SensitiveValues,
        column: usize,
        kind: Kind,
    ) -> ColumnWriter<'a> {
        ColumnWriter::new(Cells::Values {
            table,
            column,
            values,
            kind,
        })
    }

    /// The release in which rows came, given as the last value of their sensitive tuples.
    pub(super) fn arrivals(table: &'a Release, values: &'a SensitiveValues) -> ColumnWriter<'a> {
        ColumnWriter::new(Cells::Arrivals { table, values })
    }

    /// The name and type; only sensitive cells may be missing.
    pub(super) fn field(&self, name: &str) -> Field {
        let text =
            || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8));
        let (kind, nullable) = match self.cells {
            Cells::Labels { .. } | Cells::Leaves { .. } => (text(), false),
            Cells::Numbers { .. } => (DataType::Int64, false),
            Cells::Arrivals { .. } => (DataType::Int32, false),
            Cells::Values {
                kind: Kind::String, ..
            } => (text(), true),
            Cells::Values {
                kind: Kind::Int, ..
            } => (DataType::Int64, true),
            Cells::Values {
                kind: Kind::Float, ..
            } => (DataType::Float64, true),
            Cells::Values {
                kind: Kind::Bool, ..
            } => (DataType::Boolean, true),
            Cells::Values {
                kind: Kind::Date, ..
            } => (DataType::Date32, true),
            Cells::Values {
                kind: Kind::Decimal(scale),
                ..
            } => (decimal(scale), true),
        };
        Field::new(name, kind, nullable)
    }

    /// The next `rows` rows.
    pub(super) fn take(&mut self, rows: usize) -> ArrayRef {
        let runs = self.runs(rows);
        let (table, column, values, kind) = match self.cells {
            Cells::Labels {
                table,
                column,
                tree,
            } => {
                return texts(&runs, |of| Some(tree.label(table.class(of)[column])));
            }
            Cells::Leaves {
                exact,
                column,
                tree,
            } => {
                return texts(&runs, |of| {
                    Some(tree.label(tree.leaf_node(exact.leaf(of, column))))
                });
            }
            Cells::Numbers { .. } => return numbers::<Int64Type>(&runs, |of| Some(of as i64 + 1)),
            Cells::Arrivals { table, values } => {
                return numbers::<Int32Type>(&runs, |of| Some(arrival(table, values, of)));
            }
            Cells::Values {
                table,
                column,
                values,
                kind,
            } => (table, column, values, kind),
        };
        let cell = |of: usize| &values.get(table.values()[of])[column];
        macro_rules! each {
            ($kind:ident($value:ident) => $read:expr) => {
                |of| match cell(of) {
                    Value::$kind($value) => Some($read),
                    other => null(other),
                }
            };
        }
        match kind {
            Kind::String => texts(&runs, each!(Text(text) => &**text)),
            Kind::Int => numbers::<Int64Type>(&runs, each!(Int(number) => *number)),
            Kind::Float => numbers::<Float64Type>(&runs, each!(Float(number) => number.get())),
            Kind::Date => numbers::<Date32Type>(&runs, each!(Date(days) => *days)),
            Kind::Bool => truths(&runs, each!(Bool(truth) => *truth)),
            Kind::Decimal(scale) => {
                decimals(&runs, decimal(scale), each!(Decimal(units) => *units))
            }
        }
    }

    /// The runs of the next `rows` rows.
    fn runs(&mut self, rows: usize) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut wanted = rows as u64;
        while wanted > 0 {
            if self.left == 0 {
                self.left = self.rows_of(self.begun);
                self.begun += 1;
            }
            let (of, rows) = (self.begun - 1, self.left.min(wanted));
            self.left -= rows;
            wanted -= rows;
            match runs.last_mut() {
                Some(run) if self.same(run.of, of) => run.rows += rows as usize,
                _ => runs.push(Run {
                    of,
                    rows: rows as usize,
                }),
            }
        }
        assert_eq!(
            runs.iter().map(|run| run.rows).sum::<usize>(),
            rows,
            "as many rows as were asked for"
        );
        runs
    }

    /// The number of rows of a piece.
    fn rows_of(&self, at: usize) -> u64 {
        match self.cells {
            Cells::Labels { table, .. } | Cells::Numbers { table } => table.size(at),
            Cells::Leaves { exact, .. } => exact.rows_of(at),
            Cells::Arrivals { table, .. } | Cells::Values { table, .. } => table.counts()[at],
        }
    }

    /// Whether two pieces have equal cells in this column.
    fn same(&self, a: usize, b: usize) -> bool {
        match self.cells {
            Cells::Labels { table, column, .. } => table.class(a)[column] == table.class(b)[column],
            Cells::Numbers { .. } => a == b,
            Cells::Leaves { exact, column, .. } => exact.leaf(a, column) == exact.leaf(b, column),
            Cells::Arrivals { table, values } => {
                arrival(table, values, a) == arrival(table, values, b)
            }
            Cells::Values {
                table,
                column,
                values,
                ..
            } => {
                let [a, b] = [a, b].map(|group| table.values()[group]);
                a == b || values.get(a)[column] == values.get(b)[column]
            }
        }
    }
}

/// Text as a dictionary with an entry per run: equal entries are merged when it is written.
fn texts<'t>(runs: &[Run], text: impl Fn(usize) -> Option<&'t str>) -> ArrayRef {
    let mut keys =
        PrimitiveBuilder::<Int32Type>::with_capacity(runs.iter().map(|run| run.rows).sum());
    let mut entries = Vec::with_capacity(runs.len());
    for run in runs {
        match text(run.of) {
            Some(text) => {
                keys.append_value_n(entries.len() as i32, run.rows);
                entries.push(text);
            }
            None => keys.append_nulls(run.rows),
        }
    }
    Arc::new(DictionaryArray::new(
        keys.finish(),
        Arc::new(LargeStringArray::from_iter_values(entries)),
    ))
}

/// The release in which the rows of a group came.
fn arrival(table: &Release, values: &SensitiveValues, group: usize) -> i32 {
    match values.get(table.values()[group]).last() {
        Some(Value::Int(release)) => i32::try_from(*release).expect("fewer than 2^31 releases"),
        _ => panic!("rows say in which release they came"),
    }
}

/// The null of a cell that must be null.
fn null<T>(cell: &Value) -> Option<T> {
    assert!(
        *cell == Value::Null,
        "a sensitive value is of its column's type, or null"
    );
    None
}

fn numbers<T: ArrowPrimitiveType>(
    runs: &[Run],
    number: impl Fn(usize) -> Option<T::Native>,
) -> ArrayRef {
    let mut cells = PrimitiveBuilder::<T>::with_capacity(runs.iter().map(|run| run.rows).sum());
    for run in runs {
        match number(run.of) {
            Some(number) => cells.append_value_n(number, run.rows),
            None => cells.append_nulls(run.rows),
        }
    }
    Arc::new(cells.finish())
}

/// The type of sums with this many decimals.
fn decimal(scale: u8) -> DataType {
    DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale.cast_signed())
}

fn decimals(runs: &[Run], kind: DataType, units: impl Fn(usize) -> Option<i128>) -> ArrayRef {
    let mut cells = PrimitiveBuilder::<Decimal128Type>::new().with_data_type(kind);
    for run in runs {
        match units(run.of) {
            Some(units) => cells.append_value_n(units, run.rows),
            None => cells.append_nulls(run.rows),
        }
    }
    Arc::new(cells.finish())
}

fn truths(runs: &[Run], truth: impl Fn(usize) -> Option<bool>) -> ArrayRef {
    let mut cells = BooleanBuilder::new();
    for run in runs {
        match truth(run.of) {
            Some(truth) => cells.append_n(run.rows, truth),
            None => cells.append_nulls(run.rows),
        }
    }
    Arc::new(cells.finish())
}
