//! Linear programming in whole numbers: the simplex method on sparse equations, each with its own
//! denominator. An optimum comes with the combination of equations that proves it.
//!
//! A floating-point solver would be faster, but would leave uncertain on which side of a limit a
//! rounded figure is; here the verdict is about safety. No figure of this file is rounded.

use super::row::Equation;
use super::whole_numbers::WholeNumber;

/// The possible values of an unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// 0 or more.
    NotNegative,
    /// Any number.
    Free,
}

/// How a search for the largest value of a sum ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimplexEnd {
    /// The value is the largest one.
    Largest,
    /// There is no largest value.
    Unbounded,
    /// The value is as large as requested.
    Enough,
}

/// After this many steps without progress the next unknown is chosen by its number, so that the
/// method terminates (Bland's rule).
const PATIENCE: u32 = 40;

/// Equations, each solved for one of the unknowns. The unknowns come first, then one *trace* for
/// each equation, which is 0 and records how often that equation was added to another, then the
/// objective.
#[derive(Clone)]
pub(super) struct Tableau<N> {
    rows: Vec<Equation<N>>,
    /// The unknown or trace for which an equation is solved.
    solved: Vec<usize>,
    ranges: Vec<Range>,
    /// Whether an equation was multiplied by -1 at the start.
    turned: Vec<bool>,
    goal: Equation<N>,
    /// The work so far, in recomputed terms of equations.
    pub work: u64,
}

impl<N: WholeNumber> Tableau<N> {
    /// These equations, in unknowns with these ranges.
    pub(super) fn new(ranges: Vec<Range>, equations: Vec<(Vec<(usize, N)>, N)>) -> Tableau<N> {
        let first_trace = ranges.len();
        let turned = equations
            .iter()
            .map(|(_, right)| right.is_negative())
            .collect();
        let traced = |(at, (mut terms, right)): (usize, (Vec<(usize, N)>, N))| {
            // In the first phase a trace must be 0 or more.
            let mut row = Equation {
                terms: std::mem::take(&mut terms),
                right,
            };
            if row.right.is_negative() {
                row.negate();
            }
            row.terms.push((first_trace + at, N::new(1)));
            row
        };
        let rows: Vec<Equation<N>> = equations.into_iter().enumerate().map(traced).collect();
        let solved = (0..rows.len()).map(|at| first_trace + at).collect();
        assert!(
            rows.iter().all(|row| !row.right.is_negative()),
            "what a trace is solved for is 0 or more"
        );
        Tableau {
            rows,
            solved,
            ranges,
            turned,
            goal: Equation {
                terms: Vec::new(),
                right: N::new(0),
            },
            work: 0,
        }
    }

    fn is_trace(&self, unknown: usize) -> bool {
        unknown >= self.ranges.len()
    }

    fn may_be_negative(&self, unknown: usize) -> bool {
        self.ranges.get(unknown) == Some(&Range::Free)
    }

    fn goal_column(&self) -> usize {
        self.ranges.len() + self.rows.len()
    }

    /// Solves the equations for unknowns, whatever signs these have then. Equations that remain
    /// solved for their trace follow from the others, or contradict them.
    pub(super) fn eliminate(&mut self) -> Option<()> {
        for at in 0..self.rows.len() {
            let first = self.rows[at].terms[0].0;
            if !self.is_trace(first) {
                self.exchange(at, first)?;
            }
        }
        Some(())
    }

    /// Finds numbers that satisfy all equations within the ranges. `Some(false)`: there are none,
    /// and [`Tableau::contradiction`] is the combination of equations that proves it.
    pub(super) fn fulfil(&mut self) -> Option<bool> {
        let traces = (self.ranges.len()..self.goal_column()).map(|trace| (trace, N::new(1)));
        let terms = traces.chain([(self.goal_column(), N::new(1))]).collect();
        self.goal = Equation {
            terms,
            right: N::new(0),
        };
        for at in 0..self.rows.len() {
            self.goal = self.goal.without(self.solved[at], &self.rows[at])?;
        }
        self.climb(Some(&N::new(0)))?;
        if self.goal.right.is_negative() {
            return Some(false);
        }
        // The remaining traces are 0; an equation that still has unknowns is solved for one of
        // them.
        for at in 0..self.rows.len() {
            let first = self.rows[at].terms[0].0;
            if self.is_trace(self.solved[at]) && !self.is_trace(first) {
                self.exchange(at, first)?;
            }
        }
        Some(true)
    }

