//! The `[policy]` table as it is written (CONTRACTS 1): every key is optional, has no default here,
//! and is not judged. [`super::Policy`] interprets it and finds contradictions; no other code may
//! act on these fields.

use serde::{Deserialize, Serialize};

use super::or_off::OrOff;
use super::or_off::{OffWord, or_off};
use crate::model::Decimal;

/// `[policy]`: the promise to the people in the data, and the limit on information loss.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Policy")]
pub struct PolicySettings {
    /// The smallest class; at least 2.
    #[schemars(required, range(min = 2))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// What a cumulative chain promises; the default is `blind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guarantee: Option<Guarantee>,
    /// Chains of crowds (`search = "halves"`): how many ticks are halved together; the default is
    /// 1.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publish_every: Option<u64>,
    /// No person is linked to a guarded value with more than 1/m; `off` by default.
    #[schemars(with = "Option<OrOff<u64>>")]
    #[serde(
        default,
        deserialize_with = "or_off",
        skip_serializing_if = "Option::is_none"
    )]
    pub m: Option<u64>,
    /// Whether guarded values are masked where `m` requires it; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<bool>,
    /// The assumed prior belief of the public about a person's guarded value; at most, and by
    /// default, 1/(2m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_rate: Option<Decimal>,
    /// How diverse the sensitive values of every class must be; `off` by default.
    #[schemars(with = "Option<OrOff<DiversitySettings>>")]
    #[serde(
        default,
        deserialize_with = "or_off",
        skip_serializing_if = "Option::is_none"
    )]
    pub diversity: Option<DiversitySettings>,
    /// How a recoding is found; the default is `halves` under `blind` and in disjoint chains with
    /// one table, otherwise `top-down`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
    /// ARX-LR and halving: what happens to rows that are in no class; the default is `wait`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Outliers>,
    /// Disjoint chains, `search = "top-down"` or `"levels"`: the share of rows that may be
    /// suppressed; they wait for the next tick. The default is 0.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppression: Option<Decimal>,
    /// Cumulative chains, `search = "top-down"` or `"levels"`: the share of rows that the first
    /// recoding may leave waiting; the default is 0.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_aside: Option<Decimal>,
    /// Disjoint chains: one table, or separate tables for quasi-identifiers and sensitive values;
    /// the default is `one-table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// How solutions of a refinement attack are counted; the default is `repeated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Values>,
    /// The largest factor by which a refinement attack may reduce the possibilities of a target, or
    /// `off`; the default is 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_ratio: Option<MaxRatio>,
    /// The smallest number of solutions that a refinement attack must leave for a target; the
    /// default is 1000.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_solutions: Option<u64>,
    /// The largest factor by which the refusals of a global search may reduce the possible tables;
    /// `off` by default.
    #[schemars(with = "Option<OrOff<Decimal>>")]
    #[serde(
        default,
        deserialize_with = "or_off",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_global_ratio: Option<Decimal>,
    /// How often a locally recoded release that failed is repaired before it is rejected; the
    /// default is 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_repairs: Option<u64>,
    /// (n,r)-dominance of published sums; `off` by default.
    #[schemars(with = "Option<OrOff<Dominance>>")]
    #[serde(
        default,
        deserialize_with = "or_off",
        skip_serializing_if = "Option::is_none"
    )]
    pub dominance: Option<Dominance>,
    /// The p% rule for published sums; `off` by default.
    #[schemars(with = "Option<OrOff<Decimal>>")]
    #[serde(
        default,
        deserialize_with = "or_off",
        skip_serializing_if = "Option::is_none"
    )]
    pub p_rule: Option<Decimal>,
    /// Whether microaggregation grows or splits clusters until no sum is dominated; false by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominance_safe: Option<bool>,
    /// The limit on information loss, 0 to 1 (SCIENCE 8); the default is 1.
    #[schemars(range(min = 0, max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_loss: Option<Decimal>,
    /// What happens to a second row of one person; the default is `ignore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_repeat: Option<OnRepeat>,
}

/// `policy.diversity`: any of these limits, judged on the counts that attacks leave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Diversity")]
pub struct DiversitySettings {
    /// The smallest number of different sensitive values in a class.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct_l: Option<u64>,
    /// The smallest exp(entropy) of the sensitive values of a class.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy_l: Option<Decimal>,
    /// Recursive (c,l): the most frequent value has less than c times the rows of the l-th and all
    /// rarer values together. Requires `l`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c: Option<Decimal>,
    /// Recursive (c,l). Requires `c`.
    #[schemars(range(min = 2))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<u64>,
    /// The largest share of one sensitive value in a class.
    #[schemars(range(max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<Decimal>,
    /// The largest share of a guarded set in a class.
    #[schemars(range(max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Decimal>,
    /// t-closeness: the largest distance of a class from the whole table.
    #[schemars(range(max = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<Decimal>,
    /// The distance between two sensitive values, for `t`; the default is `equal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
}

/// `policy.dominance`: a sum is sensitive when its n largest contributions make up more than this
/// share of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dominance {
    /// How many of the largest contributions are added up.
    #[schemars(range(min = 1))]
    pub n: u64,
    /// Their share of the sum.
    #[schemars(range(max = 1))]
    pub share: Decimal,
}

/// `policy.max_ratio`: a number above 1, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    untagged,
    expecting = "must be a ratio above 1, such as 100, or \"off\""
)]
pub enum MaxRatio {
    /// The limit.
    Limit(Decimal),
    /// The refinement check is not made, and manifests state that.
    Switch(OffWord),
}

/// Declares enumerations of words in kebab-case.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $word:ident),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[derive(schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$what])* $word),* }
    )*};
}

words! {
    /// `feed.chain`: which people a release contains (SCIENCE 9).
    ChainKind {
        /// All people so far.
        Cumulative,
        /// Only the newest people.
        Disjoint,
    }
    /// `policy.guarantee` (SCIENCE 4).
    Guarantee {
        /// Quasi-identifiers and dates alone decide what may be published.
        Blind,
        /// The published algorithm without changes, for comparison.
        Bcf,
    }
    /// `policy.search`.
    Search {
        /// Top-down specialisation.
        TopDown,
        /// Full-domain: one level for each column, those with the least loss.
        Levels,
        /// Local recoding.
        ArxLr,
        /// Local recoding from the top down, with random choices.
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
        /// They are published with `*` in all columns.
        Publish,
    }
    /// `policy.output`.
    Output {
        /// Quasi-identifiers and sensitive values in one table.
        OneTable,
        /// In two tables, joined by class.
        TwoTable,
    }
    /// `policy.values`.
    Values {
        /// Two people may have the same combination of values.
        Repeated,
        /// They may not.
        Distinct,
    }
    /// `policy.on_repeat`.
    OnRepeat {
        /// The first row counts.
        Ignore,
        /// The later row is set aside.
        DeadLetter,
        /// Every row is another person.
        None,
    }
    /// `policy.diversity.distance`.
    Distance {
        /// Any two values have the distance 1.
        Equal,
        /// By the height of their lowest common ancestor.
        Hierarchical,
    }
}
