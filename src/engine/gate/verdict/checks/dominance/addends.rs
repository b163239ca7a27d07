//! The numbers of the people of one label: the gate adds them up and judges their sum by the
//! definitions of the rules.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::super::super::next_release::NewIncrement;
use crate::model::{Decimal, Leaf, Node};
use crate::policy::{Dominance, Policy};

/// The published figures of a label, measure by measure.
pub(super) type LabelAddends = Vec<Aggregate>;

/// The published figures of the numbers of some people.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Aggregate {
    /// How many; `None` if suppressed.
    pub count: Option<u64>,
    /// Their sum; `None` if suppressed.
    pub sum: Option<i128>,
}

/// The numbers of some people, reduced to what the rules need.
#[derive(Clone, Default)]
pub(super) struct PersonAddends {
    pub count: u64,
    pub sum: i128,
    /// The sum of their sizes.
    sizes: BigUint,
    /// The absolute values: all of them, or the largest.
    largest: Vec<u64>,
}

impl PersonAddends {
    fn of(numbers: &[i64]) -> PersonAddends {
        let largest: Vec<u64> = numbers.iter().map(|number| number.unsigned_abs()).collect();
        let sum: i128 = numbers.iter().map(|&number| i128::from(number)).sum();
        PersonAddends {
            count: numbers.len() as u64,
            sum,
            sizes: largest.iter().map(|&size| BigUint::from(size)).sum(),
            largest,
        }
    }
}

/// The rules for suppressing sums.
pub(super) struct SumRules {
    k: u64,
    dominance: Option<Dominance>,
    percent: Option<Decimal>,
}

impl SumRules {
    pub(super) fn of(policy: &Policy) -> SumRules {
        let settings = policy.in_force();
        SumRules {
            k: policy.k(),
            dominance: settings.dominance,
            percent: settings.p_rule,
        }
    }

    /// Whether there are too few numbers to publish even their number.
    pub(super) fn are_few(&self, numbers: &PersonAddends) -> bool {
        numbers.count > 0 && numbers.count < self.k
    }

    /// Whether their sum reveals one person's number too precisely.
    pub(super) fn gives_away(&self, numbers: &PersonAddends) -> bool {
        let mut largest = numbers.largest.clone();
        largest.sort_unstable_by(|one, other| other.cmp(one));
        let of_largest = |many: usize| {
            largest
                .iter()
                .take(many)
                .map(|&size| BigUint::from(size))
                .sum::<BigUint>()
        };
        // The n largest are more than the share r of all.
        let dominated = self.dominance.is_some_and(|Dominance { n, share }| {
            of_largest(usize::try_from(n).unwrap_or(usize::MAX)) * unit(share)
                > &numbers.sizes * share.digits()
        });
        // All but the two largest are less than the share p of the largest.
        let close = self.percent.is_some_and(|share| {
            (&numbers.sizes - of_largest(2)) * unit(share) < of_largest(1) * share.digits()
        });
        dominated || close
    }

    /// The figures of the numbers of an atom's people that may be published.
    pub(super) fn aggregate(&self, numbers: &PersonAddends) -> Aggregate {
        if self.are_few(numbers) {
            return Aggregate {
                count: None,
                sum: None,
            };
        }
        assert!(
            numbers.count == 0 || numbers.count >= self.k,
            "published numbers are of at least k people"
        );
        Aggregate {
            count: Some(numbers.count),
            sum: (!self.gives_away(numbers)).then_some(numbers.sum),
        }
    }
}

fn unit(share: Decimal) -> BigUint {
    BigUint::from(10u8).pow(share.scale().into())
}

/// The numbers of the people of an increment, by label. `None` if they are unknown, or a person has
/// no label.
pub(super) fn addends(
    newest: &NewIncrement<'_>,
    measures: usize,
    label: impl Fn(&[Leaf]) -> Option<Vec<Node>>,
) -> Option<BTreeMap<Vec<Node>, Vec<PersonAddends>>> {
    let rows = newest.numbers?;
    if rows.measures().len() != measures || rows.len() as u64 != newest.rows.rows() {
        return None;
    }
    let mut labels: BTreeMap<Vec<Node>, Vec<Vec<i64>>> = BTreeMap::new();
    for row in 0..rows.len() {
        let leaves: Vec<Leaf> = rows.tuple_at(row).collect();
        let numbers = labels
            .entry(label(&leaves)?)
            .or_insert_with(|| vec![Vec::new(); measures]);
        numbers
            .iter_mut()
            .zip(rows.measures())
            .for_each(|(numbers, column)| numbers.extend(column[row]));
    }
    assert!(labels.len() <= rows.len(), "a label has a row");
    let added = |numbers: Vec<Vec<i64>>| {
        numbers
            .iter()
            .map(|numbers| PersonAddends::of(numbers))
            .collect()
    };
    Some(
        labels
            .into_iter()
            .map(|(label, numbers)| (label, added(numbers)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    /// A sum exactly at the limit of a rule is not sensitive, by the definitions: more than the
    /// share r, less than the share p.
    #[test]
    fn sums_exactly_at_a_limit_are_published() {
        let dominance = |n, share| SumRules {
            k: 2,
            dominance: Some(Dominance {
                n,
                share: decimal(share),
            }),
            percent: None,
        };
        let percent = |share| SumRules {
            k: 2,
            dominance: None,
            percent: Some(decimal(share)),
        };
        let numbers = |of: &[i64]| PersonAddends::of(of);
        let answers = [[80, 15, 5], [81, 14, 5], [-80, 15, -5]]
            .map(|of| dominance(1, "0.8").gives_away(&numbers(&of)));
        assert_eq!(answers, [false, true, false]);
        let answers =
            [[60, 20, 20], [61, 20, 19]].map(|of| dominance(2, "0.8").gives_away(&numbers(&of)));
        assert_eq!(answers, [false, true]);
        let answers = [[100, 50, 10], [101, 50, 10], [-100, 50, -9]]
            .map(|of| percent("0.1").gives_away(&numbers(&of)));
        assert_eq!(answers, [false, true, true]);
    }
}
