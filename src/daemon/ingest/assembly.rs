//! Combines the batches of a file, in file order: one array per column, one dictionary of sensitive
//! tuples. In the end codes are in the order of values, so that the result does not depend on how
//! the file was divided into batches.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rayon::prelude::*;

use super::coder::{Coder, RowBatch};
use super::row_faults::Misplaced;
use super::spellings::{ColumnSpellings, IdentifierSpellings, of_sensitive};
use super::unknown_keys::UnknownKeys;
use crate::engine::histogram::{CodedRows, Person, SensitiveValues};
use crate::engine::model::{Columns, Leaf, RecordHasher, Role, Value};

/// All rows of a file or a batch of messages.
pub(crate) struct AssembledRows {
    /// The valid rows.
    pub rows: CodedRows,
    /// The rows that were set aside and not stored elsewhere.
    pub quarantined: Vec<Misplaced>,
    /// The number of sensitive cells that became null, and of cells of measures without a number.
    pub nulled: u64,
    /// The number of rows that the feed file does not want.
    pub skipped: u64,
    /// Columns with values that differ in spelling alone.
    pub spellings: Vec<ColumnSpellings>,
}

const HASHER: RecordHasher = RecordHasher;

/// The rows so far.
pub(crate) struct Assembly {
    leaves: Vec<Vec<Leaf>>,
    codes: Vec<u32>,
    measures: Vec<Vec<Option<i64>>>,
    people: Option<Vec<Person>>,
    identifiers: Vec<(String, IdentifierSpellings)>,
    sensitive: Vec<String>,
    width: usize,
    /// The distinct sensitive tuples, one after another, and their number.
    tuples: (Vec<Value>, u32),
    table: HashTable<u32>,
    quarantined: Vec<Misplaced>,
    names: Vec<Arc<str>>,
    seen: u64,
    skipped: u64,
    nulled: u64,
    strange: UnknownKeys,
}

impl Assembly {
    /// Starts without rows.
    pub(crate) fn new(columns: &Columns) -> Assembly {
        let count = |role| columns.of(role).count();
        let names = |role| {
            columns
                .of(role)
                .map(|column| column.name.to_string())
                .collect::<Vec<String>>()
        };
        Assembly {
            leaves: vec![Vec::new(); count(Role::Quasi)],
            codes: Vec::new(),
            measures: vec![Vec::new(); count(Role::Measure)],
            people: (count(Role::Identifier) > 0).then(Vec::new),
            identifiers: names(Role::Identifier)
                .into_iter()
                .map(|name| (name, IdentifierSpellings::default()))
                .collect(),
            sensitive: names(Role::Sensitive),
            width: count(Role::Sensitive),
            tuples: (Vec::new(), 0),
            table: HashTable::new(),
            quarantined: Vec::new(),
            names: Vec::new(),
            seen: 0,
            skipped: 0,
            nulled: 0,
            strange: UnknownKeys::default(),
        }
    }

    /// The number of rows that were read, including those set aside.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// The rows that were set aside.
    pub(crate) fn quarantined(&self) -> &[Misplaced] {
        &self.quarantined
    }

    /// The rows that were set aside since the last call, for storing them elsewhere.
    pub(crate) fn take_quarantined(&mut self) -> Vec<Misplaced> {
        std::mem::take(&mut self.quarantined)
    }

    /// Takes the keys that the feed file does not declare.
    pub(crate) fn strange(&mut self) -> Vec<String> {
        std::mem::take(&mut self.strange).names()
    }

    /// Adds the next rows.
    pub(crate) fn add(&mut self, mut part: RowBatch, coder: &Coder<'_>) {
        if self.names.is_empty() {
            self.names = coder
                .named()
                .iter()
                .map(|column| Arc::from(&*column.name))
                .collect();
        }
        let number: Vec<u32> = std::mem::take(&mut part.tuples)
            .into_iter()
            .map(|tuple| self.number(tuple))
            .collect();
        self.codes
            .extend(part.codes.iter().map(|&code| number[code as usize]));
        self.leaves
            .iter_mut()
            .zip(&part.leaves)
            .for_each(|(column, more)| column.extend_from_slice(more));
        self.measures
            .iter_mut()
            .zip(&part.measures)
            .for_each(|(column, more)| column.extend_from_slice(more));
        if let Some(people) = &mut self.people {
            people.extend_from_slice(&part.people);
        }
        self.identifiers
            .iter_mut()
            .zip(&part.identifiers)
            .for_each(|((_, all), more)| all.extend(more));
        let (before, names) = (self.seen, &self.names);
        self.quarantined
            .extend(part.faults.iter().map(|fault| Misplaced {
                row: before + fault.row as u64 + 1,
                line: part.places.get(fault.row).copied(),
                element: part.element(fault.row),
                column: fault.field.map(|field| Arc::clone(&names[field])),
                kind: fault.kind,
            }));
        self.seen += part.rows as u64;
        self.skipped += part.skipped.len() as u64;
        self.nulled += part.nulled;
        self.strange.take(&part.strange);
    }

    fn number(&mut self, tuple: Box<[Value]>) -> u32 {
        let Assembly {
            tuples: (cells, next),
            table,
            width,
            ..
        } = self;
        assert_eq!(tuple.len(), *width, "tuples of one width");
        let known = |number: u32| &cells[number as usize * *width..][..*width];
        let hash = HASHER.hash_one(&*tuple);
        if let Some(&number) = table.find(hash, |&number| *known(number) == *tuple) {
            return number;
        }
        let number = *next;
        *next = number
            .checked_add(1)
            .expect("fewer than 2^32 distinct tuples fit into memory");
        table.insert_unique(hash, number, |&number| HASHER.hash_one(known(number)));
        cells.extend(tuple);
        number
    }

    /// All rows, and what is known of them.
    pub(crate) fn finish(mut self) -> AssembledRows {
        drop(self.table);
        let (cells, number) = self.tuples;
        let (values, code) = SensitiveValues::from_cells(self.width, number as usize, cells);
        self.codes
            .par_iter_mut()
            .for_each(|number| *number = code[*number as usize]);
        self.codes.shrink_to_fit();
        self.leaves.iter_mut().for_each(Vec::shrink_to_fit);
        self.measures.iter_mut().for_each(Vec::shrink_to_fit);
        self.people.iter_mut().for_each(Vec::shrink_to_fit);
        let rows = CodedRows::new(self.leaves, values, self.codes, self.people)
            .with_measures(self.measures);
        let of_identifiers = self
            .identifiers
            .iter()
            .map(|(name, texts)| (name, texts.number()));
        let of_sensitive = self
            .sensitive
            .iter()
            .enumerate()
            .map(|(at, name)| (name, of_sensitive(rows.values(), at)));
        let mut spellings = Vec::new();
        for (column, values) in of_identifiers.chain(of_sensitive) {
            if values > 0 {
                spellings.push(ColumnSpellings {
                    column: column.clone(),
                    values,
                });
            }
        }
        AssembledRows {
            rows,
            quarantined: self.quarantined,
            nulled: self.nulled,
            skipped: self.skipped,
            spellings,
        }
    }
}
