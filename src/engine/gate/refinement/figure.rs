//! Figures of an attack (SCIENCE 6), each of which says how well it is known: counts that are exact, that are floats with
//! a bound of their error, that are bounds from below, or that are not known. A bound lies on the safe side: fewer
//! solutions, a larger ratio.

use num_bigint::BigUint;

use super::wide::{UNIT, Wide};

/// How many solutions or assignments there are.
#[derive(Debug, Clone, PartialEq)]
pub enum Count {
    /// Exactly so many.
    Exact(BigUint),
    /// Ten to this power; the power is off by `error` at most.
    Near {
        /// The decimal logarithm.
        log10: f64,
        /// How far the truth may lie from it.
        error: f64,
    },
    /// At least ten to this power, unless chance has misled with less than one in 10^9.
    AtLeast {
        /// The decimal logarithm.
        log10: f64,
    },
    /// The budget did not last for any figure.
    Unknown,
}

impl Count {
    /// Whether the attack shows that it is at least so many.
    pub fn is_at_least(&self, least: u64) -> bool {
        match self {
            Count::Exact(count) => *count >= BigUint::from(least),
            // The logarithm of `least` is rounded too.
            Count::Near { log10, error } => log10 - error - 1e-12 >= (least as f64).log10(),
            Count::AtLeast { log10 } => log10 - 1e-12 >= (least as f64).log10(),
            Count::Unknown => false,
        }
    }

    /// What its decimal logarithm is certainly not above, as far as that is known.
    pub fn most(&self) -> Option<f64> {
        match self {
            Count::Exact(_) => self.log10().map(|log10| log10 + (1.0 + log10) * 1e-14),
            Count::Near { log10, error } => Some(log10 + error),
            Count::AtLeast { .. } | Count::Unknown => None,
        }
    }

    /// Of a number that is off by so many units of [`UNIT`].
    pub(super) fn near(number: Wide, units: f64) -> Count {
        let (log10, rounding) = number.log10();
        Count::Near { log10, error: rounding + error(units) }
    }

    /// The decimal logarithm, or a bound of it from below; `None` where nothing is known or there are none.
    pub fn log10(&self) -> Option<f64> {
        match self {
            Count::Exact(count) if *count == BigUint::ZERO => None,
            Count::Exact(count) => Some(wide(count).log10().0),
            Count::Near { log10, .. } | Count::AtLeast { log10 } => Some(*log10),
            Count::Unknown => None,
        }
    }
}

/// LR / CRA as a decimal logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ratio {
    /// From two whole numbers, right to 10^−12.
    Exact {
        /// The decimal logarithm.
        log10: f64,
    },
    /// From floats.
    Near {
        /// The decimal logarithm.
        log10: f64,
        /// How far the truth may lie from it.
        error: f64,
    },
    /// At most so large, unless chance has misled with less than one in 10^9.
    AtMost {
        /// The decimal logarithm.
        log10: f64,
    },
    /// There is no solution: ARX-LR did not make this.
    Impossible,
    /// The budget did not last for any figure.
    Unknown,
}

impl Ratio {
    /// The decimal logarithm, or a bound of it from above.
    pub fn log10(&self) -> Option<f64> {
        match self {
            Ratio::Exact { log10 } | Ratio::Near { log10, .. } | Ratio::AtMost { log10 } => Some(*log10),
            Ratio::Impossible | Ratio::Unknown => None,
        }
    }

    /// What the truth is certainly not above, as far as that is known.
    pub fn most(&self) -> Option<f64> {
        match self {
            Ratio::Exact { log10 } => Some(log10 + 1e-12),
            Ratio::Near { log10, error } => Some(log10 + error),
            Ratio::AtMost { log10 } => Some(*log10),
            Ratio::Impossible | Ratio::Unknown => None,
        }
    }

    /// Whether the attack shows that it is at most so large; a limit that a whole number of solutions meets exactly is
    /// better asked of [`super::Target::ratio_is_at_most`].
    pub fn is_at_most(&self, limit: f64) -> bool {
        self.most().is_some_and(|most| most <= limit.log10())
    }

    /// Of two whole numbers.
    pub(super) fn exact(lr: &BigUint, cra: &BigUint) -> Ratio {
        match *cra == BigUint::ZERO {
            true => Ratio::Impossible,
            false if lr == cra => Ratio::Exact { log10: 0.0 },
            false => Ratio::Exact { log10: (wide(lr) / wide(cra)).log10().0 },
        }
    }

    /// Of LR and CRA that are each off by so many units of [`UNIT`].
    pub(super) fn near(lr: (Wide, f64), cra: (Wide, f64)) -> Ratio {
        let (log10, rounding) = (lr.0 / cra.0).log10();
        Ratio::Near { log10, error: rounding + error(lr.1 + cra.1 + 2.0) }
    }
}

/// What so many roundings may change in a decimal logarithm: ln((1 + u)^n) ≤ 1.01 · n · u, while that is small.
fn error(units: f64) -> f64 {
    let part = units * UNIT;
    if part < 0.01 { 1.01 * part / std::f64::consts::LN_10 } else { f64::INFINITY }
}

/// A whole number as a float, off by one unit at most.
pub fn wide(number: &BigUint) -> Wide {
    let shift = number.bits().saturating_sub(128);
    let top = (number >> shift).iter_u64_digits().rev().fold(0u128, |top, digit| (top << 64) | u128::from(digit));
    Wide::from(top).scaled(shift as i64)
}
