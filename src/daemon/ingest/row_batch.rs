//! One batch of rows as codes, decoded on a core of its own: the valid rows (SCIENCE 3, acceptance)
//! in columns, and the others as faults. Nothing here knows about other batches, so that results
//! never depend on threads.

use arrow_array::RecordBatch;

use super::memo::Memo;
use super::person::{PersonHasher, Tuple};
use super::spellings::IdentifierSpellings;
use super::stepped::{stepped, stepped_batch};
use super::unknown_keys::UnknownKeys;
use crate::engine::histogram::{
    CellReading, Dictionary, Encoder, Histogram, Misfit, MisfitKind, Person, RawCell,
    ReadableColumn, Tuples,
};
use crate::engine::model::{Column, Columns, Kind, Leaf, Role, Value};

/// The value of a field's bytes; its text may be unescaped into the string.
pub(crate) type FieldText = for<'s> fn(&'s [u8], &'s mut String) -> Result<RawCell<'s>, MisfitKind>;

/// The fault of a row of a batch.
pub struct RowFault {
    /// The row in the batch, from 0.
    pub row: usize,
    /// Its line, for a text.
    pub line: Option<u64>,
    /// The field, as an index in [`Coder::fields`]; `None` for the whole row.
    pub field: Option<usize>,
    /// The fault.
    pub kind: MisfitKind,
}

/// The rows of a batch.
pub struct RowBatch {
    /// The number of rows, including faults.
    pub rows: u64,
    /// For each quasi column the leaves.
    pub leaves: Vec<Vec<Leaf>>,
    /// For each row the number of its sensitive tuple.
    pub codes: Vec<u32>,
    /// The sensitive tuples, in order of appearance.
    pub tuples: Vec<Box<[Value]>>,
    /// For each measure the value of each row in units of its last decimal, if it has one.
    pub measures: Vec<Vec<Option<i64>>>,
    /// For each row the person; empty if there are no identifiers.
    pub people: Vec<Person>,
    /// For each identifier column its texts, to find those that differ in spelling alone.
    pub(super) identifiers: Vec<IdentifierSpellings>,
    /// Rows set aside, ascending.
    pub faults: Vec<RowFault>,
    /// The lines of the valid rows; empty if rows have none.
    pub lines: Vec<u64>,
    /// The number of sensitive cells that became null, and of cells of measures without a number.
    pub nulled: u64,
    /// Keys that the feed file does not declare, if rows have keys.
    pub strange: UnknownKeys,
}

impl RowBatch {
    /// Sets the unknown keys.
    #[must_use]
    pub fn with_strange(self, strange: UnknownKeys) -> RowBatch {
        RowBatch { strange, ..self }
    }
}

/// The people of a batch, the texts of their identifiers by column, and the rows without a person.
type BatchPeople = (Vec<Person>, Vec<IdentifierSpellings>, Vec<RowFault>);

/// Encodes the rows of one file.
pub struct Coder<'a> {
    encoder: Encoder<'a>,
    hasher: &'a PersonHasher,
    /// Identifiers, quasi columns, sensitive columns, measures.
    fields: Vec<&'a Column>,
    identifiers: usize,
    quasi: usize,
    measures: usize,
}

