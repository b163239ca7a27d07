//! Numbers tuples of codes in the order in which they first appear. This is the one hash table of the engine: what comes
//! out of it is ordered by insertion, so no result depends on how anything hashed.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Distinct tuples of `width` codes, stored flat.
#[derive(Clone, Default)]
pub struct Tuples {
    width: usize,
    flat: Vec<u32>,
    table: HashTable<u32>,
}

const HASHER: FixedState = FixedState::with_seed(0x7469_6465);

impl Tuples {
    /// None yet.
    pub fn new(width: usize) -> Tuples {
        Tuples { width, flat: Vec::new(), table: HashTable::new() }
    }

    /// How many distinct tuples.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The tuple with this number.
    pub fn get(&self, number: u32) -> &[u32] {
        &self.flat[number as usize * self.width..][..self.width]
    }

    /// All of them, in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// The number of this tuple, if it was seen.
    pub fn find(&self, tuple: &[u32]) -> Option<u32> {
        self.table.find(HASHER.hash_one(tuple), |&number| self.get(number) == tuple).copied()
    }

    /// The number of this tuple; a new one is given the next.
    pub fn number(&mut self, tuple: &[u32]) -> u32 {
        debug_assert_eq!(tuple.len(), self.width);
        let (width, flat) = (self.width, &self.flat);
        let at = |number: u32| &flat[number as usize * width..][..width];
        let hash = HASHER.hash_one(tuple);
        if let Some(&number) = self.table.find(hash, |&number| at(number) == tuple) {
            return number;
        }
        let number = u32::try_from(self.table.len()).expect("fewer than 2^32 distinct tuples fit into memory");
        self.table.insert_unique(hash, number, |&number| HASHER.hash_one(at(number)));
        self.flat.extend_from_slice(tuple);
        number
    }

    /// The numbers in lexicographic order of their tuples.
    pub fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.get(a).cmp(self.get(b)));
        order
    }
}
