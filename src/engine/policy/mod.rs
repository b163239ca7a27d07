//! The parameters of a chain, parsed once (CONTRACTS 1, SCIENCE 4 and 5). A [`Policy`] that
//! contradicts itself cannot be built: a parameter that does not apply has no field. Defaults, and
//! keys that exclude each other, are handled here and nowhere else.
//!
//! This room knows columns only by number, and nothing about files or rows, or which parts of the
//! program exist.

mod check;
mod division;
mod open_sets;
mod or_off;
mod parts;
mod search_facts;
mod settings;

pub use crate::model::Decimal;
pub use check::{ColumnFacts, PolicyError, contradictions};
pub use division::{Certain, Division, RegionSplit, refusals};
pub use or_off::OffWord;
pub use parts::{ChainPromise, Closeness, DiversityLimits, Masking, Recursive, RefinementLimits};
pub use search_facts::{Inference, LabelRule, RefusedStep, SearchFacts};
pub use settings::{
    ChainKind, Distance, DiversitySettings, Dominance, Guarantee, MaxRatio, OnRepeat, Outliers,
    Output, PolicySettings, Search, Values,
};

use serde::{Serialize, Serializer};

use crate::model::{DetailSettings, Taxonomy};

/// A policy without contradictions. Serialises as the whole `[policy]` in force, including
/// defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    k: u64,
    chain: ChainPromise,
    diversity: Option<DiversityLimits>,
    masking: Option<Masking>,
    search: Search,
    max_loss: Decimal,
    on_repeat: OnRepeat,
    details: Vec<DetailSettings>,
    in_force: PolicySettings,
}

impl Policy {
    /// Converts what was written into a policy.
    ///
    /// # Errors
    /// The first contradiction; [`contradictions`] lists them all.
    pub fn new(
        written: &PolicySettings,
        chain: ChainKind,
        facts: &ColumnFacts,
    ) -> Result<Policy, PolicyError> {
        if let Some(first) = contradictions(written, chain, facts).into_iter().next() {
            return Err(first);
        }
        let k = written.k.expect("a policy without k is a contradiction");
        assert!(k >= 2, "one person is no class");
        let search = written.search.unwrap_or(Search::TopDown);
        let policy = Policy {
            k,
            chain: ChainPromise::of(written, chain, search, &facts.details),
            diversity: written.diversity.as_ref().map(DiversityLimits::of),
            masking: written.m.map(|m| Masking {
                m,
                mask: written.mask.unwrap_or(true),
                base_rate: written.base_rate,
            }),
            search,
            max_loss: written.max_loss.unwrap_or(Decimal::ONE),
            on_repeat: written.on_repeat.unwrap_or(OnRepeat::Ignore),
            details: facts.details.clone(),
            in_force: written.clone(),
        };
        Ok(policy.with_defaults())
    }

    /// Adds the defaults that apply to the policy in force. A check that is off gets no default.
    fn with_defaults(mut self) -> Policy {
        let shown = &mut self.in_force;
        shown.search = Some(self.search);
        assert!(self.max_loss <= Decimal::ONE, "a share of all detail");
        shown.max_loss = Some(self.max_loss);
        shown.on_repeat = Some(self.on_repeat);
        shown.mask = self.masking.map(|masking| masking.mask);
        if let Some(diversity) = &mut shown.diversity {
            diversity.distance = self
                .diversity
                .and_then(|diversity_limits| diversity_limits.closeness)
                .map(|closeness| closeness.distance);
        }
        match &self.chain {
            ChainPromise::Atoms { .. } if self.search != Search::Halves => {
                if shown.set_aside.is_some() || self.search == Search::Levels {
                    shown.set_aside = Some(shown.set_aside.unwrap_or(Decimal::ZERO));
                }
            }
            ChainPromise::Atoms { every, .. } => {
                let limits = RefinementLimits::of(shown);
                shown.publish_every = Some(*every);
                shown.values = Some(limits.values);
                shown.max_ratio = shown.max_ratio.or(limits.max_ratio.map(MaxRatio::Limit));
                shown.min_solutions = Some(limits.min_solutions);
            }
            ChainPromise::Bcf | ChainPromise::Disjoint { .. } => {}
        }
        match &self.chain {
            ChainPromise::Atoms { alone: false, .. } => shown.guarantee = Some(Guarantee::Blind),
            ChainPromise::Bcf | ChainPromise::Atoms { alone: true, .. } => {}
            ChainPromise::Disjoint {
                suppression,
                output,
                outliers,
                waits: _,
            } => {
                shown.suppression = Some(*suppression);
                shown.output = Some(*output);
                shown.outliers = *outliers;
                if self.search.is_local() {
                    let limits = RefinementLimits::of(shown);
                    shown.values = Some(limits.values);
                    shown.max_ratio = shown.max_ratio.or(limits.max_ratio.map(MaxRatio::Limit));
                    shown.min_solutions = Some(limits.min_solutions);
                    shown.max_repairs = Some(limits.max_repairs);
                }
            }
        }
        self
    }

    /// The smallest class; at least 2.
    pub fn k(&self) -> u64 {
        self.k
    }

    /// The smallest number of people of an atom, or of a class of a disjoint release (SCIENCE 4 and
    /// 5): k, and if guarded values are masked max(k, 2l') with l' = 2m.
    pub fn a(&self) -> u64 {
        self.masking
            .map_or(self.k, |masking| self.k.max(masking.m.saturating_mul(4)))
    }

    /// The promise of the chain.
    pub fn chain(&self) -> &ChainPromise {
        &self.chain
    }

