//! What every labeller is given, what it gives, and what it remembers (HOUSE 2).

use serde::{Deserialize, Serialize};

use super::super::bcf::NoRelease;
use super::super::local::{HalvingTicks, HiddenSums};
use super::super::standing::{Course, LevelsQuality};
use super::super::top_down::Refusal;
use super::private_rows::PrivateRows;
use crate::histogram::Headcount;
use crate::model::{Carving, Taxonomy, TreeGrowth};
use crate::policy::Policy;

/// The people who wait at a tick, and what is known about them.
pub struct WaitingPeople<'w> {
    /// The people, without their sensitive values.
    pub people: Headcount,
    /// The policy of the chain.
    pub policy: &'w Policy,
    /// The taxonomy of each quasi column.
    pub trees: &'w [&'w Taxonomy],
    /// Whether the sums of the people of some leaf tuples would be suppressed; `None` unless the
    /// policy asks for classes whose sums can be published.
    pub hidden_sums: Option<HiddenSums<'w>>,
    /// The people with their sensitive values, and those of earlier releases.
    pub private: PrivateRows<'w>,
}

/// The atoms that a labeller forms.
pub struct NewAtoms {
    /// Their labels, in the order in which they were formed, and how people are found in them.
    pub labels: Carving,
    /// The recoding whose classes they are; `None` if each atom has a label of its own.
    pub course: Option<Course>,
    /// The candidates that a search refused in this tick, and why.
    pub refusals: Vec<Refusal>,
    /// How good the levels are, if this tick searched levels.
    pub levels: Option<LevelsQuality>,
}

/// The rows before a tick.
#[derive(Debug, Clone, Copy)]
pub struct RowsBeforeTick {
    /// Those that came since the last tick.
    pub new: u64,
    /// Those that waited before.
    pub waiting: u64,
    /// The number of new rows without which the schedule lets a tick pass.
    pub least: u64,
}

/// What a labeller remembers from one tick to the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LabellerMemory {
    /// Each tick is labelled on its own.
    #[default]
    Nothing,
    /// Halving: which ticks halve.
    Ticks(HalvingTicks),
    /// The recoding of all ticks, found in the first one with enough people. A labeller of one
    /// recoding stores it where the policy `has_standing_recoding`.
    Recoding(Course),
}

/// One way to label the people who wait.
pub trait Labeller: Sync {
    /// Whether the next tick labels people; otherwise it passes.
    fn is_due(&self, rows: RowsBeforeTick, _: &LabellerMemory, _: &Policy) -> bool {
        rows.new >= rows.least
    }

    /// What is remembered after a tick that passes.
    fn after_passing(
        &self,
        _: RowsBeforeTick,
        memory: &LabellerMemory,
        _: &Policy,
    ) -> LabellerMemory {
        memory.clone()
    }

    /// The atoms that form; `None` if all people go on waiting. `coin` is true three times in four,
    /// and no reader may be able to predict it.
    ///
    /// # Errors
    /// No release is possible any more (the paper's anonymizer).
    fn label(
        &self,
        waiting: &WaitingPeople<'_>,
        memory: &mut LabellerMemory,
        coin: &mut dyn FnMut() -> bool,
    ) -> Result<Option<NewAtoms>, NoRelease>;
}

impl NewAtoms {
    /// Atoms whose labels are their own.
    pub(super) fn with_own_labels(labels: Carving) -> Option<NewAtoms> {
        if labels.is_empty() {
            return None;
        }
        Some(NewAtoms {
            labels,
            course: None,
            refusals: Vec::new(),
            levels: None,
        })
    }
}

impl LabellerMemory {
    /// The memory of halving after a tick of this number.
    pub fn after_halving(tick: Option<u64>) -> LabellerMemory {
        match tick {
            Some(_) => LabellerMemory::Ticks(HalvingTicks::behind(tick)),
            None => LabellerMemory::Nothing,
        }
    }

    /// The ticks that halve.
    pub fn ticks(&self) -> HalvingTicks {
        match self {
            LabellerMemory::Ticks(ticks) => *ticks,
            _ => HalvingTicks::default(),
        }
    }

    /// The recoding of all ticks, once it was found.
    pub fn recoding(&self) -> Option<&Course> {
        match self {
            LabellerMemory::Recoding(course) => Some(course),
            _ => None,
        }
    }

    /// Adapts to taxonomies that have new leaves.
    pub fn grow(&mut self, growth: &[TreeGrowth], trees: &[&Taxonomy]) {
        if let LabellerMemory::Recoding(course) = self {
            course.grow(growth, trees);
        }
    }
}
