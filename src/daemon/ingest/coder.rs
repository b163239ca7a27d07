//! Codes one page on a core of its own: the valid rows (SCIENCE 3, acceptance) in columns, and the
//! others as faults. The validity of a row depends only on its form, its identifiers and its quasi
//! columns; a sensitive cell that does not fit is null. Nothing here knows about other pages, so
//! that results never depend on threads.

use std::collections::HashMap;

use super::page::{CellReader, Cells, Page};
use super::person::{PersonHasher, Tuple};
use super::row_faults::RowFault;
use super::spellings::IdentifierSpellings;
use super::stepped::{day_of, stepped, text};
use super::unknown_keys::UnknownKeys;
use crate::config::{RecordRules, TextPattern};
use crate::engine::histogram::{
    CellReading, Dictionary, Encoder, Histogram, Misfit, MisfitKind, Person, RawCell,
    ReadableColumn, Tuples,
};
use crate::engine::model::{Column, Columns, DateFigure, Kind, Leaf, RecordHasher, Role, Value};

/// The rows of a page.
pub(crate) struct RowBatch {
    /// The number of rows, including faults.
    pub rows: usize,
    /// For each quasi column the leaves of the valid rows.
    pub leaves: Vec<Vec<Leaf>>,
    /// For each valid row the number of its sensitive tuple.
    pub codes: Vec<u32>,
    /// The sensitive tuples, in order of appearance.
    pub tuples: Vec<Box<[Value]>>,
    /// For each measure the value of each valid row in units of its last decimal, if it has one.
    pub measures: Vec<Vec<Option<i64>>>,
    /// For each valid row the person; empty if there are no identifiers.
    pub people: Vec<Person>,
    /// For each identifier column its texts, to find those that differ in spelling alone.
    pub identifiers: Vec<IdentifierSpellings>,
    /// Rows set aside, ascending.
    pub faults: Vec<RowFault>,
    /// The line or offset of each row; empty if rows have none.
    pub places: Vec<u64>,
    /// The number of each row in its message; shorter if later rows have none.
    pub elements: Vec<Option<u32>>,
    /// Rows that the feed file does not want, ascending.
    pub skipped: Vec<usize>,
    /// The number of sensitive cells that became null, and of cells of measures without a number.
    pub nulled: u64,
    /// Keys of valid rows that the feed file does not declare.
    pub strange: UnknownKeys,
}

impl RowBatch {
    /// The number of a row in its message, if that has several.
    pub(crate) fn element(&self, row: usize) -> Option<u32> {
        self.elements.get(row).copied().flatten()
    }

    /// The number of valid rows.
    pub(crate) fn valid(&self) -> usize {
        self.rows - self.faults.len() - self.skipped.len()
    }

    /// The valid rows.
    pub(crate) fn valid_rows(&self) -> impl Iterator<Item = usize> {
        let mut others: Vec<usize> = self.faults.iter().map(|fault| fault.row).collect();
        others.extend(&self.skipped);
        others.sort_unstable();
        let mut others = others.into_iter().peekable();
        (0..self.rows).filter(move |row| others.next_if_eq(row).is_none())
    }
}

/// Codes the pages of one source.
pub(crate) struct Coder<'a> {
    rules: &'a RecordRules,
    encoder: Encoder<'a>,
    hasher: &'a PersonHasher,
    /// Identifiers, quasi columns, sensitive columns, measures and inputs of the source.
    fields: Vec<&'a Column>,
    /// These, and columns that are computed from them.
    named: Vec<&'a Column>,
    identifiers: usize,
    /// The place among the fields of those that decide which records are read.
    tests: usize,
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

/// The fault of a cell: its field, and what is wrong.
type CellFault = (usize, MisfitKind);

/// A day, or what is wrong with it; `None` if it is missing.
type FoundDay = Result<Option<i32>, MisfitKind>;

