//! An inherited property of states, stored as the smallest set of states that imply it (ARX,
//! *Efficient management of predictive properties*): an antichain in a prefix tree, whose nodes
//! store the least rank below them.

use super::lattice::{Levels, rank};

/// Which other states have the property if a state has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Monotonicity {
    /// All generalisations, such as for insufficient quality.
    Upward,
    /// All specialisations, such as for insufficient protection.
    Downward,
}

/// A store of the states that have a property.
pub trait Property {
    /// A stored state that implies that this state has the property, if there is one.
    fn cause(&mut self, levels: &[u8]) -> Option<Levels>;

    /// Whether a state has the property.
    fn holds(&mut self, levels: &[u8]) -> bool {
        self.cause(levels).is_some()
    }

    /// Stores a state that has the property.
    fn insert(&mut self, levels: &[u8]);
}

/// How a store was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The number of queries.
    pub queries: u64,
    /// The number of queries that were answered with yes.
    pub hits: u64,
    /// The number of states that were inserted.
    pub inserts: u64,
    /// The largest number of states stored at a time.
    pub largest: usize,
}

/// A prefix tree over levels, one column per depth. For a downward property the levels are counted
/// from the top, so that one structure serves both directions.
pub struct Antichain {
    inherited: Monotonicity,
    heights: Vec<u8>,
    nodes: Vec<Node>,
    /// Nodes that are free for reuse.
    free: Vec<u32>,
    states: usize,
    usage: Usage,
    /// Whether queries use the least ranks; they are switched off only for comparison.
    ranks: bool,
}

/// A prefix of stored states.
struct Node {
    /// For each level of the next column, the node of the longer prefix; 0 for none. In the last
    /// column: whether the state is stored.
    next: Vec<u32>,
    /// The least rank of the states below this node.
    least: u32,
}

const ROOT: u32 = 0;
/// Marks a stored state in the last column.
const STATE: u32 = u32::MAX;

impl Antichain {
    /// An empty store, over columns with these numbers of levels.
    pub fn new(heights: &[u8], inherited: Monotonicity) -> Antichain {
        assert!(
            !heights.is_empty() && heights.iter().all(|height| *height > 0),
            "each column has a level"
        );
        let mut tree = Antichain {
            inherited,
            heights: heights.to_vec(),
            nodes: Vec::new(),
            free: Vec::new(),
            states: 0,
            usage: Usage::default(),
            ranks: true,
        };
        tree.node(0);
        tree
    }

    /// The same store, with branches never skipped because of their ranks.
    #[must_use]
    pub fn without_ranks(self) -> Antichain {
        Antichain {
            ranks: false,
            ..self
        }
    }

    /// The number of stored states.
    pub fn len(&self) -> usize {
        self.states
    }

    /// Whether no state is stored.
    pub fn is_empty(&self) -> bool {
        self.states == 0
    }

    /// How the store was used.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    fn node(&mut self, depth: usize) -> u32 {
        let node = Node {
            next: vec![0; usize::from(self.heights[depth])],
            least: u32::MAX,
        };
        match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// The levels, counted in the direction in which the property is inherited.
    fn upward(&self, levels: &[u8]) -> Vec<u8> {
        assert_eq!(
            levels.len(),
            self.heights.len(),
            "one level for each column"
        );
        assert!(
            levels
                .iter()
                .zip(&self.heights)
                .all(|(level, height)| level < height),
            "levels of the columns"
        );
        match self.inherited {
            Monotonicity::Upward => levels.to_vec(),
            Monotonicity::Downward => self
                .heights
                .iter()
                .zip(levels)
                .map(|(height, level)| height - 1 - level)
                .collect(),
        }
    }

    /// A state below a node that is at most these levels in every column, its columns listed from
    /// the last one to that of the node.
    fn below(&self, node: u32, depth: usize, levels: &[u8], rank: u32) -> Option<Levels> {
        let node = &self.nodes[node as usize];
        let mut next = node.next[..=usize::from(levels[depth])].iter().zip(0u8..);
        if depth + 1 == levels.len() {
            let (_, level) = next.find(|(next, _)| **next == STATE)?;
            return Some(vec![level]);
        }
        next.find_map(|(&next, level)| {
            let may = next != 0 && (!self.ranks || self.nodes[next as usize].least <= rank);
            let mut found = if may {
                self.below(next, depth + 1, levels, rank)?
            } else {
                return None;
            };
            found.push(level);
            Some(found)
        })
    }

