//! Placements of the rows of all targets together, as counts per cell, under caps that several
//! cells and targets share. A first placement is searched and then changed, one or two rows at a
//! time; parts that never changed are changed on purpose, and in the end, if that is little work,
//! all placements are enumerated.

use crate::arithmetic::SeededDraws;

/// The number of cells that are tried for a row when placements are searched.
const TRIED: usize = 24;
/// The number of moves, per row, before the search for a placement is given up.
const MENDING: usize = 400;
/// The number of rows that are moved at random: per row, and at least.
const STEPS: (usize, usize) = (60, 6_000);
/// The number of times that a cell's caps are read in all of that.
const WORK: u64 = 1 << 28;
/// The number of times that caps are read when a part is to be changed on purpose.
const DIRECTED: u64 = 1 << 22;
/// The number of rows that are placed when all placements are enumerated.
const EVERY: u64 = 1 << 21;
/// The largest number of rows for which that is tried.
const DEEPEST: usize = 2_000;

/// Cells that caps and parts do not distinguish.
pub(super) struct EqualCells {
    /// The block of its target.
    pub block: usize,
    /// The caps that count its rows.
    pub caps: Vec<u32>,
    /// The number of rows that it can hold.
    pub most: u64,
}

/// The rows of a target.
pub(super) struct TargetRows {
    number: usize,
    cells: Vec<EqualCells>,
    /// For each block the parts that contain it.
    parts: Vec<Vec<usize>>,
}

impl TargetRows {
    /// A number of rows, in these cells; for each block the parts that contain it.
    pub(super) fn new(number: usize, cells: Vec<EqualCells>, parts: Vec<Vec<usize>>) -> TargetRows {
        assert!(
            cells.iter().all(|cell| cell.block < parts.len()),
            "a block of the target"
        );
        TargetRows {
            number,
            cells,
            parts,
        }
    }
}

/// A search among placements.
pub(super) struct PlacementSearch {
    rows: Vec<TargetRows>,
    cap: u32,
    draws: SeededDraws,
    /// The number of rows that each cap counts.
    counted: Vec<u32>,
    /// The number of rows by which caps are exceeded.
    over: u64,
    /// For each target the cell of each of its rows, and the number of rows of each cell.
    at: Vec<Vec<usize>>,
    held: Vec<Vec<u32>>,
    /// For each target and part its number of rows, and the smallest and the largest number in a
    /// valid placement; in separate lists, which are compared for several parts at a time.
    parts: Vec<Vec<u32>>,
    fewest: Vec<Vec<u32>>,
    most: Vec<Vec<u32>>,
    found: bool,
    work: u64,
}

impl PlacementSearch {
    /// Starts without placed rows. All caps are equal.
    pub(super) fn new(rows: Vec<TargetRows>, cap: u64, draws: SeededDraws) -> PlacementSearch {
        let caps = rows
            .iter()
            .flat_map(|rows| &rows.cells)
            .flat_map(|cell| &cell.caps)
            .max();
        let number =
            |rows: &TargetRows| rows.parts.iter().flatten().max().map_or(0, |last| last + 1);
        PlacementSearch {
            cap: u32::try_from(cap).unwrap_or(u32::MAX),
            draws,
            counted: vec![0; caps.map_or(0, |last| *last as usize + 1)],
            over: 0,
            at: rows
                .iter()
                .map(|rows| Vec::with_capacity(rows.number))
                .collect(),
            held: rows.iter().map(|rows| vec![0; rows.cells.len()]).collect(),
            parts: rows.iter().map(|rows| vec![0; number(rows)]).collect(),
            fewest: rows
                .iter()
                .map(|rows| vec![u32::MAX; number(rows)])
                .collect(),
            most: rows.iter().map(|rows| vec![0; number(rows)]).collect(),
            found: false,
            work: 0,
            rows,
        }
    }

    /// Whether a valid placement was found.
    pub(super) fn is_found(&self) -> bool {
        self.found
    }

    /// The smallest and the largest number of rows that a part held.
    pub(super) fn seen(&self, target: usize, part: usize) -> (u32, u32) {
        let seen = (self.fewest[target][part], self.most[target][part]);
        assert!(
            !self.found || seen.0 <= seen.1,
            "every placement has so many rows in it"
        );
        seen
    }

    /// Parts that satisfy a condition on the numbers that were seen.
    pub(super) fn alike(
        &self,
        of: &dyn Fn(usize, usize, (u32, u32)) -> bool,
    ) -> Vec<(usize, usize)> {
        let all = self.parts.iter().enumerate();
        let all = all.flat_map(|(at, parts)| (0..parts.len()).map(move |part| (at, part)));
        // Before a placement is found, nothing is known about any part.
        all.filter(|&(at, part)| !self.found || of(at, part, self.seen(at, part)))
            .collect()
    }

