//! The simplex method in whole numbers (SCIENCE 3): the largest value of one variable over the fractional worlds of a
//! part. There is no float in it, so nothing is rounded but the answer, and that downwards.
//!
//! A row is a sum of multiples of the equations, divided by no number: `scale` times the row's own variable, plus the
//! variables outside the basis, is `value`. Only the multiples are kept; coefficients are computed from the equations
//! when they are asked for, of which a path has few. The objective is a single variable, so its own row is the proof: when
//! no coefficient in it is negative, the variable is at most `value / scale`. Rules of choice are fixed and end (Bland's,
//! after some steps in place), so a run is the same everywhere.

use std::sync::Arc;

use super::budget::{Budget, Undone};
use super::part::Part;
use super::proof::{self, Bound};
use super::round;

/// A row whose own variable is the error of its equation, which must become zero.
const ERROR: u32 = u32::MAX;
/// Multiples beyond this are given up: sums and products of what is below stay within 64 bits.
const LARGEST: i64 = 1 << 24;
/// Rows of one part at most.
const MOST_ROWS: usize = 3000;
/// Steps in place before Bland's rule.
const PATIENCE: u32 = 30;

#[derive(Clone)]
struct Row {
    /// The multiple of each equation.
    mix: Vec<i32>,
    scale: i64,
    value: i128,
    own: u32,
}

/// A vertex of the fractional worlds of a part within bounds.
#[derive(Clone)]
pub struct Vertex {
    part: Arc<Part>,
    bounds: Vec<Bound>,
    rows: Vec<Row>,
    in_place: u32,
}

impl Vertex {
    /// Some vertex.
    ///
    /// # Errors
    /// The budget is spent, or the equations contradict each other.
    pub fn of(part: Arc<Part>, budget: &mut Budget) -> Result<Vertex, Undone> {
        let equations = part.grown().len();
        if equations > MOST_ROWS {
            return Err(Undone::Spent);
        }
        budget.spend(equations * equations)?;
        let row = |at: usize| {
            let mut mix = vec![0; equations];
            mix[at] = 1;
            Row { mix, scale: 1, value: i128::from(part.grown()[at]), own: ERROR }
        };
        let rows = (0..equations).map(row).collect();
        let mut vertex = Vertex { part, bounds: Vec::new(), rows, in_place: 0 };
        for row in 0..equations {
            if !vertex.correct(row, budget)? {
                return Err(Undone::Contradiction);
            }
        }
        Ok(vertex)
    }

    /// The bounds.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// Adds a bound that this vertex breaks; false when no fractional world keeps it.
    pub fn bind(&mut self, bound: Bound, budget: &mut Budget) -> Result<bool, Undone> {
        let row = self.row_of(bound.variable).expect("only a variable of the basis can be fractional");
        budget.spend(self.rows.len())?;
        self.rows.iter_mut().for_each(|row| row.mix.push(0));
        self.bounds.push(bound);
        // The error is x + s − limit, or limit − x + s: the row of x and the bound's equation, one taken from the other.
        let Row { mut mix, scale, value, .. } = self.rows[row].clone();
        let limit = i128::from(scale) * i128::from(bound.limit);
        let error = if bound.below { limit - value } else { value - limit };
        assert!(error > 0, "the bound is one that the vertex breaks");
        let last = mix.len() - 1;
        mix[last] = -i32::try_from(scale).map_err(|_| Undone::Spent)?;
        if bound.below {
            mix.iter_mut().for_each(|multiple| *multiple = -*multiple);
        }
        let row = Row { mix, scale, value: error, own: ERROR };
        row.fits()?;
        self.rows.push(row);
        self.correct(self.rows.len() - 1, budget)
    }

    /// Goes to a vertex with the largest value of a variable and returns that value rounded down, proven.
    pub fn maximise(&mut self, variable: usize, budget: &mut Budget) -> Result<i128, Undone> {
        if self.row_of(variable as u32).is_none() {
            self.enter(variable as u32, budget)?;
        }
        loop {
            let row = self.row_of(variable as u32).ok_or(Undone::Spent)?;
            let Some(next) = self.choose(row, -1, budget)? else {
                let Row { mix, scale, .. } = &self.rows[row];
                let most = proof::at_most(&self.part, &self.bounds, mix, *scale, variable);
                return Ok(most.expect("a row without negative coefficients is a proof"));
            };
            self.enter(next, budget)?;
        }
    }

