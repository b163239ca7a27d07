//! The dictionary of sensitive values (SCIENCE 1: several sensitive columns form one tuple, *the* sensitive value s).
//! Codes are in the order of the values, so that comparing codes compares values and no code shows when a value
//! arrived.
//!
//! Nothing here prints a value.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cells::parse_text;
use crate::model::{Columns, Role, Value};

/// A code in a [`SensitiveValues`] dictionary.
pub type ValueCode = u32;

/// Distinct sensitive tuples in canonical order.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitiveValues {
    width: usize,
    tuples: Vec<Box<[Value]>>,
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
        for (rank, &at) in order.iter().enumerate() {
            code[at as usize] = rank as ValueCode;
        }
        let mut sorted = tuples;
        sorted.sort_unstable();
        assert!(sorted.iter().all(|tuple| tuple.len() == width), "tuples of one width");
        assert!(sorted.is_sorted_by(|one, next| one < next), "no value has two codes");
        (SensitiveValues { width, tuples: sorted }, code)
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
            tuples.push(self.tuples[old].clone());
        }
        (SensitiveValues { width: self.width, tuples }, code)
    }

    /// The union of several dictionaries, and for each of them the new code of each old one. Order is preserved, so
    /// lists that are sorted by the old codes are sorted by the new ones.
    pub fn union(of: &[&SensitiveValues]) -> (SensitiveValues, Vec<Vec<ValueCode>>) {
        let mut tuples: Vec<Box<[Value]>> = of.iter().flat_map(|values| values.tuples.iter().cloned()).collect();
        tuples.sort_unstable();
        tuples.dedup();
        let map = |values: &SensitiveValues| {
            let mut at = 0;
            let mut code = |tuple: &[Value]| {
                while *tuples[at] != *tuple {
                    at += 1;
                }
                at as ValueCode
            };
            values.tuples.iter().map(|tuple| code(tuple)).collect()
        };
        let maps = of.iter().map(|values| map(values)).collect();
        let width = of.iter().map(|values| values.width).max().unwrap_or(0);
        (SensitiveValues { width, tuples }, maps)
    }
}

/// Whether an ascending map of codes is the identity.
pub fn keeps_codes(map: &[ValueCode]) -> bool {
    map.last().is_none_or(|&last| last as usize + 1 == map.len())
}
