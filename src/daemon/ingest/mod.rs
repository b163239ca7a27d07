//! Reads tables from files: text, JSON lines, Parquet and Arrow IPC in, Arrow batches or coded rows out, errors with file, row and column. Nothing here
//! decides what a row means, and no error holds the content of a cell.

mod assembly;
mod content;
mod cuts;
mod delimited;
mod digest;
pub mod directory;
mod guard;
mod header;
mod ipc;
mod json;
mod keeping;
mod kept;
mod lines;
mod memo;
mod messages;
mod misplaced;
mod offer;
mod parquet;
mod part;
mod paths;
mod people;
mod person;
mod quotes;
mod raw;
mod records;
mod repeats;
mod rows;
mod shape;
mod source;
mod strange;
mod swallowed;
mod table;
mod taken;
pub mod topic;

pub use digest::digest;
pub use misplaced::Misplaced;
pub use offer::{Offer, SetAside};
pub use people::People;
pub use person::PersonHasher;
pub use raw::Raw;
pub use repeats::Repeats;
pub use rows::{Decoded, decode};
pub use source::Source;
pub use table::{Table, count, count_behind, first_row_with};
pub use taken::{Taken, retry, retry_sifted, take, take_cut, take_sifted};
