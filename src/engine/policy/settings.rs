//! The `[policy]` table as it is written (CONTRACTS 1): every key optional, no default, nothing judged. What it means
//! and whether it contradicts itself is [`super::Policy`]'s business; nothing else may act on these fields.

use serde::{Deserialize, Serialize};

use crate::model::Decimal;

/// `[policy]`: what is promised to the people in the data, and what may be paid for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schemas", schemars(rename = "Policy"))]
pub struct PolicySettings {
    /// The smallest class that people hide in; at least 2.
    #[cfg_attr(feature = "schemas", schemars(required, range(min = 2)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// What a cumulative chain promises; `blind` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guarantee: Option<Guarantee>,
    /// What happens to new rows whose class is still too small; `wait` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rare: Option<Rare>,
    /// Ticks that a row may wait before it is overdue; 8 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_wait: Option<u64>,
    /// The share of all rows of a chain that may be withheld for being rare; 0.02 when left out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_withheld: Option<Decimal>,
    /// Chains of crowds (`search = "halves"`): how many ticks are halved together; 1 when left out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_every: Option<u64>,
    /// How the recodings of a chain under `chain` may differ; `nested` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuts: Option<Cuts>,
    /// Under `chain`: the probability with which the coin withholds a finer release that passed its test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<Decimal>,
    /// Under `chain`: the most by which the odds of an attacker's belief may move over the whole chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_odds: Option<Decimal>,
    /// No person is tied to a guarded value with more than 1/m; off when left out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 2)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub m: Option<u64>,
    /// Whether guarded values are masked where that is needed for `m`; true when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<bool>,
    /// What the public may believe beforehand of a person's guarded value; at most, and by default, 1/(2m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_rate: Option<Decimal>,
    /// How varied the sensitive values of every class must be; off when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diversity: Option<DiversitySettings>,
    /// The one outcome when a check that looks at sensitive values fails; `stop` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_unsafe: Option<OnUnsafe>,
    /// How a recoding is found; when left out `halves` under `blind` and in disjoint chains with one table, else `top-down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// ARX-LR and halving: what happens to rows that found no class; `wait` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Outliers>,
    /// Disjoint chains, `search = "top-down"` or `"levels"`: the share of rows that may be suppressed; they wait for the next tick. 0
    /// when left out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppression: Option<Decimal>,
    /// Cumulative chains, `search = "top-down"` or `"levels"`: the share of rows that the first recoding may leave waiting; 0 when left
    /// out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<Decimal>,
    /// `search = "levels"`: the counts that the table is mainly used for, as `tidegate query` takes them; levels are those whose counts
    /// are least wrong, in the place of those that lose least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<Vec<String>>,
    /// Disjoint chains: one table, or quasi-identifiers and sensitive values apart; `one-table` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// How solutions of a refinement attack are counted; `repeated` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// The most that a refinement attack may narrow down a target, or `off`; 100 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ratio: Option<MaxRatio>,
    /// The fewest solutions that a refinement attack must leave for a target; 1000 when left out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_solutions: Option<u64>,
    /// The most that the refusals of a global search may narrow down; off when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_global_ratio: Option<Decimal>,
    /// The most that a refinement attack on all classes together may narrow down; off when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_joint_ratio: Option<Decimal>,
    /// How often a locally recoded release that failed is repaired before it is rejected; 3 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_repairs: Option<u64>,
    /// (n,r)-dominance of published sums; off when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominance: Option<Dominance>,
    /// The p% rule of published sums; off when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_rule: Option<Decimal>,
    /// Whether microaggregation grows or splits clusters until no sum is dominated; false when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominance_safe: Option<bool>,
    /// The utility floor: the most that generalisation may cost, 0 to 1 (SCIENCE 8); 1 when left out.
    #[cfg_attr(feature = "schemas", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_loss: Option<Decimal>,
    /// What happens to a second row of one person; `ignore` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_repeat: Option<OnRepeat>,
}

