//! Halving with a coin (SCIENCE 11): the space of quasi columns is divided in two, and each part
//! again, as long as the number of people makes the split certain, or both parts are large enough
//! and a coin allows it. An undivided region is the label of an atom; a part with fewer people than
//! an atom needs waits.
//!
//! The possible splits follow from taxonomies and policy alone. So two populations that differ only
//! in where people of one atom are inside its label reach that label by the same splits, except for
//! the coins of the splits that were refused on the way: at most so many, in columns that no split
//! has divided since. This module cannot look at sensitive values, since its input has none.

use crate::histogram::Headcount;
use crate::model::Node;
use crate::policy::{Division, RegionSplit};

/// A region that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its label in each column.
    pub nodes: Vec<Node>,
    /// Its leaf tuples, by number, ascending.
    pub tuples: Vec<u32>,
    /// The number of people.
    pub people: u64,
}

/// The result of halving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halved {
    /// The published regions, of which none contains another, in preorder.
    pub classes: Vec<Region>,
    /// The leaf tuples of people who wait, ascending.
    pub waiting: Vec<u32>,
}

/// The rules by which a region is divided.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The number of classes from which on a region is always divided.
    pub certain: u64,
    /// The number of splits that may be refused on the way to a label.
    pub refusals: u32,
}

/// Divides all people. `coin` says whether a possible split is made: no one may be able to predict
/// it, or to learn it afterwards. It is called depth first, for the first part of a region before
/// the second.
///
/// Regions that are always divided are processed first, on all cores: below a region that is not,
/// there are none, so no coin is tossed among them.
pub fn crowds(
    people: &Headcount,
    division: &Division<'_>,
    effort: Effort,
    coin: &mut dyn FnMut() -> bool,
) -> Halved {
    let rows: Vec<u64> = (0..people.tuples())
        .map(|tuple| people.count(tuple))
        .collect();
    let course = Course {
        people,
        division,
        certain: effort.certain.saturating_mul(division.people()),
        rows,
    };
    let mut all: Vec<u32> = (0..people.tuples() as u32).collect();
    let all_rows = OpenRegion {
        nodes: division.root(),
        people: course.people_of(&all),
        tuples: &mut all,
    };
    let mut open = Vec::new();
    course.certain(all_rows, &mut open);
    let mut found = Halved {
        classes: Vec::new(),
        waiting: Vec::new(),
    };
    let closed = vec![false; division.trees().len()];
    for region in open {
        course.tossed(region, effort.refusals, &closed, coin, &mut found);
    }
    found.waiting.sort_unstable();
    let formed: u64 = found.classes.iter().map(|class| class.people).sum();
    assert!(
        formed + course.people_of(&found.waiting) == people.rows(),
        "each person is in one class or waits"
    );
    assert!(
        found
            .classes
            .iter()
            .all(|class| class.people >= division.people()),
        "classes are large enough"
    );
    found
}

/// The number of leaf tuples from which on both parts of a region are divided in parallel.
const MANY: usize = 1 << 12;

struct Course<'c> {
    people: &'c Headcount,
    division: &'c Division<'c>,
    /// The number of people from which on a region is always divided.
    certain: u64,
    /// The number of people of each leaf tuple.
    rows: Vec<u64>,
}

/// A region, its number of people, and its leaf tuples by number, ascending.
struct OpenRegion<'t> {
    nodes: Vec<Node>,
    people: u64,
    tuples: &'t mut [u32],
}

impl Course<'_> {
    fn people_of(&self, tuples: &[u32]) -> u64 {
        tuples.iter().map(|&tuple| self.rows[tuple as usize]).sum()
    }

    /// Divides a region as long as splits are certain; collects the results, the first part of each
    /// split before the second.
    fn certain<'t>(&self, region: OpenRegion<'t>, found: &mut Vec<OpenRegion<'t>>) {
        let first = (region.people >= self.certain)
            .then(|| self.division.splits(&region.nodes).into_iter().next());
        let Some(split) = first.flatten() else {
            found.push(region);
            return;
        };
        let many = region.tuples.len() >= MANY;
        let [first, second] = self.parts(region, split);
        if many {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            rayon::join(
                || self.certain(first, &mut before),
                || self.certain(second, &mut after),
            );
            found.extend(before.into_iter().chain(after));
        } else {
            self.certain(first, found);
            self.certain(second, found);
        }
    }

    /// Divides a region whose splits need coins. `left` refusals remain, and the columns in which
    /// splits were refused are closed.
    fn tossed(
        &self,
        region: OpenRegion<'_>,
        refusals: u32,
        closed: &[bool],
        coin: &mut dyn FnMut() -> bool,
        found: &mut Halved,
    ) {
        let OpenRegion {
            nodes,
            people,
            tuples,
        } = &region;
        if *people < self.division.people() {
            found.waiting.extend_from_slice(tuples);
            return;
        }
        let (mut left, mut closed) = (refusals, closed.to_vec());
        for split in self.division.splits(nodes) {
            if closed[split.column] {
                continue;
            }
            if left == 0 {
                break;
            }
            if self.is_clean(split, &region) && coin() {
                for part in self.parts(region, split) {
                    self.tossed(part, left, &closed, coin, found);
                }
                return;
            }
            (left, closed[split.column]) = (left - 1, true);
        }
        found.classes.push(Region {
            nodes: region.nodes,
            tuples: region.tuples.to_vec(),
            people: region.people,
        });
    }

    /// Whether each part has enough people for an atom, or none.
    fn is_clean(&self, split: RegionSplit, region: &OpenRegion<'_>) -> bool {
        let (leaves, end) = (self.people.column(split.column), self.end(split));
        let first = region
            .tuples
            .iter()
            .filter(|&&tuple| leaves[tuple as usize] < end);
        let first: u64 = first.map(|&tuple| self.rows[tuple as usize]).sum();
        [first, region.people - first]
            .iter()
            .all(|&part| part == 0 || part >= self.division.people())
    }

    /// The end of the first part's leaves.
    fn end(&self, split: RegionSplit) -> u32 {
        self.division.trees()[split.column]
            .leaf_range(split.parts[0])
            .end
    }

    /// The two parts of a region; leaf tuples keep their order, so that a loop over them reads
    /// memory sequentially.
    fn parts<'t>(&self, region: OpenRegion<'t>, split: RegionSplit) -> [OpenRegion<'t>; 2] {
        let (leaves, end) = (self.people.column(split.column), self.end(split));
        let OpenRegion {
            nodes,
            people,
            tuples,
        } = region;
        let (mut first, mut people_first, mut others) = (0, 0, Vec::new());
        for at in 0..tuples.len() {
            let tuple = tuples[at];
            if leaves[tuple as usize] < end {
                tuples[first] = tuple;
                (first, people_first) = (first + 1, people_first + self.rows[tuple as usize]);
            } else {
                others.push(tuple);
            }
        }
        assert!(
            people_first <= people,
            "a part has no more people than the whole"
        );
        tuples[first..].copy_from_slice(&others);
        let (first, second) = tuples.split_at_mut(first);
        let part = |at: usize| {
            let mut nodes = nodes.clone();
            nodes[split.column] = split.parts[at];
            nodes
        };
        let first = OpenRegion {
            nodes: part(0),
            people: people_first,
            tuples: first,
        };
        [
            first,
            OpenRegion {
                nodes: part(1),
                people: people - people_first,
                tuples: second,
            },
        ]
    }
}
