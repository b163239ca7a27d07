//! The forms in which a feed file may write a taxonomy (CONTRACTS 2), each turned into a tree and the rule by which raw
//! values find their leaf. Files are opened by the caller, which hands their rows in; nothing here touches one.

mod bands;
mod builtin;
mod codes;
pub mod dates;
mod hierarchy;
mod icd10;
mod table;

pub use table::{Builtin, Codes, Form, TaxonomyTable};

use super::{Domain, Kind, Path, TreeError};

/// A taxonomy made from a table.
#[derive(Debug)]
pub struct Built {
    /// The tree and how raw values find their leaf.
    pub domain: Domain,
    /// The type of the column, unless the feed file names another.
    pub kind: Kind,
    /// What is harmless and still worth telling.
    pub warnings: Vec<String>,
}

/// Why a table makes no taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FormError {
    /// The key that is wrong.
    pub key: Option<&'static str>,
    /// What is wrong and what to do; names every line it is about.
    pub text: String,
    /// The line of the file that `key` names; of two contradicting lines the later one.
    pub line: Option<u64>,
}

impl FormError {
    /// An error at a key of the table.
    pub fn new(key: &'static str, text: impl Into<String>) -> FormError {
        FormError { key: Some(key), text: text.into(), line: None }
    }

    /// Names a line of the file.
    #[must_use]
    fn at_line(mut self, line: u64) -> FormError {
        self.line = Some(line);
        self
    }

    /// What a tree's own check found, with its lines when it has any.
    fn of_tree(key: &'static str, error: &TreeError) -> FormError {
        let (line, earlier) = match error.places() {
            (at, other) if at < other => (other, at),
            places => places,
        };
        let text = match (line, earlier) {
            (0, _) => error.to_string(),
            (line, 0) => format!("{error} (line {line})"),
            (line, earlier) => format!("{error} (lines {earlier} and {line})"),
        };
        FormError { key: Some(key), text, line: (line != 0).then_some(line) }
    }
}

/// Turns a table into a taxonomy. `source` holds the rows of the file that [`TaxonomyTable::reads`] names: rows of a
/// hierarchy, or codes as rows of one label.
///
/// # Errors
/// No form or two, a key of another form, parameters or rows that contradict each other.
pub fn build(table: &TaxonomyTable, source: &[Path]) -> Result<Built, FormError> {
    match table.form()? {
        Form::File => hierarchy::build(source),
        Form::Bands => bands::bands(table),
        Form::Intervals => bands::intervals(table),
        Form::Prefix => codes::prefix(table, source),
        Form::Date => dates::build(table),
        Form::Flat => codes::flat(table),
        Form::Builtin => builtin::build(table),
    }
}

/// The value of a key that the form cannot do without.
fn needed<'a, T>(value: &'a Option<T>, form: Form, key: &'static str) -> Result<&'a T, FormError> {
    value.as_ref().ok_or_else(|| FormError::new(form.name(), format!("`{}` needs `{key}`", form.name())))
}