/// `policy.diversity`: any of these, judged on the counts that attacks leave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schemas", schemars(rename = "Diversity"))]
pub struct DiversitySettings {
    /// The fewest different sensitive values in a class.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct_l: Option<u64>,
    /// The least exp(entropy) of the sensitive values of a class.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy_l: Option<Decimal>,
    /// Recursive (c,l): the most frequent value stays below c times all from the l-th on. Goes with `l`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Decimal>,
    /// Recursive (c,l). Goes with `c`.
    #[cfg_attr(feature = "schemas", schemars(range(min = 2)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<u64>,
    /// The largest share of one sensitive value in a class.
    #[cfg_attr(feature = "schemas", schemars(range(max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Decimal>,
    /// The largest share of a guarded set in a class.
    #[cfg_attr(feature = "schemas", schemars(range(max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Decimal>,
    /// t-closeness: the farthest that a class may lie from the whole table.
    #[cfg_attr(feature = "schemas", schemars(range(max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<Decimal>,
    /// How far two sensitive values lie apart, for `t`; `equal` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
}

/// `policy.dominance`: a sum is sensitive when its n largest contributions make up more than this share of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dominance {
    /// How many of the largest contributions.
    #[cfg_attr(feature = "schemas", schemars(range(min = 1)))]
    pub n: u64,
    /// Their share of the sum.
    #[cfg_attr(feature = "schemas", schemars(range(max = 1)))]
    pub share: Decimal,
}

/// `policy.max_ratio`: a number above 1, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "must be a ratio above 1, as 100, or \"off\"")]
pub enum MaxRatio {
    /// The limit.
    Limit(Decimal),
    /// The refinement check is not made, and manifests say so.
    Switch(OffWord),
}

/// The word `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OffWord {
    /// `off`
    Off,
}

/// Declares enumerations of words in kebab-case.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $word:ident),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$what])* $word),* }
    )*};
}

words! {
    /// `feed.chain`: what a release holds (SCIENCE 9).
    ChainKind {
        /// All people so far.
        Cumulative,
        /// The newest people alone.
        Disjoint,
    }
    /// `policy.guarantee` (SCIENCE 4).
    Guarantee {
        /// What may be published is decided from quasi-identifiers and dates alone.
        Blind,
        /// One finer recoding is tested once, and a coin decides.
        Chain,
        /// The published algorithm to the letter, for comparison.
        Bcf,
    }
    /// `policy.rare`.
    Rare {
        /// They wait for others like them.
        Wait,
        /// The recoding becomes coarser at once.
        Coarsen,
    }
    /// `policy.cuts`.
    Cuts {
        /// Any two comparable classes lie inside one another.
        Nested,
        /// They may overlap, at the price of an exact audit.
        Crossing,
    }
    /// `policy.on_unsafe`.
    OnUnsafe {
        /// The chain stops publishing until a person decides.
        Stop,
        /// Everything at `*`, for the rest of the chain.
        Coarsest,
    }
    /// `policy.search`.
    Search {
        /// Top-down specialisation.
        TopDown,
        /// Full-domain: one level for each column, those that lose least.
        Levels,
        /// Local recoding.
        ArxLr,
        /// Local recoding from the top down, by chance.
        Halves,
        /// Groups of neighbours by median cuts.
        Mondrian,
        /// Groups of neighbours; MDAV begins with the people farthest from the mean.
        Mdav,
    }
    /// `policy.outliers`.
    Outliers {
        /// They wait for the next increment.
        Wait,
        /// They are published at the root.
        Publish,
    }
    /// `policy.output`.
    Output {
        /// Quasi-identifiers and sensitive values side by side.
        OneTable,
        /// In two tables, joined by class.
        TwoTable,
    }
    /// `policy.values`.
    Values {
        /// Two people may have the same value combination.
        Repeated,
        /// They may not.
        Distinct,
    }
    /// `policy.on_repeat`.
    OnRepeat {
        /// The first row stands.
        Ignore,
        /// The later row is set aside.
        DeadLetter,
        /// Every row is another person.
        None,
    }
    /// `policy.diversity.distance`.
    Distance {
        /// Any two values lie 1 apart.
        Equal,
        /// By the height of their lowest common ancestor.
        Hierarchical,
    }
}
