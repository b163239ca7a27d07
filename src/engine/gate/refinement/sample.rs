//! Samples placements of a target with probabilities proportional to their weights (SCIENCE 6), and
//! bounds the number of solutions of a target whose graph is too large: some of its caps are
//! dropped, placements are sampled without them, and those that satisfy the dropped caps are
//! counted. The figure is a lower bound of the number of solutions, wrong in at most one run of
//! 10^9.

use super::blocks::BlockShape;
use super::count::{self, SolutionWeight, Weights};
use super::paths::PlacementPaths;
use super::ring::Floats;
use super::urn::Urn;
use super::wide_float::{UNIT, WideFloat};
use crate::arithmetic::{self, STEPS, SeededDraws, portion};

/// Samples placements of a shape.
pub(super) struct Sampler<'s> {
    shape: &'s BlockShape,
    /// The shape of the graph, and the blocks of `shape` inside each of its blocks.
    drawn: BlockShape,
    inside: Vec<Vec<usize>>,
    /// For each block of the graph its blocks by volume.
    urns: Vec<Urn>,
    paths: PlacementPaths,
    weights: Weights<WideFloat>,
    behind: Vec<WideFloat>,
}

/// The first arrow from a state, which most placements take: it is found at once.
#[derive(Clone, Copy, Default)]
struct First {
    /// Steps below this take it; 0 before it was computed.
    end: u64,
    rows: u32,
    to: u32,
}

/// The results of sampling.
pub(super) struct SampleResult {
    /// A lower bound of the decimal logarithm of the number of solutions.
    pub log10: Option<f64>,
    /// The number of samples that satisfy all caps.
    pub hits: u64,
    /// For each block the smallest and the largest number of rows in these samples.
    pub blocks: Vec<(u64, u64)>,
    /// The same for each column and slab.
    pub slabs: Vec<Vec<(u64, u64)>>,
}

impl<'s> Sampler<'s> {
    /// With as many caps as fit into a budget of arrows; `None` if there is no placement even
    /// without the others. Caps of columns with many children are dropped first: they seldom
    /// matter.
    pub(super) fn new(shape: &'s BlockShape, budget: u64) -> Option<Sampler<'s>> {
        let mut keep: Vec<usize> = (0..shape.columns.len()).collect();
        keep.sort_by_key(|&at| (shape.children[at], at));
        loop {
            let (drawn, inside) = shape.relaxed(&keep);
            let budget = if keep.is_empty() { u64::MAX } else { budget };
            if let Ok(paths) = PlacementPaths::new(&drawn, budget) {
                return Sampler::of(shape, (drawn, inside), paths);
            }
            keep.pop();
        }
    }

    fn of(
        shape: &'s BlockShape,
        (drawn, inside): (BlockShape, Vec<Vec<usize>>),
        paths: PlacementPaths,
    ) -> Option<Sampler<'s>> {
        if !paths.possible {
            return None;
        }
        let weights = count::weights(&Floats, &drawn, &paths, SolutionWeight::Solutions);
        let behind = count::behind(&Floats, &paths, &weights);
        let urn =
            |blocks: &Vec<usize>| Urn::new(blocks.iter().map(|&block| shape.blocks[block].volume));
        assert_eq!(
            inside.len(),
            drawn.blocks.len(),
            "each block that is drawn holds some"
        );
        let urns = inside.iter().map(urn).collect();
        Some(Sampler {
            shape,
            drawn,
            inside,
            urns,
            paths,
            weights,
            behind,
        })
    }

    /// Whether every sample satisfies all caps.
    pub(super) fn is_whole(&self) -> bool {
        self.drawn.columns.len() == self.shape.columns.len()
    }

    /// A lower bound of the decimal logarithm of the number of solutions without the dropped caps.
    pub(super) fn all(&self) -> f64 {
        let (all, units) = count::near(&self.drawn, &self.paths, SolutionWeight::Solutions);
        let (log10, rounding) = all.log10();
        // An error of so many units in a number is less than half as many in its decimal logarithm.
        log10 - rounding - units * UNIT
    }

