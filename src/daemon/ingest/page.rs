//! Rows of a source before they are coded (HOUSE 4): every format makes pages, and one coder takes
//! them. A page has a column of cells for each field that is read, with a mark where there is no
//! value, and for each row its place. Nothing here knows what a cell means.

use std::hash::BuildHasher;
use std::io::Write as _;

use arrow_array::ArrayRef;
use hashbrown::HashTable;

use super::row_faults::RowFault;
use super::unknown_keys::UnknownKeys;
use crate::engine::histogram::{MisfitKind, RawCell, ReadableColumn};
use crate::engine::model::{Column, RecordHasher, Role};
use crate::wiped_bytes::WipedBytes;

const HASHER: RecordHasher = RecordHasher;
/// Longer texts are hardly labels.
const LONGEST_LABEL: usize = 64;
/// The most texts that are compared with; a column with more hardly has any that recur.
const MOST_KNOWN: usize = 1 << 14;

/// The value of a field's bytes; its text may be unescaped into the string.
pub(crate) type FieldText = for<'s> fn(&'s [u8], &'s mut String) -> Result<RawCell<'s>, MisfitKind>;

/// A field in its written form; empty if it is missing.
pub(crate) type WrittenField<'t> = Result<&'t [u8], MisfitKind>;

/// One record of a message in its written form, or what is wrong with the way to it.
pub(crate) type Element<'t> = (&'t str, Option<MisfitKind>);

/// Takes the fields of a record, or what is wrong with it as a whole; with its number if a message
/// has several.
pub(crate) type TakeRow<'f> =
    &'f mut dyn FnMut(Option<u32>, Result<&[WrittenField<'_>], MisfitKind>);

/// Some rows of a source.
pub(crate) struct Page {
    /// The number of rows, with those that are none.
    pub rows: usize,
    /// For each field that is read its cells.
    pub columns: Vec<Cells>,
    /// Rows that have no fields, ascending.
    pub refused: Vec<RowFault>,
    /// Messages that are no rows and are not set aside either, ascending.
    pub skipped: Vec<usize>,
    /// For each row its line or offset; empty if rows have none.
    pub places: Vec<u64>,
    /// For each row its number in its message, if that has several; empty if none has.
    pub elements: Vec<Option<u32>>,
    /// Keys of a row that the feed file does not declare, if they are recorded.
    pub strange: Vec<(usize, UnknownKeys)>,
}

impl Page {
    /// Rows of a typed source.
    pub(crate) fn typed(rows: usize, columns: &[ArrayRef]) -> Page {
        let arrow = |array: &ArrayRef| Cells::Arrow(ArrayRef::clone(array));
        Page {
            rows,
            columns: columns.iter().map(arrow).collect(),
            refused: Vec::new(),
            skipped: Vec::new(),
            places: Vec::new(),
            elements: Vec::new(),
            strange: Vec::new(),
        }
    }
}

/// The cells of one field.
pub(crate) enum Cells {
    /// Of a typed source.
    Arrow(ArrayRef),
    /// In their written form.
    Written(WrittenCells),
}

/// Cells in their written form, wiped when they are dropped. For columns in which values recur each
/// is held once.
pub(crate) struct WrittenCells {
    read: FieldText,
    bytes: WipedBytes,
    /// The bytes of each value, or the mark in its place.
    values: Vec<Result<(u32, u32), MisfitKind>>,
    /// For each row its value.
    keys: Vec<u32>,
    /// Finds values that are held already; `None`: values hardly recur.
    known: Option<HashTable<u32>>,
}

impl WrittenCells {
    fn new(column: &Column, read: FieldText) -> WrittenCells {
        let recur = matches!(column.role, Role::Quasi | Role::Sensitive);
        WrittenCells {
            read,
            bytes: WipedBytes::default(),
            values: Vec::new(),
            keys: Vec::new(),
            known: recur.then(HashTable::new),
        }
    }

    fn push(&mut self, field: WrittenField<'_>) {
        let key = match field {
            Ok(text) => self.value(text),
            Err(mark) => self.add(Err(mark)),
        };
        self.keys.push(key);
    }

