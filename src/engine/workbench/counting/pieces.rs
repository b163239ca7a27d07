//! The axes of a question, divided by the cells of a table. A piece is a run of leaves of one cell
//! and one group.

use std::ops::Range;

use super::classes::CountedClass;
use super::profiles::{ProfileShares, Profiles, each, summed};
use super::question::Axis;

/// An axis, divided into pieces.
pub(super) struct AxisPieces {
    /// The number of the quasi column.
    pub column: usize,
    /// The number of groups.
    pub groups: usize,
    /// For each piece its cell, its share of the leaves of the cell, and its group; no group if it
    /// is not counted.
    pieces: Vec<(usize, f64, Option<usize>)>,
    /// The first piece of each cell, and the end of the last cell.
    starts: Vec<usize>,
    /// The pieces of each group, from the first to the last one.
    spans: Vec<Range<usize>>,
}

impl AxisPieces {
    /// Divides an axis by the first leaf of each cell of its column.
    ///
    /// # Panics
    /// If there are several groups and they do not ascend with the leaves.
    pub(super) fn of(axis: &Axis, cells: &[usize]) -> AxisPieces {
        let (mut pieces, mut starts) = (Vec::new(), vec![0]);
        for (cell, ends) in cells.windows(2).enumerate() {
            for same in axis.group[ends[0]..ends[1]].chunk_by(|one, other| one == other) {
                pieces.push((
                    cell,
                    same.len() as f64 / (ends[1] - ends[0]) as f64,
                    same[0],
                ));
            }
            starts.push(pieces.len());
        }
        let groups: Vec<usize> = pieces.iter().filter_map(|(_, _, group)| *group).collect();
        assert!(groups.is_sorted(), "groups ascend");
        let mut spans = vec![0..0; axis.groups];
        for (at, (_, _, group)) in pieces.iter().enumerate() {
            let Some(span) = group.map(|group| &mut spans[group]) else {
                continue;
            };
            *span = if span.start == span.end {
                at..at + 1
            } else {
                span.start..at + 1
            };
        }
        AxisPieces {
            column: axis.column,
            groups: axis.groups,
            pieces,
            starts,
            spans,
        }
    }

    /// The groups that the rows of a class may be in, and whether all rows must be in the only one.
    pub(super) fn groups_of(&self, class: &CountedClass) -> (Range<usize>, bool) {
        let cells = &class.cells[self.column];
        let inside = &self.pieces[self.starts[cells.start]..self.starts[cells.end]];
        let mut groups = inside.iter().filter_map(|(_, _, group)| *group);
        let Some(first) = groups.next() else {
            return (0..0, false);
        };
        let last = groups.next_back().unwrap_or(first);
        (
            first..last + 1,
            first == last && inside.iter().all(|(_, _, group)| group.is_some()),
        )
    }

    /// The shares of the counted pieces in each profile, summed over the pieces before each.
    pub(super) fn sums(&self, profiles: &Profiles) -> Vec<ProfileShares> {
        let cells: Vec<ProfileShares> = profiles.cells(self.column).collect();
        let share = |(cell, part, group): &(usize, f64, Option<usize>)| {
            let part = if group.is_some() { *part } else { 0.0 };
            cells[*cell].map(|share| share * part)
        };
        summed(&self.pieces.iter().map(share).collect::<Vec<_>>())
    }

    /// The shares of a group in the cells of a class, in each of the two parts of a refused split.
    pub(super) fn of_group(
        &self,
        group: usize,
        class: &CountedClass,
        sums: &[ProfileShares],
    ) -> [ProfileShares; 2] {
        let (cells, middle, span) = (
            &class.cells[self.column],
            class.middle[self.column],
            &self.spans[group],
        );
        [cells.start..middle, middle..cells.end].map(|cells| {
            let from = self.starts[cells.start].max(span.start);
            let to = self.starts[cells.end].min(span.end).max(from);
            each(|profile| sums[to][profile] - sums[from][profile])
        })
    }
}
