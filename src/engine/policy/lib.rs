//! The parameters of a chain, parsed once (CONTRACTS 1, SCIENCE 4 and 5). A [`Policy`] that
//! contradicts itself cannot be built: a parameter that does not apply has no field. Defaults, and
//! keys that exclude each other, are handled here and nowhere else.
//!
//! This room knows columns only by number, and nothing about files or rows, or which parts of the
//! program exist.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod dominance;
pub mod measures;

// The rooms that this one knows.
use tidegate_model::{self as model, histogram};

mod check;
mod division;
mod labellers;
mod open_sets;
mod or_off;
mod parts;
mod settings;

pub use crate::model::Decimal;
pub use check::{ColumnFacts, PolicyError, contradictions};
pub use division::{Certain, Division, RegionSplit, refusals};
pub use labellers::{EarlierRows, Inference, LabelRule, LabellerFacts, LabellerName, RefusedStep};
pub use or_off::OffWord;
pub use parts::{Closeness, DiversityLimits, Masking, Recursive, RefinementLimits};
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
    kind: ChainKind,
    guarantee: Option<Guarantee>,
    diversity: Option<DiversityLimits>,
    masking: Option<Masking>,
    search: Search,
    max_loss: Decimal,
    on_repeat: OnRepeat,
    details: Vec<DetailSettings>,
    in_force: PolicySettings,
}

impl Policy {
    /// The default of `policy.publish_every`.
    pub const PUBLISH_EVERY: u64 = 1;

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
            kind: chain,
            guarantee: match chain {
                ChainKind::Cumulative => Some(written.guarantee.unwrap_or(Guarantee::Blind)),
                ChainKind::Disjoint => None,
            },
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
        shown.guarantee = self.guarantee;
        let limits = RefinementLimits::of(shown);
        let halves = self.search == Search::Halves;
        let stands = self.guarantee == Some(Guarantee::Blind) && !halves;
        if stands && (shown.set_aside.is_some() || self.search == Search::Levels) {
            shown.set_aside = Some(shown.set_aside.unwrap_or(Decimal::ZERO));
        }
        if halves {
            shown.publish_every = Some(shown.publish_every.unwrap_or(Policy::PUBLISH_EVERY));
        }
        if self.kind == ChainKind::Disjoint && !halves {
            shown.suppression = Some(shown.suppression.unwrap_or(Decimal::ZERO));
            shown.output = Some(shown.output.unwrap_or(Output::OneTable));
            if self.search == Search::ArxLr {
                shown.outliers = Some(shown.outliers.unwrap_or(Outliers::Wait));
            }
            if self.search.is_local() {
                shown.max_repairs = Some(limits.max_repairs);
            }
        }
        if self.search.is_local() {
            shown.values = Some(limits.values);
            shown.max_ratio = shown.max_ratio.or(limits.max_ratio.map(MaxRatio::Limit));
            shown.min_solutions = Some(limits.min_solutions);
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

    /// Whether releases contain all people so far or only the newest ones.
    pub fn kind(&self) -> ChainKind {
        self.kind
    }

    /// The guarantee of a cumulative chain.
    pub fn guarantee(&self) -> Option<Guarantee> {
        self.guarantee
    }

    /// The labeller of the people who wait.
    pub fn labeller(&self) -> LabellerName {
        match self.guarantee {
            Some(Guarantee::Bcf) => LabellerName::Bcf,
            _ => LabellerName::of(self.search),
        }
    }

    /// How much detail each quasi column should keep, in order; empty if all have the default.
    pub fn details(&self) -> &[DetailSettings] {
        &self.details
    }

    /// The share of rows that a search for a recoding may leave waiting.
    pub fn set_aside(&self) -> Decimal {
        let share = match self.kind {
            ChainKind::Disjoint => self.in_force.suppression,
            ChainKind::Cumulative => self.in_force.set_aside,
        };
        let share = share.unwrap_or(Decimal::ZERO);
        assert!(share <= Decimal::ONE, "a share of all rows");
        share
    }

    /// What readers who know the search can infer from a recoding.
    pub fn inference(&self) -> Inference {
        let plain = self
            .details
            .iter()
            .all(|detail| detail.counts_as_one() && detail.floor().is_none());
        match self.labeller().facts().refused {
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
        self.in_force.output.unwrap_or(Output::OneTable)
    }

    /// Whether ARX-LR publishes the rows of no class with `*` in all columns.
    pub fn publishes_outliers(&self) -> bool {
        self.in_force.outliers == Some(Outliers::Publish)
    }

    /// How many ticks are halved together; 1 with other labellers.
    pub fn publish_every(&self) -> u64 {
        let every = self.in_force.publish_every.unwrap_or(Policy::PUBLISH_EVERY);
        assert!(every > 0, "some ticks are halved together");
        every
    }

    /// Whether a coin divides people, so that each class has labels of its own that tell little.
    pub fn halves(&self) -> bool {
        self.search == Search::Halves
    }

    /// Whether classes keep their labels in all later releases.
    pub fn keeps_labels(&self) -> bool {
        self.kind == ChainKind::Cumulative
            && self.labeller().facts().earlier == EarlierRows::KeepLabels
    }

    /// Whether one recoding labels the people of all ticks.
    pub fn has_standing_recoding(&self) -> bool {
        self.keeps_labels() && !self.search.is_local()
    }

    /// Whether atoms that form are published even if a release was rejected in between, and tables
    /// consist of parts.
    pub fn has_atoms(&self) -> bool {
        self.keeps_labels() || self.halves()
    }

    /// Whether taxonomies may get new leaves while a chain runs. Labels of halving depend on the
    /// whole taxonomy.
    pub fn taxonomies_grow(&self) -> bool {
        !self.halves()
    }

    /// Whether people in classes that were not published wait again at the next tick.
    pub fn waits_again(&self) -> bool {
        !self.has_atoms()
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
