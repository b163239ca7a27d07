//! What a tick has fixed for ever (SCIENCE 3 and 4), to be stored and read back: the recoding, who
//! waits, whose atoms formed. A feed that is read back applies these decisions and
//! does not decide again, so that another version of this program cannot form other atoms.

use super::ledger::Ledger;
use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease};
use super::state::{Feed, WaitingRelease};
use crate::anonymizer::{Course, HalvingTicks};
use crate::histogram::Histogram;
use crate::model::{Carving, Node, Recoding, Taxonomy};
use crate::policy::{ChainPromise, Policy};

/// The decisions of a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedTick {
    /// The number of the tick.
    pub tick: u32,
    /// The standing recoding after it.
    pub cut: Option<Recoding>,
    /// The specialisations that led to it, in order.
    pub steps: Vec<(usize, Node)>,
    /// The people who wait after it, by the tick of arrival.
    pub waiting: Histogram,
    /// The people in the atoms that it formed.
    pub formed: Option<Histogram>,
    /// The recoding of the proposed release; without columns if classes have labels of their own.
    pub proposed: Option<Recoding>,
    /// The classes with labels of their own.
    pub carving: Option<Carving>,
    /// The ticks that halve, in a chain of crowds.
    pub turns: Option<HalvingTicks>,
    /// The aggregates of the measures of the people in the atoms that it formed, by label; `None`
    /// if there are no measures.
    pub measures: Option<Histogram>,
}

impl FixedTick {
    /// The same, with the rows of formed atoms as they are published; in policies without atoms,
    /// with those of waiting people.
    #[must_use]
    pub fn as_published(&self, ledger: &Ledger) -> FixedTick {
        match &self.formed {
            Some(formed) => FixedTick {
                formed: Some(ledger.applied(formed)),
                ..self.clone()
            },
            None => FixedTick {
                waiting: ledger.applied(&self.waiting),
                ..self.clone()
            },
        }
    }
}

impl Feed {
    /// The decisions of the last tick.
    pub fn fixed(&self, ticked: &FeedTickResult) -> FixedTick {
        let formed = self.unpublished.last().filter(|_| ticked.added > 0);
        let proposed = match &ticked.closed {
            ClosingResult::Candidate(candidate) => Some(candidate.recoding.clone()),
            _ => None,
        };
        FixedTick {
            tick: ticked.tick,
            cut: self.standing.as_ref().map(|course| course.cut().clone()),
            steps: self
                .course()
                .map(|course| course.steps().to_vec())
                .unwrap_or_default(),
            waiting: self.waiting.clone(),
            formed: formed.map(|increment| increment.rows.clone()),
            proposed,
            carving: formed.and_then(|increment| increment.carving.clone()),
            turns: (self.turns != HalvingTicks::default()).then_some(self.turns),
            measures: None,
        }
    }

    /// Applies the decisions of a tick.
    pub fn replay(&mut self, fixed: FixedTick, policy: &Policy, trees: &[&Taxonomy]) {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        let FixedTick {
            tick,
            cut,
            steps,
            waiting,
            formed,
            proposed,
            carving,
            turns,
            measures,
        } = fixed;
        self.ticks = tick + 1;
        self.new.clear();
        if !policy.has_atoms() {
            self.unpublished.clear();
        }
        self.turns = turns.unwrap_or_default();
        // If a tick says who is published, all of those may have been erased since.
        let alone = proposed.clone().filter(|_| !policy.forms());
        let alone = alone.map(|proposed| Course::new(proposed, steps.clone(), trees));
        self.alone = alone.map(|course| WaitingRelease {
            course,
            ledger: None,
            measures: measures.clone(),
        });
        // A stopped chain forms no atoms.
        if let Some(cut) = cut.filter(|_| !self.stopped) {
            self.standing = Some(Course::new(cut, steps, trees));
        }
        if let (Some(rows), Some(recoding)) = (formed, proposed) {
            self.unpublished.push(Increment {
                recoding,
                carving,
                rows,
                ledger: None,
                measures,
            });
        }
        self.waiting = waiting;
    }

    /// The release under a recoding, built from the decisions of the last tick.
    pub fn propose(
        &self,
        recoding: &Recoding,
        policy: &Policy,
        trees: &[&Taxonomy],
    ) -> ProposedRelease {
        assert_eq!(
            self.waiting.width(),
            trees.len(),
            "one taxonomy for each column"
        );
        match policy.chain() {
            ChainPromise::Disjoint { .. } if policy.forms() => self.carved(Some(recoding), trees),
            ChainPromise::Atoms { .. } => self.in_crowds(trees),
            ChainPromise::Bcf | ChainPromise::Disjoint { .. } => self.all_under(recoding),
        }
    }
}
