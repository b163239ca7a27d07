//! The people of a chain of crowds whose label shows a single sensitive value (SCIENCE 11): their share, and the k that
//! would halve it. For the operator alone; nothing that is published may depend on it.

use std::collections::BTreeMap;

use super::state::Feed;
use crate::histogram::{Histogram, ValueCode};
use crate::policy::Policy;

/// People whose label shows a single value in the release in which they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UniformPeople {
    /// The sensitive column; if there are several, the one with the most of these people, counted from 0.
    pub column: usize,
    /// The number of people.
    pub rows: u64,
    /// The number of published people.
    pub of: u64,
    /// The smallest number of people in an atom that would halve their share if people's values were independent of
    /// each other; `None` if there are no such people, or no number below `MOST` is enough.
    pub k: Option<u64>,
}

/// The largest number of people in an atom that is recommended.
const MOST: u64 = 100_000;

impl Feed {
    /// The figures over all published people; `None` if no person is published, or no column is sensitive.
    pub fn uniform(&self, policy: &Policy) -> Option<UniformPeople> {
        let width = self.whole().values().width();
        let columns = (0..width).filter_map(|column| self.uniform_in(column, policy.a()));
        columns.max_by(|one, other| (one.rows, other.column).cmp(&(other.rows, one.column)))
    }

    fn uniform_in(&self, column: usize, a: u64) -> Option<UniformPeople> {
        let (mut rows, mut of) = (0, 0);
        let mut all: BTreeMap<_, u64> = BTreeMap::new();
        for published in &self.published {
            let shown = &published.rows;
            for tuple in 0..shown.tuples() {
                let cells = shown.cells_of(tuple);
                let size: u64 = cells.iter().map(|cell| u64::from(cell.count)).sum();
                let first = cells.first().map(|cell| value(shown, cell.value, column));
                let alike = cells.iter().all(|cell| Some(value(shown, cell.value, column)) == first);
                (rows, of) = (rows + if alike { size } else { 0 }, of + size);
                cells.iter().for_each(|cell| {
                    *all.entry(value(shown, cell.value, column).clone()).or_default() += u64::from(cell.count);
                });
            }
        }
        let shares: Vec<f64> = all.values().map(|&count| count as f64 / of as f64).collect();
        (of > 0).then(|| UniformPeople { column, rows, of, k: halved(&shares, a) })
    }
}

fn value(shown: &Histogram, code: ValueCode, column: usize) -> &crate::model::Value {
    &shown.values().get(code)[column]
}

/// The number of people from which on an atom shows a single value at most half as often as one of `a` people, for
/// values with these shares.
fn halved(shares: &[f64], a: u64) -> Option<u64> {
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "shares");
    let alike = |people: u64| shares.iter().map(|share| share.powi(people.min(MOST) as i32)).sum::<f64>();
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
        if alike(middle) > now / 2.0 { few = middle } else { enough = middle }
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