impl<'a> Coder<'a> {
    /// For the declared columns of a feed, and the records that are read.
    pub(crate) fn new(
        columns: &'a Columns,
        reading: CellReading,
        hasher: &'a PersonHasher,
        rules: &'a RecordRules,
    ) -> Coder<'a> {
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
        let tests = fields.len();
        fields.extend(&rules.tests);
        let named = [&fields[..], &computed].concat();
        let index = |name: &str| {
            let is_it =
                |at: &usize| &*named[*at].name == name && !(tests..fields.len()).contains(at);
            let at = (0..named.len()).find(is_it);
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
            rules,
            tests,
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
    pub(crate) fn behind(self, releases: &'a [Histogram]) -> Coder<'a> {
        Coder {
            encoder: self.encoder.behind(releases),
            ..self
        }
    }

    /// How messages become records.
    pub(crate) fn rules(&self) -> &RecordRules {
        self.rules
    }

    /// The columns that are read, in the order of a page's columns.
    pub(crate) fn fields(&self) -> &[&'a Column] {
        &self.fields
    }

    /// The columns that a fault of a row may name: those that are read, and those that are computed
    /// from them.
    pub(crate) fn named(&self) -> &[&'a Column] {
        &self.named
    }

    /// Codes a page.
    ///
    /// # Errors
    /// A whole column has another type.
    pub(crate) fn code(&self, page: Page) -> Result<RowBatch, Misfit> {
        let cells: Vec<CellReader<'_>> = self
            .fields
            .iter()
            .zip(&page.columns)
            .map(|(column, cells)| self.reader(column, cells))
            .collect::<Result<_, _>>()?;
        let (mut faults, rows) = (page.refused, page.rows);
        let mut skipped = page.skipped;
        self.skip(&cells, rows, &mut faults, &mut skipped);
        let (people, identifiers) = self.people(&cells, rows, &mut faults);
        let mut leaves = Vec::with_capacity(self.quasi.len());
        for (at, place) in self.quasi.iter().enumerate() {
            let leaf = |cell: Result<RawCell<'_>, _>| self.encoder.leaf(at, cell?);
            let fault = |row, (field, kind)| {
                let field = Some(field);
                faults.push(RowFault { row, field, kind });
                0
            };
            leaves.push(self.column(place, &cells, leaf, fault));
        }
        faults.retain(|fault| skipped.binary_search(&fault.row).is_err());
        faults.sort_by_key(|fault| fault.row);
        faults.dedup_by_key(|fault| fault.row);
        let good = GoodRows::new(rows, &faults, &skipped);
        let mut dictionaries: Vec<Dictionary> = Vec::new();
        let mut numbers = Vec::with_capacity(self.sensitive.len());
        for (at, place) in self.sensitive.iter().enumerate() {
            let mut dictionary = Dictionary::default();
            let null = dictionary.number(Value::Null);
            let number =
                |cell: Result<RawCell<'_>, _>| Ok(self.encoder.number(at, cell?, &mut dictionary));
            numbers.push(self.column(place, &cells, number, |_, _| null));
            dictionaries.push(dictionary);
        }
        let (tuples, codes) = tuples(&good, &numbers);
        let measure = |(at, place): (usize, &CellPlace)| {
            let units = |cell: Result<RawCell<'_>, _>| Ok(self.encoder.units(at, cell?));
            good.only(self.column(place, &cells, units, |_, _| None))
        };
        let measures: Vec<Vec<Option<i64>>> =
            self.measures.iter().enumerate().map(measure).collect();
        let (tuples, nulls) = shown(&tuples, &dictionaries, &codes);
        let without = measures
            .iter()
            .flatten()
            .filter(|value| value.is_none())
            .count() as u64;
        let mut strange = UnknownKeys::default();
        for (_, keys) in page.strange.iter().filter(|(row, _)| good.holds(*row)) {
            strange.take(keys);
        }
        Ok(RowBatch {
            rows,
            leaves: leaves.into_iter().map(|column| good.only(column)).collect(),
            codes,
            tuples,
            measures,
            people: good.only(people),
            identifiers,
            faults,
            places: page.places,
            elements: page.elements,
            skipped,
            nulled: nulls + without,
            strange,
        })
    }

    /// Skips rows that the feed file does not want. A row is a fault, and not one of these, if only
    /// fields that decide about it have a fault.
    fn skip(
        &self,
        cells: &[CellReader<'_>],
        rows: usize,
        faults: &mut Vec<RowFault>,
        skipped: &mut Vec<usize>,
    ) {
        let mut others: Vec<usize> = faults.iter().map(|fault| fault.row).collect();
        others.append(&mut skipped.clone());
        others.sort_unstable();
        let is_row = |row: &usize| others.binary_search(row).is_err();
        let test = |(at, pattern): &(usize, TextPattern)| {
            let fits = |cell: Result<RawCell<'_>, _>| match cell {
                Ok(cell) => Ok(Ok(text(cell).is_some_and(|text| pattern.fits(&text)))),
                Err(MisfitKind::NoPath | MisfitKind::NoList) => Ok(Ok(false)),
                Err(kind) => Err(kind),
            };
            cells[self.tests + at].each(fits, |_, kind| Err(kind))
        };
        type FoundTests = Vec<Vec<Result<bool, MisfitKind>>>;
        let wanted = self.rules.wanted.iter();
        let wanted: Vec<FoundTests> = wanted
            .map(|tests| tests.iter().map(test).collect())
            .collect();
        for row in (0..rows).filter(|_| !wanted.is_empty()).filter(is_row) {
            let (mut is_read, mut fault) = (false, None);
            for tests in &wanted {
                let found = || tests.iter().map(|test| test[row]);
                is_read |= found().all(|test| test == Ok(true));
                if found().all(|test| test != Ok(false)) {
                    fault = fault.or(found().find_map(Result::err));
                }
            }
            match fault {
                _ if is_read => {}
                None => skipped.push(row),
                Some(kind) => faults.push(RowFault {
                    row,
                    field: None,
                    kind,
                }),
            }
        }
        skipped.sort_unstable();
    }

    /// The cells of a column, if its type can hold the declared one.
    fn reader<'p>(&self, column: &Column, cells: &'p Cells) -> Result<CellReader<'p>, Misfit> {
        let array = match cells {
            Cells::Written(cells) => return Ok(CellReader::Written(cells)),
            Cells::Arrow(array) => array,
        };
        let readable = if column.source.is_changed() || column.role == Role::Input {
            ReadableColumn::of(array).ok_or(MisfitKind::WrongType)
        } else {
            let reading = self.encoder.reading_of(column);
            ReadableColumn::fitting(array, column.kind, column.role, reading)
        };
        let misfit = |kind| Misfit {
            row: 0,
            column: column.name.clone(),
            kind,
        };
        Ok(CellReader::Arrow(readable.map_err(misfit)?))
    }

