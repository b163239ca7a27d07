//! The profile of a sample's column (CONTRACTS 3, `init`): its distinct values, and the number of
//! rows of each. Profiles contain values of records and therefore have no `Debug`.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::engine::histogram::{RawCell, ReadableColumn};
use crate::engine::model::Kind;
use crate::engine::model::forms::dates;

/// The most distinct values that are kept per column; a column with more is no list of categories.
const MOST_VALUES: usize = 100_000;
/// The share of rows that may contain `NA` and the like in a column of numbers.
const STRAY_SHARE: f64 = 0.05;

/// With fewer rows, and with fewer different values, a sample says little about what a column is.
const MANY_ROWS: u64 = 100;
/// Keys of people have a larger share of different values than this.
const KEY_SHARE: f64 = 0.1;
/// One person has at most so many rows, or one in a hundred of a large sample.
const MOST_ROWS_OF_A_KEY: u64 = 10;
/// Keys have this many characters or more.
const SHORTEST_KEY: usize = 4;

/// Whether a value may be a key: long enough, without spaces, with a digit, and no number with a
/// fraction.
fn is_key(value: &str) -> bool {
    if value.chars().count() < SHORTEST_KEY || value.chars().any(char::is_whitespace) {
        return false;
    }
    let is_fraction = value.contains(['.', ',']) && value.chars().all(|c| !c.is_alphabetic());
    !is_fraction && value.chars().any(|c| c.is_ascii_digit())
}

/// The profile of a column.
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Its path, if it is inside an object.
    pub path: Option<String>,
    /// Its type, if the file declares one; `Err` for a type that no column can have.
    pub declared: std::result::Result<Option<Kind>, &'static str>,
    /// The number of rows without a value.
    pub missing: u64,
    /// The number of rows with a value.
    pub filled: u64,
    /// The distinct values.
    pub values: BTreeMap<Box<str>, u64>,
    /// Whether there are more of them.
    pub more: bool,
}

impl Profile {
    /// An empty profile.
    pub fn new(name: &str, declared: Option<Kind>) -> Profile {
        Profile {
            name: name.into(),
            path: None,
            declared: Ok(declared),
            missing: 0,
            filled: 0,
            values: BTreeMap::new(),
            more: false,
        }
    }

    /// Adds the next cell.
    pub fn add(&mut self, value: &str) {
        if value.is_empty() {
            self.missing += 1;
            return;
        }
        self.filled += 1;
        if let Some(count) = self.values.get_mut(value) {
            *count += 1;
        } else if self.values.len() < MOST_VALUES {
            self.values.insert(value.into(), 1);
        } else {
            self.more = true;
        }
    }

    /// The distinct values without surrounding spaces, and the rows of each, without values that
    /// consist of spaces.
    pub fn trimmed(&self) -> impl Iterator<Item = (&str, u64)> {
        self.values
            .iter()
            .map(|(value, &count)| (value.trim(), count))
            .filter(|(value, _)| !value.is_empty())
    }

    /// The number of rows whose value consists of spaces.
    pub fn blank(&self) -> u64 {
        self.values
            .iter()
            .filter(|(value, _)| value.trim().is_empty())
            .map(|(_, count)| count)
            .sum()
    }

    /// The range of numbers or days that `parse` reads, and how many rows contain only spaces or,
    /// in a few cases, a text without digits.
    pub fn range<N: Ord + Copy>(&self, parse: impl Fn(&str) -> Option<N>) -> Option<(N, N, u64)> {
        let (mut found, mut stray): (Option<(N, N)>, u64) = (None, 0);
        for (value, count) in self.trimmed() {
            match parse(value) {
                Some(number) => {
                    found = Some(found.map_or((number, number), |(min, max)| {
                        (min.min(number), max.max(number))
                    }));
                }
                None if value.chars().any(|c| c.is_ascii_digit()) => return None,
                None => stray += count,
            }
        }
        let few = stray as f64 <= STRAY_SHARE * self.filled as f64;
        found
            .filter(|_| few)
            .map(|(min, max)| (min, max, stray + self.blank()))
    }

