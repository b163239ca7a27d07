//! The three checks on which the answers rest, independent of how an answer was found. Each uses
//! only the equations and whole numbers.
//!
//! A world is proved by its numbers. An upper bound on the records of a path is proved by a sum of
//! multiples of the equations in which the path has a coefficient of at least `scale` and no
//! variable a negative one; that there is no world at all, by a sum in which no variable has a
//! negative coefficient while the right-hand side is negative.

use super::part::EquationBlock;

/// A bound on one variable, set while branching. It is an equation with a variable of its own that
/// must not be negative: x + s = limit, or x − s = limit for a lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VariableBound {
    /// The variable.
    pub variable: u32,
    /// The bound.
    pub limit: i64,
    /// Whether it is a lower bound; otherwise it is an upper one.
    pub below: bool,
}

impl VariableBound {
    /// The coefficient of the bound's own variable.
    pub(super) fn sign(self) -> i64 {
        if self.below { -1 } else { 1 }
    }
}

/// Whether these numbers are a world: none is negative, and every equation holds.
pub(super) fn is_world(part: &EquationBlock, records: &[i64]) -> bool {
    let mut sums = vec![0i128; part.grown().len()];
    for (variable, &records) in records.iter().enumerate() {
        part.of(variable)
            .iter()
            .for_each(|&equation| sums[equation as usize] += i128::from(records));
    }
    let holds = sums
        .iter()
        .zip(part.grown())
        .all(|(&sum, &grown)| sum == i128::from(grown));
    records.len() == part.variables() && records.iter().all(|&records| records >= 0) && holds
}

/// The largest number of records on a path in any world within the bounds, as proved by the sum of
/// multiples `mix` of the equations; `None` if they prove nothing.
pub(super) fn at_most(
    part: &EquationBlock,
    bounds: &[VariableBound],
    mix: &[i64],
    scale: i64,
    variable: usize,
) -> Option<i128> {
    let enough =
        |(at, sum): (usize, i128)| sum >= if at == variable { i128::from(scale) } else { 0 };
    let shown = scale > 0 && coefficients(part, bounds, mix).enumerate().all(enough);
    shown.then(|| right_side(part, bounds, mix).div_euclid(i128::from(scale)))
}

/// Whether the sum of multiples `mix` of the equations proves that there is no world within the
/// bounds.
pub(super) fn is_none(part: &EquationBlock, bounds: &[VariableBound], mix: &[i64]) -> bool {
    coefficients(part, bounds, mix).all(|sum| sum >= 0) && right_side(part, bounds, mix) < 0
}

/// The coefficient of every variable, with those of the bounds at the end, in the sum of multiples
/// of the equations.
fn coefficients<'p>(
    part: &'p EquationBlock,
    bounds: &'p [VariableBound],
    mix: &'p [i64],
) -> impl Iterator<Item = i128> + 'p {
    assert!(
        mix.len() == part.grown().len() + bounds.len(),
        "a multiple of each equation and each bound"
    );
    let (given, made) = mix.split_at(part.grown().len());
    let of_path = move |variable: usize| {
        let sum: i128 = part
            .of(variable)
            .iter()
            .map(|&equation| i128::from(given[equation as usize]))
            .sum();
        let bounded = bounds
            .iter()
            .zip(made)
            .filter(move |(bound, _)| bound.variable as usize == variable);
        sum + bounded
            .map(|(_, &multiple)| i128::from(multiple))
            .sum::<i128>()
    };
    let of_bound = bounds
        .iter()
        .zip(made)
        .map(|(bound, &multiple)| i128::from(multiple) * i128::from(bound.sign()));
    (0..part.variables()).map(of_path).chain(of_bound)
}

fn right_side(part: &EquationBlock, bounds: &[VariableBound], mix: &[i64]) -> i128 {
    let sides = part
        .grown()
        .iter()
        .copied()
        .chain(bounds.iter().map(|bound| bound.limit));
    sides
        .zip(mix)
        .map(|(side, &multiple)| i128::from(side) * i128::from(multiple))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x + y = 3, y + z = 2.
    fn part() -> EquationBlock {
        EquationBlock::new(vec![3, 2], &[vec![0], vec![0, 1], vec![1]])
    }

    #[test]
    fn worlds_are_recognised() {
        assert!(is_world(&part(), &[1, 2, 0]));
        assert!(
            !is_world(&part(), &[1, 2, 1])
                && !is_world(&part(), &[4, -1, 3])
                && !is_world(&part(), &[3, 0])
        );
    }

    #[test]
    fn a_bound_needs_a_sum_that_shows_it() {
        assert_eq!(at_most(&part(), &[], &[0, 1], 1, 1), Some(2));
        assert_eq!(
            at_most(&part(), &[], &[1, 1], 2, 1),
            Some(2),
            "5 / 2, rounded down"
        );
        assert_eq!(
            at_most(&part(), &[], &[1, -1], 1, 0),
            None,
            "z has a negative coefficient"
        );
        assert_eq!(at_most(&part(), &[], &[0, 1], 1, 0), None, "x is not in it");
        let bound = VariableBound {
            variable: 1,
            limit: 1,
            below: false,
        };
        assert_eq!(at_most(&part(), &[bound], &[0, 0, 1], 1, 1), Some(1));
        assert_eq!(
            at_most(
                &part(),
                &[VariableBound {
                    below: true,
                    ..bound
                }],
                &[0, 0, 1],
                1,
                1
            ),
            None
        );
        assert_eq!(at_most(&part(), &[], &[0, 1], 0, 1), None);
    }

    #[test]
    fn a_contradiction_needs_a_sum_that_shows_it() {
        let bound = VariableBound {
            variable: 1,
            limit: 3,
            below: true,
        };
        assert!(
            is_none(&part(), &[bound], &[0, 1, -1]),
            "y is at least 3 and at most 2"
        );
        assert!(!is_none(
            &part(),
            &[VariableBound { limit: 2, ..bound }],
            &[0, 1, -1]
        ));
        assert!(!is_none(&part(), &[bound], &[0, -1, 0]));
    }
}
