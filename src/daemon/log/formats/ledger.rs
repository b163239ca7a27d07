//! The changed values of an increment, as a sealed object (HOUSE 3, Masked): it is written before
//! anything is based on it, and deleted with the rows.

use serde::{Deserialize, Serialize};

use super::row_columns::{LabelColumn, other};
use super::sealed_format::SealedFormat;
use crate::engine::feed::{ChangedRows, Ledger};
use crate::engine::histogram::{SensitiveValues, ValueCode};
use crate::engine::model::{Leaf, Taxonomy};
use crate::error::Result;
use crate::wiped_bytes::WipedBytes;

/// A ledger in columns.
#[derive(Serialize, Deserialize)]
pub struct LedgerColumns {
    labels: Vec<LabelColumn>,
    since: Vec<u32>,
    #[serde(with = "super::value_table")]
    values: SensitiveValues,
    from: Vec<ValueCode>,
    to: Vec<ValueCode>,
    rows: Vec<u32>,
}

impl LedgerColumns {
    /// From a ledger.
    pub fn of(ledger: &Ledger, trees: &[&Taxonomy]) -> LedgerColumns {
        let lines = || ledger.changed.iter();
        let column = |(at, tree): (usize, &&Taxonomy)| {
            LabelColumn::of(lines().map(|line| tree.leaf_node(line.leaves[at])), tree)
        };
        LedgerColumns {
            labels: trees.iter().enumerate().map(column).collect(),
            since: lines().map(|line| line.since).collect(),
            values: ledger.values.clone(),
            from: lines().map(|line| line.from).collect(),
            to: lines().map(|line| line.to).collect(),
            rows: lines().map(|line| line.rows).collect(),
        }
    }

    /// The bytes to be sealed.
    pub fn bytes(&self) -> WipedBytes {
        SealedFormat::Ledger.bytes(self)
    }

    /// From the sealed bytes.
    ///
    /// # Errors
    /// They have another version.
    pub fn parse(bytes: &[u8]) -> Result<LedgerColumns> {
        SealedFormat::Ledger.parse(bytes)
    }

    /// The ledger.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn ledger(&self, trees: &[&Taxonomy]) -> Result<Ledger> {
        let leaves = |(labels, tree): (&LabelColumn, &&Taxonomy)| -> Result<Vec<Leaf>> {
            Ok(labels
                .nodes(tree)?
                .into_iter()
                .map(|node| tree.leaf_range(node).start)
                .collect())
        };
        let columns = self
            .labels
            .iter()
            .zip(trees)
            .map(leaves)
            .collect::<Result<Vec<_>>>()?;
        let lines = self.rows.len();
        let known = |codes: &[ValueCode]| {
            codes
                .iter()
                .all(|code| (*code as usize) < self.values.len())
        };
        let sound = columns.len() == trees.len()
            && columns.iter().all(|column| column.len() == lines)
            && [self.since.len(), self.from.len(), self.to.len()] == [lines; 3]
            && known(&self.from)
            && known(&self.to);
        if !sound {
            return Err(other());
        }
        let changed = (0..lines).map(|at| ChangedRows {
            leaves: columns.iter().map(|column| column[at]).collect(),
            since: self.since[at],
            from: self.from[at],
            to: self.to[at],
            rows: self.rows[at],
        });
        Ok(Ledger {
            values: self.values.clone(),
            changed: changed.collect(),
        })
    }
}
