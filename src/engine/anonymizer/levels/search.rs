//! What all full-domain searches have in common: the rows, what is asked, the states that are known, and the best one so far.

use std::collections::VecDeque;

use super::antichain::{Antichain, Monotonicity, Property, Usage};
use super::chain::{EarlierReleases, InChain};
use super::checker::{Checker, checker};
use super::index::StateIndex;
use super::lattice::{Lattice, Levels, rank};
use super::objective::{Objective, Score};
use super::privacy::Privacy;
use super::rows::DistinctRows;
use super::state_figures::StateFigures;

/// What is searched for.
pub struct LevelsProblem<'p> {
    /// The rows.
    pub rows: &'p DistinctRows,
    /// All states.
    pub lattice: &'p Lattice,
    /// Which classes may be published.
    pub privacy: &'p Privacy,
    /// The most rows that may be suppressed.
    pub suppressed: u64,
    /// What is to be least.
    pub objective: &'p Objective,
}

impl LevelsProblem<'_> {
    /// Whether a state suppresses too much whenever one that generalises it does. Without suppression that is so whatever the classes
    /// must be like: of two parts of a class that fails one fails at least.
    pub fn is_inherited(&self) -> bool {
        self.suppressed == 0 || self.privacy.is_inherited()
    }
}

/// A state that suppresses no more rows than it may.
#[derive(Debug, Clone, PartialEq)]
pub struct BestState {
    /// The state.
    pub levels: Levels,
    /// Its value, for comparison.
    pub score: Score,
    /// Its value as the literature gives it.
    pub figure: f64,
    /// Rows that are suppressed.
    pub suppressed: u64,
}

/// What a search ends with.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelsResult {
    /// The best state that was found.
    pub best: Option<BestState>,
    /// What no state is better than, as the literature gives it, where the search ended before it was over; `None` where `best` is the
    /// optimum.
    pub bound: Option<f64>,
    /// How many states were checked.
    pub checked: u64,
    /// States that are known to be worse than the best one, with all that generalise them.
    pub quality: Usage,
    /// States that suppress too much, with all that specialise them.
    pub protection: Usage,
    /// The most bytes that classes at hand took.
    pub bytes: usize,
}

/// What came of checking a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedState {
    /// Whether it suppresses no more rows than it may.
    pub fits: bool,
    /// Rows that it suppresses.
    pub suppressed: u64,
    /// What it and all that generalise it are worth at best.
    pub worth: Score,
    /// What it is worth, if it fits.
    pub value: Option<Score>,
}

/// States that fit and suppress rows which are kept, at least.
const COARSER: usize = 1 << 12;

/// The state of a search.
pub struct LevelsSearch<'p> {
    /// What is searched for.
    pub problem: &'p LevelsProblem<'p>,
    checker: Box<dyn Checker + 'p>,
    /// States that are worse than the best one, with all that generalise them.
    pub quality: Box<dyn CountedProperty + 'p>,
    /// States that suppress too much, with all that specialise them.
    pub protection: Box<dyn CountedProperty + 'p>,
    /// The best state so far.
    pub best: Option<BestState>,
    /// States that fit and suppress some rows, which all finer states suppress as well.
    coarser: (StateIndex, VecDeque<StateFigures>),
    /// How many states were checked.
    pub checked: u64,
    /// A search that has checked so many states takes pains with what it learns from the next ones.
    pub(super) easy: u64,
    predicts: bool,
}

/// States that are checked before a search becomes thorough.
const EASY: u64 = 2_000;

/// A property that counts how it is used.
pub trait CountedProperty: Property {
    /// What was asked and kept.
    fn usage(&self) -> Usage;
}

impl CountedProperty for Antichain {
    fn usage(&self) -> Usage {
        Antichain::usage(self)
    }
}

