//! The form of the tables' bytes (SCIENCE 10, leak scan): they can be read, contain nothing but
//! their rows, and are exactly the bytes as which these rows are always published. Two tables must
//! be those of one release.
//!
//! Bytes depend on sensitive values too, so a release that fails here stops the chain: if it were
//! merged with the next one, its absence would reveal something about its people's values.

use super::super::check_result::{Check, CheckResult, Finding};
use super::super::next_release::NextRelease;
use super::super::parts::part_of;
use super::super::read_tables::ReadTables;
use crate::bytes::{self, PartRows};
use crate::model::ReleaseColumn;
use crate::policy::Output;
use crate::release::{PartContent, ReleasePart, TableKind, Tables, part};

/// The reason against bytes that contain more than their rows.
const OTHER: &str = "the bytes are not the ones that these rows are published as";

/// Another number of rows than the file has.
const COUNT: &str = "its number of rows is not the stated one, or 0";

/// Judges the form and returns what was read.
pub(crate) fn check(case: &NextRelease<'_>, tables: &Tables) -> (CheckResult, Option<ReadTables>) {
    let mut found = CheckResult::made(Check::Form);
    if !are_as_asked(case, &tables.0) {
        let text = "the release is not in as many tables as the policy says (`output`), or is not parts of one as `search` says";
        found.reasons.push(Finding::new(Check::Form, "data", text));
        return (found, None);
    }
    if case.policy.has_atoms() {
        return parts_read(case, &tables.0, found);
    }
    let (measures, rows): (Vec<&ReleasePart>, Vec<&ReleasePart>) = tables
        .0
        .iter()
        .partition(|part| part.content == PartContent::Measures);
    let files: Vec<&[u8]> = rows.iter().map(|part| part.bytes.as_slice()).collect();
    let (table, leaks) = bytes::read_tables(&files, case.columns, case.recoding);
    found.reasons.extend(
        leaks
            .into_iter()
            .map(|leak| Finding::new(Check::Form, leak.place, leak.text)),
    );
    if let Some(table) = &table {
        // Whatever the scan misses cannot hide in bytes that are a function of what was read.
        let again = Tables::of(
            &table.release,
            &table.values,
            table.exact.as_ref(),
            case.columns,
        );
        for (again, part) in again.0.iter().zip(&rows) {
            let place = place(part.content);
            if again.bytes != part.bytes {
                found.reasons.push(Finding::new(Check::Form, place, OTHER));
            }
            if again.rows != part.rows {
                found.reasons.push(Finding::new(Check::Form, place, COUNT));
            }
        }
    }
    let measures = measures
        .first()
        .map(|part| measures_read(case, part, &mut found));
    (
        found,
        table.map(|table| ReadTables::Table(Box::new(table), measures.flatten())),
    )
}

/// Whether the files are those of the tables that the policy asks for, in their order.
fn are_as_asked(case: &NextRelease<'_>, parts: &[ReleasePart]) -> bool {
    use PartContent::{Measures, Quasi, Rows, Sensitive};
    let contents: Vec<PartContent> = parts.iter().map(|part| part.content).collect();
    let grows = case.policy.has_atoms();
    let two = case.policy.output() == Output::TwoTable;
    let are = match &contents[..] {
        all if grows => all.iter().all(|content| [Rows, Measures].contains(content)),
        [Rows] | [Rows, Measures] => !two,
        [Quasi, Sensitive] => two,
        _ => false,
    };
    are && parts.iter().all(|part| part.span.is_some() == grows)
}

/// How reasons call a file with all rows of a release.
fn place(content: PartContent) -> &'static str {
    match content {
        PartContent::Quasi => bytes::QUASI,
        PartContent::Sensitive => bytes::SENSITIVE,
        PartContent::Rows | PartContent::Measures => content.name(),
    }
}

/// The table of measures of tables that do not grow.
fn measures_read(
    case: &NextRelease<'_>,
    shown: &ReleasePart,
    found: &mut CheckResult,
) -> Option<PartRows> {
    let columns = case
        .columns
        .of_measures()
        .with_release(ReleaseColumn::Absent);
    let (read, leaks) = bytes::read_part(&shown.bytes, &columns, case.release);
    found.reasons.extend(
        leaks
            .into_iter()
            .map(|leak| Finding::new(Check::Form, format!("measures, {}", leak.place), leak.text)),
    );
    if let Some(read) = &read {
        if part(&read.counts, &columns) != shown.bytes {
            found
                .reasons
                .push(Finding::new(Check::Form, "measures", OTHER));
        }
        if read.counts.rows() != shown.rows {
            found
                .reasons
                .push(Finding::new(Check::Form, "measures", COUNT));
        }
    }
    read
}

/// The same for parts of a table that grows.
fn parts_read(
    case: &NextRelease<'_>,
    parts: &[ReleasePart],
    mut found: CheckResult,
) -> (CheckResult, Option<ReadTables>) {
    let of_measures = case.columns.of_measures();
    let mut shown = [Vec::new(), Vec::new()];
    for ReleasePart {
        content,
        span,
        rows,
        bytes,
    } in parts
    {
        let Some(span) = span else { continue };
        let (columns, shown, place) = match content.table() {
            TableKind::Rows => (case.columns, &mut shown[0], part_of(*span)),
            TableKind::Measures => (
                &of_measures,
                &mut shown[1],
                format!("measures, {}", part_of(*span)),
            ),
        };
        let (read, leaks) = bytes::read_part(bytes, columns, span.last);
        if case.columns.release().name().is_none() && span.first != span.last {
            let text = "it holds the rows of several releases, and no column says which";
            found
                .reasons
                .push(Finding::new(Check::Form, place.clone(), text));
        }
        found.reasons.extend(
            leaks.into_iter().map(|leak| {
                Finding::new(Check::Form, format!("{place}, {}", leak.place), leak.text)
            }),
        );
        let Some(read) = read else { continue };
        if part(&read.counts, columns) != *bytes {
            found
                .reasons
                .push(Finding::new(Check::Form, place.clone(), OTHER));
        }
        if read.counts.rows() != *rows || *rows == 0 {
            found.reasons.push(Finding::new(Check::Form, place, COUNT));
        }
        shown.push((*span, read));
    }
    let [shown, measures] = shown;
    let all = shown.len() + measures.len() == parts.len();
    (found, all.then_some(ReadTables::Parts(shown, measures)))
}
