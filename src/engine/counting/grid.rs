//! Rows over cells, estimated from labels that are boxes of cells. Along each axis the labels lie in each other or apart, as nodes of a
//! tree do; so sums over boxes are made of the sums over the boxes in them, and nothing is ever taken away: cells of very different
//! sizes lose no digits to each other.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;

/// So many numbers are not worth a second thread.
const SMALL: usize = 1 << 16;

/// The ranges of cells along an axis: each cell, and those of labels; a range comes behind those that hold it.
pub struct Line {
    ranges: Vec<Range<usize>>,
    /// Those that lie in others, each with the smallest range that holds it.
    below: Vec<(usize, usize)>,
    /// The range of each cell.
    cells: Vec<usize>,
}

impl Line {
    /// Of so many cells and these ranges.
    pub fn of(cells: usize, ranges: impl Iterator<Item = Range<usize>>) -> Line {
        let all = ranges.chain((0..cells).map(|cell| cell..cell + 1));
        let all: BTreeSet<(usize, Reverse<usize>)> = all.map(|range| (range.start, Reverse(range.end))).collect();
        let ranges: Vec<Range<usize>> = all.into_iter().map(|(start, Reverse(end))| start..end).collect();
        let (mut below, mut open) = (Vec::with_capacity(ranges.len()), Vec::<usize>::new());
        for (at, range) in ranges.iter().enumerate() {
            while open.pop_if(|last| ranges[*last].end <= range.start).is_some() {}
            below.extend(open.last().map(|above| (at, *above)));
            open.push(at);
        }
        let one = |range: &Range<usize>| range.len() == 1;
        let cells = (0..ranges.len()).filter(|&at| one(&ranges[at])).collect();
        Line { ranges, below, cells }
    }

    /// The place of a range.
    fn find(&self, range: &Range<usize>) -> usize {
        let key = |range: &Range<usize>| (range.start, Reverse(range.end));
        self.ranges.binary_search_by_key(&key(range), key).expect("a range of a label")
    }
}

/// The combinations of ranges of all axes.
pub struct Space {
    lines: Vec<Line>,
    /// The place of each combination of cells.
    cells: Vec<usize>,
    size: usize,
}

impl Space {
    /// Of these axes; `None` if there are more than `most` combinations.
    pub fn new(lines: Vec<Line>, most: usize) -> Option<Space> {
        let size = lines.iter().try_fold(1_usize, |size, line| size.checked_mul(line.ranges.len()));
        let size = size.filter(|size| *size <= most)?;
        let mut cells = vec![0];
        for line in &lines {
            let under = |place: &usize| {
                let from = place * line.ranges.len();
                line.cells.iter().map(move |cell| from + cell).collect::<Vec<_>>()
            };
            cells = cells.iter().flat_map(under).collect();
        }
        Some(Space { lines, cells, size })
    }

    /// The place of a box.
    pub fn place(&self, area: &[Range<usize>]) -> usize {
        area.iter().zip(&self.lines).fold(0, |place, (range, line)| place * line.ranges.len() + line.find(range))
    }

    /// How many combinations there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The sum over the cells of each box, by its place.
    pub fn sums(&self, cells: &[f64]) -> Vec<f64> {
        let mut sums = Vec::new();
        self.sum(cells, &mut sums);
        sums
    }

    /// The same, into numbers that are there.
    fn sum(&self, cells: &[f64], sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(self.size, 0.0);
        self.cells.iter().zip(cells).for_each(|(&place, cell)| sums[place] = *cell);
        self.along(sums, |line, stride, block| {
            if stride == 1 {
                return line.below.iter().rev().for_each(|&(at, above)| block[above] += block[at]);
            }
            for &(at, above) in line.below.iter().rev() {
                let (before, from) = block.split_at_mut(at * stride);
                let into = &mut before[above * stride..][..stride];
                into.iter_mut().zip(&from[..stride]).for_each(|(into, from)| *into += from);
            }
        });
    }

