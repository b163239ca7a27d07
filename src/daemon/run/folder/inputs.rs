//! The inputs of `anonymize`: their names, their content, and their rows. Nothing is written here.

use crate::wiped_bytes::WipedBytes;
use std::path::Path;
use std::time::SystemTime;

use super::{Task, TaskProgress};
use crate::engine::histogram::{CodedRows, MisfitKind};
use crate::engine::model::{Columns, Role};
use crate::engine::release::Sha256;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::FeedState;
use crate::ingest::{
    BadRows, ColumnSpellings, DecodedFile, PersonHasher, TakenRows, decode_records, digest,
    take_within,
};
use crate::journal::KeyRing;

/// The most bytes of set-aside rows of an input, including the reasons.
const MOST_ASIDE: usize = 256 << 20;

/// The facts by which an input is recognised. The digest stays in memory: the log has a code of it.
#[derive(Clone, Copy)]
pub(super) struct InputLook {
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its size in bytes.
    pub size: u64,
    /// The time of its last change.
    pub modified: SystemTime,
}

/// A decoded input.
#[derive(Clone)]
pub(super) struct Input {
    /// Its file's own name.
    pub name: String,
    /// The facts by which it is recognised.
    pub look: InputLook,
    /// Its rows; `None` if the folder contains it already.
    pub rows: Option<CodedRows>,
    /// The number of set-aside rows, and their content, to be sealed.
    pub aside: Option<(u64, WipedBytes)>,
    /// The number of sensitive cells that were missing or malformed.
    pub nulled: u64,
    /// The number of records that are not read, and of lines without any.
    pub skipped: u64,
    /// Columns with values that differ in spelling alone.
    pub spellings: Vec<ColumnSpellings>,
}

impl Input {
    /// Rows without a file, with a number as their name.
    pub(super) fn of_rows(number: usize, rows: CodedRows) -> Input {
        let name = format!("part-{number}");
        let look = InputLook {
            sha256: Sha256::of(name.as_bytes()),
            size: 0,
            modified: SystemTime::UNIX_EPOCH,
        };
        Input {
            name,
            look,
            rows: Some(rows),
            aside: None,
            nulled: 0,
            skipped: 0,
            spellings: Vec::new(),
        }
    }
}

/// The remedy for a value outside a taxonomy, before a chain begins or while the one in this state
/// runs.
///
/// # Errors
/// Its terms cannot be read.
pub(super) fn outside(state: Option<&FeedState>) -> Result<String> {
    let policy = state.map(|state| state.terms.policy()).transpose()?;
    let running = match policy.map(|policy| policy.taxonomies_grow()) {
        None => {
            return Ok(format!(
                "{}, or set such rows aside with --quarantine-share",
                MisfitKind::Outside
            ));
        }
        Some(true) => {
            "add it there as a new leaf under an inner node (everything else of a column is frozen in this \
             folder)"
        }
        Some(false) => {
            "the taxonomy is frozen in this folder, whose classes keep their labels: correct the value in \
             the source"
        }
    };
    Ok(format!(
        "the taxonomy lacks the value: {running}, or set such rows aside with --quarantine-share"
    ))
}

/// Decodes all inputs that are not in the folder yet. The error for a value outside a taxonomy
/// contains the words `outside`.
///
/// # Errors
/// One of them cannot be read or decoded.
pub(super) fn read(
    task: &Task<'_>,
    known: Option<(&FeedState, &KeyRing)>,
    hasher: &PersonHasher,
    outside: &str,
    watch: &mut dyn TaskProgress,
) -> Result<Vec<Input>> {
    let mut inputs: Vec<Input> = Vec::new();
    let mut reported: Vec<String> = Vec::new();
    for (at, path) in task.inputs.iter().enumerate() {
        let name = path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let look = look(path)?;
        let seen = inputs
            .iter()
            .any(|input| input.name == name && input.look.sha256 == look.sha256);
        if seen || known.is_some_and(|(known, ring)| known.knows(&name, &look.sha256, ring)) {
            inputs.push(Input {
                name,
                look,
                rows: None,
                aside: None,
                nulled: 0,
                skipped: 0,
                spellings: Vec::new(),
            });
            continue;
        }
        let decoded = decoded(task, path, (hasher, outside), &mut |rows| {
            watch.reading(at, rows)
        })?;
        if digest(path)? != look.sha256 {
            let text = "the file changed while it was read: repeat the command when no program writes to it";
            return Err(Error::new(ErrorCategory::Input, text).in_file(path));
        }
        let DecodedInput {
            rows,
            aside,
            undeclared,
            nulled,
            skipped,
            spellings,
        } = decoded;
        let mut news = |columns: Vec<String>, report: &mut dyn FnMut(&[String])| {
            let news: Vec<String> = columns
                .into_iter()
                .filter(|column| !reported.contains(column))
                .collect();
            if !news.is_empty() {
                report(&news);
                reported.extend(news);
            }
        };
        news(undeclared, &mut |columns| watch.undeclared(columns));
        if nulled > 0 {
            watch.missing(at, nulled);
        }
        unknown(&rows, &task.feed.columns, |column, leaf, rows| {
            watch.unknown(at, column, leaf, rows)
        });
        misspelled(&rows, &task.feed.columns, |column, rows| {
            watch.misspelled(at, column, rows)
        });
        news(telling(&rows, &task.feed.columns), &mut |columns| {
            watch.telling(columns)
        });
        inputs.push(Input {
            name,
            look,
            rows: Some(rows),
            aside,
            nulled,
            skipped,
            spellings,
        });
    }
    Ok(inputs)
}

