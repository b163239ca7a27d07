//! Minimality attacks on requirements that use every value of a class (MIN 5), by enumerating the
//! distributions of values over people with equal leaves. For classes of a few people and values;
//! the work is limited, and beyond the limit there is no result.

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::AssignmentCounts;
use crate::arithmetic::choose;

/// The number of rows of each value.
type Counts = Vec<u64>;

/// People with equal leaves, some of whose rows were generalised into the class under attack.
#[derive(Debug, Clone)]
pub struct GeneralisedPeople {
    /// The number of these rows.
    pub rows: u64,
    /// Their other rows, by value, if the release shows them.
    pub shown: Counts,
}

impl GeneralisedPeople {
    /// People all of whose rows were generalised.
    pub fn whole(rows: u64, values: usize) -> GeneralisedPeople {
        GeneralisedPeople {
            rows,
            shown: vec![0; values],
        }
    }

    /// All their rows by value, including these.
    fn with(&self, counts: &[u64]) -> Counts {
        self.shown
            .iter()
            .zip(counts)
            .map(|(shown, here)| shown + here)
            .collect()
    }
}

/// The remaining assignments of one class, by people and value.
#[derive(Debug, Clone, PartialEq)]
pub struct Ties {
    /// The number of remaining assignments, and of rows in them.
    pub counted: AssignmentCounts,
    /// The largest number of different values that each kind of people has under any remaining
    /// assignment, and under any at all.
    pub distinct: Vec<[usize; 2]>,
}

/// The result if rows of these people were generalised into one class with these numbers of rows
/// per value, because one of them was not admitted with their own rows; `None` if this needs more
/// than `work` steps, from which the used steps are deducted.
///
/// # Panics
/// If there are not as many rows as people.
pub fn ties(
    parts: &[GeneralisedPeople],
    values: &[u64],
    admits: impl Fn(usize, &[u64]) -> bool,
    work: &mut u64,
) -> Option<Ties> {
    assert_eq!(
        parts.iter().map(|part| part.rows).sum::<u64>(),
        values.iter().sum::<u64>(),
        "every row is a person's"
    );
    let admits = |at: usize, counts: &[u64]| admits(at, &parts[at].with(counts));
    if let Some(ties) = unbound(parts, values, &admits, work)? {
        return Some(ties);
    }
    let start = || BTreeMap::from([(vec![0; values.len()], BigUint::from(1u8))]);
    let all = arrangements(values);
    // The number of ways in which the people before, and those after, can be admitted with each
    // choice of rows per value.
    let mut before = vec![start()];
    for (at, part) in parts.iter().enumerate() {
        before.push(joined(
            &before[at],
            part.rows,
            values,
            |counts| admits(at, counts),
            work,
        )?);
    }
    let left = &all - before[parts.len()].get(values).unwrap_or(&BigUint::ZERO);
    let mut behind = start();
    let mut ties = Ties {
        counted: AssignmentCounts {
            left,
            held: vec![vec![BigUint::ZERO; values.len()]; parts.len()],
        },
        distinct: parts
            .iter()
            .map(|part| [0, most_different(part, values)])
            .collect(),
    };
    for (at, part) in parts.iter().enumerate().rev() {
        for counts in splits(part.rows, values) {
            let rest: Counts = values
                .iter()
                .zip(&counts)
                .map(|(all, here)| all - here)
                .collect();
            let mut ways = arrangements(&rest);
            if admits(at, &counts) {
                let pairs = behind.iter().filter_map(|(used, behind)| {
                    let left: Option<Counts> = rest
                        .iter()
                        .zip(used)
                        .map(|(rest, used)| rest.checked_sub(*used))
                        .collect();
                    Some(before[at].get(&left?)? * behind)
                });
                ways -= pairs.sum::<BigUint>();
                *work = work.checked_sub(step(values).saturating_mul(behind.len() as u64))?;
            }
            *work = work.checked_sub(step(values))?;
            let different = part
                .with(&counts)
                .iter()
                .filter(|&&count| count > 0)
                .count();
            if ways != BigUint::ZERO {
                ties.distinct[at][0] = different.max(ties.distinct[at][0]);
            }
            let ways = ways * arrangements(&counts);
            ties.counted.held[at]
                .iter_mut()
                .zip(&counts)
                .for_each(|(sum, &count)| *sum += &ways * count);
        }
        behind = joined(
            &behind,
            part.rows,
            values,
            |counts| admits(at, counts),
            work,
        )?;
    }
    Some(ties)
}

