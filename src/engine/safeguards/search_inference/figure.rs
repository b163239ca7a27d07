//! A ratio that says how well it is known. What is not exact errs, if at all, to the safe side: too high.

use num_bigint::BigUint;

/// All pre-images over those that are left.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceRatio {
    /// Exactly this fraction.
    Exact {
        /// All pre-images, or as many times as many.
        all: BigUint,
        /// As many times those that are left.
        left: BigUint,
    },
    /// Ten to this power; the power is off by `error` at most.
    Near {
        /// The decimal logarithm.
        log10: f64,
        /// How far the truth may lie from it.
        error: f64,
    },
    /// At most ten to this power, unless chance has misled with less than one in 10^9.
    AtMost {
        /// The decimal logarithm.
        log10: f64,
    },
    /// No pre-image is left: the search did not make this.
    Impossible,
    /// The budget did not last for any figure, or nothing that was drawn was kept.
    Unknown,
}

impl TraceRatio {
    /// Of two whole numbers.
    pub(super) fn exact(all: BigUint, left: BigUint) -> TraceRatio {
        assert!(left <= all, "what is left is a part of all");
        if left == BigUint::ZERO { TraceRatio::Impossible } else { TraceRatio::Exact { all, left } }
    }

    /// The decimal logarithm, or a bound of it from above.
    pub fn log10(&self) -> Option<f64> {
        match self {
            TraceRatio::Exact { all, left } => Some(log10(all) - log10(left)),
            TraceRatio::Near { log10, .. } | TraceRatio::AtMost { log10 } => Some(*log10),
            TraceRatio::Impossible | TraceRatio::Unknown => None,
        }
    }

    /// What the decimal logarithm is certainly not above, as far as that is known.
    pub fn most(&self) -> Option<f64> {
        match self {
            // Each of the two logarithms is right to a part of 10^−15 of itself.
            TraceRatio::Exact { all, .. } => Some(self.log10()? + (1.0 + log10(all)) * 1e-14),
            TraceRatio::Near { log10, error } => Some(log10 + error),
            TraceRatio::AtMost { log10 } => Some(*log10),
            TraceRatio::Impossible | TraceRatio::Unknown => None,
        }
    }
}

/// Of a whole number that is not 0.
fn log10(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let top = (number >> shift).iter_u64_digits().next().unwrap_or(0);
    (top as f64).log10() + shift as f64 * std::f64::consts::LOG10_2
}
