//! How classes with labels of their own are formed, in sentences (SCIENCE 6, 7 and 11): by which search, and what its
//! labels reveal to an attacker who knows it.

use crate::engine::policy::{ChainPromise, Outliers, Policy, RefinementLimits, Search};

/// How the search works; None for one that finds one list of labels for all rows.
pub fn search(policy: &Policy) -> Option<String> {
    match policy.search() {
        Search::ArxLr => Some(carved(policy)),
        Search::Mondrian | Search::Mdav => Some(grouped(policy)),
        Search::Halves => Some(match policy.chain() {
            ChainPromise::Crowds { every, .. } => crowds(policy.a(), *every),
            _ => halved(policy.a()),
        }),
        _ => None,
    }
}

/// What the labels of such a search reveal.
pub fn leakage_of_labels(policy: &Policy) -> String {
    let limits = policy.refinement();
    match policy.search() {
        Search::Halves if policy.publish_every().is_some() => odds(policy),
        Search::Halves => open(&limits),
        Search::Mondrian | Search::Mdav => finest(&limits),
        _ => refinement(&limits),
    }
}

fn carved(policy: &Policy) -> String {
    let left = match policy.chain() {
        ChainPromise::Disjoint { outliers: Some(Outliers::Publish), .. } => {
            "is published at the root, if there are enough of them"
        }
        _ => "waits for the next tick",
    };
    format!(
        "Every class gets its own labels, as fine as possible: the search forms classes one after the other, those that lose least \
         first (search = \"arx-lr\"). Each remaining person {left} (outliers)."
    )
}

fn grouped(policy: &Policy) -> String {
    let k = policy.a();
    let how = match policy.search() {
        Search::Mdav => format!(
            "MDAV takes the people who are farthest out and their nearest neighbours together, {k} to {} of them (search = \"mdav\")",
            2 * k - 1
        ),
        _ => format!(
            "it halves the waiting people at the median of the column with the largest spread, and then each half, as long as both parts \
             have {k} people (search = \"mondrian\")"
        ),
    };
    format!(
        "Each tick groups the waiting people, by quasi columns alone: {how}. It never divides people with the same values. It publishes each \
         group under the finest label of each column that covers it."
    )
}

fn finest(limits: &RefinementLimits) -> String {
    let beyond = "What else an attacker who knows the grouping can conclude is not computed (the line `grouping` of a manifest).";
    let Some(ratio) = limits.max_ratio else {
        return format!("No attack on the labels of groups is made (max_ratio = \"off\"). {beyond}");
    };
    format!(
        "A label reveals that no finer one covers its group. The feed forms no group that this narrows down by more than {ratio}, or to fewer \
         than {} possible sets of rows, or that certainly holds a smaller class (max_ratio, min_solutions); it then publishes people \
         with the same values together with neighbours. {beyond}",
        limits.min_solutions
    )
}

fn halved(k: u64) -> String {
    format!(
        "Every class gets its own labels: the search divides the people along the taxonomies, column after column, and then each part, \
         if it has at least as many people as a number that is drawn for it, {k} or more (search = \"halves\"). The people of a \
         part with fewer than {k} wait for the next tick."
    )
}

fn crowds(k: u64, every: u64) -> String {
    let ticks = match every {
        1 => "Every tick publishes.".to_owned(),
        every => format!("One tick in {every} publishes; on the others rows gather (publish_every)."),
    };
    format!(
        "New rows get labels that they keep for ever: the search divides the waiting people along the taxonomies, column after column, as \
         long as there are many people, or both parts have {k} or more and a coin says yes. A group that is not divided further is \
         published, and a part of fewer than {k} waits (search = \"halves\"). {ticks}"
    )
}

fn odds(policy: &Policy) -> String {
    let limits = policy.refinement();
    let bound = 4u128.pow(policy.refusals().min(63));
    let judged = if limits.max_ratio.is_some() { "max_ratio" } else { "not checked: max_ratio = \"off\"" };
    format!(
        "An attacker who knows the method can change the odds of where in its label a person is by a factor of {bound} at most \
         ({judged}), and no label is made under which {} people can have fewer than {} sets of rows (min_solutions).",
        policy.a(),
        limits.min_solutions
    )
}

fn open(limits: &RefinementLimits) -> String {
    if limits.max_ratio.is_none() {
        return "The number of sets of rows that a class can stand for is not counted (max_ratio = \"off\").".into();
    }
    format!(
        "An attacker who knows the method learns no more about where people are than the labels say, and a class that can stand for \
         fewer than {} sets of rows is not published (min_solutions).",
        limits.min_solutions
    )
}

fn refinement(limits: &RefinementLimits) -> String {
    let Some(ratio) = limits.max_ratio else {
        return "The order in which classes were formed is not analysed (max_ratio = \"off\").".into();
    };
    format!(
        "An attacker who knows the method can exclude parts of a class. If that narrows its rows down by more than {ratio}, or to \
         fewer than {} possible sets, or makes a smaller class certain, the people of this class and of those formed with it wait \
         again; after {} such repairs the gate rejects the release (max_ratio, min_solutions, max_repairs).",
        limits.min_solutions, limits.max_repairs
    )
}
