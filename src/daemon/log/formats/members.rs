//! The members of the published atoms of a chain of crowds (SCIENCE 11, erasure): keyed hashes
//! under the published labels, and nothing else. They outlast the raw rows, so that the whole atom
//! of a person can be erased as long as the feed exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::erased_atoms::LabelTexts;
use super::sealed_format::SealedFormat;
use crate::engine::feed::Increment;
use crate::engine::histogram::Person;
use crate::engine::model::{Leaf, Taxonomy};
use crate::error::Result;
use crate::wiped_bytes::WipedBytes;

/// The people of the atoms that a tick formed.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct AtomMembers {
    atoms: Vec<(LabelTexts, Vec<[u8; 16]>)>,
}

impl fmt::Debug for AtomMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({} atoms)", self.atoms.len())
    }
}

impl AtomMembers {
    /// From the atoms that a tick formed; `None` if their rows have no people.
    pub fn of(formed: &Increment, trees: &[&Taxonomy]) -> Option<AtomMembers> {
        let finder = formed.labels.as_ref()?.finder(trees);
        let mut found: BTreeMap<LabelTexts, Vec<[u8; 16]>> = BTreeMap::new();
        for (_, rows) in formed.people.iter() {
            for (row, person) in rows.people().unwrap_or_default().iter().enumerate() {
                let leaves: Vec<Leaf> = rows.tuple_at(row).collect();
                let (_, class) = finder.class(&leaves).expect("atoms hold their people");
                let label = class
                    .iter()
                    .zip(trees)
                    .map(|(&node, tree)| tree.label(node).into())
                    .collect();
                found.entry(label).or_default().push(person.0.to_le_bytes());
            }
        }
        // Sorted, so that the order does not show which row is whose.
        found.values_mut().for_each(|people| people.sort_unstable());
        let atoms: Vec<(LabelTexts, Vec<[u8; 16]>)> = found.into_iter().collect();
        Some(AtomMembers { atoms }).filter(|members| !members.atoms.is_empty())
    }

    /// The labels of the atoms of these people.
    pub fn labels_of<'m>(
        &'m self,
        people: &'m BTreeSet<Person>,
    ) -> impl Iterator<Item = &'m LabelTexts> {
        let meets = |of: &[[u8; 16]]| of.iter().any(|person| people.contains(&person_of(person)));
        self.atoms
            .iter()
            .filter(move |(_, of)| meets(of))
            .map(|(label, _)| label)
    }

    /// The people of the atoms with these labels.
    pub fn people_of<'m>(
        &'m self,
        labels: &'m BTreeSet<LabelTexts>,
    ) -> impl Iterator<Item = Person> {
        let atoms = self
            .atoms
            .iter()
            .filter(|(label, _)| labels.contains(label));
        atoms.flat_map(|(_, people)| people.iter().map(person_of))
    }

    /// The other atoms; `None` if there are none.
    pub fn without(mut self, labels: &BTreeSet<LabelTexts>) -> Option<AtomMembers> {
        self.atoms.retain(|(label, _)| !labels.contains(label));
        Some(self).filter(|members| !members.atoms.is_empty())
    }

    /// The bytes to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        SealedFormat::Members.bytes(self)
    }

    /// From the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<AtomMembers> {
        SealedFormat::Members.parse(bytes)
    }
}

fn person_of(bytes: &[u8; 16]) -> Person {
    Person(u128::from_le_bytes(*bytes))
}
