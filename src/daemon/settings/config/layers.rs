//! Whether the taxonomies of a feed allow classes with labels of their own (SCIENCE 6): ARX-LR
//! needs layers of equal intervals, halving needs a countable number of combinations, and MDAV
//! needs distances.

use std::sync::Arc;

use super::file::ColumnTable;
use super::places::ConfigProblem;
use crate::engine::label::{NoCarving, NoLadder, carvable};
use crate::engine::model::{Column, Columns, LeafRule, Role};
use crate::engine::policy::{Guarantee, Policy, Search};

/// Adds the runs into which halving divides to the taxonomies of quasi columns.
pub(super) fn runs(columns: &mut [Column]) -> Result<(), ConfigProblem> {
    for (at, column) in columns
        .iter_mut()
        .enumerate()
        .filter(|(_, column)| column.role == Role::Quasi)
    {
        let Some(domain) = &column.taxonomy else {
            continue;
        };
        let text = || {
            "the taxonomy has too many nodes for `search = \"halves\"`, which divides it in two again and again: write \
                       `search = \"top-down\"`, or remove the finest labels"
        };
        let runs = domain
            .with_runs()
            .map_err(|_| ConfigProblem::new(format!("column[{at}].taxonomy"), text().to_owned()))?;
        column.taxonomy = Some(Arc::new(runs));
    }
    Ok(())
}

/// A column whose values have no distances, so that MDAV cannot use it.
fn distances(columns: &Columns, tables: &[ColumnTable]) -> Option<ConfigProblem> {
    let order = "write `search = \"mondrian\"`, which needs only the order of the taxonomy";
    let places = tables
        .iter()
        .enumerate()
        .filter(|(_, table)| table.role == Role::Quasi);
    places
        .zip(columns.of(Role::Quasi))
        .find_map(|((at, _), column)| {
            let (key, why) = match column.taxonomy.as_ref().map(|domain| &domain.rule) {
                Some(LeafRule::Label | LeafRule::Named { .. } | LeafRule::Cut { .. }) => (
                    "taxonomy",
                    format!(
                        "the labels of `{}` are neither numbers nor dates",
                        column.name
                    ),
                ),
                _ if column.optional => (
                    "optional",
                    format!("a missing `{}` has no distance to the others", column.name),
                ),
                _ if column.unknown.is_some() => (
                    "unknown",
                    format!("an unknown `{}` has no distance to the others", column.name),
                ),
                _ => return None,
            };
            let text =
                format!("`search = \"mdav\"` needs distances, but {why}: remove it, or {order}");
            Some(ConfigProblem::new(format!("column[{at}].{key}"), text))
        })
}

/// If one level is searched for each column, a taxonomy must have fewer levels than this.
const MOST_LEVELS: usize = 255;

/// A weight or a floor that the search of the policy ignores.
fn detail(policy: &Policy, tables: &[ColumnTable]) -> Option<ConfigProblem> {
    let at = |written: fn(&ColumnTable) -> bool| tables.iter().position(written);
    let weight = at(|table| table.weight.is_some()).map(|at| (at, "weight"));
    let floor = at(|table| table.floor.is_some()).map(|at| (at, "floor"));
    let one_recoding = "write `search = \"top-down\"` or \"levels\", or remove it";
    let refuse = |found: Option<(usize, &str)>, why: &str| {
        let (at, key) = found?;
        Some(ConfigProblem::new(
            format!("column[{at}].{key}"),
            format!("`{key}` {why}"),
        ))
    };
    match (policy.search(), policy.guarantee()) {
        (_, Some(Guarantee::Bcf)) => refuse(
            weight.or(floor),
            "is only for chains under `guarantee = \"blind\"` and for disjoint chains: remove one of the two",
        ),
        (Search::Halves, _) => refuse(
            floor,
            &format!(
                "is not for `search = \"halves\"`, whose bound on leakage does not cover people who wait because of a \
                 floor: {one_recoding}"
            ),
        ),
        (Search::ArxLr | Search::Mondrian | Search::Mdav, _) => refuse(
            weight.or(floor),
            &format!("is not for a search that gives each class labels of its own: {one_recoding}"),
        ),
        (Search::TopDown | Search::Levels, _) => None,
    }
}

/// The reason why the requested search is impossible.
pub(super) fn problem(
    policy: &Policy,
    columns: &Columns,
    tables: &[ColumnTable],
) -> Option<ConfigProblem> {
    let trees = columns.trees();
    if policy.search() == Search::Halves && policy.division(&trees).is_none() {
        let text = "the quasi columns together have too many combinations of values to count: remove some of them";
        return Some(ConfigProblem::new("policy.search", text.to_owned()));
    }
    if policy.search() == Search::Levels
        && let Some(at) = trees
            .iter()
            .position(|tree| tree.by_level().len() >= MOST_LEVELS)
    {
        let (at, table) = tables
            .iter()
            .enumerate()
            .filter(|(_, table)| table.role == Role::Quasi)
            .nth(at)?;
        let text = format!(
            "`search = \"levels\"` needs taxonomies of fewer than {MOST_LEVELS} levels, but that of `{}` has more: \
             give it fewer, or write `search = \"top-down\"`",
            table.name
        );
        return Some(ConfigProblem::new(format!("column[{at}].taxonomy"), text));
    }
    if let Some(problem) = detail(policy, tables) {
        return Some(problem);
    }
    if policy.search() == Search::Mdav {
        return distances(columns, tables);
    }
    let refused = carvable(&trees)
        .err()
        .filter(|_| policy.search() == Search::ArxLr)?;
    let (column, why) = match refused {
        NoCarving::Ladder { column, why } => (column, why),
        NoCarving::States => {
            let text = "the quasi columns together have so many layers that no local search would end: give some of \
                        them fewer layers, or write `search = \"top-down\"`";
            return Some(ConfigProblem::new("policy.search", text.to_owned()));
        }
    };
    let why = match why {
        NoLadder::Uneven => "its leaves are at different depths",
        NoLadder::Lengths => "the intervals of a layer hold different numbers of values",
    };
    let (at, table) = tables
        .iter()
        .enumerate()
        .filter(|(_, table)| table.role == Role::Quasi)
        .nth(column)?;
    let text = format!(
        "`search = \"arx-lr\"` needs layers of equal intervals, but `{}` has none: {why}. Only the last interval of a \
         layer may be smaller; `bands`, `leaves` with `layers`, `prefix` and `flat` give such layers",
        table.name
    );
    Some(ConfigProblem::new(format!("column[{at}].taxonomy"), text))
}
