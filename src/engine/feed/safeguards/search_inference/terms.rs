//! The terms of a figure, the limit on its work, and its origin (SCIENCE 6). Only defines types.

use super::figure::TraceRatio;
use crate::policy::{RefinementLimits, Values};

/// The limit on the work for a figure, in operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceBudget {
    /// Bits of an exact figure.
    pub bits: u64,
    /// Terms of sums of whole numbers, one for each 64 bits.
    pub sums: u64,
    /// Terms of sums of floats.
    pub terms: u64,
    /// Pre-images that are enumerated.
    pub worlds: u64,
    /// Pre-images that are sampled.
    pub draws: u64,
    /// Rows that are placed for all samples.
    pub rows: u64,
}

impl TraceBudget {
    /// At most some tens of seconds, and a small part of it for nearly all releases.
    pub const FULL: TraceBudget = TraceBudget {
        bits: 1 << 14,
        sums: 1 << 22,
        terms: 1 << 31,
        worlds: 1 << 18,
        draws: 100_000,
        rows: 1 << 27,
    };
    /// About a second, if nothing depends on the figure.
    pub const GLANCE: TraceBudget = TraceBudget {
        bits: 1 << 12,
        sums: 1 << 18,
        terms: 1 << 25,
        worlds: 1 << 12,
        draws: 1 << 12,
        rows: 1 << 20,
    };
}

/// The terms of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceTerms {
    /// Whether two people may have equal values.
    pub values: Values,
    /// The seed of random numbers.
    pub seed: u64,
    /// The limit on the work.
    pub budget: TraceBudget,
}

impl TraceTerms {
    /// The terms of a policy: much work if something depends on the figure, little if it is only
    /// reported.
    pub fn of(limits: &RefinementLimits, seed: u64) -> TraceTerms {
        let budget = if limits.max_global_ratio.is_some() {
            TraceBudget::FULL
        } else {
            TraceBudget::GLANCE
        };
        TraceTerms {
            values: limits.values,
            seed,
            budget,
        }
    }
}

/// The origin of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureSource {
    /// The closed form.
    Formula,
    /// The search was run on every pre-image.
    Counted {
        /// The number of pre-images, with equal people counted together.
        worlds: u64,
    },
    /// The search was run on sampled pre-images.
    Drawn {
        /// The number of samples.
        draws: u64,
        /// How many of them gave the same release.
        kept: u64,
    },
}

/// The leakage of the whole course of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeTrace {
    /// The ratio of all pre-images to the remaining ones.
    pub ratio: TraceRatio,
    /// The origin of the figure.
    pub source: FigureSource,
}
