//! Who was ever accepted (SCIENCE 3, repeats): a person is published at most once over a chain and all chains after it, so
//! whoever waits, is withheld or published brings nothing new with a second row.
//!
//! Nothing but keyed hashes is held here, and nothing depends on how they hash.

use std::fmt;

use hashbrown::HashTable;
use rayon::slice::ParallelSliceMut;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::histogram::Person;

/// Distinct people.
#[derive(Clone, Default)]
pub struct People(HashTable<Person>);

/// Their hashes are keyed and uniform already.
fn slot(person: &Person) -> u64 {
    person.0 as u64
}

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "People({})", self.0.len())
    }
}

impl People {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes somebody in; `false` if they are known.
    pub fn accept(&mut self, person: Person) -> bool {
        if self.knows(person) {
            return false;
        }
        self.0.insert_unique(slot(&person), person, slot);
        true
    }

    /// Whether somebody is known.
    pub fn knows(&self, person: Person) -> bool {
        self.0.find(slot(&person), |known| *known == person).is_some()
    }

    /// Takes somebody out, so that they can come again; `false` if they are not known.
    pub fn forget(&mut self, person: Person) -> bool {
        self.0.find_entry(slot(&person), |known| *known == person).map(|entry| entry.remove()).is_ok()
    }
}

impl PartialEq for People {
    fn eq(&self, other: &People) -> bool {
        let known = |person: &Person| other.0.find(slot(person), |known| known == person).is_some();
        self.len() == other.len() && self.0.iter().all(known)
    }
}

impl Serialize for People {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<Person> = self.0.iter().copied().collect();
        all.par_sort_unstable();
        serializer.collect_seq(all.iter().map(|person| person.0.to_le_bytes()))
    }
}

impl<'de> Deserialize<'de> for People {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<People, D::Error> {
        let all = Vec::<[u8; 16]>::deserialize(deserializer)?;
        let mut people = People(HashTable::with_capacity(all.len()));
        all.into_iter().for_each(|bytes| _ = people.accept(Person(u128::from_le_bytes(bytes))));
        Ok(people)
    }
}
