//! The common part of all full-domain searches: the problem, what is known about states, and the
//! best state so far.

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

/// The problem to be solved.
pub struct LevelsProblem<'p> {
    /// The rows.
    pub rows: &'p DistinctRows,
    /// The lattice of states.
    pub lattice: &'p Lattice,
    /// Which classes may be published.
    pub privacy: &'p Privacy,
    /// The most rows that may be suppressed.
    pub suppressed: u64,
    /// The objective to be minimised.
    pub objective: &'p Objective,
}

impl LevelsProblem<'_> {
    /// Whether every specialisation of a state that suppresses too much does so as well. Without
    /// suppression this holds for every privacy model: if a class fails, so does at least one of
    /// its parts.
    pub fn is_inherited(&self) -> bool {
        self.suppressed == 0 || self.privacy.is_inherited()
    }
}

/// A state that suppresses no more rows than allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct BestState {
    /// The state.
    pub levels: Levels,
    /// Its value as the figure of the literature.
    pub score: Score,
    /// The number of suppressed rows.
    pub figure: f64,
    /// Rows that are suppressed.
    pub suppressed: u64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelsResult {
    /// The best state that was found.
    pub best: Option<BestState>,
    /// No state is better than this figure of the literature, if the search was stopped early;
    /// `None` if `best` is the optimum.
    pub bound: Option<f64>,
    /// The number of checked states.
    pub checked: u64,
    /// Use of the store of states that are known to be worse than the best one, with all their
    /// generalisations.
    pub quality: Usage,
    /// Use of the store of states that suppress too much, with all their specialisations.
    pub protection: Usage,
    /// The most bytes that stored classes took.
    pub bytes: usize,
}

/// The result of checking a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedState {
    /// Whether it suppresses no more rows than allowed.
    pub fits: bool,
    /// The number of rows that it suppresses.
    pub suppressed: u64,
    /// The bound of the state and all its generalisations.
    pub worth: Score,
    /// Its value, if it fits.
    pub value: Option<Score>,
}

/// The least number of stored states that fit and suppress rows; at most twice as many are stored.
const COARSER: usize = 1 << 12;

/// A running search.
pub struct LevelsSearch<'p> {
    /// The problem to be solved.
    pub problem: &'p LevelsProblem<'p>,
    checker: Box<dyn Checker + 'p>,
    /// States that are worse than the best one, with all their generalisations.
    pub quality: Box<dyn CountedProperty + 'p>,
    /// States that suppress too much, with all their specialisations.
    pub protection: Box<dyn CountedProperty + 'p>,
    /// The best state so far.
    pub best: Option<BestState>,
    /// States that fit and suppress some rows, which all finer states suppress as well.
    coarser: (StateIndex, VecDeque<StateFigures>),
    /// The number of checked states.
    pub checked: u64,
    /// After this number of checked states the search becomes thorough.
    pub(super) easy: u64,
    predicts: bool,
}

/// The default for the number of checks before a search becomes thorough.
const EASY: u64 = 2_000;

/// A property store that counts its use.
pub trait CountedProperty: Property {
    /// How the store was used.
    fn usage(&self) -> Usage;
}

impl CountedProperty for Antichain {
    fn usage(&self) -> Usage {
        Antichain::usage(self)
    }
}

