//! A reader's belief about one person, value by value, and whether it keeps what a requirement
//! promises of a class (MIN 5): the same tests as in `requirement`, applied to shares instead of
//! rows.

use num_bigint::BigUint;

use super::AssignmentCounts;
use super::requirement::ExactShare;
use crate::arithmetic::ShareFraction;

/// The shares of all values; they add up to the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief {
    parts: Vec<BigUint>,
    of: BigUint,
}

impl Belief {
    /// For people with these rows that every reader sees, and the remaining assignments of their
    /// others; `None` if no assignment remains.
    pub fn of(counted: &AssignmentCounts, at: usize, shown: &[u64], people: u64) -> Option<Belief> {
        assert!(
            shown.iter().sum::<u64>() >= people || people > 0,
            "people in a class"
        );
        let held = |(value, &shown): (usize, &u64)| {
            counted.held[at].get(value).unwrap_or(&BigUint::ZERO) + &counted.left * shown
        };
        let parts = shown.iter().enumerate().map(held).collect();
        (counted.left != BigUint::ZERO).then(|| Belief {
            parts,
            of: &counted.left * people,
        })
    }

    /// For people all of whose rows every reader sees.
    pub fn seen(shown: &[u64]) -> Belief {
        Belief {
            parts: shown.iter().map(|&rows| rows.into()).collect(),
            of: shown.iter().sum::<u64>().into(),
        }
    }

    /// The share of a set of values.
    pub fn share(&self, set: &[usize]) -> ShareFraction {
        assert!(
            set.iter().all(|&value| value < self.parts.len()),
            "a value of the class"
        );
        ShareFraction::new(
            set.iter().map(|&value| &self.parts[value]).sum(),
            self.of.clone(),
        )
    }

    /// The share of the likeliest value.
    pub fn strongest(&self) -> ShareFraction {
        ShareFraction::new(
            self.parts.iter().max().cloned().unwrap_or_default(),
            self.of.clone(),
        )
    }

    /// Whether it is recursively (c, l)-diverse.
    pub fn is_recursive(&self, c: ExactShare, l: usize) -> bool {
        let [most, tail] = self.most_and_tail(l);
        most * c.of < tail * c.part
    }

    /// The c that it would need: the likeliest value divided by the sum of all from the l-th on.
    pub fn recursive(&self, l: usize) -> f64 {
        let [most, tail] = self.most_and_tail(l);
        if tail == BigUint::ZERO {
            f64::INFINITY
        } else {
            ratio(most, &tail)
        }
    }

    fn most_and_tail(&self, l: usize) -> [BigUint; 2] {
        assert!(l >= 1, "the tail begins with a value");
        let mut parts: Vec<&BigUint> = self.parts.iter().collect();
        parts.sort_unstable_by(|a, b| b.cmp(a));
        let tail = parts.iter().skip(l.saturating_sub(1)).copied().sum();
        [
            parts.first().map_or(BigUint::ZERO, |most| (*most).clone()),
            tail,
        ]
    }

    /// ½ Σ |p − q| to the counts of a table.
    pub fn distance(&self, whole: &[u64]) -> ShareFraction {
        assert_eq!(whole.len(), self.parts.len(), "a count for each value");
        let rows: u64 = whole.iter().sum();
        let apart = |(part, &count): (&BigUint, &u64)| {
            let (here, there) = (part * rows, &self.of * count);
            if here > there {
                here - there
            } else {
                there - here
            }
        };
        ShareFraction::new(
            self.parts.iter().zip(whole).map(apart).sum(),
            &self.of * rows * 2u8,
        )
    }

    /// The difference between the highest and the lowest possible number.
    pub fn span(&self, numbers: &[i128]) -> i128 {
        assert_eq!(numbers.len(), self.parts.len(), "a number for each value");
        let there = || {
            self.parts
                .iter()
                .zip(numbers)
                .filter(|(part, _)| **part != BigUint::ZERO)
                .map(|(_, &number)| number)
        };
        there()
            .max()
            .zip(there().min())
            .map_or(0, |(high, low)| high - low)
    }
}

/// a / b, which may be above 1.
fn ratio(a: BigUint, b: &BigUint) -> f64 {
    let both = &a + b;
    let share = ShareFraction::new(a, both.clone()).value();
    share / ShareFraction::new(b.clone(), both).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_believe_of_rows_that_they_see() {
        let belief = Belief::seen(&[2, 5, 3]);
        assert!((belief.share(&[0, 2]).value() - 0.5).abs() < 1e-12);
        assert!((belief.strongest().value() - 0.5).abs() < 1e-12);
        for (l, c) in [(1, 0.5), (2, 1.0), (3, 2.5)] {
            assert!((belief.recursive(l) - c).abs() < 1e-12, "l = {l}");
            let part = |part| ExactShare { part, of: 10 };
            let on = (c * 10.0) as u64;
            assert_eq!(
                [on, on + 1].map(|at| belief.is_recursive(part(at), l)),
                [false, true],
                "l = {l}"
            );
        }
        assert!(belief.recursive(4).is_infinite(), "there are three values");
        assert!((belief.distance(&[1, 1, 2]).value() - 0.25).abs() < 1e-12);
        assert!(belief.distance(&[4, 10, 6]).value().abs() < 1e-12);
        assert_eq!(
            (
                belief.span(&[10, 30, 25]),
                Belief::seen(&[0, 1, 1]).span(&[10, 30, 25])
            ),
            (20, 5)
        );
    }
}
