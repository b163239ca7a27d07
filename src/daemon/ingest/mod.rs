//! Reads tables from files: text, JSON lines, Parquet and Arrow IPC in, Arrow batches or coded rows out, errors with file, row and column. Nothing here
//! decides what a row means, and no error holds the content of a cell.

mod assembly;
mod delimited;
mod guard;
mod header;
mod ipc;
mod json;
mod lines;
mod memo;
mod misplaced;
mod parquet;
mod part;
mod people;
mod person;
mod quotes;
mod records;
mod rows;
mod shape;
mod source;
mod strange;
mod swallowed;
mod table;

pub use misplaced::Misplaced;
pub use people::People;
pub use person::PersonHasher;
pub use rows::{Decoded, decode};
pub use source::Source;
pub use table::{Table, count, count_behind, first_row_with};
