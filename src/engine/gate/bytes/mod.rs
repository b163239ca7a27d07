//! Reads published tables back from their bytes, as a stranger would, and looks for whatever they tell beyond the rows
//! (SCIENCE 10, leak scan; CONTRACTS 4). Everything the gate judges, it judges on what this room has read.
//!
//! Nothing here knows how the bytes were made, and it never judges by what a sensitive value looks like.

mod dictionary;
mod layout;
mod leak;
mod read;
mod rows;
mod sheet;
mod table;
mod two;

pub use leak::Leak;
pub use read::{read, read_local, read_part, read_tables, told_under};
pub use table::{PartRows, PublishedTable};
pub use two::{QUASI, SENSITIVE};
