//! Halving with a coin (SCIENCE 11), on the ticks on which it is due.

use super::super::local::{Effort, HalvingTicks, Region, crowds};
use super::interface::{Labeller, LabellerMemory, NewAtoms, RowsBeforeTick, WaitingPeople};
use crate::NoRelease;
use crate::model::Carving;
use crate::policy::{Certain, Policy};

/// Halving with a coin.
pub(super) struct Halves;

/// Counts a tick; returns the number of people, in atoms, that makes a division certain in it, if
/// it halves.
fn count(ticks: &mut HalvingTicks, people: u64, policy: &Policy) -> Option<u64> {
    ticks.tick(people, policy.a(), &Certain::CROWDS, policy.publish_every())
}

impl Labeller for Halves {
    fn is_due(&self, rows: RowsBeforeTick, memory: &LabellerMemory, policy: &Policy) -> bool {
        let people = rows.waiting + rows.new;
        people >= policy.a() && count(&mut memory.ticks(), people, policy).is_some()
    }

    fn after_passing(
        &self,
        rows: RowsBeforeTick,
        memory: &LabellerMemory,
        policy: &Policy,
    ) -> LabellerMemory {
        let mut ticks = memory.ticks();
        count(&mut ticks, rows.waiting + rows.new, policy);
        LabellerMemory::after_halving(ticks.last())
    }

    fn label(
        &self,
        waiting: &WaitingPeople<'_>,
        memory: &mut LabellerMemory,
        coin: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        let policy = waiting.policy;
        let mut ticks = memory.ticks();
        let certain = count(&mut ticks, waiting.people.rows(), policy);
        *memory = LabellerMemory::after_halving(ticks.last());
        let Some(certain) = certain else {
            return Ok(None);
        };
        let division = policy
            .division(waiting.trees)
            .expect("the feed file was checked");
        let refusals = policy.refusals();
        let effort = Effort { certain, refusals };
        let halved = crowds(&waiting.people, &division, effort, coin);
        let labels = halved.classes.into_iter().map(|Region { nodes, .. }| nodes);
        Ok(NewAtoms::with_own_labels(Carving::new(labels.collect())))
    }
}