    /// Whether releases contain all people so far or only the newest ones.
    pub fn kind(&self) -> ChainKind {
        match self.chain {
            ChainPromise::Disjoint { .. } | ChainPromise::Atoms { alone: true, .. } => {
                ChainKind::Disjoint
            }
            _ => ChainKind::Cumulative,
        }
    }

    /// The guarantee of a cumulative chain.
    pub fn guarantee(&self) -> Option<Guarantee> {
        match self.chain {
            ChainPromise::Atoms { alone: false, .. } => Some(Guarantee::Blind),
            ChainPromise::Bcf => Some(Guarantee::Bcf),
            ChainPromise::Disjoint { .. } | ChainPromise::Atoms { alone: true, .. } => None,
        }
    }

    /// Whether a tick decides who is published, so that others wait; otherwise all people who wait
    /// are published.
    pub fn forms(&self) -> bool {
        self.has_atoms() || self.search.is_local() || self.recodes_some()
    }

    /// Whether a release of a disjoint chain has one recoding for all rows, and leaves rows waiting
    /// that have no class under it.
    pub fn recodes_some(&self) -> bool {
        matches!(self.chain, ChainPromise::Disjoint { waits: true, .. }) && !self.search.is_local()
    }

    /// How much detail each quasi column should keep, in order; empty if all have the default.
    pub fn details(&self) -> &[DetailSettings] {
        &self.details
    }

    /// The share of rows that a search for a recoding may leave waiting.
    pub fn set_aside(&self) -> Decimal {
        let share = match self.chain {
            ChainPromise::Disjoint { suppression, .. } => suppression,
            _ => self.in_force.set_aside.unwrap_or(Decimal::ZERO),
        };
        assert!(share <= Decimal::ONE, "a share of all rows");
        share
    }

    /// What readers who know the search can infer from a recoding.
    pub fn inference(&self) -> Inference {
        let plain = self
            .details
            .iter()
            .all(|detail| detail.counts_as_one() && detail.floor().is_none());
        match self.search.facts().refused {
            Some(RefusedStep::Level) => Inference::EachLevel(self.set_aside()),
            Some(RefusedStep::Node) if plain && self.set_aside() == Decimal::ZERO => {
                Inference::Replay
            }
            Some(RefusedStep::Node) => Inference::EachNode(self.set_aside()),
            None => Inference::Nothing,
        }
    }

    /// One table or two.
    pub fn output(&self) -> Output {
        if let ChainPromise::Disjoint { output, .. } = self.chain {
            output
        } else {
            Output::OneTable
        }
    }

    /// How many ticks are halved together, if halving divides people.
    pub fn publish_every(&self) -> Option<u64> {
        match self.chain {
            ChainPromise::Atoms { every, .. } if self.halves() => {
                assert!(every > 0, "some ticks are halved together");
                Some(every)
            }
            _ => None,
        }
    }

    /// Whether a coin divides people, so that each class has labels of its own that tell little.
    pub fn halves(&self) -> bool {
        self.search == Search::Halves
    }

    /// Whether people are published in atoms, each with a label of its own, and tables in parts.
    pub fn has_atoms(&self) -> bool {
        matches!(self.chain, ChainPromise::Atoms { .. })
    }

    /// Whether classes keep their labels in all later releases.
    pub fn keeps_labels(&self) -> bool {
        matches!(self.chain, ChainPromise::Atoms { alone: false, .. })
    }

    /// Whether taxonomies may get new leaves while a chain runs. Labels of halving depend on the
    /// whole taxonomy.
    pub fn taxonomies_grow(&self) -> bool {
        !self.halves()
    }

    /// Whether people in classes that were not published wait again at the next tick.
    pub fn waits_again(&self) -> bool {
        matches!(self.chain, ChainPromise::Disjoint { .. }) && self.forms()
    }

    /// The requirements on the sensitive values of classes.
    pub fn diversity(&self) -> Option<&DiversityLimits> {
        self.diversity.as_ref()
    }

    /// m-confidentiality.
    pub fn masking(&self) -> Option<Masking> {
        self.masking
    }

    /// The search for a recoding.
    pub fn search(&self) -> Search {
        self.search
    }

    /// The limits on findings of refinement attacks.
    pub fn refinement(&self) -> RefinementLimits {
        RefinementLimits::of(&self.in_force)
    }

    /// The rule by which halving divides regions, over taxonomies with runs; `None` if
    /// there are too many combinations to be counted.
    pub fn division<'t>(&self, trees: &[&'t Taxonomy]) -> Option<Division<'t>> {
        let limits = self.refinement();
        assert!(
            self.details.is_empty() || self.details.len() == trees.len(),
            "one detail for each column, or for none"
        );
        let division = Division::new(trees, self.a(), limits.min_solutions, limits.values);
        division.map(|division| division.weighted(&self.details))
    }

    /// How many splits halving with a coin may refuse on the way to a label.
    pub fn refusals(&self) -> u32 {
        refusals(
            self.refinement()
                .max_ratio
                .unwrap_or(RefinementLimits::MAX_RATIO),
        )
    }

    /// The limit on information loss.
    pub fn max_loss(&self) -> Decimal {
        self.max_loss
    }

    /// The treatment of a second row of one person.
    pub fn on_repeat(&self) -> OnRepeat {
        self.on_repeat
    }

    /// The whole `[policy]` in force.
    pub fn in_force(&self) -> &PolicySettings {
        &self.in_force
    }
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.in_force.serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