    /// Sets the objective. Another objective can be set later at no cost: the equations stay as
    /// they are.
    pub(super) fn ask(&mut self, sum: &[(usize, N)]) -> Option<()> {
        assert!(
            sum.iter().all(|(unknown, _)| !self.is_trace(*unknown)),
            "a sum of unknowns"
        );
        let terms = sum
            .iter()
            .map(|(unknown, number)| (*unknown, number.negated()));
        let terms = terms.chain([(self.goal_column(), N::new(1))]).collect();
        self.goal = Equation {
            terms,
            right: N::new(0),
        };
        for at in 0..self.rows.len() {
            self.goal = self.goal.without(self.solved[at], &self.rows[at])?;
        }
        Some(())
    }

    /// Whether the equations alone determine the objective, whatever the ranges are.
    pub(super) fn is_determined(&self) -> bool {
        self.goal.terms.iter().all(|term| self.is_trace(term.0))
    }

    /// How an unknown depends on the unknowns for which no equation is solved, up to a factor and a
    /// constant; empty if it is determined. Two unknowns with the same direction determine each
    /// other.
    pub(super) fn direction(&self, unknown: usize) -> Vec<(usize, N)> {
        assert!(!self.is_trace(unknown), "an unknown of the equations");
        let Some(row) = self
            .solved
            .iter()
            .position(|&solved| solved == unknown)
            .map(|at| &self.rows[at])
        else {
            return vec![(unknown, N::new(1))];
        };
        let others = row
            .terms
            .iter()
            .filter(|term| term.0 != unknown && !self.is_trace(term.0));
        let terms: Vec<(usize, N)> = others.cloned().collect();
        let shared = terms
            .iter()
            .fold(N::new(0), |shared, term| shared.divisor(&term.1));
        let turned = terms.first().is_some_and(|term| term.1.is_negative());
        let reduced = |number: N| {
            if turned {
                number.over(&shared).negated()
            } else {
                number.over(&shared)
            }
        };
        terms
            .into_iter()
            .map(|(other, number)| (other, reduced(number)))
            .collect()
    }

    /// Maximises the objective, or increases it to at least `enough`.
    pub(super) fn climb(&mut self, enough: Option<&N>) -> Option<SimplexEnd> {
        let mut waited = 0;
        loop {
            if let Some(enough) = enough
                && !N::product_less(&N::new(1), &self.goal.right, enough, &self.scale())?
                    .is_negative()
            {
                return Some(SimplexEnd::Enough);
            }
            let Some((enters, up)) = self.enters(waited > PATIENCE) else {
                return Some(SimplexEnd::Largest);
            };
            let Some(leaves) = self.leaves(enters, up)? else {
                return Some(SimplexEnd::Unbounded);
            };
            waited = if self.rows[leaves].right.is_zero() {
                waited + 1
            } else {
                0
            };
            self.exchange(leaves, enters)?;
        }
    }

    /// The unknown that is changed next, and whether it increases.
    fn enters(&self, by_number: bool) -> Option<(usize, bool)> {
        let unknowns = self
            .goal
            .terms
            .iter()
            .take_while(|term| !self.is_trace(term.0));
        let mut useful = unknowns
            .filter(|(unknown, number)| number.is_negative() || self.may_be_negative(*unknown));
        let best = if by_number {
            useful.next()
        } else {
            let size = |number: &N| {
                if number.is_negative() {
                    number.negated()
                } else {
                    number.clone()
                }
            };
            useful.max_by(|one, other| size(&one.1).cmp(&size(&other.1)).then(other.0.cmp(&one.0)))
        };
        best.map(|(unknown, number)| (*unknown, number.is_negative()))
    }

