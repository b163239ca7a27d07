//! What a figure depends on, how much work it may take, and where it comes from (SCIENCE 6). Names things only.

use super::figure::TraceRatio;
use crate::policy::{RefinementLimits, Values};

/// How much work a figure may take, in operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceBudget {
    /// Bits of an exact figure.
    pub bits: u64,
    /// Terms of sums of whole numbers, one for each 64 bits.
    pub sums: u64,
    /// Terms of sums of floats.
    pub terms: u64,
    /// Pre-images that are looked at one by one.
    pub worlds: u64,
    /// Pre-images that are drawn.
    pub draws: u64,
    /// Rows that are placed for all that are drawn.
    pub rows: u64,
}

impl TraceBudget {
    /// Some tens of seconds at most, and a small part of it for nearly all releases.
    pub const FULL: TraceBudget =
        TraceBudget { bits: 1 << 14, sums: 1 << 22, terms: 1 << 31, worlds: 1 << 18, draws: 100_000, rows: 1 << 27 };
    /// A second or so, where nothing stands on the figure.
    pub const GLANCE: TraceBudget =
        TraceBudget { bits: 1 << 12, sums: 1 << 18, terms: 1 << 25, worlds: 1 << 12, draws: 1 << 12, rows: 1 << 20 };
}

/// What an estimate depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceTerms {
    /// Whether two people may have equal values.
    pub values: Values,
    /// Where chance begins.
    pub seed: u64,
    /// How much work it may take.
    pub budget: TraceBudget,
}

impl TraceTerms {
    /// What a policy asks for: much work where something stands on the figure, little where it is only told.
    pub fn of(limits: &RefinementLimits, seed: u64) -> TraceTerms {
        let budget = if limits.max_global_ratio.is_some() { TraceBudget::FULL } else { TraceBudget::GLANCE };
        TraceTerms { values: limits.values, seed, budget }
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureSource {
    /// The closed form.
    Formula,
    /// The search was run on every pre-image.
    Counted {
        /// How many there are, equal people not told apart.
        worlds: u64,
    },
    /// The search was run on pre-images that were drawn.
    Drawn {
        /// How many.
        draws: u64,
        /// From how many of them the same release came.
        kept: u64,
    },
}

/// What the whole course of the search tells.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeTrace {
    /// All pre-images over those that are left.
    pub ratio: TraceRatio,
    /// Where it comes from.
    pub source: FigureSource,
}
