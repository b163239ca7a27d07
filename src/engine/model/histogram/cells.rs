//! Reads the cells of an Arrow column one by one, whatever the column's physical type; for a
//! dictionary column each distinct value is read once.
//!
//! This file decides nothing: `encode` says what a cell means.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array};
use arrow_schema::DataType;

use super::reading::CellReading;
use crate::forms::dates;
use crate::{Finite, Kind, Role, Value, whole_number};

/// The most bytes of a text; a longer text is not a value of any column.
pub const MOST_TEXT: usize = 1 << 16;
/// 0001-01-01 and 9999-12-31: text cannot represent days beyond them, and many readers of tables
/// fail at such a day.
const CALENDAR: std::ops::RangeInclusive<i32> = -719_162..=2_932_896;

/// One cell as the source holds it.
#[derive(Clone, Copy)]
pub enum RawCell<'a> {
    /// No value.
    Null,
    /// Text.
    Text(&'a str),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Days since 1970-01-01.
    Days(i32),
    /// A number with `scale` decimals, in units of the last one.
    Decimal {
        /// The units.
        units: i128,
        /// The number of decimals.
        scale: u8,
    },
}

/// What is wrong with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MisfitKind {
    /// There is no such column.
    #[error("the column is missing")]
    NoColumn,
    /// The column's type in the source cannot hold the declared type.
    #[error("the column's type in the file does not match the declared type")]
    WrongType,
    /// A column of whole numbers, declared as text: the leading zeros of codes are gone, and 7 may
    /// be "7" or "007".
    #[error(
        "whole numbers, but the declared type is string: declare type = \"int\", or write the column as text"
    )]
    NumbersForText,
    /// No value, and the column is not optional.
    #[error("the value is missing")]
    Missing,
    /// The value is not of the declared type, or no leaf of the taxonomy stands for it.
    #[error(
        "the taxonomy lacks the value: add it there, or write `unknown = \"other\"` for the column and give the \
         taxonomy such a leaf"
    )]
    Outside,
    /// The label is not in the taxonomy.
    #[error("the label is not in the taxonomy")]
    NoLabel,
    /// A cell that is not of its column's declared type, in a column that could hold it.
    #[error(
        "the value is not of the declared type (dates are written as 2020-01-31, or as `format` says; numbers without zeros in front)"
    )]
    Malformed,
    /// A number in JSON, declared as text.
    #[error(
        "a number, but the declared type is string: write it in quotes, or declare type = \"int\""
    )]
    NumberForText,
    /// Bytes that are no text.
    #[error("the field is not UTF-8")]
    NotUtf8,
    /// A text beyond [`MOST_TEXT`].
    #[error("the text is longer than 65,536 bytes")]
    TooLong,
    /// Several values, or fields, in place of one value.
    #[error("an array or an object instead of a single value")]
    Nested,
    /// The path to the field leads through something that has no fields.
    #[error("the path leads through a value that is not an object")]
    NoPath,
    /// The field, or an object on the path to it, occurs twice.
    #[error("the field occurs twice")]
    Twice,
    /// The whole row: it has too few or too many fields.
    #[error("{found} field(s), but the header has {wanted}")]
    Fields {
        /// How many there are.
        found: u32,
        /// How many the header has.
        wanted: u32,
    },
    /// The whole row: it is not exactly one JSON object.
    #[error("the line is not a single JSON object")]
    NoObject,
    /// The whole row: it has too many bytes.
    #[error("the row is longer than 16 MiB")]
    LongRow,
    /// The whole message of a topic: it is not exactly one JSON object.
    #[error("the message is not a single JSON object")]
    NoMessage,
    /// A message of a topic that has no content.
    #[error("the message has no content: `tombstones` decides what to do with such a message")]
    Tombstone,
    /// A message of a topic that says that a record was deleted.
    #[error("the message deletes a record: `deletes` decides what to do with such a message")]
    Delete,
    /// The whole message of a topic: it is not exactly one record.
    #[error("the message is not a single Avro record of its schema")]
    NotAvro,
    /// A message of a topic whose schema is unknown.
    #[error("the registry lacks the schema with the number in the message")]
    NoSchema,
    /// A message of a topic whose schema is not that of an Avro record.
    #[error("the schema with the number in the message is not that of an Avro record")]
    StrangeSchema,
    /// The whole message of a topic: it is no stream of rows.
    #[error("the message is not a readable Arrow IPC stream")]
    NotArrow,
    /// The path to the field expects a list, and finds something else.
    #[error("the path leads into a list, but the value is not a list")]
    NoList,
    /// The whole row: its person has one already, and the feed file asks for such rows to be set
    /// aside.
    #[error("duplicate: this person already has a row, and the first one counts")]
    Repeat,
    /// The content of a JSON field is no value.
    #[error("the field is not a JSON value")]
    NotJson,
    /// The whole message: it has too many records.
    #[error("the message has more than 65,536 records")]
    ManyRecords,
    /// The whole record: it is not exactly one JSON object.
    #[error("what `each` leads to is not a single JSON object")]
    NoRecord,
}

