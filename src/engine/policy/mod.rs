//! The parameters of a chain, parsed once (CONTRACTS 1, SCIENCE 4 and 5). A [`Policy`] that contradicts itself cannot be
//! built: what does not apply has no field to be read from. What the key table says of defaults and of keys that exclude
//! each other is decided here and nowhere else.
//!
//! This room knows columns by number only, and nothing of files, rows or what of all this is built yet.

mod check;
mod decimal;
mod settings;

pub use check::{Facts, PolicyError, contradictions};
pub use decimal::Decimal;
pub use settings::{
    ChainKind, Cuts, Distance, DiversitySettings, Dominance, Guarantee, MaxRatio, Off, OnRepeat, OnUnsafe, Outliers,
    Output, Rare, Search, Settings, Values,
};

use serde::{Serialize, Serializer};

/// A policy without contradictions. Serialises as the whole `[policy]` in force, defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    k: u64,
    chain: Chain,
    diversity: Option<Diversity>,
    masking: Option<Masking>,
    on_unsafe: OnUnsafe,
    search: Search,
    max_loss: Decimal,
    on_repeat: OnRepeat,
    in_force: Settings,
}

/// What a chain promises, with the parameters that this promise has.
#[derive(Debug, Clone, PartialEq)]
pub enum Chain {
    /// Releases hold everybody so far; people are never decided by their sensitive values.
    Blind(Standing),
    /// One test and one coin choose between two recodings.
    Tested {
        /// What happens to rare rows.
        standing: Standing,
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
    },
}

/// What happens to rows whose crowd is too small under the standing recoding (SCIENCE 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Whether they wait at all.
    pub rare: Rare,
    /// Ticks until they are overdue; 0 when nothing waits.
    pub max_wait: u64,
    /// The share of all rows that may be withheld; 0 when nothing is.
    pub max_withheld: Decimal,
}

/// What classes must show of sensitive values after attacks; `None` = not asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Diversity {
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
    /// Nobody is tied to a guarded value with more than 1/m.
    pub m: u64,
    /// Whether values are masked where that is needed.
    pub mask: bool,
    /// What the public may believe beforehand; `None` = 1/(2m), which no decimal need be.
    pub base_rate: Option<Decimal>,
}

impl Policy {
    /// Turns what was written into a policy.
    ///
    /// # Errors
    /// The first contradiction; [`contradictions`] lists them all.
    pub fn new(written: &Settings, chain: ChainKind, facts: &Facts) -> Result<Policy, PolicyError> {
        if let Some(first) = contradictions(written, chain, facts).into_iter().next() {
            return Err(first);
        }
        let k = written.k.expect("a policy without k is a contradiction");
        let search = written.search.unwrap_or(Search::TopDown);
        let policy = Policy {
            k,
            chain: Chain::of(written, chain, search),
            diversity: written.diversity.as_ref().map(Diversity::of),
            masking: written.m.map(|m| Masking { m, mask: written.mask.unwrap_or(true), base_rate: written.base_rate }),
            on_unsafe: written.on_unsafe.unwrap_or(OnUnsafe::Stop),
            search,
            max_loss: written.max_loss.unwrap_or(Decimal::ONE),
            on_repeat: written.on_repeat.unwrap_or(OnRepeat::Ignore),
            in_force: written.clone(),
        };
        Ok(policy.with_defaults())
    }

    /// Writes the defaults that apply into what is shown as in force. A default of a check that is off stays off.
    fn with_defaults(mut self) -> Policy {
        let shown = &mut self.in_force;
        shown.on_unsafe = Some(self.on_unsafe);
        shown.search = Some(self.search);
        shown.max_loss = Some(self.max_loss);
        shown.on_repeat = Some(self.on_repeat);
        shown.mask = self.masking.map(|masking| masking.mask);
        if let Some(diversity) = &mut shown.diversity {
            diversity.distance = self.diversity.and_then(|asked| asked.closeness).map(|closeness| closeness.distance);
        }
        match &self.chain {
            Chain::Blind(standing) | Chain::Tested { standing, .. } => {
                shown.rare = Some(standing.rare);
                shown.max_wait = Some(standing.max_wait);
                shown.max_withheld = Some(standing.max_withheld);
            }
            Chain::Bcf | Chain::Disjoint { .. } => {}
        }
        match &self.chain {
            Chain::Blind(_) => shown.guarantee = Some(Guarantee::Blind),
            Chain::Tested { cuts, .. } => shown.cuts = Some(*cuts),
            Chain::Bcf => {}
            Chain::Disjoint { suppression, output, outliers } => {
                shown.suppression = Some(*suppression);
                shown.output = Some(*output);
                shown.outliers = *outliers;
            }
        }
        self
    }

