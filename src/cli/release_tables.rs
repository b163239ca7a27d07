//! Tables that a command line names as releases. The manifest of a release stands for its table, or for all parts of
//! it.

use std::path::{Path, PathBuf};

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::ingest::{TableFile, count, digest};
use crate::daemon::whole_file;
use crate::engine::histogram::Histogram;
use crate::engine::model::Columns;
use crate::engine::release::Manifest;

/// The rows of a release, with the nodes of its labels in place of leaves. `open` opens a table.
///
/// # Errors
/// A file cannot be read, is not such a table or not the one that its manifest names; or there is no row.
pub fn labels(path: &Path, columns: &Columns, open: impl Fn(&Path) -> Result<TableFile>) -> Result<Histogram> {
    let read = |table: &PathBuf| {
        let table = open(table)?;
        let reading = table.labels();
        count(table, columns, reading).map(|(rows, _)| rows)
    };
    let parts = tables(path)?.iter().map(read).collect::<Result<Vec<Histogram>>>()?;
    let rows = Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(0, 0));
    if rows.rows() == 0 {
        return Err(Error::new(ErrorCategory::Input, "the release has a header and no rows").in_file(path));
    }
    Ok(rows)
}

/// The tables of a release: the one that is named, or those that its manifest lists.
fn tables(path: &Path) -> Result<Vec<PathBuf>> {
    if path.extension().is_none_or(|ending| ending != "json") {
        return Ok(vec![path.to_path_buf()]);
    }
    let bytes = whole_file::bytes(path, "read the manifest", ErrorCategory::Input, whole_file::MANIFEST)?;
    let wrong = |text: String| Error::new(ErrorCategory::Input, text).in_file(path);
    let manifest = Manifest::parse(&bytes).map_err(|why| {
        wrong(format!(
            "this is not the manifest of a release ({why}); name a manifest, or a table as CSV, Parquet or Arrow"
        ))
    })?;
    if manifest.two_tables() {
        return Err(wrong(
            "this release consists of two tables: name the folder with --dir, or audit the feed without --release"
                .to_owned(),
        ));
    }
    // A manifest is in a folder of the root that its paths begin at.
    let place = path.parent().and_then(Path::parent).filter(|place| !place.as_os_str().is_empty());
    let listed = manifest.files.iter().filter(|file| file.people().is_some());
    let found = listed.map(|file| {
        let inside = path.parent().map(|folder| folder.join("..").join(&file.path)).unwrap_or_default();
        let table = place.map_or(inside, |place| place.join(&file.path));
        if digest(&table)? == file.sha256 {
            return Ok(table);
        }
        Err(Error::new(ErrorCategory::Input, "this file was changed: its digest is not the one in the manifest")
            .in_file(&table))
    });
    found.collect()
}