    /// In each cell the sum of the numbers of the boxes that hold it.
    pub fn over(&self, boxes: impl Iterator<Item = (usize, f64)>) -> Vec<f64> {
        let mut sums = vec![0.0; self.size];
        boxes.for_each(|(place, number)| sums[place] += number);
        self.hand_down(&mut sums);
        self.cells.iter().map(|&place| sums[place]).collect()
    }

    /// Adds to each box the numbers of those that hold it.
    fn hand_down(&self, sums: &mut [f64]) {
        self.along(sums, |line, stride, block| {
            if stride == 1 {
                return line.below.iter().for_each(|&(at, above)| block[at] += block[above]);
            }
            for &(at, above) in &line.below {
                let (before, into) = block.split_at_mut(at * stride);
                let from = &before[above * stride..][..stride];
                into[..stride].iter_mut().zip(from).for_each(|(into, from)| *into += from);
            }
        });
    }

    /// So many rounds, in each of which the rows of each label, a box by its place, are spread over its cells in proportion to what
    /// these hold.
    pub fn spread(&self, cells: &mut [f64], labels: &[usize], rows: &[f64], rounds: u32) {
        let some: Vec<(usize, f64)> =
            labels.iter().copied().zip(rows.iter().copied()).filter(|(_, rows)| *rows > 0.0).collect();
        let (mut sums, mut factors) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            self.sum(cells, &mut sums);
            factors.clear();
            factors.extend(some.iter().map(|&(label, rows)| rows / sums[label]));
            sums.fill(0.0);
            some.iter().zip(&factors).for_each(|((label, _), factor)| sums[*label] += factor);
            self.hand_down(&mut sums);
            cells.iter_mut().zip(&self.cells).for_each(|(cell, &place)| *cell *= sums[place]);
        }
    }

    /// Does something with each block of an axis, in which what belongs to one of its ranges lies together, for one axis after the
    /// other.
    fn along(&self, sums: &mut [f64], work: impl Fn(&Line, usize, &mut [f64]) + Sync) {
        let mut stride = 1;
        for line in self.lines.iter().rev() {
            let block = stride * line.ranges.len();
            if self.size < SMALL || block == self.size {
                sums.chunks_mut(block).for_each(|block| work(line, stride, block));
            } else {
                let blocks = SMALL.div_ceil(block) * block;
                let several = |blocks: &mut [f64]| blocks.chunks_mut(block).for_each(|block| work(line, stride, block));
                sums.par_chunks_mut(blocks).for_each(several);
            }
            stride = block;
        }
    }
}

/// The product of the numbers that a cell has along each axis.
pub fn products(along: &[Vec<f64>]) -> Vec<f64> {
    along.iter().fold(vec![1.0], |cells, axis| {
        cells.iter().flat_map(|cell| axis.iter().map(move |weight| cell * weight)).collect()
    })
}

/// How many of these boxes of cells, each with a number, hold each cell of a space with these sides.
pub fn covered(sides: &[usize], boxes: impl Iterator<Item = (Vec<Range<usize>>, u64)>) -> Vec<u64> {
    let mut counts = vec![0i64; sides.iter().product()];
    for (area, number) in boxes {
        for corner in 0..1usize << area.len() {
            let ends = area
                .iter()
                .enumerate()
                .map(|(axis, range)| if corner >> axis & 1 == 1 { range.end } else { range.start });
            let inside = ends.clone().zip(sides).all(|(end, side)| end < *side);
            if inside {
                let at = ends.zip(sides).fold(0, |at, (end, side)| at * side + end);
                counts[at] += if corner.count_ones() % 2 == 0 { number as i64 } else { -(number as i64) };
            }
        }
    }
    let mut stride = 1;
    for side in sides.iter().rev() {
        for block in counts.chunks_mut(stride * side) {
            (stride..block.len()).for_each(|at| block[at] += block[at - stride]);
        }
        stride *= side;
    }
    counts.into_iter().map(|count| count as u64).collect()
}
