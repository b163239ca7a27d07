//! The format of sensitive values in sealed objects: a serialisation of the engine's dictionary,
//! for `#[serde(with)]`.

use std::fmt;

use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::engine::histogram::SensitiveValues;
use crate::engine::model::{Finite, SmolStr, Value, read_text};

/// Distinct tuples of sensitive values, in order.
#[derive(Deserialize)]
#[serde(rename = "SensitiveValues")]
struct ValueTable {
    width: usize,
    tuples: FlatTuples,
}

/// The same, for writing.
#[derive(Serialize)]
#[serde(rename = "SensitiveValues")]
struct BorrowedTable<'v> {
    width: usize,
    #[serde(serialize_with = "tuples")]
    tuples: &'v SensitiveValues,
}

/// One value. A change here requires a new version of the format.
#[derive(Serialize, Deserialize)]
enum StoredValue {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Date(i32),
    Text(#[serde(deserialize_with = "read_text")] SmolStr),
    Decimal(i128),
}

impl From<&Value> for StoredValue {
    fn from(value: &Value) -> StoredValue {
        match value {
            Value::Null => StoredValue::Null,
            Value::Bool(value) => StoredValue::Bool(*value),
            Value::Int(value) => StoredValue::Int(*value),
            Value::Float(value) => StoredValue::Float(value.get()),
            Value::Date(value) => StoredValue::Date(*value),
            Value::Text(value) => StoredValue::Text(value.clone()),
            Value::Decimal(value) => StoredValue::Decimal(*value),
        }
    }
}

impl StoredValue {
    /// The value; `None` for a number that is not finite.
    fn value(self) -> Option<Value> {
        Some(match self {
            StoredValue::Null => Value::Null,
            StoredValue::Bool(value) => Value::Bool(value),
            StoredValue::Int(value) => Value::Int(value),
            StoredValue::Float(value) => Value::Float(Finite::new(value)?),
            StoredValue::Date(value) => Value::Date(value),
            StoredValue::Text(value) => Value::Text(value),
            StoredValue::Decimal(value) => Value::Decimal(value),
        })
    }
}

/// Tuples that are read one after another, without memory of their own.
#[derive(Default)]
struct FlatTuples {
    cells: Vec<Value>,
    number: usize,
    /// The number of values of all tuples; `None` as long as there are none.
    width: Option<usize>,
}

impl<'de> Deserialize<'de> for FlatTuples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FlatTuples, D::Error> {
        struct Tuples;
        impl<'de> Visitor<'de> for Tuples {
            type Value = FlatTuples;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tuples of values")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<FlatTuples, A::Error> {
                let mut read = FlatTuples::default();
                while let Some(width) = list.next_element_seed(NextTuple(&mut read.cells))? {
                    if *read.width.get_or_insert(width) != width {
                        return Err(de::Error::custom("the tuples have several lengths"));
                    }
                    read.number += 1;
                }
                Ok(read)
            }
        }
        deserializer.deserialize_seq(Tuples)
    }
}

/// Reads one tuple behind the others, and returns its length.
struct NextTuple<'c>(&'c mut Vec<Value>);

impl<'de> DeserializeSeed<'de> for NextTuple<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for NextTuple<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<usize, A::Error> {
        let before = self.0.len();
        while let Some(stored) = list.next_element::<StoredValue>()? {
            self.0.push(
                stored
                    .value()
                    .ok_or_else(|| de::Error::custom("a number is not finite"))?,
            );
        }
        Ok(self.0.len() - before)
    }
}

fn tuples<S: Serializer>(values: &&SensitiveValues, serializer: S) -> Result<S::Ok, S::Error> {
    /// The values of one tuple.
    struct Tuple<'v>(&'v [Value]);
    impl Serialize for Tuple<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.iter().map(StoredValue::from))
        }
    }
    let mut list = serializer.serialize_seq(Some(values.len()))?;
    for code in 0..values.len() {
        list.serialize_element(&Tuple(values.get(code as u32)))?;
    }
    list.end()
}

pub(super) fn serialize<S: Serializer>(
    values: &SensitiveValues,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    BorrowedTable {
        width: values.width(),
        tuples: values,
    }
    .serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<SensitiveValues, D::Error> {
    let ValueTable {
        width,
        tuples:
            FlatTuples {
                cells,
                number,
                width: found,
            },
    } = ValueTable::deserialize(deserializer)?;
    let tuple = |at: usize| &cells[at * width..][..width];
    let sound =
        found.is_none_or(|found| found == width) && (1..number).all(|at| tuple(at - 1) < tuple(at));
    if !sound {
        return Err(de::Error::custom("the values are not in their order"));
    }
    Ok(SensitiveValues::from_cells(width, number, cells).0)
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use crate::engine::histogram::SensitiveValues;
    use crate::engine::model::{Finite, Value};

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Object {
        #[serde(with = "super")]
        values: SensitiveValues,
        behind: u8,
    }

    /// The bytes of each kind of value, which every later version has to read.
    #[test]
    fn values_have_these_bytes() {
        let float = Value::Float(Finite::new(0.5).expect("finite"));
        let tuples = [
            Value::Null,
            Value::Bool(true),
            Value::Int(-3),
            float,
            Value::Date(5),
            Value::Text("é".into()),
            Value::Decimal(-1),
        ];
        let (values, _) = SensitiveValues::from_distinct(
            1,
            tuples
                .into_iter()
                .map(|value| vec![value].into_boxed_slice())
                .collect(),
        );
        let object = Object { values, behind: 9 };
        let bytes = postcard::to_stdvec(&object).expect("bytes");
        let meant = [
            &[1, 7][..],
            &[1, 0],
            &[1, 1, 1],
            &[1, 2, 5],
            &[1, 3, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
            &[1, 4, 10],
            &[1, 5, 2, 0xc3, 0xa9],
            &[1, 6, 1],
            &[9],
        ];
        assert_eq!(bytes, meant.concat());
        assert_eq!(
            postcard::from_bytes::<Object>(&bytes).expect("it is read"),
            object
        );
        // Checkpoints are read piece by piece, from bytes that do not stay.
        let mut scratch = [0; 64];
        let (read, _) =
            postcard::from_io::<Object, _>((&bytes[..], &mut scratch)).expect("it is read");
        assert_eq!(read, object);
        let not_finite = [&[1, 1, 1, 3][..], &f64::NAN.to_le_bytes(), &[9]].concat();
        assert!(postcard::from_bytes::<Object>(&not_finite).is_err());
        assert!(
            postcard::from_bytes::<Object>(&[1, 2, 1, 2, 4, 1, 2, 2, 9]).is_err(),
            "values out of their order"
        );
        assert!(
            postcard::from_bytes::<Object>(&[2, 1, 1, 2, 4, 9]).is_err(),
            "a tuple that is too short"
        );
    }
}