/// If some people are not admitted whatever they have, nothing is excluded.
fn unbound(
    parts: &[GeneralisedPeople],
    values: &[u64],
    admits: &impl Fn(usize, &[u64]) -> bool,
    work: &mut u64,
) -> Option<Option<Ties>> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&at| parts[at].rows);
    'parts: for at in order {
        for counts in splits(parts[at].rows, values) {
            *work = work.checked_sub(step(values))?;
            if admits(at, &counts) {
                continue 'parts;
            }
        }
        let distinct = parts
            .iter()
            .map(|part| [most_different(part, values); 2])
            .collect();
        return Some(Some(Ties {
            counted: free(parts, values),
            distinct,
        }));
    }
    Some(None)
}

/// The largest number of different values that people may have, if nothing is excluded.
fn most_different(part: &GeneralisedPeople, values: &[u64]) -> usize {
    assert!(!values.is_empty(), "values in a class");
    let new = values
        .iter()
        .zip(&part.shown)
        .filter(|(all, shown)| **all > 0 && **shown == 0)
        .count();
    part.shown.iter().filter(|&&shown| shown > 0).count() + new.min(part.rows as usize)
}

/// The same for a reader who excludes nothing.
pub fn free(parts: &[GeneralisedPeople], values: &[u64]) -> AssignmentCounts {
    let (rows, left) = (values.iter().sum::<u64>(), arrangements(values));
    // Over all assignments, a row has each value with the value's frequency in the class.
    let held = |part: &GeneralisedPeople| {
        values
            .iter()
            .map(|&count| &left * count / rows.max(1) * part.rows)
            .collect()
    };
    AssignmentCounts {
        held: parts.iter().map(held).collect(),
        left,
    }
}

/// Adds one more admitted kind of people.
fn joined(
    ways: &BTreeMap<Counts, BigUint>,
    size: u64,
    values: &[u64],
    admits: impl Fn(&[u64]) -> bool,
    left: &mut u64,
) -> Option<BTreeMap<Counts, BigUint>> {
    let (mut joined, step): (BTreeMap<Counts, BigUint>, u64) = (BTreeMap::new(), step(values));
    for counts in splits(size, values) {
        *left = left.checked_sub(step)?;
        if !admits(&counts) {
            continue;
        }
        let here = arrangements(&counts);
        for (used, ways) in ways {
            *left = left.checked_sub(step)?;
            let together: Counts = used
                .iter()
                .zip(&counts)
                .map(|(used, here)| used + here)
                .collect();
            if together
                .iter()
                .zip(values)
                .all(|(together, all)| together <= all)
            {
                *joined.entry(together).or_default() += ways * &here;
            }
        }
    }
    Some(joined)
}

/// The cost of a step: it creates lists of this many counts.
fn step(values: &[u64]) -> u64 {
    1 + values.len() as u64 / 8
}

/// The number of orders of rows with these counts.
fn arrangements(counts: &[u64]) -> BigUint {
    let mut rows = 0;
    counts.iter().fold(BigUint::from(1u8), |product, &count| {
        rows += count;
        product * choose(rows, count)
    })
}

/// All counts of `size` rows with at most the given number of each value, in lexicographic order,
/// generated one at a time.
fn splits(size: u64, values: &[u64]) -> impl Iterator<Item = Counts> + '_ {
    // The room after each value.
    let room: Vec<u64> = (0..values.len())
        .map(|at| values[at + 1..].iter().sum())
        .collect();
    // The lexicographically first counts with a fixed beginning; `None` if the rest does not fit.
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
            if next[at] > values[at] {
                None
            } else {
                fill(next, at + 1)
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::splits;

    #[test]
    fn all_counts_of_so_many_rows_against_all_lists() {
        for values in [vec![], vec![3], vec![0, 2], vec![2, 1, 2], vec![1, 0, 3, 1]] {
            let lists = values
                .iter()
                .fold(vec![Vec::new()], |lists: Vec<Vec<u64>>, &all| {
                    lists
                        .iter()
                        .flat_map(|list| (0..=all).map(move |count| [&list[..], &[count]].concat()))
                        .collect()
                });
            for size in 0..=values.iter().sum::<u64>() + 1 {
                let expected: Vec<&Vec<u64>> = lists
                    .iter()
                    .filter(|list| list.iter().sum::<u64>() == size)
                    .collect();
                let found: Vec<_> = splits(size, &values).collect();
                assert_eq!(
                    found
                        .iter()
                        .map(|counts| counts.to_vec())
                        .collect::<Vec<_>>(),
                    expected.into_iter().cloned().collect::<Vec<_>>(),
                    "{size} of {values:?}"
                );
            }
        }
    }
}
