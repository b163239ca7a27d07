//! The leaf cells of a segment that earlier classes have taken (CRA 4.2, overlap; SCIENCE 6): rows
//! in them are in those classes, so no later class has rows there. Examines only cells of segments,
//! and within a budget.

use std::ops::Range;

use super::budget::BudgetSpent;
use super::malformed_release::Malformed;
use super::release::{AttackedRows, Attacker, CarvedRelease};

/// No class covers the cell.
const UNCOVERED: u32 = u32::MAX;

/// The coverage of all segments together.
pub(super) struct Cover {
    ranks: Vec<u32>,
    segments: Vec<Vec<Range<u32>>>,
    /// The distance of neighbouring cells, per column.
    strides: Vec<usize>,
    /// For each cell of the whole grid the lowest rank of a class that covers it; `None` if the
    /// grid is too large.
    grid: Option<Vec<u32>>,
}

/// The number of cells of a segment, or a number that is certainly too large.
pub(super) fn cells(segment: &[Range<u32>]) -> u64 {
    assert!(
        segment.iter().all(|leaves| leaves.start < leaves.end),
        "a segment has leaves in each column"
    );
    segment.iter().fold(1u64, |cells, leaves| {
        cells.saturating_mul(leaves.len() as u64)
    })
}

impl Cover {
    /// For a release as an attacker sees it; the grid is built if it and all segments have at most
    /// `most` cells.
    ///
    /// # Errors
    /// The order of formation contradicts the public keys.
    pub(super) fn new(
        release: &CarvedRelease,
        attacker: Attacker,
        budget: u64,
    ) -> Result<Cover, Malformed> {
        let ranks = release.ranks(attacker)?;
        let segments: Vec<Vec<Range<u32>>> = (0..ranks.len())
            .map(|at| release.segment(AttackedRows::Class(at)))
            .collect();
        let whole = release.segment(AttackedRows::Outliers);
        let touched = segments.iter().fold(cells(&whole), |sum, segment| {
            sum.saturating_add(cells(segment))
        });
        let mut cover = Cover {
            ranks,
            segments,
            strides: strides(&whole),
            grid: None,
        };
        if touched <= budget {
            cover.lay_out(cells(&whole) as usize);
        }
        Ok(cover)
    }

    fn lay_out(&mut self, size: usize) {
        let mut grid = vec![UNCOVERED; size];
        let mut order: Vec<usize> = (0..self.ranks.len()).collect();
        order.sort_by_key(|&at| self.ranks[at]);
        for at in order {
            let rank = self.ranks[at];
            for_each_run(&self.segments[at], &self.strides, 0, &mut |run| {
                grid[run]
                    .iter_mut()
                    .filter(|cell| **cell == UNCOVERED)
                    .for_each(|cell| *cell = rank);
            });
        }
        self.grid = Some(grid);
    }

    /// Whether each cell of a target's segment is free, in lexicographic order.
    ///
    /// # Errors
    /// It has more cells than allowed.
    pub(super) fn free(
        &self,
        place: AttackedRows,
        segment: &[Range<u32>],
        budget: u64,
    ) -> Result<Vec<bool>, BudgetSpent> {
        let size = cells(segment);
        if size > budget {
            return Err(BudgetSpent);
        }
        let rank = match place {
            AttackedRows::Class(at) => self.ranks[at],
            AttackedRows::Outliers => UNCOVERED,
        };
        match &self.grid {
            Some(grid) => {
                let mut free = Vec::with_capacity(size as usize);
                for_each_run(segment, &self.strides, 0, &mut |run| {
                    free.extend(grid[run].iter().map(|&lowest| lowest >= rank));
                });
                Ok(free)
            }
            None => self.free_of_overlaps(rank, segment, budget - size),
        }
    }

    /// The same, from the overlaps with every earlier class.
    fn free_of_overlaps(
        &self,
        rank: u32,
        segment: &[Range<u32>],
        mut left: u64,
    ) -> Result<Vec<bool>, BudgetSpent> {
        let mut free = vec![true; cells(segment) as usize];
        let strides = strides(segment);
        for earlier in self
            .ranks
            .iter()
            .zip(&self.segments)
            .filter(|(other, _)| **other < rank)
            .map(|(_, at)| at)
        {
            let meet = |(mine, other): (&Range<u32>, &Range<u32>)| {
                let (start, end) = (mine.start.max(other.start), mine.end.min(other.end));
                (start < end).then(|| start - mine.start..end - mine.start)
            };
            let overlap: Option<Vec<Range<u32>>> = segment.iter().zip(earlier).map(meet).collect();
            let Some(overlap) = overlap else { continue };
            left = left.checked_sub(cells(&overlap)).ok_or(BudgetSpent)?;
            for_each_run(&overlap, &strides, 0, &mut |run| free[run].fill(false));
        }
        Ok(free)
    }
}

/// The distance of neighbouring cells per column; the last column's cells are adjacent.
fn strides(segment: &[Range<u32>]) -> Vec<usize> {
    assert!(!segment.is_empty(), "a segment has columns");
    let mut strides = vec![1usize; segment.len()];
    for at in (1..segment.len()).rev() {
        strides[at - 1] = strides[at].saturating_mul(segment[at].len());
    }
    strides
}

/// Calls the function with every run of adjacent cells of a segment, in lexicographic order.
fn for_each_run(
    segment: &[Range<u32>],
    strides: &[usize],
    base: usize,
    act: &mut impl FnMut(Range<usize>),
) {
    match segment {
        [] => (),
        [last] => act(base + last.start as usize..base + last.end as usize),
        [first, rest @ ..] => {
            for leaf in first.clone() {
                for_each_run(rest, &strides[1..], base + leaf as usize * strides[0], act);
            }
        }
    }
}
