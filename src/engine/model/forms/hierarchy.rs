//! The form `file` (CONTRACTS 2): an ARX hierarchy, already split into rows.

use super::built::{Built, FormError};
use crate::engine::model::{Domain, Kind, Path, Rule, paths};

/// How many repeated rows are named before the rest is counted.
const NAMED: usize = 3;

/// The taxonomy of these rows.
pub(super) fn build(rows: &[Path]) -> Result<Built, FormError> {
    let (tree, repeats) = paths::from_paths(rows).map_err(|error| FormError::of_tree("file", &error))?;
    let warnings = repeated(&repeats).into_iter().collect();
    Ok(Built { domain: Domain { tree, rule: Rule::Label }, kind: Kind::String, warnings })
}

/// What to say about rows that are there twice.
pub(super) fn repeated(repeats: &[(u64, u64)]) -> Option<String> {
    let mut named: Vec<String> =
        repeats.iter().take(NAMED).map(|(at, first)| format!("line {at} repeats line {first}")).collect();
    if repeats.len() > NAMED {
        named.push(format!("and {} more", repeats.len() - NAMED));
    }
    (!named.is_empty()).then(|| named.join(", "))
}
