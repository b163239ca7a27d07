//! The dynamic program over blocks (SCIENCE 6) as a graph: a state is the number of placed rows and
//! the number in each open slab, and an arrow places some rows in the next block. Only arrows on a
//! path from no rows to all rows are kept, so the graph shows what a block or a slab can hold;
//! other modules weigh the paths.
//!
//! A slab is closed after its last block with free room, and then forgotten. If all other slabs of
//! its column are closed, the last slab gets all rows that remain: it is checked at once and
//! forgotten too. Nothing here requires a smallest number of rows per half, which would be unsound
//! with three children.

use std::cmp::Reverse;
use std::ops::Range;

use crate::histogram::Tuples;

use super::blocks::BlockShape;
use super::budget::BudgetSpent;

/// An arrow to a state from which not all rows can be placed.
const NOWHERE: u32 = u32::MAX;

/// Most graphs have no more states and arrows than this.
const USUAL: usize = 64;

/// The arrows that leave a state.
struct State {
    /// The number of its first arrow; the arrows of the next state follow.
    arrow: u32,
    /// The rows of that arrow; each further arrow has one more.
    least: u32,
}

/// All possible placements of rows; there may be none.
pub(super) struct PlacementPaths {
    /// The blocks of the shape, in the order in which rows are placed in them.
    pub order: Vec<usize>,
    /// Whether there is a placement at all.
    pub possible: bool,
    /// The first state before each block in that order, the first one after the last block, and the
    /// number of all states.
    first: Vec<usize>,
    /// All states, and a final one without arrows.
    states: Vec<State>,
    /// The target state of each arrow.
    to: Vec<u32>,
    /// The counts that a block has in some placement, ascending, and for each block of the shape
    /// their range.
    counts: Vec<u32>,
    supports: Vec<Range<usize>>,
    /// For each slab the smallest and the largest number of rows in any placement, and the first
    /// slab of each column.
    slabs: Vec<(u64, u64)>,
    offsets: Vec<usize>,
}

impl PlacementPaths {
    /// From a shape, with at most `budget` arrows and numbers in states.
    ///
    /// # Errors
    /// It needs more.
    pub(super) fn new(shape: &BlockShape, budget: u64) -> Result<PlacementPaths, BudgetSpent> {
        let columns = shape.children.len();
        assert!(
            shape
                .blocks
                .iter()
                .all(|block| block.children.len() == columns),
            "a child in each column"
        );
        let planned = shape.blocks.len() as u64 * shape.children.iter().sum::<usize>() as u64;
        let left = budget.checked_sub(planned).ok_or(BudgetSpent)?;
        let plan = Plan::new(shape);
        let tuples = Tuples::new(plan.slabs + 1);
        let first = Vec::with_capacity(plan.order.len() + 2);
        let (states, to) = (Vec::with_capacity(USUAL), Vec::with_capacity(USUAL));
        let mut build = Build {
            shape,
            plan,
            tuples,
            first,
            states,
            to,
            left,
        };
        build.grow()?;
        build.prune();
        Ok(build.finish())
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.order.len()
    }

    /// The states before a block, or after the last one.
    pub(super) fn states(&self, at: usize) -> Range<usize> {
        assert!(at <= self.blocks(), "before a block, or after the last one");
        self.first[at]..self.first[at + 1]
    }

    /// The number of states.
    pub(super) fn number(&self) -> usize {
        assert!(!self.states.is_empty(), "one state more than there are");
        self.states.len() - 1
    }

    /// The rows and the next state, for every arrow from a state.
    pub(super) fn from(&self, state: usize) -> impl Iterator<Item = (usize, usize)> {
        let arrows = self.states[state].arrow as usize..self.states[state + 1].arrow as usize;
        let least = self.states[state].least as usize;
        let to = self.to[arrows]
            .iter()
            .enumerate()
            .filter(|(_, to)| **to != NOWHERE);
        to.map(move |(more, &to)| (least + more, to as usize))
    }

    /// All arrows.
    pub(super) fn arrows(&self) -> u64 {
        self.to.len() as u64
    }

