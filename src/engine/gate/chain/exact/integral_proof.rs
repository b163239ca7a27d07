//! Converts multipliers that were found with floats into whole ones that prove a bound (SCIENCE 3):
//! rounded, then raised where rounding left a coefficient too small. Raising weakens the bound a
//! little, but never its correctness, which [`super::proof`] checks in any case.

use super::part::EquationBlock;
use super::proof::VariableBound;

/// Multipliers are counted in fractions of this.
pub(super) const SCALE: i64 = 1 << 36;
/// Larger multipliers are given up.
const LARGEST: f64 = (1u64 << 16) as f64;

/// Whole multipliers near these with which no variable has a negative coefficient in the sum of the
/// equations, and `variable` has a coefficient of at least [`SCALE`].
pub(super) fn multiples(
    part: &EquationBlock,
    bounds: &[VariableBound],
    mix: &[f64],
    variable: Option<usize>,
) -> Option<Vec<i64>> {
    if !mix.iter().all(|multiple| multiple.abs() <= LARGEST) {
        return None;
    }
    let mut whole: Vec<i64> = mix
        .iter()
        .map(|multiple| (multiple * SCALE as f64).round() as i64)
        .collect();
    let (given, made) = whole.split_at_mut(part.grown().len());
    let mut by_bounds: Vec<(u32, i64)> = Vec::with_capacity(bounds.len());
    for (bound, multiple) in bounds.iter().zip(made) {
        *multiple = if bound.below {
            (*multiple).min(0)
        } else {
            (*multiple).max(0)
        };
        by_bounds.push((bound.variable, *multiple));
    }
    by_bounds.sort_unstable();
    for path in 0..part.variables() {
        let from = by_bounds.partition_point(|made| (made.0 as usize) < path);
        let bound: i64 = by_bounds[from..]
            .iter()
            .take_while(|made| made.0 as usize == path)
            .map(|made| made.1)
            .sum();
        let sum: i64 = part
            .of(path)
            .iter()
            .map(|&equation| given[equation as usize])
            .sum();
        let lacking = if Some(path) == variable { SCALE } else { 0 } - sum - bound;
        if lacking > 0 {
            let cheapest = part
                .of(path)
                .iter()
                .min_by_key(|&&equation| part.grown()[equation as usize])?;
            given[*cheapest as usize] += lacking;
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::super::proof;
    use super::*;

    #[test]
    fn what_rounding_left_too_small_is_raised() {
        // x + y = 3, y + z = 2.
        let part = EquationBlock::new(vec![3, 2], &[vec![0], vec![0, 1], vec![1]]);
        for mix in [[0.0, 1.0], [1e-13, 1.0 - 1e-10], [-1e-10, 1.0]] {
            let mix = multiples(&part, &[], &mix, Some(1)).expect("small ones");
            assert_eq!(proof::at_most(&part, &[], &mix, SCALE, 1), Some(2));
        }
        assert_eq!(multiples(&part, &[], &[f64::NAN, 0.0], None), None);
        assert_eq!(multiples(&part, &[], &[LARGEST * 2.0, 0.0], None), None);
        assert!(multiples(&part, &[], &[LARGEST, 0.0], None).is_some());
        let bounds = [VariableBound {
            variable: 1,
            limit: 3,
            below: true,
        }];
        let mix = multiples(&part, &bounds, &[0.0, 1.0, -1.0], None).expect("small ones");
        assert!(
            proof::is_none(&part, &bounds, &mix),
            "y is at least 3 and at most 2"
        );
    }
}
