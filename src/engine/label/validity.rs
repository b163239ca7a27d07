//! The validity of a candidate of the top-down search (SCIENCE 4), as a trait, and the reasons why
//! one is invalid.
//!
//! No figure in a refusal may name a sensitive value.

use super::candidates::Candidates;
use super::table::{NodeSplit, SearchTable};
use crate::model::Node;

/// The state of a search, as a validity sees it when it judges a candidate.
pub struct SearchView<'s> {
    /// The table that is searched.
    pub table: &'s SearchTable<'s>,
    pub(super) state: &'s Candidates<'s>,
}

impl SearchView<'_> {
    /// The items of a class.
    pub fn items(&self, class: u32) -> &[u32] {
        self.state.items(class)
    }

    /// The nodes of a class with the split node replaced by a child.
    pub fn child_nodes(&self, class: u32, split: &NodeSplit, child: usize) -> Vec<Node> {
        let mut nodes = self.state.nodes(class).to_vec();
        nodes[split.column] = split.children[child];
        nodes
    }
}

/// For each class that a specialisation changed, the (child, class) of each child that has rows.
pub type Accepted = [Vec<(usize, usize)>];

/// When a state of the search is valid. Every state of the search is valid, so only the classes
/// that a specialisation changes have to be judged.
pub trait Validity: Sync {
    /// What a trial computes and acceptance can reuse.
    type Trial: Send;

    /// Checks that the state with `*` in all columns is valid.
    ///
    /// # Errors
    /// It is not, for the reason returned.
    fn start(&mut self, table: &SearchTable<'_>) -> Result<(), InvalidReason>;

    /// Checks that the state after this specialisation would be valid.
    ///
    /// # Errors
    /// It would not: the reason is about the first class, in order, that breaks it.
    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<Self::Trial, InvalidReason>;

    /// Records that the specialisation was made.
    fn accept(&mut self, split: &NodeSplit, trial: Self::Trial, made: &Accepted);
}

/// Why a state is not valid: which class falls to which figure. Holds no sensitive value, but under
/// `bcf` the figure depends on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidReason {
    /// A class would have too few rows.
    Rows {
        /// Its nodes, one per quasi column.
        class: Vec<Node>,
        /// Its number of rows.
        rows: u64,
        /// The number it must have.
        limit: u64,
    },
    /// Too many rows would be left waiting.
    SetAside {
        /// The number of rows.
        rows: u64,
        /// The largest number allowed.
        limit: u64,
    },
    /// Too few candidates would be left for people of an earlier release (F and C attacks, and the
    /// pair bound).
    Earlier {
        /// The nodes of the class of the new release.
        class: Vec<Node>,
        /// The place where an attacker knows the people to be: the finest nodes of their earlier
        /// classes.
        target: Vec<Node>,
        /// The increment they belong to; `None` for all of an earlier release.
        increment: Option<usize>,
        /// The number of candidates left.
        left: u64,
        /// The number that must be left.
        limit: u64,
    },
    /// Too few candidates would be left for people who are new (B attacks).
    Newcomers {
        /// The nodes of the class of the new release.
        class: Vec<Node>,
        /// The number of candidates left.
        left: u64,
        /// The number that must be left.
        limit: u64,
    },
}
