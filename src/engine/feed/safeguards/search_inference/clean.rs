//! The number of ways to distribute the people of a class over the children of a node so that no
//! child holds 1..a−1 of them (SCIENCE 6), in whole numbers.

use num_bigint::BigUint;

use super::terms::TraceBudget;
use crate::policy::Values;

/// Ways without a small child, and all ways.
pub(super) struct WayCounts {
    /// Without a small child.
    pub clean: BigUint,
    /// All.
    pub all: BigUint,
}

/// The numbers of ways to place people over children of these volumes; `None` if the numbers are
/// too large for the budget.
pub(super) fn ways(
    rows: u64,
    volumes: &[u128],
    a: u64,
    values: Values,
    budget: &mut TraceBudget,
) -> Option<WayCounts> {
    let whole = volumes
        .iter()
        .try_fold(0u128, |sum, &volume| sum.checked_add(volume))?;
    let bits = rows.checked_mul(u64::from(u128::BITS - whole.leading_zeros()))?;
    let sums = rows
        .checked_mul(rows + 1)?
        .checked_mul(volumes.len() as u64)?
        .checked_mul(bits / 64 + 1)?;
    budget.bits = budget.bits.checked_sub(bits)?;
    budget.sums = budget.sums.checked_sub(sums)?;
    let mut left = vec![BigUint::ZERO; rows as usize + 1];
    left[rows as usize] = BigUint::from(1u8);
    for &volume in volumes {
        let mut next = vec![BigUint::ZERO; left.len()];
        for (people, ways) in left
            .iter()
            .enumerate()
            .filter(|(_, ways)| **ways != BigUint::ZERO)
        {
            let mut term = ways.clone();
            for count in 0..=people {
                if count == 0 || count as u64 >= a {
                    next[people - count] += &term;
                }
                // From each count to the next; every step divides without remainder.
                term = match values {
                    Values::Repeated => term * volume * (people - count) / (count + 1),
                    Values::Distinct => term * volume.saturating_sub(count as u128) / (count + 1),
                };
            }
        }
        left = next;
    }
    Some(WayCounts {
        clean: left.swap_remove(0),
        all: all(rows, whole, values),
    })
}

/// The number of ways to have this many people among this many combinations.
pub(super) fn all(rows: u64, volume: u128, values: Values) -> BigUint {
    let one = BigUint::from(1u8);
    match values {
        Values::Repeated => (0..rows).fold(one, |product, _| product * volume),
        Values::Distinct => (0..rows).fold(one, |product, count| {
            product * volume.saturating_sub(u128::from(count)) / (count + 1)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: u64, volumes: &[u128], a: u64, values: Values, clean: u64, all: u64) {
        let ways =
            ways(rows, volumes, a, values, &mut TraceBudget::FULL.clone()).expect("small numbers");
        assert_eq!((ways.clean, ways.all), (clean.into(), all.into()));
    }

    #[test]
    fn by_hand() {
        // Both or none of two people in the first of two children.
        check(2, &[1, 1], 2, Values::Repeated, 2, 4);
        check(2, &[1, 1], 2, Values::Distinct, 0, 1);
        check(2, &[2, 3], 2, Values::Distinct, 1 + 3, 10);
        check(2, &[2, 3], 2, Values::Repeated, 4 + 9, 25);
        // Four people and a = 2: 4, 2 + 2 (six ways) or 4 + 0.
        check(4, &[1, 1], 2, Values::Repeated, 8, 16);
        check(0, &[1, 1], 2, Values::Repeated, 1, 1);
    }
}
