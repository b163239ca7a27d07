//! MDAV: groups of k around the most distant points, until fewer than 2k points remain.

use super::index::PointIndex;
use super::points::Points;

/// Groups of `k` rows each, the last one of at most 2k - 1, in the order in which they are made;
/// rows in a group ascend. With fewer than `k` rows there is one group. A point that stands for
/// several rows is in one group with all of them: a group takes the next point until it has `k`
/// rows, and also the remaining points if they have fewer than `k`.
///
/// # Panics
/// If `k` is 0.
pub fn mdav(points: &Points, k: usize) -> Vec<Vec<usize>> {
    mdav_where(points, k, &|_| true)
}

/// The same with a condition on groups: each takes the next point until `admits` accepts it, and
/// also the remaining points if those would not be accepted. The points of a group are passed in
/// any order. If all points together are not accepted, they are one group.
///
/// # Panics
/// If `k` is 0.
pub fn mdav_where(points: &Points, k: usize, admits: &dyn Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    assert!(k >= 1, "a group has at least one row");
    assert!(k > 0, "groups have at least one row");
    let k = k as u64;
    let rows = (0..points.len()).map(|row| points.weight(row)).sum();
    let mut left = UngroupedPoints {
        points,
        index: PointIndex::new(points),
        rows,
        admits,
        groups: Vec::new(),
    };
    while left.rows >= 3 * k {
        let first = left.outermost();
        left.take(first, k);
        if let Some(opposite) = left.index.farthest(points.at(first)) {
            left.take(opposite, k);
        }
    }
    if left.rows >= 2 * k {
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

/// The points that are in no group yet.
struct UngroupedPoints<'p> {
    points: &'p Points,
    index: PointIndex<'p>,
    /// The number of rows that they stand for.
    rows: u64,
    admits: &'p dyn Fn(&[usize]) -> bool,
    groups: Vec<Vec<usize>>,
}

impl UngroupedPoints<'_> {
    /// The point that is farthest from the mean.
    fn outermost(&self) -> usize {
        let mean = self.points.mean(self.index.rows());
        self.index.farthest(&mean).expect("rows are left")
    }

    /// Makes a group of a point and its nearest neighbours.
    fn take(&mut self, row: usize, k: u64) {
        let mut group = Vec::new();
        let mut people = self.move_to(&mut group, row);
        while self.rows > 0 && (people < k || !(self.admits)(&group)) {
            // At most as many as are missing, and one at a time if the group is large enough but
            // not accepted.
            let missing = k.saturating_sub(people).max(1) as usize;
            for near in self.index.nearest(self.points.at(row), missing) {
                if people < k || missing == 1 {
                    people += self.move_to(&mut group, near);
                }
            }
        }
        let rest: Vec<usize> = self.index.rows().collect();
        if self.rows < k || !(self.admits)(&rest) {
            rest.into_iter()
                .for_each(|row| _ = self.move_to(&mut group, row));
        }
        group.sort_unstable();
        self.groups.push(group);
    }

    /// Moves a point to a group; returns the number of rows that it stands for.
    fn move_to(&mut self, group: &mut Vec<usize>, row: usize) -> u64 {
        self.index.remove(row);
        group.push(row);
        let weight = self.points.weight(row);
        self.rows -= weight;
        weight
    }
}
