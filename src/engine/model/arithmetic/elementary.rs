//! Logarithm, exponential and powers from sums, products and quotients only, so that estimates are
//! the same on all machines: the results of platform libraries may differ in the last digits.

use std::f64::consts::LN_2;

/// The number of terms of a series, more than enough for arguments up to a third.
const TERMS: u32 = 20;

/// The natural logarithm of a positive, normal number.
pub fn ln(number: f64) -> f64 {
    assert!(
        number.is_normal() && number > 0.0,
        "the logarithm of a positive number"
    );
    let bits = number.to_bits();
    let (mut exponent, mut part) = (
        (bits >> 52) as i64 - 1023,
        f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52),
    );
    if part > 4.0 / 3.0 {
        (exponent, part) = (exponent + 1, part / 2.0);
    }
    exponent as f64 * LN_2 + twice_atanh((part - 1.0) / (part + 1.0))
}

/// ln(to / from) without cancellation if they are close.
pub(super) fn ln_ratio(from: f64, to: f64) -> f64 {
    if to < 2.0 * from && from < 2.0 * to {
        twice_atanh((to - from) / (to + from))
    } else {
        ln(to) - ln(from)
    }
}

/// ln((from + by) / from) for `by` ≥ 0, accurate even if it is tiny compared with `from`.
pub(super) fn ln_growth(from: f64, by: f64) -> f64 {
    if by < from {
        twice_atanh(by / (2.0 * from + by))
    } else {
        ln(from + by) - ln(from)
    }
}

/// ln((1 + z) / (1 − z)) for |z| ≤ 1/3.
fn twice_atanh(z: f64) -> f64 {
    assert!(z.abs() <= 0.34, "the series is for small arguments");
    let square = z * z;
    2.0 * z
        * (0..TERMS)
            .rev()
            .fold(0.0, |sum, at| sum * square + 1.0 / f64::from(2 * at + 1))
}

/// e to the power of a number; 0 or infinity if the result is not a normal number.
pub fn exp(number: f64) -> f64 {
    let exponent = (number / LN_2).round();
    if !(-1022.0..=1023.0).contains(&exponent) {
        return if number < 0.0 { 0.0 } else { f64::INFINITY };
    }
    let rest = number - exponent * LN_2;
    let sum = (1..TERMS)
        .rev()
        .fold(1.0, |sum, at| 1.0 + sum * rest / f64::from(at));
    sum * f64::from_bits(((exponent as i64 + 1023) as u64) << 52)
}

/// A number to a whole power.
pub fn power(number: f64, mut times: u64) -> f64 {
    let (mut result, mut square) = (1.0, number);
    while times > 0 {
        if times & 1 == 1 {
            result *= square;
        }
        square *= square;
        times >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_those_of_the_platform() {
        for number in [
            1e-300, 1e-9, 0.3, 0.999_999, 1.0, 1.1, 1.4, 2.0, 3.9, 12_345.678, 1e300,
        ] {
            let (found, meant) = (ln(number), f64::ln(number));
            assert!(
                (found - meant).abs() <= 4.0 * f64::EPSILON * meant.abs().max(1e-12),
                "ln {number}: {found} {meant}"
            );
        }
        for number in [-700.0, -20.5, -1.0, -1e-9, 0.0, 0.3, 1.0, 33.3, 700.0] {
            let (found, meant) = (exp(number), f64::exp(number));
            assert!(
                (found / meant - 1.0).abs() < 1e-13,
                "exp {number}: {found} {meant}"
            );
        }
        assert_eq!((exp(-1e9), exp(1e9)), (0.0, f64::INFINITY));
        for (from, to) in [(1.0, 1.0 + 1e-12), (5.0, 4.0), (3.0, 5.9), (1.0, 1e6)] {
            let (found, meant) = (ln_ratio(from, to), ((to - from) / from).ln_1p());
            assert!(
                (found - meant).abs() < 1e-14 * meant.abs(),
                "{from} {to}: {found} {meant}"
            );
            assert!(
                (ln_ratio(to, from) + found).abs() < 1e-15 * found.abs(),
                "{from} {to}"
            );
        }
        for (from, by) in [(1e20, 3.0), (7.0, 0.0), (7.0, 6.9), (7.0, 1e5)] {
            let (found, meant) = (ln_growth(from, by), (by / from).ln_1p());
            assert!(
                (found - meant).abs() <= 1e-14 * meant,
                "{from} {by}: {found} {meant}"
            );
        }
        assert_eq!(
            (power(0.5, 10), power(3.0, 0), power(1.0, u64::MAX)),
            (1.0 / 1024.0, 1.0, 1.0)
        );
    }
}
