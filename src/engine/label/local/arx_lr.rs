//! ARX-LR (SCIENCE 6): one pass over the states in order of loss. Each state removes all its
//! classes of at least k rows from the remaining rows; people who remain at the top state, or when
//! fewer than k are left, are outliers. A state that forms no class will not form one when rows
//! have been removed, and neither will a finer state, so one failing state excludes many.
//!
//! This module cannot look at sensitive values, since its input has none.

use super::ladder::{Ladder, NoLadder};
use super::paths::LayerBits;
use super::remaining_rows::{LabelGroup, RemainingRows};
use super::states::{LayerState, LayerStates, count};
use crate::histogram::Headcount;
use crate::model::{Node, Taxonomy};

/// The most states that are examined.
const MOST_STATES: u64 = 4_000_000;

/// People who share their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateClass {
    /// The layer of each column, counted from 0.
    pub state: LayerState,
    /// Its label in each column.
    pub nodes: Vec<Node>,
    /// Its leaf tuples, by number.
    pub tuples: Vec<u32>,
    /// The number of people.
    pub people: u64,
}

/// The result of carving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarvingResult {
    /// Classes in the order in which they were formed.
    pub classes: Vec<StateClass>,
    /// The leaf tuples of people who are in no class.
    pub outliers: Vec<u32>,
}

/// Why carving is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoCarving {
    /// A column has no layers.
    Ladder {
        /// The number of the column.
        column: usize,
        /// The reason.
        why: NoLadder,
    },
    /// There are more states than can be examined.
    States,
}

/// Classes of at least `k` people, found by ARX-LR.
///
/// # Errors
/// The taxonomies have no layers, or too many states.
pub fn arx_lr(people: &Headcount, trees: &[&Taxonomy], k: u64) -> Result<CarvingResult, NoCarving> {
    assert!(k >= 1, "a class has at least one person");
    assert_eq!(people.width(), trees.len(), "one taxonomy for each column");
    let ladders = ladders(trees)?;
    let (states, paths) = (LayerStates::new(&ladders), LayerBits::new(&ladders));
    let all_rows = (0..people.tuples()).map(|tuple| (people.tuple_at(tuple), people.count(tuple)));
    let left = RemainingRows::new(&paths, all_rows);
    let failed = vec![false; states.len()];
    let mut carving = Carving {
        ladders: &ladders,
        people,
        states: &states,
        paths,
        k,
        left,
        failed,
    };
    let mut classes = Vec::new();
    for state in states.order().take_while(|&state| state != states.top()) {
        if carving.left.people() < k {
            break;
        }
        if !carving.fails(state) {
            carving.carve(state, &mut classes);
        }
    }
    Ok(CarvingResult {
        classes,
        outliers: carving.left.tuples().to_vec(),
    })
}

/// Checks that classes can be carved over these taxonomies.
///
/// # Errors
/// They have no layers, or too many states.
pub fn carvable(trees: &[&Taxonomy]) -> Result<(), NoCarving> {
    ladders(trees).map(|_| ())
}

fn ladders(trees: &[&Taxonomy]) -> Result<Vec<Ladder>, NoCarving> {
    let ladder = |(column, tree): (usize, &&Taxonomy)| {
        Ladder::of(tree).map_err(|why| NoCarving::Ladder { column, why })
    };
    let ladders = trees
        .iter()
        .enumerate()
        .map(ladder)
        .collect::<Result<Vec<_>, _>>()?;
    if count(&ladders).is_none_or(|count| count > MOST_STATES) {
        return Err(NoCarving::States);
    }
    Ok(ladders)
}

/// The current state of carving.
struct Carving<'c> {
    ladders: &'c [Ladder],
    people: &'c Headcount,
    states: &'c LayerStates,
    paths: LayerBits,
    k: u64,
    left: RemainingRows,
    /// For each state whether it is known to form no class; if a state is marked, so are all finer
    /// ones.
    failed: Vec<bool>,
}

impl Carving<'_> {
    /// Removes all classes of a state.
    fn carve(&mut self, state: u32, classes: &mut Vec<StateClass>) {
        let mask = self.paths.mask(self.states.layers(state));
        let class = |LabelGroup { tuples, people }: LabelGroup| {
            let columns = self.ladders.iter().zip(self.states.layers(state));
            let leaves = self.people.tuple_at(tuples[0] as usize);
            let nodes = columns
                .zip(leaves)
                .map(|((ladder, layer), leaf)| ladder.node(layer, leaf))
                .collect();
            StateClass {
                state: self.states.layers(state).map(|layer| layer as u8).collect(),
                nodes,
                tuples,
                people,
            }
        };
        let mut formed: Vec<StateClass> = self
            .left
            .take(&mask, self.k)
            .into_iter()
            .map(class)
            .collect();
        formed.sort_unstable_by(|a, b| a.nodes.cmp(&b.nodes));
        classes.extend(formed);
    }

    /// Whether a state forms no class. If it fails, a coarser state that fails too is looked for.
    fn fails(&mut self, state: u32) -> bool {
        if self.failed[state as usize] {
            return true;
        }
        if self.forms(state) {
            return false;
        }
        // On a path to the top, the states that fail come first.
        let path = self.path(state);
        let (mut failing, mut forming) = (0, path.len());
        while failing + 1 < forming {
            let middle = (failing + forming) / 2;
            let fails = self.failed[path[middle] as usize] || !self.forms(path[middle]);
            if fails {
                failing = middle
            } else {
                forming = middle
            }
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
            let Some(above) = turn
                .into_iter()
                .find_map(|column| self.states.above(last, column))
            else {
                return path;
            };
            path.push(above);
        }
    }

    fn forms(&mut self, state: u32) -> bool {
        let mask = self.paths.mask(self.states.layers(state));
        self.left.forms(&mask, self.k)
    }
}