    /// The operations of one sample.
    pub(super) fn cost(&self) -> u64 {
        self.paths.blocks() as u64 + self.shape.rows * (2 + self.shape.columns.len() as u64)
    }

    /// The blocks with rows in one placement, each once, with their numbers of rows.
    pub(super) fn draw(&self, draws: &mut SeededDraws) -> Vec<(usize, u64)> {
        let mut counts = Vec::new();
        self.walk(draws, &mut counts, |at, state, step| {
            self.chosen(at, state, step)
        });
        let rows: u64 = counts.iter().map(|(_, rows)| rows).sum();
        assert!(rows == self.shape.rows, "a draw places each row");
        counts
    }

    /// One placement, along arrows that are chosen by block, state and a step.
    fn walk(
        &self,
        draws: &mut SeededDraws,
        counts: &mut Vec<(usize, u64)>,
        mut choose: impl FnMut(usize, usize, u64) -> (usize, usize),
    ) {
        counts.clear();
        let mut state = 0;
        for (at, &block) in self.paths.order.iter().enumerate() {
            let (rows, to) = choose(at, state, draws.step());
            self.split(block, rows as u64, draws, counts);
            state = to;
        }
    }

    /// The first arrow from a state whose range contains a step; the last one if rounding leaves
    /// none.
    fn chosen(&self, at: usize, state: usize, step: u64) -> (usize, usize) {
        let target = self.behind[state] * WideFloat::new(portion(step));
        let mut reached = WideFloat::ZERO;
        let mut chosen = None;
        for (rows, to) in self.paths.from(state) {
            chosen = Some((rows, to));
            reached = reached + self.weights.of(at, rows) * self.behind[to];
            if target < reached {
                break;
            }
        }
        chosen.expect("every state that is reached leads on")
    }

    /// The first arrow from a state, and the first step outside its range.
    fn first(&self, at: usize, state: usize) -> First {
        let (rows, to) = self.chosen(at, state, 0);
        let reached = self.weights.of(at, rows) * self.behind[to];
        let (mut low, mut high) = (0, STEPS);
        while low < high {
            let middle = (low + high) / 2;
            let target = self.behind[state] * WideFloat::new(portion(middle));
            if target < reached {
                low = middle + 1
            } else {
                high = middle
            }
        }
        First {
            end: low,
            rows: rows as u32,
            to: to as u32,
        }
    }

    /// Distributes the rows of a block of the graph over its blocks, with all combinations of
    /// values equally likely.
    fn split(
        &self,
        drawn: usize,
        rows: u64,
        draws: &mut SeededDraws,
        counts: &mut Vec<(usize, u64)>,
    ) {
        match self.inside[drawn][..] {
            _ if rows == 0 => (),
            [block] => counts.push((block, rows)),
            _ => {
                let mut parts = self.urns[drawn].draw(rows, self.shape.distinct, draws);
                parts.sort_unstable();
                assert_eq!(parts.len() as u64, rows, "each row is in one part");
                let same = parts.chunk_by(|a, b| a == b);
                counts.extend(same.map(|parts| (self.inside[drawn][parts[0]], parts.len() as u64)));
            }
        }
    }

    /// The largest error of the probability of a sample, due to rounding.
    pub(super) fn slack(&self) -> f64 {
        let units = count::units(&self.drawn, &self.paths) + 4.0;
        4.0 * units * UNIT * (1 + self.paths.blocks()) as f64
    }

