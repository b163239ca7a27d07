//! The people of a chain of crowds whose label shows a single sensitive value (SCIENCE 11): their
//! share, and the k that would halve it. Spellings of one value are one value, and a missing value
//! is none (SCIENCE 4, *Equal values*). For the operator alone; nothing that is published may
//! depend on it.

use std::collections::BTreeMap;

use super::state::Feed;
use crate::histogram::{Histogram, ValueCode};
use crate::model::{EqualValue, Value};
use crate::policy::Policy;

/// People whose label shows a single value in the release in which they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformPeople {
    /// The sensitive column; if there are several, the one with the most of these people, counted
    /// from 0.
    pub column: usize,
    /// The number of people.
    pub rows: u64,
    /// The number of published people.
    pub of: u64,
    /// The smallest number of people in an atom that would halve their share if people's values
    /// were independent of each other; `None` if there are no such people, or no number below
    /// `MOST` is enough.
    pub k: Option<u64>,
}

/// The largest number of people in an atom that is recommended.
const MOST: u64 = 100_000;

/// The figures over all published people; `None` if no person is published, or no column is
/// sensitive.
pub fn uniform(feed: &Feed, policy: &Policy) -> Option<UniformPeople> {
    let width = feed.whole().values().width();
    let columns = (0..width).filter_map(|column| uniform_in(feed, column, policy.a()));
    columns.max_by(|one, other| (one.rows, other.column).cmp(&(other.rows, one.column)))
}

fn uniform_in(feed: &Feed, column: usize, a: u64) -> Option<UniformPeople> {
    let (mut rows, mut of) = (0, 0);
    let mut equal = EqualValues::default();
    for published in &feed.published {
        let shown = &published.rows;
        for tuple in 0..shown.tuples() {
            let (mut size, mut first, mut is_uniform) = (0, None, true);
            for cell in shown.cells_of(tuple) {
                size += u64::from(cell.count);
                let value = equal.count(value(shown, cell.value, column), cell.count.into());
                if !equal.is_missing(value) {
                    is_uniform &= *first.get_or_insert(value) == value;
                }
            }
            of += size;
            if is_uniform {
                rows += size;
            }
        }
    }
    let shares: Vec<f64> = equal
        .rows
        .iter()
        .map(|&count| count as f64 / of as f64)
        .collect();
    (of > 0).then(|| UniformPeople {
        column,
        rows,
        of,
        k: halved(&shares, a),
    })
}

/// The values of a column without their spelling, with their rows.
#[derive(Default)]
struct EqualValues<'v> {
    of_spelling: BTreeMap<&'v Value, usize>,
    numbers: BTreeMap<EqualValue, usize>,
    rows: Vec<u64>,
}

impl<'v> EqualValues<'v> {
    /// Adds rows of a value; returns its number.
    fn count(&mut self, spelled: &'v Value, rows: u64) -> usize {
        let number = match self.of_spelling.get(spelled) {
            Some(&number) => number,
            None => {
                let next = self.numbers.len();
                let number = *self.numbers.entry(EqualValue::of(spelled)).or_insert(next);
                self.of_spelling.insert(spelled, number);
                self.rows.resize(self.numbers.len(), 0);
                number
            }
        };
        self.rows[number] += rows;
        number
    }

    fn is_missing(&self, number: usize) -> bool {
        self.numbers.get(&EqualValue::Missing) == Some(&number)
    }
}

fn value(shown: &Histogram, code: ValueCode, column: usize) -> &Value {
    &shown.values().get(code)[column]
}

/// The number of people from which on an atom shows a single value at most half as often as one of
/// `a` people, for values with these shares.
fn halved(shares: &[f64], a: u64) -> Option<u64> {
    assert!(
        shares.iter().all(|share| (0.0..=1.0).contains(share)),
        "shares"
    );
    let alike = |people: u64| {
        shares
            .iter()
            .map(|share| share.powi(people.min(MOST) as i32))
            .sum::<f64>()
    };
    let now = alike(a);
    if now == 0.0 || shares.len() < 2 {
        return None;
    }
    let (mut few, mut enough) = (a, MOST);
    if alike(enough) > now / 2.0 {
        return None;
    }
    while enough - few > 1 {
        let middle = few + (enough - few) / 2;
        if alike(middle) > now / 2.0 {
            few = middle
        } else {
            enough = middle
        }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::halved;

    #[test]
    fn larger_atoms_show_one_value_less_often() {
        // .76^5 + .24^5 is about .254; .76^8 + .24^8 about .111, .76^7 + .24^7 about .147
        assert_eq!(halved(&[0.76, 0.24], 5), Some(8));
        assert_eq!(halved(&[0.5, 0.5], 2), Some(3));
        assert_eq!(halved(&[1.0], 5), None);
        assert_eq!(halved(&[], 5), None);
        assert_eq!(halved(&[0.999_999_9, 0.000_000_1], 5), None);
    }
}
