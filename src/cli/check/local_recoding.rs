//! How classes with labels of their own are formed, in sentences (SCIENCE 6, 7 and 11): by which
//! search, and what its labels reveal to an attacker who knows it.

use crate::engine::policy::{Policy, RefinementLimits, Search};

/// How the search works; None for one that finds one list of labels for all rows.
pub(super) fn search(policy: &Policy) -> Option<String> {
    match policy.search() {
        Search::ArxLr => Some(carved(policy)),
        Search::Mondrian | Search::Mdav => Some(grouped(policy)),
        Search::Halves => Some(crowds(policy.a(), policy.publish_every())),
        Search::TopDown | Search::Levels => None,
    }
}

/// What the labels of such a search reveal.
pub(super) fn leakage_of_labels(policy: &Policy) -> String {
    let limits = policy.refinement();
    match policy.search() {
        Search::Halves => odds(policy),
        Search::Mondrian | Search::Mdav => finest(&limits),
        Search::ArxLr | Search::TopDown | Search::Levels => refinement(&limits),
    }
}

fn carved(policy: &Policy) -> String {
    let left = match policy.publishes_outliers() {
        true => "is published at the root, if there are enough of them",
        false => "waits for the next tick",
    };
    format!(
        "Every class gets its own labels, as fine as possible: the search forms classes one after the other, those \
         with the least loss first (search = \"arx-lr\"). Each remaining person {left} (outliers)."
    )
}

fn grouped(policy: &Policy) -> String {
    let k = policy.a();
    let how = match policy.search() {
        Search::Mdav => format!(
            "MDAV groups the most distant people with their nearest neighbours, {k} to {} in a group (search = \
             \"mdav\")",
            2 * k - 1
        ),
        _ => format!(
            "it divides the waiting people at the median of the column with the largest spread, and then each half \
             again, as long as both parts have {k} people (search = \"mondrian\")"
        ),
    };
    format!(
        "Each tick groups the waiting people, by quasi columns alone: {how}. It never divides people with the same values. It publishes each \
         group under the finest label of each column that covers it."
    )
}

fn finest(limits: &RefinementLimits) -> String {
    let beyond = "Not computed: what else an attacker who knows the grouping can conclude (the line `grouping` of a \
        manifest).";
    let Some(ratio) = limits.max_ratio else {
        return format!("The labels of groups are not attacked (max_ratio = \"off\"). {beyond}");
    };
    format!(
        "A label reveals that no finer one covers its group. The feed forms no group for which this reduces the \
         possible sets of rows by more than {ratio}, or to fewer than {}, or proves a smaller class (max_ratio, \
         min_solutions); instead it publishes people with the same values together with neighbours. {beyond}",
        limits.min_solutions
    )
}

fn crowds(k: u64, every: u64) -> String {
    let ticks = match every {
        1 => "Every tick publishes.".to_owned(),
        every => format!("One tick in {every} publishes; at the others rows wait (publish_every)."),
    };
    format!(
        "New rows get labels that they keep for ever: the search divides the waiting people along the taxonomies, \
         column after column, as long as there are many people, or as both parts have {k} or more and a coin allows \
         it. The feed publishes each group that is not divided further; a part of fewer than {k} waits (search = \
         \"halves\"). {ticks}"
    )
}

fn odds(policy: &Policy) -> String {
    let limits = policy.refinement();
    let bound = 4u128.pow(policy.refusals().min(63));
    let judged = if limits.max_ratio.is_some() {
        "max_ratio"
    } else {
        "not checked: max_ratio = \"off\""
    };
    format!(
        "An attacker who knows the algorithm can change the odds of a person's position in a label by a factor of at \
         most {bound} ({judged}), and the search forms no label that leaves {} people fewer than {} possible sets of \
         rows (min_solutions).",
        policy.a(),
        limits.min_solutions
    )
}

fn refinement(limits: &RefinementLimits) -> String {
    let Some(ratio) = limits.max_ratio else {
        return "The order in which classes were formed is not analysed (max_ratio = \"off\")."
            .into();
    };
    format!(
        "An attacker who knows the algorithm can exclude parts of a class. If that reduces the possible sets of rows \
         by more than {ratio}, or to fewer than {}, or proves a smaller class, the people of this class and of those \
         formed with it wait again; after {} such repairs the gate rejects the release (max_ratio, min_solutions, \
         max_repairs).",
        limits.min_solutions, limits.max_repairs
    )
}
