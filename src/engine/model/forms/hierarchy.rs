//! The form `file` (CONTRACTS 2): an ARX hierarchy, already split into rows.

use super::form_result::{FormError, FormResult};
use crate::{Domain, Kind, LeafRule, Path, TreeError, paths};

/// The most repeated rows that are named before the rest is counted.
const NAMED: usize = 3;

/// The taxonomy of these rows.
pub(super) fn build(rows: &[Path]) -> Result<FormResult, FormError> {
    let (tree, repeats) = paths::from_paths(rows).map_err(|error| refused(rows, &error))?;
    let alone =
        "the taxonomy has only a root: all rows look the same, and nothing can be generalised";
    let alone = (tree.nodes() == 1).then(|| alone.to_owned());
    assert!(tree.leaves() <= rows.len(), "a leaf has a line");
    let warnings = repeated(&repeats)
        .into_iter()
        .chain(padded(rows))
        .chain(alone)
        .collect();
    Ok(FormResult {
        domain: Domain {
            tree,
            rule: LeafRule::Label,
        },
        kind: Kind::String,
        warnings,
    })
}

/// The error for rows that form no tree, with the usual cause.
fn refused(rows: &[Path], error: &TreeError) -> FormError {
    let mut said = FormError::of_tree("file", error);
    let same = |rows: &[Path]| {
        rows.windows(2)
            .all(|pair| pair[0].labels.last() == pair[1].labels.last())
    };
    let header = rows.len() > 2 && same(&rows[1..]);
    if matches!(error, TreeError::TwoRoots { .. })
        && (header || rows.iter().all(|row| row.labels.len() == 1))
    {
        said.text
            .push_str("; is line 1 a header, or are fields split by another character?");
    }
    said
}

/// The warning about labels that begin or end with spaces.
fn padded(rows: &[Path]) -> Option<String> {
    let mut lines = rows
        .iter()
        .filter(|row| row.labels.iter().any(|label| label.trim() != &**label));
    let first = lines.next()?.at;
    let more = match lines.count() {
        0 => String::new(),
        1 => ", and so has one more line".to_owned(),
        more => format!(", and so have {more} more lines"),
    };
    Some(format!(
        "line {first} has a label that begins or ends with spaces{more}; they are part of the label, so values without \
         them do not match: remove them here and in the source, or in neither"
    ))
}

/// The warning about rows that occur twice.
pub(super) fn repeated(repeats: &[(u64, u64)]) -> Option<String> {
    let mut named: Vec<String> = repeats
        .iter()
        .take(NAMED)
        .map(|(at, first)| format!("line {at} repeats line {first}"))
        .collect();
    if repeats.len() > NAMED {
        named.push(format!("and {} more", repeats.len() - NAMED));
    }
    (!named.is_empty()).then(|| named.join(", "))
}
