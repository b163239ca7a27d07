//! The form of the tables' bytes (SCIENCE 10, leak scan): they can be read, tell nothing but their rows, and are the very
//! bytes that these rows are always published as. Two tables must be those of one release.
//!
//! Bytes follow from sensitive values too, so a release that fails here stops the chain: were it merged with the next one,
//! that it is missing would tell something of its people's values.

use super::case::Case;
use super::verdict::{Checked, Reason};
use crate::gate::bytes::{self, Table};
use crate::policy::Output;
use crate::release::Tables;

/// Judges the form and hands on the table that was read; two as the one that they were made of.
pub fn check(case: &Case<'_>, tables: &Tables) -> (Checked, Option<Table>) {
    let mut found = Checked::made("form").secret();
    let two = tables.sensitive.is_some();
    if two != (case.policy.output() == Output::TwoTable) {
        let text = "the release is not in as many tables as the policy says (`output`)";
        found.reasons.push(Reason::plain("data", text));
        return (found, None);
    }
    let (table, leaks) = bytes::read_tables(tables, case.columns, case.recoding);
    found.reasons.extend(leaks.into_iter().map(|leak| Reason::plain(leak.place, leak.text)));
    if let Some(table) = &table {
        // What the scan has no eye for cannot hide in bytes that are a function of what was read.
        let again = Tables::of(&table.release, &table.values, table.exact.as_ref(), case.columns);
        let places = if two { [bytes::QUASI, bytes::SENSITIVE] } else { ["data", ""] };
        let other = again.iter().zip(tables.iter()).zip(places).filter(|((again, data), _)| again != data);
        let text = "the bytes are not the ones that these rows are published as";
        found.reasons.extend(other.map(|(_, place)| Reason::plain(place, text)));
    }
    (found, table)
}