    /// The codes of a column of the source, or of one that is computed; `otherwise` says what stands
    /// for a cell with a fault.
    fn column<T: Copy>(
        &self,
        place: &CellPlace,
        cells: &[CellReader<'_>],
        mut code: impl FnMut(Result<RawCell<'_>, MisfitKind>) -> Result<T, MisfitKind>,
        mut otherwise: impl FnMut(usize, CellFault) -> T,
    ) -> Vec<T> {
        let Some((figure, from)) = &place.derived else {
            let (steps, mut changed) = (&self.named[place.column].source.steps, String::new());
            let code = |cell: Result<RawCell<'_>, _>| match cell {
                Ok(cell) => code(Ok(stepped(cell, steps, &mut changed))),
                mark => code(mark),
            };
            return cells[place.column]
                .each(code, |row, kind| otherwise(row, (place.column, kind)));
        };
        let days: Vec<Vec<FoundDay>> = from
            .iter()
            .map(|&field| self.days(field, &cells[field]))
            .collect();
        let rows = days.first().map_or(0, Vec::len);
        let mut known: HashMap<Option<i64>, Result<T, MisfitKind>, RecordHasher> =
            HashMap::default();
        let mut computed = |row: usize| {
            let mut all = Vec::with_capacity(days.len());
            for (days, &field) in days.iter().zip(from) {
                all.push(days[row].map_err(|kind| (field, kind))?);
            }
            let number = all.into_iter().collect::<Option<Vec<i32>>>();
            let number = number.map(|days| figure.number(&days));
            let coded = known.entry(number).or_insert_with(|| match number {
                None => code(Ok(RawCell::Null)),
                Some(number) => code(Ok(RawCell::Text(&number.to_string()))),
            });
            coded.map_err(|kind| (place.column, kind))
        };
        let computed = |row| computed(row).unwrap_or_else(|fault| otherwise(row, fault));
        (0..rows).map(computed).collect()
    }

    /// The days of a field; `None` for missing ones.
    fn days(&self, field: usize, cells: &CellReader<'_>) -> Vec<FoundDay> {
        let (steps, mut changed) = (&self.named[field].source.steps, String::new());
        let day = |cell: Result<RawCell<'_>, _>| {
            Ok(cell.and_then(|cell| day_of(stepped(cell, steps, &mut changed)).transpose()))
        };
        cells.each(day, |_, kind| Err(kind))
    }

