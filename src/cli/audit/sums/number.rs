//! Numbers as tables write them, kept exactly: digits and a scale.

/// `digits / 10^scale`.
#[derive(Clone, Copy)]
pub(super) struct ScaledNumber {
    digits: i128,
    scale: u32,
}

/// The greatest number of digits.
const MOST_DIGITS: usize = 18;

impl ScaledNumber {
    /// Reads `12`, `-0.50`, `1e+05`.
    pub(super) fn parse(text: &str) -> Option<ScaledNumber> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (sign, unsigned) = match number.strip_prefix('-') {
            Some(unsigned) => (-1, unsigned),
            None => (1, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let part = part.trim_end_matches('0');
        let all = format!("{whole}{part}");
        if all.is_empty()
            || all.len() > MOST_DIGITS
            || !all.bytes().all(|byte| byte.is_ascii_digit())
        {
            return None;
        }
        let scale = i32::try_from(part.len()).ok()? - exponent;
        let shift = u32::try_from(-scale).unwrap_or(0);
        if shift as usize + all.len() > MOST_DIGITS || scale > MOST_DIGITS as i32 {
            return None;
        }
        let digits = sign * all.parse::<i128>().ok()? * 10i128.pow(shift);
        Some(ScaledNumber {
            digits,
            scale: u32::try_from(scale).unwrap_or(0),
        })
    }

    /// The number of decimals.
    pub(super) fn scale(self) -> u32 {
        self.scale
    }

    /// The number in units of the last of this many decimals; None if that is too large.
    pub(super) fn in_units(self, scale: u32) -> Option<i64> {
        let by = 10i128.checked_pow(scale.checked_sub(self.scale)?)?;
        i64::try_from(self.digits.checked_mul(by)?).ok()
    }
}

/// A whole number of units, with the decimal point in its place.
pub(super) fn written(units: i128, scale: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0>1$}", units.unsigned_abs(), scale as usize + 1);
    let (whole, part) = digits.split_at(digits.len() - scale as usize);
    if part.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written_exactly() {
        for (text, scale, units) in [
            ("12", 0, 12),
            ("-0.50", 1, -5),
            ("1e+05", 0, 100_000),
            ("2.5e-1", 2, 25),
            ("+7", 0, 7),
            (".5", 1, 5),
        ] {
            let number = ScaledNumber::parse(text).unwrap_or_else(|| panic!("{text} is a number"));
            assert_eq!(
                (number.scale(), number.in_units(scale)),
                (scale, Some(units)),
                "{text}"
            );
        }
        for text in [
            "",
            "-",
            "1,5",
            "12a",
            "1e",
            "1234567890123456789",
            "1e40",
            "NA",
            "1e-30",
        ] {
            assert!(ScaledNumber::parse(text).is_none(), "{text} is none");
        }
        assert_eq!(
            [written(-5, 1), written(1250, 2), written(7, 0)],
            ["-0.5", "12.50", "7"]
        );
    }
}
