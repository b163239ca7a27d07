//! The refusals of the search, inferred from a release (SCIENCE 6): the search is run on published
//! classes instead of people, and each candidate is accepted if the final recoding shows that it
//! was.

use std::collections::BTreeMap;

use crate::histogram::Release;
use crate::label::{
    Accepted, CandidateTrial, InvalidReason, NodeSplit, SearchTable, SearchView, Validity, top_down,
};
use crate::model::{Cut, Leaf, Node, Recoding, Taxonomy};

/// A candidate that was refused.
pub(super) struct TracedRefusal {
    /// The column.
    pub column: usize,
    /// The node that was not split.
    pub node: Node,
    /// The number of people of each class that held it then.
    pub crowds: Vec<u64>,
}

/// Accepts the splits of the final recoding.
struct StatedRecoding<'r>(&'r [Cut]);

impl Validity for StatedRecoding<'_> {
    type Trial = ();

    fn start(&mut self, _: &SearchTable<'_>) -> Result<(), InvalidReason> {
        Ok(())
    }

    fn test(&self, _: &SearchView<'_>, split: &NodeSplit) -> Result<(), InvalidReason> {
        // Outside all classes everything is split, even if no label shows it.
        if split.classes.is_empty() || self.0[split.column].at(split.first_leaf()) > split.node {
            return Ok(());
        }
        Err(InvalidReason::Rows {
            class: Vec::new(),
            rows: 0,
            limit: 0,
        })
    }

    fn accept(&mut self, _: &NodeSplit, (): (), _: &Accepted) {}
}

/// All refusals, in the order in which they happened, each with the classes of its state.
pub(super) fn refusals(release: &Release, trees: &[&Taxonomy]) -> Vec<TracedRefusal> {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let leaf = |(column, tree): (usize, &&Taxonomy)| -> Vec<Leaf> {
        (0..release.classes())
            .map(|class| tree.leaf_range(release.class(class)[column]).start)
            .collect()
    };
    let columns: Vec<Vec<Leaf>> = trees.iter().enumerate().map(leaf).collect();
    let rows: Vec<u64> = (0..release.classes())
        .map(|class| release.size(class))
        .collect();
    let table = SearchTable {
        trees,
        columns: columns.iter().map(Vec::as_slice).collect(),
        rows: &rows,
        weights: Vec::new(),
    };
    let leaves: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
    let trace = top_down(&table, &leaves, &mut StatedRecoding(release.recoding()))
        .map(|found| found.trace)
        .unwrap_or_default();
    let split: BTreeMap<(usize, Node), usize> = trace
        .iter()
        .enumerate()
        .filter(|(_, tried)| tried.accepted)
        .map(|(turn, tried)| ((tried.column, tried.node), turn))
        .collect();
    let refused = trace
        .iter()
        .enumerate()
        .filter(|(_, tried)| !tried.accepted);
    refused
        .map(|(turn, &CandidateTrial { column, node, .. })| {
            let mut crowds: BTreeMap<Vec<Node>, u64> = BTreeMap::new();
            for class in
                (0..release.classes()).filter(|&class| release.class(class)[column] == node)
            {
                let then = release.class(class).iter().zip(trees).enumerate().map(
                    |(column, (&node, tree))| {
                        let above = std::iter::successors(Some(node), |&node| tree.parent(node));
                        // The highest node that was not split yet.
                        let whole =
                            |&node: &Node| split.get(&(column, node)).is_none_or(|&at| at > turn);
                        above.filter(whole).last().unwrap_or(node)
                    },
                );
                *crowds.entry(then.collect()).or_default() += rows[class];
            }
            TracedRefusal {
                column,
                node,
                crowds: crowds.into_values().collect(),
            }
        })
        .collect()
}