    /// Removes the states below a node that are at least these levels in every column; returns
    /// whether the node is empty then.
    fn remove_above(&mut self, node: u32, depth: usize, levels: &[u8]) -> bool {
        for level in usize::from(levels[depth])..self.nodes[node as usize].next.len() {
            let next = self.nodes[node as usize].next[level];
            if next == 0 {
                continue;
            }
            if next == STATE {
                assert!(self.states > 0, "a state that was inserted");
                self.states -= 1;
                self.nodes[node as usize].next[level] = 0;
            } else if self.remove_above(next, depth + 1, levels) {
                self.free.push(next);
                self.nodes[node as usize].next[level] = 0;
            }
        }
        self.nodes[node as usize].next.iter().all(|&next| next == 0)
    }
}

impl Property for Antichain {
    fn cause(&mut self, levels: &[u8]) -> Option<Levels> {
        let levels = self.upward(levels);
        let cause = self.below(ROOT, 0, &levels, rank(&levels)).map(|found| {
            let cause: Levels = found.into_iter().rev().collect();
            self.upward(&cause)
        });
        self.usage.queries += 1;
        self.usage.hits += u64::from(cause.is_some());
        cause
    }

    fn insert(&mut self, levels: &[u8]) {
        let levels = self.upward(levels);
        let rank = rank(&levels);
        if self.below(ROOT, 0, &levels, rank).is_some() {
            return;
        }
        self.remove_above(ROOT, 0, &levels);
        let (mut node, last) = (ROOT, levels.len() - 1);
        for (depth, &level) in levels.iter().enumerate() {
            let least = &mut self.nodes[node as usize].least;
            *least = rank.min(*least);
            if depth == last {
                self.nodes[node as usize].next[usize::from(level)] = STATE;
                break;
            }
            let next = match self.nodes[node as usize].next[usize::from(level)] {
                0 => self.node(depth + 1),
                next => next,
            };
            self.nodes[node as usize].next[usize::from(level)] = next;
            node = next;
        }
        self.states += 1;
        self.usage.inserts += 1;
        self.usage.largest = self.usage.largest.max(self.states);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of figure 3.
    #[test]
    fn the_example_of_the_paper() {
        let mut tree = Antichain::new(&[4, 4, 3], Monotonicity::Upward);
        for levels in [[1, 1, 1], [1, 3, 0], [3, 2, 0]] {
            tree.insert(&levels);
        }
        assert!(tree.holds(&[1, 2, 2]));
        assert!(!tree.holds(&[2, 2, 0]));
        assert_eq!(
            (tree.len(), tree.usage().queries, tree.usage().hits),
            (3, 2, 1)
        );
        // Its generalisations are removed.
        tree.insert(&[1, 2, 0]);
        assert_eq!(tree.len(), 2);
        // A state that has the property already is not stored.
        tree.insert(&[2, 2, 0]);
        assert_eq!(
            (tree.len(), tree.usage().inserts, tree.usage().largest),
            (2, 4, 3)
        );
    }

    /// All states of a small lattice in orders from a simple generator, against a list of
    /// everything that was inserted.
    #[test]
    fn it_knows_what_a_list_knows() {
        let heights = [3u8, 2, 4, 2];
        let all: Vec<Vec<u8>> = (0..48u8)
            .map(|at| vec![at % 3, at / 3 % 2, at / 6 % 4, at / 24])
            .collect();
        let mut state = 7u64;
        let mut draw = |most: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % most
        };
        for inherited in [Monotonicity::Upward, Monotonicity::Downward] {
            let below = |one: &[u8], other: &[u8]| match inherited {
                Monotonicity::Upward => one.iter().zip(other).all(|(one, other)| one <= other),
                Monotonicity::Downward => one.iter().zip(other).all(|(one, other)| one >= other),
            };
            for _ in 0..200 {
                let mut trees = [true, false].map(|ranks| Antichain {
                    ranks,
                    ..Antichain::new(&heights, inherited)
                });
                let mut list: Vec<Vec<u8>> = Vec::new();
                for _ in 0..12 {
                    let levels = &all[draw(all.len())];
                    trees.iter_mut().for_each(|tree| tree.insert(levels));
                    list.push(levels.clone());
                    for levels in &all {
                        let holds = list.iter().any(|known| below(known, levels));
                        assert!(
                            trees.iter_mut().all(|tree| tree.holds(levels) == holds),
                            "{levels:?} after {list:?}"
                        );
                    }
                    let least = |levels: &&Vec<u8>| {
                        !list
                            .iter()
                            .any(|known| known != *levels && below(known, levels))
                    };
                    let mut kept: Vec<&Vec<u8>> = list.iter().filter(least).collect();
                    kept.sort_unstable();
                    kept.dedup();
                    assert!(
                        trees.iter().all(|tree| tree.len() == kept.len()),
                        "{} of {list:?}",
                        trees[0].len()
                    );
                }
            }
        }
    }
}
