//! Converts the columns of an Arrow batch into codes: quasi cells into leaves (raw rows) or nodes
//! (rows of a release), sensitive cells into codes of their column's distinct values. Decoding is
//! strict (HOUSE 4): 42.9 is not 42 and "42" is not 42, except in sources that contain only text. A
//! quasi cell without a leaf or node is a misfit. A sensitive cell that does not fit becomes null
//! (SCIENCE 3, acceptance), except in tables of others that are judged: their readers see it as it
//! is, and two different cells must not become one value. The raw rows behind such a table follow
//! it: a cell that does not fit is what the table shows for it, or null. A whole column of another
//! type is a misfit.
//!
//! A misfit names row and column, never the cell.

use std::collections::BTreeSet;
use std::hash::BuildHasher;

use arrow_array::RecordBatch;
use hashbrown::HashTable;

use super::cells::{MisfitKind, RawCell, ReadableColumn, as_seen, in_calendar, parse_value};
use super::measure::units;
use super::reading::CellReading;
use super::{Histogram, ValueCode};
use crate::forms::dates;
use crate::{Column, Columns, Domain, Finite, Kind, Leaf, RecordHasher, Role, Value, whole_number};

/// A cell, or a whole column, that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The row in the batch (or in all batches, where stated), counted from 0.
    pub row: u64,
    /// The column's name.
    pub column: Box<str>,
    /// What is wrong.
    pub kind: MisfitKind,
}

/// Distinct values of one sensitive column, numbered in order of appearance.
#[derive(Default)]
pub struct Dictionary {
    values: Vec<Value>,
    table: HashTable<u32>,
}

const HASHER: RecordHasher = RecordHasher;

impl Dictionary {
    /// The values by number.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The number of a value; a new value gets the next number.
    pub fn number(&mut self, value: Value) -> u32 {
        let (values, hash) = (&self.values, HASHER.hash_one(&value));
        if let Some(&number) = self
            .table
            .find(hash, |&number| values[number as usize] == value)
        {
            return number;
        }
        let number = u32::try_from(values.len()).expect("fewer than 2^32 distinct values");
        self.table.insert_unique(hash, number, |&number| {
            HASHER.hash_one(&values[number as usize])
        });
        self.values.push(value);
        number
    }
}

/// The codes of a batch, column by column.
pub struct EncodedBatch {
    /// For each quasi column one leaf or node per row.
    pub quasi: Vec<Vec<u32>>,
    /// For each sensitive column one dictionary number per row.
    pub sensitive: Vec<Vec<u32>>,
}

impl EncodedBatch {
    fn of(quasi: Vec<Vec<u32>>, sensitive: Vec<Vec<u32>>, rows: usize) -> EncodedBatch {
        assert!(
            quasi
                .iter()
                .chain(&sensitive)
                .all(|column| column.len() == rows),
            "a code for each row"
        );
        EncodedBatch { quasi, sensitive }
    }
}

/// Encodes the declared columns of one source.
pub struct Encoder<'a> {
    quasi: Vec<Quasi<'a>>,
    sensitive: Vec<&'a Column>,
    measures: Vec<&'a Column>,
    reading: CellReading,
    malformed: Malformed<'a>,
    /// Whether the texts of columns with steps are given, after these.
    stepped: bool,
}

/// The treatment of a sensitive cell that does not fit its column.
enum Malformed<'a> {
    Null,
    Seen,
    /// For each column the texts that some releases show.
    Shown(Vec<BTreeSet<&'a Value>>),
}

struct Quasi<'a> {
    column: &'a Column,
    domain: &'a Domain,
    missing: Option<Leaf>,
    outside: Option<Leaf>,
}

impl<'a> Encoder<'a> {
    /// For the quasi and sensitive columns of a feed.
    pub fn new(columns: &'a Columns, reading: CellReading) -> Encoder<'a> {
        let quasi = |column: &'a Column| {
            let domain = column.taxonomy.as_deref()?;
            let leaf = |label: &str| domain.tree.find_leaf(label);
            let missing = column.optional.then(|| leaf(Column::MISSING)).flatten();
            Some(Quasi {
                column,
                domain,
                missing,
                outside: column.unknown.as_deref().and_then(leaf),
            })
        };
        Encoder {
            quasi: columns.of(Role::Quasi).filter_map(quasi).collect(),
            sensitive: columns.of(Role::Sensitive).collect(),
            measures: columns.of(Role::Measure).collect(),
            reading,
            malformed: Malformed::Null,
            stepped: false,
        }
    }

