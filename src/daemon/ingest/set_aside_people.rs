//! Finds the people of set-aside messages: a message shows its person if its identifiers can be
//! read, whatever else is wrong with it. Messages of erased people are removed. Nothing here stores
//! an identifier.

use std::collections::BTreeSet;

use super::offer::{Offer, SetAsideMessage};
use super::person::PersonHasher;
use super::raw_rows::retry_sifted;
use super::repeats::Repeats;
use super::row_faults::Misplaced;
use super::topic::UnwantedPolicies;
use crate::engine::histogram::Person;
use crate::engine::model::{Columns, Role};

/// An offer from which some people were removed.
#[derive(Debug)]
pub struct OfferWithout {
    /// The remaining messages.
    pub rest: Offer,
    /// The number of removed messages; for a message with many rows, the number of rows.
    pub gone: u64,
}

/// Reads identifiers, and nothing else.
struct IdentifierReader<'r> {
    columns: Columns,
    hasher: &'r PersonHasher,
}

impl IdentifierReader<'_> {
    /// The rows of these people, and rows whose identifiers cannot be read, each by the index of
    /// its message in the offer. `None` if the messages lack the columns of identifiers.
    fn rows(&self, offer: &Offer, of: &dyn Fn(Person) -> bool) -> Option<Vec<SetAsideMessage>> {
        let readable = (0..)
            .zip(offer.messages())
            .filter(|(_, one)| one.raw.is_some());
        let numbered = readable.map(|(row, SetAsideMessage { place, raw })| {
            let place = Misplaced {
                row,
                ..place.clone()
            };
            SetAsideMessage {
                place,
                raw: raw.clone(),
            }
        });
        let numbered = offer.with(numbered.collect());
        let mut sifted = Repeats::only(of);
        let read = retry_sifted(
            &numbered,
            &self.columns,
            self.hasher,
            UnwantedPolicies::SET_ASIDE,
            Some(&mut sifted),
        )
        .ok()?;
        Some(read.aside.messages().to_vec())
    }

    /// The indices of messages with these people.
    fn places(&self, offer: &Offer, of: &dyn Fn(Person) -> bool) -> Option<BTreeSet<u64>> {
        let rows = self.rows(offer, of)?;
        Some(
            rows.iter()
                .filter(|row| row.place.is_repeat())
                .map(|row| row.place.row)
                .collect(),
        )
    }
}

impl Offer {
    /// The offer without messages of these people; `None` if there are none. A message stays if its
    /// identifiers cannot be read. If a message has rows of other people too, each of those becomes
    /// a message of its own.
    pub fn without(
        &self,
        people: &BTreeSet<Person>,
        columns: &Columns,
        hasher: &PersonHasher,
    ) -> Option<OfferWithout> {
        let reader = IdentifierReader {
            columns: columns.only(Role::Identifier),
            hasher,
        };
        let is_named = |person| people.contains(&person);
        let theirs = reader.places(self, &is_named)?;
        if theirs.is_empty() {
            return None;
        }
        let all = (0..).zip(self.messages());
        let touched = self.with(
            all.filter(|(at, _)| theirs.contains(at))
                .map(|(_, one)| one.clone())
                .collect(),
        );
        let rows = self.with(reader.rows(&touched, &|_| true)?);
        let gone = reader.places(&rows, &is_named)?;
        let others = (0..)
            .zip(rows.messages())
            .filter(|(at, _)| !gone.contains(at))
            .map(|(_, row)| row);
        let mut others = others.peekable();
        let (mut rest, mut before) = (Vec::new(), 0);
        for (at, one) in (0..).zip(self.messages()) {
            if !theirs.contains(&at) {
                rest.push(one.clone());
                continue;
            }
            while let Some(row) = others.next_if(|row| row.place.row == before) {
                rest.push(SetAsideMessage {
                    place: one.place.clone(),
                    raw: row.raw.clone(),
                });
            }
            before += 1;
        }
        assert!(
            others.next().is_none(),
            "a row of another person is left behind"
        );
        Some(OfferWithout {
            rest: self.with(rest),
            gone: gone.len() as u64,
        })
    }
}
