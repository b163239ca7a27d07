//! The dictionary of sensitive values (SCIENCE 1: several sensitive columns form one tuple, *the* sensitive value s).
//! Codes are in the order of the values, so that comparing codes compares values and no code shows when a value
//! arrived. Dictionaries share their tuples, and copies of a dictionary share it: many values are then held once, however
//! many histograms and releases refer to them.
//!
//! Nothing here prints a value.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cells::parse_text;
use crate::model::{Columns, Role, Value};

/// A code in a [`SensitiveValues`] dictionary.
pub type ValueCode = u32;

/// Distinct sensitive tuples in canonical order.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitiveValues {
    width: usize,
    tuples: Arc<Vec<Arc<[Value]>>>,
}

impl fmt::Debug for SensitiveValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Values({} tuples of {} columns)", self.tuples.len(), self.width)
    }
}

impl SensitiveValues {
    /// From distinct tuples in any order; also returns each one's code.
    pub fn from_distinct(width: usize, tuples: Vec<Box<[Value]>>) -> (SensitiveValues, Vec<ValueCode>) {
        let mut order: Vec<u32> = (0..tuples.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| tuples[a as usize].cmp(&tuples[b as usize]));
        let mut code = vec![0; tuples.len()];
        let mut tuples: Vec<Option<Box<[Value]>>> = tuples.into_iter().map(Some).collect();
        let mut sorted: Vec<Arc<[Value]>> = Vec::with_capacity(tuples.len());
        for (rank, &at) in order.iter().enumerate() {
            code[at as usize] = rank as ValueCode;
            sorted.push(tuples[at as usize].take().expect("each tuple has one rank").into());
        }
        assert!(sorted.iter().all(|tuple| tuple.len() == width), "tuples of one width");
        assert!(sorted.is_sorted_by(|one, next| one < next), "no value has two codes");
        (SensitiveValues { width, tuples: Arc::new(sorted) }, code)
    }

    /// The number of sensitive columns per tuple.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of distinct tuples.
    pub fn len(&self) -> usize {
        self.tuples.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tuples.is_empty()
    }

    /// The tuple of a code.
    pub fn get(&self, code: ValueCode) -> &[Value] {
        &self.tuples[code as usize]
    }

    /// For each guarded set, in the order of the columns and of their sets, whether each value is in it.
    pub fn guarded(&self, columns: &Columns) -> Vec<Vec<bool>> {
        let sensitive = columns.of(Role::Sensitive).enumerate();
        let sets = sensitive.flat_map(|(at, column)| column.guarded.iter().map(move |set| (at, column.kind, set)));
        let holds = |(at, kind, set): (usize, _, &Vec<Box<str>>)| {
            let members: Vec<Value> = set.iter().filter_map(|text| parse_text(text, kind)).collect();
            self.tuples.iter().map(|tuple| members.contains(&tuple[at])).collect()
        };
        sets.map(holds).collect()
    }

    /// The dictionary of only the values in use, and the new code of each old one (arbitrary for unused values).
    pub fn only(&self, used: &[bool]) -> (SensitiveValues, Vec<ValueCode>) {
        assert_eq!(used.len(), self.len(), "a mark for each value");
        let (mut tuples, mut code) = (Vec::new(), vec![0; self.len()]);
        for old in (0..self.len()).filter(|&old| used[old]) {
            code[old] = tuples.len() as ValueCode;
            tuples.push(Arc::clone(&self.tuples[old]));
        }
        if tuples.len() == self.len() {
            return (self.clone(), code);
        }
        (SensitiveValues { width: self.width, tuples: Arc::new(tuples) }, code)
    }

    /// The union of several dictionaries, and for each of them the new code of each old one. Order is preserved, so
    /// lists that are sorted by the old codes are sorted by the new ones.
    pub fn union(of: &[&SensitiveValues]) -> (SensitiveValues, Vec<Vec<ValueCode>>) {
        let width = of.iter().map(|values| values.width).max().unwrap_or(0);
        let mut distinct: Vec<&SensitiveValues> = Vec::new();
        for values in of {
            if !distinct.iter().any(|known| Arc::ptr_eq(&known.tuples, &values.tuples)) {
                distinct.push(values);
            }
        }
        let union = match distinct[..] {
            [] => Arc::default(),
            [only] => Arc::clone(&only.tuples),
            _ => {
                let all = distinct.iter().flat_map(|values| values.tuples.iter());
                let mut tuples: Vec<Arc<[Value]>> = all.cloned().collect();
                // A stable sort merges the dictionaries, each of which is sorted.
                tuples.sort();
                tuples.dedup();
                match distinct.iter().find(|values| values.len() == tuples.len()) {
                    Some(whole) => Arc::clone(&whole.tuples),
                    None => Arc::new(tuples),
                }
            }
        };
        let maps = of.iter().map(|values| values.codes_in(&union)).collect();
        (SensitiveValues { width, tuples: union }, maps)
    }

    /// The code of each tuple in a dictionary that has them all.
    fn codes_in(&self, all: &Arc<Vec<Arc<[Value]>>>) -> Vec<ValueCode> {
        if Arc::ptr_eq(&self.tuples, all) {
            return (0..self.len() as ValueCode).collect();
        }
        let mut codes = Vec::with_capacity(self.len());
        let mut at = 0;
        for tuple in self.tuples.iter() {
            while all[at] != *tuple {
                at += 1;
            }
            codes.push(at as ValueCode);
        }
        codes
    }
}

/// Whether an ascending map of codes is the identity.
pub fn keeps_codes(map: &[ValueCode]) -> bool {
    map.last().is_none_or(|&last| last as usize + 1 == map.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[i64]) -> SensitiveValues {
        let tuples = numbers.iter().map(|&number| vec![Value::Int(number)].into_boxed_slice()).collect();
        SensitiveValues::from_distinct(1, tuples).0
    }

    #[test]
    fn the_union_of_dictionaries_holds_each_value_once_and_shares_it() {
        let (some, more) = (of(&[5, 1, 9]), of(&[9, 4, 1]));
        let (all, maps) = SensitiveValues::union(&[&some, &more]);
        assert_eq!((all.len(), &maps[0], &maps[1]), (4, &vec![0, 2, 3], &vec![0, 1, 3]));
        assert!(Arc::ptr_eq(&all.tuples[1], &more.tuples[1]) && Arc::ptr_eq(&all.tuples[2], &some.tuples[1]));
    }

    /// Otherwise memory grows with the number of histograms times the number of their values.
    #[test]
    fn a_dictionary_that_has_all_values_is_the_union() {
        let (all, some) = (of(&[1, 2, 3]), of(&[3, 1]));
        for (list, maps) in
            [(vec![&some, &all], vec![vec![0, 2], vec![0, 1, 2]]), (vec![&all, &all], vec![vec![0, 1, 2]; 2])]
        {
            let (union, found) = SensitiveValues::union(&list);
            assert!(Arc::ptr_eq(&union.tuples, &all.tuples) && found == maps);
        }
        let (kept, _) = all.only(&[true; 3]);
        assert!(Arc::ptr_eq(&kept.tuples, &all.tuples) && Arc::ptr_eq(&all.clone().tuples, &all.tuples));
    }
}
