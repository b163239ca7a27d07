//! The checks of the gate: a closed set with one table. For each check: its name, whether its
//! figures may be published, on which side of its limit a figure must be, and what an operator can
//! do when it fails; a check without an entry does not compile. The texts of reports are in each
//! language (`report::words`), in the same way.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::figure::Figure;

/// A check of the gate.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The size of classes.
    Crowd,
    /// The bytes of the tables.
    Form,
    /// Exactly the people of the previous release and the new ones.
    Growth,
    /// Manifest, taxonomies, report and notice.
    Pages,
    /// Loss.
    Utility,
    /// People who were published together and stay together.
    Atoms,
    /// Candidates after a comparison with an earlier release.
    Correspondence,
    /// Candidates after a comparison of all releases.
    Chain,
    /// Distinct sensitive values.
    DistinctL,
    /// Entropy of sensitive values.
    EntropyL,
    /// The most frequent sensitive value against the rare ones.
    RecursiveC,
    /// The share of one sensitive value.
    Alpha,
    /// The share of a guarded set.
    Confidence,
    /// The distance of the values of a class to those of the table.
    T,
    /// The minimality attack.
    Minimality,
    /// The combinatorial refinement attack, class by class.
    Refinement,
    /// Small classes that must exist.
    Certainty,
    /// The leakage of coarse labels.
    MaxGlobalRatio,
    /// The leakage of final labels.
    Maximality,
    /// Sums of measures.
    Dominance,
    /// The conclusions from refusals by an attacker who knows the algorithm; never made.
    Algorithm,
    /// The leakage of the method of grouping; never made.
    Grouping,
    /// Diversity, if no limit for it is set or none can be computed.
    Diversity,
    /// Settings that no check of this version judges; never made.
    Policy,
}

/// The line of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckLine {
    /// The check.
    pub check: Check,
    /// Whether it was made. A release is published only when every check that was made has passed.
    pub made: bool,
    /// The figure; null if the check was not made, or if the figure is private.
    pub value: Option<Figure>,
    /// The limit of the policy; null if there is no limit.
    pub limit: Option<Figure>,
}

/// Who may see the figures of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigurePrivacy {
    /// All readers.
    Public,
    /// Only the operator: they depend on no sensitive value, but reveal more than the release.
    Private,
    /// Only the operator: they may depend on sensitive values, so that a reason of this check stops
    /// the chain.
    Sensitive,
}

/// On which side of its limit the figure of a check must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// At the limit or above.
    AtLeast,
    /// At the limit or below.
    AtMost,
    /// Below the limit.
    Below,
}

/// The table entry of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckFacts {
    /// Its name in manifests, verdicts, logs and metrics.
    pub name: &'static str,
    /// Who may see its figures.
    pub privacy: FigurePrivacy,
    /// Where its figure must be; `None` if there is no limit to compare with.
    pub side: Option<Side>,
    /// What an operator can do if it rejects a release.
    pub advice: &'static str,
}

impl Check {
    /// All checks.
    pub const ALL: [Check; 24] = [
        Check::Crowd,
        Check::Form,
        Check::Growth,
        Check::Pages,
        Check::Utility,
        Check::Atoms,
        Check::Correspondence,
        Check::Chain,
        Check::DistinctL,
        Check::EntropyL,
        Check::RecursiveC,
        Check::Alpha,
        Check::Confidence,
        Check::T,
        Check::Minimality,
        Check::Refinement,
        Check::Certainty,
        Check::MaxGlobalRatio,
        Check::Maximality,
        Check::Dominance,
        Check::Algorithm,
        Check::Grouping,
        Check::Diversity,
        Check::Policy,
    ];

