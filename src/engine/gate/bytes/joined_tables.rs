//! Joins two tables by the number of the class (SCIENCE 9, two tables; CONTRACTS 4). The numbers
//! are a function of the recoding and the leaf tuples, so each is recomputed: a row under another
//! number, a class with different sizes in the two tables, or a label above the leaves makes the
//! join fail.

use std::collections::BTreeMap;

use super::leak::Leak;
use super::table::PublishedTable;
use crate::histogram::{
    Cell, Headcount, Heads, Histogram, Release, RowGroup, SensitiveValues, describe,
};
use crate::model::{Columns, Cut, Leaf, Node, Role, Taxonomy};

/// The name of the table with the quasi columns in verdicts.
pub const QUASI: &str = "quasi table";
/// The name of the other table in verdicts.
pub const SENSITIVE: &str = "sensitive table";
/// The most places that are named.
const NAMED: usize = 12;

/// The rows of both tables, joined by class, or the reasons why they cannot be joined.
pub(super) fn join(
    quasi: &[RowGroup],
    groups: &[RowGroup],
    values: SensitiveValues,
    columns: &Columns,
    recoding: &[Cut],
) -> Result<PublishedTable, Vec<Leak>> {
    let leaves = leaves(quasi, columns)?;
    numbered(quasi, &leaves, columns, recoding)?;
    sizes(quasi, groups)?;
    let width = recoding.len();
    // Any leaf tuple of a class can represent it.
    let first: BTreeMap<i64, &Vec<Leaf>> = quasi
        .iter()
        .zip(&leaves)
        .rev()
        .map(|(run, leaves)| (run.class, leaves))
        .collect();
    let of = |group: &RowGroup, column: usize| first[&group.class][column];
    let by_column: Vec<Vec<Leaf>> = (0..width)
        .map(|at| groups.iter().map(|group| of(group, at)).collect())
        .collect();
    let cell = |group: &RowGroup| Cell {
        increment: 0,
        value: group.value,
        count: group.rows,
    };
    let counted = Histogram::of_counts(
        &by_column,
        values,
        &groups.iter().map(cell).collect::<Vec<_>>(),
    );
    let heads = quasi.iter().map(|run| Heads {
        since: 0,
        count: run.rows,
    });
    let exact = Headcount::of(width, leaves.iter().zip(heads));
    let release = Release::under(&counted, 0..1, recoding);
    assert_eq!(
        release.rows(),
        exact.rows(),
        "both tables have the same rows"
    );
    Ok(PublishedTable {
        release,
        values: counted.values().clone(),
        exact: Some(exact),
    })
}

/// The leaf tuple of each run.
fn leaves(quasi: &[RowGroup], columns: &Columns) -> Result<Vec<Vec<Leaf>>, Vec<Leak>> {
    let trees = columns.trees();
    let inner =
        columns
            .of(Role::Quasi)
            .zip(&trees)
            .enumerate()
            .filter_map(|(at, (column, tree))| {
                let run = quasi.iter().find(|run| !tree.is_leaf(run.nodes[at]))?;
                let text = format!(
                    "the label `{}` is no leaf: two tables show quasi columns as they are",
                    tree.label(run.nodes[at])
                );
                Some(Leak::new(format!("column {}", column.name), text).of(QUASI))
            });
    let inner: Vec<Leak> = inner.collect();
    if !inner.is_empty() {
        return Err(inner);
    }
    assert!(
        quasi.iter().all(|run| run.nodes.len() == trees.len()),
        "one label for each column"
    );
    let leaf = |(&node, tree): (&Node, &&Taxonomy)| tree.leaf_range(node).start;
    Ok(quasi
        .iter()
        .map(|run| run.nodes.iter().zip(&trees).map(leaf).collect())
        .collect())
}

/// Checks that every row has the number of its class: classes are counted from 1 in preorder.
fn numbered(
    quasi: &[RowGroup],
    leaves: &[Vec<Leaf>],
    columns: &Columns,
    recoding: &[Cut],
) -> Result<(), Vec<Leak>> {
    let nodes = |leaves: &Vec<Leaf>| -> Vec<Node> {
        recoding
            .iter()
            .zip(leaves)
            .map(|(cut, &leaf)| cut.at(leaf))
            .collect()
    };
    let nodes: Vec<Vec<Node>> = leaves.iter().map(nodes).collect();
    let mut classes: Vec<&Vec<Node>> = nodes.iter().collect();
    classes.sort_unstable();
    classes.dedup();
    assert!(classes.len() <= quasi.len(), "a class has rows");
    let number = |nodes: &Vec<Node>| {
        1 + classes
            .binary_search(&nodes)
            .expect("a class of these rows") as i64
    };
    let wrong = quasi
        .iter()
        .zip(&nodes)
        .filter(|(run, nodes)| run.class != number(nodes))
        .map(|(run, nodes)| {
            let text = format!(
                "rows of {} are under this number, but belong to class {}",
                describe(nodes, columns),
                number(nodes)
            );
            Leak::new(format!("class {}", run.class), text).of(QUASI)
        });
    let wrong: Vec<Leak> = wrong.take(NAMED).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Checks that every class has as many rows in one table as in the other.
fn sizes(quasi: &[RowGroup], groups: &[RowGroup]) -> Result<(), Vec<Leak>> {
    let mut sizes: BTreeMap<i64, [u64; 2]> = BTreeMap::new();
    for (side, runs) in [quasi, groups].into_iter().enumerate() {
        runs.iter()
            .for_each(|run| sizes.entry(run.class).or_default()[side] += u64::from(run.rows));
    }
    let wrong = sizes
        .into_iter()
        .filter(|(_, [quasi, sensitive])| quasi != sensitive)
        .map(|(class, [quasi, sensitive])| {
            let text = format!(
                "{quasi} rows of the {QUASI} and {sensitive} of the {SENSITIVE} are of this class"
            );
            Leak::new(format!("class {class}"), text)
        });
    let wrong: Vec<Leak> = wrong.take(NAMED).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}
