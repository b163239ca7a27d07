//! The checks of the gate: a closed set with one table. What a check is called, whether its figures may be published, on which side of its
//! limit a figure must lie, and what an operator can do when it fails; a check without an entry does not compile. What reports say of it is
//! in the texts of each language (`report::words`), in the same way.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::figure::Figure;

/// A check of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The size of classes.
    Crowd,
    /// The bytes of the tables.
    Form,
    /// Exactly the people of the release before and the new ones.
    Growth,
    /// Manifest, taxonomies, report and notice.
    Pages,
    /// Loss.
    Utility,
    /// People who arrived together and stay together.
    Atoms,
    /// People who arrived together and have equal labels in all releases.
    Slices,
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
    /// What coarse labels tell.
    MaxGlobalRatio,
    /// What final labels tell.
    Maximality,
    /// The combinatorial refinement attack on all classes together.
    MaxJointRatio,
    /// Sums of measures.
    Dominance,
    /// How far the odds of an attacker can have changed.
    MaxOdds,
    /// What an attacker who knows the algorithm derives from refusals; never made.
    Algorithm,
    /// What the way of grouping tells; never made.
    Grouping,
    /// Diversity, where no limit of it is set or none can be computed.
    Diversity,
    /// Settings that no check of this version judges; never made.
    Policy,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckLine {
    /// Which one.
    pub check: Check,
    /// Whether it was made. A release is published only when every check that was made has passed.
    pub made: bool,
    /// What it found; null when it was not made, or when the figure is private.
    pub value: Option<Figure>,
    /// What the policy allows; null where there is nothing to compare with.
    pub limit: Option<Figure>,
}

/// Who may see the figures of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigurePrivacy {
    /// All readers.
    Public,
    /// The operator: they depend on no sensitive value, and tell more than the release.
    Private,
    /// The operator: they may depend on sensitive values, so that a reason of this check stops the chain.
    Sensitive,
}

/// On which side of its limit the figure of a check must lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// At the limit or above.
    AtLeast,
    /// At the limit or below.
    AtMost,
    /// Below the limit.
    Below,
}

/// What is known of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckFacts {
    /// What it is called in manifests, verdicts, logs and metrics.
    pub name: &'static str,
    /// Who may see its figures.
    pub privacy: FigurePrivacy,
    /// Where its figure must lie; `None` where there is no limit to compare with.
    pub side: Option<Side>,
    /// What an operator can do when it speaks against a release.
    pub advice: &'static str,
}

impl Check {
    /// All of them.
    pub const ALL: [Check; 27] = [
        Check::Crowd,
        Check::Form,
        Check::Growth,
        Check::Pages,
        Check::Utility,
        Check::Atoms,
        Check::Slices,
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
        Check::MaxJointRatio,
        Check::Dominance,
        Check::MaxOdds,
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
                "nothing by hand: the next release is computed anew. If it comes back, report it as a bug"),
            Check::Form => of("form", Sensitive, None,
                "report it as a bug: the table is not in its canonical form"),
            Check::Growth => of("growth", Sensitive, None,
                "report it as a bug, and run `tidegate verify`: the release does not hold exactly the people that the log has"),
            Check::Pages => of("pages", Sensitive, None,
                "report it as a bug: a page says something else than the table"),
            Check::Utility => of("utility", Public, Some(AtMost),
                "wait for more rows, raise `max_loss`, or give columns taxonomies with more levels"),
            Check::Atoms => of("atoms", Private, Some(AtLeast),
                "wait for more rows, or begin a new chain with a smaller `k`"),
            Check::Slices => of("slices", Private, Some(AtLeast),
                "wait for more rows, or begin a new chain with `tidegate new-chain`"),
            Check::Correspondence => of("correspondence", Sensitive, Some(AtLeast),
                "wait for more rows, or begin a new chain with `tidegate new-chain`"),
            Check::Chain => of("chain", Sensitive, Some(AtLeast),
                "wait for more rows, or begin a new chain with `tidegate new-chain`"),
            Check::DistinctL => of("distinct_l", Sensitive, Some(AtLeast),
                "lower `distinct_l`, or join rare sensitive values in a taxonomy"),
            Check::EntropyL => of("entropy_l", Sensitive, Some(AtLeast),
                "lower `entropy_l`, or join rare sensitive values in a taxonomy"),
            Check::RecursiveC => of("recursive_c", Sensitive, Some(Below),
                "raise `c`, or lower `l`: one sensitive value is too frequent in a class"),
            Check::Alpha => of("alpha", Sensitive, Some(AtMost),
                "raise `alpha`: one sensitive value is too frequent in a class"),
            Check::Confidence => of("confidence", Sensitive, Some(AtMost),
                "raise `confidence`: a guarded set is too frequent in a class"),
            Check::T => of("t", Sensitive, Some(AtMost),
                "raise `t`, or make quasi columns coarser"),
            Check::Minimality => of("minimality", Sensitive, Some(AtMost),
                "leave `mask` on, so that guarded values are protected, or lower `m`"),
            Check::Refinement => of("refinement", Public, Some(AtMost),
                "raise `max_ratio`, lower `min_solutions`, or raise `max_repairs`"),
            Check::Certainty => of("certainty", Public, None,
                "raise `max_repairs`, or make the taxonomy of the column coarser"),
            Check::MaxGlobalRatio => of("max_global_ratio", Public, Some(AtMost),
                "raise `max_global_ratio`, or take it out of the policy"),
            Check::Maximality => of("maximality", Public, None,
                "nothing: it is reported, and has no limit"),
            Check::MaxJointRatio => of("max_joint_ratio", Public, Some(AtMost),
                "raise `max_joint_ratio`, or take it out of the policy"),
            Check::Dominance => of("dominance", Sensitive, Some(AtMost),
                "report it as a bug, unless it was not made: then take `policy.dominance` and `policy.p_rule` out"),
            Check::MaxOdds => of("max_odds", Public, Some(AtMost),
                "begin a new chain with `tidegate new-chain`: this one has used up its odds"),
            Check::Algorithm => of("algorithm", Public, None,
                "choose `guarantee = \"chain\"` or `\"blind\"` if readers know the algorithm"),
            Check::Grouping => of("grouping", Public, None,
                "choose another `search` if readers know how people are grouped"),
            Check::Diversity => of("diversity", Sensitive, None,
                "run `tidegate verify`: what attacks leave of the releases cannot be computed"),
            Check::Policy => of("policy", Public, None,
                "take the setting out of the policy, or use a version of the program that judges it"),
        }
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The check of this name.
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

    /// A check is called the same in the table, in JSON, and in the order of [`Check::ALL`].
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
