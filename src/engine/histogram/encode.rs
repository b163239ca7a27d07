//! Turns the columns of an Arrow batch into codes: quasi cells into leaves (raw rows) or nodes (rows of a release),
//! sensitive cells into codes of their column's distinct values. Decoding is strict (HOUSE 4): 42.9 is not 42 and "42" is
//! not 42, except in sources that know only text. A quasi cell that fits nowhere is a misfit. A sensitive cell that does
//! not fit is null (SCIENCE 3, acceptance), unless tables are judged that others made: their readers see it as it is, and
//! two cells that differ must not become one value. A whole column of another type is a misfit.
//!
//! A misfit names row and column, never the cell.

use std::hash::BuildHasher;

use arrow_array::{Array, RecordBatch};
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::cells::{Cells, MisfitKind, RawCell, as_seen, fits, parse_value};
use crate::engine::model::{Column, Columns, Domain, Kind, Leaf, Role, Value};

/// What the cells of a source are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Raw rows of a source that knows only text (CSV): text is parsed by the column's type.
    Text,
    /// Raw rows of a typed source (Parquet, Arrow): types must agree.
    Typed,
    /// Rows of a release: quasi cells are labels of their taxonomy, at any height.
    Labels {
        /// Whether sensitive cells are text that is parsed (CSV).
        text: bool,
    },
}

/// A cell, or a whole column, that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Row in the batch (or in all batches, where that is said), counted from 0.
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

const HASHER: FixedState = FixedState::with_seed(0x6761_7465);

impl Dictionary {
    /// The values by number.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    fn number(&mut self, value: Value) -> u32 {
        let (values, hash) = (&self.values, HASHER.hash_one(&value));
        if let Some(&number) = self.table.find(hash, |&number| values[number as usize] == value) {
            return number;
        }
        let number = values.len() as u32;
        self.table.insert_unique(hash, number, |&number| HASHER.hash_one(&values[number as usize]));
        self.values.push(value);
        number
    }
}

/// The codes of a batch, column by column.
pub struct Encoded {
    /// Per quasi column one leaf or node per row.
    pub quasi: Vec<Vec<u32>>,
    /// Per sensitive column one dictionary number per row.
    pub sensitive: Vec<Vec<u32>>,
}

/// Knows how to code the declared columns of one source.
pub struct Encoder<'a> {
    quasi: Vec<Quasi<'a>>,
    sensitive: Vec<&'a Column>,
    reading: Reading,
    as_seen: bool,
}

struct Quasi<'a> {
    column: &'a Column,
    domain: &'a Domain,
    missing: Option<Leaf>,
    outside: Option<Leaf>,
}

impl<'a> Encoder<'a> {
    /// For the quasi and sensitive columns of a feed.
    pub fn new(columns: &'a Columns, reading: Reading) -> Encoder<'a> {
        let quasi = |column: &'a Column| {
            let domain = column.taxonomy.as_deref()?;
            let leaf = |label: &str| domain.tree.find_leaf(label);
            let missing = column.optional.then(|| leaf(Column::MISSING)).flatten();
            Some(Quasi { column, domain, missing, outside: column.unknown.as_deref().and_then(leaf) })
        };
        Encoder {
            quasi: columns.of(Role::Quasi).filter_map(quasi).collect(),
            sensitive: columns.of(Role::Sensitive).collect(),
            reading,
            as_seen: false,
        }
    }