    /// The number of rows of each number that `parse` reads.
    pub fn counts(&self, parse: impl Fn(&str) -> Option<i64>) -> BTreeMap<i64, u64> {
        let mut counts = BTreeMap::new();
        for (number, rows) in self
            .trimmed()
            .filter_map(|(value, rows)| Some((parse(value)?, rows)))
        {
            *counts.entry(number).or_insert(0) += rows;
        }
        counts
    }

    /// The spaces before and after values; they count as part of the value.
    pub fn spaces(&self) -> BTreeSet<(&str, &str)> {
        let around = |value: &&str| !value.trim().is_empty();
        let values = self.values.keys().map(AsRef::as_ref).filter(around);
        values
            .map(|value: &str| {
                (
                    &value[..value.len() - value.trim_start().len()],
                    &value[value.trim_end().len()..],
                )
            })
            .collect()
    }

    /// Whether some value has surrounding spaces.
    pub fn is_padded(&self) -> bool {
        self.values
            .keys()
            .any(|value| value.trim() != &**value && !value.trim().is_empty())
    }

    /// Whether so many values of a large sample are different that a list of them would name
    /// people: more than a third, of a hundred rows or more.
    pub fn is_mostly_different(&self) -> bool {
        if self.filled + self.missing < MANY_ROWS {
            return false;
        }
        self.more || self.values.len() as u64 * 3 > self.filled
    }

    /// Whether values look like keys that each belong to one person: text without spaces, with
    /// digits, of which many are different and none is frequent.
    pub fn has_keys(&self) -> bool {
        if self.filled < MANY_ROWS || self.distinctness() <= KEY_SHARE {
            return false;
        }
        if !self.more && (self.values.len() as u64) < MANY_ROWS {
            return false;
        }
        let most_rows = self.values.values().copied().max().unwrap_or(0);
        if most_rows > (self.filled / MANY_ROWS).max(MOST_ROWS_OF_A_KEY) {
            return false;
        }
        self.values.keys().all(|value| is_key(value.trim()))
    }

    /// The number of distinct values divided by the number of rows with a value.
    pub fn distinctness(&self) -> f64 {
        if self.more {
            1.0
        } else {
            self.values.len() as f64 / self.filled.max(1) as f64
        }
    }
}

impl Profile {
    /// Adds a column's next cells; `text` says that they have no type.
    pub fn take(&mut self, array: &ArrayRef, text: bool) {
        let is_decimal = matches!(array.data_type(), DataType::Decimal128(..));
        let Some(cells) = ReadableColumn::of(array).filter(|_| !is_decimal) else {
            self.declared = Err(match array.data_type() {
                DataType::Timestamp(..) | DataType::Date64 => {
                    "it holds times of day; cut them to days first"
                }
                DataType::Time32(_) | DataType::Time64(_) => "it holds times of day",
                DataType::Decimal128(..)
                | DataType::Decimal256(..)
                | DataType::Decimal32(..)
                | DataType::Decimal64(..) => {
                    "it holds decimals of fixed precision; write them as numbers first"
                }
                _ => "its values are nested or binary",
            });
            return;
        };
        cells.each(|cell| {
            let (kind, written) = match cell {
                RawCell::Null => {
                    self.missing += 1;
                    return;
                }
                RawCell::Text(written) if text => {
                    self.add(written);
                    return;
                }
                RawCell::Text(written) => (Kind::String, written.to_owned()),
                RawCell::Int(number) => (Kind::Int, number.to_string()),
                RawCell::Float(number) => (Kind::Float, number.to_string()),
                RawCell::Bool(truth) => (Kind::Bool, truth.to_string()),
                RawCell::Days(days) => (Kind::Date, dates::format(days)),
                RawCell::Decimal { .. } => return,
            };
            self.declared = Ok(Some(kind));
            self.add(&written);
        });
    }
}