    /// Keeps malformed sensitive cells as readers see them, instead of treating them as null.
    #[must_use]
    pub fn as_seen(self) -> Encoder<'a> {
        Encoder {
            malformed: Malformed::Seen,
            ..self
        }
    }

    /// Keeps malformed sensitive cells as readers see them, if these releases show them so.
    #[must_use]
    pub fn behind(self, releases: &'a [Histogram]) -> Encoder<'a> {
        let mut columns: Vec<BTreeSet<&Value>> = vec![BTreeSet::new(); self.sensitive.len()];
        for values in releases.iter().map(Histogram::values) {
            assert_eq!(
                values.width(),
                self.sensitive.len(),
                "releases have these sensitive columns"
            );
            for tuple in (0..values.len()).map(|code| values.get(code as ValueCode)) {
                let texts = columns
                    .iter_mut()
                    .zip(tuple)
                    .filter(|(_, value)| matches!(value, Value::Text(_)));
                texts.for_each(|(column, value)| _ = column.insert(value));
            }
        }
        Encoder {
            malformed: Malformed::Shown(columns),
            ..self
        }
    }

    /// For raw rows in which columns with steps have their texts after these.
    #[must_use]
    pub fn stepped(self) -> Encoder<'a> {
        Encoder {
            stepped: true,
            ..self
        }
    }

    /// How the cells of a column are read.
    pub fn reading_of(&self, column: &Column) -> CellReading {
        if self.stepped && column.source.is_changed() {
            CellReading::Text
        } else {
            self.reading
        }
    }

    /// Number of quasi columns.
    pub fn quasi(&self) -> usize {
        self.quasi.len()
    }

    /// Number of sensitive columns.
    pub fn sensitive(&self) -> usize {
        self.sensitive.len()
    }

    /// Encodes a batch; new sensitive values get the next number of their column's dictionary.
    ///
    /// # Errors
    /// The first quasi cell, column by column, without a leaf or node.
    pub fn encode(
        &self,
        batch: &RecordBatch,
        dictionaries: &mut [Dictionary],
    ) -> Result<EncodedBatch, Misfit> {
        let quasi = (0..self.quasi.len())
            .map(|at| self.quasi_codes(batch, at))
            .collect::<Result<_, _>>()?;
        let sensitive = self.sensitive_codes(batch, dictionaries)?;
        Ok(EncodedBatch::of(quasi, sensitive, batch.num_rows()))
    }

    fn sensitive_codes(
        &self,
        batch: &RecordBatch,
        dictionaries: &mut [Dictionary],
    ) -> Result<Vec<Vec<u32>>, Misfit> {
        assert_eq!(
            dictionaries.len(),
            self.sensitive.len(),
            "a dictionary for each sensitive column"
        );
        let mut sensitive = Vec::with_capacity(self.sensitive.len());
        for (at, (column, dictionary)) in self.sensitive.iter().zip(dictionaries).enumerate() {
            let cells = self.fitting(batch, column)?;
            let codes = cells.codes(|cell| Ok(self.number(at, cell, dictionary)));
            sensitive.push(codes.expect("every sensitive cell has a number"));
        }
        Ok(sensitive)
    }

    /// The value of a cell of a measure, in units of its last decimal; `None` if it has none.
    pub fn units(&self, measure: usize, cell: RawCell<'_>) -> Option<i64> {
        let column = self.measures[measure];
        units(cell, column, self.reading_of(column))
    }

    /// A column whose physical type can hold the declared one.
    fn fitting<'b>(
        &self,
        batch: &'b RecordBatch,
        column: &Column,
    ) -> Result<ReadableColumn<'b>, Misfit> {
        let misfit = |kind| Misfit {
            row: 0,
            column: column.name.clone(),
            kind,
        };
        let array = batch
            .column_by_name(&column.name)
            .ok_or_else(|| misfit(MisfitKind::NoColumn))?;
        let reading = self.reading_of(column);
        ReadableColumn::fitting(array, column.kind, column.role, reading).map_err(misfit)
    }

    /// The leaf of a raw cell of a quasi column.
    ///
    /// # Errors
    /// The cell has no leaf.
    pub fn leaf(&self, quasi: usize, cell: RawCell<'_>) -> Result<Leaf, MisfitKind> {
        let reading = self.reading_of(self.quasi[quasi].column);
        self.quasi[quasi].code(cell, reading).map_err(|kind| {
            match (kind, cell, self.quasi[quasi].column.kind) {
                (MisfitKind::WrongType, RawCell::Int(_) | RawCell::Float(_), Kind::String) => {
                    MisfitKind::NumberForText
                }
                (MisfitKind::WrongType, ..) => MisfitKind::Malformed,
                (kind, ..) => kind,
            }
        })
    }

    /// The dictionary number of a cell of a sensitive column; every cell has one, whatever is wrong
    /// with it.
    pub fn number(&self, sensitive: usize, cell: RawCell<'_>, dictionary: &mut Dictionary) -> u32 {
        let malformed = || match &self.malformed {
            Malformed::Null => Value::Null,
            Malformed::Seen => as_seen(cell),
            Malformed::Shown(columns) => {
                let seen = as_seen(cell);
                if columns[sensitive].contains(&seen) {
                    seen
                } else {
                    Value::Null
                }
            }
        };
        let column = self.sensitive[sensitive];
        let value = parse_value(cell, column.kind, self.reading_of(column));
        dictionary.number(value.unwrap_or_else(malformed))
    }

    /// Encodes one quasi column of a batch.
    ///
    /// # Errors
    /// The first cell without a leaf or node.
    pub fn quasi_codes(&self, batch: &RecordBatch, at: usize) -> Result<Vec<u32>, Misfit> {
        let quasi = &self.quasi[at];
        let misfit = |(row, kind)| Misfit {
            row: row as u64,
            column: quasi.column.name.clone(),
            kind,
        };
        let cells = if self.reading.is_labels() {
            // Labels are text, whatever the type of their leaves.
            let array = batch
                .column_by_name(&quasi.column.name)
                .ok_or_else(|| misfit((0, MisfitKind::NoColumn)))?;
            ReadableColumn::of(array).ok_or_else(|| misfit((0, MisfitKind::WrongType)))?
        } else {
            self.fitting(batch, quasi.column)?
        };
        cells
            .codes(|cell| quasi.code(cell, self.reading_of(quasi.column)))
            .map_err(misfit)
    }
}

