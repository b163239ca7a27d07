//! Builds a taxonomy from rows of leaf-to-root labels (CONTRACTS 2), and reports every way in which
//! such rows contradict each other. Rows are already split; this file knows nothing about files or
//! delimiters.

use std::collections::{BTreeMap, BTreeSet};

use super::taxonomy::{FileLevels, MOST_LABEL, MOST_LEVELS, MOST_NODES, Taxonomy, Tree, TreeError};

/// One row of a hierarchy: its position (for messages) and its labels, leaf first, root last.
#[derive(Clone)]
pub struct Path {
    /// Line of the file, counted from 1.
    pub at: u64,
    /// Labels from the leaf to the root.
    pub labels: Vec<Box<str>>,
}

/// What is known about a label: its handle, whether it is a leaf, its parent and the row that said
/// so.
#[derive(Clone, Copy)]
struct Known<'r> {
    handle: usize,
    leaf: bool,
    parent: Option<&'r str>,
    at: u64,
}

/// The most labels of a row for which sorting is not worthwhile.
const FEW: usize = 16;

/// Builds a taxonomy from rows of leaf-to-root labels. Also returns the positions of rows that
/// repeat an earlier row exactly, with that row's position: they are harmless and worth a warning.
///
/// # Errors
/// Every way in which rows contradict each other; see [`TreeError`].
pub fn from_paths(rows: &[Path]) -> Result<(Taxonomy, Vec<(u64, u64)>), TreeError> {
    let first = rows.first().ok_or(TreeError::Empty)?;
    let root = first.labels.last().ok_or(TreeError::Empty)?;
    let mut tree = Tree::new(root);
    let mut known: BTreeMap<&str, Known<'_>> = BTreeMap::new();
    let mut repeats = Vec::new();
    let levels = rows.iter().map(|row| row.labels.len()).max().unwrap_or(0) as u32;
    // For each node the lowest level from which on every row with it has it.
    let mut level: Vec<u32> = vec![0];
    let mut repeated: Vec<u64> = vec![0];
    // The inner labels of the previous row, root first: most rows share them, and need no lookup.
    let mut before: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        let path = distinct_labels(row)?;
        let last = path[path.len() - 1].label;
        if last != &**root {
            let (root, other_root) = (last.into(), root.clone());
            return Err(TreeError::TwoRoots {
                root,
                other_root,
                at: row.at,
                other: first.at,
            });
        }
        let inner = path[1..].iter().rev();
        let shared = inner
            .zip(&before)
            .take_while(|(place, (before, _))| place.label == *before)
            .count();
        before.truncate(shared);
        // A row with fewer labels than others lacks the levels next to its leaf.
        let missing = levels - row.labels.len() as u32;
        for (place, &(_, handle)) in path.iter().rev().zip(&before) {
            level[handle] = level[handle].max(missing + place.level);
        }
        let mut fresh = false;
        for (
            up,
            &PathLabel {
                label,
                level: lowest,
            },
        ) in path.iter().enumerate().rev().skip(shared)
        {
            let leaf = up == 0;
            let parent = before.last().map(|&(label, _)| label);
            let handle = match known.get(label) {
                Some(seen) => same(label, leaf, parent, row.at, seen)?,
                None => {
                    fresh = true;
                    let handle = before
                        .last()
                        .map_or(0, |&(_, handle)| tree.add(handle, label, 1));
                    known.insert(
                        label,
                        Known {
                            handle,
                            leaf,
                            parent,
                            at: row.at,
                        },
                    );
                    handle
                }
            };
            level.resize(tree.nodes(), 0);
            repeated.resize(tree.nodes(), 0);
            if !leaf {
                level[handle] = level[handle].max(missing + lowest);
                before.push((label, handle));
            }
        }
        if !fresh && let Some(seen) = known.get(path[0].label) {
            repeats.push((row.at, seen.at));
            repeated[seen.handle] += 1;
        }
        if known.len() > MOST_NODES {
            return Err(TreeError::TooLarge);
        }
    }
    // Numbering the nodes needs as much memory as these.
    drop((known, before));
    assert!(repeats.len() < rows.len(), "the first row is no repeat");
    Ok((
        tree.finish_with_levels(&FileLevels {
            level,
            levels,
            repeated,
        })?,
        repeats,
    ))
}

/// The handle of a label that an earlier row has as well, if both rows have it in the same
/// position.
fn same(
    label: &str,
    leaf: bool,
    parent: Option<&str>,
    at: u64,
    seen: &Known<'_>,
) -> Result<usize, TreeError> {
    if seen.parent != parent {
        return Err(two_parents(label, parent, seen.parent, at, seen.at));
    }
    if seen.leaf != leaf {
        return Err(TreeError::LeafIsInner {
            label: label.into(),
            at,
            other: seen.at,
        });
    }
    Ok(seen.handle)
}

/// A label of a row, and the lowest level on which the row has it.
struct PathLabel<'r> {
    label: &'r str,
    level: u32,
}

/// The labels of a row, with adjacent equal ones combined. Limits are checked first, since the rest
/// compares labels with each other.
fn distinct_labels(row: &Path) -> Result<Vec<PathLabel<'_>>, TreeError> {
    if row.labels.len() > MOST_LEVELS {
        return Err(TreeError::TooDeep { at: row.at });
    }
    if row.labels.iter().any(|label| label.len() > MOST_LABEL) {
        return Err(TreeError::LongLabel { at: row.at });
    }
    if row.labels.iter().any(|label| label.is_empty()) {
        return Err(TreeError::EmptyLabel { at: row.at });
    }
    let mut path: Vec<PathLabel<'_>> = Vec::with_capacity(row.labels.len());
    // A few labels are compared with each other directly.
    let (many, mut seen) = (row.labels.len() > FEW, BTreeSet::new());
    for (level, label) in (0..).zip(&row.labels) {
        let label = &**label;
        if path.last().is_some_and(|below| below.label == label) {
            continue;
        }
        let again = if many {
            !seen.insert(label)
        } else {
            path.iter().any(|below| below.label == label)
        };
        if again {
            return Err(TreeError::Repeated {
                label: label.into(),
                at: row.at,
            });
        }
        path.push(PathLabel { label, level });
    }
    assert!(path.len() <= row.labels.len(), "labels of the row");
    if path.is_empty() {
        Err(TreeError::EmptyLabel { at: row.at })
    } else {
        Ok(path)
    }
}

fn two_parents(
    label: &str,
    parent: Option<&str>,
    other: Option<&str>,
    at: u64,
    other_at: u64,
) -> TreeError {
    let name = |parent: Option<&str>| parent.unwrap_or("(nothing: it is the root)").into();
    TreeError::TwoParents {
        label: label.into(),
        parent: name(parent),
        other_parent: name(other),
        at,
        other: other_at,
    }
}
