//! All people who were ever accepted (SCIENCE 3, repeats): a person is published at most once over
//! a chain and all chains after it, so a second row of a person who waits or is published adds
//! nothing.
//!
//! Only keyed hashes are stored here, and no result depends on how they hash.

use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use dashmap::DashMap;
use rayon::prelude::*;
use serde::de::{self, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::histogram::Person;

/// From this number of people on, all cores look them up.
const MANY: usize = 1 << 12;

/// Distinct people, in small lists by the first bits of their hashes: each list is sorted and grows
/// by an eighth, so that a person takes hardly more memory than the bytes of a hash, and no large
/// table is ever rebuilt.
#[derive(Clone, Default)]
pub struct People(DashMap<First, Vec<Person>, BuildHasherDefault<Slot>>);

/// The first bits of a hash.
type First = u16;

fn first(person: Person) -> First {
    (person.0 >> 112) as First
}

/// The key of a list.
#[derive(Clone, Default)]
struct Slot(u64);

impl Hasher for Slot {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a list has a number")
    }

    fn write_u16(&mut self, first: u16) {
        // Spread over all bits, because the table uses the upper ones and the lower ones.
        self.0 = u64::from(first).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "People({})", self.len())
    }
}

/// Inserts a person in order; `false` if they are in the list.
fn put(list: &mut Vec<Person>, person: Person) -> bool {
    let Err(at) = list.binary_search(&person) else {
        return false;
    };
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 4);
    }
    list.insert(at, person);
    assert!(
        list[..at].last().is_none_or(|before| *before < person),
        "a list ascends"
    );
    assert!(
        list.get(at + 1).is_none_or(|after| person < *after),
        "a list ascends"
    );
    true
}

impl People {
    /// The number of people.
    pub fn len(&self) -> usize {
        self.0.iter().map(|list| list.len()).sum()
    }

    /// Whether there are no people.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|list| list.is_empty())
    }

    /// Adds a person; `false` if they are known.
    pub fn accept(&mut self, person: Person) -> bool {
        self.take(person)
    }

    fn take(&self, person: Person) -> bool {
        put(&mut self.0.entry(first(person)).or_default(), person)
    }

    /// Adds all of them, in order; returns which of them are new. Each core handles people of its
    /// own, so that of two rows of one person the first is the new one, whatever the number of
    /// cores.
    pub fn accept_all(&mut self, people: &[Person]) -> Vec<bool> {
        if people.len() < MANY {
            return people.iter().map(|&person| self.take(person)).collect();
        }
        let cores = rayon::current_num_threads();
        let new = |core: usize| {
            let own = (0..)
                .zip(people)
                .filter(|(_, person)| usize::from(first(**person)) % cores == core);
            own.filter_map(|(row, person)| self.take(*person).then_some(row))
                .collect::<Vec<usize>>()
        };
        let rows: Vec<Vec<usize>> = (0..cores).into_par_iter().map(new).collect();
        let mut new = vec![false; people.len()];
        let many: usize = rows.iter().map(Vec::len).sum();
        rows.into_iter().flatten().for_each(|row| new[row] = true);
        assert_eq!(
            new.iter().filter(|new| **new).count(),
            many,
            "each row belongs to one core"
        );
        new
    }

    /// Whether a person is known.
    pub fn knows(&self, person: Person) -> bool {
        self.0
            .get(&first(person))
            .is_some_and(|list| list.binary_search(&person).is_ok())
    }

    /// Removes a person, so that they can come again; `false` if they are not known.
    pub fn forget(&mut self, person: Person) -> bool {
        let Some(mut list) = self.0.get_mut(&first(person)) else {
            return false;
        };
        let Ok(at) = list.binary_search(&person) else {
            return false;
        };
        let removed = list.remove(at);
        assert!(
            removed == person,
            "the list forgets this person and no other"
        );
        true
    }
}

impl PartialEq for People {
    fn eq(&self, other: &People) -> bool {
        self.len() == other.len()
            && self.0.iter().all(|list| {
                list.is_empty() || other.0.get(list.key()).is_some_and(|other| *other == *list)
            })
    }
}

/// A list as bytes, person after person.
struct List(Vec<Person>);

/// The bytes of a person.
const WIDTH: usize = 16;

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self
            .0
            .iter()
            .flat_map(|person| person.0.to_le_bytes())
            .collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<List, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = List;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("people with the same first bits, in order")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<List, E> {
                let (people, rest) = bytes.as_chunks::<WIDTH>();
                let people: Vec<Person> = people
                    .iter()
                    .map(|&bytes| Person(u128::from_le_bytes(bytes)))
                    .collect();
                let follow = |two: &[Person]| two[0] < two[1] && first(two[0]) == first(two[1]);
                match rest.is_empty() && !people.is_empty() && people.windows(2).all(follow) {
                    true => Ok(List(people)),
                    false => Err(E::invalid_value(de::Unexpected::Bytes(&[]), &self)),
                }
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

impl Serialize for People {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lists = self.0.iter().filter(|list| !list.is_empty());
        let mut firsts: Vec<First> = lists.map(|list| *list.key()).collect();
        firsts.sort_unstable();
        let mut all = serializer.serialize_seq(Some(firsts.len()))?;
        assert!(
            firsts.is_sorted_by(|one, next| one < next),
            "a list for each of the first bits"
        );
        for list in firsts.into_iter().filter_map(|first| self.0.get(&first)) {
            all.serialize_element(&List(list.clone()))?;
        }
        all.end()
    }
}

impl<'de> Deserialize<'de> for People {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<People, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = People;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("people")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<People, A::Error> {
                let people = People::default();
                while let Some(List(list)) = all.next_element()? {
                    people.0.insert(first(list[0]), list);
                }
                Ok(people)
            }
        }
        deserializer.deserialize_seq(All)
    }
}