    /// The largest number of arrows over a block that enter or leave one state.
    pub(super) fn widest(&self, at: usize) -> usize {
        let (before, after) = (self.states(at), self.states(at + 1));
        let mut arriving = vec![0; after.len()];
        before
            .clone()
            .flat_map(|state| self.from(state))
            .for_each(|(_, to)| arriving[to - after.start] += 1);
        let leaving =
            before.map(|state| (self.states[state + 1].arrow - self.states[state].arrow) as usize);
        arriving.into_iter().chain(leaving).max().unwrap_or(0)
    }

    /// The counts that a block of the shape has in some placement, ascending.
    pub(super) fn support(&self, block: usize) -> &[u32] {
        &self.counts[self.supports[block].clone()]
    }

    /// For each column and child the smallest and the largest number of rows of the slab in any
    /// placement.
    pub(super) fn slabs(&self) -> impl Iterator<Item = &[(u64, u64)]> {
        self.offsets
            .windows(2)
            .map(|pair| &self.slabs[pair[0]..pair[1]])
    }
}

/// The effect of one block on a column's slabs.
struct Step {
    /// The index of the slab that gets the block's rows.
    slab: usize,
    /// Whether it is the last block of that slab.
    closes: bool,
    /// The entries of [`Plan::open`] for slabs that have later blocks.
    open: Range<usize>,
}

/// The plan of opening and closing slabs.
struct Plan {
    /// The blocks, sorted so that in the column with the most children one slab after the other is
    /// filled.
    order: Vec<usize>,
    /// The first slab of each column among all slabs, and the number of all.
    offsets: Vec<usize>,
    slabs: usize,
    /// The steps at each block, for columns that still have two open slabs before it, and the first
    /// step of each block.
    steps: Vec<Step>,
    first: Vec<usize>,
    /// Indices of slabs.
    open: Vec<usize>,
    /// Slabs that are the only ones of their column with free room, from the start.
    alone: Vec<usize>,
    /// False if some column has no free room.
    possible: bool,
}

impl Plan {
    fn new(shape: &BlockShape) -> Plan {
        let mut offsets = vec![0];
        offsets.extend(shape.children.iter().scan(0, |slabs, children| {
            *slabs += children;
            Some(*slabs)
        }));
        let slabs = offsets[shape.children.len()];
        let order = order(shape);
        // For each slab the index of its last block plus 1, or 0 if it has none.
        let mut last = vec![0; slabs];
        for (at, &block) in order.iter().enumerate() {
            let places = shape.blocks[block].children.iter().zip(&offsets);
            places.for_each(|(child, offset)| last[offset + child] = at + 1);
        }
        let (number, possible) = (order.len(), !order.is_empty());
        let first = Vec::with_capacity(number + 1);
        let (steps, open) = (
            Vec::with_capacity(number * shape.columns.len()),
            Vec::with_capacity(number * slabs),
        );
        let mut plan = Plan {
            order,
            offsets,
            slabs,
            steps,
            first,
            open,
            alone: Vec::new(),
            possible,
        };
        let mut settled = vec![false; shape.columns.len()];
        for (column, settled) in settled.iter_mut().enumerate() {
            let places = plan.offsets[column]..plan.offsets[column + 1];
            let mut open = places.filter(|&place| last[place] > 0);
            if let (Some(alone), None) = (open.next(), open.next()) {
                *settled = true;
                plan.alone.push(alone);
            }
        }
        for at in 0..number {
            plan.first.push(plan.steps.len());
            for (column, settled) in settled
                .iter_mut()
                .enumerate()
                .filter(|(_, settled)| !**settled)
            {
                let slab = plan.offsets[column] + shape.blocks[plan.order[at]].children[column];
                let places = plan.offsets[column]..plan.offsets[column + 1];
                let from = plan.open.len();
                plan.open
                    .extend(places.filter(|&place| last[place] > at + 1));
                let open = from..plan.open.len();
                *settled = open.len() == 1;
                plan.steps.push(Step {
                    slab,
                    closes: last[slab] == at + 1,
                    open,
                });
            }
        }
        plan.first.push(plan.steps.len());
        assert_eq!(plan.first.len(), number + 1, "steps of each block");
        plan
    }

