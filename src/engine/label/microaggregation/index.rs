//! Finds the nearest and the farthest of the remaining points without examining all: a tree of
//! boxes, each around the points below it.
//!
//! The results equal those of comparing with every point. The distance to a box is computed from
//! its sides as the distance to a point is from its numbers, and rounding is monotonic, so that a
//! box is never farther than a point in it. Ties go to the first row.

use std::collections::BinaryHeap;

use super::points::{Points, distance};

/// The most points in a box that is not divided further.
const BUCKET: usize = 16;

/// Points, some of which are removed.
pub(super) struct PointIndex<'p> {
    points: &'p Points,
    /// Remaining rows, in order; rows that were removed since the tree was built are among them.
    rows: Vec<usize>,
    is_left: Vec<bool>,
    left: usize,
    /// Boxes; the children of box `at` are boxes 2·at + 1 and 2·at + 2.
    boxes: Vec<Region>,
    /// Rows in the order of the tree.
    order: Vec<usize>,
    /// The undivided box of each row.
    bucket: Vec<usize>,
}

#[derive(Clone, Default)]
struct Region {
    first: usize,
    last: usize,
    /// The number of remaining points below it.
    left: usize,
    divided: bool,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl<'p> PointIndex<'p> {
    /// Builds the index of all points.
    pub(super) fn new(points: &'p Points) -> PointIndex<'p> {
        let len = points.len();
        let mut index = PointIndex {
            points,
            rows: (0..len).collect(),
            is_left: vec![true; len],
            left: len,
            boxes: Vec::new(),
            order: Vec::new(),
            bucket: vec![0; len],
        };
        index.build();
        index
    }

    /// The remaining rows, in order.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().copied().filter(|&row| self.is_left[row])
    }

    /// Removes a row.
    pub(super) fn remove(&mut self, row: usize) {
        assert!(self.is_left[row], "it is left");
        self.is_left[row] = false;
        self.left -= 1;
        let mut at = self.bucket[row];
        loop {
            self.boxes[at].left -= 1;
            if at == 0 {
                break;
            }
            at = (at - 1) / 2;
        }
        // Nearly empty boxes cost as much as full ones.
        if self.left * 2 < self.order.len() {
            self.build();
        }
    }

    fn build(&mut self) {
        self.rows = self.rows().collect();
        self.order = self.rows.clone();
        self.boxes.clear();
        let mut open = vec![(0, 0, self.order.len())];
        while let Some((at, first, last)) = open.pop() {
            if self.boxes.len() <= at {
                self.boxes.resize(at + 1, Region::default());
            }
            let (low, high) = self.around(first..last);
            let divided = last - first > BUCKET;
            if divided {
                let column = (0..low.len()).reduce(|best, column| {
                    if high[column] - low[column] > high[best] - low[best] {
                        column
                    } else {
                        best
                    }
                });
                let (column, middle) = (column.unwrap_or(0), (last - first) / 2);
                let points = self.points;
                self.order[first..last].select_nth_unstable_by(middle, |&one, &other| {
                    points.at(one)[column]
                        .total_cmp(&points.at(other)[column])
                        .then(one.cmp(&other))
                });
                open.extend([
                    (2 * at + 1, first, first + middle),
                    (2 * at + 2, first + middle, last),
                ]);
            } else {
                self.order[first..last]
                    .iter()
                    .for_each(|&row| self.bucket[row] = at);
            }
            self.boxes[at] = Region {
                first,
                last,
                left: last - first,
                divided,
                low,
                high,
            };
        }
        assert_eq!(
            self.order.len(),
            self.left,
            "each row that is left is in a box"
        );
    }

    fn around(&self, range: std::ops::Range<usize>) -> (Vec<f64>, Vec<f64>) {
        let dimensions = self.points.dimensions();
        let (mut low, mut high) = (
            vec![f64::INFINITY; dimensions],
            vec![f64::NEG_INFINITY; dimensions],
        );
        for &row in &self.order[range] {
            for (column, &number) in self.points.at(row).iter().enumerate() {
                low[column] = low[column].min(number);
                high[column] = high[column].max(number);
            }
        }
        (low, high)
    }

    /// The point that is farthest from a given one; `None` if none remains.
    pub(super) fn farthest(&self, from: &[f64]) -> Option<usize> {
        assert_eq!(from.len(), self.points.dimensions(), "points of one space");
        let mut best: Option<(f64, usize)> = None;
        let mut open = vec![(self.boxes.first()?.farthest(from), 0)];
        while let Some((bound, at)) = open.pop() {
            let region = &self.boxes[at];
            if region.left == 0 || best.is_some_and(|(far, _)| bound < far) {
                continue;
            }
            if region.divided {
                let mut below =
                    [2 * at + 1, 2 * at + 2].map(|at| (self.boxes[at].farthest(from), at));
                // The more promising box is searched first.
                if below[0].0 > below[1].0 {
                    below.reverse();
                }
                open.extend(below);
                continue;
            }
            for (row, far) in self.within(region, from) {
                if best.is_none_or(|(most, first)| far > most || (far == most && row < first)) {
                    best = Some((far, row));
                }
            }
        }
        best.map(|(_, row)| row)
    }

    /// The `count` points that are nearest to a given one, the nearest first; fewer if fewer
    /// remain.
    pub(super) fn nearest(&self, to: &[f64], count: usize) -> Vec<usize> {
        assert_eq!(to.len(), self.points.dimensions(), "points of one space");
        let mut found: BinaryHeap<Neighbour> = BinaryHeap::with_capacity(count + 1);
        let Some(root) = self.boxes.first().filter(|_| count > 0) else {
            return Vec::new();
        };
        let mut open = vec![(root.nearest(to), 0)];
        while let Some((bound, at)) = open.pop() {
            let region = &self.boxes[at];
            let is_full = found.len() == count;
            if region.left == 0 || is_full && found.peek().is_some_and(|worst| bound > worst.0) {
                continue;
            }
            if region.divided {
                let mut below = [2 * at + 1, 2 * at + 2].map(|at| (self.boxes[at].nearest(to), at));
                if below[0].0 < below[1].0 {
                    below.reverse();
                }
                open.extend(below);
                continue;
            }
            for (row, near) in self.within(region, to) {
                found.push(Neighbour(near, row));
                if found.len() > count {
                    found.pop();
                }
            }
        }
        assert_eq!(
            found.len(),
            count.min(self.left),
            "as many as were asked for, or all that are left"
        );
        found
            .into_sorted_vec()
            .into_iter()
            .map(|Neighbour(_, row)| row)
            .collect()
    }

    /// The remaining points in a box, with their distances.
    fn within(&self, region: &Region, from: &[f64]) -> impl Iterator<Item = (usize, f64)> {
        let rows = self.order[region.first..region.last]
            .iter()
            .copied()
            .filter(|&row| self.is_left[row]);
        rows.map(|row| (row, distance(self.points.at(row), from)))
    }
}

impl Region {
    /// A lower bound of the distance of all points in it.
    fn nearest(&self, to: &[f64]) -> f64 {
        let sides = self.low.iter().zip(&self.high).zip(to);
        let gap = |((&low, &high), &to): ((&f64, &f64), &f64)| {
            let gap = if to < low {
                low - to
            } else if to > high {
                to - high
            } else {
                0.0
            };
            gap * gap
        };
        sides.map(gap).sum()
    }

    /// An upper bound of the distance of all points in it.
    fn farthest(&self, from: &[f64]) -> f64 {
        let sides = self.low.iter().zip(&self.high).zip(from);
        let gap = |((&low, &high), &from): ((&f64, &f64), &f64)| {
            let gap = (from - low).abs().max((high - from).abs());
            gap * gap
        };
        sides.map(gap).sum()
    }
}

/// A distance and a row; the heap returns the farthest first, and among equals the last row.
#[derive(PartialEq)]
struct Neighbour(f64, usize);

impl Eq for Neighbour {}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Neighbour) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Neighbour {
    fn cmp(&self, other: &Neighbour) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}
