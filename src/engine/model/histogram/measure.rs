//! The value of a measure in one cell (SCIENCE 7), exactly: a whole number in units of the column's
//! last decimal, so that sums equal those of the written numbers. A missing value, or one that is
//! no number of the column, contributes nothing.

use super::cells::{RawCell, whole};
use super::reading::CellReading;
use crate::{Column, Kind, Value, whole_number};

/// A value in units of its column's last decimal, rounded half away from zero. `None` if there is
/// none: the cell is missing, is no number of the column's type, or is too large to be counted.
pub(super) fn units(cell: RawCell<'_>, column: &Column, reading: CellReading) -> Option<i64> {
    let decimals = column.decimals();
    let text = reading.is_text();
    match (cell, column.kind) {
        (RawCell::Text(number), Kind::Int) if text => whole_number(number),
        (RawCell::Text(number), _) if text => of_text(number, decimals),
        (RawCell::Int(number), Kind::Int) => Some(number),
        (RawCell::Int(number), _) => number.checked_mul(10i64.checked_pow(decimals.into())?),
        (RawCell::Float(number), Kind::Int)
            if !matches!(reading, CellReading::Json | CellReading::Avro) =>
        {
            match whole(number)? {
                Value::Int(number) => Some(number),
                _ => None,
            }
        }
        (RawCell::Float(number), Kind::Float) if number.is_finite() => {
            of_plain(&number.to_string(), decimals)
        }
        (
            RawCell::Decimal {
                units: written,
                scale,
            },
            kind,
        ) => {
            let units = rounded(written, scale, decimals)?;
            let whole = 10i128
                .checked_pow(scale.into())
                .and_then(|unit| unit.checked_mul(units.into()));
            (kind != Kind::Int || whole == Some(written)).then_some(units)
        }
        _ => None,
    }
    .filter(|&units| units != i64::MIN)
}

/// A number as text, with an optional sign, decimal point and exponent.
fn of_text(text: &str, decimals: u8) -> Option<i64> {
    let plain = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'.'));
    if plain {
        return of_plain(text, decimals);
    }
    let number = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'.' | b'e' | b'E'));
    let number: f64 = number.then(|| text.parse().ok()).flatten()?;
    if number.is_finite() {
        of_plain(&number.to_string(), decimals)
    } else {
        None
    }
}

/// A number without exponent.
fn of_plain(text: &str, decimals: u8) -> Option<i64> {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or((1, text), |digits| (-1, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || !all_digits(whole) || !all_digits(part) {
        return None;
    }
    let kept = &part[..part.len().min(decimals.into())];
    let up = part
        .as_bytes()
        .get(usize::from(decimals))
        .is_some_and(|&digit| digit >= b'5');
    let filled = format!("{whole}{kept:0<width$}", width = usize::from(decimals));
    let units: i64 = if filled.is_empty() {
        0
    } else {
        filled.parse().ok()?
    };
    units.checked_add(i64::from(up))?.checked_mul(sign)
}

/// Converts units of one scale to another, rounded half away from zero.
fn rounded(units: i128, scale: u8, decimals: u8) -> Option<i64> {
    let units = match scale.checked_sub(decimals) {
        None => units.checked_mul(10i128.checked_pow(u32::from(decimals - scale))?)?,
        Some(more) => {
            let unit = 10i128.checked_pow(more.into())?;
            let left = (units % unit).abs();
            (units / unit).checked_add(if left >= unit - left {
                units.signum()
            } else {
                0
            })?
        }
    };
    i64::try_from(units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_was_written() {
        let cases = [
            ("0", Some(0)),
            ("12.5", Some(12_500_000)),
            ("-0.000001", Some(-1)),
            ("0.0000005", Some(1)),
            ("-0.0000005", Some(-1)),
            ("0.00000049999", Some(0)),
            ("9223372036854.775807", Some(i64::MAX)),
            ("9223372036854.775808", None),
            (".5", Some(500_000)),
            ("5.", Some(5_000_000)),
            ("1e3", Some(1_000_000_000)),
            ("1E-6", Some(1)),
            ("1e300", None),
        ];
        for (text, units) in cases {
            assert_eq!(of_text(text, 6), units, "{text}");
        }
        for text in [
            "", "-", ".", "+1", " 1", "1 ", "1,5", "NaN", "inf", "1e", "--1", "1.2.3", "0x1", "１",
        ] {
            assert_eq!(of_text(text, 6), None, "{text}");
        }
    }

    #[test]
    fn floats_are_the_decimals_that_they_were_written_as() {
        let of = |number: f64| of_plain(&number.to_string(), 6);
        assert_eq!(of(0.1), Some(100_000));
        assert_eq!(of(0.1 + 0.2), Some(300_000));
        assert_eq!(of(-1.0e-7), Some(0));
        assert_eq!(of(1.0e13), None);
        assert_eq!(of(f64::from(0.1f32)), Some(100_000));
    }

    #[test]
    fn decimals_of_another_scale_are_rounded() {
        assert_eq!(rounded(125, 2, 6), Some(1_250_000));
        assert_eq!(rounded(15, 1, 0), Some(2));
        assert_eq!(rounded(-15, 1, 0), Some(-2));
        assert_eq!(rounded(14, 1, 0), Some(1));
        assert_eq!(rounded(i128::MAX, 0, 6), None);
        // The largest number of decimals: twice the remainder does not fit into 128 bits.
        assert_eq!(rounded(10i128.pow(38) - 1, 38, 0), Some(1));
        assert_eq!(rounded(10i128.pow(37), 38, 0), Some(0));
    }
}