    fn steps(&self, at: usize) -> &[Step] {
        &self.steps[self.first[at]..self.first[at + 1]]
    }

    /// The indices of the slabs that have blocks after a step.
    fn open(&self, step: &Step) -> &[usize] {
        &self.open[step.open.clone()]
    }
}

/// The blocks by their children, with those of the column with the most children first.
fn order(shape: &BlockShape) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..shape.columns.len()).collect();
    columns.sort_by_key(|&column| (Reverse(shape.children[column]), column));
    let mut order: Vec<usize> = (0..shape.blocks.len()).collect();
    if !columns.is_sorted() {
        let children = |block: usize| {
            columns
                .iter()
                .map(move |&column| shape.blocks[block].children[column])
        };
        order.sort_by(|&a, &b| children(a).cmp(children(b)));
    }
    order
}

struct Build<'s> {
    shape: &'s BlockShape,
    plan: Plan,
    /// For each state the number of placed rows, then the rows per slab.
    tuples: Tuples,
    first: Vec<usize>,
    states: Vec<State>,
    to: Vec<u32>,
    left: u64,
}

impl Build<'_> {
    fn spend(&mut self, amount: usize) -> Result<(), BudgetSpent> {
        self.left = self.left.checked_sub(amount as u64).ok_or(BudgetSpent)?;
        Ok(())
    }

    fn grow(&mut self) -> Result<(), BudgetSpent> {
        let width = self.plan.slabs + 1;
        let (mut state, mut next) = (vec![0; width], vec![0; width]);
        self.first.push(0);
        if self.plan.possible && (self.plan.alone.is_empty() || self.shape.rows <= self.shape.cap) {
            self.tuples.number(&state);
        }
        for at in 0..self.shape.blocks.len() {
            let before = self.first[at]..self.tuples.len();
            self.first.push(before.end);
            self.tuples.turn();
            for number in before {
                state.copy_from_slice(self.tuples.get(number as u32));
                let rows = self.rows(at, &state);
                self.spend(rows.len())?;
                let arrow = u32::try_from(self.to.len()).map_err(|_| BudgetSpent)?;
                self.states.push(State {
                    arrow,
                    least: rows.start,
                });
                for rows in rows {
                    self.step(at, &state, rows, &mut next);
                    let known = self.tuples.len();
                    self.to.push(self.tuples.number(&next));
                    if self.tuples.len() > known {
                        self.spend(width)?;
                    }
                }
            }
        }
        self.first.push(self.tuples.len());
        let arrow = u32::try_from(self.to.len()).map_err(|_| BudgetSpent)?;
        self.states
            .resize_with(self.tuples.len() + 1, || State { arrow, least: 0 });
        assert_eq!(
            self.first.len(),
            self.shape.blocks.len() + 2,
            "states before each block and behind the last"
        );
        Ok(())
    }

    /// The possible numbers of rows in the next block: no slab may exceed its cap, and slabs with
    /// later blocks need room for the rest.
    fn rows(&self, at: usize, state: &[u32]) -> Range<u32> {
        assert!(
            u64::from(state[0]) <= self.shape.rows,
            "no more rows are placed than there are"
        );
        let (cap, remaining) = (self.shape.cap, self.shape.rows - u64::from(state[0]));
        let volume =
            u64::try_from(self.shape.blocks[self.plan.order[at]].volume).unwrap_or(u64::MAX);
        let (mut least, mut most) = (
            0,
            if self.shape.distinct {
                remaining.min(volume)
            } else {
                remaining
            },
        );
        if at + 1 == self.shape.blocks.len() {
            least = remaining;
        }
        for step in self.plan.steps(at) {
            let held = |place: usize| u64::from(state[place + 1]);
            let room: u64 = self
                .plan
                .open(step)
                .iter()
                .map(|&place| cap - held(place))
                .sum();
            most = most.min(cap - held(step.slab));
            if step.closes {
                least = least.max(remaining.saturating_sub(room));
            } else if room < remaining {
                least = u64::MAX;
            }
        }
        // Counts are below 2^32, as the rows of a release are.
        if least > most {
            0..0
        } else {
            least as u32..most as u32 + 1
        }
    }

    /// The state after placing this many rows in a block.
    fn step(&self, at: usize, state: &[u32], rows: u32, next: &mut [u32]) {
        next.copy_from_slice(state);
        next[0] += rows;
        for step in self.plan.steps(at) {
            next[step.slab + 1] += rows;
            if step.closes {
                next[step.slab + 1] = 0;
                if let [alone] = *self.plan.open(step) {
                    next[alone + 1] = 0;
                }
            }
        }
    }

    /// Drops arrows from which not all rows can be placed.
    fn prune(&mut self) {
        let mut alive = vec![true; self.tuples.len()];
        for state in (0..self.first[self.plan.order.len()]).rev() {
            let arrows = self.states[state].arrow as usize..self.states[state + 1].arrow as usize;
            let mut leads = false;
            for to in &mut self.to[arrows] {
                if alive[*to as usize] {
                    leads = true;
                } else {
                    *to = NOWHERE;
                }
            }
            alive[state] = leads;
        }
    }

    fn finish(self) -> PlacementPaths {
        let Build {
            shape,
            plan,
            tuples,
            first,
            states,
            to,
            ..
        } = self;
        let blocks = plan.order.len();
        let (offsets, supports) = (plan.offsets.clone(), vec![0..0; blocks]);
        let (order, slabs) = (plan.order.clone(), vec![(u64::MAX, 0); plan.slabs]);
        let counts = Vec::with_capacity(USUAL);
        let mut paths = PlacementPaths {
            order,
            possible: false,
            first,
            states,
            to,
            counts,
            supports,
            slabs,
            offsets,
        };
        let (mut seen, mut ends) = (Vec::new(), std::mem::take(&mut paths.slabs));
        for at in 0..blocks {
            let all = paths.states(at);
            let (least, most) = all
                .clone()
                .flat_map(|state| paths.from(state))
                .fold((usize::MAX, 0), widen);
            seen.clear();
            seen.resize((most + 1).saturating_sub(least), false);
            for state in all {
                let tuple = tuples.get(state as u32);
                for (rows, _) in paths.from(state) {
                    seen[rows - least] = true;
                    for step in plan.steps(at).iter().filter(|step| step.closes) {
                        let remaining = shape.rows - u64::from(tuple[0]) - rows as u64;
                        meet(
                            &mut ends[step.slab],
                            u64::from(tuple[step.slab + 1]) + rows as u64,
                        );
                        if let [alone] = *plan.open(step) {
                            meet(&mut ends[alone], u64::from(tuple[alone + 1]) + remaining);
                        }
                    }
                }
            }
            let from = paths.counts.len();
            let some = seen.iter().enumerate().filter(|(_, seen)| **seen);
            paths
                .counts
                .extend(some.map(|(more, _)| (least + more) as u32));
            paths.supports[plan.order[at]] = from..paths.counts.len();
        }
        assert!(
            paths
                .supports
                .iter()
                .all(|of| paths.counts[of.clone()].is_sorted_by(|one, next| one < next)),
            "each count once"
        );
        paths.possible = plan.possible && paths.supports.iter().all(|support| !support.is_empty());
        if paths.possible {
            plan.alone
                .iter()
                .for_each(|&alone| meet(&mut ends[alone], shape.rows));
            // Slabs without free room.
            ends.iter_mut()
                .filter(|ends| ends.0 == u64::MAX)
                .for_each(|ends| *ends = (0, 0));
            assert!(
                ends.iter()
                    .all(|(least, most)| least <= most && *most <= shape.cap),
                "rows that fit into a slab"
            );
        }
        PlacementPaths {
            slabs: ends,
            ..paths
        }
    }
}

fn widen((least, most): (usize, usize), (rows, _): (usize, usize)) -> (usize, usize) {
    (least.min(rows), most.max(rows))
}

fn meet(range: &mut (u64, u64), rows: u64) {
    *range = (range.0.min(rows), range.1.max(rows));
}
