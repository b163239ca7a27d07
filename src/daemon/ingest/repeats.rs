//! Rows of people who have a row already, if the feed file wants them to be set aside (SCIENCE 3,
//! repeats; `on_repeat = "dead-letter"`): this happens while a source is read, as for invalid rows.
//! The caller, which stores the people, says who is known; nothing here stores an identifier.

use std::collections::HashSet;

use super::coder::RowBatch;
use super::row_faults::RowFault;
use crate::engine::histogram::{MisfitKind, Person};
use crate::engine::model::{RecordHasher, Value};

/// Recognises rows of people who have one already.
pub struct Repeats<'k> {
    known: &'k dyn Fn(Person) -> bool,
    /// The people of new rows.
    new: HashSet<Person, RecordHasher>,
}

impl<'k> Repeats<'k> {
    /// For people who are known, and those of new rows.
    pub fn of(known: &'k dyn Fn(Person) -> bool) -> Repeats<'k> {
        Repeats {
            known,
            new: HashSet::default(),
        }
    }

    /// Sets rows of the next batch aside; batches come in the order of their rows.
    pub(super) fn sift(&mut self, part: &mut RowBatch) {
        let again: Vec<bool> = part
            .people
            .iter()
            .map(|&person| (self.known)(person) || !self.new.insert(person))
            .collect();
        if again.contains(&true) {
            part.set_aside(&again);
        }
    }
}

impl RowBatch {
    /// Sets some of the valid rows aside.
    fn set_aside(&mut self, which: &[bool]) {
        let places = self.valid_rows().zip(which).filter(|(_, aside)| **aside);
        let faults = places.map(|(row, _)| RowFault {
            row,
            field: None,
            kind: MisfitKind::Repeat,
        });
        let faults: Vec<RowFault> = faults.collect();
        self.faults.extend(faults);
        self.faults.sort_by_key(|fault| fault.row);
        let null = |value: &&Value| **value == Value::Null;
        let nulls = |code: u32| self.tuples[code as usize].iter().filter(null).count() as u64;
        let gone = self.codes.iter().zip(which).filter(|(_, aside)| **aside);
        self.nulled -= gone.map(|(&code, _)| nulls(code)).sum::<u64>();
        let gone = self
            .measures
            .iter()
            .flat_map(|column| column.iter().zip(which));
        self.nulled -= gone
            .filter(|(value, aside)| value.is_none() && **aside)
            .count() as u64;
        only(&mut self.codes, which);
        only(&mut self.people, which);
        self.leaves
            .iter_mut()
            .for_each(|column| only(column, which));
        self.measures
            .iter_mut()
            .for_each(|column| only(column, which));
        self.forget_tuples();
    }

    /// Removes the tuples of rows that are not valid any more.
    fn forget_tuples(&mut self) {
        let mut used = vec![false; self.tuples.len()];
        self.codes
            .iter()
            .for_each(|&code| used[code as usize] = true);
        let mut next = 0..;
        let number: Vec<u32> = used
            .iter()
            .map(|&used| if used { next.next().unwrap_or(0) } else { 0 })
            .collect();
        self.codes
            .iter_mut()
            .for_each(|code| *code = number[*code as usize]);
        let mut used = used.into_iter();
        self.tuples.retain(|_| used.next() == Some(true));
    }
}

/// Keeps the entries that are not set aside; a column without entries stays empty.
fn only<T>(column: &mut Vec<T>, aside: &[bool]) {
    let mut aside = aside.iter();
    column.retain(|_| aside.next() != Some(&true));
}
