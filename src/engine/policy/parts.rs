//! The parts of a built policy (SCIENCE 4 and 5), with defaults. Contradictions are found earlier,
//! in `check`.

use super::settings::{Distance, DiversitySettings, MaxRatio, PolicySettings, Values};
use crate::model::Decimal;

/// The requirements on the sensitive values of classes after attacks; `None` = no requirement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiversityLimits {
    /// The smallest number of different values.
    pub distinct_l: Option<u64>,
    /// The smallest exp(entropy).
    pub entropy_l: Option<Decimal>,
    /// Recursive (c,l): both or neither.
    pub recursive: Option<Recursive>,
    /// The largest share of one value.
    pub alpha: Option<Decimal>,
    /// The largest share of a guarded set.
    pub confidence: Option<Decimal>,
    /// t-closeness.
    pub closeness: Option<Closeness>,
}

/// Recursive (c,l)-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recursive {
    /// The factor.
    pub c: Decimal,
    /// The rank from which on counts are summed.
    pub l: u64,
}

/// t-closeness and its ground distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closeness {
    /// The largest distance of a class from the whole table.
    pub t: Decimal,
    /// The distance between two values.
    pub distance: Distance,
}

/// m-confidentiality of the guarded sets (SCIENCE 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masking {
    /// No person is linked to a guarded value with more than 1/m.
    pub m: u64,
    /// Whether values are masked where necessary.
    pub mask: bool,
    /// The assumed prior belief of the public; `None` = 1/(2m), which may not be a decimal.
    pub base_rate: Option<Decimal>,
}

/// The limits on findings of refinement attacks (SCIENCE 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefinementLimits {
    /// How solutions are counted.
    pub values: Values,
    /// The largest ratio for a target of a locally recoded release; `None`: the check is switched
    /// off.
    pub max_ratio: Option<Decimal>,
    /// The smallest number of solutions that must remain for such a target.
    pub min_solutions: u64,
    /// The largest ratio due to the refusals of a global search.
    pub max_global_ratio: Option<Decimal>,
    /// How often a rejected locally recoded release is repaired.
    pub max_repairs: u64,
}

impl RefinementLimits {
    /// The default of `policy.max_ratio`.
    pub const MAX_RATIO: Decimal = Decimal::new(100, 0).expect("a whole number");
    /// The default of `policy.min_solutions`.
    pub const MIN_SOLUTIONS: u64 = 1000;
    /// The default of `policy.max_repairs`.
    pub const MAX_REPAIRS: u64 = 3;

    /// Whether the leakage of one recoding for all rows is computed.
    pub fn looks_at_coarseness(&self) -> bool {
        self.max_ratio.is_some() || self.max_global_ratio.is_some()
    }

    pub(super) fn of(written: &PolicySettings) -> RefinementLimits {
        RefinementLimits {
            values: written.values.unwrap_or(Values::Repeated),
            max_ratio: match written.max_ratio {
                None => Some(RefinementLimits::MAX_RATIO),
                Some(MaxRatio::Limit(limit)) => Some(limit),
                Some(MaxRatio::Switch(_)) => None,
            },
            min_solutions: written
                .min_solutions
                .unwrap_or(RefinementLimits::MIN_SOLUTIONS),
            max_global_ratio: written.max_global_ratio,
            max_repairs: written.max_repairs.unwrap_or(RefinementLimits::MAX_REPAIRS),
        }
    }
}

impl Masking {
    /// l': at most one in l' people of an atom shows a value of a guarded set (SCIENCE 5).
    pub fn l(&self) -> u64 {
        self.m.saturating_mul(2)
    }

    /// The assumed prior belief of the public, as numerator and denominator; `None` if they do not
    /// fit.
    pub fn rate(&self) -> Option<(u64, u64)> {
        assert!(self.m > 0, "m-confidentiality is of some m");
        match self.base_rate {
            None => Some((1, self.l())),
            Some(rate) => Some((rate.digits(), 10u64.checked_pow(u32::from(rate.scale()))?)),
        }
    }
}

impl DiversityLimits {
    pub(super) fn of(written: &DiversitySettings) -> DiversityLimits {
        DiversityLimits {
            distinct_l: written.distinct_l,
            entropy_l: written.entropy_l,
            recursive: written.c.zip(written.l).map(|(c, l)| {
                assert!(l > 0, "values are counted from the first on");
                Recursive { c, l }
            }),
            alpha: written.alpha,
            confidence: written.confidence,
            closeness: written.t.map(|t| Closeness {
                t,
                distance: written.distance.unwrap_or(Distance::Equal),
            }),
        }
    }
}
