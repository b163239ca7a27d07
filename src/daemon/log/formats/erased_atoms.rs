//! The erased atoms, as the log names them (SCIENCE 11, erasure): a release and a label each, no
//! hash and no value.

use serde::{Deserialize, Serialize};

use super::row_columns::other;
use super::sealed_format::SealedFormat;
use crate::engine::model::{Node, Taxonomy};
use crate::error::Result;
use crate::wiped_bytes::WipedBytes;

/// A label: one text per quasi column.
pub type LabelTexts = Vec<Box<str>>;

/// An atom as readers can identify it: the rows of one label that came with one release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeavingAtom {
    /// The release that added them.
    pub release: u32,
    /// The label.
    pub label: LabelTexts,
}

impl LeavingAtom {
    /// The bytes of some atoms, to be sealed.
    pub fn all_bytes(atoms: &[LeavingAtom]) -> WipedBytes {
        SealedFormat::ErasedAtoms.bytes(&atoms)
    }

    /// Some atoms from the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse_all(bytes: &[u8]) -> Result<Vec<LeavingAtom>> {
        SealedFormat::ErasedAtoms.parse(bytes)
    }

    /// The nodes of its label.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn nodes(&self, trees: &[&Taxonomy]) -> Result<Vec<Node>> {
        let nodes: Option<Vec<Node>> = self
            .label
            .iter()
            .zip(trees)
            .map(|(label, tree)| tree.find(label))
            .collect();
        nodes
            .filter(|nodes| nodes.len() == trees.len())
            .ok_or_else(other)
    }
}
