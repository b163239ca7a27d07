//! Tables that a command line names as releases. The manifest of a release stands for its table, or
//! for all parts of it.

use std::path::{Path, PathBuf};

use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::ingest::{InputFile, SourceFile, TableFile, count};
use crate::daemon::journal::store::ReadOnlyFolder;
use crate::daemon::whole_file;
use crate::engine::histogram::Histogram;
use crate::engine::model::Columns;
use crate::engine::release::{FileLine, Manifest, is_below_root};

/// The rows of a release, with the nodes of its labels in place of leaves. `open` opens a table.
///
/// # Errors
/// A file cannot be read, is not such a table or not the one that its manifest names; or there is
/// no row.
pub(crate) fn labels(
    path: &Path,
    columns: &Columns,
    open: impl Fn(SourceFile) -> Result<TableFile>,
) -> Result<Histogram> {
    let read = |source: SourceFile| {
        let table = open(source)?;
        let reading = table.labels();
        count(table, columns, reading).map(|(rows, _)| rows)
    };
    let mut parts = Vec::new();
    if path.extension().is_some_and(|ending| ending == "json") {
        let root = root_of(path);
        let files = ReadOnlyFolder::open(&root)?;
        for line in listed(path)? {
            parts.push(read(table(&files, &root, &line)?)?);
        }
    } else {
        parts.push(read(SourceFile::open(path)?)?);
    }
    let rows = Histogram::merge_all(parts).unwrap_or_else(|| Histogram::empty(0, 0));
    if rows.rows() == 0 {
        return Err(
            Error::new(ErrorCategory::Input, "the release has a header and no rows").in_file(path),
        );
    }
    Ok(rows)
}

/// The root of a manifest, which its paths begin at: a manifest is in a folder of the root.
fn root_of(manifest: &Path) -> PathBuf {
    let folder = manifest.parent().unwrap_or(Path::new(""));
    match folder.parent() {
        Some(root) if !root.as_os_str().is_empty() => root.to_path_buf(),
        _ => folder.join(".."),
    }
}

/// The tables that a manifest lists.
fn listed(path: &Path) -> Result<Vec<FileLine>> {
    let wrong = |text: String| Error::new(ErrorCategory::Input, text).in_file(path);
    let none = |why: &str| {
        wrong(format!(
            "this is not the manifest of a release ({why}); name a manifest, or a table as CSV, Parquet or Arrow"
        ))
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .filter(|name| is_below_root(name));
    let name = name.ok_or_else(|| none("no manifest has this name"))?;
    let file = ReadOnlyFolder::open(folder)?
        .file(name)?
        .ok_or_else(|| wrong("there is no such file".to_owned()))?;
    let bytes = whole_file::all(
        file,
        path,
        "read the manifest",
        ErrorCategory::Input,
        whole_file::MANIFEST,
    )?;
    let manifest = Manifest::parse(&bytes).map_err(|why| none(&why.to_string()))?;
    if manifest.two_tables() {
        return Err(wrong(
            "this release consists of two tables: name the folder with --dir, or audit the feed without --release"
                .to_owned(),
        ));
    }
    let mut tables = manifest.files;
    tables.retain(|file| file.people().is_some());
    Ok(tables)
}

/// A listed table: it is read from the very file whose digest is that of the manifest.
fn table(files: &ReadOnlyFolder, root: &Path, line: &FileLine) -> Result<SourceFile> {
    let place = root.join(&line.path);
    let wrong = |text: &str| Error::new(ErrorCategory::Input, text).in_file(&place);
    let file = files
        .file(&line.path)?
        .ok_or_else(|| wrong("this published file is missing"))?;
    let input = InputFile::opened(&place, file);
    if input.digest()? != line.sha256 {
        return Err(wrong(
            "this file was changed: its digest is not the one in the manifest",
        ));
    }
    SourceFile::of(&input)
}
