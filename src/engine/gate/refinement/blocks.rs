//! A target's segment divided into blocks (SCIENCE 6): one choice of child in every column that can
//! be lowered. The attack needs to know only the free volume of each block, the number of rows and
//! the cap. Never names a label.

use std::ops::Range;

use super::budget::BudgetSpent;
use super::cover::Cover;
use super::release::{AttackedRows, CarvedRelease, RepeatedValues};

/// One choice of child per column with a layer of at least 2, with free room in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The child in each column of [`BlockShape::columns`].
    pub children: Vec<usize>,
    /// V: the number of free combinations of values.
    pub volume: u128,
    /// m: the number of free leaf cells.
    pub cells: u64,
}

/// The possible placements of a target's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockShape {
    /// The columns with a layer of at least 2.
    pub columns: Vec<usize>,
    /// The number of children, that is slabs, of each of them.
    pub children: Vec<usize>,
    /// Blocks with a free cell, in lexicographic order.
    pub blocks: Vec<Block>,
    /// The number of rows.
    pub rows: u64,
    /// The largest number of them that a slab can hold.
    pub cap: u64,
    /// The number of all combinations of values of the segment.
    pub volume: u128,
    /// Whether no two rows share all values.
    pub distinct: bool,
}

impl BlockShape {
    /// From one target.
    ///
    /// # Errors
    /// It has more cells than the budget.
    pub(super) fn new(
        release: &CarvedRelease,
        cover: &Cover,
        place: AttackedRows,
        (values, budget): (RepeatedValues, u64),
    ) -> Result<BlockShape, BudgetSpent> {
        let segment = release.segment(place);
        let free = cover.free(place, &segment, budget)?;
        let (mut columns, mut children) = (Vec::new(), Vec::new());
        let mut axes = Vec::with_capacity(segment.len());
        let mut blocks = 1usize;
        for ((at, column), (layer, node)) in release
            .columns()
            .iter()
            .enumerate()
            .zip(release.nodes(place))
            .rev()
        {
            let leaves = segment[at].clone();
            let mut axis: Vec<(usize, u64)> = leaves.map(|leaf| (0, column.length(leaf))).collect();
            let lowered = release.is_lowered(place, at);
            let slabs: Vec<Range<u32>> = column.children(layer, node).filter(|_| lowered).collect();
            if !slabs.is_empty() {
                for (child, slab) in slabs.iter().enumerate() {
                    let place = |leaf: u32| (leaf - segment[at].start) as usize;
                    axis[place(slab.start)..place(slab.end - 1) + 1]
                        .iter_mut()
                        .for_each(|leaf| leaf.0 = child * blocks);
                }
                blocks *= slabs.len();
                columns.push(at);
                children.push(slabs.len());
            }
            axes.push(axis);
        }
        columns.reverse();
        children.reverse();
        axes.reverse();
        let mut sums = vec![(0u128, 0u64); blocks];
        add(&axes, 0, 1, &mut free.iter(), &mut sums);
        let volume = axes
            .iter()
            .map(|axis| axis.iter().map(|leaf| u128::from(leaf.1)).sum::<u128>())
            .product();
        let held = |(at, (volume, cells)): (usize, (u128, u64))| {
            (cells > 0).then(|| Block {
                children: digits(at, &children),
                volume,
                cells,
            })
        };
        let blocks = sums.into_iter().enumerate().filter_map(held).collect();
        let (rows, cap, distinct) = (
            release.rows(place),
            release.k() - 1,
            values == RepeatedValues::Distinct,
        );
        Ok(BlockShape {
            columns,
            children,
            blocks,
            rows,
            cap,
            volume,
            distinct,
        })
    }

    /// The number of free combinations of values.
    pub(super) fn free_volume(&self) -> u128 {
        self.blocks.iter().map(|block| block.volume).sum()
    }

    /// The number of free cells.
    pub(super) fn free_cells(&self) -> u64 {
        self.blocks.iter().map(|block| block.cells).sum()
    }

    /// The same target without the caps of some of its columns, which allows more placements of its
    /// rows; and for each of its blocks the original blocks inside it. `keep` are indices in
    /// [`BlockShape::columns`], each once.
    pub(super) fn relaxed(&self, keep: &[usize]) -> (BlockShape, Vec<Vec<usize>>) {
        let of =
            |block: &Block| -> Vec<usize> { keep.iter().map(|&at| block.children[at]).collect() };
        let mut inside: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_cached_key(|&at| (of(&self.blocks[at]), at));
        for at in order {
            let children = of(&self.blocks[at]);
            match inside.last_mut() {
                Some((same, blocks)) if *same == children => blocks.push(at),
                _ => inside.push((children, vec![at])),
            }
        }
        let block = |(children, blocks): &(Vec<usize>, Vec<usize>)| Block {
            children: children.clone(),
            volume: blocks.iter().map(|&at| self.blocks[at].volume).sum(),
            cells: blocks.iter().map(|&at| self.blocks[at].cells).sum(),
        };
        let shape = BlockShape {
            columns: keep.iter().map(|&at| self.columns[at]).collect(),
            children: keep.iter().map(|&at| self.children[at]).collect(),
            blocks: inside.iter().map(block).collect(),
            ..*self
        };
        (
            shape,
            inside.into_iter().map(|(_, blocks)| blocks).collect(),
        )
    }
}

/// Adds the free cells, given in lexicographic order, to the sums of their blocks.
fn add(
    axes: &[Vec<(usize, u64)>],
    base: usize,
    volume: u128,
    free: &mut std::slice::Iter<'_, bool>,
    sums: &mut [(u128, u64)],
) {
    match axes {
        [] => (),
        [last] => {
            for (&(block, length), _) in last.iter().zip(free).filter(|(_, free)| **free) {
                let sum = &mut sums[base + block];
                *sum = (sum.0 + volume * u128::from(length), sum.1 + 1);
            }
        }
        [first, rest @ ..] => {
            for &(block, length) in first {
                add(rest, base + block, volume * u128::from(length), free, sums);
            }
        }
    }
}

/// The number of a block, as a child per column.
fn digits(mut number: usize, children: &[usize]) -> Vec<usize> {
    assert!(
        children.iter().all(|&children| children > 0),
        "a segment has parts in each column"
    );
    let mut digits: Vec<usize> = children
        .iter()
        .rev()
        .map(|&children| {
            let digit = number % children;
            number /= children;
            digit
        })
        .collect();
    digits.reverse();
    digits
}
