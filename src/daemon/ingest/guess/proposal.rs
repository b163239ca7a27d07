//! A taxonomy in the form in which `init` will write it (CONTRACTS 2, and 3 `init`). It chooses
//! nothing.

use crate::engine::model::forms::{self, TaxonomyTable};
use crate::engine::model::{Kind, Path, Taxonomy};

/// The leaves that a feed file adds to a taxonomy: for missing and for unknown values.
const ADDED: u64 = 2;

/// The leaf for values that are not in the sample.
pub const OTHER: &str = "other";

/// A taxonomy, as it will be written.
pub struct Proposal {
    /// The table; the name of its file is added later.
    pub table: TaxonomyTable,
    /// The type to write, if it is not that of the form.
    pub kind: Option<Kind>,
    /// The rows of the file it names.
    pub rows: Option<Vec<Vec<String>>>,
    /// The leaf for values that are not in the sample.
    pub unknown: Option<String>,
    /// The reason for its form, and how to change it.
    pub why: String,
}

impl Proposal {
    /// A table that needs nothing else.
    pub fn new(table: TaxonomyTable, why: impl Into<String>) -> Proposal {
        Proposal {
            table,
            kind: None,
            rows: None,
            unknown: None,
            why: why.into(),
        }
    }

    /// The tree.
    ///
    /// # Errors
    /// The table or its rows contradict themselves.
    pub fn tree(&self) -> Result<Taxonomy, String> {
        let row = |(at, labels): (usize, &Vec<String>)| Path {
            labels: labels.iter().map(|label| label.as_str().into()).collect(),
            at: at as u64 + 1,
        };
        let source: Vec<Path> = self.rows.iter().flatten().enumerate().map(row).collect();
        Ok(forms::build(&self.table, &source)
            .map_err(|error| error.text)?
            .domain
            .tree)
    }

    /// The numbers of its leaves and values, including those that a feed file adds.
    ///
    /// # Errors
    /// As for [`Proposal::tree`].
    pub fn size(&self) -> Result<(u64, u128), String> {
        let tree = self.tree()?;
        Ok((
            tree.leaves() as u64 + ADDED,
            u128::from(tree.values(0) + ADDED),
        ))
    }
}
