//! The attack's figures for one target (CRA 4.4, 4.5, 6; SCIENCE 6): the number of remaining
//! solutions, what each block and slab can hold, and where a small class is certain. Judges
//! nothing; the caller has the limits.

use num_bigint::BigUint;

use super::figure::{RatioFigure, SolutionCount, wide};
use super::release::AttackedRows;

/// The possible numbers of rows of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// The smallest number in any solution.
    pub least: u64,
    /// The largest number in any solution.
    pub most: u64,
    /// Whether no solution has fewer or more. If false, the numbers were sampled, and others may
    /// exist.
    pub exact: bool,
}

impl Support {
    /// The count, if all solutions agree on it.
    pub fn certain(&self) -> Option<u64> {
        (self.exact && self.least == self.most).then_some(self.least)
    }

    /// Whether it is unknown if all solutions agree.
    pub fn is_open(&self) -> bool {
        !self.exact && self.least == self.most
    }
}

/// One choice of child per column with a layer of at least 2, with free room in it.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldRows {
    /// The child in each column of [`AttackTarget::columns`].
    pub children: Vec<usize>,
    /// V: the number of free combinations of values.
    pub volume: u128,
    /// m: the number of free leaf cells.
    pub cells: u64,
    /// The possible numbers of rows.
    pub support: Support,
    /// The number of solutions for each number of rows, if that was requested and is known exactly.
    pub marginals: Option<Vec<(u64, BigUint)>>,
}

/// A part of the segment that certainly contains a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SegmentPart {
    /// The only free leaf cell of a block; the block's index in [`AttackTarget::blocks`].
    Cell(usize),
    /// A block with several free cells; its index in [`AttackTarget::blocks`].
    Block(usize),
    /// A child of a column; the index of the column in [`AttackTarget::columns`], and of the child.
    Slab(usize, usize),
}

/// A class below k that is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertainClass {
    /// The part.
    pub part: SegmentPart,
    /// At least this many rows in every solution, and not 0.
    pub least: u64,
    /// At most this many, and fewer than k.
    pub most: u64,
}

/// One class, or the outliers, as the attacker sees them.
#[derive(Debug, Clone, PartialEq)]
pub struct AttackTarget {
    /// The class or the outliers.
    pub place: AttackedRows,
    /// n: its number of rows.
    pub rows: u64,
    /// The cap of every slab: k − 1.
    pub cap: u64,
    /// The number of all combinations of values of its segment.
    pub volume: u128,
    /// The number of those that no earlier class has taken; `None` if counting was beyond the
    /// budget.
    pub free_volume: Option<u128>,
    /// The number of leaf cells that no earlier class has taken.
    pub free_cells: Option<u64>,
    /// LR: the number of solutions without the attack.
    pub lr: SolutionCount,
    /// CRA: the number of remaining solutions.
    pub cra: SolutionCount,
    /// The number of remaining assignments of counts to leaf cells.
    pub assignments: SolutionCount,
    /// LR / CRA.
    pub ratio: RatioFigure,
    /// The columns with a layer of at least 2; the others cannot be lowered.
    pub columns: Vec<usize>,
    /// The blocks with free room, in lexicographic order of their children; empty if nothing is
    /// known about them, or there is no solution.
    pub blocks: Vec<HeldRows>,
    /// For each of `columns` and each child; empty in the same cases.
    pub slabs: Vec<Vec<Support>>,
}

impl AttackTarget {
    /// Whether no solution remains: ARX-LR did not make this release.
    pub fn is_impossible(&self) -> bool {
        self.ratio == RatioFigure::Impossible
    }

    /// Whether every figure that a gate judges is known, or bounded on the safe side.
    pub fn is_decided(&self) -> bool {
        self.is_impossible() || (self.ratio != RatioFigure::Unknown && self.crowds().is_some())
    }

    /// Whether LR / CRA is proved to be at most `part / of`; without rounding for whole numbers.
    pub fn ratio_is_at_most(&self, part: &BigUint, of: &BigUint) -> bool {
        assert!(*of > BigUint::ZERO, "a ratio to something");
        match (&self.lr, &self.cra, &self.ratio) {
            (_, _, RatioFigure::Impossible) => false,
            (SolutionCount::Exact(lr), SolutionCount::Exact(cra), _) => lr * of <= cra * part,
            (_, _, ratio) => {
                let limit = wide(part) / wide(of);
                let (log10, rounding) = limit.log10();
                ratio.most().is_some_and(|most| most <= log10 - rounding)
            }
        }
    }

