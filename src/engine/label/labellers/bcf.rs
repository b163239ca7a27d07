//! The paper's anonymizer (SCIENCE 3 and 4), for comparison: it labels all rows of the chain again,
//! and is the only labeller that looks at sensitive values.

use super::super::bcf::bcf;
use super::super::standing::full_classes;
use super::interface::{Labeller, LabellerMemory, NewAtoms, WaitingPeople};
use crate::model::Carving;
use crate::{Course, NoRelease};

/// The paper's anonymizer.
pub(super) struct PaperAnonymizer;

impl Labeller for PaperAnonymizer {
    fn label(
        &self,
        waiting: &WaitingPeople<'_>,
        _: &mut LabellerMemory,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        let (k, trees) = (waiting.policy.k(), waiting.trees);
        if waiting.people.rows() < k {
            return Ok(None);
        }
        let (all, earlier) = waiting.private.open();
        let found = bcf(&all, &earlier, trees, k)?;
        let course = Course::searched(&found, trees);
        let labels = Carving::new(full_classes(&waiting.people, course.cut(), 1));
        Ok(Some(NewAtoms {
            labels,
            course: Some(course),
            refusals: found.refusals,
            levels: None,
        }))
    }
}
