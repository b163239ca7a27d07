//! Reads a release from the bytes of its tables: layout, pages and rows are checked in a file each,
//! and combined here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use super::leak::Leak;
use super::sheet::Sheet;
use super::table::{PartRows, PublishedTable};
use super::{joined_tables, layout, rows};
use crate::histogram::{Histogram, LabelledRows, Release};
use crate::model::{Columns, Cut, Role};

/// Reads a table, with the faults of its bytes; `None` if it cannot be read at all.
pub fn read(data: &[u8], columns: &Columns) -> (Option<PublishedTable>, Vec<Leak>) {
    let (labels, mut leaks) = scanned(data, &Sheet::one(columns), |rows| rows.finish());
    let table = labels.and_then(|labels| table(&labels, columns, &mut leaks));
    (table, leaks)
}

/// Reads a release from the files of its rows, which are one table or two; two tables are joined
/// under this recoding, which forms their classes. With a recoding without columns, every class of the one table has labels of its
/// own.
pub fn read_tables(
    files: &[&[u8]],
    columns: &Columns,
    recoding: &[Cut],
) -> (Option<PublishedTable>, Vec<Leak>) {
    let (data, sensitive) = match *files {
        [data] if recoding.is_empty() => return read_local(data, columns),
        [data] => return read(data, columns),
        [data, sensitive] => (data, sensitive),
        _ => {
            let leak = Leak::new("data", "the release is neither one table nor two");
            return (None, vec![leak]);
        }
    };
    let (quasi, leaks) = scanned(data, &Sheet::of_two(columns, Role::Quasi), |rows| {
        rows.alike().1
    });
    let mut found: Vec<Leak> = leaks
        .into_iter()
        .map(|leak| leak.of(joined_tables::QUASI))
        .collect();
    let (values, leaks) = scanned(
        sensitive,
        &Sheet::of_two(columns, Role::Sensitive),
        |rows| rows.alike(),
    );
    found.extend(
        leaks
            .into_iter()
            .map(|leak| leak.of(joined_tables::SENSITIVE)),
    );
    let table = quasi.zip(values).and_then(|(quasi, (values, groups))| {
        let joined = joined_tables::join(&quasi, &groups, values, columns, recoding);
        joined.map_err(|leaks| found.extend(leaks)).ok()
    });
    (table, found)
}

/// Reads a table whose classes have labels of their own.
pub fn read_local(data: &[u8], columns: &Columns) -> (Option<PublishedTable>, Vec<Leak>) {
    let (labels, leaks) = scanned(data, &Sheet::one(columns), |rows| rows.finish());
    let table = |labels: Histogram| PublishedTable {
        release: Release::from_own_labels(&labels),
        values: labels.values().clone(),
        exact: None,
    };
    (labels.map(table), leaks)
}

/// Reads a part of a table that grows; `None` if it cannot be read at all. If no column states in
/// which release rows came, it is `release`.
pub fn read_part(data: &[u8], columns: &Columns, release: u32) -> (Option<PartRows>, Vec<Leak>) {
    let name = columns.release().name();
    let (rows, mut leaks) = scanned(data, &Sheet::part(columns), |rows| match name {
        Some(name) => rows.finish().by_arrival().ok_or(name),
        None => Ok(rows.finish().as_one(release)),
    });
    let counts = match rows {
        None => return (None, leaks),
        Some(Ok(counts)) => counts,
        Some(Err(name)) => {
            leaks.push(Leak::new(
                format!("column {name}"),
                "a number is that of no release",
            ));
            return (None, leaks);
        }
    };
    let part = PartRows {
        releases: Release::of_each_increment(&counts),
        values: counts.values().clone(),
        counts,
    };
    (Some(part), leaks)
}

fn scanned<T>(
    data: &[u8],
    sheet: &Sheet,
    read: impl FnOnce(LabelledRows<'_>) -> T,
) -> (Option<T>, Vec<Leak>) {
    let scan = || {
        let mut leaks = Vec::new();
        let bytes = Bytes::copy_from_slice(data);
        let Some(metadata) = layout::scan(&bytes, sheet, &mut leaks) else {
            return (None, leaks);
        };
        let encoder = rows::encoder(sheet);
        let rows = rows::read(&bytes, &metadata, sheet, &encoder, &mut leaks).map(read);
        (rows, leaks)
    };
    // The decoder panics on some damaged files. They are refused like all unreadable files.
    catch_unwind(AssertUnwindSafe(scan)).unwrap_or_else(|_| {
        (
            None,
            vec![Leak::new(
                "data",
                "the bytes are not a readable Parquet file",
            )],
        )
    })
}

fn table(labels: &Histogram, columns: &Columns, leaks: &mut Vec<Leak>) -> Option<PublishedTable> {
    let trees = columns.trees();
    match Release::from_labels(labels, &trees) {
        Ok(release) => Some(PublishedTable {
            release,
            values: labels.values().clone(),
            exact: None,
        }),
        Err((column, crossing)) => {
            let name = columns
                .of(Role::Quasi)
                .nth(column)
                .map_or("", |column| &column.name);
            let [upper, lower] =
                [crossing.upper, crossing.lower].map(|node| trees[column].label(node).to_owned());
            leaks.push(Leak::new(
                format!("column {name}"),
                format!("the label `{upper}` is above the label `{lower}`: rows are not under one recoding"),
            ));
            None
        }
    }
}

/// The table under a recoding that contains all its labels; otherwise the column of the first label
/// that it does not contain.
pub fn under_recoding(table: Release, recoding: &[Cut]) -> Result<Release, usize> {
    assert_eq!(table.width(), recoding.len(), "one cut for each column");
    table.under_recoding(recoding).map_err(|table| {
        let foreign = |column: &usize| {
            table
                .shown(*column)
                .iter()
                .any(|node| !recoding[*column].nodes().contains(node))
        };
        (0..recoding.len()).find(foreign).unwrap_or(0)
    })
}
