//! What a column of a sample holds (CONTRACTS 3, `init`): its distinct values, and how many rows have each. Profiles hold values
//! of records and therefore have no `Debug`.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::engine::histogram::{RawCell, ReadableColumn};
use crate::engine::model::Kind;
use crate::engine::model::forms::dates;

/// Distinct values that are kept per column; a column with more is no list of categories.
const MOST_VALUES: usize = 100_000;
/// The share of rows that may hold `NA` and the like in a column of numbers.
const STRAY_SHARE: f64 = 0.05;

/// What a column of the sample holds.
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The way to it, where it lies in an object.
    pub path: Option<String>,
    /// Its type, where the file says so; `Err` for one that no column can have.
    pub declared: std::result::Result<Option<Kind>, &'static str>,
    /// Rows without a value.
    pub missing: u64,
    /// Rows with a value.
    pub filled: u64,
    /// The distinct values.
    pub values: BTreeMap<Box<str>, u64>,
    /// Whether there are more of them.
    pub more: bool,
}

impl Profile {
    /// An empty one.
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

    /// Takes in the next cell.
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

    /// The distinct values without the spaces around them, and the rows of each; values of spaces alone are left out.
    pub fn trimmed(&self) -> impl Iterator<Item = (&str, u64)> {
        self.values.iter().map(|(value, &count)| (value.trim(), count)).filter(|(value, _)| !value.is_empty())
    }

    /// Rows whose value is spaces alone.
    pub fn blank(&self) -> u64 {
        self.values.iter().filter(|(value, _)| value.trim().is_empty()).map(|(_, count)| count).sum()
    }

    /// The range of numbers or days that `parse` reads, and how many rows hold nothing but spaces or, a few of them, a text that
    /// has no digit.
    pub fn range<N: Ord + Copy>(&self, parse: impl Fn(&str) -> Option<N>) -> Option<(N, N, u64)> {
        let (mut found, mut stray): (Option<(N, N)>, u64) = (None, 0);
        for (value, count) in self.trimmed() {
            match parse(value) {
                Some(number) => {
                    found = Some(found.map_or((number, number), |(min, max)| (min.min(number), max.max(number))));
                }
                None if value.chars().any(|c| c.is_ascii_digit()) => return None,
                None => stray += count,
            }
        }
        let few = stray as f64 <= STRAY_SHARE * self.filled as f64;
        found.filter(|_| few).map(|(min, max)| (min, max, stray + self.blank()))
    }

    /// How many rows have each number that `parse` reads.
    pub fn counts(&self, parse: impl Fn(&str) -> Option<i64>) -> BTreeMap<i64, u64> {
        let mut counts = BTreeMap::new();
        for (number, rows) in self.trimmed().filter_map(|(value, rows)| Some((parse(value)?, rows))) {
            *counts.entry(number).or_insert(0) += rows;
        }
        counts
    }

    /// What stands before and behind the values; readers take spaces for a part of the value.
    pub fn spaces(&self) -> BTreeSet<(&str, &str)> {
        let around = |value: &&str| !value.trim().is_empty();
        let values = self.values.keys().map(AsRef::as_ref).filter(around);
        values
            .map(|value: &str| (&value[..value.len() - value.trim_start().len()], &value[value.trim_end().len()..]))
            .collect()
    }

    /// Whether spaces stand around a value.
    pub fn is_padded(&self) -> bool {
        self.values.keys().any(|value| value.trim() != &**value && !value.trim().is_empty())
    }

    /// Distinct values per row that has one.
    pub fn distinctness(&self) -> f64 {
        if self.more { 1.0 } else { self.values.len() as f64 / self.filled.max(1) as f64 }
    }
}

impl Profile {
    /// Takes in a column's next cells; `text` says that they have no type.
    pub fn take(&mut self, array: &ArrayRef, text: bool) {
        let is_decimal = matches!(array.data_type(), DataType::Decimal128(..));
        let Some(cells) = ReadableColumn::of(array).filter(|_| !is_decimal) else {
            self.declared = Err(match array.data_type() {
                DataType::Timestamp(..) | DataType::Date64 => "it holds times of day; cut them to days first",
                DataType::Time32(_) | DataType::Time64(_) => "it holds times of day",
                DataType::Decimal128(..)
                | DataType::Decimal256(..)
                | DataType::Decimal32(..)
                | DataType::Decimal64(..) => "it holds decimals of fixed precision; write them as numbers first",
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
