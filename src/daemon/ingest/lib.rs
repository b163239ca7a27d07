//! Reads tables from files: converts text, JSON lines, Parquet and Arrow IPC into Arrow batches or
//! coded rows, and reports errors with file, row and column. Nothing here decides what a row means,
//! and no error contains the content of a cell.

#![warn(unreachable_pub)]
pub mod guess;

/// What this room knows of the engine.
mod engine {
    pub(crate) use tidegate_model::{self as model, histogram};
    pub(crate) use tidegate_policy as policy;
    pub(crate) use tidegate_release as release;
}

// The rooms that this one knows.
use tidegate_guard as bounds;
use tidegate_log::formats;
use tidegate_settings::{config, error, small_file, web, wiped_bytes};

mod arrow_rows;
mod assembly;
mod coder;
mod content;
mod delimited;
pub mod directory;
mod each;
mod header;
mod input_file;
mod ipc;
mod json;
mod lines;
mod page;
mod parquet;
mod paths;
mod people;
mod person;
mod quotes;
mod raw;
mod repeats;
mod retry;
mod row_faults;
mod rows;
mod scan;
mod set_aside;
mod shape;
mod shorten;
mod source;
mod spellings;
mod stepped;
mod stray_quotes;
mod table;
pub mod topic;
mod unknown_keys;

pub use input_file::{InputFile, digest};
pub use tidegate_guard::{
    check as check_parquet, guarded, rows_at_a_time as parquet_rows_at_a_time,
};

pub use people::RowPeople;
pub use person::PersonHasher;
pub use raw::SecretBytes;
pub use repeats::Repeats;
pub use retry::{OfferWithout, retry, retry_sifted};
pub use row_faults::Misplaced;
pub use rows::{
    BadRows, DecodedFile, TakenRows, decode, decode_records, take, take_cut, take_sifted,
    take_within,
};
pub use set_aside::{Offer, SetAsideMessage};
pub use source::SourceFile;
pub use spellings::ColumnSpellings;
pub use table::{TableFile, count, count_behind, first_row_with};