    /// The number of blocks with one free cell on whose count, which is not 0, all solutions agree;
    /// `None` if that is unknown, or there is no solution.
    pub fn certain_cells(&self) -> Option<u64> {
        let cells = || self.blocks.iter().filter(|block| block.cells == 1);
        let known = !self.blocks.is_empty() && !cells().any(|block| block.support.is_open());
        let certain = |block: &&HeldRows| block.support.certain().is_some_and(|rows| rows > 0);
        known.then(|| cells().filter(certain).count() as u64)
    }

    /// Every cell, block and slab that holds between 1 and k − 1 rows in every solution; `None` if
    /// that is unknown, or there is no solution. For those with `least == most` the number is
    /// certain. With two children per node every slab of a class is among them: neither half can
    /// hold all of its rows. If supports were sampled, one with `least < most` may be wrong.
    pub fn crowds(&self) -> Option<Vec<CertainClass>> {
        self.blocks.first()?;
        let block = |(at, held): (usize, &HeldRows)| match held.cells {
            1 => (SegmentPart::Cell(at), held.support),
            _ => (SegmentPart::Block(at), held.support),
        };
        let slab = |(at, slabs): (usize, &Vec<Support>)| -> Vec<(SegmentPart, Support)> {
            slabs
                .iter()
                .enumerate()
                .map(|(child, &support)| (SegmentPart::Slab(at, child), support))
                .collect()
        };
        let parts = self.blocks.iter().enumerate().map(block);
        let parts = parts.chain(self.slabs.iter().enumerate().flat_map(slab));
        let mut crowds = Vec::new();
        for (part, Support { least, most, exact }) in parts {
            let small = least >= 1 && most <= self.cap;
            if !exact && small && least == most {
                return None;
            }
            if small {
                assert!(least <= most, "a number of rows from the least to the most");
                crowds.push(CertainClass { part, least, most });
            }
        }
        Some(crowds)
    }

    /// Cells, blocks and slabs whose number of rows is certain, below k and not 0; `None` if that
    /// is unknown.
    pub fn certain_crowds(&self) -> Option<Vec<CertainClass>> {
        self.crowds().map(|crowds| {
            crowds
                .into_iter()
                .filter(|crowd| crowd.least == crowd.most)
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(blocks: &[(u64, Support)]) -> AttackTarget {
        let held = |&(cells, support): &(u64, Support)| HeldRows {
            children: Vec::new(),
            volume: cells.into(),
            cells,
            support,
            marginals: None,
        };
        let count = SolutionCount::Exact(BigUint::from(10u8));
        AttackTarget {
            place: AttackedRows::Outliers,
            rows: 9,
            cap: 3,
            volume: 100,
            free_volume: Some(100),
            free_cells: Some(10),
            lr: count.clone(),
            cra: count.clone(),
            assignments: count,
            ratio: RatioFigure::Exact { log10: 0.0 },
            columns: Vec::new(),
            blocks: blocks.iter().map(held).collect(),
            slabs: Vec::new(),
        }
    }

    /// One cell without rows, one that certainly has two, one that is unknown, and a block of two
    /// cells.
    #[test]
    fn cells_that_are_certain_hold_rows() {
        let exact = |least, most| Support {
            least,
            most,
            exact: true,
        };
        let all = [
            (1, exact(0, 0)),
            (1, exact(2, 2)),
            (1, exact(1, 2)),
            (2, exact(3, 3)),
        ];
        assert_eq!(target(&all).certain_cells(), Some(1));
        assert_eq!(target(&all[..1]).certain_cells(), Some(0));
        assert_eq!(target(&[]).certain_cells(), None);
        let drawn = Support {
            exact: false,
            ..exact(2, 2)
        };
        assert_eq!(
            target(&[(1, exact(2, 2)), (1, drawn)]).certain_cells(),
            None
        );
    }
}
