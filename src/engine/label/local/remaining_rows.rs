//! The people who are in no class yet, grouped by their labels in a state. Holds the numbers of
//! leaf tuples (`paths`) with their numbers of people.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use super::paths::LayerBits;
use crate::model::RecordHasher;

const HASHER: RecordHasher = RecordHasher;

/// People with the same labels in a state.
pub(super) struct LabelGroup {
    /// Their leaf tuples, ascending.
    pub tuples: Vec<u32>,
    /// The number of people.
    pub people: u64,
}

/// The people who are in no class yet.
pub(super) struct RemainingRows {
    words: usize,
    tuples: Vec<u32>,
    people: Vec<u64>,
    /// The numbers of their leaf tuples, one after the other.
    numbers: Vec<u64>,
    /// For each group the index of its first tuple and its number of people; only the capacity is
    /// kept between two queries.
    groups: HashTable<(u32, u64)>,
}

impl RemainingRows {
    /// From all people: a leaf tuple each, and how many people it has.
    pub(super) fn new<L: Iterator<Item = u32>>(
        paths: &LayerBits,
        all_rows: impl Iterator<Item = (L, u64)>,
    ) -> RemainingRows {
        let (mut people, mut numbers) = (Vec::new(), Vec::new());
        for (leaves, count) in all_rows {
            people.push(count);
            numbers.extend(paths.number(leaves));
        }
        assert!(
            numbers.len() == people.len() * paths.words(),
            "a number for each tuple"
        );
        let tuples = (0..people.len() as u32).collect();
        RemainingRows {
            words: paths.words(),
            tuples,
            people,
            numbers,
            groups: HashTable::new(),
        }
    }

    /// Their leaf tuples, ascending.
    pub(super) fn tuples(&self) -> &[u32] {
        &self.tuples
    }

    /// The number of people.
    pub(super) fn people(&self) -> u64 {
        self.people.iter().sum()
    }

    /// Whether at least `k` of them have the same labels.
    pub(super) fn forms(&mut self, mask: &[u64], k: u64) -> bool {
        let RemainingRows {
            words,
            numbers,
            groups,
            ..
        } = self;
        let labels = Labels {
            words: *words,
            numbers,
            mask,
        };
        groups.clear();
        self.people
            .iter()
            .zip(0..)
            .any(|(people, at)| labels.add(groups, at, *people) >= k)
    }

    /// Removes all groups of at least `k` people.
    pub(super) fn take(&mut self, mask: &[u64], k: u64) -> Vec<LabelGroup> {
        let RemainingRows {
            words,
            numbers,
            groups,
            ..
        } = self;
        let labels = Labels {
            words: *words,
            numbers,
            mask,
        };
        groups.clear();
        self.people
            .iter()
            .zip(0..)
            .for_each(|(people, at)| _ = labels.add(groups, at, *people));
        let mut taken: Vec<LabelGroup> = Vec::new();
        // For each removed tuple, its group.
        let mut group_of = vec![None; self.tuples.len()];
        for (&tuple, at) in self.tuples.iter().zip(0..) {
            let &(first, people) = labels.find(groups, at).expect("each row is in a group");
            if people >= k {
                if first == at {
                    group_of[at as usize] = Some(taken.len());
                    taken.push(LabelGroup {
                        tuples: Vec::new(),
                        people,
                    });
                }
                group_of[at as usize] = group_of[first as usize];
                taken[group_of[at as usize].expect("the first one is in a group")]
                    .tuples
                    .push(tuple);
            }
        }
        let before = self.people();
        self.keep(|at| group_of[at].is_none());
        let gone: u64 = taken.iter().map(|group| group.people).sum();
        assert!(
            before == self.people() + gone,
            "each row is taken once or is left"
        );
        assert!(
            taken.iter().all(|group| group.people >= k),
            "groups are large enough"
        );
        taken
    }

    fn keep(&mut self, stays: impl Fn(usize) -> bool) {
        let stay: Vec<usize> = (0..self.tuples.len()).filter(|&at| stays(at)).collect();
        self.tuples = stay.iter().map(|&at| self.tuples[at]).collect();
        self.people = stay.iter().map(|&at| self.people[at]).collect();
        self.numbers = stay
            .iter()
            .flat_map(|&at| &self.numbers[at * self.words..][..self.words])
            .copied()
            .collect();
        // The table is cleared for every query, so it should be no larger than necessary.
        self.groups = HashTable::with_capacity(self.tuples.len());
    }
}

/// The labels of each person in a state.
#[derive(Clone, Copy)]
struct Labels<'l> {
    words: usize,
    numbers: &'l [u64],
    mask: &'l [u64],
}

impl Labels<'_> {
    fn of(&self, at: u32) -> impl Iterator<Item = u64> {
        let number = &self.numbers[at as usize * self.words..][..self.words];
        number.iter().zip(self.mask).map(|(word, mask)| word & mask)
    }

    fn hash(&self, at: u32) -> u64 {
        let mut hasher = HASHER.build_hasher();
        self.of(at).for_each(|word| hasher.write_u64(word));
        hasher.finish()
    }

    /// Adds people to their group, and returns the group's new number of people.
    fn add(&self, groups: &mut HashTable<(u32, u64)>, at: u32, people: u64) -> u64 {
        let same = |group: &(u32, u64)| self.of(group.0).eq(self.of(at));
        let group = groups
            .entry(self.hash(at), same, |group| self.hash(group.0))
            .or_insert((at, 0))
            .into_mut();
        group.1 += people;
        group.1
    }

    fn find<'g>(&self, groups: &'g HashTable<(u32, u64)>, at: u32) -> Option<&'g (u32, u64)> {
        groups.find(self.hash(at), |group| self.of(group.0).eq(self.of(at)))
    }
}
