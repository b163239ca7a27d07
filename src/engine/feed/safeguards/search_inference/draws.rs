//! Sampled pre-images, with all combinations of values equally likely (SCIENCE 6), and how often
//! the search makes the same release from them: an upper bound of the ratio, wrong in at most one
//! run of 10^9. The same with any number of threads.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use rayon::prelude::*;

use super::figure::TraceRatio;
use super::rerun::RerunRelease;
use super::terms::{FigureSource, TraceTerms, WholeTrace};
use crate::arithmetic::{self, SmallDraws};
use crate::histogram::{Headcount, Heads, Release};
use crate::model::{Leaf, Node, Taxonomy};
use crate::policy::Values;

/// The number of samples that share one random stream.
const TOGETHER: u64 = 64;

/// The leaves under a node, with their values counted from 0.
struct Side {
    first: Leaf,
    /// The cumulative number of values up to the end of each leaf.
    ends: Vec<u64>,
}

impl Side {
    fn new(tree: &Taxonomy, node: Node) -> Side {
        let leaves = tree.leaf_range(node);
        let values = leaves.clone().scan(0, |sum, leaf| {
            *sum += tree.values(tree.leaf_node(leaf));
            Some(*sum)
        });
        Side {
            first: leaves.start,
            ends: values.collect(),
        }
    }

    fn values(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn leaf(&self, value: u64) -> Leaf {
        self.first + self.ends.partition_point(|&end| end <= value) as Leaf
    }
}

/// A class to be filled.
struct Class<'s> {
    sides: Vec<&'s Side>,
    rows: u64,
    /// The number of its combinations; `None` if it exceeds 2^64.
    volume: Option<u64>,
}

/// By running the search on sampled pre-images.
pub(super) fn drawn(
    release: &Release,
    trees: &[&Taxonomy],
    a: u64,
    terms: TraceTerms,
) -> WholeTrace {
    assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
    let mut sides: BTreeMap<(usize, Node), Side> = BTreeMap::new();
    for (column, tree) in trees.iter().enumerate() {
        for node in release.shown(column) {
            sides.insert((column, node), Side::new(tree, node));
        }
    }
    let class = |class: usize| {
        let of = release.class(class).iter().enumerate();
        let sides: Vec<&Side> = of.map(|(column, &node)| &sides[&(column, node)]).collect();
        let volume = sides
            .iter()
            .try_fold(1u64, |product, side| product.checked_mul(side.values()));
        Class {
            sides,
            rows: release.size(class),
            volume,
        }
    };
    let classes: Vec<Class<'_>> = (0..release.classes()).map(class).collect();
    let full = |class: &Class<'_>| class.volume.is_some_and(|volume| volume < class.rows);
    if terms.values == Values::Distinct && classes.iter().any(full) {
        return WholeTrace {
            ratio: TraceRatio::Impossible,
            source: FigureSource::Drawn { draws: 0, kept: 0 },
        };
    }
    // A search visits all nodes without people.
    let nodes: usize = trees.iter().map(|tree| tree.nodes()).sum();
    let draws = (terms.budget.rows / (release.rows() + nodes as u64)).min(terms.budget.draws)
        / TOGETHER
        * TOGETHER;
    let again = RerunRelease::new(release, trees, a);
    let kept = (0..draws / TOGETHER).into_par_iter().map(|stream| {
        let mut chance = SmallDraws::of_stream(terms.seed, stream);
        let comes = |_: &u64| {
            let rows = classes
                .iter()
                .flat_map(|class| class.draw(terms.values, &mut chance));
            again.comes_of(&Headcount::of(
                trees.len(),
                rows.map(|row| (row, Heads { since: 0, count: 1 })),
            ))
        };
        (0..TOGETHER).filter(comes).count() as u64
    });
    let kept = kept.sum();
    assert!(kept <= draws, "no more are kept than were drawn");
    let share = if draws == 0 {
        0.0
    } else {
        arithmetic::least(kept, draws)
    };
    let ratio = if share > 0.0 {
        TraceRatio::AtMost {
            log10: -share.log10() + 1e-12,
        }
    } else {
        TraceRatio::Unknown
    };
    WholeTrace {
        ratio,
        source: FigureSource::Drawn { draws, kept },
    }
}

impl Class<'_> {
    /// The leaves of all its rows.
    fn draw(&self, values: Values, chance: &mut SmallDraws) -> Vec<Vec<Leaf>> {
        match (values, self.volume) {
            (Values::Repeated, _) => (0..self.rows)
                .map(|_| self.leaves(&self.any(chance)))
                .collect(),
            (Values::Distinct, Some(volume)) => self.some(volume, chance),
            (Values::Distinct, None) => {
                // There is so much room that hardly any draw is rejected.
                let mut taken = BTreeSet::new();
                while (taken.len() as u64) < self.rows {
                    taken.insert(self.any(chance));
                }
                taken.iter().map(|row| self.leaves(row)).collect()
            }
        }
    }

    /// A random value per column.
    fn any(&self, chance: &mut SmallDraws) -> Vec<u64> {
        self.sides
            .iter()
            .map(|side| chance.below(side.values()))
            .collect()
    }

    fn leaves(&self, row: &[u64]) -> Vec<Leaf> {
        self.sides
            .iter()
            .zip(row)
            .map(|(side, &value)| side.leaf(value))
            .collect()
    }

    /// Different combinations, every choice equally likely (Floyd's algorithm).
    fn some(&self, volume: u64, chance: &mut SmallDraws) -> Vec<Vec<Leaf>> {
        let mut chosen = BTreeSet::new();
        for last in volume - self.rows..volume {
            let drawn = chance.below(last + 1);
            chosen.insert(if chosen.contains(&drawn) { last } else { drawn });
        }
        assert_eq!(
            chosen.len() as u64,
            self.rows,
            "as many different rows as the class has"
        );
        let row = |mut rest: u64| {
            let value = |side: &&Side| {
                let value = rest % side.values();
                rest /= side.values();
                side.leaf(value)
            };
            self.sides.iter().map(value).collect()
        };
        chosen.into_iter().map(row).collect()
    }
}