    /// The smallest crowd; at least 2.
    pub fn k(&self) -> u64 {
        self.k
    }

    /// What the chain promises.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Whether releases hold everybody so far or the newest people alone.
    pub fn kind(&self) -> ChainKind {
        if matches!(self.chain, Chain::Disjoint { .. }) { ChainKind::Disjoint } else { ChainKind::Cumulative }
    }

    /// The guarantee of a cumulative chain.
    pub fn guarantee(&self) -> Option<Guarantee> {
        match self.chain {
            Chain::Blind(_) => Some(Guarantee::Blind),
            Chain::Tested { .. } => Some(Guarantee::Chain),
            Chain::Bcf => Some(Guarantee::Bcf),
            Chain::Disjoint { .. } => None,
        }
    }

    /// What happens to rare rows, where that applies.
    pub fn standing(&self) -> Option<Standing> {
        match self.chain {
            Chain::Blind(standing) | Chain::Tested { standing, .. } => Some(standing),
            Chain::Bcf | Chain::Disjoint { .. } => None,
        }
    }

    /// What classes must show of sensitive values.
    pub fn diversity(&self) -> Option<&Diversity> {
        self.diversity.as_ref()
    }

    /// m-confidentiality.
    pub fn masking(&self) -> Option<Masking> {
        self.masking
    }

    /// The one outcome when a check that looks at sensitive values fails.
    pub fn on_unsafe(&self) -> OnUnsafe {
        self.on_unsafe
    }

    /// How a recoding is found.
    pub fn search(&self) -> Search {
        self.search
    }

    /// The most that generalisation may cost.
    pub fn max_loss(&self) -> Decimal {
        self.max_loss
    }

    /// What happens to a second row of one person.
    pub fn on_repeat(&self) -> OnRepeat {
        self.on_repeat
    }

    /// The whole `[policy]` in force.
    pub fn in_force(&self) -> &Settings {
        &self.in_force
    }
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.in_force.serialize(serializer)
    }
}

impl Chain {
    fn of(written: &Settings, chain: ChainKind, search: Search) -> Chain {
        if chain == ChainKind::Disjoint {
            return Chain::Disjoint {
                suppression: written.suppression.unwrap_or(Decimal::ZERO),
                output: written.output.unwrap_or(Output::OneTable),
                outliers: (search == Search::ArxLr).then(|| written.outliers.unwrap_or(Outliers::Wait)),
            };
        }
        match written.guarantee.unwrap_or(Guarantee::Blind) {
            Guarantee::Bcf => Chain::Bcf,
            Guarantee::Blind => Chain::Blind(Standing::of(written)),
            Guarantee::Chain => Chain::Tested {
                standing: Standing::of(written),
                cuts: written.cuts.unwrap_or(Cuts::Nested),
                rho: written.rho.expect("`chain` without rho is a contradiction"),
                max_odds: written.max_odds.expect("`chain` without max_odds is a contradiction"),
            },
        }
    }
}

impl Standing {
    /// The default of `policy.max_wait`.
    pub const MAX_WAIT: u64 = 8;
    /// The default of `policy.max_withheld`.
    pub const MAX_WITHHELD: Decimal = Decimal::new(2, 2).expect("two decimals");

    fn of(written: &Settings) -> Standing {
        match written.rare.unwrap_or(Rare::Wait) {
            Rare::Coarsen => Standing { rare: Rare::Coarsen, max_wait: 0, max_withheld: Decimal::ZERO },
            Rare::Wait => Standing {
                rare: Rare::Wait,
                max_wait: written.max_wait.unwrap_or(Standing::MAX_WAIT),
                max_withheld: written.max_withheld.unwrap_or(Standing::MAX_WITHHELD),
            },
        }
    }
}

impl Diversity {
    fn of(written: &DiversitySettings) -> Diversity {
        Diversity {
            distinct_l: written.distinct_l,
            entropy_l: written.entropy_l,
            recursive: written.c.zip(written.l).map(|(c, l)| Recursive { c, l }),
            alpha: written.alpha,
            confidence: written.confidence,
            closeness: written.t.map(|t| Closeness { t, distance: written.distance.unwrap_or(Distance::Equal) }),
        }
    }
}

#[cfg(test)]
mod tests;
