//! The dynamic program over blocks (SCIENCE 6) as a graph: states are how many rows are placed and how many each open
//! slab holds, an arrow places so many rows in the next block. Only arrows on a way from nothing to all rows are kept, so
//! what a block or a slab can hold is read off the graph; how much each way weighs is the business of others.
//!
//! A slab is closed after its last block with something free, and forgotten. Of a column whose other slabs are all closed
//! the last one gets whatever rows remain: it is checked at once and forgotten too. Nothing here asks for a least number
//! of rows per half, which is unsound with three children.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::engine::histogram::Tuples;

use super::blocks::Shape;
use super::budget::Spent;

/// An arrow to a state from which not all rows can be placed.
pub const NOWHERE: u32 = u32::MAX;

/// One block: for each state before it, where so many rows lead.
pub struct Layer {
    /// The first arrow of each state, and the number of arrows at the end.
    first: Vec<u32>,
    /// The rows of the first arrow of each state; each further one is one more.
    least: Vec<u32>,
    to: Vec<u32>,
}

impl Layer {
    /// How many states there are before it.
    pub fn states(&self) -> usize {
        self.least.len()
    }

    /// How many arrows.
    pub fn arrows(&self) -> usize {
        self.to.len()
    }

    /// The most arrows that lead to one state or leave one.
    pub fn widest(&self) -> usize {
        let after = self.to.iter().filter(|&&to| to != NOWHERE).max().map_or(0, |&most| most as usize + 1);
        let mut arriving = vec![0; after];
        self.to.iter().filter(|&&to| to != NOWHERE).for_each(|&to| arriving[to as usize] += 1);
        let leaving = self.first.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        arriving.into_iter().chain(leaving).max().unwrap_or(0)
    }

    /// Rows and state after it, for every arrow from a state.
    pub fn from(&self, state: usize) -> impl Iterator<Item = (usize, usize)> {
        let arrows = self.first[state] as usize..self.first[state + 1] as usize;
        let least = self.least[state] as usize;
        let to = self.to[arrows].iter().enumerate().filter(|(_, to)| **to != NOWHERE);
        to.map(move |(more, &to)| (least + more, to as usize))
    }
}

/// All ways in which rows can lie; there may be none.
pub struct Paths {
    /// The blocks of the shape, in the order in which rows are placed in them.
    pub order: Vec<usize>,
    /// One per block, in that order.
    pub layers: Vec<Layer>,
    /// Per block, in the shape's order, the counts that some way has in it, ascending.
    pub supports: Vec<Vec<u32>>,
    /// Per column and child the least and the most rows that some way has in the slab.
    pub slabs: Vec<Vec<(u64, u64)>>,
    /// Whether there is a way at all.
    pub possible: bool,
}

impl Paths {
    /// Of a shape, within so many arrows and numbers of states.
    ///
    /// # Errors
    /// It has more.
    pub fn new(shape: &Shape, budget: u64) -> Result<Paths, Spent> {
        let planned = shape.blocks.len() as u64 * shape.children.iter().sum::<usize>() as u64;
        let left = budget.checked_sub(planned).ok_or(Spent)?;
        let plan = Plan::new(shape);
        let mut build = Build { shape, plan: &plan, states: Vec::new(), layers: Vec::new(), left };
        build.grow()?;
        build.prune();
        Ok(build.finish())
    }

    /// All arrows.
    pub fn arrows(&self) -> u64 {
        self.layers.iter().map(|layer| layer.arrows() as u64).sum()
    }
}

/// What happens to a column's slabs at one block.
struct Step {
    /// The place of the slab that gets the block's rows.
    slab: usize,
    /// Whether it is the last block of that slab.
    closes: bool,
    /// Places of the slabs that have blocks later.
    open: Vec<usize>,
}

