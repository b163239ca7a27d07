//! Groups of neighbours (SCIENCE 7), by median cuts or by MDAV, each under the finest labels that
//! cover it.

use super::super::local::{Grouping, grouped};
use super::interface::{Labeller, LabellerMemory, NewAtoms, WaitingPeople};
use crate::NoRelease;

/// Groups of neighbours by this method.
pub(super) struct Neighbours(pub Grouping);

impl Labeller for Neighbours {
    fn label(
        &self,
        waiting: &WaitingPeople<'_>,
        _: &mut LabellerMemory,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        let policy = waiting.policy;
        let limits = (policy.a(), &policy.refinement());
        let labels = grouped(
            &waiting.people,
            waiting.trees,
            limits,
            self.0,
            waiting.hidden_sums,
        );
        Ok(NewAtoms::with_own_labels(labels))
    }
}