    /// Searches for a valid placement.
    pub(super) fn begin(&mut self) -> bool {
        for target in (0..self.rows.len()).rev() {
            for _ in 0..self.rows[target].number {
                let Some(cell) = self.best(target) else {
                    return false;
                };
                self.put(target, cell);
                self.at[target].push(cell);
            }
        }
        assert!(
            self.at
                .iter()
                .zip(&self.rows)
                .all(|(at, rows)| at.len() == rows.number),
            "all rows are placed"
        );
        let all: usize = self.at.iter().map(Vec::len).sum();
        for _ in 0..all.saturating_mul(MENDING) {
            if self.over == 0 || self.work > WORK {
                break;
            }
            let (target, row) = self.any();
            let cell = self.at[target][row];
            let exceeded = self.rows[target].cells[cell]
                .caps
                .iter()
                .any(|&cap| self.counted[cap as usize] > self.cap);
            // Now and then an unnecessary move, so that no row blocks the others for ever.
            if exceeded || self.draws.below(16) == 0 {
                self.take(target, cell);
                let to = self.best(target).unwrap_or(cell);
                self.put(target, to);
                self.at[target][row] = to;
            }
        }
        self.see();
        self.over == 0
    }

    /// Moves rows at random from placement to placement.
    pub(super) fn walk(&mut self) {
        let all: usize = self.at.iter().map(Vec::len).sum();
        for _ in 0..(all.saturating_mul(STEPS.0)).max(STEPS.1) {
            if self.work > 2 * WORK {
                return;
            }
            let (target, row) = self.any();
            let to = self.draws.below(self.rows[target].cells.len() as u128) as usize;
            let from = self.at[target][row];
            if !self.shift(target, row, to) {
                continue;
            }
            if self.over > 0 {
                // Another row makes room, if one can.
                let (other, second) = self.any();
                let away = self.draws.below(self.rows[other].cells.len() as u128) as usize;
                let back = self.at[other][second];
                let shifted = (other, second) != (target, row) && self.shift(other, second, away);
                if self.over > 0 {
                    if shifted {
                        self.shift(other, second, back);
                    }
                    self.shift(target, row, from);
                    continue;
                }
                self.note(other);
            }
            self.note(target);
        }
    }

    /// Changes the number of rows of a part on purpose, by one row, or by two of which the second
    /// makes room. Returns whether the part has differed by now.
    pub(super) fn differs(&mut self, target: usize, part: usize) -> bool {
        let (begun, cells, before) = (
            self.work,
            self.rows[target].cells.len(),
            self.parts[target][part],
        );
        let inside = |search: &PlacementSearch, cell: usize| {
            let block = search.rows[target].cells[cell].block;
            search.rows[target].parts[block].contains(&part)
        };
        let mut rows: Vec<usize> = (0..self.at[target].len()).collect();
        rows.sort_by_key(|&row| self.at[target][row]);
        rows.dedup_by_key(|row| self.at[target][*row]);
        for row in rows {
            let from = self.at[target][row];
            for to in 0..cells {
                if self.work - begun > DIRECTED {
                    return false;
                }
                if inside(self, from) == inside(self, to) || !self.shift(target, row, to) {
                    continue;
                }
                // If the other row replaces this one, nothing changes.
                let is_other = |search: &PlacementSearch| search.parts[target][part] != before;
                let fits = self.over == 0 || self.makes_room((target, row), begun, &is_other);
                if fits {
                    self.see();
                    return true;
                }
                self.shift(target, row, from);
            }
        }
        false
    }

    /// Moves another row so that the placement becomes valid again.
    fn makes_room(
        &mut self,
        (target, row): (usize, usize),
        begun: u64,
        is_other: &dyn Fn(&PlacementSearch) -> bool,
    ) -> bool {
        let moved = &self.rows[target].cells[self.at[target][row]].caps;
        let exceeded: Vec<u32> = moved
            .iter()
            .copied()
            .filter(|&cap| self.counted[cap as usize] > self.cap)
            .collect();
        for other in 0..self.rows.len() {
            for second in 0..self.at[other].len() {
                let from = self.at[other][second];
                let caps = &self.rows[other].cells[from].caps;
                self.work += caps.len() as u64;
                if (other, second) == (target, row)
                    || !exceeded.iter().all(|cap| caps.contains(cap))
                {
                    continue;
                }
                for to in 0..self.rows[other].cells.len() {
                    if self.work - begun > DIRECTED {
                        return false;
                    }
                    if self.shift(other, second, to) {
                        if self.over == 0 && is_other(self) {
                            return true;
                        }
                        self.shift(other, second, from);
                    }
                }
            }
        }
        false
    }

