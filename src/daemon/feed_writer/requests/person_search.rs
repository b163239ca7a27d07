//! Which sealed objects name some people: an erasure looks through all that hold rows, which are hundreds of megabytes after a year. The
//! thread of the loop reads them; all cores open them and look.

use std::collections::BTreeSet;

use memchr::memmem::Finder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::super::work::Live;
use crate::daemon::error::Result;
use crate::daemon::journal::{Ref, SealedObject};
use crate::engine::histogram::Person;

/// Objects that are in memory at once while they are looked through.
const SOME: usize = 16;
/// People that are looked for byte by byte, before an object is taken apart.
const FEW: usize = 8;

/// People who are looked for in the bytes of objects.
struct PersonSearch(Option<Vec<Finder<'static>>>);

/// What it means that an object is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::daemon::feed_writer) enum Absent {
    /// It is forgotten, and holds nothing.
    Forgotten,
    /// The private root is damaged.
    Lost,
}

impl PersonSearch {
    fn new(people: &BTreeSet<Person>) -> PersonSearch {
        // An object holds the hash of a person as these bytes.
        let finder = |person: &Person| Finder::new(&person.0.to_le_bytes()).into_owned();
        PersonSearch((people.len() <= FEW).then(|| people.iter().map(finder).collect()))
    }

    /// Whether one of them can be in an object: never `false` for one that holds a hash of theirs.
    fn can_be_in(&self, content: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|finders| finders.iter().any(|finder| finder.find(content).is_some()))
    }
}

impl Live {
    /// What is found in those of these objects that name one of these people, in their order.
    ///
    /// # Errors
    /// An object is lost or was changed, or the store cannot be read.
    pub(in crate::daemon::feed_writer) fn found_in<'o, T: Send>(
        &self,
        (all, absent): (&'o [Ref], Absent),
        people: &BTreeSet<Person>,
        find: impl Fn(&Ref, &[u8]) -> Result<Option<T>> + Sync,
    ) -> Result<Vec<T>> {
        let (search, objects) = (PersonSearch::new(people), self.log.objects());
        let mut found = Vec::new();
        let read = |some: &'o [Ref]| {
            let sealed = some.iter().map(|object| match absent {
                Absent::Forgotten => objects.sealed(object),
                Absent::Lost => objects.needed(object).map(Some),
            });
            sealed.filter_map(Result::transpose).collect::<Result<Vec<SealedObject<'o>>>>()
        };
        let look = |sealed: &SealedObject<'o>| {
            let content = objects.opened(sealed)?;
            if search.can_be_in(&content) { find(sealed.object(), &content) } else { Ok(None) }
        };
        let mut parts = all.chunks(SOME);
        let mut next = parts.next().map(read).transpose()?;
        // This thread reads some while the others look through those before.
        while let Some(sealed) = next.take() {
            let mut looked: Vec<Result<Option<T>>> = Vec::new();
            let read = rayon::in_place_scope(|scope| {
                scope.spawn(|_| looked = sealed.par_iter().map(look).collect());
                parts.next().map(read).transpose()
            });
            found.extend(looked.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten());
            next = read?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, PersonSearch};
    use crate::engine::histogram::Person;

    #[test]
    fn a_hash_is_found_wherever_it_lies() {
        let people =
            |count: u128| (0..count).map(|number| Person(number.wrapping_mul(0x1234_5678_9ABC_DEF0_1357_9BDF)));
        for count in [1, FEW as u128, FEW as u128 + 1] {
            let search = PersonSearch::new(&people(count).collect());
            for person in people(count) {
                for before in 0..40 {
                    let content = [&vec![7; before][..], &person.0.to_le_bytes(), &[9; 5]].concat();
                    assert!(search.can_be_in(&content));
                    assert!(count > FEW as u128 || !search.can_be_in(&content[..before + 15]));
                }
            }
        }
        assert!(!PersonSearch::new(&std::collections::BTreeSet::new()).can_be_in(&[0; 64]));
    }
}
