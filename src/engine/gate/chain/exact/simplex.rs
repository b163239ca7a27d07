//! The simplex method (SCIENCE 3): the largest value of one variable over the fractional worlds of
//! a block. It computes with floats, whose rounding is the same on every machine, and its results
//! are never trusted: bounds, and claims that there is no world, are checked by [`integral_proof`]
//! and [`proof`], and what these do not confirm stays open.
//!
//! A row is a sum of multiples of the equations: the row's own variable, plus the variables outside
//! the basis, is `value`. Only the multiples are stored; coefficients are computed from the
//! equations on demand, of which a path has few. The objective is a single variable, so its own row
//! is the proof: if no coefficient in it is negative, the variable is at most `value`. The pivoting
//! rules are fixed and terminate (Bland's rule, after some steps without progress).

use std::sync::Arc;

use super::budget::{ExactBudget, OpenReason};
use super::part::EquationBlock;
use super::proof::{self, VariableBound};
use super::{integral_proof, round};

/// A row whose own variable is the error of its equation, which must become zero.
const ERROR: u32 = u32::MAX;
/// The most rows of one block.
const MOST_ROWS: usize = 3000;
/// The number of steps without progress before Bland's rule is used.
const PATIENCE: u32 = 30;
/// The number of steps before everything is recomputed, if there are not more rows than that.
const STEPS: usize = 500;
/// Values and gains that count as zero.
const SMALL: f64 = 1e-9;
/// Coefficients too small to divide by.
const FLAT: f64 = 1e-7;
/// The distance from a whole number that counts as none.
const WHOLE: f64 = 1e-6;
/// Multiples that are only rounding errors.
const DUST: f64 = 1e-12;

#[derive(Clone)]
struct Row {
    /// The multiple of each equation.
    mix: Vec<f64>,
    value: f64,
    own: u32,
}

/// A vertex of the fractional worlds of a block within bounds.
#[derive(Clone)]
pub(super) struct Vertex {
    part: Arc<EquationBlock>,
    bounds: Vec<VariableBound>,
    rows: Vec<Row>,
    in_place: u32,
    /// The number of steps since everything was computed from the equations.
    steps: usize,
}

impl Vertex {
    /// A first vertex.
    ///
    /// # Errors
    /// The budget is spent, or the equations contradict each other.
    pub(super) fn of(
        part: Arc<EquationBlock>,
        budget: &mut ExactBudget,
    ) -> Result<Vertex, OpenReason> {
        let equations = part.grown().len();
        if equations > MOST_ROWS {
            return Err(OpenReason::Spent);
        }
        let mut vertex = Vertex {
            part,
            bounds: Vec::new(),
            rows: Vec::new(),
            in_place: 0,
            steps: 0,
        };
        vertex.begin(budget)?;
        for row in 0..equations {
            if !vertex.correct(row, budget)? {
                return Err(OpenReason::Contradiction);
            }
        }
        Ok(vertex)
    }

    /// The bounds.
    pub(super) fn bounds(&self) -> &[VariableBound] {
        &self.bounds
    }

    /// Adds a bound that this vertex violates; false if no fractional world satisfies it.
    pub(super) fn bind(
        &mut self,
        bound: VariableBound,
        budget: &mut ExactBudget,
    ) -> Result<bool, OpenReason> {
        let row = self
            .row_of(bound.variable)
            .expect("only a variable of the basis can be fractional");
        budget.spend(self.rows.len())?;
        self.rows.iter_mut().for_each(|row| row.mix.push(0.0));
        self.bounds.push(bound);
        // The error is x + s − limit, or limit − x + s: the difference of the row of x and the
        // bound's equation.
        let Row { mut mix, value, .. } = self.rows[row].clone();
        let error = (value - bound.limit as f64) * bound.sign() as f64;
        assert!(error > 0.0, "the bound is one that the vertex breaks");
        *mix.last_mut().expect("the bound's own equation") = -1.0;
        mix.iter_mut()
            .for_each(|multiple| *multiple *= bound.sign() as f64);
        self.rows.push(Row {
            mix,
            value: error,
            own: ERROR,
        });
        self.correct(self.rows.len() - 1, budget)
    }

