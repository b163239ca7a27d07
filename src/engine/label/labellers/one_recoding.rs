//! One recoding for all people (SCIENCE 4 and 8), from the top down or by levels: in a cumulative
//! chain that of the first tick with enough people, which labels all later ticks; in a disjoint
//! chain each tick has its own. Each class with enough people is an atom.

use super::super::standing::{Recoder, full_classes};
use super::interface::{Labeller, LabellerMemory, NewAtoms, WaitingPeople};
use crate::model::Carving;
use crate::{Course, LevelsQuality, NoRelease, Refusal};

/// One recoding for all people.
pub(super) struct OneRecoding;

impl Labeller for OneRecoding {
    fn label(
        &self,
        waiting: &WaitingPeople<'_>,
        memory: &mut LabellerMemory,
        _: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NewAtoms>, NoRelease> {
        if let Some(course) = memory.recoding() {
            return Ok(atoms(waiting, course.clone(), Vec::new(), None));
        }
        let recoder = Recoder::of(waiting.policy, waiting.trees);
        let Some(found) = recoder.find(&waiting.people, waiting.trees) else {
            return Ok(None);
        };
        if waiting.policy.has_standing_recoding() {
            *memory = LabellerMemory::Recoding(found.course.clone());
        }
        Ok(atoms(waiting, found.course, found.refusals, found.levels))
    }
}

/// The classes of the recoding in which enough people wait.
fn atoms(
    waiting: &WaitingPeople<'_>,
    course: Course,
    refusals: Vec<Refusal>,
    levels: Option<LevelsQuality>,
) -> Option<NewAtoms> {
    let classes = full_classes(&waiting.people, course.cut(), waiting.policy.a());
    if classes.is_empty() {
        return None;
    }
    Some(NewAtoms {
        labels: Carving::new(classes),
        course: Some(course),
        refusals,
        levels,
    })
}