    /// Keeps malformed sensitive cells as they are seen instead of taking them for null.
    #[must_use]
    pub fn as_seen(self) -> Encoder<'a> {
        Encoder { as_seen: true, ..self }
    }

    /// Number of quasi columns.
    pub fn quasi(&self) -> usize {
        self.quasi.len()
    }

    /// Number of sensitive columns.
    pub fn sensitive(&self) -> usize {
        self.sensitive.len()
    }

    /// Codes a batch; new sensitive values get the next number of their column's dictionary.
    ///
    /// # Errors
    /// The first quasi cell, column by column, that fits nowhere.
    pub fn encode(&self, batch: &RecordBatch, dictionaries: &mut [Dictionary]) -> Result<Encoded, Misfit> {
        let quasi = (0..self.quasi.len()).map(|at| self.quasi_codes(batch, at)).collect::<Result<_, _>>()?;
        let text = matches!(self.reading, Reading::Text | Reading::Labels { text: true });
        let mut sensitive = Vec::with_capacity(self.sensitive.len());
        for (column, dictionary) in self.sensitive.iter().zip(dictionaries) {
            let physical = batch.column_by_name(&column.name).map(|array| array.data_type());
            if physical.is_some_and(|physical| !fits(physical, column.kind, text)) {
                return Err(Misfit { row: 0, column: column.name.clone(), kind: MisfitKind::WrongType });
            }
            let number = |cell: RawCell<'_>| {
                let malformed = || if self.as_seen { as_seen(cell) } else { Value::Null };
                Ok(dictionary.number(parse_value(cell, column.kind, text).unwrap_or_else(malformed)))
            };
            sensitive.push(codes(batch, column, number)?);
        }
        Ok(Encoded { quasi, sensitive })
    }

    /// Codes one quasi column of a batch.
    ///
    /// # Errors
    /// The first cell that fits nowhere.
    pub fn quasi_codes(&self, batch: &RecordBatch, at: usize) -> Result<Vec<u32>, Misfit> {
        let quasi = &self.quasi[at];
        codes(batch, quasi.column, |cell| quasi.code(cell, self.reading))
    }
}

/// Codes a column of a batch cell by cell.
fn codes<F>(batch: &RecordBatch, column: &Column, code: F) -> Result<Vec<u32>, Misfit>
where
    F: FnMut(RawCell<'_>) -> Result<u32, MisfitKind>,
{
    let misfit = |(row, kind)| Misfit { row: row as u64, column: column.name.clone(), kind };
    let array = batch.column_by_name(&column.name).ok_or_else(|| misfit((0, MisfitKind::NoColumn)))?;
    let cells = Cells::of(array).ok_or_else(|| misfit((0, MisfitKind::WrongType)))?;
    cells.codes(code).map_err(misfit)
}

impl Quasi<'_> {
    fn code(&self, cell: RawCell<'_>, reading: Reading) -> Result<u32, MisfitKind> {
        if matches!(cell, RawCell::Null) || matches!(cell, RawCell::Text("")) {
            let node =
                |leaf| if matches!(reading, Reading::Labels { .. }) { self.domain.tree.leaf_node(leaf) } else { leaf };
            return self.missing.map(node).ok_or(MisfitKind::Missing);
        }
        if matches!(reading, Reading::Labels { .. }) {
            let RawCell::Text(label) = cell else { return Err(MisfitKind::WrongType) };
            return self.domain.tree.find(label).ok_or(MisfitKind::NoLabel);
        }
        self.leaf(cell, reading)?.or(self.outside).ok_or(MisfitKind::Outside)
    }

    fn leaf(&self, cell: RawCell<'_>, reading: Reading) -> Result<Option<Leaf>, MisfitKind> {
        let kind = self.column.kind;
        let by_text = |text: &str| self.domain.leaf_of_text(kind, text);
        match (cell, kind) {
            (RawCell::Text(text), _) if reading == Reading::Text => Ok(by_text(text)),
            (RawCell::Text(text), Kind::String) => Ok(by_text(text)),
            (RawCell::Int(number), Kind::Int) => Ok(self.domain.leaf_of_int(number)),
            (RawCell::Int(number), Kind::String) => Ok(by_text(&number.to_string())),
            (RawCell::Days(days), Kind::Date) => Ok(self.domain.leaf_of_days(days)),
            (RawCell::Bool(truth), Kind::Bool) => Ok(by_text(if truth { "true" } else { "false" })),
            (RawCell::Float(number), Kind::Float) => Ok(by_text(&number.to_string())),
            _ => Err(MisfitKind::WrongType),
        }
    }
}