impl<'p> LevelsSearch<'p> {
    /// A new search, with prefix trees.
    ///
    /// # Panics
    /// If there are no rows, or the sensitive values that the problem needs are missing.
    pub fn new(problem: &'p LevelsProblem<'p>) -> LevelsSearch<'p> {
        let heights = problem.lattice.heights();
        let tree = |inherited| Box::new(Antichain::new(&heights, inherited));
        LevelsSearch::with(
            problem,
            tree(Monotonicity::Upward),
            tree(Monotonicity::Downward),
        )
    }

    /// A new search with other stores for inherited properties.
    ///
    /// # Panics
    /// Like [`LevelsSearch::new`].
    pub fn with(
        problem: &'p LevelsProblem<'p>,
        quality: Box<dyn CountedProperty + 'p>,
        protection: Box<dyn CountedProperty + 'p>,
    ) -> LevelsSearch<'p> {
        let LevelsProblem {
            rows,
            lattice,
            privacy,
            suppressed,
            objective,
        } = problem;
        assert!(rows.all() > 0, "there are rows");
        let checker = checker(rows, lattice, privacy, objective, *suppressed);
        LevelsSearch::checked_by(problem, checker, quality, protection)
    }

    /// A search for the next release of a chain: states have to be valid in the chain, instead of
    /// having only publishable classes. The rows are all rows of that release, and nothing is
    /// suppressed.
    ///
    /// # Panics
    /// If rows may be suppressed.
    pub fn in_chain(
        problem: &'p LevelsProblem<'p>,
        chain: &'p EarlierReleases<'p>,
    ) -> LevelsSearch<'p> {
        assert_eq!(problem.suppressed, 0, "a chain suppresses nothing");
        let LevelsProblem {
            lattice, objective, ..
        } = *problem;
        let tree = |inherited| Box::new(Antichain::new(&lattice.heights(), inherited));
        let checker = Box::new(InChain {
            chain,
            lattice,
            objective,
        });
        LevelsSearch::checked_by(
            problem,
            checker,
            tree(Monotonicity::Upward),
            tree(Monotonicity::Downward),
        )
    }

    fn checked_by(
        problem: &'p LevelsProblem<'p>,
        checker: Box<dyn Checker + 'p>,
        quality: Box<dyn CountedProperty + 'p>,
        protection: Box<dyn CountedProperty + 'p>,
    ) -> LevelsSearch<'p> {
        let coarser = (
            StateIndex::new(&problem.lattice.heights(), Monotonicity::Downward, COARSER),
            VecDeque::new(),
        );
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

    /// The same search, thorough from the first state on; by default a search becomes thorough when
    /// it takes long.
    #[must_use]
    pub fn thorough(self) -> LevelsSearch<'p> {
        LevelsSearch { easy: 0, ..self }
    }

    /// The same search without conclusions from checked states to other states, only for
    /// comparison.
    #[must_use]
    pub fn without_prediction(self) -> LevelsSearch<'p> {
        LevelsSearch {
            predicts: false,
            ..self
        }
    }

    /// Whether every specialisation of a state that suppresses too much does so as well, and the
    /// search uses that.
    pub(super) fn is_inherited(&self) -> bool {
        self.predicts && self.problem.is_inherited()
    }

    /// Checks states, in their order.
    pub fn check(&mut self, states: &[Levels]) -> Vec<CheckedState> {
        let checked = self.checker.check(states);
        assert_eq!(checked.len(), states.len(), "figures of each state");
        self.checked += states.len() as u64;
        states
            .iter()
            .zip(checked)
            .map(|(levels, checked)| self.judge(levels, checked))
            .collect()
    }

    /// Announces that states which generalise this one follow.
    pub fn prepare(&mut self, levels: &[u8]) {
        self.checker.prepare(levels);
    }

    fn judge(&mut self, levels: &Levels, checked: StateFigures) -> CheckedState {
        let LevelsProblem {
            rows,
            suppressed: limit,
            objective,
            ..
        } = self.problem;
        assert!(
            checked.suppressed <= rows.all(),
            "no more rows are suppressed than there are"
        );
        let bound = objective.bound_of(levels, &checked, rows.all());
        let suppressed = checked.suppressed;
        let fits = suppressed <= *limit;
        if self.predicts && (checked.lost > *limit || (*limit == 0 && !fits)) {
            self.protection.insert(levels);
        }
        let value = fits.then(|| objective.value(levels, &checked, rows.all()));
        if let Some(score) = value {
            assert!(
                bound <= score,
                "a bound is no worse than a state of its own"
            );
            if suppressed > 0 && self.is_inherited() && objective.costs().is_some() {
                let forgotten = self.coarser.0.push(levels);
                self.coarser.1.drain(..forgotten);
                self.coarser.1.push_back(checked.clone());
                assert!(
                    self.coarser.1.len() <= 2 * COARSER,
                    "the oldest are forgotten"
                );
            }
            if !self.is_behind(score, levels) {
                let figure = objective.figure(score);
                self.best = Some(BestState {
                    levels: levels.clone(),
                    score,
                    figure,
                    suppressed,
                });
            }
        }
        // A thorough search asks labels where labels alone decide.
        if self.predicts
            && self.is_worse(bound)
            && !(self.is_thorough() && objective.costs().is_some())
        {
            self.quality.insert(levels);
        }
        CheckedState {
            fits,
            suppressed,
            worth: bound,
            value,
        }
    }

    /// Whether the search is thorough.
    pub fn is_thorough(&self) -> bool {
        self.checked > self.easy
    }

    /// Whether this bound is worse than the best state so far.
    pub fn is_worse(&self, bound: Score) -> bool {
        self.best.as_ref().is_some_and(|best| bound > best.score)
    }

    /// Whether a state of this value comes after the best one so far: of two states of one value
    /// the lower one is better, then the first in the order of columns.
    pub fn is_behind(&self, worth: Score, levels: &[u8]) -> bool {
        self.best.as_ref().is_some_and(|best| {
            (worth, rank(levels), levels)
                >= (best.score, rank(&best.levels), best.levels.as_slice())
        })
    }

    /// A state that fits and generalises this one, if the rows that it suppresses already make this
    /// one worse than the best state, together with all states between them.
    pub fn worse_under(&self, levels: &[u8]) -> Option<&[u8]> {
        let LevelsProblem {
            suppressed,
            objective,
            ..
        } = self.problem;
        // Suppressing the most rows allowed must make the state worse if suppressing those of a
        // coarser state does.
        if !objective
            .most_of(levels, *suppressed)
            .is_some_and(|most| self.is_worse(most))
        {
            return None;
        }
        let (states, checked) = &self.coarser;
        let is_worse = |at: usize| {
            objective
                .bound_under(levels, &checked[at])
                .is_some_and(|bound| self.is_worse(bound))
        };
        states.find(levels, is_worse).map(|at| states.state(at))
    }

    /// The result of the search; `bound` is the bound of the states that were not examined.
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