    /// The person of each row, and the texts of identifiers; rows without a person are faults.
    fn people(
        &self,
        cells: &[CellReader<'_>],
        rows: usize,
        faults: &mut Vec<RowFault>,
    ) -> (Vec<Person>, Vec<IdentifierSpellings>) {
        let identifiers = &self.fields[..self.identifiers];
        let mut texts: Vec<IdentifierSpellings> = identifiers
            .iter()
            .map(|_| IdentifierSpellings::default())
            .collect();
        if identifiers.is_empty() {
            return (Vec::new(), texts);
        }
        let (mut tuple, mut unescaped, mut changed) =
            (Tuple::default(), String::new(), String::new());
        let mut people = Vec::with_capacity(rows);
        for row in 0..rows {
            tuple.clear();
            for (field, column) in identifiers.iter().enumerate() {
                let mut add = || {
                    let cell = cells[field].cell(row, &mut unescaped)?;
                    let cell = stepped(cell, &column.source.steps, &mut changed);
                    note(cell, column, &mut texts[field]);
                    tuple.add(cell, column.kind, self.encoder.reading_of(column))
                };
                if let Err(kind) = add() {
                    let field = Some(field);
                    faults.push(RowFault { row, field, kind });
                    break;
                }
            }
            people.push(self.hasher.hash(&tuple));
        }
        (people, texts)
    }
}

/// Notes the text of an identifier. Identifiers of other types have one spelling.
fn note(cell: RawCell<'_>, column: &Column, to: &mut IdentifierSpellings) {
    if let (RawCell::Text(text), Kind::String) = (cell, column.kind) {
        to.add(text);
    }
}

/// The rows of a page that have no fault.
struct GoodRows {
    good: Vec<bool>,
    all: bool,
}

impl GoodRows {
    fn new(rows: usize, faults: &[RowFault], skipped: &[usize]) -> GoodRows {
        let all = faults.is_empty() && skipped.is_empty();
        let mut good = vec![true; rows];
        faults.iter().for_each(|fault| good[fault.row] = false);
        skipped.iter().for_each(|&row| good[row] = false);
        GoodRows { good, all }
    }

    fn holds(&self, row: usize) -> bool {
        self.good[row]
    }

    /// The entries of these rows.
    fn only<T>(&self, mut column: Vec<T>) -> Vec<T> {
        if !self.all {
            let mut good = self.good.iter();
            column.retain(|_| good.next() == Some(&true));
        }
        column
    }
}

/// The sensitive tuples of valid rows as numbers of their columns' values, and the tuple of each.
fn tuples(good: &GoodRows, numbers: &[Vec<u32>]) -> (Tuples, Vec<u32>) {
    let mut tuples = Tuples::new(numbers.len());
    let mut row_numbers = vec![0; numbers.len()];
    let rows = (0..good.good.len()).filter(|&row| good.holds(row));
    let number = |row: usize| {
        for (number, column) in row_numbers.iter_mut().zip(numbers) {
            *number = column[row];
        }
        tuples.number(&row_numbers)
    };
    let codes = rows.map(number).collect();
    (tuples, codes)
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