    /// The equation whose unknown reaches 0 first when `enters` changes; `Some(None)` if none does.
    fn leaves(&self, enters: usize, up: bool) -> Option<Option<usize>> {
        let mut first: Option<(usize, N)> = None;
        for (at, row) in self.rows.iter().enumerate() {
            let Some(number) = row.at(enters) else {
                continue;
            };
            let number = if up { number.clone() } else { number.negated() };
            if !number.is_positive() || self.may_be_negative(self.solved[at]) {
                continue;
            }
            let sooner = match &first {
                None => true,
                Some((other, against)) => {
                    let difference =
                        N::product_less(&row.right, against, &self.rows[*other].right, &number)?;
                    difference.is_negative()
                        || difference.is_zero() && self.solved[at] < self.solved[*other]
                }
            };
            if sooner {
                first = Some((at, number));
            }
        }
        Some(first.map(|(at, _)| at))
    }

    /// Solves an equation for another unknown, and eliminates that from all others.
    fn exchange(&mut self, at: usize, unknown: usize) -> Option<()> {
        assert!(
            self.rows[at].at(unknown).is_some(),
            "the equation has the unknown that it is solved for"
        );
        let mut row = self.rows[at].clone();
        if row.at(unknown).is_some_and(WholeNumber::is_negative) {
            row.negate();
        }
        for (other, changed) in self.rows.iter_mut().enumerate() {
            if other != at && changed.at(unknown).is_some() {
                self.work += (changed.terms.len() + row.terms.len()) as u64;
                *changed = changed.without(unknown, &row)?;
            }
        }
        self.work += (self.goal.terms.len() + row.terms.len()) as u64;
        self.goal = self.goal.without(unknown, &row)?;
        self.rows[at] = row;
        self.solved[at] = unknown;
        Some(())
    }

    /// The factor of the objective in [`Tableau::sum`] and [`Tableau::shares`].
    pub(super) fn scale(&self) -> N {
        let scale = self
            .goal
            .at(self.goal_column())
            .cloned()
            .unwrap_or_else(|| N::new(1));
        assert!(
            scale.is_positive(),
            "a sum is multiplied by a number above 0"
        );
        scale
    }

    /// The objective, multiplied by [`Tableau::scale`].
    pub(super) fn sum(&self) -> &N {
        &self.goal.right
    }

    /// The unknowns that are not 0 in the current state, in order.
    pub(super) fn not_zero(&self) -> Vec<usize> {
        let solved = self
            .solved
            .iter()
            .zip(&self.rows)
            .filter(|(_, row)| !row.right.is_zero());
        let mut unknowns: Vec<usize> = solved
            .map(|(&unknown, _)| unknown)
            .filter(|&at| !self.is_trace(at))
            .collect();
        unknowns.sort_unstable();
        unknowns
    }

    /// How often each equation, as it was given, was added to the objective, multiplied by
    /// [`Tableau::scale`].
    pub(super) fn shares(&self) -> Vec<(usize, N)> {
        let first = self.ranges.len();
        let traces = self
            .goal
            .terms
            .iter()
            .filter(|term| self.is_trace(term.0) && term.0 < self.goal_column());
        let share = |number: &N, at: usize| {
            if self.turned[at] {
                number.negated()
            } else {
                number.clone()
            }
        };
        traces
            .map(|(trace, number)| (trace - first, share(number, trace - first)))
            .collect()
    }

    /// The equations that contradict each other within the ranges, after [`Tableau::fulfil`] has
    /// found no solution.
    pub(super) fn contradiction(&self) -> Vec<usize> {
        let scale = self.scale();
        (0..self.rows.len())
            .filter(|at| self.goal.at(self.ranges.len() + at) != Some(&scale))
            .collect()
    }
}