impl<'p> LevelsSearch<'p> {
    /// A search that begins, with prefix trees.
    ///
    /// # Panics
    /// If there are no rows, or their values are not there and looked at.
    pub fn new(problem: &'p LevelsProblem<'p>) -> LevelsSearch<'p> {
        let heights = problem.lattice.heights();
        let tree = |inherited| Box::new(Antichain::new(&heights, inherited));
        LevelsSearch::with(problem, tree(Monotonicity::Upward), tree(Monotonicity::Downward))
    }

    /// The same with other ways to keep what is inherited.
    ///
    /// # Panics
    /// Like [`LevelsSearch::new`].
    pub fn with(
        problem: &'p LevelsProblem<'p>,
        quality: Box<dyn CountedProperty + 'p>,
        protection: Box<dyn CountedProperty + 'p>,
    ) -> LevelsSearch<'p> {
        let LevelsProblem { rows, lattice, privacy, suppressed, objective } = problem;
        assert!(rows.all() > 0, "there are rows");
        let checker = checker(rows, lattice, privacy, objective, *suppressed);
        LevelsSearch::checked_by(problem, checker, quality, protection)
    }

    /// A search for the next release of a chain: valid states in place of those whose classes may be published. The rows are all rows
    /// of that release, and nothing is suppressed.
    ///
    /// # Panics
    /// If rows may be suppressed.
    pub fn in_chain(problem: &'p LevelsProblem<'p>, chain: &'p EarlierReleases<'p>) -> LevelsSearch<'p> {
        assert_eq!(problem.suppressed, 0, "a chain suppresses nothing");
        let LevelsProblem { lattice, objective, .. } = *problem;
        let tree = |inherited| Box::new(Antichain::new(&lattice.heights(), inherited));
        let checker = Box::new(InChain { chain, lattice, objective });
        LevelsSearch::checked_by(problem, checker, tree(Monotonicity::Upward), tree(Monotonicity::Downward))
    }

    fn checked_by(
        problem: &'p LevelsProblem<'p>,
        checker: Box<dyn Checker + 'p>,
        quality: Box<dyn CountedProperty + 'p>,
        protection: Box<dyn CountedProperty + 'p>,
    ) -> LevelsSearch<'p> {
        let coarser = (StateIndex::new(&problem.lattice.heights(), Monotonicity::Downward, COARSER), VecDeque::new());
        LevelsSearch {
            problem,
            checker,
            quality,
            protection,
            best: None,
            coarser,
            checked: 0,
            easy: EASY,
            predicts: true,
        }
    }

    /// The same, that takes pains with what it learns from the first state on; as a rule it does so when the search takes long.
    #[must_use]
    pub fn thorough(self) -> LevelsSearch<'p> {
        LevelsSearch { easy: 0, ..self }
    }

    /// The same, that concludes nothing about other states from one that was checked, which is for comparison alone.
    #[must_use]
    pub fn without_prediction(self) -> LevelsSearch<'p> {
        LevelsSearch { predicts: false, ..self }
    }

    /// Whether a state suppresses too much whenever one that generalises it does, and the search makes use of it.
    pub(super) fn is_inherited(&self) -> bool {
        self.predicts && self.problem.is_inherited()
    }

    /// Checks states, in their order.
    pub fn check(&mut self, states: &[Levels]) -> Vec<CheckedState> {
        let checked = self.checker.check(states);
        assert_eq!(checked.len(), states.len(), "figures of each state");
        self.checked += states.len() as u64;
        states.iter().zip(checked).map(|(levels, checked)| self.judge(levels, checked)).collect()
    }

    /// States that generalise this one come next.
    pub fn prepare(&mut self, levels: &[u8]) {
        self.checker.prepare(levels);
    }

    fn judge(&mut self, levels: &Levels, checked: StateFigures) -> CheckedState {
        let LevelsProblem { rows, suppressed: limit, objective, .. } = self.problem;
        assert!(checked.suppressed <= rows.all(), "no more rows are suppressed than there are");
        let bound = objective.bound_of(levels, &checked, rows.all());
        let suppressed = checked.suppressed;
        let fits = suppressed <= *limit;
        if self.predicts && (checked.lost > *limit || (*limit == 0 && !fits)) {
            self.protection.insert(levels);
        }
        let value = fits.then(|| objective.value(levels, &checked, rows.all()));
        if let Some(score) = value {
            assert!(bound <= score, "a bound is no worse than a state of its own");
            if suppressed > 0 && self.is_inherited() && objective.costs().is_some() {
                let forgotten = self.coarser.0.push(levels);
                self.coarser.1.drain(..forgotten);
                self.coarser.1.push_back(checked.clone());
                assert!(self.coarser.1.len() <= COARSER, "the oldest are forgotten");
            }
            if !self.is_behind(score, levels) {
                let figure = objective.figure(score);
                self.best = Some(BestState { levels: levels.clone(), score, figure, suppressed });
            }
        }
        // Where labels alone tell it, a thorough search asks them.
        if self.predicts && self.is_worse(bound) && !(self.is_thorough() && objective.costs().is_some()) {
            self.quality.insert(levels);
        }
        CheckedState { fits, suppressed, worth: bound, value }
    }

    /// Whether it takes pains with what it learns.
    pub fn is_thorough(&self) -> bool {
        self.checked > self.easy
    }

    /// Whether nothing of this worth is as good as the best state so far.
    pub fn is_worse(&self, bound: Score) -> bool {
        self.best.as_ref().is_some_and(|best| bound > best.score)
    }

    /// Whether a state of this worth is not better than the best one so far: of two of one worth the lower one is better, then the first
    /// in the order of columns.
    pub fn is_behind(&self, worth: Score, levels: &[u8]) -> bool {
        self.best.as_ref().is_some_and(|best| {
            (worth, rank(levels), levels) >= (best.score, rank(&best.levels), best.levels.as_slice())
        })
    }

    /// A state that fits and generalises this one, if the rows that it suppresses already make this one worse than the best state, with
    /// all states between them.
    pub fn worse_under(&self, levels: &[u8]) -> Option<&[u8]> {
        let LevelsProblem { suppressed, objective, .. } = self.problem;
        // Rows that may be suppressed at most must make it worse if those of a coarser state do.
        if !objective.most_of(levels, *suppressed).is_some_and(|most| self.is_worse(most)) {
            return None;
        }
        let (states, checked) = &self.coarser;
        let is_worse =
            |at: usize| objective.bound_under(levels, &checked[at]).is_some_and(|bound| self.is_worse(bound));
        states.find(levels, is_worse).map(|at| states.state(at))
    }

    /// What the search ends with; `bound`: what states that were not looked at are worth at best.
    pub fn end(self, bound: Option<Score>) -> LevelsResult {
        let best = self.best.as_ref();
        assert!(
            best.is_none_or(|best| best.suppressed <= self.problem.suppressed),
            "the best state suppresses no more"
        );
        LevelsResult {
            bound: bound.map(|bound| self.problem.objective.figure(bound)),
            best: self.best,
            checked: self.checked,
            quality: self.quality.usage(),
            protection: self.protection.usage(),
            bytes: self.checker.bytes(),
        }
    }
}
