//! The files of secrets that a feed file names (CONTRACTS 1): none is read as a taxonomy, whose
//! labels are shown and published, and none lies where readers of releases look. Nothing is opened
//! here.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::places::ConfigProblem;
use super::source::SourcePlace;
use super::words::{Root, resolved};

/// What a text begins with that names the file of a secret.
const FILE: &str = "file:";

/// All files of secrets that a feed file names, whatever the key.
pub(super) fn of(tree: &DeTable<'_>, base: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    tree.iter()
        .for_each(|(_, value)| look(value.get_ref(), base, &mut found));
    found
}

fn look(value: &DeValue<'_>, base: &Path, found: &mut Vec<PathBuf>) {
    match value {
        DeValue::String(text) => found.extend(text.strip_prefix(FILE).map(|file| base.join(file))),
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| look(item.get_ref(), base, found)),
        DeValue::Table(table) => table
            .iter()
            .for_each(|(_, value)| look(value.get_ref(), base, found)),
        _ => {}
    }
}

/// Whether a file is one of these, also through links.
pub(super) fn is_one(file: &Path, secrets: &[PathBuf]) -> bool {
    let same = |file: &Path| file.canonicalize().unwrap_or_else(|_| resolved(file));
    secrets.iter().any(|secret| same(secret) == same(file))
}

/// Why the public root may not be where it is: readers would find raw rows or keys beside releases.
pub(super) fn exposed(
    public: &Root,
    source: Option<&SourcePlace>,
    secrets: &[PathBuf],
    base: &Path,
) -> Option<ConfigProblem> {
    let Root::Directory(readers) = public else {
        return None;
    };
    let problem = |text: &str| Some(ConfigProblem::new("store.public", text));
    if let Some(SourcePlace::Directory { path, .. }) = source
        && public.overlaps(&Root::Directory(path.clone()))
    {
        return problem(
            "the public root and the folder of the source must be separate, neither inside the other: readers of releases \
             must never find raw rows, and the feed must never read its own releases",
        );
    }
    let (readers, base) = (resolved(readers), resolved(&base.join(".")));
    for secret in secrets {
        let secret = resolved(secret);
        if secret.starts_with(&readers) {
            return problem(
                "a key or another secret that this file names is inside the public root: move one of them",
            );
        }
        // The folder of the feed file may hold all of them.
        let Some(keys) = secret.parent().filter(|keys| !base.starts_with(keys)) else {
            continue;
        };
        if readers.starts_with(keys) {
            return problem(
                "the public root is inside a folder of keys, which readers of releases must not enter: move one of them",
            );
        }
    }
    None
}
