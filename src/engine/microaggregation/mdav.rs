//! MDAV: groups of k around the points that lie farthest out, until fewer than 2k are left.

use super::index::Index;
use super::points::Points;

/// Groups of `k` rows each, the last one of at most 2k - 1, in the order in which they are made; rows in a group ascend. With fewer than
/// `k` rows there is one group.
///
/// # Panics
/// `k` is 0.
pub fn mdav(points: &Points, k: usize) -> Vec<Vec<usize>> {
    assert!(k > 0, "groups have a row at least");
    let mut left = Left { points, index: Index::new(points), groups: Vec::new() };
    while left.index.len() >= 3 * k {
        let first = left.outermost();
        left.take(first, k);
        let opposite = left.index.farthest(points.at(first)).expect("2k are left");
        left.take(opposite, k);
    }
    if left.index.len() >= 2 * k {
        let first = left.outermost();
        left.take(first, k);
    }
    let rest: Vec<usize> = left.index.rows().collect();
    let mut groups = left.groups;
    if !rest.is_empty() {
        groups.push(rest);
    }
    groups
}

/// The rows that are in no group yet.
struct Left<'p> {
    points: &'p Points,
    index: Index<'p>,
    groups: Vec<Vec<usize>>,
}

impl Left<'_> {
    /// The row that is farthest from the mean.
    fn outermost(&self) -> usize {
        let mean = self.points.mean(self.index.rows());
        self.index.farthest(&mean).expect("rows are left")
    }

    /// A row and those next to it become a group.
    fn take(&mut self, row: usize, k: usize) {
        self.index.remove(row);
        let mut group = self.index.nearest(self.points.at(row), k - 1);
        group.iter().for_each(|&near| self.index.remove(near));
        group.push(row);
        group.sort_unstable();
        self.groups.push(group);
    }
}