    /// Moves to a vertex at which a variable has the value `enough`, or else its largest value;
    /// returns that value, rounded down and proved.
    pub(super) fn maximise(
        &mut self,
        variable: usize,
        enough: u64,
        budget: &mut ExactBudget,
    ) -> Result<Option<i128>, OpenReason> {
        assert!(variable < self.part.variables(), "a variable of the part");
        if self.steps > STEPS.max(self.rows.len()) {
            *self = self.renewed(budget)?;
        }
        if self.row_of(variable as u32).is_none() {
            self.enter(variable as u32, budget)?;
        }
        loop {
            let row = self.row_of(variable as u32).ok_or(OpenReason::Spent)?;
            if self.rows[row].value >= enough as f64 {
                return Ok(None);
            }
            let Some(next) = self.choose(row, -1.0, budget)? else {
                budget.spend(self.part.variables() * 8)?;
                let mix = integral_proof::multiples(
                    &self.part,
                    &self.bounds,
                    &self.rows[row].mix,
                    Some(variable),
                );
                let mix = mix.ok_or(OpenReason::Spent)?;
                let most = proof::at_most(
                    &self.part,
                    &self.bounds,
                    &mix,
                    integral_proof::SCALE,
                    variable,
                );
                return Ok(Some(most.expect("mended multiples are a proof")));
            };
            self.enter(next, budget)?;
        }
    }

    /// The vertex as a world, or a world near it if it is fractional and one is found.
    pub(super) fn world(&self, budget: &mut ExactBudget) -> Result<Option<Vec<i64>>, OpenReason> {
        let variables = self.part.variables();
        let (mut whole, mut fractions) = (vec![0; variables], vec![0.0; variables]);
        for row in self
            .rows
            .iter()
            .filter(|row| (row.own as usize) < variables)
        {
            let below = (row.value + WHOLE).floor().max(0.0);
            whole[row.own as usize] = below as i64;
            fractions[row.own as usize] = row.value - below;
        }
        let records = round::near(&self.part, whole, &fractions, budget)?;
        assert!(
            records
                .iter()
                .all(|records| proof::is_world(&self.part, records)),
            "nothing is missing"
        );
        Ok(records)
    }

    /// A fractional variable, with `wanted` before others and then the first one, and its value
    /// rounded down.
    pub(super) fn fractional(&self, wanted: usize) -> Option<(u32, i64)> {
        let fraction = |row: &Row| (row.value - row.value.round()).abs() > WHOLE;
        let broken = |row: &&Row| (row.own as usize) < self.part.variables() && fraction(row);
        let first = self
            .rows
            .iter()
            .filter(broken)
            .min_by_key(|row| (row.own as usize != wanted, row.own))?;
        Some((first.own, first.value.floor() as i64))
    }

    /// The number of numbers in a copy.
    pub(super) fn size(&self) -> usize {
        self.rows.len() * self.rows.len()
    }

    fn row_of(&self, variable: u32) -> Option<usize> {
        self.rows.iter().position(|row| row.own == variable)
    }

    /// Starts with every equation on its own, and an empty basis.
    fn begin(&mut self, budget: &mut ExactBudget) -> Result<(), OpenReason> {
        let sides = self
            .part
            .grown()
            .iter()
            .copied()
            .chain(self.bounds.iter().map(|bound| bound.limit));
        let sides: Vec<i64> = sides.collect();
        budget.spend(sides.len() * sides.len())?;
        let row = |(at, &side): (usize, &i64)| {
            let mut mix = vec![0.0; sides.len()];
            mix[at] = 1.0;
            Row {
                mix,
                value: side as f64,
                own: ERROR,
            }
        };
        self.rows = sides.iter().enumerate().map(row).collect();
        Ok(())
    }

    /// The same vertex, with its rows recomputed from the equations, so that rounding errors do not
    /// accumulate.
    fn renewed(&self, budget: &mut ExactBudget) -> Result<Vertex, OpenReason> {
        let (part, bounds) = (Arc::clone(&self.part), self.bounds.clone());
        let mut anew = Vertex {
            part,
            bounds,
            rows: Vec::new(),
            in_place: self.in_place,
            steps: 0,
        };
        anew.begin(budget)?;
        for variable in self
            .rows
            .iter()
            .map(|row| row.own)
            .filter(|&own| own != ERROR)
        {
            let column = anew.column(variable, budget)?;
            let free = (0..column.len()).filter(|&at| anew.rows[at].own == ERROR);
            let at = free
                .max_by(|&a, &b| column[a].abs().total_cmp(&column[b].abs()))
                .ok_or(OpenReason::Spent)?;
            if column[at].abs() < FLAT {
                return Err(OpenReason::Spent);
            }
            anew.pivot(at, variable, &column, budget)?;
        }
        anew.steps = 0;
        Ok(anew)
    }

