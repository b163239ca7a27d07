//! One batch of rows as codes, decoded on a core of its own: the valid rows (SCIENCE 3, acceptance)
//! in columns, and the others as faults. Nothing here knows about other batches, so that results
//! never depend on threads.

use arrow_array::RecordBatch;

use super::memo::Memo;
use super::person::{PersonHasher, Tuple};
use super::spellings::IdentifierSpellings;
use super::stepped::{day_of, stepped, stepped_batch};
use super::unknown_keys::UnknownKeys;
use crate::engine::histogram::{
    CellReading, Dictionary, Encoder, Histogram, Misfit, MisfitKind, Person, RawCell,
    ReadableColumn, Tuples,
};
use crate::engine::model::{Column, Columns, DateFigure, Kind, Leaf, Role, Value};

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
    /// Identifiers, quasi columns, sensitive columns, measures and inputs of the source.
    fields: Vec<&'a Column>,
    /// These, and columns that are computed from them.
    named: Vec<&'a Column>,
    identifiers: usize,
    quasi: Vec<CellPlace>,
    sensitive: Vec<CellPlace>,
    measures: Vec<CellPlace>,
}

/// Where the cell of a column is.
struct CellPlace {
    /// Its index in [`Coder::named`].
    column: usize,
    /// What is computed, and from which fields; `None` for a field of the source.
    derived: Option<(DateFigure, Vec<usize>)>,
}

