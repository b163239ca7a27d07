//! The dictionary of sensitive values (SCIENCE 1: several sensitive columns form one tuple, *the*
//! sensitive value s). Codes are in the order of the values, so that comparing codes compares
//! values and no code shows when a value arrived. Copies of a dictionary share its values: many
//! values are then held once, however many histograms and releases refer to them.
//!
//! Nothing here prints a value.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::cells::parse_text;
use crate::{Columns, Role, Value};

/// A code in a [`SensitiveValues`] dictionary.
pub type ValueCode = u32;

/// Distinct sensitive tuples in canonical order.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitiveValues {
    width: usize,
    len: usize,
    /// The values of one tuple after those of another: with a value of its own for each person
    /// there are many.
    cells: Arc<Vec<Value>>,
}

impl fmt::Debug for SensitiveValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Values({} tuples of {} columns)", self.len, self.width)
    }
}

impl SensitiveValues {
    /// From distinct tuples in any order; also returns each one's code.
    pub fn from_distinct(
        width: usize,
        tuples: Vec<Box<[Value]>>,
    ) -> (SensitiveValues, Vec<ValueCode>) {
        assert!(
            tuples.iter().all(|tuple| tuple.len() == width),
            "tuples of one width"
        );
        let len = tuples.len();
        SensitiveValues::from_cells(width, len, tuples.into_iter().flatten().collect())
    }

    /// The same from this number of tuples, one after another.
    pub fn from_cells(
        width: usize,
        len: usize,
        cells: Vec<Value>,
    ) -> (SensitiveValues, Vec<ValueCode>) {
        let (values, code) = SensitiveValues::from_repeated(width, len, cells);
        assert_eq!(values.len, len, "no value has two codes");
        (values, code)
    }

    /// The same from tuples of which some may be equal: they have one code.
    pub fn from_repeated(
        width: usize,
        number: usize,
        cells: Vec<Value>,
    ) -> (SensitiveValues, Vec<ValueCode>) {
        assert_eq!(cells.len(), width * number, "tuples of one width");
        let tuple = |at: u32| &cells[at as usize * width..][..width];
        let mut order: Vec<u32> = (0..number as u32).collect();
        let sorted = order.is_sorted_by(|&a, &b| tuple(a) <= tuple(b));
        if !sorted {
            order.par_sort_unstable_by(|&a, &b| tuple(a).cmp(tuple(b)));
        }
        let mut code = vec![0; number];
        let mut firsts = Vec::with_capacity(number);
        for &at in &order {
            if firsts.last().is_none_or(|&first| tuple(first) != tuple(at)) {
                firsts.push(at);
            }
            code[at as usize] = firsts.len() as ValueCode - 1;
        }
        drop(order);
        let mut kept = cells;
        if !sorted || firsts.len() < number {
            let mut all = std::mem::replace(&mut kept, Vec::with_capacity(firsts.len() * width));
            for &at in &firsts {
                kept.extend(
                    all[at as usize * width..][..width]
                        .iter_mut()
                        .map(std::mem::take),
                );
            }
        }
        kept.shrink_to_fit();
        (
            SensitiveValues {
                width,
                len: firsts.len(),
                cells: Arc::new(kept),
            },
            code,
        )
    }

    /// The number of sensitive columns per tuple.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of distinct tuples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The tuple of a code.
    pub fn get(&self, code: ValueCode) -> &[Value] {
        assert!((code as usize) < self.len, "a code of the dictionary");
        &self.cells[code as usize * self.width..][..self.width]
    }

    /// For each guarded set, in the order of the columns and of their sets, whether each value is
    /// in it.
    pub fn guarded(&self, columns: &Columns) -> Vec<Vec<bool>> {
        let sensitive = columns.of(Role::Sensitive).enumerate();
        let sets = sensitive
            .flat_map(|(at, column)| column.guarded.iter().map(move |set| (at, column.kind, set)));
        let holds = |(at, kind, set): (usize, _, &Vec<Box<str>>)| {
            let members: Vec<Value> = set
                .iter()
                .filter_map(|text| parse_text(text, kind))
                .collect();
            self.iter()
                .map(|tuple| members.contains(&tuple[at]))
                .collect()
        };
        sets.map(holds).collect()
    }