    /// A lower bound of the number of solutions after this many samples.
    pub(super) fn estimate(&self, draws: &mut SeededDraws, number: u64) -> SampleResult {
        // Parts without rows in a sample are not counted; a part that did not always have rows once
        // had none.
        let mut hits = 0;
        let mut blocks = vec![Range::NONE; self.shape.blocks.len()];
        let mut slabs: Vec<Vec<Range>> = self
            .shape
            .children
            .iter()
            .map(|&children| vec![Range::NONE; children])
            .collect();
        let mut firsts = vec![First::default(); self.paths.number()];
        let mut counts = Vec::new();
        for _ in 0..number {
            self.walk(draws, &mut counts, |at, state, step| {
                let first = &mut firsts[state];
                if first.end == 0 {
                    *first = self.first(at, state);
                }
                if step < first.end {
                    (first.rows as usize, first.to as usize)
                } else {
                    self.chosen(at, state, step)
                }
            });
            let Some(held) = self.slabs(&counts) else {
                continue;
            };
            hits += 1;
            counts
                .iter()
                .for_each(|&(block, rows)| blocks[block].meet(rows));
            held.iter()
                .for_each(|&(at, child, rows)| slabs[at][child].meet(rows));
        }
        assert!(hits <= number, "a draw hits once");
        let share = if number == 0 {
            0.0
        } else {
            arithmetic::least(hits, number) - self.slack()
        };
        let log10 = (share > 0.0).then(|| self.all() + share.log10() - 1e-15);
        let of = |range: Range| range.of(hits);
        let slabs = slabs
            .into_iter()
            .map(|slabs| slabs.into_iter().map(of).collect())
            .collect();
        SampleResult {
            log10,
            hits,
            blocks: blocks.into_iter().map(of).collect(),
            slabs,
        }
    }

    /// The column, child and rows of every slab with rows; `None` if one of them exceeds the cap.
    fn slabs(&self, counts: &[(usize, u64)]) -> Option<Vec<(usize, usize, u64)>> {
        let mut held: Vec<(usize, usize, u64)> = Vec::new();
        for at in 0..self.shape.columns.len() {
            let first = held.len();
            for &(block, rows) in counts {
                let child = self.shape.blocks[block].children[at];
                match held[first..].iter_mut().find(|slab| slab.1 == child) {
                    Some(slab) => slab.2 += rows,
                    None => held.push((at, child, rows)),
                }
            }
            if held[first..].iter().any(|slab| slab.2 > self.shape.cap) {
                return None;
            }
        }
        Some(held)
    }
}

/// The smallest and the largest number of rows, and how often there were any.
#[derive(Clone, Copy)]
struct Range {
    least: u64,
    most: u64,
    times: u64,
}

impl Range {
    const NONE: Range = Range {
        least: u64::MAX,
        most: 0,
        times: 0,
    };

    fn meet(&mut self, rows: u64) {
        *self = Range {
            least: self.least.min(rows),
            most: self.most.max(rows),
            times: self.times + 1,
        };
    }

    /// The range over this many samples.
    fn of(self, draws: u64) -> (u64, u64) {
        assert!(
            self.times <= draws && (self.times == 0 || self.least <= self.most),
            "a range of so many draws"
        );
        (if self.times < draws { 0 } else { self.least }, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Block;
    use super::*;

    #[test]
    fn the_steps_before_its_end_take_the_first_arrow() {
        let block = |at: usize| Block {
            children: vec![at / 3, at % 3],
            volume: [1, 7, 90][at % 3],
            cells: 1,
        };
        let shape = BlockShape {
            columns: vec![0, 1],
            children: vec![3, 3],
            blocks: (0..9).map(block).collect(),
            rows: 9,

            cap: 4,
            volume: 1000,
            distinct: false,
        };
        let sampler = Sampler::new(&shape, 1 << 20).expect("ways");
        let mut between = 0;
        for at in 0..sampler.paths.blocks() {
            let leads = |state: &usize| sampler.paths.from(*state).next().is_some();
            for state in sampler.paths.states(at).filter(leads) {
                let First { end, rows, to } = sampler.first(at, state);
                let takes =
                    |step: u64| sampler.chosen(at, state, step) == (rows as usize, to as usize);
                assert!(
                    takes(0) && takes(end - 1),
                    "state {state} before block {at}"
                );
                let others = sampler.paths.from(state).count() > 1;
                assert!(
                    !others || (end < STEPS && !takes(end)),
                    "state {state} before block {at}"
                );
                between += usize::from(others);
            }
        }
        assert!(between > 20);
    }
}
