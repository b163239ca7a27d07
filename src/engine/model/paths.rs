//! A taxonomy from rows of leaf-to-root labels (CONTRACTS 2), and every way in which such rows contradict each other.
//! Rows come in already split; this file knows nothing of files or delimiters.

use std::collections::BTreeMap;

use super::taxonomy::{MOST_NODES, Taxonomy, Tree, TreeError};

/// One row of a hierarchy: its place (for messages) and its labels, leaf first, root last.
pub struct Path {
    /// Line of the file, counted from 1.
    pub at: u64,
    /// Labels from the leaf to the root.
    pub labels: Vec<Box<str>>,
}

/// Builds a taxonomy from rows of leaf-to-root labels. Also returns the places of rows that repeat an earlier row
/// exactly, with that row's place: they are harmless and worth a warning.
///
/// # Errors
/// Every way in which rows contradict each other; see [`TreeError`].
pub fn from_paths(rows: &[Path]) -> Result<(Taxonomy, Vec<(u64, u64)>), TreeError> {
    /// What is known of a label: its handle, whether it is a leaf, its parent and the row that said so.
    struct Known {
        handle: usize,
        leaf: bool,
        parent: Option<Box<str>>,
        at: u64,
    }
    let first = rows.first().ok_or(TreeError::Empty)?;
    let root = first.labels.last().ok_or(TreeError::Empty)?;
    let mut tree = Tree::new(root);
    let mut known: BTreeMap<Box<str>, Known> = BTreeMap::new();
    let mut repeats = Vec::new();
    for row in rows {
        let path = distinct_labels(row)?;
        let last = &path[path.len() - 1];
        if last != root {
            let (root, other_root) = (last.clone(), root.clone());
            return Err(TreeError::TwoRoots { root, other_root, at: row.at, other: first.at });
        }
        let mut above: Option<(usize, Box<str>)> = None;
        let mut fresh = false;
        for (up, label) in path.iter().enumerate().rev() {
            let leaf = up == 0;
            let parent = above.as_ref().map(|(_, label)| label.clone());
            if let Some(seen) = known.get(label) {
                if seen.parent != parent {
                    return Err(two_parents(label, parent, seen.parent.clone(), row.at, seen.at));
                }
                if seen.leaf != leaf {
                    return Err(TreeError::LeafIsInner { label: label.clone(), at: row.at, other: seen.at });
                }
                above = Some((seen.handle, label.clone()));
                continue;
            }
            fresh = true;
            let handle = above.as_ref().map_or(0, |(handle, _)| tree.add(*handle, label, 1));
            known.insert(label.clone(), Known { handle, leaf, parent, at: row.at });
            above = Some((handle, label.clone()));
        }
        if !fresh {
            repeats.push((row.at, known.get(&path[0]).map_or(0, |seen| seen.at)));
        }
        if known.len() > MOST_NODES {
            return Err(TreeError::TooLarge);
        }
    }
    Ok((tree.finish()?, repeats))
}

/// The labels of a row with neighbours of the same name folded into one.
fn distinct_labels(row: &Path) -> Result<Vec<Box<str>>, TreeError> {
    if row.labels.iter().any(|label| label.is_empty()) {
        return Err(TreeError::EmptyLabel { at: row.at });
    }
    let mut path: Vec<Box<str>> = Vec::with_capacity(row.labels.len());
    for label in &row.labels {
        if path.last() == Some(label) {
            continue;
        }
        if path.contains(label) {
            return Err(TreeError::Repeated { label: label.clone(), at: row.at });
        }
        path.push(label.clone());
    }
    if path.is_empty() { Err(TreeError::EmptyLabel { at: row.at }) } else { Ok(path) }
}

fn two_parents(label: &str, parent: Option<Box<str>>, other: Option<Box<str>>, at: u64, other_at: u64) -> TreeError {
    let name = |parent: Option<Box<str>>| parent.unwrap_or_else(|| "(nothing: it is the root)".into());
    TreeError::TwoParents { label: label.into(), parent: name(parent), other_parent: name(other), at, other: other_at }
}
