//! Shares and rates as they are written (SCIENCE 4: "in exact decimals"): digits and a scale, never
//! a binary fraction, so that `0.02 × 50 rows` is one row on every machine. Never negative, never
//! NaN, never infinite.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most decimals a number may have: two of them can still be multiplied in 128 bits.
const MOST_SCALE: u8 = 18;

/// A nonnegative number with at most 18 decimals, stored exactly. In lowest terms, so that equality
/// is equality of fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: u64,
    scale: u8,
}

impl Decimal {
    /// 0.
    pub const ZERO: Decimal = Decimal {
        digits: 0,
        scale: 0,
    };
    /// 1.
    pub const ONE: Decimal = Decimal {
        digits: 1,
        scale: 0,
    };

    /// `digits` / 10^`scale`; `None` beyond 18 decimals.
    pub const fn new(mut digits: u64, mut scale: u8) -> Option<Decimal> {
        while scale > 0 && digits.is_multiple_of(10) {
            digits /= 10;
            scale -= 1;
        }
        if scale > MOST_SCALE {
            None
        } else {
            Some(Decimal { digits, scale })
        }
    }

    /// Reads `12`, `0.02`; no sign, no exponent.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let part = part.trim_end_matches('0');
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || !all_digits(whole)
            || !all_digits(part)
            || part.len() > usize::from(MOST_SCALE)
        {
            return None;
        }
        Decimal::new(
            format!("{whole}{part}").parse().ok()?,
            u8::try_from(part.len()).ok()?,
        )
    }

    /// The shortest decimal that represents the same float.
    pub fn from_float(number: f64) -> Option<Decimal> {
        if number.is_finite() && number >= 0.0 {
            Decimal::parse(&(number + 0.0).to_string())
        } else {
            None
        }
    }

    /// The digits: the number is `digits() / 10^scale()`.
    pub const fn digits(self) -> u64 {
        self.digits
    }

    /// The number of decimals.
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// The nearest float.
    pub fn get(self) -> f64 {
        let number: f64 = self
            .to_string()
            .parse()
            .expect("digits and one point are a float");
        assert!(number.is_finite() && number >= 0.0, "a number from 0 up");
        number
    }

    /// Compares this number times `count` with a whole number: is `whole ≤ self × count`?
    ///
    /// Exact for all counts; the product always fits into 128 bits because both factors have 64.
    pub fn times_is_at_least(self, count: u64, whole: u64) -> bool {
        let scaled = u128::from(whole).checked_mul(self.unit());
        scaled.is_some_and(|scaled| scaled <= u128::from(self.digits) * u128::from(count))
    }

    /// The whole part of `self × count`, saturating.
    pub fn whole_of(self, count: u64) -> u64 {
        let product = u128::from(self.digits) * u128::from(count);
        u64::try_from(product / self.unit()).unwrap_or(u64::MAX)
    }

    /// Whether `self × count ≤ 1`.
    pub fn times_is_at_most_one(self, count: u64) -> bool {
        u128::from(self.digits) * u128::from(count) <= self.unit()
    }

    /// 10^scale.
    fn unit(self) -> u128 {
        assert!(
            self.scale <= MOST_SCALE,
            "no more decimals than can be multiplied"
        );
        10u128.pow(u32::from(self.scale))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        (u128::from(self.digits) * other.unit()).cmp(&(u128::from(other.digits) * self.unit()))
    }
}

impl From<u64> for Decimal {
    fn from(whole: u64) -> Decimal {
        Decimal {
            digits: whole,
            scale: 0,
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.unit();
        let (whole, part) = (
            u128::from(self.digits) / unit,
            u128::from(self.digits) % unit,
        );
        assert!(part == 0 || self.scale > 0, "a part of one has decimals");
        match self.scale {
            0 => write!(f, "{whole}"),
            scale => write!(f, "{whole}.{part:0width$}", width = usize::from(scale)),
        }
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.scale {
            0 => serializer.serialize_u64(self.digits),
            _ => serializer.serialize_f64(self.get()),
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Decimal, E> {
                Ok(Decimal::from(number))
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Decimal, E> {
                u64::try_from(number)
                    .map(Decimal::from)
                    .map_err(|_| E::custom(WANTED))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Decimal, E> {
                Decimal::from_float(number).ok_or_else(|| E::custom(WANTED))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

const WANTED: &str = "must be a finite number from 0 up with at most 18 decimals";

impl schemars::JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn a_share_is_what_was_written() {
        for (written, digits, scale) in [
            (0.02, 2, 2),
            (0.1, 1, 1),
            (1.0, 1, 0),
            (0.0, 0, 0),
            (0.30000000000000004, 30000000000000004, 17),
        ] {
            let share = Decimal::from_float(written).expect("in range");
            assert_eq!((share.digits(), share.scale()), (digits, scale));
            assert_eq!(share.get().to_bits(), written.to_bits(), "{written}");
        }
        assert_eq!(Decimal::from_float(-0.0), Some(Decimal::ZERO));
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for number in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.1,
            1e-19,
            1e300,
        ] {
            assert_eq!(Decimal::from_float(number), None, "{number}");
        }
        for text in [
            "",
            ".",
            ".5",
            "-1",
            "+1",
            "1e3",
            "1,5",
            "1.5.0",
            "0.0000000000000000001",
            "99999999999999999999",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn shares_of_counts_are_exact() {
        let share = Decimal::parse("0.02").expect("a share");
        assert!(share.times_is_at_least(50, 1));
        assert!(!share.times_is_at_least(49, 1));
        assert!(!share.times_is_at_least(u64::MAX, u64::MAX));
        assert!(Decimal::ONE.times_is_at_least(u64::MAX, u64::MAX));
    }

    #[test]
    fn order_and_text_do_not_depend_on_the_scale() {
        let [a, b, c] = ["0.5", "0.50", "1.05"].map(|text| Decimal::parse(text).expect("a number"));
        assert_eq!(a, b);
        assert!(b < c && c > Decimal::ONE && a < Decimal::ONE);
        assert_eq!(c.to_string(), "1.05");
    }
}