    /// The dictionary of only the values in use, and the new code of each old one (arbitrary for
    /// unused values).
    pub fn only(&self, used: &[bool]) -> (SensitiveValues, Vec<ValueCode>) {
        assert_eq!(used.len(), self.len(), "a mark for each value");
        let mut code = vec![0; self.len()];
        let kept = used.iter().filter(|&&used| used).count();
        let all = kept == self.len();
        let mut cells = Vec::with_capacity(if all { 0 } else { kept * self.width });
        for (new, old) in (0..self.len()).filter(|&old| used[old]).enumerate() {
            code[old] = new as ValueCode;
            if !all {
                cells.extend_from_slice(self.get(old as ValueCode));
            }
        }
        if all {
            return (self.clone(), code);
        }
        (
            SensitiveValues {
                width: self.width,
                len: kept,
                cells: Arc::new(cells),
            },
            code,
        )
    }

    /// The union of several dictionaries, and for each of them the new code of each old one. Order
    /// is preserved, so lists that are sorted by the old codes are sorted by the new ones.
    pub fn union(of: &[&SensitiveValues]) -> (SensitiveValues, Vec<Vec<ValueCode>>) {
        let width = of.iter().map(|values| values.width).max().unwrap_or(0);
        let mut distinct: Vec<&SensitiveValues> = Vec::new();
        for values in of {
            if !distinct.iter().any(|known| known.is(values)) {
                distinct.push(values);
            }
        }
        let union = match distinct[..] {
            [] => SensitiveValues::default(),
            [only] => only.clone(),
            _ => {
                let mut tuples: Vec<&[Value]> =
                    distinct.iter().flat_map(|values| values.iter()).collect();
                // A stable sort merges the dictionaries, each of which is sorted.
                tuples.sort();
                tuples.dedup();
                match distinct.iter().find(|values| values.len() == tuples.len()) {
                    Some(&whole) => whole.clone(),
                    None => SensitiveValues {
                        width,
                        len: tuples.len(),
                        cells: Arc::new(tuples.concat()),
                    },
                }
            }
        };
        let union = SensitiveValues { width, ..union };
        let maps = of.iter().map(|values| values.codes_in(&union)).collect();
        (union, maps)
    }

    /// All tuples, in order.
    fn iter(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        (0..self.len as ValueCode).map(|code| self.get(code))
    }

    /// Whether another dictionary is a copy of this one.
    fn is(&self, other: &SensitiveValues) -> bool {
        Arc::ptr_eq(&self.cells, &other.cells) && (self.width, self.len) == (other.width, other.len)
    }

    /// The code of each tuple in a dictionary that has them all.
    fn codes_in(&self, all: &SensitiveValues) -> Vec<ValueCode> {
        if self.is(all) {
            return (0..self.len() as ValueCode).collect();
        }
        let mut at = 0;
        let code = |tuple: &[Value]| {
            while all.get(at) != tuple {
                at += 1;
            }
            at
        };
        self.iter().map(code).collect()
    }
}

/// Whether an ascending map of codes is the identity.
pub fn keeps_codes(map: &[ValueCode]) -> bool {
    map.last()
        .is_none_or(|&last| last as usize + 1 == map.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[i64]) -> SensitiveValues {
        let tuples = numbers
            .iter()
            .map(|&number| vec![Value::Int(number)].into_boxed_slice())
            .collect();
        SensitiveValues::from_distinct(1, tuples).0
    }

    #[test]
    fn the_union_of_dictionaries_holds_each_value_once() {
        let (some, more) = (of(&[5, 1, 9]), of(&[9, 4, 1]));
        let (all, maps) = SensitiveValues::union(&[&some, &more]);
        assert_eq!(
            (all.len(), &maps[0], &maps[1]),
            (4, &vec![0, 2, 3], &vec![0, 1, 3])
        );
        assert!(all == of(&[1, 4, 5, 9]));
    }

    /// Otherwise memory grows with the number of histograms times the number of their values.
    #[test]
    fn a_dictionary_that_has_all_values_is_the_union() {
        let (all, some) = (of(&[1, 2, 3]), of(&[3, 1]));
        for (list, maps) in [
            (vec![&some, &all], vec![vec![0, 2], vec![0, 1, 2]]),
            (vec![&all, &all], vec![vec![0, 1, 2]; 2]),
        ] {
            let (union, found) = SensitiveValues::union(&list);
            assert!(union.is(&all) && found == maps);
        }
        let (kept, _) = all.only(&[true; 3]);
        assert!(kept.is(&all) && all.clone().is(&all));
    }
}
