//! Limits of a feed file (HOUSE 4, Limits), checked before anything else: comparing all keys or
//! values with each other takes time quadratic in their number. The line is named and not shown,
//! since it is not known yet which values are secrets.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::error::{Error, ErrorCategory, Result};

/// The most keys of a table.
const MOST_KEYS: usize = 1_000;
/// The most columns, and tables of any other list.
const MOST_TABLES: usize = 1_000;
/// The most guarded values of a column, in all its sets.
const MOST_GUARDED: usize = 10_000;

/// Checks that a feed file is within the limits.
///
/// # Errors
/// The first key that exceeds one.
pub(super) fn check(text: &str, tree: &Spanned<DeTable<'_>>, file: &Path) -> Result<()> {
    let Some((path, at, what)) = table(tree.get_ref(), "", tree.span().start) else {
        return Ok(());
    };
    let line = 1 + text.as_bytes()[..at]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count() as u64;
    let error = Error::new(ErrorCategory::Feed, what)
        .in_file(file)
        .at_line(line);
    Err(if path.is_empty() {
        error
    } else {
        error.in_field(path)
    })
}

/// An exceeded limit: the path, its position, and words about it.
type ExceededCount = (String, usize, String);

fn table(table: &DeTable<'_>, path: &str, at: usize) -> Option<ExceededCount> {
    if table.len() > MOST_KEYS {
        let text = format!(
            "{} keys, but a table of a feed file has at most {MOST_KEYS}: name the right file",
            table.len()
        );
        return Some((path.to_owned(), at, text));
    }
    table.iter().find_map(|(key, below)| {
        let inner = if path.is_empty() {
            key.get_ref().to_string()
        } else {
            format!("{path}.{}", key.get_ref())
        };
        value(below, &inner, key.span().start)
    })
}

fn value(found: &Spanned<DeValue<'_>>, path: &str, at: usize) -> Option<ExceededCount> {
    match found.get_ref() {
        DeValue::Table(inner) => table(inner, path, at),
        DeValue::Array(items) => array(items, path, at),
        _ => None,
    }
}

fn array(items: &DeArray<'_>, path: &str, at: usize) -> Option<ExceededCount> {
    let tables = items
        .iter()
        .filter(|item| matches!(item.get_ref(), DeValue::Table(_)))
        .count();
    if tables > MOST_TABLES {
        let text = format!(
            "{tables} tables of this name, but a feed file has at most {MOST_TABLES}: remove columns, or split the feed"
        );
        return Some((path.to_owned(), at, text));
    }
    if path.ends_with(".guarded") {
        let size = |item: &Spanned<DeValue<'_>>| {
            if let DeValue::Array(set) = item.get_ref() {
                set.len()
            } else {
                1
            }
        };
        let all: usize = items.iter().map(size).sum();
        if all > MOST_GUARDED {
            let text = format!(
                "{all} guarded values, but a column has at most {MOST_GUARDED}: guard broader values"
            );
            return Some((path.to_owned(), at, text));
        }
    }
    (0..)
        .zip(items.iter())
        .find_map(|(place, item): (usize, _)| {
            value(item, &format!("{path}[{place}]"), item.span().start)
        })
}
