//! Compares the columns of a file with the declared ones, by their names in the file. It reads no
//! row.

use std::collections::BTreeMap;
use std::path::Path;

use crate::engine::model::{Column, Columns};
use crate::error::{Error, ErrorCategory, Result, printable};

/// The most columns of a file.
const MOST_COLUMNS: usize = 10_000;

/// The name of a declared column in a raw file: the steps of its path, or its name.
pub(crate) fn raw_name(column: &Column) -> &str {
    column
        .source
        .paths
        .first()
        .map_or(&column.name, |path| path.strip_prefix("$.").unwrap_or(path))
}

/// The name in the file and the declared name of each of these columns.
///
/// # Errors
/// The first column that the file does not have. A similar name of the file is only quoted if it is
/// close to a declared one: a first row of values must not be repeated.
pub(crate) fn wanted<'a>(
    file: &Path,
    header: &[String],
    columns: impl Iterator<Item = &'a Column>,
    name_in_file: impl Fn(&Column) -> &str,
) -> Result<Vec<(String, String)>> {
    let columns: Vec<&Column> = columns.collect();
    let there = |column: &&Column| header.iter().any(|known| known == name_in_file(column));
    if let Some(missing) = columns.iter().find(|column| !there(column)) {
        let free = header.iter().filter(|known| {
            columns
                .iter()
                .all(|column| name_in_file(column) != known.as_str())
        });
        let near = columns
            .iter()
            .any(there)
            .then(|| nearest(name_in_file(missing), free))
            .flatten();
        let in_list = || {
            if name_in_file(missing).contains('[') {
                "; a table has no lists"
            } else {
                ""
            }
            .to_owned()
        };
        let hint = near.map_or_else(in_list, |near| {
            format!("; the file has `{}`", printable(near))
        });
        let text = format!("the column is missing{hint}");
        return Err(Error::new(ErrorCategory::Input, text)
            .in_file(file)
            .in_field(&*missing.name));
    }
    Ok(columns
        .iter()
        .map(|column| (name_in_file(column).to_owned(), column.name.to_string()))
        .collect())
}

/// The most similar name, ignoring case, surrounding white space and a letter or two.
fn nearest<'h>(name: &str, header: impl Iterator<Item = &'h String>) -> Option<&'h str> {
    let plain = |name: &str| name.trim().to_lowercase();
    let (name, length) = (plain(name), name.trim().chars().count());
    let far = |known: &String| strsim::damerau_levenshtein(&plain(known), &name);
    let near = header
        .filter(|known| known.chars().count() <= 2 * length.max(4))
        .map(|known| (far(known), known));
    let near = near.filter(|&(far, _)| far < length.min(2 + length / 6));
    near.min_by_key(|&(far, _)| far)
        .map(|(_, known)| known.as_str())
}

/// Checks that no two columns of a text have the same name. Such a name is quoted if it is
/// declared, otherwise it may be a value.
///
/// # Errors
/// The first two columns with one name.
pub(crate) fn distinct(file: &Path, header: &[String], columns: &[(String, String)]) -> Result<()> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut doubled = Vec::new();
    for (at, name) in header.iter().enumerate() {
        match first.get(name.as_str()) {
            Some(&before) => doubled.push((before, at)),
            None => _ = first.insert(name, at),
        }
    }
    let declared =
        |&&(at, _): &&(usize, usize)| columns.iter().any(|(name, _)| *name == header[at]);
    if let Some(&(at, _)) = doubled.iter().find(declared) {
        let text = format!(
            "the column `{}` occurs twice in the header",
            printable(&header[at])
        );
        return Err(Error::new(ErrorCategory::Input, text)
            .in_file(file)
            .at_line(1)
            .in_field(&*header[at]));
    }
    let Some((one, other)) = doubled.first() else {
        return Ok(());
    };
    let text = format!(
        "columns {} and {} of the header have the same name",
        one + 1,
        other + 1
    );
    Err(Error::new(ErrorCategory::Input, text)
        .in_file(file)
        .at_line(1))
}

/// Checks that a file does not have too many columns to be compared with each other.
///
/// # Errors
/// It has more.
pub(crate) fn few(file: &Path, columns: usize) -> Result<()> {
    if columns <= MOST_COLUMNS {
        return Ok(());
    }
    let text = format!(
        "the file has {columns} columns, more than {MOST_COLUMNS}: remove those that the feed file does not declare"
    );
    Err(Error::new(ErrorCategory::Input, text).in_file(file))
}

/// The columns of the file that the feed file does not declare.
pub(crate) fn undeclared(
    header: &[String],
    columns: &Columns,
    name_in_file: impl Fn(&Column) -> &str,
) -> Vec<String> {
    let declared = |name: &&String| columns.iter().any(|column| name_in_file(column) == *name);
    header
        .iter()
        .filter(|name| !declared(name))
        .cloned()
        .collect()
}
