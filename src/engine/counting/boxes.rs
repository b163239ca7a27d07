//! The rows of a table by their labels in some columns, as boxes of cells. Leaves between which no label and no group tells are one
//! cell, which weighs as many as they are.

use std::collections::BTreeMap;
use std::ops::Range;

use super::grid::{Line, Space};
use super::question::Question;
use crate::histogram::Release;
use crate::model::{Node, Taxonomy};

/// A range of cells per axis.
pub type Area = Vec<Range<usize>>;

/// Rows by label.
pub struct Boxes {
    /// Per axis how many leaves each cell has.
    pub weights: Vec<Vec<f64>>,
    /// Per axis the group of each cell; `None` where it is not counted.
    pub groups: Vec<Vec<Option<usize>>>,
    /// The cells of each label.
    pub areas: Vec<Area>,
    /// What labels and cells are places of.
    pub space: Space,
    /// The place of each label.
    pub labels: Vec<usize>,
    /// The rows of each label by group of sensitive values, label by label.
    rows: Vec<u64>,
    /// The sums of the squares of the rows of the crowds behind each of these numbers: how far rows came by the crowd.
    squares: Vec<u64>,
    width: usize,
}

impl Boxes {
    /// Of a table; `None` if there are more than `most` combinations of ranges of cells.
    pub fn of(table: &Release, question: &Question, trees: &[&Taxonomy], most: usize) -> Option<Boxes> {
        let mut known: BTreeMap<Vec<Node>, Vec<[u64; 2]>> = BTreeMap::new();
        for class in 0..table.classes() {
            let label = question.axes.iter().map(|axis| table.class(class)[axis.column]).collect();
            let mut crowd = vec![0; question.groups];
            for at in table.range(class) {
                if let Some(group) = question.values[table.values()[at] as usize] {
                    crowd[group] += table.counts()[at];
                }
            }
            let sums = known.entry(label).or_insert_with(|| vec![[0, 0]; question.groups]);
            sums.iter_mut().zip(crowd).for_each(|([rows, squares], crowd)| {
                *rows += crowd;
                *squares += crowd * crowd;
            });
        }
        known.retain(|_, rows| rows.iter().any(|[rows, _]| *rows > 0));
        let (mut weights, mut groups, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let mut areas = vec![Area::new(); known.len()];
        for (at, axis) in question.axes.iter().enumerate() {
            let tree = trees[axis.column];
            let leaves: Vec<Range<usize>> = known.keys().map(|label| range(tree, label[at])).collect();
            let mut ends = vec![false; axis.group.len() + 1];
            leaves.iter().for_each(|range| [range.start, range.end].iter().for_each(|&end| ends[end] = true));
            (1..axis.group.len())
                .filter(|&leaf| axis.group[leaf - 1] != axis.group[leaf])
                .for_each(|leaf| ends[leaf] = true);
            (ends[0], ends[axis.group.len()]) = (true, true);
            let starts: Vec<usize> = (0..ends.len()).filter(|&leaf| ends[leaf]).collect();
            weights.push(starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect());
            groups.push(starts[..starts.len() - 1].iter().map(|&leaf| axis.group[leaf]).collect());
            let cell = |leaf: usize| starts.binary_search(&leaf).expect("labels begin and end where cells do");
            areas.iter_mut().zip(leaves).for_each(|(area, range)| area.push(cell(range.start)..cell(range.end)));
            lines.push(Line::of(starts.len() - 1, areas.iter().map(|area| area[at].clone())));
        }
        let space = Space::new(lines, most)?;
        let labels = areas.iter().map(|area| space.place(area)).collect();
        let (rows, squares) = known.values().flatten().map(|[rows, squares]| (rows, squares)).unzip();
        Some(Boxes { weights, groups, areas, space, labels, rows, squares, width: question.groups })
    }

    /// The rows of each label in a group of sensitive values.
    pub fn rows(&self, group: usize) -> Vec<u64> {
        self.rows.iter().skip(group).step_by(self.width).copied().collect()
    }

    /// The squares of the crowds behind these.
    pub fn squares(&self, group: usize) -> Vec<f64> {
        self.squares.iter().skip(group).step_by(self.width).map(|&squares| squares as f64).collect()
    }
}

fn range(tree: &Taxonomy, node: Node) -> Range<usize> {
    let leaves = tree.leaf_range(node);
    leaves.start as usize..leaves.end as usize
}