/// When slabs are opened and closed.
struct Plan {
    /// The blocks, sorted so that of the column with most children one slab after the other is filled.
    order: Vec<usize>,
    /// Where the slabs of each column begin among all of them.
    offsets: Vec<usize>,
    slabs: usize,
    /// Per place in the order, of each column that still has two open slabs before it.
    steps: Vec<Vec<Step>>,
    /// Slabs whose column has no other one with something free, from the start.
    alone: Vec<usize>,
    /// Some column has nothing free.
    possible: bool,
}

impl Plan {
    fn new(shape: &Shape) -> Plan {
        let mut offsets = Vec::new();
        let mut slabs = 0;
        for &children in &shape.children {
            offsets.push(slabs);
            slabs += children;
        }
        let mut columns: Vec<usize> = (0..shape.columns.len()).collect();
        columns.sort_by_key(|&column| (Reverse(shape.children[column]), column));
        let mut order: Vec<usize> = (0..shape.blocks.len()).collect();
        let child = |block: usize, column: usize| shape.blocks[block].children[column];
        order.sort_by_cached_key(|&block| columns.iter().map(|&column| child(block, column)).collect::<Vec<usize>>());
        let mut last = vec![None; slabs];
        for (at, &block) in order.iter().enumerate() {
            shape.blocks[block]
                .children
                .iter()
                .zip(&offsets)
                .for_each(|(child, offset)| last[offset + child] = Some(at));
        }
        let possible = !order.is_empty();
        let mut plan = Plan { order, offsets, slabs, steps: Vec::new(), alone: Vec::new(), possible };
        let mut settled = vec![false; shape.columns.len()];
        let open_after = |plan: &Plan, column: usize, after: Option<usize>| -> Vec<usize> {
            let places = plan.offsets[column]..plan.offsets[column] + shape.children[column];
            places.filter(|&place| last[place] > after && last[place].is_some()).collect()
        };
        for (column, settled) in settled.iter_mut().enumerate() {
            let open = open_after(&plan, column, None);
            if let [alone] = open[..] {
                *settled = true;
                plan.alone.push(alone);
            }
        }
        for at in 0..plan.order.len() {
            let mut steps = Vec::new();
            for column in (0..settled.len()).filter(|&column| !settled[column]).collect::<Vec<_>>() {
                let slab = plan.offsets[column] + child(plan.order[at], column);
                let open = open_after(&plan, column, Some(at));
                settled[column] = open.len() == 1;
                steps.push(Step { slab, closes: last[slab] == Some(at), open });
            }
            plan.steps.push(steps);
        }
        plan
    }
}

struct Build<'s> {
    shape: &'s Shape,
    plan: &'s Plan,
    /// The states before each block, and after the last: rows placed, then rows per slab.
    states: Vec<Tuples>,
    layers: Vec<Layer>,
    left: u64,
}

