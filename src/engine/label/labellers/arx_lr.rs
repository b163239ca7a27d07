//! ARX-LR (SCIENCE 6): classes with labels of their own, formed one after the other. The people of
//! no class wait, or are published with `*` in all columns if they are enough for a class.

use super::super::local::{StateClass, arx_lr};
use super::interface::{Labeller, LabellerMemory, NewAtoms, WaitingPeople};
use crate::NoRelease;
use crate::model::Carving;

/// ARX-LR.
pub(super) struct ArxLr;

impl Labeller for ArxLr {
    fn label(
        &self,
        waiting: &WaitingPeople<'_>,
        _: &mut LabellerMemory,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        let (policy, trees) = (waiting.policy, waiting.trees);
        let formed = arx_lr(&waiting.people, trees, policy.a()).expect("the feed file was checked");
        let classes = formed
            .classes
            .into_iter()
            .map(|StateClass { nodes, .. }| nodes);
        let mut labels: Vec<_> = classes.collect();
        let mut left = 0;
        for tuple in formed.outliers {
            left += waiting.people.count(tuple as usize);
        }
        if policy.publishes_outliers() && left >= policy.a() {
            labels.push(vec![0; trees.len()]);
        }
        Ok(NewAtoms::with_own_labels(Carving::new(labels)))
    }
}