    /// Enumerates placements until these parts have all been seen to differ; returns whether that,
    /// or the whole enumeration, was completed.
    pub(super) fn every(&mut self, left: &[(usize, usize)]) -> bool {
        if self.rows.iter().map(|rows| rows.cells.len()).sum::<usize>() > DEEPEST {
            return false;
        }
        for target in 0..self.rows.len() {
            for cell in std::mem::take(&mut self.at[target]) {
                self.take(target, cell);
            }
        }
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|&target| self.rows[target].cells.len());
        assert!(
            self.over == 0 && self.held.iter().flatten().all(|rows| *rows == 0),
            "no row is placed"
        );
        let mut work = EVERY;
        self.next(&order, (0, self.rows[order[0]].number), left, &mut work)
            .is_some()
            || self.differ(left)
    }

    fn differ(&self, left: &[(usize, usize)]) -> bool {
        self.found
            && left
                .iter()
                .all(|&(at, part)| self.fewest[at][part] < self.most[at][part])
    }

    /// Places the rows of the first of these targets from a cell on, and of all others; `None` if
    /// it was too much work, or nothing is left to be found.
    fn next(
        &mut self,
        order: &[usize],
        (cell, rows): (usize, usize),
        left: &[(usize, usize)],
        work: &mut u64,
    ) -> Option<()> {
        let Some((&target, others)) = order.split_first() else {
            self.see();
            return (!self.differ(left)).then_some(());
        };
        if rows == 0 {
            let first = others.first().map_or(0, |&other| self.rows[other].number);
            return self.next(others, (0, first), left, work);
        }
        if cell == self.rows[target].cells.len() {
            return Some(());
        }
        let mut placed = 0;
        let mut found = Some(());
        loop {
            found = found.and_then(|()| self.next(order, (cell + 1, rows - placed), left, work));
            *work = work.saturating_sub(1);
            if found.is_none() || *work == 0 || placed == rows || self.is_full(target, cell) {
                break;
            }
            self.put(target, cell);
            placed += 1;
            if self.over > 0 {
                break;
            }
        }
        (0..placed).for_each(|_| self.take(target, cell));
        found.filter(|()| *work > 0)
    }

    /// A random row of any target.
    fn any(&mut self) -> (usize, usize) {
        loop {
            let target = self.draws.below(self.rows.len() as u128) as usize;
            if !self.at[target].is_empty() {
                return (
                    target,
                    self.draws.below(self.at[target].len() as u128) as usize,
                );
            }
        }
    }

    /// Among some random cells of a target, the one in which one more row exceeds caps the least.
    fn best(&mut self, target: usize) -> Option<usize> {
        let number = self.rows[target].cells.len();
        let mut best = None;
        for tried in 0..TRIED.min(4 * number) {
            let cell = match number <= TRIED {
                true => (tried + self.draws.below(number as u128) as usize) % number,
                false => self.draws.below(number as u128) as usize,
            };
            if self.is_full(target, cell) {
                continue;
            }
            let caps = &self.rows[target].cells[cell].caps;
            self.work += caps.len() as u64;
            let more = caps
                .iter()
                .filter(|&&cap| self.counted[cap as usize] >= self.cap)
                .count();
            if best.is_none_or(|(least, _)| more < least) {
                best = Some((more, cell));
            }
        }
        best.map(|(_, cell)| cell)
            .or_else(|| (0..number).find(|&cell| !self.is_full(target, cell)))
    }

    fn is_full(&self, target: usize, cell: usize) -> bool {
        u64::from(self.held[target][cell]) >= self.rows[target].cells[cell].most
    }

    /// Moves a row to another cell; `false` if that is full, or its own.
    fn shift(&mut self, target: usize, row: usize, to: usize) -> bool {
        assert!(target < self.rows.len(), "a target of the release");
        let from = self.at[target][row];
        if from == to || self.is_full(target, to) {
            return false;
        }
        self.take(target, from);
        self.put(target, to);
        self.at[target][row] = to;
        true
    }

    fn put(&mut self, target: usize, cell: usize) {
        let EqualCells { block, caps, most } = &self.rows[target].cells[cell];
        assert!(
            u64::from(self.held[target][cell]) < *most,
            "there is room for the row"
        );
        for &cap in caps {
            self.over += u64::from(self.counted[cap as usize] >= self.cap);
            self.counted[cap as usize] += 1;
        }
        self.rows[target].parts[*block]
            .iter()
            .for_each(|&part| self.parts[target][part] += 1);
        self.held[target][cell] += 1;
        self.work += caps.len() as u64 + 1;
    }

    fn take(&mut self, target: usize, cell: usize) {
        let EqualCells { block, caps, .. } = &self.rows[target].cells[cell];
        assert!(self.held[target][cell] > 0, "the row lies in this cell");
        for &cap in caps {
            self.counted[cap as usize] -= 1;
            self.over -= u64::from(self.counted[cap as usize] >= self.cap);
        }
        self.rows[target].parts[*block]
            .iter()
            .for_each(|&part| self.parts[target][part] -= 1);
        self.held[target][cell] -= 1;
        self.work += caps.len() as u64 + 1;
    }

    /// Records the placement, if it is valid.
    fn see(&mut self) {
        if self.over > 0 {
            return;
        }
        self.found = true;
        (0..self.rows.len()).for_each(|target| self.note(target));
    }

    /// Records the placement for one target.
    fn note(&mut self, target: usize) {
        let parts = &self.parts[target];
        self.fewest[target]
            .iter_mut()
            .zip(parts)
            .for_each(|(fewest, held)| *fewest = (*fewest).min(*held));
        self.most[target]
            .iter_mut()
            .zip(parts)
            .for_each(|(most, held)| *most = (*most).max(*held));
    }
}
