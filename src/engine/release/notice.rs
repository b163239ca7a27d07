//! The notice of erasure (SCIENCE 3, erasure; CONTRACTS 4): which rows are removed from which
//! release on. It contains labels and numbers of rows, which readers can find by comparing the two
//! releases; it must never contain a sensitive value, or the number of requests.
//!
//! Like a manifest it has one spelling.

use serde::{Deserialize, Serialize};

use super::manifest::{NoManifest, ReleaseFacts, ReleaseTerms};
use super::signed::{SCHEMA, signed_bytes};
use crate::model::{Node, Role, Taxonomy};

/// A notice of erasure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// The version of this format: 2.
    pub schema: u32,
    /// The feed's name.
    pub feed: String,
    /// The chain of releases.
    pub chain: u32,
    /// The first release without the rows; no later one of the chain has them either.
    pub release: u32,
    /// The number of removed rows.
    pub rows: u64,
    /// The quasi columns, in the order of the feed file.
    pub columns: Vec<String>,
    /// The labels of these rows.
    pub labels: Vec<ErasedLabel>,
}

/// Removed rows of one label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasedLabel {
    /// The label of each column.
    pub label: Vec<String>,
    /// The number of rows.
    pub rows: u64,
}

impl Notice {
    /// The notice about the rows that a release leaves out; `None` if there are none.
    pub fn of(facts: &ReleaseFacts<'_>, terms: &ReleaseTerms<'_>) -> Option<Notice> {
        let trees = terms.columns.trees();
        let text = |(&node, tree): (&Node, &&Taxonomy)| tree.label(node).to_owned();
        let labels = terms.erased.iter();
        let labels = labels.map(|(label, &rows)| ErasedLabel {
            label: label.iter().zip(&trees).map(text).collect(),
            rows,
        });
        let notice = Notice {
            schema: SCHEMA,
            feed: facts.feed.to_owned(),
            chain: facts.chain,
            release: terms.release,
            rows: terms.erased.values().sum(),
            columns: terms
                .columns
                .of(Role::Quasi)
                .map(|column| column.name.to_string())
                .collect(),
            labels: labels.collect(),
        };
        assert!(
            notice
                .labels
                .iter()
                .all(|erased| erased.label.len() == notice.columns.len()),
            "a label of each column"
        );
        (notice.rows > 0).then_some(notice)
    }

    /// The canonical bytes: JSON with two spaces of indentation and a final newline.
    ///
    /// # Panics
    /// Never: a notice is JSON.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes =
            serde_json::to_vec_pretty(self).expect("serialisation failed (this is a bug)");
        bytes.push(b'\n');
        bytes
    }

    /// The bytes that the signature beside it covers.
    pub fn signed_bytes(&self) -> Vec<u8> {
        signed_bytes("notice", &self.feed, &self.bytes())
    }

    /// Reads the output of [`Notice::bytes`].
    ///
    /// # Errors
    /// The bytes are no notice, or their spelling is not canonical.
    pub fn parse(bytes: &[u8]) -> Result<Notice, NoManifest> {
        let form = |error: serde_json::Error| NoManifest::Form {
            line: error.line(),
            column: error.column(),
        };
        let notice: Notice = serde_json::from_slice(bytes).map_err(form)?;
        if notice.schema != SCHEMA {
            return Err(NoManifest::Version(notice.schema));
        }
        if notice.bytes() == bytes {
            Ok(notice)
        } else {
            Err(NoManifest::Spelling)
        }
    }
}
