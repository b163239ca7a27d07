//! The requirements that releases are generalised for (MIN 5), each as the question whether a class satisfies it. Those
//! about one set of values look at its count alone, the others at the counts of all values.
//!
//! A class without people violates nothing.

use crate::policy::Decimal;

/// A share or a distance, as an exact fraction.
#[derive(Debug, Clone, Copy)]
pub struct ExactShare {
    /// So many …
    pub part: u64,
    /// … of so many.
    pub of: u64,
}

impl From<Decimal> for ExactShare {
    fn from(share: Decimal) -> ExactShare {
        ExactShare { part: share.digits(), of: 10u64.pow(share.scale().into()) }
    }
}

impl ExactShare {
    /// Whether count / all is at most this.
    pub fn holds(self, count: u64, all: u64) -> bool {
        assert!(count <= all, "a part of all");
        u128::from(count) * u128::from(self.of) <= u128::from(all) * u128::from(self.part)
    }
}

/// l-diversity in its simple form (MIN 1): the set makes up at most 1/l.
pub fn l_diverse(l: u64) -> impl Fn(u64, u64) -> bool {
    assert!(l >= 1, "values in a class");
    move |people, count| ExactShare { part: 1, of: l }.holds(count, people)
}

/// (α, k)-anonymity: k people at least, of whom the set makes up at most α. Confidence bounding is the same with k = 1.
pub fn alpha_k(alpha: ExactShare, k: u64) -> impl Fn(u64, u64) -> bool {
    move |people, count| people == 0 || people >= k && alpha.holds(count, people)
}

/// t-closeness where values are in the set or not: the set's share lies within t of its share in the whole table.
pub fn close(t: ExactShare, whole: ExactShare) -> impl Fn(u64, u64) -> bool {
    move |people, count| {
        let (here, there) = (u128::from(count) * u128::from(whole.of), u128::from(people) * u128::from(whole.part));
        let far = here.abs_diff(there) * u128::from(t.of);
        far <= u128::from(people) * u128::from(whole.of) * u128::from(t.part)
    }
}

/// The same for every value apart, with the distance ½ Σ |p − q|; `whole` are the counts of the table.
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

/// Recursive (c, l)-diversity: the most frequent value has fewer than c times the rows from the l-th value on.
pub fn recursive(c: ExactShare, l: usize) -> impl Fn(&[u64]) -> bool {
    move |counts| {
        let mut counts = counts.to_vec();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let most = counts.first().copied().unwrap_or(0);
        let tail: u64 = counts.iter().skip(l.saturating_sub(1)).sum();
        most == 0 || u128::from(most) * u128::from(c.of) < u128::from(tail) * u128::from(c.part)
    }
}

/// (k, e)-anonymity: k people at least, whose numbers span e at least; `numbers` are what the values stand for.
pub fn k_e(k: u64, e: i128, numbers: Vec<i128>) -> impl Fn(&[u64]) -> bool {
    move |counts| {
        let there = || counts.iter().zip(&numbers).filter(|(count, _)| **count > 0).map(|(_, &number)| number);
        let (Some(low), Some(high)) = (there().min(), there().max()) else { return true };
        counts.iter().sum::<u64>() >= k && high - low >= e
    }
}

/// Personalised privacy where all people of a class guard the same sets of values: no person can be tied to one of them with
/// more than this. Also l-diversity of several guarded sets at once.
pub fn guarded(sets: Vec<Vec<usize>>, most: ExactShare) -> impl Fn(&[u64]) -> bool {
    move |counts| {
        let people = counts.iter().sum();
        sets.iter().all(|set| most.holds(set.iter().map(|&value| counts[value]).sum(), people))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_k_people_is_large_enough() {
        let holds = alpha_k(ExactShare { part: 1, of: 2 }, 4);
        let asked = [(0, 0), (3, 1), (4, 2), (4, 3), (5, 2)].map(|(people, count)| holds(people, count));
        assert_eq!(asked, [true, false, true, false, true]);
    }
}
