//! Which sensitive values diversity counts as one (SCIENCE 4, *Equal values*): spellings of one
//! text, spellings of one number, and everything that says nothing. For figures only; what is
//! published stays as it is spelled.
//!
//! Nothing here prints a value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unicode_normalization::UnicodeNormalization;

use super::value::Value;

/// A value without its spelling.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EqualValue {
    /// A missing value, an empty text and `null`.
    Missing,
    /// A number, or a text that is one.
    Number(PlainNumber),
    /// Days since 1970-01-01.
    Date(i32),
    /// Any other text.
    Text(Box<str>),
}

/// A number as its digits, without zeros at either end: `digits` · 10^`exponent`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlainNumber {
    is_negative: bool,
    exponent: i64,
    digits: Box<str>,
}

impl fmt::Debug for EqualValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EqualValue::Missing => "Missing",
            EqualValue::Number(_) => "Number(..)",
            EqualValue::Date(_) => "Date(..)",
            EqualValue::Text(_) => "Text(..)",
        })
    }
}

impl EqualValue {
    /// Of a value of a table.
    pub fn of(value: &Value) -> EqualValue {
        match value {
            Value::Null => EqualValue::Missing,
            Value::Bool(truth) => EqualValue::of_text(if *truth { "true" } else { "false" }),
            Value::Int(number) => EqualValue::of_text(&number.to_string()),
            Value::Float(number) => EqualValue::of_text(&number.get().to_string()),
            Value::Date(days) => EqualValue::Date(*days),
            Value::Text(text) => EqualValue::of_text(text),
            Value::Decimal(units) => EqualValue::of_text(&units.to_string()),
        }
    }

    /// Of a text.
    pub fn of_text(text: &str) -> EqualValue {
        let plain = plain_text(text);
        if plain.is_empty() || plain == "null" {
            return EqualValue::Missing;
        }
        match PlainNumber::parse(&plain) {
            Some(number) => EqualValue::Number(number),
            None => EqualValue::Text(plain.into()),
        }
    }

    /// Whether nothing is said.
    pub fn is_missing(&self) -> bool {
        *self == EqualValue::Missing
    }
}

/// The text in Unicode's form NFKC, without spaces and invisible characters at its ends, with one
/// space for several, in one case.
fn plain_text(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_ascii_lowercase();
    }
    let composed: String = text.nfkc().collect();
    let mut spaced = String::with_capacity(composed.len());
    for c in composed.trim_matches(is_invisible).chars() {
        if !c.is_whitespace() {
            spaced.push(c);
        } else if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
    }
    // Both ways through the cases, letter by letter: `ß`, `ẞ` and `SS` become `ss`, and all three
    // sigmas become one, which lower case alone would keep apart. That is Unicode's case folding
    // but for `ı`, which becomes `i`, so that no table of foldings is needed beside that of the
    // standard library.
    let folded = spaced
        .chars()
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase);
    folded.nfkc().collect()
}

/// Whether a character shows nothing: white space, control and format characters, and fillers that
/// are letters by their category.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

impl PlainNumber {
    /// A number with an optional sign, fraction and exponent: `1`, `01`, `1.0` and `10e-1` are one
    /// number.
    fn parse(text: &str) -> Option<PlainNumber> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once('e') {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0').trim_end_matches('0');
        if significant.is_empty() {
            return Some(PlainNumber {
                is_negative: false,
                exponent: 0,
                digits: "0".into(),
            });
        }
        let trailing = all.len() - all.trim_end_matches('0').len();
        let exponent = i64::from(exponent) - fraction.len() as i64 + trailing as i64;
        Some(PlainNumber {
            is_negative: text.starts_with('-'),
            exponent,
            digits: significant.into(),
        })
    }
}

/// How many of these texts differ from an earlier one in spelling alone. Equal texts count once; a
/// text that says nothing is no spelling of anything.
pub fn spellings<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut known: BTreeMap<EqualValue, BTreeSet<&str>> = BTreeMap::new();
    for text in texts {
        let value = EqualValue::of_text(text);
        if !value.is_missing() {
            known.entry(value).or_default().insert(text);
        }
    }
    known.values().map(|spelled| spelled.len() as u64 - 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finite;

    fn same(texts: &[&str]) -> bool {
        texts
            .windows(2)
            .all(|pair| EqualValue::of_text(pair[0]) == EqualValue::of_text(pair[1]))
    }

    #[test]
    fn spellings_of_one_text_are_one_value() {
        assert!(same(&[
            "HIV",
            "HIV ",
            "hiv",
            "\u{feff}HIV\u{200b}",
            " \tHiv\u{a0}",
            "ＨＩＶ"
        ]));
        assert!(same(&["Ménière", "Me\u{301}nie\u{300}re", "MÉNIÈRE"]));
        assert!(same(&["Straße", "STRASSE", "STRAẞE", "strasse"]));
        assert!(same(&["ΟΔΟΣ", "οδος", "οδοσ"]));
        assert!(same(&[
            "type  2   diabetes",
            "Type 2\u{a0}Diabetes",
            "type 2\tdiabetes"
        ]));
        for (one, other) in [
            ("HIV", "HIV2"),
            ("a b", "ab"),
            ("naïve", "naive"),
            ("1,0", "1"),
            ("E10", "E1"),
        ] {
            assert!(!same(&[one, other]), "{one} and {other}");
        }
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        assert!(same(&[
            "1", "1.0", "01", "+1", "1.", "10e-1", "0.1E1", " 1 ", "１"
        ]));
        assert!(same(&["0", "-0", "0.00", "0e7", ".0"]));
        assert!(same(&["-1200", "-1.2e3", "-12E+2"]));
        assert!(!same(&["1", "-1"]) && !same(&["1", "10"]) && !same(&["0.1", "0.01"]));
        let one = EqualValue::of_text("1");
        assert_eq!(EqualValue::of(&Value::Int(1)), one);
        assert_eq!(
            EqualValue::of(&Value::Float(Finite::new(1.0).expect("a number"))),
            one
        );
        // More than a float tells apart.
        assert!(!same(&["9007199254740993", "9007199254740992"]));
        // No numbers.
        for text in [
            ".",
            "+",
            "e5",
            "1e",
            "1e99999999999",
            "0x1",
            "1 000",
            "nan",
            "inf",
        ] {
            assert!(
                matches!(EqualValue::of_text(text), EqualValue::Text(_)),
                "{text}"
            );
        }
    }

    #[test]
    fn what_says_nothing_is_missing() {
        for text in ["", " ", "\u{200b}", "null", "NULL", " Null "] {
            assert!(EqualValue::of_text(text).is_missing(), "{text:?}");
        }
        assert!(EqualValue::of(&Value::Null).is_missing());
        assert!(
            !EqualValue::of_text("0").is_missing() && !EqualValue::of_text("nullum").is_missing()
        );
    }

    #[test]
    fn further_spellings_are_counted() {
        assert_eq!(spellings(["P1", "P1 ", "p1", "P2", "P1", "", " "]), 2);
        assert_eq!(spellings(["1", "2"]), 0);
        assert_eq!(format!("{:?}", EqualValue::of_text("HIV")), "Text(..)");
    }
}