impl<'a> Coder<'a> {
    /// For the declared columns of a feed.
    pub fn new(columns: &'a Columns, reading: CellReading, hasher: &'a PersonHasher) -> Coder<'a> {
        let roles = [
            Role::Identifier,
            Role::Quasi,
            Role::Sensitive,
            Role::Measure,
            Role::Input,
        ];
        let (mut fields, mut computed) = (Vec::new(), Vec::new());
        for column in roles.into_iter().flat_map(|role| columns.of(role)) {
            if column.source.derived.is_none() {
                fields.push(column);
            } else {
                computed.push(column);
            }
        }
        let named = [&fields[..], &computed].concat();
        let index = |name: &str| {
            let at = named.iter().position(|column| &*column.name == name);
            at.expect("a feed file names columns that it declares")
        };
        let places = |role| {
            let place = |column: &Column| CellPlace {
                column: index(&column.name),
                derived: column.source.derived.as_ref().map(|derived| {
                    let from = derived.columns.iter().map(|name| index(name));
                    (derived.figure, from.collect())
                }),
            };
            columns.of(role).map(place).collect()
        };
        Coder {
            encoder: Encoder::new(columns, reading).stepped(),
            hasher,
            identifiers: columns.of(Role::Identifier).count(),
            quasi: places(Role::Quasi),
            sensitive: places(Role::Sensitive),
            measures: places(Role::Measure),
            fields,
            named,
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

    /// The columns that a fault of a row may name: those that are read, and those that are computed
    /// from them.
    pub fn named(&self) -> &[&'a Column] {
        &self.named
    }

    /// Encodes a batch of a typed source.
    ///
    /// # Errors
    /// A whole column is missing or has another type.
    pub fn batch(&self, batch: &RecordBatch) -> Result<RowBatch, Misfit> {
        let batch = &stepped_batch(batch, &self.named)?;
        let mut dictionaries = self.dictionaries();
        let (encoded, misfits) = self.encoder.encode_rows(batch, &mut dictionaries)?;
        let measured = self.encoder.encode_measures(batch)?;
        let (people, identifiers, mut faults) = self.people(batch)?;
        let field = |misfit: &Misfit| {
            self.named[self.identifiers..]
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
        self.sensitive
            .iter()
            .map(|_| Dictionary::default())
            .collect()
    }

    /// Encodes rows one by one, each as one text per field.
    pub fn rows(&self, read: FieldText) -> RowCoder<'_, 'a> {
        RowCoder {
            coder: self,
            read,
            scratch: String::new(),
            changed: String::new(),
            memos: self
                .quasi
                .iter()
                .chain(&self.sensitive)
                .map(|_| Memo::default())
                .collect(),
            dictionaries: self.dictionaries(),
            tuples: Tuples::new(self.sensitive.len()),
            tuple: Tuple::default(),
            row: Vec::with_capacity(self.fields.len()),
            rows: 0,
            leaves: vec![Vec::new(); self.quasi.len()],
            codes: Vec::new(),
            measures: vec![Vec::new(); self.measures.len()],
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
            sensitive,
            measures,
            named,
            ..
        } = self.coder;
        let (read, scratch, changed) = (self.read, &mut self.scratch, &mut self.changed);
        self.tuple.clear();
        for (at, text) in fields[..*identifiers].iter().enumerate() {
            let mut add = || {
                let cell = stepped(read((*text)?, scratch)?, &named[at].source.steps, changed);
                note(cell, named[at], &mut self.identifiers[at]);
                let reading = encoder.reading_of(named[at]);
                self.tuple.add(cell, named[at].kind, reading)
            };
            add().map_err(|kind| (at, kind))?;
        }
        self.row.clear();
        let (memos, known) = self.memos.split_at_mut(quasi.len());
        for (at, (place, memo)) in quasi.iter().zip(memos).enumerate() {
            let code = match &place.derived {
                None => {
                    let steps = &named[place.column].source.steps;
                    fields[place.column].and_then(|text| {
                        memo.code(text, || {
                            encoder.leaf(at, stepped(read(text, scratch)?, steps, changed))
                        })
                    })
                }
                Some(derived) => {
                    let text = computed(derived, fields, named, (read, scratch, changed))?;
                    encoder.leaf(at, text.as_deref().map_or(RawCell::Null, RawCell::Text))
                }
            };
            self.row.push(code.map_err(|kind| (place.column, kind))?);
        }
        let values = sensitive.iter().zip(known).zip(&mut self.dictionaries);
        for (at, ((place, memo), dictionary)) in values.enumerate() {
            let code = match &place.derived {
                None => {
                    let steps = &named[place.column].source.steps;
                    fields[place.column].and_then(|text| {
                        memo.code(text, || {
                            let cell = stepped(read(text, scratch)?, steps, changed);
                            Ok(encoder.number(at, cell, dictionary))
                        })
                    })
                }
                Some(derived) => {
                    let text = computed(derived, fields, named, (read, scratch, changed));
                    let text = text.map_err(|(_, kind)| kind);
                    text.map(|text| {
                        let cell = text.as_deref().map_or(RawCell::Null, RawCell::Text);
                        encoder.number(at, cell, dictionary)
                    })
                }
            };
            self.row
                .push(code.unwrap_or_else(|_| dictionary.number(Value::Null)));
        }
        for (at, (place, column)) in measures.iter().zip(&mut self.measures).enumerate() {
            let number = match &place.derived {
                None => {
                    let steps = &named[place.column].source.steps;
                    let cell = fields[place.column].and_then(|text| read(text, scratch));
                    let cell = cell.map(|cell| stepped(cell, steps, changed));
                    cell.ok().and_then(|cell| encoder.units(at, cell))
                }
                Some(derived) => {
                    let text = computed(derived, fields, named, (read, scratch, changed));
                    let text = text.ok().flatten();
                    text.and_then(|text| encoder.units(at, RawCell::Text(&text)))
                }
            };
            column.push(number);
        }
        self.leaves
            .iter_mut()
            .zip(&self.row)
            .for_each(|(column, &leaf)| column.push(leaf));
        self.codes
            .push(self.tuples.number(&self.row[quasi.len()..]));
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

/// The text of a computed cell; `None` if one of the days is missing.
///
/// # Errors
/// The first field that is no day.
fn computed(
    (figure, from): &(DateFigure, Vec<usize>),
    fields: &[Result<&[u8], MisfitKind>],
    named: &[&Column],
    (read, scratch, changed): (FieldText, &mut String, &mut String),
) -> Result<Option<String>, (usize, MisfitKind)> {
    let mut days = Vec::with_capacity(from.len());
    for &field in from {
        let wrong = |kind| (field, kind);
        let cell = read(fields[field].map_err(wrong)?, scratch).map_err(wrong)?;
        match day_of(stepped(cell, &named[field].source.steps, changed)) {
            Some(Ok(day)) => days.push(day),
            Some(Err(kind)) => return Err(wrong(kind)),
            None => return Ok(None),
        }
    }
    Ok(Some(figure.number(&days).to_string()))
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
