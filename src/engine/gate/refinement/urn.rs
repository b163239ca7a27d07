//! Random distribution of rows over parts in proportion to the number of combinations of values of
//! each part; without replacement if no two rows share all values. Exact, given exact random
//! numbers.

use crate::arithmetic::SeededDraws;

/// Parts side by side.
pub(super) struct Urn {
    /// The cumulative number of combinations of values up to the end of each part.
    ends: Vec<u128>,
}

impl Urn {
    /// From the number of combinations of values in each part.
    pub(super) fn new(volumes: impl Iterator<Item = u128>) -> Urn {
        let sum = |sum: &mut u128, volume| {
            *sum += volume;
            Some(*sum)
        };
        Urn {
            ends: volumes.scan(0, sum).collect(),
        }
    }

    /// The parts that receive the rows, in the order drawn. If rows are distinct, there must be at
    /// least as many combinations as rows.
    pub(super) fn draw(&self, rows: u64, distinct: bool, draws: &mut SeededDraws) -> Vec<usize> {
        let all = self.ends[self.ends.len() - 1];
        let mut taken: Vec<usize> = Vec::new();
        while (taken.len() as u64) < rows {
            let value = draws.below(all);
            let part = self.ends.partition_point(|&end| end <= value);
            let start = if part == 0 { 0 } else { self.ends[part - 1] };
            // It does not matter which of a part's combinations others have, so they are taken to
            // be its first ones.
            let others = || taken.iter().filter(|&&other| other == part).count() as u128;
            if !distinct || value - start >= others() {
                taken.push(part);
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_rows_do_not_overflow_a_part() {
        let urn = Urn::new([1, 3, 2].into_iter());
        let mut draws = SeededDraws::new(1, 1);
        let mut first = [0; 3];
        for _ in 0..6000 {
            let parts = urn.draw(5, true, &mut draws);
            let counts = [0, 1, 2].map(|part| parts.iter().filter(|&&other| other == part).count());
            assert!(counts[0] <= 1 && counts[1] <= 3 && counts[2] <= 2);
            // One combination of six is left over.
            let left = [1, 3, 2]
                .iter()
                .zip(counts)
                .position(|(volume, count)| count < *volume)
                .expect("one is left");
            first[left] += 1;
        }
        assert!(
            (850..1150).contains(&first[0]) && (2800..3200).contains(&first[1]),
            "{first:?}"
        );
    }
}
