//! What the values of a column look like, all together (CONTRACTS 3, `init`). Only ranges and lengths leave this file,
//! never a value.

use std::collections::BTreeSet;

use super::names::Name;
use super::sample::Profile;
use crate::engine::model::Kind;
use crate::engine::model::forms::dates;
use crate::engine::model::whole_number;

/// The share of rows that may hold `NA` and the like in a column of numbers.
const STRAY_SHARE: f64 = 0.05;

/// Characters that no label of a list has.
const LONG: usize = 100;

/// What all values of a column have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Whole numbers; `stray` when a few rows hold something else.
    Int {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
        /// Whether a few rows hold `NA` or the like.
        stray: bool,
    },
    /// Numbers with fractions.
    Float,
    /// Days as `2020-01-31`.
    Date {
        /// The first.
        from: i32,
        /// The last.
        to: i32,
    },
    /// Days or times in another notation.
    OtherDate,
    /// Three-character categories of ICD-10, or longer codes.
    Icd10,
    /// Text of one length without spaces and with a digit.
    Code {
        /// Characters of each.
        length: usize,
    },
    /// Long or wordy text.
    FreeText,
    /// Anything else.
    Text,
}

/// The shape of a column with at least one value.
pub fn of(profile: &Profile, name: &Name) -> Shape {
    let values = || profile.values.keys().map(AsRef::as_ref);
    if profile.declared == Ok(Some(Kind::Float)) {
        return Shape::Float;
    }
    if let Some(shape) = whole(profile) {
        return shape;
    }
    if values().all(is_fraction) {
        return Shape::Float;
    }
    let days: Option<Vec<i32>> = values().map(dates::parse).collect();
    if let Some((from, to)) = days.and_then(|days| Some((*days.iter().min()?, *days.iter().max()?))) {
        return Shape::Date { from, to };
    }
    if values().all(looks_like_date) {
        return Shape::OtherDate;
    }
    let filled = profile.values.len() as f64;
    let place = name.is_known() && !name.is_secret();
    let diseases = values().filter(|value| is_disease(value)).count() as f64;
    let categories: BTreeSet<&[u8]> = values().filter_map(|value| value.as_bytes().get(..3)).collect();
    if !place && diseases >= 0.9 * filled && categories.len() > 1 {
        return Shape::Icd10;
    }
    let lengths: f64 = values().map(|value| value.chars().count() as f64).sum();
    let spaces: f64 = values().map(|value| value.matches(' ').count() as f64).sum();
    let wordy = lengths / filled > 40.0 || spaces / filled > 3.0 || values().any(|value| value.chars().count() > LONG);
    // Long labels that repeat may be those of diagnoses; elsewhere a sentence is a sentence however often it stands there.
    if wordy && (profile.distinctness() > 0.3 || !name.is_secret()) {
        return Shape::FreeText;
    }
    let length = values().next().map_or(0, |value| value.chars().count());
    let code = |value: &str| {
        value.chars().count() == length
            && !value.chars().any(char::is_whitespace)
            && value.chars().any(|c| c.is_ascii_digit())
            && !value.contains('*')
    };
    if length > 1 && values().all(code) { Shape::Code { length } } else { Shape::Text }
}

/// Whole numbers, perhaps with a few rows of something else.
fn whole(profile: &Profile) -> Option<Shape> {
    let (mut min, mut max, mut stray) = (i64::MAX, i64::MIN, 0);
    for (value, count) in &profile.values {
        match whole_number(value) {
            Some(number) => (min, max) = (min.min(number), max.max(number)),
            None if value.chars().any(|c| c.is_ascii_digit()) => return None,
            None => stray += count,
        }
    }
    let few = stray as f64 <= STRAY_SHARE * profile.filled as f64;
    (min <= max && few).then_some(Shape::Int { min, max, stray: stray > 0 })
}

fn is_fraction(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !whole.is_empty() && plain(whole) && plain(fraction) && (whole == "0" || !whole.starts_with('0'))
}

/// Digits with two separators of dates, or a day with a time behind it.
fn looks_like_date(value: &str) -> bool {
    let day = value.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split(['.', '/', '-']).collect();
    parts.len() == 3
        && parts.iter().all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A letter, two digits and, after a dot or not, up to four more characters.
fn is_disease(value: &str) -> bool {
    let bytes = value.as_bytes();
    let category =
        bytes.len() >= 3 && bytes[0].is_ascii_uppercase() && bytes[1].is_ascii_digit() && bytes[2].is_ascii_digit();
    let more = bytes.get(3..).unwrap_or_default();
    category
        && more.len() <= 5
        && more.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase() || *byte == b'.')
}