    /// The coefficient of every variable in a sum of multiples of the equations, with those of the
    /// bounds at the end.
    fn coefficients(&self, mix: &[f64]) -> Vec<f64> {
        let (given, made) = mix.split_at(self.part.grown().len());
        let of_path = |path: usize| {
            self.part
                .of(path)
                .iter()
                .map(|&equation| given[equation as usize])
                .sum()
        };
        let mut all: Vec<f64> = (0..self.part.variables()).map(of_path).collect();
        for (bound, multiple) in self.bounds.iter().zip(made) {
            all[bound.variable as usize] += multiple;
        }
        all.extend(
            self.bounds
                .iter()
                .zip(made)
                .map(|(bound, multiple)| bound.sign() as f64 * multiple),
        );
        all
    }

    /// The coefficient of a variable in every row.
    fn column(&self, variable: u32, budget: &mut ExactBudget) -> Result<Vec<f64>, OpenReason> {
        budget.spend(self.rows.len() * (4 + self.bounds.len()))?;
        let given = self.part.grown().len();
        if let Some(bound) = (variable as usize).checked_sub(self.part.variables()) {
            let sign = self.bounds[bound].sign() as f64;
            return Ok(self
                .rows
                .iter()
                .map(|row| sign * row.mix[given + bound])
                .collect());
        }
        let mine = self
            .bounds
            .iter()
            .zip(given as u32..)
            .filter(|(bound, _)| bound.variable == variable);
        let of_path = self.part.of(variable as usize).iter().copied();
        let stands_in: Vec<u32> = of_path.chain(mine.map(|(_, equation)| equation)).collect();
        let coefficient = |row: &Row| {
            stands_in
                .iter()
                .map(|&equation| row.mix[equation as usize])
                .sum()
        };
        Ok(self.rows.iter().map(coefficient).collect())
    }

    /// Brings the error of a row to zero; false if no fractional world does.
    fn correct(&mut self, row: usize, budget: &mut ExactBudget) -> Result<bool, OpenReason> {
        while self.rows[row].own == ERROR && self.rows[row].value > SMALL {
            let Some(next) = self.choose(row, 1.0, budget)? else {
                budget.spend(self.part.variables() * 8)?;
                let against: Vec<f64> = self.rows[row]
                    .mix
                    .iter()
                    .map(|multiple| -multiple)
                    .collect();
                let mix = integral_proof::multiples(&self.part, &self.bounds, &against, None)
                    .ok_or(OpenReason::Spent)?;
                return if proof::is_none(&self.part, &self.bounds, &mix) {
                    Ok(false)
                } else {
                    Err(OpenReason::Spent)
                };
            };
            self.enter(next, budget)?;
        }
        Ok(true)
    }

    /// The variable whose growth decreases (sign 1) or increases (sign −1) the row's own variable
    /// most.
    fn choose(
        &self,
        row: usize,
        sign: f64,
        budget: &mut ExactBudget,
    ) -> Result<Option<u32>, OpenReason> {
        budget.spend((self.part.variables() + self.bounds.len()) * 6)?;
        let coefficients = self.coefficients(&self.rows[row].mix);
        let gains = coefficients
            .iter()
            .zip(0..)
            .map(|(coefficient, variable)| (sign * coefficient, variable));
        let mut gains = gains.filter(|&(gain, _)| gain > SMALL);
        let best = if self.in_place > PATIENCE {
            gains.next()
        } else {
            gains.reduce(|best, gain| if gain.0 > best.0 { gain } else { best })
        };
        Ok(best.map(|(_, variable)| variable))
    }

    /// Adds a variable to the basis; the variable that leaves is chosen so that none becomes
    /// negative.
    fn enter(&mut self, variable: u32, budget: &mut ExactBudget) -> Result<(), OpenReason> {
        let column = self.column(variable, budget)?;
        let idle = |at: usize| {
            self.rows[at].own == ERROR && self.rows[at].value <= SMALL && column[at].abs() > FLAT
        };
        let at = (0..column.len())
            .find(|&at| idle(at))
            .or_else(|| self.leaving(&column))
            .ok_or(OpenReason::Spent)?;
        self.in_place = if self.rows[at].value <= SMALL {
            self.in_place + 1
        } else {
            0
        };
        self.pivot(at, variable, &column, budget)
    }

