//! Converts a taxonomy of another form into the rows of a hierarchy file (CONTRACTS 2, and 3
//! `init`), for values in spellings that no other form accepts. Rows are generated from ranges, so
//! that the file does not show which values a sample has; only codes are those of the sample, as in
//! their own form.

use super::profile::Profile;
use super::proposal::{OTHER, Proposal};
use crate::engine::model::forms::TaxonomyTable;
use crate::engine::model::{Leaf, Taxonomy};

/// The most rows of a file. A century has fewer days.
const MOST_ROWS: usize = 100_000;

/// A proposal as a file, with each leaf in the spellings that `spell` gives, and with the spaces
/// around values that the sample has.
pub(super) fn as_spelled(
    profile: &Profile,
    proposal: &Proposal,
    spell: impl Fn(&str) -> Vec<String>,
) -> Result<Proposal, String> {
    if proposal.table.leaves.is_some() {
        let text = "many numbers, written as text, with zeros in front or with spaces around them: clean them, then use the \
                    form `leaves`";
        return Err(text.into());
    }
    let tree = proposal.tree()?;
    let rows = spaced(profile, rows(&tree, spell, str::to_owned))?;
    let table = TaxonomyTable {
        file: Some(String::new()),
        ..TaxonomyTable::default()
    };
    let why = "the values of the sample, as text, in bands or groups: value;group;…;root";
    Ok(Proposal {
        rows: Some(rows),
        unknown: Some(OTHER.to_owned()),
        ..Proposal::new(table, why)
    })
}

/// One row for each spelling of a leaf, with the labels above it.
pub(super) fn rows(
    tree: &Taxonomy,
    spell: impl Fn(&str) -> Vec<String>,
    above: impl Fn(&str) -> String,
) -> Vec<Vec<String>> {
    let mut rows = Vec::with_capacity(tree.leaves());
    for leaf in 0..tree.leaves() as Leaf {
        let leaf = tree.leaf_node(leaf);
        let up: Vec<String> = std::iter::successors(tree.parent(leaf), |&node| tree.parent(node))
            .map(|node| above(tree.label(node)))
            .collect();
        let spelled = spell(tree.label(leaf)).into_iter();
        rows.extend(spelled.map(|leaf| std::iter::once(leaf).chain(up.iter().cloned()).collect()));
    }
    rows
}

/// The same rows, each leaf with the spaces around values of the sample.
pub(super) fn spaced(
    profile: &Profile,
    rows: Vec<Vec<String>>,
) -> Result<Vec<Vec<String>>, String> {
    if !profile.is_padded() {
        return Ok(rows);
    }
    let spaces = profile.spaces();
    if spaces.len().saturating_mul(rows.len()) > MOST_ROWS {
        return Err(
            "many of its values have spaces around them: remove the spaces, then try again".into(),
        );
    }
    let spell = |row: &Vec<String>, (before, behind): &(&str, &str)| {
        let mut row = row.clone();
        row[0] = format!("{before}{}{behind}", row[0]);
        row
    };
    Ok(rows
        .iter()
        .flat_map(|row| spaces.iter().map(|around| spell(row, around)))
        .collect())
}
