//! Reads tables from files: text and Parquet in, Arrow batches out, errors with file, row and column. Nothing here
//! decides what a row means, and no error holds the content of a cell.

mod delimited;
mod parquet;
mod people;
mod shape;
mod source;
mod table;

pub use people::People;
pub use source::Source;
pub use table::{Table, count, first_row_with};
