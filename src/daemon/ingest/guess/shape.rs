//! The common form of the values of a column (CONTRACTS 3, `init`), without surrounding spaces.
//! Only ranges and lengths leave this file, never a value.

use super::content::{self, Postcode};
use super::days::{self, Days, Notation};
use super::names::ColumnName;
use super::profile::Profile;
use crate::engine::model::Kind;
use crate::engine::model::whole_number;

/// Labels of a list have fewer characters than this.
const LONG: usize = 100;

/// The common form of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ValueShape {
    /// Whole numbers; `stray` if a few rows contain something else.
    Int {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
        /// Whether a few rows contain `NA` or the like.
        stray: bool,
    },
    /// Whole numbers, some with leading zeros.
    Zeros {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
        /// The number of characters of each, if all are equally long.
        length: Option<usize>,
    },
    /// Numbers with fractions, if they can be counted in units of their last decimal.
    Float(Option<Fractions>),
    /// Days as `2020-01-31`.
    Date {
        /// The first.
        from: i32,
        /// The last.
        to: i32,
        /// Whether a few rows contain something else.
        stray: bool,
    },
    /// Days in another notation.
    Days {
        /// The first.
        from: i32,
        /// The last.
        to: i32,
        /// The notation.
        notation: Notation,
    },
    /// Times, or days in an ambiguous notation.
    OtherDate,
    /// Three-character categories of ICD-10, or longer codes.
    Icd10,
    /// Postal codes with letters or signs.
    Postcode(&'static Postcode),
    /// Text of one length without spaces and with a digit.
    Code {
        /// The number of characters of each.
        length: usize,
    },
    /// Long or wordy text.
    FreeText,
    /// Anything else.
    Text,
}

/// Numbers with fractions, in units of their last decimal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fractions {
    /// The number of decimals.
    pub decimals: u32,
    /// The smallest, multiplied by ten to the power of the decimals.
    pub min: i64,
    /// The largest.
    pub max: i64,
    /// Whether a few rows contain something else.
    pub stray: bool,
    /// Whether the decimal separator is a comma.
    pub comma: bool,
}

impl Fractions {
    /// A value, in units of the last decimal.
    pub(super) fn count(&self, value: &str) -> Option<i64> {
        scaled(
            value,
            if self.comma { ',' } else { '.' },
            self.decimals as usize,
        )
    }
}

/// The shape of a column with at least one value.
pub(super) fn of(profile: &Profile, name: &ColumnName) -> ValueShape {
    let values = || profile.trimmed().map(|(value, _)| value);
    if profile.declared != Ok(Some(Kind::Float)) {
        match days::of(profile) {
            Some(Days::Usual { from, to, stray }) => return ValueShape::Date { from, to, stray },
            Some(Days::Written { from, to, notation }) => {
                return ValueShape::Days { from, to, notation };
            }
            Some(Days::Several) => return ValueShape::OtherDate,
            None => {}
        }
        if let Some((min, max, stray)) = whole(profile) {
            return ValueShape::Int {
                min,
                max,
                stray: stray > 0,
            };
        }
        if let Some(shape) = zeros(profile) {
            return shape;
        }
    }
    if let Some(fractions) = fractions(profile, '.').or_else(|| fractions(profile, ',')) {
        return ValueShape::Float(Some(fractions));
    }
    if profile.declared == Ok(Some(Kind::Float)) {
        return ValueShape::Float(None);
    }
    if values().all(looks_like_date) {
        return ValueShape::OtherDate;
    }
    let place = name.is_known() && !name.is_secret();
    if !place && content::are_diseases(profile, name.is_secret()) {
        return ValueShape::Icd10;
    }
    if let Some(first) = values()
        .find_map(content::postcode)
        .filter(|_| content::are_postcodes(profile))
    {
        return ValueShape::Postcode(first);
    }
    words(profile, name)
}

/// Text: sentences, codes of one length, or labels.
fn words(profile: &Profile, name: &ColumnName) -> ValueShape {
    let values = || profile.trimmed().map(|(value, _)| value);
    let filled = values().count() as f64;
    let lengths: f64 = values().map(|value| value.chars().count() as f64).sum();
    let spaces: f64 = values()
        .map(|value| value.matches(' ').count() as f64)
        .sum();
    let wordy = lengths / filled > 40.0
        || spaces / filled > 3.0
        || values().any(|value| value.chars().count() > LONG);
    // Long labels that repeat may be those of diagnoses; elsewhere a sentence is free text however
    // often it occurs.
    if wordy && (profile.distinctness() > 0.3 || !name.is_secret()) {
        return ValueShape::FreeText;
    }
    let length = values().next().map_or(0, |value| value.chars().count());
    let code = |value: &str| {
        value.chars().count() == length
            && !value.chars().any(char::is_whitespace)
            && value.chars().any(|c| c.is_ascii_digit())
            && !value.contains('*')
    };
    if length > 1 && values().all(code) {
        ValueShape::Code { length }
    } else {
        ValueShape::Text
    }
}

/// The smallest and the largest whole number, and how many rows contain something else; `None` if
/// they are too many.
pub(super) fn whole(profile: &Profile) -> Option<(i64, i64, u64)> {
    profile.range(whole_number)
}

/// Digits with leading zeros, which a number would lose.
fn zeros(profile: &Profile) -> Option<ValueShape> {
    let number = |value: &str| {
        let digits = !value.is_empty()
            && value.len() <= 18
            && value.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| value.parse::<i64>().ok()).flatten()
    };
    let (min, max, 0) = profile.range(number)? else {
        return None;
    };
    let mut lengths = profile.trimmed().map(|(value, _)| value.len());
    let first = lengths.next()?;
    Some(ValueShape::Zeros {
        min,
        max,
        length: lengths.all(|length| length == first).then_some(first),
    })
}

/// Decimal numbers with this decimal separator.
fn fractions(profile: &Profile, sign: char) -> Option<Fractions> {
    let decimals = profile
        .trimmed()
        .filter_map(|(value, _)| parts(value, sign))
        .map(|(.., fraction)| fraction.len());
    let decimals = decimals.max()?.min(18);
    let (min, max, stray) = profile.range(|value| scaled(value, sign, decimals))?;
    // 1,234 may be a thousand or a fraction.
    let thousands = |value: &str| {
        value
            .split_once(',')
            .is_none_or(|(_, behind)| behind.len() == 3)
    };
    if sign == ',' && profile.trimmed().all(|(value, _)| thousands(value)) {
        return None;
    }
    Some(Fractions {
        decimals: decimals as u32,
        min,
        max,
        stray: stray > 0,
        comma: sign == ',',
    })
}

/// A decimal number in units of its last decimal.
fn scaled(value: &str, sign: char, decimals: usize) -> Option<i64> {
    let (minus, whole, fraction) = parts(value, sign)?;
    let number: i64 = format!("{whole}{fraction:0<decimals$}").parse().ok()?;
    Some(if minus { -number } else { number })
}

/// The sign, whole part and fraction (without trailing zeros) of a decimal number in the usual
/// notation.
fn parts(value: &str, sign: char) -> Option<(bool, &str, &str)> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let (whole, fraction) = digits.split_once(sign).unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let usual = !whole.is_empty()
        && plain(whole)
        && plain(fraction)
        && (whole == "0" || !whole.starts_with('0'));
    usual.then(|| {
        (
            digits.len() < value.len(),
            whole,
            fraction.trim_end_matches('0'),
        )
    })
}

/// Digits with two separators of dates, or a day followed by a time.
pub(super) fn looks_like_date(value: &str) -> bool {
    let day = value.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split(['.', '/', '-']).collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}
