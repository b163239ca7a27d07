//! Runs the search on a pre-image and says whether it makes the same release.

use crate::histogram::{Headcount, Release};
use crate::label::alone;
use crate::model::{Node, Taxonomy};

/// The release to be made again.
pub(super) struct RerunRelease<'r> {
    trees: &'r [&'r Taxonomy],
    a: u64,
    /// For each column the nodes of its rows.
    shown: Vec<Vec<Node>>,
}

impl<'r> RerunRelease<'r> {
    /// From a release, and the smallest class that was allowed.
    pub(super) fn new(release: &Release, trees: &'r [&'r Taxonomy], a: u64) -> RerunRelease<'r> {
        assert_eq!(release.width(), trees.len(), "one taxonomy for each column");
        RerunRelease {
            trees,
            a,
            shown: (0..trees.len())
                .map(|column| release.shown(column))
                .collect(),
        }
    }

    /// Whether a search on these people, whose numbers in the classes are those of the release,
    /// ends with these nodes.
    pub(super) fn comes_of(&self, people: &Headcount) -> bool {
        let Ok(found) = alone(people, self.trees, self.a) else {
            return people.is_empty();
        };
        let mut columns = self.shown.iter().zip(&found.recoding).zip(self.trees);
        columns.all(|((nodes, cut), tree)| {
            nodes
                .iter()
                .all(|&node| cut.at(tree.leaf_range(node).start) == node)
        })
    }
}
