//! What a tick has fixed for ever (SCIENCE 3 and 4), to be kept and read back: the recoding, who waits, who is withheld,
//! whose atoms formed. A feed that is read back takes it as it was decided and decides nothing again, so that another
//! version of this program can form no other atoms.

use super::ledger::Ledger;
use super::parts::{ClosingResult, FeedTickResult, Increment, ProposedRelease};
use super::state::{Feed, WaitingRelease};
use crate::anonymizer::{Course, HalvingTicks, StandingState};
use crate::histogram::{Headcount, Histogram};
use crate::model::{Carving, Node, Recoding, Taxonomy};
use crate::policy::{ChainPromise, Policy};

/// What a tick has fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedTick {
    /// The number of the tick.
    pub tick: u32,
    /// The standing recoding after it.
    pub cut: Option<Recoding>,
    /// The specialisations that it has, in order.
    pub steps: Vec<(usize, Node)>,
    /// How many had come into the chain.
    pub arrived: u64,
    /// Who waits after it, by the tick of arrival.
    pub waiting: Histogram,
    /// Who is withheld after it, by the tick of arrival.
    pub withheld: Histogram,
    /// Who is in the atoms that it formed; under its recoding the classes of the standing one.
    pub formed: Option<Histogram>,
    /// The recoding of the release that it proposes; of no column where classes have labels of their own.
    pub proposed: Option<Recoding>,
    /// Those classes.
    pub carving: Option<Carving>,
    /// The finer one that is tested beside it.
    pub finer: Option<Recoding>,
    /// Which ticks halve; in a chain of crowds.
    pub turns: Option<HalvingTicks>,
    /// The aggregates of the measures of those in the atoms that it formed, label by label; `None` where there are no measures.
    pub measures: Option<Histogram>,
}

impl FixedTick {
    /// The same, with those who formed as they are published; where atoms are not formed, with those who wait.
    #[must_use]
    pub fn told(&self, ledger: &Ledger) -> FixedTick {
        match &self.formed {
            Some(formed) => FixedTick { formed: Some(ledger.applied(formed)), ..self.clone() },
            None => FixedTick { waiting: ledger.applied(&self.waiting), ..self.clone() },
        }
    }
}

impl Feed {
    /// What the last tick has fixed.
    pub fn fixed(&self, ticked: &FeedTickResult) -> FixedTick {
        let formed = self.unpublished.last().filter(|_| ticked.added > 0);
        let proposed = match &ticked.closed {
            ClosingResult::Candidate(candidate) => Some(candidate.recoding.clone()),
            _ => None,
        };
        FixedTick {
            tick: ticked.tick,
            cut: self.standing.cut().cloned(),
            steps: self.course().map(|course| course.steps().to_vec()).unwrap_or_default(),
            arrived: self.standing.arrived(),
            waiting: self.waiting.clone(),
            withheld: self.withheld.clone(),
            formed: formed.map(|increment| increment.rows.clone()),
            proposed,
            carving: formed.and_then(|increment| increment.carving.clone()),
            finer: ticked.finer.clone(),
            turns: (self.turns != HalvingTicks::default()).then_some(self.turns),
            measures: None,
        }
    }

    /// Takes over what a tick has fixed.
    pub fn replay(&mut self, fixed: FixedTick, policy: &Policy, trees: &[&Taxonomy]) {
        assert_eq!(self.waiting.width(), trees.len(), "a taxonomy for each column");
        let FixedTick { tick, cut, steps, arrived, waiting, withheld, formed, proposed, .. } = fixed;
        let FixedTick { carving, turns, measures, .. } = fixed;
        self.ticks = tick + 1;
        self.new.clear();
        self.carried = Headcount::empty(trees.len());
        let mut standing = std::mem::replace(&mut self.standing, StandingState::new(trees.len()));
        if cut.is_none() && turns.is_none() {
            self.unpublished.clear();
        }
        self.turns = turns.unwrap_or_default();
        // Where a tick says who comes out, all of those may have been erased since.
        let alone = proposed.clone().filter(|_| !policy.forms());
        let alone = alone.map(|proposed| Course::new(proposed, steps.clone(), trees));
        self.alone = alone.map(|course| WaitingRelease { course, ledger: None, measures: measures.clone() });
        // A chain that is stopped forms nothing any more.
        if !self.stopped && (cut.is_some() || arrived > 0) {
            let heads = formed.as_ref().map(Histogram::headcount);
            let course = cut.map(|cut| Course::new(cut, steps, trees));
            standing.replay(course, waiting.headcount(), withheld.headcount(), arrived, heads.as_ref(), trees);
        }
        if let (Some(rows), Some(recoding)) = (formed, standing.cut().cloned().or(proposed)) {
            self.unpublished.push(Increment { recoding, carving, rows, ledger: None, measures });
        }
        (self.standing, self.waiting, self.withheld) = (standing, waiting, withheld);
    }

    /// The release under a recoding, put together from what the last tick has fixed.
    pub fn propose(&self, recoding: &Recoding, policy: &Policy, trees: &[&Taxonomy]) -> ProposedRelease {
        assert_eq!(self.waiting.width(), trees.len(), "a taxonomy for each column");
        let candidate = match policy.chain() {
            ChainPromise::Disjoint { .. } if policy.forms() => self.carved(Some(recoding), trees),
            ChainPromise::Crowds { .. } => self.in_crowds(trees),
            ChainPromise::Blind(_) | ChainPromise::Tested { .. } => self.atoms_under(recoding),
            ChainPromise::Bcf | ChainPromise::Disjoint { .. } => self.all_under(recoding),
        };
        if policy.joins() { self.with_sums(candidate, policy, trees) } else { candidate }
    }
}