/// A column whose cells can be read.
pub struct ReadableColumn<'a> {
    array: &'a ArrayRef,
    /// The column, if its cells recur.
    coded: Option<&'a DictionaryArray<Int32Type>>,
    read: fn(&dyn Array, usize) -> RawCell<'_>,
}

impl<'a> ReadableColumn<'a> {
    /// A column whose physical type can hold the declared one.
    ///
    /// # Errors
    /// [`MisfitKind::NumbersForText`] or [`MisfitKind::WrongType`].
    pub fn fitting(
        array: &'a ArrayRef,
        kind: Kind,
        role: Role,
        reading: CellReading,
    ) -> Result<ReadableColumn<'a>, MisfitKind> {
        let numbers = kind == Kind::String && values_of(array.data_type()).is_integer();
        let wrong = if numbers {
            MisfitKind::NumbersForText
        } else {
            MisfitKind::WrongType
        };
        // Writers convert whole numbers into floats when one is missing, and a missing sensitive
        // value is no reason to refuse a file.
        let values = matches!(role, Role::Sensitive | Role::Measure);
        let gaps = values && kind == Kind::Int && values_of(array.data_type()).is_floating();
        let exact = role == Role::Measure
            && matches!(values_of(array.data_type()), DataType::Decimal128(_, 0..));
        let fits = gaps || exact || fits(array.data_type(), kind, reading);
        fits.then(|| ReadableColumn::of(array))
            .flatten()
            .ok_or(wrong)
    }

    /// `None` for types that no declared column can hold (lists, structs, bytes, …). Readers of
    /// damaged files make dictionaries of text whose values are bytes, so the values count, not
    /// what is said of them.
    pub fn of(array: &'a ArrayRef) -> Option<ReadableColumn<'a>> {
        let coded = array.as_dictionary_opt::<Int32Type>();
        let values = coded.map_or(array, |coded| coded.values());
        Some(ReadableColumn {
            array,
            coded,
            read: reader(values.data_type())?,
        })
    }

    /// For each row the number of its distinct cell, if cells recur.
    pub fn keys(&self) -> Option<&'a Int32Array> {
        self.coded.map(DictionaryArray::keys)
    }

    /// The number of distinct cells, if cells recur.
    pub fn distinct(&self) -> usize {
        self.coded.map_or(0, |coded| coded.values().len())
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.array.len()
    }

    /// The cell of a row.
    pub fn at(&self, row: usize) -> RawCell<'a> {
        if self.array.is_null(row) {
            return RawCell::Null;
        }
        let Some(dictionary) = self.coded else {
            return (self.read)(self.array, row);
        };
        let at = dictionary.keys().value(row) as usize;
        if dictionary.values().is_null(at) {
            RawCell::Null
        } else {
            (self.read)(dictionary.values(), at)
        }
    }

    /// Calls `show` with every cell, row by row.
    pub fn each(&self, show: impl FnMut(RawCell<'_>)) {
        (0..self.array.len()).map(|row| self.at(row)).for_each(show);
    }

    /// Calls `show` with every distinct cell; for a dictionary once for each value that some row
    /// has.
    pub fn each_distinct(&self, mut show: impl FnMut(RawCell<'_>)) {
        let Some(dictionary) = self.coded else {
            return self.each(show);
        };
        let (keys, values) = (dictionary.keys(), dictionary.values());
        let mut used = vec![false; values.len()];
        keys.iter()
            .flatten()
            .for_each(|key| used[key as usize] = true);
        for at in (0..used.len()).filter(|&at| used[at]) {
            show(if values.is_null(at) {
                RawCell::Null
            } else {
                (self.read)(values, at)
            });
        }
    }

    /// The code of every cell; the first cell without a code is the error, with its row.
    pub fn codes<F>(&self, mut code: F) -> Result<Vec<u32>, (usize, MisfitKind)>
    where
        F: FnMut(RawCell<'_>) -> Result<u32, MisfitKind>,
    {
        let Some(keys) = self.keys() else {
            let code = |row| code(self.at(row)).map_err(|kind| (row, kind));
            return (0..self.array.len()).map(code).collect();
        };
        let null = self.distinct();
        let mut known: Vec<Option<u32>> = vec![None; null + 1];
        let mut code = |(row, key): (usize, Option<i32>)| {
            let at = key.map_or(null, |key| key as usize);
            let found = known[at].map_or_else(|| code(self.at(row)), Ok);
            known[at] = found.ok();
            found.map_err(|kind| (row, kind))
        };
        keys.iter().enumerate().map(&mut code).collect()
    }
}

/// How a cell of this type is read.
fn reader(kind: &DataType) -> Option<fn(&dyn Array, usize) -> RawCell<'_>> {
    macro_rules! int {
        ($type:ty) => {
            |array, at| RawCell::Int(i64::from(array.as_primitive::<$type>().value(at)))
        };
    }
    Some(match kind {
        DataType::Utf8 => |array, at| RawCell::Text(array.as_string::<i32>().value(at)),
        DataType::LargeUtf8 => |array, at| RawCell::Text(array.as_string::<i64>().value(at)),
        DataType::Utf8View => |array, at| RawCell::Text(array.as_string_view().value(at)),
        DataType::Boolean => |array, at| RawCell::Bool(array.as_boolean().value(at)),
        DataType::Date32 => |array, at| RawCell::Days(array.as_primitive::<Date32Type>().value(at)),
        DataType::Float64 => {
            |array, at| RawCell::Float(array.as_primitive::<Float64Type>().value(at))
        }
        DataType::Float32 => {
            |array, at| RawCell::Float(f64::from(array.as_primitive::<Float32Type>().value(at)))
        }
        DataType::Int64 => |array, at| RawCell::Int(array.as_primitive::<Int64Type>().value(at)),
        DataType::Int32 => int!(Int32Type),
        DataType::Int16 => int!(Int16Type),
        DataType::Int8 => int!(Int8Type),
        DataType::UInt32 => int!(UInt32Type),
        DataType::UInt16 => int!(UInt16Type),
        DataType::UInt8 => int!(UInt8Type),
        DataType::UInt64 => |array, at| {
            i64::try_from(array.as_primitive::<UInt64Type>().value(at))
                .map_or(RawCell::Float(f64::NAN), RawCell::Int)
        },
        DataType::Decimal128(_, 0..) => |array, at| {
            let decimals = array.as_primitive::<Decimal128Type>();
            let scale = u8::try_from(decimals.scale()).expect("only such a type is read like this");
            RawCell::Decimal {
                units: decimals.value(at),
                scale,
            }
        },
        DataType::Null => |_, _| RawCell::Null,
        _ => return None,
    })
}

/// The type of a column's values.
fn values_of(physical: &DataType) -> &DataType {
    match physical {
        DataType::Dictionary(_, value) => value,
        plain => plain,
    }
}

/// Whether cells of this physical type can be of the declared one; numbers may be written in text
/// columns. In raw data numbers are no text, as in JSON; in a release of others they are what its
/// readers see.
fn fits(physical: &DataType, kind: Kind, reading: CellReading) -> bool {
    let physical = values_of(physical);
    let text = matches!(
        physical,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    );
    match kind {
        _ if *physical == DataType::Null || text && reading.is_text() => true,
        Kind::String => text || physical.is_integer() && reading.is_labels(),
        Kind::Int => physical.is_integer(),
        Kind::Float => physical.is_integer() || physical.is_floating(),
        Kind::Bool => *physical == DataType::Boolean,
        Kind::Date => *physical == DataType::Date32,
        Kind::Decimal(scale) => {
            matches!(*physical, DataType::Decimal128(_, of) if i16::from(of) == i16::from(scale))
        }
    }
}

/// Whether a number of days is in the years 0001 to 9999, as every date in text is.
pub(super) fn in_calendar(days: i32) -> bool {
    CALENDAR.contains(&days)
}

/// A cell in its column's type; `None` when it is of another type.
pub fn parse_value(cell: RawCell<'_>, kind: Kind, reading: CellReading) -> Option<Value> {
    let float = |number: f64| Finite::new(number).map(Value::Float);
    let text = reading.is_text();
    Some(match (cell, kind) {
        (RawCell::Null | RawCell::Text(""), _) => Value::Null,
        (RawCell::Text(long), _) if long.len() > MOST_TEXT => return None,
        (RawCell::Text(text), Kind::String) => Value::Text(text.into()),
        (RawCell::Text(number), Kind::Int) if text => Value::Int(whole_number(number)?),
        (RawCell::Text(date), Kind::Date) if text || reading == CellReading::Json => {
            Value::Date(dates::parse(date)?)
        }
        (RawCell::Text(truth), Kind::Bool) if text => Value::Bool(truth.parse().ok()?),
        (RawCell::Text(number), Kind::Float) if text => {
            let plain = number
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'.' | b'e' | b'E'));
            float(plain.then(|| number.parse().ok()).flatten()?)?
        }
        (RawCell::Int(number), Kind::Int) => Value::Int(number),
        (RawCell::Int(number), Kind::String) if reading.is_labels() => {
            Value::Text(number.to_string().into())
        }
        // Whole numbers up to 2^53 are converted to floats without loss; larger ones are not of the
        // column's type.
        (RawCell::Int(number), Kind::Float) if number.unsigned_abs() <= 1 << 53 => {
            float(number as f64)?
        }
        (RawCell::Float(number), Kind::Float) => float(number)?,
        (RawCell::Float(number), Kind::Int)
            if !matches!(reading, CellReading::Json | CellReading::Avro) =>
        {
            whole(number)?
        }
        (RawCell::Bool(truth), Kind::Bool) => Value::Bool(truth),
        (RawCell::Days(days), Kind::Date) if in_calendar(days) => Value::Date(days),
        (RawCell::Decimal { units, scale }, Kind::Decimal(of)) if scale == of => {
            Value::Decimal(units)
        }
        _ => return None,
    })
}

/// A whole number that a column of floats represents without loss.
pub(super) fn whole(number: f64) -> Option<Value> {
    let exact = number.fract() == 0.0 && number.abs() <= (1u64 << 53) as f64;
    assert!(
        !exact || number as i64 as f64 == number,
        "nothing is lost of a whole number"
    );
    exact.then_some(Value::Int(number as i64))
}

/// A malformed cell as a reader of the table sees it.
pub(super) fn as_seen(cell: RawCell<'_>) -> Value {
    Value::Text(match cell {
        RawCell::Null => return Value::Null,
        RawCell::Text(text) => text.into(),
        RawCell::Int(number) => number.to_string().into(),
        RawCell::Float(number) => number.to_string().into(),
        RawCell::Bool(truth) => truth.to_string().into(),
        RawCell::Days(days) => dates::format(days).into(),
        RawCell::Decimal { units, scale } => format!("{units}e-{scale}").into(),
    })
}

/// A sensitive value, as a feed file or another source of text writes it.
pub fn parse_text(text: &str, kind: Kind) -> Option<Value> {
    parse_value(RawCell::Text(text), kind, CellReading::Text)
}
