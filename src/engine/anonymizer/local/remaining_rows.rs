//! The people who remain in no class, and which of them share their labels in a state. It holds numbers of leaf tuples (`paths`) and how
//! many people they are.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::paths::LayerBits;

const HASHER: FixedState = FixedState::with_seed(0x6c65_6674);

/// People who share their labels in a state.
pub struct LabelGroup {
    /// Their leaf tuples, ascending.
    pub tuples: Vec<u32>,
    /// How many people.
    pub people: u64,
}

/// The people who remain.
pub struct RemainingRows {
    words: usize,
    tuples: Vec<u32>,
    people: Vec<u64>,
    /// The numbers of their leaf tuples, one after the other.
    numbers: Vec<u64>,
    /// Per group the place of its first tuple and how many people it has; between two looks only its room is kept.
    groups: HashTable<(u32, u64)>,
}

impl RemainingRows {
    /// All people: a leaf tuple each and how many people.
    pub fn new<L: Iterator<Item = u32>>(paths: &LayerBits, all_rows: impl Iterator<Item = (L, u64)>) -> RemainingRows {
        let (mut people, mut numbers) = (Vec::new(), Vec::new());
        for (leaves, count) in all_rows {
            people.push(count);
            numbers.extend(paths.number(leaves));
        }
        assert!(numbers.len() == people.len() * paths.words(), "a number for each tuple");
        let tuples = (0..people.len() as u32).collect();
        RemainingRows { words: paths.words(), tuples, people, numbers, groups: HashTable::new() }
    }

    /// Their leaf tuples, ascending.
    pub fn tuples(&self) -> &[u32] {
        &self.tuples
    }

    /// How many people.
    pub fn people(&self) -> u64 {
        self.people.iter().sum()
    }

    /// Whether at least `k` of them share their labels.
    pub fn forms(&mut self, mask: &[u64], k: u64) -> bool {
        let RemainingRows { words, numbers, groups, .. } = self;
        let labels = Labels { words: *words, numbers, mask };
        groups.clear();
        self.people.iter().zip(0..).any(|(people, at)| labels.add(groups, at, *people) >= k)
    }

    /// Takes all groups of at least `k` people away.
    pub fn take(&mut self, mask: &[u64], k: u64) -> Vec<LabelGroup> {
        let RemainingRows { words, numbers, groups, .. } = self;
        let labels = Labels { words: *words, numbers, mask };
        groups.clear();
        self.people.iter().zip(0..).for_each(|(people, at)| _ = labels.add(groups, at, *people));
        let mut taken: Vec<LabelGroup> = Vec::new();
        // Of each that is taken, its group.
        let mut group_of = vec![None; self.tuples.len()];
        for (&tuple, at) in self.tuples.iter().zip(0..) {
            let &(first, people) = labels.find(groups, at).expect("each row is in a group");
            if people >= k {
                if first == at {
                    group_of[at as usize] = Some(taken.len());
                    taken.push(LabelGroup { tuples: Vec::new(), people });
                }
                group_of[at as usize] = group_of[first as usize];
                taken[group_of[at as usize].expect("the first one is in a group")].tuples.push(tuple);
            }
        }
        let before = self.people();
        self.keep(|at| group_of[at].is_none());
        let gone: u64 = taken.iter().map(|group| group.people).sum();
        assert!(before == self.people() + gone, "each row is taken once or is left");
        assert!(taken.iter().all(|group| group.people >= k), "groups are large enough");
        taken
    }

    fn keep(&mut self, stays: impl Fn(usize) -> bool) {
        let stay: Vec<usize> = (0..self.tuples.len()).filter(|&at| stays(at)).collect();
        self.tuples = stay.iter().map(|&at| self.tuples[at]).collect();
        self.people = stay.iter().map(|&at| self.people[at]).collect();
        self.numbers = stay.iter().flat_map(|&at| &self.numbers[at * self.words..][..self.words]).copied().collect();
        // What is emptied for every look should not be larger than it must.
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

    /// Adds people to their group, and says how many it has.
    fn add(&self, groups: &mut HashTable<(u32, u64)>, at: u32, people: u64) -> u64 {
        let same = |group: &(u32, u64)| self.of(group.0).eq(self.of(at));
        let group = groups.entry(self.hash(at), same, |group| self.hash(group.0)).or_insert((at, 0)).into_mut();
        group.1 += people;
        group.1
    }

    fn find<'g>(&self, groups: &'g HashTable<(u32, u64)>, at: u32) -> Option<&'g (u32, u64)> {
        groups.find(self.hash(at), |group| self.of(group.0).eq(self.of(at)))
    }
}
