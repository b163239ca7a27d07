//! Halving with a coin (SCIENCE 11): the space of quasi columns is divided in two, and each part again, while that is certain by
//! how many people there are, or while both parts are large enough and a coin says yes. What is left undivided is the label of an
//! atom; a part with fewer people than an atom needs waits.
//!
//! What can be divided follows from taxonomies and policy alone. So two populations that differ only in where people of one atom
//! lie inside its label come to it by the same splits, but for the coins of those that were refused on the way: so many, of
//! columns that nothing has divided since, and no more. Nothing here could look at a sensitive value: there is none in what it is
//! given.

use super::halves::{Halved, Region};
use crate::histogram::Headcount;
use crate::model::Node;
use crate::policy::{Division, RegionSplit};

/// When a region is divided.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Classes from which on it is divided whatever comes of it.
    pub certain: u64,
    /// Splits that may be refused on the way to a label.
    pub refusals: u32,
}

/// Divides all people. `coin` says whether a split that may be made is made: no one may foresee it, or learn it afterwards. It is
/// asked depth first, the first part of a region before the second.
///
/// Regions that are divided whatever comes of it come first, on all cores: below one that is not, none is, so that no coin is tossed
/// among them.
pub fn crowds(people: &Headcount, division: &Division<'_>, effort: Effort, coin: &mut dyn FnMut() -> bool) -> Halved {
    let rows: Vec<u64> = (0..people.tuples()).map(|tuple| people.count(tuple)).collect();
    let course = Course { people, division, certain: effort.certain.saturating_mul(division.people()), rows };
    let mut all: Vec<u32> = (0..people.tuples() as u32).collect();
    let all_rows = OpenRegion { nodes: division.root(), people: course.people_of(&all), tuples: &mut all };
    let mut open = Vec::new();
    course.certain(all_rows, &mut open);
    let mut found = Halved { classes: Vec::new(), waiting: Vec::new() };
    let closed = vec![false; division.trees().len()];
    for region in open {
        course.tossed(region, effort.refusals, &closed, coin, &mut found);
    }
    found.waiting.sort_unstable();
    let formed: u64 = found.classes.iter().map(|class| class.people).sum();
    assert!(formed + course.people_of(&found.waiting) == people.rows(), "each person is in one class or waits");
    assert!(found.classes.iter().all(|class| class.people >= division.people()), "classes are large enough");
    found
}

/// Leaf tuples from which on both parts of a region are divided at the same time.
const MANY: usize = 1 << 12;

struct Course<'c> {
    people: &'c Headcount,
    division: &'c Division<'c>,
    /// People of a region from which on it is divided whatever comes of it.
    certain: u64,
    /// People of each leaf tuple.
    rows: Vec<u64>,
}

/// A region, its people, and their leaf tuples by number, ascending.
struct OpenRegion<'t> {
    nodes: Vec<Node>,
    people: u64,
    tuples: &'t mut [u32],
}

impl Course<'_> {
    fn people_of(&self, tuples: &[u32]) -> u64 {
        tuples.iter().map(|&tuple| self.rows[tuple as usize]).sum()
    }

    /// Divides a region as far as that is certain; what comes of it, the first part of each division before the second.
    fn certain<'t>(&self, region: OpenRegion<'t>, found: &mut Vec<OpenRegion<'t>>) {
        let first = (region.people >= self.certain).then(|| self.division.splits(&region.nodes).into_iter().next());
        let Some(split) = first.flatten() else {
            found.push(region);
            return;
        };
        let many = region.tuples.len() >= MANY;
        let [first, second] = self.parts(region, split);
        if many {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            rayon::join(|| self.certain(first, &mut before), || self.certain(second, &mut after));
            found.extend(before.into_iter().chain(after));
        } else {
            self.certain(first, found);
            self.certain(second, found);
        }
    }

    /// What becomes of the people of a region that is not divided for certain. So many refusals are left, and these columns are
    /// closed by those that were.
    fn tossed(
        &self,
        region: OpenRegion<'_>,
        refusals: u32,
        closed: &[bool],
        coin: &mut dyn FnMut() -> bool,
        found: &mut Halved,
    ) {
        let OpenRegion { nodes, people, tuples } = &region;
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
        found.classes.push(Region { nodes: region.nodes, tuples: region.tuples.to_vec(), people: region.people });
    }

    /// Whether no part has people who are fewer than an atom needs.
    fn is_clean(&self, split: RegionSplit, region: &OpenRegion<'_>) -> bool {
        let (leaves, end) = (self.people.column(split.column), self.end(split));
        let first = region.tuples.iter().filter(|&&tuple| leaves[tuple as usize] < end);
        let first: u64 = first.map(|&tuple| self.rows[tuple as usize]).sum();
        [first, region.people - first].iter().all(|&part| part == 0 || part >= self.division.people())
    }

    /// The first leaf that is not of the first part.
    fn end(&self, split: RegionSplit) -> u32 {
        self.division.trees()[split.column].leaf_range(split.parts[0]).end
    }

    /// The two parts of a region; leaf tuples stay in their order, so that a loop over all of them goes through memory once.
    fn parts<'t>(&self, region: OpenRegion<'t>, split: RegionSplit) -> [OpenRegion<'t>; 2] {
        let (leaves, end) = (self.people.column(split.column), self.end(split));
        let OpenRegion { nodes, people, tuples } = region;
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
        assert!(people_first <= people, "a part has no more people than the whole");
        tuples[first..].copy_from_slice(&others);
        let (first, second) = tuples.split_at_mut(first);
        let part = |at: usize| {
            let mut nodes = nodes.clone();
            nodes[split.column] = split.parts[at];
            nodes
        };
        let first = OpenRegion { nodes: part(0), people: people_first, tuples: first };
        [first, OpenRegion { nodes: part(1), people: people - people_first, tuples: second }]
    }
}
