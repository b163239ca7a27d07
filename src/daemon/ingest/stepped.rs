//! Cells of columns whose text is changed before its type is read (`clean`, `format`, `derive`): any
//! value becomes text first, then the steps of its column follow.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};

use crate::engine::histogram::{Misfit, MisfitKind, RawCell, ReadableColumn};
use crate::engine::model::forms::dates;
use crate::engine::model::{Column, DerivedFrom, TextStep};

/// A cell after the steps of its column; the text is written into a string.
pub(super) fn stepped<'s>(
    cell: RawCell<'s>,
    steps: &[TextStep],
    into: &'s mut String,
) -> RawCell<'s> {
    if steps.is_empty() {
        return cell;
    }
    let Some(text) = text(cell) else {
        return RawCell::Null;
    };
    *into = TextStep::all(steps, &text);
    RawCell::Text(into)
}

/// The text of a cell; `None` for a missing one.
fn text(cell: RawCell<'_>) -> Option<String> {
    Some(match cell {
        RawCell::Null => return None,
        RawCell::Text(text) => text.to_owned(),
        RawCell::Int(number) => number.to_string(),
        RawCell::Float(number) => number.to_string(),
        RawCell::Bool(truth) => truth.to_string(),
        RawCell::Days(days) => dates::format(days),
        RawCell::Decimal { units, scale } => {
            let digits = format!("{:0>1$}", units.unsigned_abs(), usize::from(scale) + 1);
            let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
            let sign = if units < 0 { "-" } else { "" };
            match fraction {
                "" => format!("{sign}{whole}"),
                fraction => format!("{sign}{whole}.{fraction}"),
            }
        }
    })
}

/// A batch of a typed source in which the columns with steps are texts after these.
///
/// # Errors
/// A whole column has a type that is no value.
pub(super) fn stepped_batch(
    batch: &RecordBatch,
    columns: &[&Column],
) -> Result<RecordBatch, Misfit> {
    let changed = columns
        .iter()
        .filter(|column| !column.source.steps.is_empty());
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
    let mut arrays = batch.columns().to_vec();
    for column in changed {
        let Some((at, _)) = batch.schema().column_with_name(&column.name) else {
            continue;
        };
        let misfit = |kind| Misfit {
            row: 0,
            column: column.name.clone(),
            kind,
        };
        let cells =
            ReadableColumn::of(batch.column(at)).ok_or_else(|| misfit(MisfitKind::WrongType))?;
        let mut texts: Vec<Option<String>> = Vec::with_capacity(batch.num_rows());
        cells.each(|cell| {
            texts.push(text(cell).map(|text| TextStep::all(&column.source.steps, &text)))
        });
        arrays[at] = Arc::new(StringArray::from(texts)) as ArrayRef;
        fields[at] = Arc::new(Field::new(&*column.name, DataType::Utf8, true));
    }
    for column in columns {
        let Some(derived) = &column.source.derived else {
            continue;
        };
        let texts = computed(batch, &arrays, columns, derived)?;
        arrays.push(Arc::new(StringArray::from(texts)) as ArrayRef);
        fields.push(Arc::new(Field::new(&*column.name, DataType::Utf8, true)));
    }
    let schema = Arc::new(Schema::new(fields));
    RecordBatch::try_new(schema, arrays).map_err(|_| Misfit {
        row: 0,
        column: "".into(),
        kind: MisfitKind::WrongType,
    })
}

/// The day of a cell after the steps of its column; `None` for a missing one.
pub(super) fn day_of(cell: RawCell<'_>) -> Option<Result<i32, MisfitKind>> {
    match cell {
        RawCell::Null | RawCell::Text("") => None,
        RawCell::Days(days) => Some(Ok(days)),
        RawCell::Text(text) => Some(dates::parse(text).ok_or(MisfitKind::Malformed)),
        _ => Some(Err(MisfitKind::Malformed)),
    }
}

/// A text that no number can be read from.
const NO_NUMBER: &str = "\u{1}";

/// The texts of a computed column.
///
/// # Errors
/// A column with days is missing, or has a type that is no value.
fn computed(
    batch: &RecordBatch,
    arrays: &[ArrayRef],
    columns: &[&Column],
    derived: &DerivedFrom,
) -> Result<Vec<Option<String>>, Misfit> {
    let mut all: Vec<Vec<Option<Result<i32, MisfitKind>>>> = Vec::new();
    for name in &derived.columns {
        let misfit = |kind| Misfit {
            row: 0,
            column: name.clone(),
            kind,
        };
        let known = columns.iter().any(|column| column.name == *name);
        let at = batch.schema().index_of(name).ok().filter(|_| known);
        let at = at.ok_or_else(|| misfit(MisfitKind::NoColumn))?;
        let cells = ReadableColumn::of(&arrays[at]).ok_or_else(|| misfit(MisfitKind::WrongType))?;
        all.push(
            (0..batch.num_rows())
                .map(|row| day_of(cells.at(row)))
                .collect(),
        );
    }
    let mut texts = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        let days: Option<Vec<Result<i32, MisfitKind>>> = all.iter().map(|days| days[row]).collect();
        let days: Option<Result<Vec<i32>, MisfitKind>> =
            days.map(|days| days.into_iter().collect());
        texts.push(days.map(|days| match days {
            Ok(days) => derived.figure.number(&days).to_string(),
            Err(_) => NO_NUMBER.to_owned(),
        }));
    }
    Ok(texts)
}
