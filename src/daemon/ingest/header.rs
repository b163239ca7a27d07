//! The columns of a file against the declared ones, by their names in the file. It looks at no row.

use std::path::Path;

use crate::daemon::error::{Error, Kind, Result};
use crate::engine::model::{Column, Columns};

/// What a declared column is called in a raw file: the steps of its path, or its name.
pub fn raw_name(column: &Column) -> &str {
    column.path.as_ref().map_or(&column.name, |path| path.strip_prefix("$.").unwrap_or(path))
}

/// Name in the file and declared name of each of these columns.
///
/// # Errors
/// The first column that the file does not have.
pub fn wanted<'a>(
    file: &Path,
    header: &[String],
    columns: impl Iterator<Item = &'a Column>,
    name_in_file: impl Fn(&Column) -> &str,
) -> Result<Vec<(String, String)>> {
    let mut wanted = Vec::new();
    for column in columns {
        let name = name_in_file(column);
        if !header.iter().any(|known| known == name) {
            let near = header.iter().find(|known| known.eq_ignore_ascii_case(name.trim()) || known.trim() == name);
            let hint = near.map_or(String::new(), |near| format!("; the file has `{near}`"));
            let text = format!("the column is missing{hint}");
            return Err(Error::new(Kind::Input, text).in_file(file).in_field(&*column.name));
        }
        wanted.push((name.to_owned(), column.name.to_string()));
    }
    Ok(wanted)
}

/// The columns of the file that nobody declared.
pub fn undeclared(header: &[String], columns: &Columns, name_in_file: impl Fn(&Column) -> &str) -> Vec<String> {
    let declared = |name: &&String| columns.iter().any(|column| name_in_file(column) == *name);
    header.iter().filter(|name| !declared(name)).cloned().collect()
}
