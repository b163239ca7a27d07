//! The state of a top-down search (SCIENCE 4, BCF 5.2): classes, the classes that hold each
//! candidate, and the Score of each candidate. A specialisation changes only the classes that hold
//! it; Scores are updated by differences.
//!
//! This module decides nothing: a validity says whether a candidate may be specialised.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::table::{NodeSplit, SearchTable};
use crate::histogram::Partition;
use crate::model::{Cut, Node, Recoding};

/// Classes and candidates of one state of the search.
pub(crate) struct Candidates<'a> {
    table: &'a SearchTable<'a>,
    floor: &'a [Cut],
    partition: Partition,
    /// Rows of each class.
    size: Vec<u64>,
    /// Nodes of class c: `nodes[c * width..][..width]`.
    nodes: Vec<Node>,
    live: BTreeMap<(usize, Node), Candidate>,
    /// Highest Score first, then column, then preorder.
    order: BTreeSet<(Reverse<u128>, usize, Node)>,
    /// Cut nodes that are no longer candidates, by column.
    settled: Vec<Vec<Node>>,
}

#[derive(Default)]
struct Candidate {
    /// Σ |class|² over the classes that hold the node, times the weight of the column.
    score: u128,
    classes: Vec<u32>,
}

fn square(rows: u64) -> u128 {
    u128::from(rows) * u128::from(rows)
}

impl<'a> Candidates<'a> {
    /// Starts with `*` everywhere. Nodes of `floor` and below are never candidates.
    pub(crate) fn new(table: &'a SearchTable<'a>, floor: &'a [Cut]) -> Candidates<'a> {
        let (width, items) = (table.trees.len(), table.rows.len());
        assert_eq!(floor.len(), width, "a floor for each column");
        let partition = Partition::whole(items);
        let mut state = Candidates {
            table,
            floor,
            size: vec![table.rows.iter().sum(); partition.len()],
            nodes: vec![0; width * partition.len()],
            partition,
            live: BTreeMap::new(),
            order: BTreeSet::new(),
            settled: vec![Vec::new(); width],
        };
        for column in 0..width {
            let classes: Vec<u32> = (0..state.partition.len() as u32).collect();
            state.enter(column, 0, classes);
        }
        state
    }

    /// The items of a class.
    pub(crate) fn items(&self, class: u32) -> &[u32] {
        self.partition.items(class as usize)
    }

    /// The nodes of a class, one per quasi column.
    pub(crate) fn nodes(&self, class: u32) -> &[Node] {
        let width = self.table.trees.len();
        &self.nodes[class as usize * width..][..width]
    }

    /// The number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.partition.len()
    }

    /// The first `most` candidates in order.
    pub(crate) fn first(&self, most: usize) -> Vec<NodeSplit> {
        let split = |&(_, column, node): &(Reverse<u128>, usize, Node)| {
            NodeSplit::new(
                self.table.trees[column],
                column,
                node,
                self.live[&(column, node)].classes.clone(),
            )
        };
        self.order.iter().take(most).map(split).collect()
    }

    /// A candidate that is above a recoding, if there is one.
    pub(crate) fn above(&self, recoding: &[Cut]) -> Option<NodeSplit> {
        let trees = &self.table.trees;
        let above = |&(column, node): &(usize, Node)| {
            let at = recoding[column].at(trees[column].leaf_range(node).start);
            // Of two nodes on one path the lower one has the larger number.
            at > node
        };
        let (&(column, node), candidate) = self.live.iter().find(|(at, _)| above(at))?;
        Some(NodeSplit::new(
            trees[column],
            column,
            node,
            candidate.classes.clone(),
        ))
    }

    /// Adds a cut node that these classes hold.
    fn enter(&mut self, column: usize, node: Node, classes: Vec<u32>) {
        let first_leaf = self.table.trees[column].leaf_range(node).start;
        // The floor's node at that leaf is below exactly if its number is larger.
        if self.floor[column].at(first_leaf) > node {
            let squares: u128 = classes
                .iter()
                .map(|&class| square(self.size[class as usize]))
                .sum();
            let score = squares * self.weight(column);
            self.order.insert((Reverse(score), column, node));
            self.live
                .insert((column, node), Candidate { score, classes });
        } else {
            self.settled[column].push(node);
        }
    }

