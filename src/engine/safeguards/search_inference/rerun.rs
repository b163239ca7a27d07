//! Runs the search on a pre-image and says whether the same release comes of it.

use crate::anonymizer::alone;
use crate::histogram::{Headcount, Release};
use crate::model::{Node, Taxonomy};

/// A release to be made again.
pub struct RerunRelease<'r> {
    trees: &'r [&'r Taxonomy],
    a: u64,
    /// Per column the nodes that its rows show.
    shown: Vec<Vec<Node>>,
}

impl<'r> RerunRelease<'r> {
    /// The release, and the smallest class that was allowed.
    pub fn new(release: &Release, trees: &'r [&'r Taxonomy], a: u64) -> RerunRelease<'r> {
        assert_eq!(release.width(), trees.len(), "a taxonomy for each column");
        RerunRelease { trees, a, shown: (0..trees.len()).map(|column| release.shown(column)).collect() }
    }

    /// Whether a search on these people, who are spread over the classes as they were, ends with these nodes.
    pub fn comes_of(&self, people: &Headcount) -> bool {
        let Ok(found) = alone(people, self.trees, self.a) else { return people.is_empty() };
        let mut columns = self.shown.iter().zip(&found.recoding).zip(self.trees);
        columns.all(|((nodes, cut), tree)| nodes.iter().all(|&node| cut.at(tree.leaf_range(node).start) == node))
    }
}
