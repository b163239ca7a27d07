//! What a policy consists of once it is built (SCIENCE 4 and 5): for each promise the parameters that it has, defaults
//! filled in, and no others. Nothing here can be written down wrongly; what was written is judged in `check` first.

use super::settings::{
    ChainKind, Cuts, Distance, DiversitySettings, Guarantee, MaxRatio, Outliers, Output, PolicySettings, Rare, Search,
    Values,
};
use crate::model::{Decimal, DetailSettings};

/// What a chain promises, with the parameters that this promise has.
#[derive(Debug, Clone, PartialEq)]
pub enum ChainPromise {
    /// Releases hold all people so far; people are never decided by their sensitive values.
    Blind(RareRowPolicy),
    /// People are divided by coins; classes have labels of their own, and never change. People are never decided by their sensitive
    /// values.
    Crowds {
        /// How many ticks are halved together.
        every: u64,
        /// Whether each release holds new classes alone; otherwise all so far.
        alone: bool,
    },
    /// One test and one coin choose between two recodings.
    Tested {
        /// What happens to rare rows.
        standing: RareRowPolicy,
        /// How the recodings may differ.
        cuts: Cuts,
        /// The probability with which the coin withholds.
        rho: Decimal,
        /// The cap on an attacker's odds.
        max_odds: Decimal,
    },
    /// The published algorithm to the letter.
    Bcf,
    /// Releases hold the newest people alone.
    Disjoint {
        /// The share of rows that may be suppressed.
        suppression: Decimal,
        /// One table or two.
        output: Output,
        /// What happens to rows without a class; only local recoding has them.
        outliers: Option<Outliers>,
        /// Whether rows can wait that one recoding for all leaves out.
        waits: bool,
    },
}

/// What happens to rows whose class is too small under the standing recoding (SCIENCE 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RareRowPolicy {
    /// Whether they wait at all.
    pub rare: Rare,
    /// Ticks until they are overdue; 0 when nothing waits.
    pub max_wait: u64,
    /// The share of all rows that may be withheld; 0 when nothing is.
    pub max_withheld: Decimal,
}

/// What classes must show of sensitive values after attacks; `None` = not asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiversityLimits {
    /// The fewest different values.
    pub distinct_l: Option<u64>,
    /// The least exp(entropy).
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
    /// From which place on counts are summed.
    pub l: u64,
}

/// t-closeness and its ground distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closeness {
    /// The farthest that a class may lie from the whole table.
    pub t: Decimal,
    /// How far two values lie apart.
    pub distance: Distance,
}

/// m-confidentiality of the guarded sets (SCIENCE 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Masking {
    /// No person is tied to a guarded value with more than 1/m.
    pub m: u64,
    /// Whether values are masked where that is needed.
    pub mask: bool,
    /// What the public may believe beforehand; `None` = 1/(2m), which no decimal need be.
    pub base_rate: Option<Decimal>,
}

/// What refinement attacks may find (SCIENCE 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefinementLimits {
    /// How solutions are counted.
    pub values: Values,
    /// The most that a target of a locally recoded release may be narrowed down; `None`: the check is switched off.
    pub max_ratio: Option<Decimal>,
    /// The fewest solutions that must be left of such a target.
    pub min_solutions: u64,
    /// The most that all of its targets together may be narrowed down.
    pub max_joint_ratio: Option<Decimal>,
    /// The most that the refusals of a global search may narrow down.
    pub max_global_ratio: Option<Decimal>,
    /// How often a locally recoded release that failed is repaired.
    pub max_repairs: u64,
}

impl RefinementLimits {
    /// The default of `policy.max_ratio`.
    pub const MAX_RATIO: Decimal = Decimal::new(100, 0).expect("a whole number");
    /// The default of `policy.min_solutions`.
    pub const MIN_SOLUTIONS: u64 = 1000;
    /// The default of `policy.max_repairs`.
    pub const MAX_REPAIRS: u64 = 3;

