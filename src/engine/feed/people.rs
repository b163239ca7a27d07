//! Who was ever accepted (SCIENCE 3, repeats): a person is published at most once over a chain and all chains after it, so
//! whoever waits, is withheld or published brings nothing new with a second row.
//!
//! Nothing but keyed hashes is held here, and nothing depends on how they hash.

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use dashmap::DashMap;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::histogram::Person;

/// People from which on they are looked for on all cores.
const MANY: usize = 1 << 12;

/// Distinct people.
#[derive(Clone, Default)]
pub struct People(DashMap<Person, (), BuildHasherDefault<Slot>>);

/// Their hashes are keyed and uniform already.
#[derive(Clone, Default)]
struct Slot(u64);

impl Hasher for Slot {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a person is one number")
    }

    fn write_u128(&mut self, person: u128) {
        self.0 = person as u64;
    }
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
        self.0.insert(person, ()).is_none()
    }

    /// Takes all of them in, in their order; which of them are new. Each core has people of its own, so that of somebody who
    /// is there twice the first is the new one, however many cores there are.
    pub fn accept_all(&mut self, people: &[Person]) -> Vec<bool> {
        if people.len() < MANY {
            return people.iter().map(|&person| self.accept(person)).collect();
        }
        let cores = rayon::current_num_threads() as u128;
        let new = |core: u128| {
            let own = (0..).zip(people).filter(|(_, person)| (person.0 >> 64) % cores == core);
            own.filter_map(|(row, person)| self.0.insert(*person, ()).is_none().then_some(row)).collect::<Vec<usize>>()
        };
        let rows: Vec<Vec<usize>> = (0..cores).into_par_iter().map(new).collect();
        let mut new = vec![false; people.len()];
        rows.into_iter().flatten().for_each(|row| new[row] = true);
        new
    }

    /// Whether somebody is known.
    pub fn knows(&self, person: Person) -> bool {
        self.0.contains_key(&person)
    }

    /// Takes somebody out, so that they can come again; `false` if they are not known.
    pub fn forget(&mut self, person: Person) -> bool {
        self.0.remove(&person).is_some()
    }
}

impl PartialEq for People {
    fn eq(&self, other: &People) -> bool {
        self.len() == other.len() && self.0.iter().all(|person| other.knows(*person.key()))
    }
}

impl Serialize for People {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<Person> = self.0.iter().map(|person| *person.key()).collect();
        all.par_sort_unstable();
        serializer.collect_seq(all.iter().map(|person| person.0.to_le_bytes()))
    }
}

impl<'de> Deserialize<'de> for People {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<People, D::Error> {
        let all = Vec::<[u8; 16]>::deserialize(deserializer)?;
        let mut people = People(DashMap::with_capacity_and_hasher(all.len(), Default::default()));
        all.into_iter().for_each(|bytes| _ = people.accept(Person(u128::from_le_bytes(bytes))));
        Ok(people)
    }
}