    fn weight(&self, column: usize) -> u128 {
        self.table
            .weights
            .get(column)
            .map_or(1, |&weight| u128::from(weight))
    }

    fn leave(&mut self, column: usize, node: Node) {
        let candidate = self
            .live
            .remove(&(column, node))
            .expect("a candidate leaves once");
        self.order.remove(&(Reverse(candidate.score), column, node));
    }

    /// Drops a candidate permanently; its node stays in the cut.
    pub(crate) fn drop(&mut self, split: &NodeSplit) {
        self.leave(split.column, split.node);
        self.settled[split.column].push(split.node);
    }

    /// Replaces the node by its children in every class that holds it. Returns, for each class that
    /// changes, the (child, class) of each child that has rows; the first child keeps the number of
    /// the class, the others get the next numbers.
    pub(crate) fn specialise(&mut self, split: &NodeSplit) -> Vec<Vec<(usize, usize)>> {
        self.leave(split.column, split.node);
        let width = self.table.trees.len();
        let leaves = self.table.columns[split.column];
        let mut holders: Vec<Vec<u32>> = vec![Vec::new(); split.children.len()];
        let mut change: BTreeMap<(usize, Node), (u128, u128)> = BTreeMap::new();
        let mut made_of = Vec::with_capacity(split.classes.len());
        for &class in &split.classes {
            let before = self.size[class as usize];
            let nodes = self.nodes(class).to_vec();
            assert_eq!(
                nodes[split.column], split.node,
                "a class with the node that is divided"
            );
            let made = self
                .partition
                .split(class as usize, split.children.len(), |item| {
                    split.part(leaves[item as usize])
                });
            let mut after = 0;
            for &(part, class) in &made {
                let rows = self
                    .partition
                    .items(class)
                    .iter()
                    .map(|&item| self.table.rows[item as usize])
                    .sum();
                if class == self.size.len() {
                    self.size.push(rows);
                    self.nodes.extend_from_slice(&nodes);
                } else {
                    self.size[class] = rows;
                }
                self.nodes[class * width + split.column] = split.children[part];
                holders[part].push(class as u32);
                after += square(rows);
            }
            for (column, &node) in nodes
                .iter()
                .enumerate()
                .filter(|&(column, _)| column != split.column)
            {
                if let Some(candidate) = self.live.get_mut(&(column, node)) {
                    candidate
                        .classes
                        .extend(made.iter().skip(1).map(|&(_, class)| class as u32));
                    let (less, more) = change.entry((column, node)).or_default();
                    *less += square(before);
                    *more += after;
                }
            }
            let rows: u64 = made.iter().map(|&(_, class)| self.size[class]).sum();
            assert_eq!(rows, before, "each row is in one part");
            made_of.push(made);
        }
        for ((column, node), (less, more)) in change {
            let weight = self.weight(column);
            let candidate = self
                .live
                .get_mut(&(column, node))
                .expect("it was found before");
            self.order.remove(&(Reverse(candidate.score), column, node));
            candidate.score = candidate.score + more * weight - less * weight;
            self.order.insert((Reverse(candidate.score), column, node));
        }
        for (child, classes) in split.children.iter().zip(holders) {
            self.enter(split.column, *child, classes);
        }
        made_of
    }

    /// Σ |class|² of this state.
    pub(crate) fn squares(&self) -> u128 {
        self.size.iter().map(|&rows| square(rows)).sum()
    }

    /// The recoding of a state without candidates.
    pub(crate) fn recoding(&self) -> Recoding {
        assert!(self.live.is_empty(), "the search has ended");
        let cut = |(tree, nodes): (&&_, &Vec<Node>)| {
            Cut::completed(tree, nodes).expect("cut nodes are an antichain")
        };
        self.table
            .trees
            .iter()
            .zip(&self.settled)
            .map(cut)
            .collect()
    }
}
