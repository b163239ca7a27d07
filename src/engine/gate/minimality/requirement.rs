//! The requirements for which releases are generalised (MIN 5), each as a test whether a class
//! satisfies it. Tests about one set of values use its count alone, the others the counts of all
//! values.
//!
//! A class without people violates nothing.

use crate::policy::Decimal;

/// A share or a distance, as an exact fraction.
#[derive(Debug, Clone, Copy)]
pub struct ExactShare {
    /// The numerator.
    pub part: u64,
    /// The denominator.
    pub of: u64,
}

impl From<Decimal> for ExactShare {
    fn from(share: Decimal) -> ExactShare {
        ExactShare {
            part: share.digits(),
            of: 10u64.pow(share.scale().into()),
        }
    }
}

impl ExactShare {
    /// Whether count / all is at most this share.
    pub fn holds(self, count: u64, all: u64) -> bool {
        assert!(count <= all, "a part of all");
        u128::from(count) * u128::from(self.of) <= u128::from(all) * u128::from(self.part)
    }
}

/// l-diversity in its simple form (MIN 1): the set has a share of at most 1/l.
pub fn l_diverse(l: u64) -> impl Fn(u64, u64) -> bool {
    assert!(l >= 1, "values in a class");
    move |people, count| ExactShare { part: 1, of: l }.holds(count, people)
}

/// (α, k)-anonymity: at least k people, among whom the set has a share of at most α. Confidence
/// bounding is the same with k = 1.
pub fn alpha_k(alpha: ExactShare, k: u64) -> impl Fn(u64, u64) -> bool {
    move |people, count| people == 0 || people >= k && alpha.holds(count, people)
}

/// t-closeness for values that are in the set or not: the share of the set differs by at most t
/// from its share in the whole table.
pub fn close(t: ExactShare, whole: ExactShare) -> impl Fn(u64, u64) -> bool {
    move |people, count| {
        let (here, there) = (
            u128::from(count) * u128::from(whole.of),
            u128::from(people) * u128::from(whole.part),
        );
        let far = here.abs_diff(there) * u128::from(t.of);
        far <= u128::from(people) * u128::from(whole.of) * u128::from(t.part)
    }
}

/// t-closeness for every value separately, with the distance ½ Σ |p − q|; `whole` are the counts of
/// the table.
pub fn close_to(t: ExactShare, whole: Vec<u64>) -> impl Fn(&[u64]) -> bool {
    let rows: u64 = whole.iter().sum();
    move |counts| {
        let people: u64 = counts.iter().sum();
        let apart = |(&here, &there): (&u64, &u64)| {
            (u128::from(here) * u128::from(rows)).abs_diff(u128::from(there) * u128::from(people))
        };
        let far: u128 = counts.iter().zip(&whole).map(apart).sum();
        far * u128::from(t.of) <= 2 * u128::from(people) * u128::from(rows) * u128::from(t.part)
    }
}

/// Recursive (c, l)-diversity: the most frequent value has fewer than c times as many rows as the
/// l-th and all rarer values together.
pub fn recursive(c: ExactShare, l: usize) -> impl Fn(&[u64]) -> bool {
    move |counts| {
        let mut counts = counts.to_vec();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let most = counts.first().copied().unwrap_or(0);
        let tail: u64 = counts.iter().skip(l.saturating_sub(1)).sum();
        most == 0 || u128::from(most) * u128::from(c.of) < u128::from(tail) * u128::from(c.part)
    }
}

/// (k, e)-anonymity: at least k people, whose numbers span at least e; `numbers` are the numbers of
/// the values.
pub fn k_e(k: u64, e: i128, numbers: Vec<i128>) -> impl Fn(&[u64]) -> bool {
    move |counts| {
        let there = || {
            counts
                .iter()
                .zip(&numbers)
                .filter(|(count, _)| **count > 0)
                .map(|(_, &number)| number)
        };
        let (Some(low), Some(high)) = (there().min(), there().max()) else {
            return true;
        };
        counts.iter().sum::<u64>() >= k && high - low >= e
    }
}

/// Personal privacy if all people of a class guard the same sets of values: no person can be linked
/// to one of them with more than this. Also l-diversity of several guarded sets at once.
pub fn guarded(sets: Vec<Vec<usize>>, most: ExactShare) -> impl Fn(&[u64]) -> bool {
    move |counts| {
        let people = counts.iter().sum();
        sets.iter()
            .all(|set| most.holds(set.iter().map(|&value| counts[value]).sum(), people))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_k_people_is_large_enough() {
        let holds = alpha_k(ExactShare { part: 1, of: 2 }, 4);
        let answers =
            [(0, 0), (3, 1), (4, 2), (4, 3), (5, 2)].map(|(people, count)| holds(people, count));
        assert_eq!(answers, [true, false, true, false, true]);
    }
}
