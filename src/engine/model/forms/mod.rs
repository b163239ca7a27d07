//! The forms in which a feed file may write a taxonomy (CONTRACTS 2), each converted into a tree
//! and the rule that assigns raw values to leaves. The caller opens files and passes their rows;
//! nothing here does.

mod bands;
mod builtin;
mod codes;
pub mod dates;
pub(crate) mod edges;
mod form_result;
mod hierarchy;
mod icd10;
mod range;
mod table;

pub use form_result::{FormError, FormResult};
pub use table::{Builtin, PrefixCodes, TaxonomyForm, TaxonomyTable};

use super::Path;

/// Converts a table into a taxonomy. `source` holds the rows of the file that
/// [`TaxonomyTable::reads`] names: rows of a hierarchy, or codes as rows of one label.
///
/// # Errors
/// The table has no form or two, a key of another form, or parameters or rows that contradict each
/// other.
pub fn build(table: &TaxonomyTable, source: &[Path]) -> Result<FormResult, FormError> {
    match table.form()? {
        TaxonomyForm::File => hierarchy::build(source),
        TaxonomyForm::Bands => bands::bands(table),
        TaxonomyForm::Range => range::build(table),
        TaxonomyForm::Intervals => bands::intervals(table),
        TaxonomyForm::Edges => edges::build(table),
        TaxonomyForm::Prefix => codes::prefix(table, source),
        TaxonomyForm::Date => dates::build(table),
        TaxonomyForm::Flat => codes::flat(table),
        TaxonomyForm::Builtin => builtin::build(table),
    }
}
