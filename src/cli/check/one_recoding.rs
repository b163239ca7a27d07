//! How one recoding for all rows is searched for, in sentences (SCIENCE 4 and 8): by which search,
//! which rows it may leave waiting, and which columns it favours or keeps below a floor.

use crate::daemon::config::FeedConfig;
use crate::engine::model::Role;
use crate::engine::policy::{ChainKind, Decimal, Inference, Policy, Search};

/// The sentences.
pub(super) fn explain(feed: &FeedConfig) -> Vec<String> {
    let policy = &feed.policy;
    let mut said = vec![search(policy)];
    said.extend(waiting(policy));
    if matches!(
        policy.inference(),
        Inference::EachNode(_) | Inference::EachLevel(_)
    ) && policy.refinement().looks_at_coarseness()
    {
        said.push(
            "An attacker who knows the search can conclude that finer labels failed. The gate rejects a release if \
             this proves a class of too few people; how much it reveals beyond that is not known."
                .into(),
        );
    }
    said
}

fn search(policy: &Policy) -> String {
    let best = "those with the least loss that are allowed";
    match (policy.search(), policy.kind()) {
        (Search::Levels, ChainKind::Disjoint) => {
            format!("Each release has one level of generalisation for each column, {best} (search = \"levels\").")
        }
        (Search::Levels, ChainKind::Cumulative) => format!(
            "The first release has one level of generalisation for each column, {best}; later releases keep \
             these labels (search = \"levels\")."
        ),
        (Search::TopDown, _) => "The search goes from the top down: every column starts at its root and becomes finer as long as that is \
            allowed."
            .into(),
        // Each class has labels of its own.
        (Search::Halves | Search::ArxLr | Search::Mondrian | Search::Mdav, _) => String::new(),
    }
}

fn waiting(policy: &Policy) -> Option<String> {
    let share = Some(policy.set_aside()).filter(|&share| share > Decimal::ZERO)?;
    Some(match policy.kind() {
        ChainKind::Disjoint => format!(
            "Up to {share} of the rows of a tick may be suppressed if that gives the others finer labels; they wait \
             for the next tick (suppression)."
        ),
        ChainKind::Cumulative => format!(
            "Up to {share} of the rows may wait at the first release if that gives the others finer labels (set_aside)."
        ),
    })
}

/// The sentences about weights and floors.
pub(super) fn details(feed: &FeedConfig) -> Vec<String> {
    let quasi = feed.columns.of(Role::Quasi);
    let weights: Vec<String> = quasi
        .filter(|column| !column.detail.counts_as_one())
        .map(|column| {
            format!(
                "{} {}",
                column.name,
                f64::from(column.detail.hundredths()) / 100.0
            )
        })
        .collect();
    let mut said = Vec::new();
    if !weights.is_empty() {
        said.push(format!(
            "The detail of some columns counts more or less than that of others: {} (weight).",
            weights.join(", ")
        ));
    }
    for column in feed.columns.of(Role::Quasi) {
        let (Some(_), Some(domain)) = (column.detail.floor(), &column.taxonomy) else {
            continue;
        };
        let coarsest = column.detail.coarsest(&domain.tree);
        let node = coarsest
            .nodes()
            .iter()
            .max_by_key(|&&node| domain.tree.values(node))
            .expect("a cut has nodes");
        said.push(format!(
            "`{}` is never published above the level of `{}`; people who find no class below it wait (floor).",
            column.name,
            domain.tree.label(*node)
        ));
    }
    said
}
