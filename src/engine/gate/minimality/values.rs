//! Minimality attacks on requirements that look at every value of a class (MIN 5), by enumerating how the values can fall
//! on the classes. For tables of a few classes; the work is bounded, and beyond it nothing is said.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::fraction::{Fraction, choose};

/// Counts of the values in some rows.
type Counts = Vec<u64>;

/// For each class, how strongly its people are tied to each value; the tie to a set is the sum over its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Ties {
    /// Sensitive rows of each value, over all assignments left; `[class][value]`.
    rows: Vec<Vec<BigUint>>,
    people: Vec<u64>,
    /// The assignments left.
    pub total: BigUint,
}

impl Ties {
    /// How strongly people of a class are tied to a set of values; `None` where no assignment is left.
    pub fn credibility(&self, class: usize, set: &[usize]) -> Option<Fraction> {
        let whole = &self.total * self.people[class];
        let rows: BigUint = set.iter().map(|&value| &self.rows[class][value]).sum();
        (whole != BigUint::ZERO).then(|| Fraction::new(rows, whole))
    }
}

/// Classes of these sizes were generalised, whole, into one with so many rows of each value, because one of them was not
/// admitted; `None` when more than so many steps of work would be needed.
///
/// # Panics
/// If there are not as many rows as people.
pub fn ties(sizes: &[u64], values: &[u64], admits: impl Fn(&[u64]) -> bool, work: u64) -> Option<Ties> {
    assert_eq!(sizes.iter().sum::<u64>(), values.iter().sum::<u64>(), "every row is somebody's");
    let mut left = work;
    let start = || BTreeMap::from([(vec![0; values.len()], BigUint::from(1u8))]);
    let all = arrangements(values);
    // Ways in which the classes before, and those behind, can be admitted with so many rows of each value.
    let mut before = vec![start()];
    for &size in sizes {
        before.push(joined(&before[before.len() - 1], size, values, &admits, &mut left)?);
    }
    let total = &all - before[sizes.len()].get(values).unwrap_or(&BigUint::ZERO);
    let mut behind = start();
    let mut rows = vec![vec![BigUint::ZERO; values.len()]; sizes.len()];
    for class in (0..sizes.len()).rev() {
        for counts in splits(sizes[class], values) {
            let rest: Counts = values.iter().zip(&counts).map(|(all, here)| all - here).collect();
            let mut ways = arrangements(&rest);
            if admits(&counts) {
                let pairs = behind.iter().filter_map(|(used, behind)| {
                    let left: Option<Counts> =
                        rest.iter().zip(used).map(|(rest, used)| rest.checked_sub(*used)).collect();
                    Some(before[class].get(&left?)? * behind)
                });
                ways -= pairs.sum::<BigUint>();
                left = left.checked_sub(behind.len() as u64)?;
            }
            left = left.checked_sub(1)?;
            let ways = ways * arrangements(&counts);
            rows[class].iter_mut().zip(&counts).for_each(|(sum, &count)| *sum += &ways * count);
        }
        behind = joined(&behind, sizes[class], values, &admits, &mut left)?;
    }
    Some(Ties { rows, people: sizes.to_vec(), total })
}

/// Another class is admitted beside those that are.
fn joined(
    ways: &BTreeMap<Counts, BigUint>,
    size: u64,
    values: &[u64],
    admits: &impl Fn(&[u64]) -> bool,
    left: &mut u64,
) -> Option<BTreeMap<Counts, BigUint>> {
    let mut joined: BTreeMap<Counts, BigUint> = BTreeMap::new();
    for counts in splits(size, values) {
        *left = left.checked_sub(1)?;
        if !admits(&counts) {
            continue;
        }
        let here = arrangements(&counts);
        for (used, ways) in ways {
            *left = left.checked_sub(1)?;
            let together: Counts = used.iter().zip(&counts).map(|(used, here)| used + here).collect();
            if together.iter().zip(values).all(|(together, all)| together <= all) {
                *joined.entry(together).or_default() += ways * &here;
            }
        }
    }
    Some(joined)
}

/// In how many orders rows with these counts can stand.
fn arrangements(counts: &[u64]) -> BigUint {
    let mut rows = 0;
    counts.iter().fold(BigUint::from(1u8), |product, &count| {
        rows += count;
        product * choose(rows, count)
    })
}

/// All counts of so many rows, no more of any value than there are; in lexicographic order, one at a time.
fn splits(size: u64, values: &[u64]) -> impl Iterator<Item = Counts> + '_ {
    // Room behind each value.
    let room: Vec<u64> = (0..values.len()).map(|at| values[at + 1..].iter().sum()).collect();
    // The lexicographically first counts whose first ones are fixed; `None` if the rest does not fit.
    let fill = move |mut counts: Counts, from: usize| {
        let mut rest = size.checked_sub(counts[..from].iter().sum())?;
        for at in from..values.len() {
            counts[at] = rest.saturating_sub(room[at]);
            rest -= counts[at];
        }
        (rest == 0 && counts.iter().zip(values).all(|(count, all)| count <= all)).then_some(counts)
    };
    let first = fill(vec![0; values.len()], 0);
    std::iter::successors(first, move |counts| {
        (0..values.len()).rev().find_map(|at| {
            let mut next = counts.clone();
            next[at] += 1;
            if next[at] > values[at] { None } else { fill(next, at + 1) }
        })
    })
}
