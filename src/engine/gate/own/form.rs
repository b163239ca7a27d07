//! The form of the table's bytes (SCIENCE 10, leak scan): they can be read, tell nothing but their rows, and are the very
//! bytes that these rows are always published as.
//!
//! Bytes follow from sensitive values too, so a release that fails here stops the chain: were it merged with the next one,
//! that it is missing would tell something of its people's values.

use super::case::Case;
use super::verdict::{Checked, Reason};
use crate::engine::gate::bytes::{self, Table};
use crate::engine::release;

/// Judges the form and hands on the table that was read.
pub fn check(case: &Case<'_>, data: &[u8]) -> (Checked, Option<Table>) {
    let mut found = Checked::made("form").secret();
    let (table, leaks) = bytes::read(data, case.columns);
    found.reasons.extend(leaks.into_iter().map(|leak| Reason::plain(leak.place, leak.text)));
    // What the scan has no eye for cannot hide in bytes that are a function of what was read.
    if let Some(table) = &table
        && release::data(&table.release, &table.values, case.columns) != data
    {
        found.reasons.push(Reason::plain("data", "the bytes are not the ones that these rows are published as"));
    }
    (found, table)
}
