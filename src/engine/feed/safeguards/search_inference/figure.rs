//! A ratio with its precision. A ratio that is not exact errs only to the safe side: too high.

use num_bigint::BigUint;

/// The ratio of all pre-images to the remaining ones.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceRatio {
    /// Exactly this fraction.
    Exact {
        /// The number of all pre-images, or a multiple of it.
        all: BigUint,
        /// The number of the remaining ones, multiplied by the same.
        left: BigUint,
    },
    /// Ten to this power, with an error of the power of at most `error`.
    Near {
        /// The decimal logarithm.
        log10: f64,
        /// The largest error.
        error: f64,
    },
    /// An upper bound: ten to this power, wrong with a probability below 10^−9.
    AtMost {
        /// The decimal logarithm.
        log10: f64,
    },
    /// No pre-image remains: the search did not make this release.
    Impossible,
    /// The budget was not enough for any figure, or no sample was kept.
    Unknown,
}

impl TraceRatio {
    /// From two whole numbers.
    pub(super) fn exact(all: BigUint, left: BigUint) -> TraceRatio {
        assert!(left <= all, "what is left is a part of all");
        if left == BigUint::ZERO {
            TraceRatio::Impossible
        } else {
            TraceRatio::Exact { all, left }
        }
    }

    /// The decimal logarithm, or an upper bound of it.
    pub fn log10(&self) -> Option<f64> {
        match self {
            TraceRatio::Exact { all, left } => Some(log10(all) - log10(left)),
            TraceRatio::Near { log10, .. } | TraceRatio::AtMost { log10 } => Some(*log10),
            TraceRatio::Impossible | TraceRatio::Unknown => None,
        }
    }

    /// An upper bound of the decimal logarithm, if one is known.
    pub fn most(&self) -> Option<f64> {
        match self {
            // Each of the two logarithms has a relative error of at most 10^−15.
            TraceRatio::Exact { all, .. } => Some(self.log10()? + (1.0 + log10(all)) * 1e-14),
            TraceRatio::Near { log10, error } => Some(log10 + error),
            TraceRatio::AtMost { log10 } => Some(*log10),
            TraceRatio::Impossible | TraceRatio::Unknown => None,
        }
    }
}

/// For a whole number that is not 0.
fn log10(number: &BigUint) -> f64 {
    let shift = number.bits().saturating_sub(64);
    let top = (number >> shift).iter_u64_digits().next().unwrap_or(0);
    (top as f64).log10() + shift as f64 * std::f64::consts::LOG10_2
}
