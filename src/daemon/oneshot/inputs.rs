//! The inputs of `anonymize`: what they are called, what is in them, and their rows. Nothing is written here.

use super::saved::Saved;
use super::{Task, Watch};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::{PersonHasher, decode, digest};
use crate::engine::histogram::Rows;
use crate::engine::model::{Columns, Role};
use crate::engine::release::Sha256;

/// An input that was decoded.
pub struct Input {
    /// Its file's own name.
    pub name: String,
    /// Of its bytes.
    pub digest: Sha256,
    /// Its rows; `None` when the folder holds it already.
    pub rows: Option<Rows>,
    /// Rows that were set aside.
    pub quarantined: u64,
}

/// Decodes all inputs that are not in the folder yet.
///
/// # Errors
/// One of them cannot be read or decoded.
pub fn read(task: &Task<'_>, known: Option<&Saved>, watch: &mut dyn Watch) -> Result<Vec<Input>> {
    let hasher = PersonHasher::new(&task.key.derive("tidegate: people"));
    let mut inputs: Vec<Input> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for (at, path) in task.inputs.iter().enumerate() {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let digest = digest(path)?;
        let seen = inputs.iter().any(|input| input.name == name && input.digest == digest);
        if seen || known.is_some_and(|known| known.knows(&name, &digest)) {
            inputs.push(Input { name, digest, rows: None, quarantined: 0 });
            continue;
        }
        let mut progress = |rows| watch.reading(at, rows);
        let decoded = decode(path, &task.feed.columns, &hasher, task.quarantine, &mut progress)?;
        let news: Vec<String> = decoded.undeclared.into_iter().filter(|column| !told.contains(column)).collect();
        if !news.is_empty() {
            watch.undeclared(&news);
            told.extend(news);
        }
        if crate::daemon::ingest::digest(path)? != digest {
            let text = "the file changed while it was read: give the command again when nobody writes to it";
            return Err(Error::new(Kind::Input, text).in_file(path));
        }
        if decoded.nulled > 0 {
            watch.missing(at, decoded.nulled);
        }
        unknown(&decoded.rows, &task.feed.columns, |column, leaf, rows| watch.unknown(at, column, leaf, rows));
        let news: Vec<String> = telling(&decoded.rows, &task.feed.columns);
        let news: Vec<String> = news.into_iter().filter(|column| !told.contains(column)).collect();
        if !news.is_empty() {
            watch.telling(&news);
            told.extend(news);
        }
        let quarantined = decoded.quarantined.len() as u64;
        inputs.push(Input { name, digest, rows: Some(decoded.rows), quarantined });
    }
    Ok(inputs)
}

/// Columns with a leaf for what their taxonomy does not know, and how many rows are on it: a slip in the source would go
/// unseen.
fn unknown(rows: &Rows, columns: &Columns, mut tell: impl FnMut(&str, &str, u64)) {
    for (at, (column, tree)) in columns.of(Role::Quasi).zip(columns.trees()).enumerate() {
        let Some((label, leaf)) = column.unknown.as_deref().and_then(|label| Some((label, tree.find_leaf(label)?)))
        else {
            continue;
        };
        let found = rows.column(at).iter().filter(|&&of| of == leaf).count();
        if found > 0 {
            tell(&column.name, label, found as u64);
        }
    }
}

/// Rows from which on it is strange that nearly all of them differ.
const MANY: usize = 100;

/// Sensitive columns that are as good as a name: nine rows of ten have a value of their own. For the operator's eyes;
/// nothing is decided by it.
fn telling(rows: &Rows, columns: &Columns) -> Vec<String> {
    let (values, all) = (rows.values(), rows.len());
    if all < MANY || values.len() * 10 < all * 9 {
        return Vec::new();
    }
    let distinct = |column: usize| {
        let mut seen: Vec<_> = (0..values.len() as u32).map(|code| &values.get(code)[column]).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() * 10 >= all * 9
    };
    let sensitive = columns.of(Role::Sensitive).enumerate();
    sensitive.filter(|&(at, _)| distinct(at)).map(|(_, column)| column.name.to_string()).collect()
}
