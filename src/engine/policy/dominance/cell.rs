//! The contributions to one sum, reduced to what the rules need.

/// The contributions to one sum: their number, their sum, and the largest of them. Contributions
/// can be added, and cells merged.
#[derive(Clone, PartialEq, Eq)]
pub struct SumCell {
    rows: u64,
    sum: i128,
    absolute: u128,
    largest: Vec<u64>,
    kept: usize,
}

// The largest contribution is the value of one person.
impl std::fmt::Debug for SumCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl SumCell {
    /// A cell without contributions, which keeps the `kept` largest ones.
    pub fn new(kept: usize) -> SumCell {
        SumCell {
            rows: 0,
            sum: 0,
            absolute: 0,
            largest: Vec::new(),
            kept,
        }
    }

    /// A cell with all these contributions.
    pub fn of(contributions: impl IntoIterator<Item = i64>, kept: usize) -> SumCell {
        let mut cell = SumCell::new(kept);
        contributions
            .into_iter()
            .for_each(|contribution| cell.add(contribution));
        cell
    }

    /// From nonnegative contributions as a table gives them: their number, their sum, and the
    /// largest ones. `None` if these exceed the sum, or are more in number. A rule that needs more
    /// of the largest ones may only be applied if the others are 0.
    pub fn of_table(rows: u64, sum: u128, mut largest: Vec<u64>) -> Option<SumCell> {
        let of_largest: u128 = largest
            .iter()
            .map(|&contribution| u128::from(contribution))
            .sum();
        let as_many = u64::try_from(
            largest
                .iter()
                .filter(|&&contribution| contribution > 0)
                .count(),
        )
        .ok()?;
        if of_largest > sum || as_many > rows {
            return None;
        }
        largest.sort_unstable_by(|one, other| other.cmp(one));
        let kept = largest.len();
        Some(SumCell {
            rows,
            sum: i128::try_from(sum).ok()?,
            absolute: sum,
            largest,
            kept,
        })
    }

    /// From what was stored: the number of contributions, their sum, the sum of their absolute
    /// values, and the largest of these in descending order.
    pub fn restored(rows: u64, sum: i128, absolute: u128, largest: Vec<u64>) -> SumCell {
        assert!(
            sum.unsigned_abs() <= absolute,
            "a sum is at most the sum of all sizes"
        );
        assert!(
            largest.is_sorted_by(|one, next| one >= next),
            "the largest contributions, largest first"
        );
        assert!(
            largest.iter().map(|&one| u128::from(one)).sum::<u128>() <= absolute,
            "contributions are parts of the sum"
        );
        let kept = largest.len();
        SumCell {
            rows,
            sum,
            absolute,
            largest,
            kept,
        }
    }

    /// Adds a contribution. The rules use its absolute value.
    pub fn add(&mut self, contribution: i64) {
        self.rows += 1;
        self.sum += i128::from(contribution);
        self.absolute += u128::from(contribution.unsigned_abs());
        self.keep(contribution.unsigned_abs());
    }

    /// Adds the contributions of another cell, which belong to other people.
    pub fn merge(&mut self, other: &SumCell) {
        self.rows += other.rows;
        self.sum += other.sum;
        self.absolute += other.absolute;
        self.kept = self.kept.min(other.kept);
        self.largest.truncate(self.kept);
        other
            .largest
            .iter()
            .for_each(|&contribution| self.keep(contribution));
    }

    fn keep(&mut self, contribution: u64) {
        let at = self
            .largest
            .partition_point(|&larger| larger >= contribution);
        if at < self.kept {
            self.largest.insert(at, contribution);
            self.largest.truncate(self.kept);
        }
    }

    /// The number of contributions.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Their sum.
    pub fn sum(&self) -> i128 {
        self.sum
    }

    /// The sum of their absolute values.
    pub fn absolute(&self) -> u128 {
        self.absolute
    }

    /// The absolute values of the largest contributions that are kept, in descending order; zeros
    /// follow if there are fewer contributions.
    pub fn kept(&self) -> impl Iterator<Item = u64> + '_ {
        self.largest
            .iter()
            .copied()
            .chain(std::iter::repeat(0))
            .take(self.kept)
    }

    /// The sum of the `count` largest absolute values, or of all of them if there are fewer.
    pub(super) fn largest(&self, count: usize) -> u128 {
        assert!(
            self.largest.is_sorted_by(|one, next| one >= next),
            "the largest contributions, largest first"
        );
        assert!(count <= self.kept, "so many are not kept");
        self.largest
            .iter()
            .take(count)
            .map(|&contribution| u128::from(contribution))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_contributions_are_no_more_than_their_sum_and_number() {
        let from_parts =
            |rows, sum, largest: &[u64]| SumCell::of_table(rows, sum, largest.to_vec());
        assert_eq!(from_parts(2, 10, &[3, 7]), Some(SumCell::of([7, 3], 2)));
        assert!(from_parts(2, 9, &[3, 7]).is_none() && from_parts(1, 10, &[3, 7]).is_none());
        // A value of 0 need not be a contribution.
        assert_eq!(from_parts(1, 7, &[7, 0]).map(|cell| cell.rows()), Some(1));
        // More than any sum of contributions of 64 bits.
        assert!(
            from_parts(3, 1 << 127, &[1]).is_none()
                && from_parts(3, (1 << 127) - 1, &[1]).is_some()
        );
    }
}
