//! Exact shares in lowest terms, as they are printed, and binomial coefficients.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigUint;
use num_integer::Integer;

/// A share: part / of, in lowest terms.
#[derive(Clone, PartialEq, Eq)]
pub struct ShareFraction {
    part: BigUint,
    of: BigUint,
}

impl ShareFraction {
    /// The share in lowest terms.
    ///
    /// # Panics
    /// If the whole is 0.
    pub fn new(part: BigUint, of: BigUint) -> ShareFraction {
        assert!(of != BigUint::ZERO, "a share of something");
        let common = part.gcd(&of);
        ShareFraction {
            part: part / &common,
            of: of / &common,
        }
    }

    /// The nearest float, except for its last digits.
    pub fn value(&self) -> f64 {
        // 64 significant digits of the quotient are more than a float holds.
        let shift = (self.of.bits() + 64).saturating_sub(self.part.bits());
        let quotient = (&self.part << shift) / &self.of;
        let drop = quotient.bits().saturating_sub(64);
        let top = (quotient >> drop)
            .to_u64_digits()
            .first()
            .copied()
            .unwrap_or(0);
        top as f64 * (drop as f64 - shift as f64).exp2()
    }

    /// Whether the share is at most part / of.
    pub fn is_at_most(&self, part: u64, of: u64) -> bool {
        &self.part * of <= &self.of * part
    }

    /// Whether the share is at most 1/m.
    pub fn is_at_most_one_in(&self, m: u64) -> bool {
        &self.part * m <= self.of
    }
}

impl Ord for ShareFraction {
    fn cmp(&self, other: &ShareFraction) -> Ordering {
        (&self.part * &other.of).cmp(&(&other.part * &self.of))
    }
}

impl PartialOrd for ShareFraction {
    fn partial_cmp(&self, other: &ShareFraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `53/86`; whole numbers without their denominator.
impl fmt::Display for ShareFraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.of == BigUint::from(1u8) {
            write!(f, "{}", self.part)
        } else {
            write!(f, "{}/{}", self.part, self.of)
        }
    }
}

impl fmt::Debug for ShareFraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// C(n, j).
pub fn choose(n: u64, j: u64) -> BigUint {
    if j > n {
        return BigUint::ZERO;
    }
    // Each step divides by i + 1 without remainder.
    (0..j.min(n - j)).fold(BigUint::from(1u8), |product, i| product * (n - i) / (i + 1))
}

/// log2 C(n, j), rounded up generously.
pub fn bits_of_choose(n: u64, j: u64) -> u64 {
    let j = j.min(n.saturating_sub(j));
    if j == 0 {
        return 1;
    }
    // n·H(j/n) is an upper bound, with H the binary entropy.
    let (n, j) = (n as f64, j as f64);
    let entropy = j * (n / j).log2() + (n - j) * (n / (n - j)).log2();
    entropy.ceil() as u64 + 1
}
