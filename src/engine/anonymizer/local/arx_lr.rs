//! ARX-LR (SCIENCE 6): one sweep over the states in order of loss. Each takes all its classes of at least k rows away from those
//! that remain; whoever is left when only the top is, or when fewer than k are, is an outlier. A state that forms no class
//! never will as rows leave, and neither will a finer one, so that one that fails rules many out.
//!
//! Nothing here could look at a sensitive value: there is none in what it is given.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use super::ladder::{Ladder, NoLadder};
use super::left::{Group, Left};
use super::paths::Paths;
use super::states::{State, States, count};
use crate::histogram::Headcount;
use crate::model::{Leaf, Node, Taxonomy};

/// States that are looked at at most.
const MOST_STATES: u64 = 4_000_000;

/// People who share their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The layer of each column, counted from 0.
    pub state: State,
    /// Its label in each column.
    pub nodes: Vec<Node>,
    /// Its leaf tuples, by number.
    pub tuples: Vec<u32>,
    /// How many people.
    pub people: u64,
}

/// What comes of carving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carved {
    /// Classes in the order in which they were formed.
    pub classes: Vec<Class>,
    /// Leaf tuples of those who found none.
    pub outliers: Vec<u32>,
}

/// Why there is no carving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCarving {
    /// A column has no layers.
    Ladder {
        /// Which one.
        column: usize,
        /// Why.
        why: NoLadder,
    },
    /// There are more states than can be looked at.
    States,
}

/// Classes of at least `k` people, found by ARX-LR.
///
/// # Errors
/// The taxonomies are no ladders, or have too many states.
pub fn arx_lr(people: &Headcount, trees: &[&Taxonomy], k: u64) -> Result<Carved, NoCarving> {
    let ladders = ladders(trees)?;
    let (states, paths) = (States::new(&ladders), Paths::new(&ladders));
    let everybody = (0..people.tuples()).map(|tuple| (people.tuple_at(tuple), people.count(tuple)));
    let left = Left::new(&paths, everybody);
    let failed = vec![false; states.len()];
    let mut carving = Carving { ladders: &ladders, people, states: &states, paths, k, left, failed };
    let mut classes = Vec::new();
    for group in states.groups() {
        if group.contains(&states.top()) || !carving.sweep(group, &mut classes) {
            break;
        }
    }
    Ok(Carved { classes, outliers: carving.left.tuples().to_vec() })
}

/// Whether classes can be carved over these taxonomies.
///
/// # Errors
/// They are no ladders, or have too many states.
pub fn carvable(trees: &[&Taxonomy]) -> Result<(), NoCarving> {
    ladders(trees).map(|_| ())
}

fn ladders(trees: &[&Taxonomy]) -> Result<Vec<Ladder>, NoCarving> {
    let ladder =
        |(column, tree): (usize, &&Taxonomy)| Ladder::of(tree).map_err(|why| NoCarving::Ladder { column, why });
    let ladders = trees.iter().enumerate().map(ladder).collect::<Result<Vec<_>, _>>()?;
    if count(&ladders).is_none_or(|count| count > MOST_STATES) {
        return Err(NoCarving::States);
    }
    Ok(ladders)
}

/// How far it has come.
struct Carving<'c> {
    ladders: &'c [Ladder],
    people: &'c Headcount,
    states: &'c States,
    paths: Paths,
    k: u64,
    left: Left,
    /// Per state whether it is known to form no class; of a state that is, all finer ones are.
    failed: Vec<bool>,
}