    /// The vertex as a world, or a world near it when it is fractional and one is found.
    pub fn world(&self, budget: &mut Budget) -> Result<Option<Vec<i64>>, Undone> {
        let variables = self.part.variables();
        let (mut whole, mut fractions) = (vec![0; variables], vec![0; variables]);
        for row in self.rows.iter().filter(|row| (row.own as usize) < variables) {
            let scale = i128::from(row.scale);
            whole[row.own as usize] = i64::try_from(row.value.div_euclid(scale)).map_err(|_| Undone::Spent)?;
            let fraction = (row.value.rem_euclid(scale) << 32) / scale;
            fractions[row.own as usize] = u64::try_from(fraction).expect("less than one");
        }
        let records = round::near(&self.part, whole, &fractions, budget)?;
        assert!(records.iter().all(|records| proof::is_world(&self.part, records)), "nothing is missing");
        Ok(records)
    }

    /// A fractional variable, `wanted` before others, then the first one, and its value rounded down.
    pub fn fractional(&self, wanted: usize) -> Option<(u32, i64)> {
        let broken = |row: &&Row| (row.own as usize) < self.part.variables() && row.value % i128::from(row.scale) != 0;
        let first = self.rows.iter().filter(broken).min_by_key(|row| (row.own as usize != wanted, row.own))?;
        Some((first.own, i64::try_from(first.value.div_euclid(i128::from(first.scale))).ok()?))
    }

    /// How many numbers a copy holds.
    pub fn size(&self) -> usize {
        self.rows.len() * self.rows.len()
    }

    fn row_of(&self, variable: u32) -> Option<usize> {
        self.rows.iter().position(|row| row.own == variable)
    }

    fn variables(&self) -> usize {
        self.part.variables() + self.bounds.len()
    }

    /// The coefficient of a variable in a sum of multiples of the equations.
    fn coefficient(&self, mix: &[i32], variable: usize) -> i64 {
        let given = self.part.grown().len();
        if let Some(bound) = variable.checked_sub(self.part.variables()) {
            return self.bounds[bound].sign() * i64::from(mix[given + bound]);
        }
        let sum: i64 = self.part.of(variable).iter().map(|&equation| i64::from(mix[equation as usize])).sum();
        let bounds = self.bounds.iter().zip(&mix[given..]);
        sum + bounds.filter(|(b, _)| b.variable as usize == variable).map(|(_, &m)| i64::from(m)).sum::<i64>()
    }

    /// Brings the error of a row to zero; false when no fractional world does.
    fn correct(&mut self, row: usize, budget: &mut Budget) -> Result<bool, Undone> {
        while self.rows[row].own == ERROR && self.rows[row].value > 0 {
            let Some(next) = self.choose(row, 1, budget)? else {
                assert!(proof::is_none(&self.part, &self.bounds, &self.rows[row].mix), "the row is a proof");
                return Ok(false);
            };
            self.enter(next, budget)?;
        }
        Ok(true)
    }

    /// The variable whose growth lessens (sign 1) or increases (sign −1) the row's own variable most.
    fn choose(&self, row: usize, sign: i64, budget: &mut Budget) -> Result<Option<u32>, Undone> {
        budget.spend(self.part.variables() * 4)?;
        let mix = &self.rows[row].mix;
        let gains = (0..self.variables()).map(|variable| (sign * self.coefficient(mix, variable), variable as u32));
        let mut gains = gains.filter(|&(gain, _)| gain > 0);
        let best = if self.in_place > PATIENCE {
            gains.next()
        } else {
            gains.min_by_key(|&(gain, variable)| (std::cmp::Reverse(gain), variable))
        };
        Ok(best.map(|(_, variable)| variable))
    }

    /// Takes a variable into the basis; what leaves keeps every variable from becoming negative.
    fn enter(&mut self, variable: u32, budget: &mut Budget) -> Result<(), Undone> {
        budget.spend(self.rows.len() * 4)?;
        let column: Vec<i64> = self.rows.iter().map(|row| self.coefficient(&row.mix, variable as usize)).collect();
        let zero = |row: &Row| row.own == ERROR && row.value == 0;
        let mut leaving = None;
        for (at, (row, &coefficient)) in self.rows.iter().zip(&column).enumerate() {
            if coefficient != 0 && zero(row) {
                leaving = Some(at);
                break;
            }
            if coefficient > 0 && leaving.is_none_or(|best| self.leaves_before(at, best, &column)) {
                leaving = Some(at);
            }
        }
        let at = leaving.ok_or(Undone::Spent)?;
        self.in_place = if self.rows[at].value == 0 { self.in_place + 1 } else { 0 };
        self.pivot(at, variable, &column, budget)
    }

