//! Reads published tables back from their bytes, as a stranger would, and looks for whatever they tell beyond the rows
//! (SCIENCE 10, leak scan; CONTRACTS 4). Everything the gate judges, it judges on what this room has read.
//!
//! Nothing here knows how the bytes were made, and it never judges by what a sensitive value looks like.

mod dictionary;
mod joined_tables;
mod layout;
mod leak;
mod rows;
mod sheet;
mod table;
mod table_reading;

pub use joined_tables::{QUASI, SENSITIVE};
pub use leak::Leak;
pub use table::{PartRows, PublishedTable};
pub use table_reading::{read, read_local, read_part, read_tables, told_under};