    fn value(&mut self, text: &[u8]) -> u32 {
        let Some(known) = self.known.as_mut().filter(|_| text.len() <= LONGEST_LABEL) else {
            return self.text(text);
        };
        let (bytes, values) = (&self.bytes, &self.values);
        let of = |key: u32| match values[key as usize] {
            Ok((from, to)) => &bytes[from as usize..to as usize],
            Err(_) => unreachable!("only texts are looked up"),
        };
        let hash = HASHER.hash_one(text);
        if let Some(&key) = known.find(hash, |&key| of(key) == text) {
            return key;
        }
        let key = values.len() as u32;
        known.insert_unique(hash, key, |&key| {
            HASHER.hash_one(if key as usize == values.len() {
                text
            } else {
                of(key)
            })
        });
        self.text(text)
    }

    fn text(&mut self, text: &[u8]) -> u32 {
        let from = self.bytes.len() as u32;
        let written = self.bytes.write_all(text);
        written.expect("memory takes everything");
        let to = u32::try_from(self.bytes.len()).expect("pages have less than 4 GiB");
        self.add(Ok((from, to)))
    }

    fn add(&mut self, value: Result<(u32, u32), MisfitKind>) -> u32 {
        self.values.push(value);
        self.values.len() as u32 - 1
    }

    fn read<'s>(
        &'s self,
        value: usize,
        unescaped: &'s mut String,
    ) -> Result<RawCell<'s>, MisfitKind> {
        let (from, to) = self.values[value]?;
        (self.read)(&self.bytes[from as usize..to as usize], unescaped)
    }
}

/// Cells of a column whose type fits.
pub(super) enum CellReader<'p> {
    Arrow(ReadableColumn<'p>),
    Written(&'p WrittenCells),
}

impl CellReader<'_> {
    /// The cell of a row, or its mark.
    pub(crate) fn cell<'s>(
        &'s self,
        row: usize,
        unescaped: &'s mut String,
    ) -> Result<RawCell<'s>, MisfitKind> {
        match self {
            CellReader::Arrow(cells) => Ok(cells.at(row)),
            CellReader::Written(cells) => cells.read(cells.keys[row] as usize, unescaped),
        }
    }

    /// What `code` makes of each row's cell; it is asked once for each value that recurs. `otherwise`
    /// says what stands for a cell that has a fault.
    pub(crate) fn each<T: Copy>(
        &self,
        mut code: impl FnMut(Result<RawCell<'_>, MisfitKind>) -> Result<T, MisfitKind>,
        mut otherwise: impl FnMut(usize, MisfitKind) -> T,
    ) -> Vec<T> {
        let cells = match self {
            CellReader::Arrow(cells) => cells,
            CellReader::Written(cells) => {
                let mut unescaped = String::new();
                let mut value = |at| code(cells.read(at, &mut unescaped));
                let known: Vec<_> = (0..cells.values.len()).map(&mut value).collect();
                let row = |(row, &key): (usize, &u32)| {
                    known[key as usize].unwrap_or_else(|kind| otherwise(row, kind))
                };
                return cells.keys.iter().enumerate().map(row).collect();
            }
        };
        let Some(keys) = cells.keys() else {
            let mut known = KnownTexts::default();
            let row = |row| {
                let found = match cells.at(row) {
                    RawCell::Text(text) => known.code(text, (cells, row), |cell| code(Ok(cell))),
                    cell => code(Ok(cell)),
                };
                found.unwrap_or_else(|kind| otherwise(row, kind))
            };
            return (0..cells.rows()).map(row).collect();
        };
        let mut of = |row: usize| code(Ok(cells.at(row)));
        let null = cells.distinct();
        let mut known: Vec<Option<Result<T, MisfitKind>>> = vec![None; null + 1];
        let row = |(row, key): (usize, Option<i32>)| {
            let at = key.map_or(null, |key| key as usize);
            let found = *known[at].get_or_insert_with(|| of(row));
            found.unwrap_or_else(|kind| otherwise(row, kind))
        };
        keys.iter().enumerate().map(row).collect()
    }
}

