//! What is done to the text of a column before its type is read (CONTRACTS 1, `clean`, `format` and
//! `derive`): steps that look at the text alone, so that the same cell is the same value in every
//! row. The names of the steps are in the terms of a chain.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::calendar as dates;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextStep {
    /// Spaces at both ends are removed.
    Trim,
    /// Letters become capitals.
    Upper,
    /// Letters become small.
    Lower,
    /// Equal characters have one form (Unicode NFC).
    Nfc,
    /// Everything but the digits 0 to 9 is removed.
    Digits,
    /// A decimal comma becomes a point; points and spaces before it separate thousands.
    Comma,
    /// One of the parts between separators; a negative index counts from the end. Empty if there is
    /// no such part.
    Part {
        /// The separator.
        separator: Box<str>,
        /// The index, from 0; -1 is the last.
        index: i32,
    },
    /// The first characters.
    First(u32),
    /// Some texts have another one instead.
    Map(Vec<(Box<str>, Box<str>)>),
    /// A day in this notation is written as `2020-01-31`.
    Date(DateNotation),
}

/// The notation of a day. A time after it is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateNotation {
    /// `2020-01-31`, also with a time after a `T` or a space.
    Iso,
    /// `20200131`, also with a time.
    Hl7,
    /// Days since 1970-01-01.
    EpochDays,
    /// Milliseconds since 1970-01-01, UTC.
    EpochMs,
    /// Microseconds since 1970-01-01, UTC.
    EpochUs,
    /// `%d`, `%m`, `%Y` and, for a time, `%H`, `%M`, `%S`, between other characters.
    Pattern(Box<str>),
}

/// The text of a cell that is no day in its column's notation: no type can be read from it.
const NO_DAY: &str = "\u{1}";

impl TextStep {
    /// The text after these steps.
    pub fn all(steps: &[TextStep], text: &str) -> String {
        let mut changed = text.to_owned();
        for step in steps {
            changed = step.apply(changed);
        }
        changed
    }

    fn apply(&self, text: String) -> String {
        match self {
            TextStep::Trim => text.trim().to_owned(),
            TextStep::Upper => text.to_uppercase(),
            TextStep::Lower => text.to_lowercase(),
            TextStep::Nfc => text.nfc().collect(),
            TextStep::Digits => text.chars().filter(char::is_ascii_digit).collect(),
            TextStep::Comma => match text.split_once(',') {
                Some((whole, rest)) => {
                    let whole: String =
                        whole.chars().filter(|char| !". ".contains(*char)).collect();
                    format!("{whole}.{rest}")
                }
                None => text,
            },
            TextStep::Part { separator, index } => part(&text, separator, *index).to_owned(),
            TextStep::First(characters) => text.chars().take(*characters as usize).collect(),
            TextStep::Map(table) => {
                let found = table.iter().find(|(from, _)| **from == *text);
                found.map_or(text, |(_, to)| to.to_string())
            }
            TextStep::Date(_) if text.is_empty() => text,
            TextStep::Date(notation) => match notation.days(&text) {
                Some(days) => dates::format(days),
                None => NO_DAY.to_owned(),
            },
        }
    }
}

/// A part of a text; empty if there is none.
fn part<'t>(text: &'t str, separator: &str, index: i32) -> &'t str {
    let found = match usize::try_from(index) {
        Ok(index) => text.split(separator).nth(index),
        Err(_) => text
            .rsplit(separator)
            .nth(index.unsigned_abs() as usize - 1),
    };
    found.unwrap_or_default()
}

impl DateNotation {
    /// The notation of this name, or the pattern; `None` if it is neither.
    pub fn named(name: &str) -> Option<DateNotation> {
        Some(match name {
            "iso" => DateNotation::Iso,
            "hl7" => DateNotation::Hl7,
            "epoch-days" => DateNotation::EpochDays,
            "epoch-ms" => DateNotation::EpochMs,
            "epoch-us" => DateNotation::EpochUs,
            pattern => {
                let days = ["%d", "%m", "%Y"];
                let is_whole = days.iter().all(|field| pattern.matches(field).count() == 1);
                let fields = pattern.split('%').skip(1);
                let known = |field: &str| field.starts_with(['d', 'm', 'Y', 'H', 'M', 'S']);
                if !is_whole || !fields.clone().all(known) {
                    return None;
                }
                DateNotation::Pattern(pattern.into())
            }
        })
    }

    /// The days since 1970-01-01 of a text in this notation.
    pub fn days(&self, text: &str) -> Option<i32> {
        let days = match self {
            DateNotation::Iso => {
                let day = text.get(..10)?;
                let rest = &text[10..];
                if !rest.is_empty() && !rest.starts_with(['T', ' ']) {
                    return None;
                }
                return dates::parse(day);
            }
            DateNotation::Hl7 => {
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                let rest = text.as_bytes().get(digits);
                if !matches!(digits, 8 | 10 | 12 | 14)
                    || !matches!(rest, None | Some(b'.' | b'+' | b'-'))
                {
                    return None;
                }
                return day(&text[..4], &text[4..6], &text[6..8]);
            }
            DateNotation::Pattern(pattern) => return by_pattern(pattern, text),
            DateNotation::EpochDays => text.parse::<i64>().ok()?,
            DateNotation::EpochMs => text.parse::<i64>().ok()?.div_euclid(86_400_000),
            DateNotation::EpochUs => text.parse::<i64>().ok()?.div_euclid(86_400_000_000),
        };
        let days = i32::try_from(days).ok()?;
        dates::parse(&dates::format(days)).filter(|&read| read == days)
    }
}

