//! The counts as a Parquet file: a column for each of --by, then the figures.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    UInt64Array,
};
use parquet::arrow::ArrowWriter;

use crate::daemon::error::{Error, ErrorCategory as Fault, Result};
use crate::daemon::opened_release::Opened;
use crate::engine::counting::{CellEstimate, CountQuestion, CountedColumn};
use crate::engine::model::{Kind, Role, Value};

/// The names of the figures.
const FIGURES: [&str; 4] = ["estimate", "standard_error", "low", "high"];

/// Writes the counts of all combinations that a row can have.
///
/// # Errors
/// The file cannot be written, or a column has the name of a figure.
pub(super) fn write(
    file: &Path,
    (question, counts): (&CountQuestion, &[CellEstimate]),
    by: &[&str],
    opened: &Opened,
) -> Result<()> {
    if let Some(name) = by.iter().find(|name| FIGURES.contains(name)) {
        let text =
            format!("`{name}` is also the name of a figure in this file: count without --out");
        return Err(Error::new(Fault::Usage, text).in_field("--by"));
    }
    let cells: Vec<usize> = (0..counts.len())
        .filter(|&cell| counts[cell].high > 0)
        .collect();
    let names: Vec<Vec<CountedColumn<'_>>> =
        cells.iter().map(|&cell| question.names(cell)).collect();
    let mut columns: Vec<(&str, ArrayRef, bool)> = Vec::new();
    for (at, name) in by.iter().enumerate() {
        let kind = opened
            .columns
            .named(name)
            .filter(|column| column.role == Role::Sensitive)
            .map(|column| column.kind);
        columns.push((
            name,
            column(names.iter().map(|names| &names[at]), kind),
            kind.is_some(),
        ));
    }
    let of = |figure: fn(&CellEstimate) -> u64| {
        UInt64Array::from_iter_values(cells.iter().map(|&cell| figure(&counts[cell])))
    };
    let estimates = Float64Array::from_iter_values(cells.iter().map(|&cell| counts[cell].estimate));
    let errors: Float64Array = cells
        .iter()
        .map(|&cell| counts[cell].standard_error)
        .collect();
    columns.push((FIGURES[0], Arc::new(estimates), false));
    columns.push((FIGURES[1], Arc::new(errors), true));
    columns.push((FIGURES[2], Arc::new(of(|counted| counted.low)), false));
    columns.push((FIGURES[3], Arc::new(of(|counted| counted.high)), false));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns have one length");
    let opened = File::create(file)
        .map_err(|error| Error::io(file, "write the counts", &error).in_field("--out"))?;
    let refused = |_| {
        Error::new(Fault::Io, "the counts could not be written")
            .in_file(file)
            .in_field("--out")
    };
    let mut writer = ArrowWriter::try_new(opened, batch.schema(), None).map_err(refused)?;
    writer.write(&batch).map_err(refused)?;
    writer.close().map(drop).map_err(refused)
}

/// The labels of a column, or its values, if they are of a type.
fn column<'n>(names: impl Iterator<Item = &'n CountedColumn<'n>>, kind: Option<Kind>) -> ArrayRef {
    let value = |name: &'n CountedColumn<'n>| match name {
        CountedColumn::Value(value) => Some(*value),
        CountedColumn::Label(_) => None,
    };
    match kind {
        None => Arc::new(
            names
                .map(|name| {
                    if let CountedColumn::Label(label) = name {
                        Some(*label)
                    } else {
                        None
                    }
                })
                .collect::<StringArray>(),
        ),
        Some(Kind::String) => {
            let text = |name| {
                if let Some(Value::Text(text)) = value(name) {
                    Some(&**text)
                } else {
                    None
                }
            };
            Arc::new(names.map(text).collect::<StringArray>())
        }
        Some(Kind::Int) => {
            let number = |name| {
                if let Some(Value::Int(number)) = value(name) {
                    Some(*number)
                } else {
                    None
                }
            };
            Arc::new(names.map(number).collect::<Int64Array>())
        }
        Some(Kind::Float | Kind::Decimal(_)) => {
            let number = |name| {
                if let Some(Value::Float(number)) = value(name) {
                    Some(number.get())
                } else {
                    None
                }
            };
            Arc::new(names.map(number).collect::<Float64Array>())
        }
        Some(Kind::Bool) => {
            let truth = |name| {
                if let Some(Value::Bool(truth)) = value(name) {
                    Some(*truth)
                } else {
                    None
                }
            };
            Arc::new(names.map(truth).collect::<BooleanArray>())
        }
        Some(Kind::Date) => {
            let days = |name| {
                if let Some(Value::Date(days)) = value(name) {
                    Some(*days)
                } else {
                    None
                }
            };
            Arc::new(names.map(days).collect::<Date32Array>())
        }
    }
}