impl Quasi<'_> {
    fn code(&self, cell: RawCell<'_>, reading: CellReading) -> Result<u32, MisfitKind> {
        if matches!(cell, RawCell::Null) || matches!(cell, RawCell::Text("")) {
            let node = |leaf| {
                if reading.is_labels() {
                    self.domain.tree.leaf_node(leaf)
                } else {
                    leaf
                }
            };
            return self.missing.map(node).ok_or(MisfitKind::Missing);
        }
        if reading.is_labels() {
            let RawCell::Text(label) = cell else {
                return Err(MisfitKind::WrongType);
            };
            return self.domain.tree.find(label).ok_or(MisfitKind::NoLabel);
        }
        match self.leaf(cell, reading)?.or(self.outside) {
            Some(leaf) => Ok(leaf),
            // No new leaf of the taxonomy would help.
            None if !is_of_kind(cell, self.column.kind) => Err(MisfitKind::Malformed),
            None => Err(MisfitKind::Outside),
        }
    }

    fn leaf(&self, cell: RawCell<'_>, reading: CellReading) -> Result<Option<Leaf>, MisfitKind> {
        let kind = self.column.kind;
        let by_text = |text: &str| self.domain.leaf_of_text(kind, text);
        match (cell, kind) {
            (RawCell::Text(text), _) if reading == CellReading::Text => Ok(by_text(text)),
            (RawCell::Text(text), Kind::String) => Ok(by_text(text)),
            (RawCell::Int(number), Kind::Int) => Ok(self.domain.leaf_of_int(number)),
            (RawCell::Text(date), Kind::Date) if reading == CellReading::Json => Ok(by_text(date)),
            (RawCell::Days(days), Kind::Date) => Ok(in_calendar(days)
                .then(|| self.domain.leaf_of_days(days))
                .flatten()),
            (RawCell::Bool(truth), Kind::Bool) => Ok(by_text(if truth { "true" } else { "false" })),
            (RawCell::Float(number), Kind::Float) => Ok(by_text(&number.to_string())),
            (RawCell::Int(number), Kind::Float) if number.unsigned_abs() <= 1 << 53 => {
                Ok(by_text(&number.to_string()))
            }
            _ => Err(MisfitKind::WrongType),
        }
    }
}

/// Whether a text can be read as a value of this type.
fn is_of_kind(cell: RawCell<'_>, kind: Kind) -> bool {
    let RawCell::Text(text) = cell else {
        return true;
    };
    match kind {
        Kind::String | Kind::Decimal(_) => true,
        Kind::Int => whole_number(text).is_some(),
        Kind::Float => text.parse().ok().and_then(Finite::new).is_some(),
        Kind::Bool => matches!(text, "true" | "false"),
        Kind::Date => dates::parse(text).is_some(),
    }
}
