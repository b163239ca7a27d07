//! Whether the first line of a text contains the names of columns (CONTRACTS 3, `init`). A person's
//! row must never become names of columns or of files, so a line that looks like a row is refused.
//! Errors name the column, never its content.

use std::collections::BTreeSet;
use std::path::Path;

use super::names::ColumnName;
use super::profile::Profile;
use super::shape;
use crate::error::{Error, ErrorCategory, Result};

/// Common spellings of missing and truth values, which are no names of columns.
const VALUES: &str = "na n/a #n/a null nil nan none missing true false yes ? - -- .";

/// The remedy.
const REMEDY: &str = "`init` never reads a person's row as names. If the file has no names, write a line with the \
    names of its columns above the first row; if line 1 holds the names";

/// Refuses a first line with two equal names, before columns are read by them.
///
/// # Errors
/// Two names are equal.
pub(super) fn distinct(file: &Path, names: &[String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    let Some(second) = names.iter().position(|name| !seen.insert(name)) else {
        return Ok(());
    };
    let first = names
        .iter()
        .position(|name| *name == names[second])
        .unwrap_or_default();
    let text = format!(
        "columns {} and {} have the same name in line 1",
        first + 1,
        second + 1
    );
    Err(refused(file, &text, "give each column a different name"))
}

/// Refuses a first line that looks like a row.
///
/// # Errors
/// A name that can only be a value, or names that occur among the values of their columns.
pub(super) fn names(file: &Path, columns: &[Profile]) -> Result<()> {
    for (at, column) in columns.iter().enumerate() {
        if let Some(sign) = sign(column, at == 0) {
            return Err(refused(
                file,
                &format!("column {} of line 1 {sign}", at + 1),
                "rename that column",
            ));
        }
    }
    let among: Vec<usize> = (0..columns.len())
        .filter(|&at| is_value(&columns[at]))
        .collect();
    let Some(&first) = among.first() else {
        let text = "line 1 is written like the rows below it";
        return if are_alike(columns) {
            Err(refused(file, text, "write them in small letters"))
        } else {
            Ok(())
        };
    };
    // A column `Smoker` may contain the value `Smoker`, if other names show that the line contains
    // names.
    let speaks =
        |at: usize| !among.contains(&at) && ColumnName::new(&columns[at].name).says_something();
    if among.len() == 1 && columns.len() > 1 && (0..columns.len()).any(speaks) {
        return Ok(());
    }
    let text = format!(
        "column {} of line 1 has a name that occurs as a value in rows below",
        first + 1
    );
    Err(refused(
        file,
        &text,
        "rename that column, or remove a second line of names",
    ))
}

fn refused(file: &Path, what: &str, rename: &str) -> Error {
    Error::new(
        ErrorCategory::Input,
        format!("{what}: is it a row? {REMEDY}, {rename}"),
    )
    .in_file(file)
    .at_line(1)
}

/// Why a name must be a value, regardless of the other columns.
fn sign(column: &Profile, first: bool) -> Option<&'static str> {
    let name = column.name.trim();
    if name.is_empty() {
        // Programs write row numbers as a first column, and a surplus separator at the end.
        let numbers =
            first && matches!(shape::whole(column), Some((low, _, 0)) if low == 0 || low == 1);
        return (column.filled > 0 && !(numbers && column.distinctness() >= 1.0))
            .then_some("has no name");
    }
    let digits = name.chars().any(|c| c.is_ascii_digit());
    if digits && (!name.chars().any(char::is_alphabetic) || name.parse::<f64>().is_ok()) {
        return Some("is a number, a date or the like");
    }
    if shape::looks_like_date(name) {
        return Some("is a date");
    }
    if name
        .split_once('@')
        .is_some_and(|(_, host)| host.contains('.'))
    {
        return Some("is an e-mail address");
    }
    if VALUES
        .split_ascii_whitespace()
        .any(|value| name.eq_ignore_ascii_case(value))
    {
        return Some("stands for a missing or a truth value");
    }
    (digits && is_alike(name, column)).then_some("looks like the values below it")
}

/// Whether the name occurs among the values of its column.
fn is_value(column: &Profile) -> bool {
    let name = column.name.trim();
    name.chars().any(char::is_alphanumeric)
        && column.values.keys().any(|value| value.trim() == name)
}

/// Whether the name has letters and digits in the same positions as nearly all values.
fn is_alike(name: &str, column: &Profile) -> bool {
    share(column, &form(name), form) >= 0.9
}

/// Whether no name describes its column, and each begins with a capital as most of the many values
/// of its column do.
fn are_alike(columns: &[Profile]) -> bool {
    let says = |column: &Profile| ColumnName::new(&column.name).says_something();
    let alike = |column: &Profile| {
        let name = outline(&column.name);
        name.starts_with('A') && share(column, &name, outline) >= 0.5
    };
    let many = |column: &Profile| column.distinctness() > 0.5;
    !columns.iter().any(says) && columns.iter().all(alike) && columns.iter().any(many)
}

/// The share of distinct values for which this holds.
fn share(column: &Profile, form: &str, of: fn(&str) -> String) -> f64 {
    let alike = column
        .values
        .keys()
        .filter(|value| of(value) == form)
        .count();
    alike as f64 / column.values.len().max(1) as f64
}

/// The positions of letters and digits.
fn form(text: &str) -> String {
    let class = |c: char| match c {
        c if c.is_ascii_digit() => '9',
        c if c.is_uppercase() => 'A',
        c if c.is_alphabetic() => 'a',
        c => c,
    };
    text.trim().chars().map(class).collect()
}

/// The same, with repeated characters combined.
fn outline(text: &str) -> String {
    let mut outline: Vec<char> = form(text).chars().collect();
    outline.dedup();
    outline.into_iter().collect()
}