    /// Whether row a reaches zero before row b as the variable of this column grows.
    fn leaves_before(&self, a: usize, b: usize, column: &[i64]) -> bool {
        let reach = |row: usize, other: usize| self.rows[row].value * i128::from(column[other]);
        let tie = |row: usize| {
            let size = if self.in_place > PATIENCE { 0 } else { column[row] };
            (self.rows[row].own != ERROR, size, self.rows[row].own)
        };
        reach(a, b).cmp(&reach(b, a)).then_with(|| tie(a).cmp(&tie(b))).is_lt()
    }

    fn pivot(&mut self, at: usize, variable: u32, column: &[i64], budget: &mut Budget) -> Result<(), Undone> {
        let mut row = std::mem::replace(&mut self.rows[at], Row { mix: Vec::new(), scale: 1, value: 0, own: ERROR });
        if column[at] < 0 {
            row.mix.iter_mut().for_each(|multiple| *multiple = -*multiple);
        }
        let sign = column[at].signum();
        let (pivot, own) = (column[at] * sign, variable);
        row.scale = pivot;
        row.own = own;
        let filled: Vec<(usize, i64)> =
            row.mix.iter().enumerate().filter(|(_, m)| **m != 0).map(|(at, &m)| (at, i64::from(m))).collect();
        for (other, &coefficient) in self.rows.iter_mut().zip(column) {
            if coefficient != 0 && !other.mix.is_empty() {
                budget.spend(filled.len())?;
                other.subtract(coefficient, pivot, &filled, row.value)?;
            }
        }
        self.rows[at] = row;
        self.rows[at].shorten()
    }
}

impl Row {
    /// Takes so much of the pivot's row away that the entering variable has no coefficient here.
    fn subtract(&mut self, coefficient: i64, pivot: i64, filled: &[(usize, i64)], value: i128) -> Result<(), Undone> {
        let common = divisor(coefficient, pivot);
        let (times, less) = (pivot / common, coefficient / common);
        if times != 1 {
            self.scale = self.scale.checked_mul(times).ok_or(Undone::Spent)?;
            self.value *= i128::from(times);
        }
        self.value -= i128::from(less) * value;
        if times == 1 {
            let mut largest = 0;
            for &(at, multiple) in filled {
                let new = i64::from(self.mix[at]) - less * multiple;
                largest = largest.max(new.abs());
                self.mix[at] = i32::try_from(new).map_err(|_| Undone::Spent)?;
            }
            return if largest > LARGEST { self.shorten() } else { Ok(()) };
        }
        let mut wide: Vec<i64> = self.mix.iter().map(|&multiple| i64::from(multiple) * times).collect();
        filled.iter().for_each(|&(at, multiple)| wide[at] -= less * multiple);
        let common = wide.iter().fold(0, |common, &multiple| divisor(common, multiple)).max(1);
        for (slot, multiple) in self.mix.iter_mut().zip(wide) {
            *slot = i32::try_from(multiple / common).map_err(|_| Undone::Spent)?;
        }
        self.divide(common);
        self.fits()
    }

    /// Divides the row by what all its multiples have in common.
    fn shorten(&mut self) -> Result<(), Undone> {
        let common = self.mix.iter().fold(0, |common, &multiple| divisor(common, i64::from(multiple))).max(1);
        let common = i32::try_from(common).map_err(|_| Undone::Spent)?;
        if common > 1 {
            self.mix.iter_mut().for_each(|multiple| *multiple /= common);
        }
        self.divide(i64::from(common));
        self.fits()
    }

    fn divide(&mut self, common: i64) {
        assert!(
            self.scale % common == 0 && self.value % i128::from(common) == 0,
            "what divides the multiples divides what they give"
        );
        self.scale /= common;
        self.value /= i128::from(common);
    }

    fn fits(&self) -> Result<(), Undone> {
        let fits = self.mix.iter().all(|&multiple| i64::from(multiple).abs() <= LARGEST);
        if fits { Ok(()) } else { Err(Undone::Spent) }
    }
}

/// The greatest common divisor, never negative.
fn divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
