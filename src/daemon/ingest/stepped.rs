//! Cells of columns whose text is changed before its type is read (`clean`, `format`, `derive`): any
//! value becomes text first, then the steps of its column follow.

use crate::engine::histogram::{MisfitKind, RawCell};
use crate::engine::model::TextStep;
use crate::engine::model::forms::dates;

/// A cell after the steps of its column; the text is written into a string.
#[inline]
pub(super) fn stepped<'s>(
    cell: RawCell<'s>,
    steps: &[TextStep],
    into: &'s mut String,
) -> RawCell<'s> {
    if steps.is_empty() {
        return cell;
    }
    after(cell, steps, into)
}

fn after<'s>(cell: RawCell<'s>, steps: &[TextStep], into: &'s mut String) -> RawCell<'s> {
    let Some(text) = text(cell) else {
        return RawCell::Null;
    };
    *into = TextStep::all(steps, &text);
    RawCell::Text(into)
}

/// The text of a cell; `None` for a missing one.
pub(super) fn text(cell: RawCell<'_>) -> Option<String> {
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

/// The day of a cell after the steps of its column; `None` for a missing one.
pub(super) fn day_of(cell: RawCell<'_>) -> Option<Result<i32, MisfitKind>> {
    match cell {
        RawCell::Null | RawCell::Text("") => None,
        RawCell::Days(days) => Some(Ok(days)),
        RawCell::Text(text) => Some(dates::parse(text).ok_or(MisfitKind::Malformed)),
        _ => Some(Err(MisfitKind::Malformed)),
    }
}
