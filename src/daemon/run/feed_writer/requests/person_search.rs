//! Finds the sealed objects that contain some people: an erasure searches all objects with rows,
//! which are hundreds of megabytes after a year. The thread of the loop reads them; all cores open
//! and search them.

use std::collections::BTreeSet;

use memchr::memmem::Finder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::engine::histogram::Person;
use crate::error::Result;
use crate::journal::{Log, Ref, SealedObject};

/// The most objects in memory while they are searched.
const SOME: usize = 16;
/// The most people who are searched separately, byte by byte, before an object is decoded.
const FEW: usize = 4;
/// The most people who are searched together, byte by byte: with more, most objects contain one of
/// them.
const SEVERAL: usize = 1024;

/// People who are searched in the bytes of objects, which contain the hash of a person as sixteen
/// bytes.
enum PersonSearch {
    Few(Vec<Finder<'static>>),
    Several {
        /// For each two bytes, whether a hash begins with them.
        begins: Vec<bool>,
        hashes: BTreeSet<[u8; 16]>,
    },
    /// Each object is decoded.
    Many,
}

/// What a missing object means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::feed_writer) enum Absent {
    /// It was forgotten, and contained nothing.
    Forgotten,
    /// The private root is damaged.
    Lost,
}

impl PersonSearch {
    fn new(people: &BTreeSet<Person>) -> PersonSearch {
        let hashes = people.iter().map(|person| person.0.to_le_bytes());
        if people.len() <= FEW {
            return PersonSearch::Few(hashes.map(|hash| Finder::new(&hash).into_owned()).collect());
        }
        if people.len() > SEVERAL {
            return PersonSearch::Many;
        }
        let mut begins = vec![false; 1 << 16];
        hashes.clone().for_each(|hash| begins[two(&hash)] = true);
        PersonSearch::Several {
            begins,
            hashes: hashes.collect(),
        }
    }

    /// Whether one of them can be in an object: never `false` if it contains one of their hashes.
    fn can_be_in(&self, content: &[u8]) -> bool {
        match self {
            PersonSearch::Few(finders) => {
                finders.iter().any(|finder| finder.find(content).is_some())
            }
            PersonSearch::Several { begins, hashes } => content
                .windows(16)
                .any(|bytes| begins[two(bytes)] && hashes.contains(bytes)),
            PersonSearch::Many => true,
        }
    }
}

/// The first two bytes as a number.
fn two(bytes: &[u8]) -> usize {
    usize::from(u16::from_le_bytes([bytes[0], bytes[1]]))
}

/// The results of searching those of these objects that contain one of these people, in order.
///
/// # Errors
/// An object is lost or was changed, or the store cannot be read.
pub(in crate::feed_writer) fn found_in<'o, T: Send>(
    log: &Log,
    (all, absent): (&'o [Ref], Absent),
    people: &BTreeSet<Person>,
    find: impl Fn(&Ref, &[u8]) -> Result<Option<T>> + Sync,
) -> Result<Vec<T>> {
    let (search, objects) = (PersonSearch::new(people), log.objects());
    let mut found = Vec::new();
    let read = |some: &'o [Ref]| {
        let sealed = some.iter().map(|object| match absent {
            Absent::Forgotten => objects.sealed(object),
            Absent::Lost => objects.needed(object).map(Some),
        });
        sealed
            .filter_map(Result::transpose)
            .collect::<Result<Vec<SealedObject<'o>>>>()
    };
    let look = |sealed: &SealedObject<'o>| {
        let content = objects.opened(sealed)?;
        if search.can_be_in(&content) {
            find(sealed.object(), &content)
        } else {
            Ok(None)
        }
    };
    let mut parts = all.chunks(SOME);
    let mut next = parts.next().map(read).transpose()?;
    // This thread reads objects while the others search the previous ones.
    while let Some(sealed) = next.take() {
        let mut looked: Vec<Result<Option<T>>> = Vec::new();
        let read = rayon::in_place_scope(|scope| {
            scope.spawn(|_| looked = sealed.par_iter().map(look).collect());
            parts.next().map(read).transpose()
        });
        found.extend(
            looked
                .into_iter()
                .collect::<Result<Vec<_>>>()?
                .into_iter()
                .flatten(),
        );
        next = read?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{FEW, PersonSearch, SEVERAL};
    use crate::engine::histogram::Person;

    #[test]
    fn a_hash_is_found_at_every_position() {
        let people = |count: u128| {
            (0..count).map(|number| Person(number.wrapping_mul(0x1234_5678_9ABC_DEF0_1357_9BDF)))
        };
        for count in [1, FEW, FEW + 1, SEVERAL, SEVERAL + 1] {
            let search = PersonSearch::new(&people(count as u128).collect());
            for person in people(count as u128).step_by(count / 16 + 1) {
                for before in 0..20 {
                    let content = [&vec![7; before][..], &person.0.to_le_bytes(), &[9; 5]].concat();
                    assert!(search.can_be_in(&content));
                    assert!(count > SEVERAL || !search.can_be_in(&content[..before + 15]));
                }
            }
        }
        assert!(!PersonSearch::new(&std::collections::BTreeSet::new()).can_be_in(&[0; 64]));
    }
}
