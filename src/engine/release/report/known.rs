//! The checks by name: what each one asks, in words, and on which side of its limit the figure must lie. A check that is
//! not listed here is shown under its own name.

/// Where the figure of a check must lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// At the limit or above.
    AtLeast,
    /// At the limit or below.
    AtMost,
    /// Below the limit.
    Below,
    /// It has none.
    Neither,
}

/// A check in words.
pub struct Known {
    /// Its name in a manifest.
    name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it asks.
    pub meaning: &'static str,
    /// Where its figure must lie.
    pub side: Side,
}

/// The check of this name, in a chain of crowds that keep their labels or in another one.
pub fn known(name: &str, crowds: bool) -> Option<&'static Known> {
    let of_crowds = if crowds { OF_CROWDS } else { &[] };
    of_crowds.iter().chain(KNOWN).find(|known| known.name == name)
}

/// What is asked in another way where crowds keep their labels.
const OF_CROWDS: &[Known] = &[
    check(
        "atoms",
        Side::AtLeast,
        "Crowds that joined together",
        "How many people at least joined with equal labels, which they keep in every release.",
    ),
    check(
        "correspondence",
        Side::AtLeast,
        "Comparing with the release before",
        "All earlier rows are there unchanged; how many new rows at least show the same labels.",
    ),
    check(
        "chain",
        Side::AtLeast,
        "All releases compared at once",
        "How many rows at least are left for anybody: those that came with one release under the same labels.",
    ),
    check(
        "refinement",
        Side::AtMost,
        "Where in a label people lie",
        "By which factor at most a reader who knows the algorithm can move the odds of where in its label a person lies.",
    ),
];

const fn check(name: &'static str, side: Side, title: &'static str, meaning: &'static str) -> Known {
    Known { name, title, meaning, side }
}

const KNOWN: &[Known] = &[
    check("crowd", Side::AtLeast, "Crowd size", "How many rows at least share all their labels."),
    check(
        "form",
        Side::Neither,
        "Bytes of the table",
        "The file holds its rows in the one order and spelling that they can have, and nothing else.",
    ),
    check(
        "growth",
        Side::Neither,
        "Nobody lost, nobody twice",
        "The release holds exactly the people of the last one and those who are new.",
    ),
    check(
        "pages",
        Side::Neither,
        "Manifest, taxonomies and this page",
        "They tell what follows from the table, and nothing else.",
    ),
    check(
        "utility",
        Side::AtMost,
        "Loss of detail",
        "How much detail was given up; above the limit a release is not worth what it risks.",
    ),
    check(
        "atoms",
        Side::AtLeast,
        "Crowds that joined together",
        "How many people at least joined with equal labels and stay together in every release.",
    ),
    check(
        "slices",
        Side::AtLeast,
        "Company in every release",
        "How many people at least joined together and have equal labels in every release so far.",
    ),
    check(
        "correspondence",
        Side::AtLeast,
        "Comparing with earlier releases",
        "How many rows at least are left for anybody when this release is compared with an earlier one.",
    ),
    check(
        "chain",
        Side::AtLeast,
        "All releases compared at once",
        "How many rows at least are left for anybody once all releases of the chain are compared.",
    ),
    check(
        "distinct_l",
        Side::AtLeast,
        "Different values",
        "How many different sensitive values every crowd shows at least.",
    ),
    check(
        "entropy_l",
        Side::AtLeast,
        "Evenness of values",
        "How evenly sensitive values are spread in every crowd, as a number of equally frequent ones.",
    ),
    check(
        "recursive_c",
        Side::Below,
        "No value dominates",
        "How often the most frequent sensitive value of a crowd occurs, compared with the rare ones.",
    ),
    check("alpha", Side::AtMost, "Share of one value", "The largest share that one sensitive value has in a crowd."),
    check(
        "confidence",
        Side::AtMost,
        "Share of guarded values",
        "The largest share that a guarded set of values has in a crowd.",
    ),
    check(
        "t",
        Side::AtMost,
        "Likeness to the whole",
        "How far the sensitive values of a crowd lie from those of the whole table.",
    ),
    check(
        "minimality",
        Side::AtMost,
        "Conclusions from the method",
        "How far the way in which the release was made lets one believe that a person has a guarded value.",
    ),
    check(
        "refinement",
        Side::AtMost,
        "Finer than published",
        "By how much the rules of the algorithm narrow down what a crowd can have looked like.",
    ),
    check(
        "certainty",
        Side::Neither,
        "Known small crowds",
        "Of how many crowds smaller than allowed everybody can tell that they exist, and where.",
    ),
    check(
        "max_global_ratio",
        Side::AtMost,
        "Conclusions from coarseness",
        "By how much it narrows down the possible tables that labels were not finer.",
    ),
    check(
        "maximality",
        Side::Neither,
        "Conclusions from the final labels",
        "The same, from what could not be split in the end alone: the truth is not below it.",
    ),
    check(
        "max_joint_ratio",
        Side::AtMost,
        "Finer than published, all together",
        "By how much the rules of the algorithm narrow down all crowds together.",
    ),
    check(
        "dominance",
        Side::AtMost,
        "Sums of few people",
        "The largest part of a published sum that comes from its few largest contributions.",
    ),
    check(
        "p_rule",
        Side::AtLeast,
        "Estimates from sums",
        "How closely the largest contribution to a published sum can be estimated.",
    ),
    check(
        "differences",
        Side::Neither,
        "Differences of sums",
        "Whether sums of this and earlier releases can be subtracted to reach few people.",
    ),
    check(
        "max_odds",
        Side::AtMost,
        "Odds of an attacker",
        "By how much an attacker's odds can have moved over the whole chain.",
    ),
    check(
        "algorithm",
        Side::Neither,
        "An attacker who knows the algorithm",
        "A release under bcf is not safe against one: what was refused can give sensitive values away.",
    ),
    check("diversity", Side::Neither, "Variety of values", "Whether crowds show enough different sensitive values."),
];