/// The days of a day that is written in digits.
fn day(year: &str, month: &str, day: &str) -> Option<i32> {
    dates::parse(&format!("{year}-{month:0>2}-{day:0>2}"))
}

/// The days of a text in the notation of a pattern.
fn by_pattern(pattern: &str, text: &str) -> Option<i32> {
    let (mut pattern, mut rest) = (pattern.chars(), text);
    let (mut year, mut month, mut of_month) = ("", "", "");
    while let Some(char) = pattern.next() {
        if char != '%' {
            rest = rest.strip_prefix(char)?;
            continue;
        }
        let field = pattern.next()?;
        let most = if field == 'Y' { 4 } else { 2 };
        let digits = rest
            .bytes()
            .take(most)
            .take_while(u8::is_ascii_digit)
            .count();
        if digits == 0 || field == 'Y' && digits < 4 {
            return None;
        }
        let (found, after) = rest.split_at(digits);
        rest = after;
        let most = match field {
            'Y' => {
                year = found;
                9999
            }
            'm' => {
                month = found;
                12
            }
            'd' => {
                of_month = found;
                31
            }
            'H' => 23,
            _ => 59,
        };
        if found.parse::<u32>().ok()? > most {
            return None;
        }
    }
    if rest.is_empty() {
        day(year, month, of_month)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(steps: &[TextStep], text: &str) -> String {
        TextStep::all(steps, text)
    }

    #[test]
    fn texts_are_changed_step_by_step() {
        let part = |separator: &str, index| TextStep::Part {
            separator: separator.into(),
            index,
        };
        for (all, text, meant) in [
            (vec![TextStep::Trim, TextStep::Upper], " j45.0\t", "J45.0"),
            (vec![TextStep::Lower], "ÄRZTIN", "ärztin"),
            (vec![TextStep::Nfc], "a\u{308}", "ä"),
            (vec![TextStep::Digits], "D-10 115", "10115"),
            (vec![TextStep::Comma], "1.234.567,5", "1234567.5"),
            (vec![TextStep::Comma], "-0,25", "-0.25"),
            (vec![TextStep::Comma], "0.25", "0.25"),
            (vec![part("/", -1)], "Patient/123", "123"),
            (vec![part("/", -1)], "123", "123"),
            (vec![part("|", 1)], "a|b|c", "b"),
            (vec![part("|", 3)], "a|b|c", ""),
            (vec![part("|", -4)], "a|b|c", ""),
            (vec![TextStep::First(3)], "J45.0", "J45"),
            (vec![TextStep::First(3)], "äö", "äö"),
        ] {
            assert_eq!(steps(&all, text), meant, "{all:?}");
        }
        let map = TextStep::Map(vec![("W".into(), "female".into())]);
        assert_eq!(steps(&[TextStep::Upper, map.clone()], "w"), "female");
        assert_eq!(steps(&[map], "D"), "D");
    }

    #[test]
    fn days_are_read_in_their_notation_and_no_other() {
        let named = |name: &str| DateNotation::named(name).expect(name);
        for (notation, text, meant) in [
            ("iso", "2020-02-29", Some("2020-02-29")),
            ("iso", "2020-02-29T10:00:00Z", Some("2020-02-29")),
            ("iso", "2020-02-29x", None),
            ("iso", "2021-02-29", None),
            ("iso", "2020-02", None),
            ("hl7", "20200229", Some("2020-02-29")),
            ("hl7", "202002291530", Some("2020-02-29")),
            ("hl7", "20200229153000.123+0100", Some("2020-02-29")),
            ("hl7", "2020022", None),
            ("hl7", "20200230", None),
            ("epoch-days", "18321", Some("2020-02-29")),
            ("epoch-days", "-1", Some("1969-12-31")),
            ("epoch-days", "99999999999", None),
            ("epoch-ms", "1582934400000", Some("2020-02-29")),
            ("epoch-us", "-1", Some("1969-12-31")),
            ("%d.%m.%Y", "29.02.2020", Some("2020-02-29")),
            ("%d.%m.%Y", "1.3.2020", Some("2020-03-01")),
            ("%d.%m.%Y", "29.02.20", None),
            ("%d.%m.%Y", "29.02.2020 10:00", None),
            ("%d.%m.%Y %H:%M", "29.02.2020 10:59", Some("2020-02-29")),
            ("%d.%m.%Y %H:%M", "29.02.2020 24:00", None),
            ("%Y%m%d", "20200229", Some("2020-02-29")),
        ] {
            let days = named(notation).days(text).map(dates::format);
            assert_eq!(days.as_deref(), meant, "{notation}: {text}");
        }
        for bad in ["", "ISO", "%d.%m", "%d.%m.%y", "%Y-%m-%d %Z", "%Y-%m-%d-%d"] {
            assert_eq!(DateNotation::named(bad), None, "{bad}");
        }
        // A text that is no day is no value, and a missing one stays missing.
        let date = TextStep::Date(DateNotation::Hl7);
        assert_eq!(steps(std::slice::from_ref(&date), ""), "");
        assert!(dates::parse(&steps(&[date], "2020")).is_none());
    }
}