    /// Whether anybody looks at what one recoding for all tells.
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
            min_solutions: written.min_solutions.unwrap_or(RefinementLimits::MIN_SOLUTIONS),
            max_joint_ratio: written.max_joint_ratio,
            max_global_ratio: written.max_global_ratio,
            max_repairs: written.max_repairs.unwrap_or(RefinementLimits::MAX_REPAIRS),
        }
    }
}

impl Masking {
    /// l': no more than one in so many people of an atom show a value of a guarded set (SCIENCE 5).
    pub fn l(&self) -> u64 {
        self.m.saturating_mul(2)
    }

    /// What the public may believe beforehand, as part and whole; `None`: it does not fit.
    pub fn rate(&self) -> Option<(u64, u64)> {
        assert!(self.m > 0, "m-confidentiality is of some m");
        match self.base_rate {
            None => Some((1, self.l())),
            Some(rate) => Some((rate.digits(), 10u64.checked_pow(u32::from(rate.scale()))?)),
        }
    }
}

impl ChainPromise {
    /// The default of `policy.publish_every`.
    pub const PUBLISH_EVERY: u64 = 1;

    pub(super) fn of(
        written: &PolicySettings,
        chain: ChainKind,
        search: Search,
        details: &[DetailSettings],
    ) -> ChainPromise {
        let every = written.publish_every.unwrap_or(ChainPromise::PUBLISH_EVERY);
        assert!(every > 0, "some ticks are halved together");
        if chain == ChainKind::Disjoint && search == Search::Halves && written.publish_every.is_some() {
            return ChainPromise::Crowds { every, alone: true };
        }
        if chain == ChainKind::Disjoint {
            let suppression = written.suppression.unwrap_or(Decimal::ZERO);
            let floors = details.iter().any(|detail| detail.floor().is_some());
            return ChainPromise::Disjoint {
                suppression,
                waits: search == Search::Levels || suppression > Decimal::ZERO || floors,
                output: written.output.unwrap_or(Output::OneTable),
                outliers: (search.is_local() && !search.is_micro()).then(|| written.outliers.unwrap_or(Outliers::Wait)),
            };
        }
        match written.guarantee.unwrap_or(Guarantee::Blind) {
            Guarantee::Bcf => ChainPromise::Bcf,
            Guarantee::Blind if search == Search::Halves => ChainPromise::Crowds { every, alone: false },
            Guarantee::Blind => ChainPromise::Blind(RareRowPolicy::of(written)),
            Guarantee::Chain => ChainPromise::Tested {
                standing: RareRowPolicy::of(written),
                cuts: written.cuts.unwrap_or(Cuts::Nested),
                rho: written.rho.expect("`chain` without rho is a contradiction"),
                max_odds: written.max_odds.expect("`chain` without max_odds is a contradiction"),
            },
        }
    }
}

impl RareRowPolicy {
    /// The default of `policy.max_wait`.
    pub const MAX_WAIT: u64 = 8;
    /// The default of `policy.max_withheld`.
    pub const MAX_WITHHELD: Decimal = Decimal::new(2, 2).expect("two decimals");

    pub(super) fn of(written: &PolicySettings) -> RareRowPolicy {
        match written.rare.unwrap_or(Rare::Wait) {
            Rare::Coarsen => RareRowPolicy { rare: Rare::Coarsen, max_wait: 0, max_withheld: Decimal::ZERO },
            Rare::Wait => RareRowPolicy {
                rare: Rare::Wait,
                max_wait: written.max_wait.unwrap_or(RareRowPolicy::MAX_WAIT),
                max_withheld: written.max_withheld.unwrap_or(RareRowPolicy::MAX_WITHHELD),
            },
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
            closeness: written.t.map(|t| Closeness { t, distance: written.distance.unwrap_or(Distance::Equal) }),
        }
    }
}
