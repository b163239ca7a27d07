//! Numbers tuples of codes in the order in which they first appear. This is the only hash table of
//! the engine: its output is in insertion order, so no result depends on hashing.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::RecordHasher;

/// Distinct tuples of `width` codes, stored flat.
#[derive(Clone, Default)]
pub struct Tuples {
    width: usize,
    number: u32,
    /// Tuples before this number are forgotten.
    from: u32,
    flat: Vec<u32>,
    /// The known tuples; empty while there are at most [`FEW`].
    table: HashTable<u32>,
}

/// For up to this many tuples a linear search is faster.
const FEW: u32 = 8;

const HASHER: RecordHasher = RecordHasher;

impl Tuples {
    /// Starts empty.
    pub fn new(width: usize) -> Tuples {
        Tuples {
            width,
            number: 0,
            from: 0,
            flat: Vec::new(),
            table: HashTable::new(),
        }
    }

    /// The number of distinct tuples.
    pub fn len(&self) -> usize {
        self.number as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// Forgets all tuples: when they appear again, they get new numbers. Numbers given earlier stay
    /// valid.
    pub fn turn(&mut self) {
        self.table.clear();
        self.from = self.number;
    }

    /// The tuple with this number.
    pub fn get(&self, number: u32) -> &[u32] {
        &self.flat[number as usize * self.width..][..self.width]
    }

    /// All of them, in order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// The number of this tuple, if it appeared.
    pub fn find(&self, tuple: &[u32]) -> Option<u32> {
        assert_eq!(tuple.len(), self.width, "tuples of one width");
        if self.number - self.from <= FEW {
            let is = |number: &u32| {
                let known = self.get(*number);
                known.first() == tuple.first() && known == tuple
            };
            return (self.from..self.number).find(is);
        }
        self.table
            .find(HASHER.hash_one(tuple), |&number| self.get(number) == tuple)
            .copied()
    }

    /// The number of this tuple; a new one gets the next number.
    pub fn number(&mut self, tuple: &[u32]) -> u32 {
        assert_eq!(tuple.len(), self.width);
        if let Some(number) = self.find(tuple) {
            return number;
        }
        let number = self.number;
        self.number = number
            .checked_add(1)
            .expect("fewer than 2^32 distinct tuples fit into memory");
        if number == 0 {
            self.flat.reserve(self.width * 4 * FEW as usize);
        }
        self.flat.extend_from_slice(tuple);
        let known = self.number - self.from;
        if known > FEW {
            let (width, flat) = (self.width, &self.flat);
            let hash = |&number: &u32| HASHER.hash_one(&flat[number as usize * width..][..width]);
            let unlisted = if known == FEW + 1 {
                self.from..self.number
            } else {
                number..self.number
            };
            for number in unlisted {
                self.table.insert_unique(hash(&number), number, hash);
            }
        }
        number
    }

    /// The numbers in lexicographic order of their tuples.
    pub fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.get(a).cmp(self.get(b)));
        order
    }
}
