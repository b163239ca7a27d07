//! Somebody is taken out of everything that is not published (SCIENCE 3, erasure): they never came. Whoever shared an atom
//! with them waits again. Published rows stay.

use super::ledger::Ledger;
use super::state::Feed;
use crate::histogram::Person;
use crate::model::{Leaf, Taxonomy, Value};
use crate::policy::{Chain, Policy};

/// Where somebody was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// Among those who came since the last tick that was closed.
    New,
    /// Among those who wait.
    Waiting,
    /// Among those who are withheld from this chain.
    Withheld,
    /// In an atom that was not published; it is dissolved.
    Formed,
}

impl Feed {
    /// Takes somebody out, who may come again afterwards; `None` if nobody with this row is in what is not published.
    pub fn erase(
        &mut self,
        person: Person,
        (leaves, since, value): (&[Leaf], u32, &[Value]),
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Option<Erased> {
        let erased = self.take_out((leaves, since, value), policy, trees)?;
        self.people.forget(person);
        Some(erased)
    }

    fn take_out(
        &mut self,
        (leaves, since, value): (&[Leaf], u32, &[Value]),
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> Option<Erased> {
        for at in 0..self.new.len() {
            if let Some(rest) = self.new[at].without(leaves, since, value) {
                if rest.rows() > 0 {
                    self.new[at] = rest
                } else {
                    _ = self.new.remove(at)
                }
                return Some(Erased::New);
            }
        }
        if let Some(rest) = self.withheld.without(leaves, since, value) {
            self.withheld = rest;
            self.standing.erase_withheld(leaves, since);
            return Some(Erased::Withheld);
        }
        let formed = self.unpublished.iter().any(|increment| increment.rows.without(leaves, since, value).is_some());
        match policy.chain() {
            _ if !formed => {}
            Chain::Crowds { .. } => _ = self.dissolve_crowd(leaves, since, trees),
            Chain::Blind(_) | Chain::Tested { .. } => _ = self.dissolve(leaves, since),
            // Classes of their own were carved together.
            Chain::Bcf | Chain::Disjoint { .. } => self.again(),
        }
        self.waiting = self.waiting.without(leaves, since, value)?;
        // A release of its own is not made without them as it was; the next tick fixes another one.
        self.alone.iter_mut().for_each(|alone| alone.ledger = alone.ledger.take().map(|_| Ledger::default()));
        // Whoever comes from an earlier chain and was in no tick of this one yet is not among those who arrived.
        match self.carried.without(leaves, since) {
            Some(rest) => self.carried = rest,
            None => _ = self.standing.erase_waiting(leaves, since),
        }
        Some(if formed { Erased::Formed } else { Erased::Waiting })
    }
}