impl<'a> Coder<'a> {
    /// For the declared columns of a feed.
    pub fn new(columns: &'a Columns, reading: CellReading, hasher: &'a PersonHasher) -> Coder<'a> {
        let roles = [
            Role::Identifier,
            Role::Quasi,
            Role::Sensitive,
            Role::Measure,
        ];
        let [identifiers, quasi, _, measures] = roles.map(|role| columns.of(role).count());
        let fields = roles
            .into_iter()
            .flat_map(|role| columns.of(role))
            .collect();
        Coder {
            encoder: Encoder::new(columns, reading).stepped(),
            hasher,
            fields,
            identifiers,
            quasi,
            measures,
        }
    }

    /// Keeps malformed sensitive cells as these releases show them, instead of treating them as
    /// null.
    #[must_use]
    pub fn behind(self, releases: &'a [Histogram]) -> Coder<'a> {
        Coder {
            encoder: self.encoder.behind(releases),
            ..self
        }
    }

    /// The columns that are read, in the order of a row's fields.
    pub fn fields(&self) -> &[&'a Column] {
        &self.fields
    }

    /// Encodes a batch of a typed source.
    ///
    /// # Errors
    /// A whole column is missing or has another type.
    pub fn batch(&self, batch: &RecordBatch) -> Result<RowBatch, Misfit> {
        let batch = &stepped_batch(batch, &self.fields)?;
        let mut dictionaries = self.dictionaries();
        let (encoded, misfits) = self.encoder.encode_rows(batch, &mut dictionaries)?;
        let measured = self.encoder.encode_measures(batch)?;
        let (people, identifiers, mut faults) = self.people(batch)?;
        let field = |misfit: &Misfit| {
            self.fields[self.identifiers..]
                .iter()
                .position(|c| c.name == misfit.column)
        };
        faults.extend(misfits.iter().map(|misfit| RowFault {
            row: misfit.row as usize,
            line: None,
            field: field(misfit).map(|at| at + self.identifiers),
            kind: misfit.kind,
        }));
        faults.sort_by_key(|fault| fault.row);
        faults.dedup_by_key(|fault| fault.row);
        let mut good = vec![true; batch.num_rows()];
        faults.iter().for_each(|fault| good[fault.row] = false);
        let mut tuples = Tuples::new(dictionaries.len());
        let mut codes = Vec::with_capacity(good.len());
        let mut sensitive = vec![0; encoded.sensitive.len()];
        for row in (0..good.len()).filter(|&row| good[row]) {
            for (number, column) in sensitive.iter_mut().zip(&encoded.sensitive) {
                *number = column[row];
            }
            codes.push(tuples.number(&sensitive));
        }
        let only = |column: Vec<u32>| {
            if faults.is_empty() {
                return column;
            }
            column
                .into_iter()
                .zip(&good)
                .filter_map(|(code, &good)| good.then_some(code))
                .collect()
        };
        let leaves = encoded.quasi.into_iter().map(only).collect();
        let people = people
            .into_iter()
            .zip(&good)
            .filter_map(|(person, &good)| good.then_some(person))
            .collect();
        let of_good = |column: Vec<Option<i64>>| -> Vec<Option<i64>> {
            column
                .into_iter()
                .zip(&good)
                .filter_map(|(value, &good)| good.then_some(value))
                .collect()
        };
        let measures: Vec<Vec<Option<i64>>> = measured.into_iter().map(of_good).collect();
        let (tuples, nulled) = shown(&tuples, &dictionaries, &codes);
        let nulled = nulled + without_value(&measures);
        let (rows, lines, strange) = (good.len() as u64, Vec::new(), UnknownKeys::default());
        Ok(RowBatch {
            rows,
            leaves,
            codes,
            tuples,
            measures,
            people,
            identifiers,
            faults,
            lines,
            nulled,
            strange,
        })
    }

    /// The people of a batch and the texts of their identifiers; rows without a person are faults.
    fn people(&self, batch: &RecordBatch) -> Result<BatchPeople, Misfit> {
        let (mut faults, mut texts) = (Vec::new(), self.no_identifiers());
        if self.identifiers == 0 {
            return Ok((Vec::new(), texts, faults));
        }
        let cells = |column: &&Column| {
            let misfit = |kind| Misfit {
                row: 0,
                column: column.name.clone(),
                kind,
            };
            let array = batch
                .column_by_name(&column.name)
                .ok_or_else(|| misfit(MisfitKind::NoColumn))?;
            let reading = self.encoder.reading_of(column);
            ReadableColumn::fitting(array, column.kind, column.role, reading).map_err(misfit)
        };
        let identifiers = self.fields[..self.identifiers]
            .iter()
            .map(cells)
            .collect::<Result<Vec<_>, _>>()?;
        let mut tuple = Tuple::default();
        let mut people = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            tuple.clear();
            let bad = identifiers.iter().zip(&self.fields).enumerate().find_map(
                |(field, (cells, column))| {
                    let cell = cells.at(row);
                    let reading = self.encoder.reading_of(column);
                    let kind = tuple.add(cell, column.kind, reading).err();
                    note(cell, column, &mut texts[field]);
                    let kind = kind?;
                    Some(RowFault {
                        row,
                        line: None,
                        field: Some(field),
                        kind,
                    })
                },
            );
            people.push(self.hasher.hash(&tuple));
            faults.extend(bad);
        }
        Ok((people, texts, faults))
    }

    fn no_identifiers(&self) -> Vec<IdentifierSpellings> {
        (0..self.identifiers)
            .map(|_| IdentifierSpellings::default())
            .collect()
    }

    fn dictionaries(&self) -> Vec<Dictionary> {
        self.sensitive()
            .iter()
            .map(|_| Dictionary::default())
            .collect()
    }

    fn sensitive(&self) -> &[&'a Column] {
        &self.fields[self.identifiers + self.quasi..self.fields.len() - self.measures]
    }

    /// Encodes rows one by one, each as one text per field.
    pub fn rows(&self, read: FieldText) -> RowCoder<'_, 'a> {
        RowCoder {
            coder: self,
            read,
            scratch: String::new(),
            changed: String::new(),
            memos: self.fields[self.identifiers..]
                .iter()
                .map(|_| Memo::default())
                .collect(),
            dictionaries: self.dictionaries(),
            tuples: Tuples::new(self.sensitive().len()),
            tuple: Tuple::default(),
            row: Vec::with_capacity(self.fields.len()),
            rows: 0,
            leaves: vec![Vec::new(); self.quasi],
            codes: Vec::new(),
            measures: vec![Vec::new(); self.measures],
            people: Vec::new(),
            identifiers: self.no_identifiers(),
            faults: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// Notes the text of an identifier. Identifiers of other types have one spelling.
fn note(cell: RawCell<'_>, column: &Column, to: &mut IdentifierSpellings) {
    if let (RawCell::Text(text), Kind::String) = (cell, column.kind) {
        to.add(text);
    }
}

/// Encodes the rows of one batch.
pub struct RowCoder<'c, 'a> {
    coder: &'c Coder<'a>,
    read: FieldText,
    scratch: String,
    /// The text of a cell after the steps of its column.
    changed: String,
    memos: Vec<Memo>,
    dictionaries: Vec<Dictionary>,
    tuples: Tuples,
    tuple: Tuple,
    row: Vec<u32>,
    rows: usize,
    leaves: Vec<Vec<Leaf>>,
    codes: Vec<u32>,
    measures: Vec<Vec<Option<i64>>>,
    people: Vec<Person>,
    identifiers: Vec<IdentifierSpellings>,
    faults: Vec<RowFault>,
    lines: Vec<u64>,
}

impl RowCoder<'_, '_> {
    /// Adds a row: for each field its text, empty if it is missing, or what is wrong with it.
    /// Returns whether the row is valid.
    pub fn add(&mut self, line: u64, fields: &[Result<&[u8], MisfitKind>]) -> bool {
        let bad = self.code(fields).err();
        match bad {
            Some((field, kind)) => {
                self.faults.push(RowFault {
                    row: self.rows,
                    line: Some(line),
                    field: Some(field),
                    kind,
                });
            }
            None => self.lines.push(line),
        }
        self.rows += 1;
        bad.is_none()
    }

    /// Encodes a row, or returns the first field that makes it invalid.
    fn code(&mut self, fields: &[Result<&[u8], MisfitKind>]) -> Result<(), (usize, MisfitKind)> {
        let Coder {
            encoder,
            identifiers,
            quasi,
            fields: columns,
            ..
        } = self.coder;
        let (read, scratch, changed) = (self.read, &mut self.scratch, &mut self.changed);
        self.tuple.clear();
        for (at, text) in fields[..*identifiers].iter().enumerate() {
            let mut add = || {
                let cell = stepped(read((*text)?, scratch)?, &columns[at].source.steps, changed);
                note(cell, columns[at], &mut self.identifiers[at]);
                let reading = encoder.reading_of(columns[at]);
                self.tuple.add(cell, columns[at].kind, reading)
            };
            add().map_err(|kind| (at, kind))?;
        }
        self.row.clear();
        let (memos, known) = self.memos.split_at_mut(*quasi);
        for (at, (text, memo)) in fields[*identifiers..].iter().zip(memos).enumerate() {
            let steps = &columns[identifiers + at].source.steps;
            let code = text.and_then(|text| {
                memo.code(text, || {
                    encoder.leaf(at, stepped(read(text, scratch)?, steps, changed))
                })
            });
            self.row
                .push(code.map_err(|kind| (at + identifiers, kind))?);
        }
        let sensitive = fields[identifiers + quasi..]
            .iter()
            .zip(known)
            .zip(&mut self.dictionaries)
            .enumerate();
        for (at, ((text, memo), dictionary)) in sensitive {
            let steps = &columns[identifiers + quasi + at].source.steps;
            let code = text.and_then(|text| {
                memo.code(text, || {
                    let cell = stepped(read(text, scratch)?, steps, changed);
                    Ok(encoder.number(at, cell, dictionary))
                })
            });
            self.row
                .push(code.unwrap_or_else(|_| dictionary.number(Value::Null)));
        }
        let measures = &fields[fields.len() - self.measures.len()..];
        for (at, (text, column)) in measures.iter().zip(&mut self.measures).enumerate() {
            let steps = &columns[fields.len() - measures.len() + at].source.steps;
            let cell = text.and_then(|text| read(text, scratch));
            let cell = cell.map(|cell| stepped(cell, steps, changed));
            column.push(cell.ok().and_then(|cell| encoder.units(at, cell)));
        }
        self.leaves
            .iter_mut()
            .zip(&self.row)
            .for_each(|(column, &leaf)| column.push(leaf));
        self.codes.push(self.tuples.number(&self.row[*quasi..]));
        if *identifiers > 0 {
            self.people.push(self.coder.hasher.hash(&self.tuple));
        }
        Ok(())
    }

    /// Sets a whole row aside.
    pub fn refuse(&mut self, line: u64, kind: MisfitKind) {
        self.faults.push(RowFault {
            row: self.rows,
            line: Some(line),
            field: None,
            kind,
        });
        self.rows += 1;
    }

    /// The rows so far.
    pub fn finish(self) -> RowBatch {
        let (tuples, nulled) = shown(&self.tuples, &self.dictionaries, &self.codes);
        let Self {
            rows,
            leaves,
            codes,
            measures,
            people,
            identifiers,
            faults,
            lines,
            ..
        } = self;
        let (rows, nulled, strange) = (
            rows as u64,
            nulled + without_value(&measures),
            UnknownKeys::default(),
        );
        RowBatch {
            rows,
            leaves,
            codes,
            tuples,
            measures,
            people,
            identifiers,
            faults,
            lines,
            nulled,
            strange,
        }
    }
}

/// The number of cells of measures without a number.
fn without_value(measures: &[Vec<Option<i64>>]) -> u64 {
    measures
        .iter()
        .flatten()
        .filter(|value| value.is_none())
        .count() as u64
}

/// The sensitive tuples by their values, and the number of null cells of the rows.
fn shown(tuples: &Tuples, dictionaries: &[Dictionary], codes: &[u32]) -> (Vec<Box<[Value]>>, u64) {
    let value =
        |(&code, dictionary): (&u32, &Dictionary)| dictionary.values()[code as usize].clone();
    let tuples: Vec<Box<[Value]>> = tuples
        .iter()
        .map(|codes| codes.iter().zip(dictionaries).map(value).collect())
        .collect();
    let null = |tuple: &[Value]| tuple.iter().filter(|value| **value == Value::Null).count() as u64;
    let nulls: Vec<u64> = tuples.iter().map(|tuple| null(tuple)).collect();
    let nulled = codes.iter().map(|&code| nulls[code as usize]).sum();
    (tuples, nulled)
}
