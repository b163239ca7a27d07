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
use crate::policy::{Division, Split};

/// When a region is divided.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Crowds from which on it is divided whatever comes of it.
    pub certain: u64,
    /// Splits that may be refused on the way to a label.
    pub refusals: u32,
}

/// Divides everybody. `coin` says whether a split that may be made is made: no one may foresee it, or learn it afterwards. It is
/// asked depth first, the first part of a region before the second.
pub fn crowds(people: &Headcount, division: &Division<'_>, effort: Effort, coin: &mut dyn FnMut() -> bool) -> Halved {
    let rows = (0..people.tuples()).map(|tuple| people.count(tuple)).collect();
    let mut all: Vec<u32> = (0..people.tuples() as u32).collect();
    let found = Halved { classes: Vec::new(), waiting: Vec::new() };
    let mut course = Course { people, division, certain: effort.certain, rows, coin, found };
    let closed = vec![false; division.trees().len()];
    course.region(&mut division.root(), &mut all, effort.refusals, &closed);
    let mut found = course.found;
    found.waiting.sort_unstable();
    found.classes.iter_mut().for_each(|class| class.tuples.sort_unstable());
    found
}

struct Course<'c> {
    people: &'c Headcount,
    division: &'c Division<'c>,
    certain: u64,
    /// People of each leaf tuple.
    rows: Vec<u64>,
    coin: &'c mut dyn FnMut() -> bool,
    found: Halved,
}

impl Course<'_> {
    /// What becomes of the people of a region. So many refusals are left, and these columns are closed by those that were.
    fn region(&mut self, nodes: &mut [Node], tuples: &mut [u32], refusals: u32, closed: &[bool]) {
        let crowd = self.division.people();
        let people: u64 = tuples.iter().map(|&tuple| self.rows[tuple as usize]).sum();
        if people < crowd {
            self.found.waiting.extend_from_slice(tuples);
            return;
        }
        let splits = self.division.splits(nodes);
        let (mut left, mut closed) = (refusals, closed.to_vec());
        if let Some(&first) = splits.first()
            && people >= self.certain.saturating_mul(crowd)
        {
            return self.divide(first, nodes, tuples, left, &closed);
        }
        for split in splits {
            if closed[split.column] {
                continue;
            }
            if left == 0 {
                break;
            }
            if self.is_clean(split, tuples, people) && (self.coin)() {
                return self.divide(split, nodes, tuples, left, &closed);
            }
            (left, closed[split.column]) = (left - 1, true);
        }
        self.found.classes.push(Region { nodes: nodes.to_vec(), tuples: tuples.to_vec(), people });
    }

    /// Whether no part has people who are fewer than an atom needs.
    fn is_clean(&self, split: Split, tuples: &[u32], people: u64) -> bool {
        let (leaves, end) = (self.people.column(split.column), self.end(split));
        let first = tuples.iter().filter(|&&tuple| leaves[tuple as usize] < end);
        let first: u64 = first.map(|&tuple| self.rows[tuple as usize]).sum();
        [first, people - first].iter().all(|&part| part == 0 || part >= self.division.people())
    }

    /// The first leaf that is not of the first part.
    fn end(&self, split: Split) -> u32 {
        self.division.trees()[split.column].leaf_range(split.parts[0]).end
    }

    fn divide(&mut self, split: Split, nodes: &mut [Node], tuples: &mut [u32], refusals: u32, closed: &[bool]) {
        let (leaves, end) = (self.people.column(split.column), self.end(split));
        let mut first = 0;
        for at in 0..tuples.len() {
            if leaves[tuples[at] as usize] < end {
                tuples.swap(first, at);
                first += 1;
            }
        }
        let (first, second) = tuples.split_at_mut(first);
        let whole = nodes[split.column];
        for (part, tuples) in split.parts.into_iter().zip([first, second]) {
            nodes[split.column] = part;
            self.region(nodes, tuples, refusals, closed);
        }
        nodes[split.column] = whole;
    }
}