impl Build<'_> {
    fn spend(&mut self, amount: usize) -> Result<(), Spent> {
        self.left = self.left.checked_sub(amount as u64).ok_or(Spent)?;
        Ok(())
    }

    fn grow(&mut self) -> Result<(), Spent> {
        let width = self.plan.slabs + 1;
        let mut states = Tuples::new(width);
        if self.plan.possible && (self.plan.alone.is_empty() || self.shape.rows <= self.shape.cap) {
            states.number(&vec![0; width]);
        }
        let mut next = vec![0; width];
        for at in 0..self.shape.blocks.len() {
            let mut after = Tuples::new(width);
            let mut layer = Layer { first: vec![0], least: Vec::new(), to: Vec::new() };
            for state in states.iter() {
                let rows = self.rows(at, state);
                self.spend(rows.len())?;
                layer.least.push(rows.start);
                for rows in rows {
                    self.step(at, state, rows, &mut next);
                    let known = after.len();
                    layer.to.push(after.number(&next));
                    if after.len() > known {
                        self.spend(width)?;
                    }
                }
                layer.first.push(u32::try_from(layer.to.len()).map_err(|_| Spent)?);
            }
            self.layers.push(layer);
            self.states.push(std::mem::replace(&mut states, after));
        }
        self.states.push(states);
        Ok(())
    }

    /// How many rows the next block can get: no slab over its cap, and room for the rest in slabs with blocks to come.
    fn rows(&self, at: usize, state: &[u32]) -> Range<u32> {
        let (cap, remaining) = (self.shape.cap, self.shape.rows - u64::from(state[0]));
        let volume = u64::try_from(self.shape.blocks[self.plan.order[at]].volume).unwrap_or(u64::MAX);
        let (mut least, mut most) = (0, if self.shape.distinct { remaining.min(volume) } else { remaining });
        if at + 1 == self.shape.blocks.len() {
            least = remaining;
        }
        for step in &self.plan.steps[at] {
            let held = |place: usize| u64::from(state[place + 1]);
            let room: u64 = step.open.iter().map(|&place| cap - held(place)).sum();
            most = most.min(cap - held(step.slab));
            if step.closes {
                least = least.max(remaining.saturating_sub(room));
            } else if room < remaining {
                least = u64::MAX;
            }
        }
        // Counts are below 2^32, as the rows of a release are.
        if least > most { 0..0 } else { least as u32..most as u32 + 1 }
    }

    /// The state after so many rows in a block.
    fn step(&self, at: usize, state: &[u32], rows: u32, next: &mut [u32]) {
        next.copy_from_slice(state);
        next[0] += rows;
        for step in &self.plan.steps[at] {
            next[step.slab + 1] += rows;
            if step.closes {
                next[step.slab + 1] = 0;
                if let [alone] = step.open[..] {
                    next[alone + 1] = 0;
                }
            }
        }
    }

    /// Drops arrows from which not all rows can be placed, and states without arrows.
    fn prune(&mut self) {
        let mut alive: Vec<bool> = vec![true; self.states[self.states.len() - 1].len()];
        for layer in self.layers.iter_mut().rev() {
            layer.to.iter_mut().filter(|to| !alive[**to as usize]).for_each(|to| *to = NOWHERE);
            let arrows = |state: usize| layer.first[state] as usize..layer.first[state + 1] as usize;
            let leads = |state: usize| layer.to[arrows(state)].iter().any(|&to| to != NOWHERE);
            alive = (0..layer.states()).map(leads).collect();
        }
    }

    fn finish(self) -> Paths {
        let blocks = self.layers.len();
        let mut supports = vec![Vec::new(); blocks];
        let mut ends: Vec<(u64, u64)> = vec![(u64::MAX, 0); self.plan.slabs];
        let total = self.shape.rows;
        for (at, layer) in self.layers.iter().enumerate() {
            let mut seen = BTreeSet::new();
            for (state, tuple) in self.states[at].iter().enumerate() {
                for (rows, _) in layer.from(state) {
                    seen.insert(rows as u32);
                    for step in self.plan.steps[at].iter().filter(|step| step.closes) {
                        let remaining = total - u64::from(tuple[0]) - rows as u64;
                        meet(&mut ends[step.slab], u64::from(tuple[step.slab + 1]) + rows as u64);
                        if let [alone] = step.open[..] {
                            meet(&mut ends[alone], u64::from(tuple[alone + 1]) + remaining);
                        }
                    }
                }
            }
            supports[self.plan.order[at]] = seen.into_iter().collect();
        }
        let possible = self.plan.possible && supports.iter().all(|support| !support.is_empty());
        if possible {
            self.plan.alone.iter().for_each(|&alone| meet(&mut ends[alone], total));
            // Slabs with nothing free in them.
            let used = |place: &usize| ends[*place].0 != u64::MAX;
            let empty: Vec<usize> = (0..ends.len()).filter(|place| !used(place)).collect();
            empty.into_iter().for_each(|place| ends[place] = (0, 0));
        }
        let slabs = self.plan.offsets.iter().zip(&self.shape.children);
        let slabs = slabs.map(|(&offset, &children)| ends[offset..offset + children].to_vec()).collect();
        Paths { order: self.plan.order.clone(), layers: self.layers, supports, slabs, possible }
    }
}

fn meet(range: &mut (u64, u64), rows: u64) {
    *range = (range.0.min(rows), range.1.max(rows));
}
