//! ARX-LR (SCIENCE 6): one sweep over the states in order of loss. Each takes all its classes of at least k rows away from those
//! that remain; whoever is left when only the top is, or when fewer than k are, is an outlier. A state that forms no class
//! never will as rows leave, and neither will a finer one, so that one that fails rules many out.
//!
//! Nothing here could look at a sensitive value: there is none in what it is given.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_integer::Integer;

use super::ladder::{Ladder, NoLadder};
use super::states::{State, count, groups, refines, top};
use crate::engine::histogram::{Headcount, Tuples};
use crate::engine::model::{Node, Taxonomy};

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
    let rows: Vec<u64> = (0..people.tuples()).map(|tuple| people.count(tuple)).collect();
    let left = (0..people.tuples() as u32).collect();
    let mut carving = Carving { ladders: &ladders, people, rows, k, left, failed: Vec::new() };
    let mut classes = Vec::new();
    for group in groups(&ladders) {
        if group.contains(&top(&ladders)) || !carving.sweep(group, &mut classes) {
            break;
        }
    }
    Ok(Carved { classes, outliers: carving.left })
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

/// Who remains.
struct Carving<'c> {
    ladders: &'c [Ladder],
    people: &'c Headcount,
    /// People of each leaf tuple.
    rows: Vec<u64>,
    k: u64,
    left: Vec<u32>,
    /// The coarsest states that are known to form no class.
    failed: Vec<State>,
}

impl Carving<'_> {
    /// Carves all classes of states that the order does not tell apart; `false` when too few remain for any.
    fn sweep(&mut self, mut open: Vec<State>, classes: &mut Vec<Class>) -> bool {
        loop {
            if self.left.iter().map(|&tuple| self.rows[tuple as usize]).sum::<u64>() < self.k {
                return false;
            }
            open.retain(|state| !self.fails(state));
            let Some(best) = self.best(&open) else { return true };
            let state = open.remove(best);
            self.carve(&state, classes);
        }
    }

    /// Which of some states has its turn: the one with the least C3, that is the most that is kept apart; then the one whose
    /// layer vector comes first.
    fn best(&self, open: &[State]) -> Option<usize> {
        if open.len() <= 1 {
            return (!open.is_empty()).then_some(0);
        }
        let kept: Vec<(u128, u128)> = open.iter().map(|state| self.kept(state)).collect();
        (0..open.len()).max_by(|&a, &b| compare(kept[a], kept[b]).then(b.cmp(&a)))
    }

    /// Takes all classes of a state away.
    fn carve(&mut self, state: &State, classes: &mut Vec<Class>) {
        let mut crowds: BTreeMap<Vec<Node>, Vec<u32>> = BTreeMap::new();
        for &tuple in &self.left {
            crowds.entry(self.nodes(state, tuple)).or_default().push(tuple);
        }
        let mut gone = BTreeSet::new();
        for (nodes, tuples) in crowds {
            let people = tuples.iter().map(|&tuple| self.rows[tuple as usize]).sum();
            if people >= self.k {
                gone.extend(tuples.iter().copied());
                classes.push(Class { state: state.clone(), nodes, tuples, people });
            }
        }
        self.left.retain(|tuple| !gone.contains(tuple));
    }

    fn nodes(&self, state: &State, tuple: u32) -> Vec<Node> {
        let leaves = self.people.tuple_at(tuple as usize);
        let columns = self.ladders.iter().zip(state).zip(leaves);
        columns.map(|((ladder, &layer), leaf)| ladder.node(layer.into(), leaf)).collect()
    }

    /// Whether a state forms no class. Of one that fails a coarser one is looked for that fails too.
    fn fails(&mut self, state: &State) -> bool {
        if self.failed.iter().any(|failed| refines(state, failed)) {
            return true;
        }
        if self.forms(state) {
            return false;
        }
        // On a path to the top those that fail come first.
        let path = self.path(state);
        let last = path.partition_point(|state| !self.forms(state)).saturating_sub(1);
        let failed = path[last].clone();
        self.failed.retain(|known| !refines(known, &failed));
        self.failed.push(failed);
        true
    }

    /// From a state to the top, one layer up at a time, all columns in turn.
    fn path(&self, state: &State) -> Vec<State> {
        let mut path = vec![state.clone()];
        let columns = state.len();
        loop {
            let last = &path[path.len() - 1];
            let turn = (0..columns).map(|at| (at + path.len()) % columns);
            let up = turn.into_iter().find(|&column| usize::from(last[column]) + 1 < self.ladders[column].height());
            let Some(column) = up else { return path };
            let mut above = last.clone();
            above[column] += 1;
            path.push(above);
        }
    }

    fn forms(&self, state: &State) -> bool {
        let (mut classes, mut people) = (Tuples::new(state.len()), Vec::<u64>::new());
        let mut nodes = vec![0; state.len()];
        self.left.iter().any(|&tuple| {
            let leaves = self.people.tuple_at(tuple as usize);
            let columns = self.ladders.iter().zip(state).zip(leaves);
            nodes
                .iter_mut()
                .zip(columns)
                .for_each(|(node, ((ladder, &layer), leaf))| *node = ladder.node(layer.into(), leaf));
            let class = classes.number(&nodes) as usize;
            people.resize(classes.len(), 0);
            people[class] += self.rows[tuple as usize];
            people[class] >= self.k
        })
    }

    /// 1 − C3: the mean over the columns of (distinct intervals / distinct values) among those who remain, as a fraction.
    fn kept(&self, state: &State) -> (u128, u128) {
        let mut sum: (u128, u128) = (0, 1);
        for (column, (ladder, &layer)) in self.ladders.iter().zip(state).enumerate() {
            let leaves: BTreeSet<u32> =
                self.left.iter().map(|&tuple| self.people.column(column)[tuple as usize]).collect();
            let nodes: BTreeSet<Node> = leaves.iter().map(|&leaf| ladder.node(layer.into(), leaf)).collect();
            let (part, of) = (nodes.len() as u128, leaves.len() as u128);
            let common = (sum.0 * of + part * sum.1, sum.1 * of);
            let divisor = common.0.gcd(&common.1);
            sum = (common.0 / divisor, common.1 / divisor);
        }
        sum
    }
}

/// Which fraction is larger.
fn compare(a: (u128, u128), b: (u128, u128)) -> Ordering {
    (BigUint::from(a.0) * b.1).cmp(&(BigUint::from(b.0) * a.1))
}
