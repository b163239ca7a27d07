//! Whole numbers of two widths: 128 bits if they are enough, otherwise any number of digits. Every
//! operation that can exceed 128 bits reports it, and the caller repeats the computation with big
//! integers. Nothing is rounded.

use num_bigint::BigInt;
use num_integer::Integer;

/// The result of a computation in 128 bits, or if that overflows with arbitrary precision.
pub(super) fn exactly<T>(
    narrow: impl FnOnce() -> Option<T>,
    wide: impl FnOnce() -> Option<T>,
) -> T {
    narrow()
        .or_else(wide)
        .expect("big integers hold every number")
}

/// A whole number that detects overflow.
pub(super) trait WholeNumber: Clone + Ord {
    /// Converts a number.
    fn new(number: i128) -> Self;
    /// `a·b − c·d`; `None` if that overflows.
    fn product_less(a: &Self, b: &Self, c: &Self, d: &Self) -> Option<Self>;
    /// The greatest common divisor, not negative.
    fn divisor(&self, other: &Self) -> Self;
    /// This number divided by one of its divisors.
    fn over(&self, divisor: &Self) -> Self;
    /// The number with the opposite sign.
    fn negated(&self) -> Self;
    /// The number with arbitrary precision.
    fn to_big(&self) -> BigInt;

    /// Whether it is 0.
    fn is_zero(&self) -> bool {
        *self == Self::new(0)
    }

    /// Whether it is above 0.
    fn is_positive(&self) -> bool {
        *self > Self::new(0)
    }

    /// Whether it is below 0.
    fn is_negative(&self) -> bool {
        *self < Self::new(0)
    }

    /// Whether it is 1 or -1.
    fn is_unit(&self) -> bool {
        *self == Self::new(1) || *self == Self::new(-1)
    }
}

impl WholeNumber for i128 {
    fn new(number: i128) -> i128 {
        number
    }

    fn product_less(a: &i128, b: &i128, c: &i128, d: &i128) -> Option<i128> {
        let number = a.checked_mul(*b)?.checked_sub(c.checked_mul(*d)?)?;
        // The only number that cannot be negated counts as too large.
        (number != i128::MIN).then_some(number)
    }

    fn divisor(&self, other: &i128) -> i128 {
        if self.is_unit() || other.is_unit() {
            1
        } else {
            self.gcd(other)
        }
    }

    fn over(&self, divisor: &i128) -> i128 {
        self / divisor
    }

    fn negated(&self) -> i128 {
        -self
    }

    fn to_big(&self) -> BigInt {
        BigInt::from(*self)
    }
}

impl WholeNumber for BigInt {
    fn new(number: i128) -> BigInt {
        BigInt::from(number)
    }

    fn product_less(a: &BigInt, b: &BigInt, c: &BigInt, d: &BigInt) -> Option<BigInt> {
        Some(a * b - c * d)
    }

    fn divisor(&self, other: &BigInt) -> BigInt {
        self.gcd(other)
    }

    fn over(&self, divisor: &BigInt) -> BigInt {
        self / divisor
    }

    fn negated(&self) -> BigInt {
        -self
    }

    fn to_big(&self) -> BigInt {
        self.clone()
    }
}
