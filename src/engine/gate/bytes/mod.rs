//! Reads published tables back from their bytes, as a stranger would, and looks for any information
//! beyond the rows (SCIENCE 10, leak scan; CONTRACTS 4). The gate judges only what this room has
//! read.
//!
//! Nothing here knows how the bytes were made, and no decision depends on the form of a sensitive
//! value.

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
pub use table_reading::{read, read_local, read_part, read_tables, under_recoding};