    /// The row that reaches zero first as the variable of this column grows; among nearly equal
    /// ones the errors first, then the one with the largest divisor.
    fn leaving(&self, column: &[f64]) -> Option<usize> {
        let falls = (0..column.len()).filter(|&at| column[at] > FLAT);
        let reach = |at: usize, more: f64| (self.rows[at].value.max(0.0) + more) / column[at];
        let first = falls.clone().map(|at| reach(at, SMALL)).reduce(f64::min)?;
        let mut near = falls.filter(|&at| reach(at, 0.0) <= first);
        let own = |at: usize| (self.rows[at].own != ERROR, self.rows[at].own);
        if self.in_place > PATIENCE {
            return near.min_by_key(|&at| own(at));
        }
        let start = near.next()?;
        let better = |a: usize, b: usize| (own(a).0, -column[a]) < (own(b).0, -column[b]);
        Some(near.fold(start, |best, at| if better(at, best) { at } else { best }))
    }

    /// Changes nothing if the budget is spent.
    fn pivot(
        &mut self,
        at: usize,
        variable: u32,
        column: &[f64],
        budget: &mut ExactBudget,
    ) -> Result<(), OpenReason> {
        let mut row = self.rows[at].clone();
        row.own = variable;
        row.value /= column[at];
        let tidy = |multiple: f64| if multiple.abs() < DUST { 0.0 } else { multiple };
        row.mix
            .iter_mut()
            .for_each(|multiple| *multiple = tidy(*multiple / column[at]));
        let filled: Vec<(usize, f64)> = row
            .mix
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, m)| *m != 0.0)
            .collect();
        let dense = filled.len() * 4 > row.mix.len();
        let touched = column
            .iter()
            .filter(|coefficient| coefficient.abs() >= DUST)
            .count();
        budget.spend(
            touched
                * if dense {
                    row.mix.len() / 4
                } else {
                    filled.len()
                },
        )?;
        for (index, (other, &coefficient)) in self.rows.iter_mut().zip(column).enumerate() {
            if coefficient.abs() < DUST || index == at {
                continue;
            }
            other.value -= coefficient * row.value;
            if dense {
                other
                    .mix
                    .iter_mut()
                    .zip(&row.mix)
                    .for_each(|(slot, multiple)| *slot -= coefficient * multiple);
            } else {
                filled
                    .iter()
                    .for_each(|&(at, multiple)| other.mix[at] -= coefficient * multiple);
            }
        }
        self.rows[at] = row;
        self.steps += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two kinds of classes, three of each, and all paths between them: the same basis with the
    /// same values, with a bound and without.
    #[test]
    fn a_vertex_that_is_computed_again_is_the_same_one() {
        let paths: Vec<Vec<u32>> = (0..9).map(|path| vec![path / 3, 3 + path % 3]).collect();
        let part = Arc::new(EquationBlock::new(vec![5, 7, 4, 6, 2, 8], &paths));
        let mut budget = ExactBudget::FULL;
        let mut vertex = Vertex::of(part, &mut budget).expect("there is a world");
        assert_eq!(
            vertex
                .maximise(4, u64::MAX, &mut budget)
                .expect("a small system"),
            Some(2)
        );
        for bound in [
            None,
            Some(VariableBound {
                variable: 4,
                limit: 1,
                below: false,
            }),
        ] {
            if let Some(bound) = bound {
                assert!(
                    vertex.bind(bound, &mut budget).expect("a small system"),
                    "there is a world"
                );
            }
            let anew = vertex.renewed(&mut budget).expect("a small system");
            let rows = |vertex: &Vertex| -> Vec<(u32, i64)> {
                let mut rows: Vec<(u32, i64)> = vertex
                    .rows
                    .iter()
                    .map(|row| (row.own, row.value.round() as i64))
                    .collect();
                rows.sort_unstable();
                rows
            };
            assert_eq!(rows(&anew), rows(&vertex));
            assert!(
                rows(&anew).iter().filter(|(own, _)| *own != ERROR).count() >= 5,
                "a basis"
            );
            let [found, again] =
                [&vertex, &anew].map(|vertex| vertex.world(&mut ExactBudget::FULL.clone()));
            assert_eq!(
                found.expect("a small system"),
                again.expect("a small system")
            );
        }
    }
}