/// The codes of texts of a typed column that recur, each with a row that has the text.
struct KnownTexts<T> {
    known: HashTable<(u32, Result<T, MisfitKind>)>,
}

impl<T> Default for KnownTexts<T> {
    fn default() -> KnownTexts<T> {
        KnownTexts {
            known: HashTable::new(),
        }
    }
}

impl<T: Copy> KnownTexts<T> {
    fn code(
        &mut self,
        text: &str,
        (cells, row): (&ReadableColumn<'_>, usize),
        code: impl FnOnce(RawCell<'_>) -> Result<T, MisfitKind>,
    ) -> Result<T, MisfitKind> {
        if text.len() > LONGEST_LABEL {
            return code(RawCell::Text(text));
        }
        let hash = HASHER.hash_one(text);
        let same = |(at, _): &(u32, _)| matches!(cells.at(*at as usize), RawCell::Text(known) if known == text);
        if let Some((_, known)) = self.known.find(hash, same) {
            return *known;
        }
        let found = code(RawCell::Text(text));
        if self.known.len() < MOST_KNOWN {
            let hash_of = |(at, _): &(u32, _)| match cells.at(*at as usize) {
                RawCell::Text(known) => HASHER.hash_one(known),
                _ => 0,
            };
            self.known.insert_unique(hash, (row as u32, found), hash_of);
        }
        found
    }
}

/// Writes a page row by row, each as one written form per field.
pub(crate) struct PageWriter {
    columns: Vec<WrittenCells>,
    refused: Vec<RowFault>,
    skipped: Vec<usize>,
    places: Vec<u64>,
    elements: Vec<Option<u32>>,
    strange: Vec<(usize, UnknownKeys)>,
}

impl PageWriter {
    /// For these fields.
    pub(crate) fn new(fields: &[&Column], read: FieldText) -> PageWriter {
        PageWriter {
            columns: fields
                .iter()
                .map(|column| WrittenCells::new(column, read))
                .collect(),
            refused: Vec::new(),
            skipped: Vec::new(),
            places: Vec::new(),
            elements: Vec::new(),
            strange: Vec::new(),
        }
    }

    /// The number of rows so far.
    pub(crate) fn rows(&self) -> usize {
        self.places.len()
    }

    /// Adds a row.
    pub(crate) fn add<'t>(
        &mut self,
        place: u64,
        fields: impl IntoIterator<Item = WrittenField<'t>>,
    ) {
        self.places.push(place);
        let mut fields = fields.into_iter();
        for column in &mut self.columns {
            column.push(fields.next().expect("a field for each column"));
        }
    }

    /// Adds a row without fields.
    pub(crate) fn refuse(&mut self, place: u64, kind: MisfitKind) {
        let row = self.places.len();
        self.refused.push(RowFault {
            row,
            field: None,
            kind,
        });
        self.add(place, std::iter::repeat(Ok(&b""[..])));
    }

    /// Adds a message that is no row, and is not set aside either.
    pub(crate) fn skip(&mut self, place: u64) {
        self.skipped.push(self.places.len());
        self.add(place, std::iter::repeat(Ok(&b""[..])));
    }

    /// Says which of its message's records the last row is.
    pub(crate) fn element(&mut self, element: Option<u32>) {
        if element.is_some() {
            self.elements.resize(self.places.len() - 1, None);
            self.elements.push(element);
        }
    }

    /// Records keys of the last row that the feed file does not declare.
    pub(crate) fn strange(&mut self, keys: UnknownKeys) {
        self.strange.push((self.places.len() - 1, keys));
    }

    /// The rows so far.
    pub(crate) fn finish(self) -> Page {
        Page {
            rows: self.places.len(),
            columns: self.columns.into_iter().map(Cells::Written).collect(),
            refused: self.refused,
            skipped: self.skipped,
            places: self.places,
            elements: self.elements,
            strange: self.strange,
        }
    }
}
