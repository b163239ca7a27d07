//! What it means that a candidate of the top-down search is valid (SCIENCE 4), as a trait, and what is kept of one that
//! is not.
//!
//! No figure in a refusal may name a sensitive value.

use super::candidates::Candidates;
use super::table::{NodeSplit, SearchTable};
use crate::model::Node;

/// What a search is told of its state when it has to judge a candidate.
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

/// Per class that a specialisation touched, the (child, class) of each child that has rows.
pub type Accepted = [Vec<(usize, usize)>];

/// When a state of the search is valid. Every state that the search is in is valid, so only what a specialisation
/// touches has to be looked at.
pub trait Validity: Sync {
    /// What a trial finds out and acceptance can use.
    type Trial: Send;

    /// Whether the state with everything at the root is valid.
    ///
    /// # Errors
    /// Why not.
    fn start(&mut self, table: &SearchTable<'_>) -> Result<(), InvalidReason>;

    /// Whether the state after this specialisation would be valid.
    ///
    /// # Errors
    /// Why not: of the first class, in order, that would break it.
    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<Self::Trial, InvalidReason>;

    /// The specialisation happened.
    fn accept(&mut self, split: &NodeSplit, trial: Self::Trial, made: &Accepted);
}

/// Why a state is not valid: which class falls to what figure. Holds no sensitive value; under `bcf` the figure depends
/// on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidReason {
    /// A class would have fewer rows than it must.
    Rows {
        /// Its nodes, one per quasi column.
        class: Vec<Node>,
        /// Its rows.
        rows: u64,
        /// What it must have.
        limit: u64,
    },
    /// Too many rows would be left waiting.
    SetAside {
        /// How many.
        rows: u64,
        /// How many may be.
        limit: u64,
    },
    /// Too few candidates would be left for people of an earlier release (F and C attacks, and the pair bound).
    Earlier {
        /// The nodes of the class of the new release.
        class: Vec<Node>,
        /// Where the people are known to be: the finest nodes of their earlier classes.
        target: Vec<Node>,
        /// The increment they belong to; `None` for all of an earlier release.
        increment: Option<usize>,
        /// How many are left.
        left: u64,
        /// How many must be left.
        limit: u64,
    },
    /// Too few candidates would be left for people who are new (B attacks).
    Newcomers {
        /// The nodes of the class of the new release.
        class: Vec<Node>,
        /// How many are left.
        left: u64,
        /// How many must be left.
        limit: u64,
    },
}
