//! Floats with an exponent of their own: counts of placements exceed the range of floats, and must
//! not underflow to zero either. Never negative. A sum, a product and a quotient each have a
//! relative error of at most 2^−52.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul};

/// The largest relative error of one operation: 2^−53 for rounding, and as much for a negligible
/// summand.
pub(super) const UNIT: f64 = f64::EPSILON;

/// A nonnegative number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WideFloat {
    /// 0, or from 1 to below 2.
    part: f64,
    exponent: i64,
}

impl WideFloat {
    /// 0.
    pub(super) const ZERO: WideFloat = WideFloat {
        part: 0.0,
        exponent: 0,
    };
    /// 1.
    pub(super) const ONE: WideFloat = WideFloat {
        part: 1.0,
        exponent: 0,
    };

    /// From an ordinary nonnegative number that is not subnormal.
    pub(super) fn new(number: f64) -> WideFloat {
        assert!(number.is_finite() && number >= 0.0, "a number from 0 up");
        if number == 0.0 {
            return WideFloat::ZERO;
        }
        let bits = number.to_bits();
        let exponent = (bits >> 52) as i64 - 1023;
        WideFloat {
            part: f64::from_bits(bits & ((1 << 52) - 1) | (1023 << 52)),
            exponent,
        }
    }

    #[cfg(test)]
    /// As an ordinary number; 0 or infinity if it is out of range.
    pub(crate) fn get(self) -> f64 {
        match self.exponent {
            -1022..=1023 => self.part * f64::from_bits(((self.exponent + 1023) as u64) << 52),
            _ if self.exponent < 0 || self.part == 0.0 => 0.0,
            _ => f64::INFINITY,
        }
    }

    /// The number times a power of two.
    #[must_use]
    pub(super) fn scaled(self, exponent: i64) -> WideFloat {
        if self.part == 0.0 {
            self
        } else {
            WideFloat {
                part: self.part,
                exponent: self.exponent + exponent,
            }
        }
    }

    /// The decimal logarithm, and its largest error, not counting the error of the number itself.
    pub(super) fn log10(self) -> (f64, f64) {
        let log10 = if self.exponent == -1 {
            // Just below 1, where the parts would cancel.
            (self.part / 2.0).log10()
        } else {
            self.part.log10() + self.exponent as f64 * std::f64::consts::LOG10_2
        };
        (log10, (1.0 + log10.abs()) * 4.0 * f64::EPSILON)
    }
}

impl From<u128> for WideFloat {
    fn from(number: u128) -> WideFloat {
        WideFloat::new(number as f64)
    }
}

impl Add for WideFloat {
    type Output = WideFloat;

    fn add(self, other: WideFloat) -> WideFloat {
        let (large, small) = if self.exponent >= other.exponent {
            (self, other)
        } else {
            (other, self)
        };
        if large.part == 0.0 || small.part == 0.0 {
            return if large.part == 0.0 { small } else { large };
        }
        let below = large.exponent - small.exponent;
        if below > 60 {
            return large;
        }
        let part = large.part + small.part * f64::from_bits(((1023 - below) as u64) << 52);
        if part >= 2.0 {
            WideFloat {
                part: part / 2.0,
                exponent: large.exponent + 1,
            }
        } else {
            WideFloat { part, ..large }
        }
    }
}

impl Mul for WideFloat {
    type Output = WideFloat;

    fn mul(self, other: WideFloat) -> WideFloat {
        let part = self.part * other.part;
        let exponent = self.exponent + other.exponent;
        if part >= 2.0 {
            WideFloat {
                part: part / 2.0,
                exponent: exponent + 1,
            }
        } else if part == 0.0 {
            WideFloat::ZERO
        } else {
            WideFloat { part, exponent }
        }
    }
}

impl Div for WideFloat {
    type Output = WideFloat;

    fn div(self, other: WideFloat) -> WideFloat {
        assert!(other.part > 0.0, "0 divides nothing");
        let quotient = WideFloat::new(self.part / other.part);
        quotient.scaled(self.exponent - other.exponent)
    }
}

impl PartialOrd for WideFloat {
    fn partial_cmp(&self, other: &WideFloat) -> Option<Ordering> {
        match (self.part == 0.0, other.part == 0.0) {
            (false, false) => (self.exponent, self.part).partial_cmp(&(other.exponent, other.part)),
            (mine, others) => Some(others.cmp(&mine)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_add_multiply_and_compare_like_numbers() {
        let numbers = [
            0.0, 1e-300, 0.3, 0.5, 0.999_999, 1.0, 1.5, 2.0, 7.25, 1e9, 3e200,
        ];
        for a in numbers {
            assert_eq!(WideFloat::new(a).get(), a);
            for b in numbers {
                let [x, y] = [a, b].map(WideFloat::new);
                assert!(
                    ((x + y).get() - (a + b)).abs() <= UNIT * (a + b),
                    "{a} + {b}"
                );
                assert_eq!(x.partial_cmp(&y), a.partial_cmp(&b), "{a} and {b}");
                if (1e-200..1e200).contains(&a) && (1e-100..1e100).contains(&b) {
                    assert_eq!((x * y).get(), a * b);
                    assert_eq!((x / y).get(), a / b);
                }
            }
            if a > 0.0 {
                assert!(
                    (WideFloat::new(a).log10().0 - a.log10()).abs() <= WideFloat::new(a).log10().1
                );
            }
        }
        assert_eq!(
            (WideFloat::new(2.0).scaled(5000) / WideFloat::new(2.0).scaled(4999)).get(),
            2.0
        );
    }
}
