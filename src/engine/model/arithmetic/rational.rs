//! Rational numbers in lowest terms. `Debug` shows no digits: the numbers may be sums of people's
//! values.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;

/// A rational number in lowest terms, with a positive denominator.
#[derive(Clone, PartialEq, Eq)]
pub struct RationalNumber {
    numerator: BigInt,
    denominator: BigInt,
}

impl fmt::Debug for RationalNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fraction")
    }
}

impl RationalNumber {
    /// The number in lowest terms.
    ///
    /// # Panics
    /// If the denominator is not positive.
    pub fn new(numerator: BigInt, denominator: BigInt) -> RationalNumber {
        assert!(denominator > BigInt::ZERO, "a denominator is above 0");
        let shared = numerator.gcd(&denominator);
        RationalNumber {
            numerator: numerator / &shared,
            denominator: denominator / shared,
        }
    }

    /// A whole number.
    pub fn whole(number: impl Into<BigInt>) -> RationalNumber {
        RationalNumber {
            numerator: number.into(),
            denominator: BigInt::from(1),
        }
    }

    /// The largest whole number at or below it.
    pub fn floor(&self) -> BigInt {
        let floor = self.numerator.div_floor(&self.denominator);
        assert!(
            &floor * &self.denominator <= self.numerator,
            "no larger than the fraction"
        );
        floor
    }

    /// The smallest whole number at or above it.
    pub fn ceil(&self) -> BigInt {
        let ceil = self.numerator.div_ceil(&self.denominator);
        assert!(
            &ceil * &self.denominator >= self.numerator,
            "no smaller than the fraction"
        );
        ceil
    }

    /// The numerator.
    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The denominator.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }
}

impl PartialOrd for RationalNumber {
    fn partial_cmp(&self, other: &RationalNumber) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RationalNumber {
    fn cmp(&self, other: &RationalNumber) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}