impl Carving<'_> {
    /// Carves all classes of states that the order does not tell apart; `false` when too few remain for any.
    fn sweep(&mut self, group: &[u32], classes: &mut Vec<Class>) -> bool {
        let mut open = group.to_vec();
        loop {
            if self.left.people() < self.k {
                return false;
            }
            open.retain(|&state| !self.fails(state));
            let Some(best) = self.best(&open) else { return true };
            let state = open.remove(best);
            self.carve(state, classes);
        }
    }

    /// Which of some states has its turn: the one with the least C3, that is the most that is kept apart; then the one whose
    /// layer vector comes first.
    fn best(&self, open: &[u32]) -> Option<usize> {
        if open.len() <= 1 {
            return (!open.is_empty()).then_some(0);
        }
        let leaves = |column: usize| -> BTreeSet<Leaf> {
            let leaves = self.people.column(column);
            self.left.tuples().iter().map(|&tuple| leaves[tuple as usize]).collect()
        };
        let leaves: Vec<Vec<Leaf>> =
            (0..self.ladders.len()).map(|column| leaves(column).into_iter().collect()).collect();
        let kept: Vec<BigUint> = open.iter().map(|&state| self.kept(state, &leaves)).collect();
        (0..open.len()).max_by(|&a, &b| kept[a].cmp(&kept[b]).then(b.cmp(&a)))
    }

    /// 1 − C3, the mean over the columns of (distinct intervals / distinct values) among those who remain, times what is the
    /// same for all states; of the distinct values of each column.
    fn kept(&self, state: u32, leaves: &[Vec<Leaf>]) -> BigUint {
        let all: BigUint = leaves.iter().map(|leaves| BigUint::from(leaves.len())).product();
        let share = |((ladder, layer), leaves): ((&Ladder, usize), &Vec<Leaf>)| {
            // Nodes of a layer lie in the order of their leaves.
            let nodes = leaves.chunk_by(|&a, &b| ladder.node(layer, a) == ladder.node(layer, b)).count();
            &all / leaves.len() * nodes
        };
        self.ladders.iter().zip(self.states.layers(state)).zip(leaves).map(share).sum()
    }

    /// Takes all classes of a state away.
    fn carve(&mut self, state: u32, classes: &mut Vec<Class>) {
        let mask = self.paths.mask(self.states.layers(state));
        let class = |Group { tuples, people }: Group| {
            let columns = self.ladders.iter().zip(self.states.layers(state));
            let leaves = self.people.tuple_at(tuples[0] as usize);
            let nodes = columns.zip(leaves).map(|((ladder, layer), leaf)| ladder.node(layer, leaf)).collect();
            Class { state: self.states.layers(state).map(|layer| layer as u8).collect(), nodes, tuples, people }
        };
        let mut formed: Vec<Class> = self.left.take(&mask, self.k).into_iter().map(class).collect();
        formed.sort_unstable_by(|a, b| a.nodes.cmp(&b.nodes));
        classes.extend(formed);
    }

    /// Whether a state forms no class. Of one that fails a coarser one is looked for that fails too.
    fn fails(&mut self, state: u32) -> bool {
        if self.failed[state as usize] {
            return true;
        }
        if self.forms(state) {
            return false;
        }
        // On a path to the top those that fail come first.
        let path = self.path(state);
        let (mut failing, mut forming) = (0, path.len());
        while failing + 1 < forming {
            let middle = (failing + forming) / 2;
            let fails = self.failed[path[middle] as usize] || !self.forms(path[middle]);
            if fails { failing = middle } else { forming = middle }
        }
        let mut failed = vec![path[failing]];
        while let Some(state) = failed.pop() {
            if !std::mem::replace(&mut self.failed[state as usize], true) {
                failed.extend(self.states.below(state));
            }
        }
        true
    }

    /// From a state to the top, one layer up at a time, all columns in turn.
    fn path(&self, state: u32) -> Vec<u32> {
        let mut path = vec![state];
        let columns = self.ladders.len();
        loop {
            let last = path[path.len() - 1];
            let turn = (0..columns).map(|at| (at + path.len()) % columns);
            let Some(above) = turn.into_iter().find_map(|column| self.states.above(last, column)) else { return path };
            path.push(above);
        }
    }

    fn forms(&mut self, state: u32) -> bool {
        let mask = self.paths.mask(self.states.layers(state));
        self.left.forms(&mask, self.k)
    }
}
