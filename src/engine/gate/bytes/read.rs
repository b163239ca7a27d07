//! A table from its bytes: layout, pages and rows are looked at by a file each, and put together here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use super::leak::Leak;
use super::{layout, rows};
use crate::engine::histogram::{Histogram, Release, Values};
use crate::engine::model::{Columns, Cut, Role};

/// A table as its readers see it.
#[derive(Debug, Clone)]
pub struct Table {
    /// Classes and groups; its recoding is what the labels tell, completed.
    pub release: Release,
    /// The sensitive tuples that its codes stand for.
    pub values: Values,
}

/// Reads a table; `None` when it cannot be read as one at all. What is wrong with its bytes comes along.
pub fn read(data: &[u8], columns: &Columns) -> (Option<Table>, Vec<Leak>) {
    // The decoder panics at some files that are damaged. They are refused like all that cannot be read.
    catch_unwind(AssertUnwindSafe(|| scanned(data, columns)))
        .unwrap_or_else(|_| (None, vec![Leak::new("data", "the bytes are no readable Parquet file")]))
}

fn scanned(data: &[u8], columns: &Columns) -> (Option<Table>, Vec<Leak>) {
    let mut leaks = Vec::new();
    let bytes = Bytes::copy_from_slice(data);
    let Some(metadata) = layout::scan(&bytes, columns, &mut leaks) else { return (None, leaks) };
    let Some(labels) = rows::read(&bytes, &metadata, columns, &mut leaks) else { return (None, leaks) };
    let table = table(labels, columns, &mut leaks);
    (table, leaks)
}

fn table(labels: Histogram, columns: &Columns, leaks: &mut Vec<Leak>) -> Option<Table> {
    let trees = columns.trees();
    match Release::from_labels(&labels, &trees) {
        Ok(release) => Some(Table { release, values: labels.values().clone() }),
        Err((column, crossing)) => {
            let name = columns.of(Role::Quasi).nth(column).map_or("", |column| &column.name);
            let [upper, lower] = [crossing.upper, crossing.lower].map(|node| trees[column].label(node).to_owned());
            leaks.push(Leak::new(
                format!("column {name}"),
                format!("the label `{upper}` lies above the label `{lower}`: rows are not under one recoding"),
            ));
            None
        }
    }
}

/// A table that was read, told under a recoding that holds all its labels; the column of the first one that it does not
/// hold otherwise.
pub fn told_under(table: &Release, recoding: &[Cut]) -> Result<Release, usize> {
    table.told_under(recoding).ok_or_else(|| {
        let foreign =
            |column: &usize| table.shown(*column).iter().any(|node| !recoding[*column].nodes().contains(node));
        (0..recoding.len()).find(foreign).unwrap_or(0)
    })
}