/// The content of a file.
struct DecodedInput {
    rows: CodedRows,
    aside: Option<(u64, WipedBytes)>,
    undeclared: Vec<String>,
    nulled: u64,
    skipped: u64,
    spellings: Vec<ColumnSpellings>,
}

/// The rows of a file, and those that cannot be decoded if the task allows a share of them.
fn decoded(
    task: &Task<'_>,
    path: &Path,
    (hasher, outside): (&PersonHasher, &str),
    progress: &mut dyn FnMut(u64),
) -> Result<DecodedInput> {
    let (columns, rules) = (&task.feed.columns, &task.feed.records);
    let Some(share) = task.quarantine else {
        let DecodedFile {
            rows,
            undeclared,
            nulled,
            skipped,
            spellings,
            ..
        } = decode_records(
            path,
            columns,
            hasher,
            rules,
            BadRows::Refused(outside),
            progress,
        )?;
        return Ok(DecodedInput {
            rows,
            aside: None,
            undeclared,
            nulled,
            skipped,
            spellings,
        });
    };
    let taken = take_within(path, columns, hasher, rules, MOST_ASIDE, progress)?;
    taken.bearable(path, share, outside)?;
    let TakenRows {
        rows,
        aside,
        undeclared,
        nulled,
        skipped,
        spellings,
        ..
    } = taken;
    let messages = aside.messages().len() as u64;
    Ok(DecodedInput {
        rows,
        aside: (messages > 0).then(|| (messages, aside.bytes())),
        undeclared,
        nulled,
        skipped,
        spellings,
    })
}

fn look(path: &Path) -> Result<InputLook> {
    let sha256 = digest(path)?;
    let about = path.metadata();
    let (size, modified) = about
        .and_then(|about| Ok((about.len(), about.modified()?)))
        .map_err(|error| Error::io(path, "look at the file", &error))?;
    Ok(InputLook {
        sha256,
        size,
        modified,
    })
}

/// Columns with a leaf for unknown values, and how many rows are on it: mistakes in the source
/// would go unnoticed.
fn unknown(rows: &CodedRows, columns: &Columns, mut report: impl FnMut(&str, &str, u64)) {
    for (at, (column, tree)) in columns.of(Role::Quasi).zip(columns.trees()).enumerate() {
        let Some((label, leaf)) = column
            .unknown
            .as_deref()
            .and_then(|label| Some((label, tree.find_leaf(label)?)))
        else {
            continue;
        };
        let found = rows.column(at).iter().filter(|&&of| of == leaf).count();
        if found > 0 {
            report(&column.name, label, found as u64);
        }
    }
}

/// Columns with guarded values, and how many rows have another spelling of one of them that is not
/// guarded: a mistake in the source would publish it.
fn misspelled(rows: &CodedRows, columns: &Columns, mut report: impl FnMut(&str, u64)) {
    for (at, column) in columns.of(Role::Sensitive).enumerate() {
        let is_misspelled = column.misspellings();
        let slips: Vec<bool> = (0..rows.values().len() as u32)
            .map(|code| is_misspelled(&rows.values().get(code)[at]))
            .collect();
        let found = rows
            .codes()
            .iter()
            .filter(|&&code| slips[code as usize])
            .count();
        if found > 0 {
            report(&column.name, found as u64);
        }
    }
}

/// The number of rows from which on it is suspicious that nearly all of them differ.
const MANY: usize = 100;

/// Sensitive columns that nearly identify people: nine of ten rows have a value of their own. Only
/// for the operator's information; no decision depends on it.
fn telling(rows: &CodedRows, columns: &Columns) -> Vec<String> {
    let (values, all) = (rows.values(), rows.len());
    if all < MANY || values.len() * 10 < all * 9 {
        return Vec::new();
    }
    let distinct = |column: usize| {
        let mut seen: Vec<_> = (0..values.len() as u32)
            .map(|code| &values.get(code)[column])
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() * 10 >= all * 9
    };
    let sensitive = columns.of(Role::Sensitive).enumerate();
    sensitive
        .filter(|&(at, _)| distinct(at))
        .map(|(_, column)| column.name.to_string())
        .collect()
}