    /// The table.
    #[rustfmt::skip]
    pub const fn facts(self) -> CheckFacts {
        use FigurePrivacy::{Private, Public, Sensitive};
        use Side::{AtLeast, AtMost, Below};
        const fn of(name: &'static str, privacy: FigurePrivacy, side: Option<Side>, advice: &'static str) -> CheckFacts {
            CheckFacts { name, privacy, side, advice }
        }
        match self {
            Check::Crowd => of("crowd", Public, Some(AtLeast),
                "under `blind` this is a bug: report it. In other chains the next release is computed again"),
            Check::Form => of("form", Sensitive, None,
                "this is a bug: keep the roots or the folder unchanged, and report it"),
            Check::Growth => of("growth", Sensitive, None,
                "this is a bug: keep the roots or the folder unchanged, and report it"),
            Check::Pages => of("pages", Sensitive, None,
                "this is a bug: keep the roots or the folder unchanged, and report it"),
            Check::Utility => of("utility", Public, Some(AtMost),
                "more rows do not help: begin a new chain with a larger first batch or a larger `set_aside`"),
            Check::Atoms => of("atoms", Private, Some(AtLeast),
                "this is a bug: keep the roots or the folder unchanged, and report it"),
            Check::Correspondence => of("correspondence", Sensitive, Some(AtLeast),
                "under `bcf` this can happen: begin a new chain with `guarantee = \"blind\"`. Under others it is a \
                 bug: report it"),
            Check::Chain => of("chain", Sensitive, Some(AtLeast),
                "under `bcf` this can happen: begin a new chain with `guarantee = \"blind\"`. Under others it is a \
                 bug: report it"),
            Check::DistinctL => of("distinct_l", Sensitive, Some(AtLeast),
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::EntropyL => of("entropy_l", Sensitive, Some(AtLeast),
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::RecursiveC => of("recursive_c", Sensitive, Some(Below),
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::Alpha => of("alpha", Sensitive, Some(AtMost),
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::Confidence => of("confidence", Sensitive, Some(AtMost),
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::T => of("t", Sensitive, Some(AtMost),
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::Minimality => of("minimality", Sensitive, Some(AtMost),
                "begin a new chain with `mask` on, or with a smaller `m`; trying the same chain again would reveal what failed"),
            Check::Refinement => of("refinement", Public, Some(AtMost),
                "raise `max_repairs`, so that the other classes are published, use fewer or coarser leaves, or `search \
                 = \"halves\"`"),
            Check::Certainty => of("certainty", Public, None,
                "raise `max_repairs`, or begin a new chain with a larger first batch"),
            Check::MaxGlobalRatio => of("max_global_ratio", Public, Some(AtMost),
                "more rows do not help: raise the limit or remove it, and begin a new chain"),
            Check::Maximality => of("maximality", Public, None,
                "nothing: the figure is informative and has no limit"),
            Check::Dominance => of("dominance", Sensitive, Some(AtMost),
                "this is a bug: keep the roots or the folder unchanged, and report it"),
            Check::Algorithm => of("algorithm", Public, None,
                "choose `guarantee = \"blind\"` if readers know the algorithm"),
            Check::Grouping => of("grouping", Public, None,
                "choose another `search` if readers know how people are grouped"),
            Check::Diversity => of("diversity", Sensitive, None,
                "begin a new chain with a weaker limit or a larger `k`; trying the same chain again would reveal what failed"),
            Check::Policy => of("policy", Public, None,
                "remove the setting from the policy, or use a version of the program that has the check"),
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The check with this name.
    pub fn named(name: &str) -> Option<Check> {
        Check::ALL.into_iter().find(|check| check.name() == name)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Side {
    /// Whether a figure keeps its limit.
    pub fn holds(self, value: Figure, limit: Figure) -> bool {
        match self {
            Side::AtLeast => value.get() >= limit.get(),
            Side::AtMost => value.get() <= limit.get(),
            Side::Below => value.get() < limit.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Check;

    /// A check has the same name in the table, in JSON, and in the order of [`Check::ALL`].
    #[test]
    fn names_are_those_of_json() {
        for (at, check) in Check::ALL.into_iter().enumerate() {
            assert_eq!(check as usize, at, "{check}");
            assert_eq!(serde_json::to_value(check).expect("JSON"), check.name());
            assert_eq!(Check::named(check.name()), Some(check));
            assert!(check.facts().advice.len() > 20, "{check}");
        }
        assert_eq!(Check::named("search"), None);
    }
}
