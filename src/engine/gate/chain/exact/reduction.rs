//! What a system of equations says without a search (SCIENCE 3): an equation with one open variable
//! determines it, an equation whose rows are used up leaves none to its other variables. What stays
//! open falls into blocks that share no equation, and each of them is searched by itself.

use std::sync::Arc;

use super::budget::OpenReason;
use super::part::EquationBlock;

/// No block.
const DETERMINED: u32 = u32::MAX;

/// A system of equations, taken apart.
pub(super) struct ReducedSystem {
    /// For each variable its number, if it is the same in every world; otherwise 0.
    number: Vec<u64>,
    /// For each variable its block and its place there; [`DETERMINED`] if it is in none.
    place: Vec<(u32, u32)>,
    blocks: Vec<Arc<EquationBlock>>,
}

/// A variable after the reduction.
pub(super) enum Reduced {
    /// It is this number in every world.
    Determined(u64),
    /// It is open: its block, and its number there.
    Open(usize, usize),
}

impl ReducedSystem {
    /// Takes a system apart.
    ///
    /// # Errors
    /// No world exists.
    pub(super) fn of(system: &EquationBlock) -> Result<ReducedSystem, OpenReason> {
        let mut elimination = Elimination {
            system,
            rest: system.grown().to_vec(),
            open: (0..system.grown().len())
                .map(|equation| system.with(equation).len())
                .collect(),
            number: vec![None; system.variables()],
            changed: (0..system.grown().len() as u32).collect(),
        };
        elimination.run()?;
        Ok(elimination.divide())
    }

    /// The blocks that need a search.
    pub(super) fn blocks(&self) -> &[Arc<EquationBlock>] {
        &self.blocks
    }

    /// What is known of a variable.
    pub(super) fn variable(&self, variable: usize) -> Reduced {
        let (block, at) = self.place[variable];
        if block == DETERMINED {
            return Reduced::Determined(self.number[variable]);
        }
        Reduced::Open(block as usize, at as usize)
    }

    /// A world of the whole system, block by block.
    pub(super) fn by_block(&self, world: &[u64]) -> Vec<Vec<u64>> {
        let mut parts: Vec<Vec<u64>> = self
            .blocks
            .iter()
            .map(|block| vec![0; block.variables()])
            .collect();
        for (&(block, at), &rows) in self.place.iter().zip(world) {
            if block != DETERMINED {
                parts[block as usize][at as usize] = rows;
            }
        }
        parts
    }
}

struct Elimination<'s> {
    system: &'s EquationBlock,
    /// For each equation the rows that determined variables leave.
    rest: Vec<i64>,
    /// For each equation the number of its open variables.
    open: Vec<usize>,
    number: Vec<Option<u64>>,
    /// Equations to look at again.
    changed: Vec<u32>,
}

impl Elimination<'_> {
    fn run(&mut self) -> Result<(), OpenReason> {
        while let Some(equation) = self.changed.pop() {
            let equation = equation as usize;
            let rest = self.rest[equation];
            if rest < 0 || (rest > 0 && self.open[equation] == 0) {
                return Err(OpenReason::Contradiction);
            }
            if self.open[equation] == 0 || (rest > 0 && self.open[equation] > 1) {
                continue;
            }
            for &variable in self.system.with(equation) {
                if self.number[variable as usize].is_none() {
                    self.determine(variable as usize, rest);
                }
            }
        }
        Ok(())
    }

    fn determine(&mut self, variable: usize, rows: i64) {
        let whole =
            u64::try_from(rows).expect("an equation with a rest below zero is a contradiction");
        self.number[variable] = Some(whole);
        for &equation in self.system.of(variable) {
            self.rest[equation as usize] -= rows;
            self.open[equation as usize] -= 1;
            self.changed.push(equation);
        }
    }

    fn divide(self) -> ReducedSystem {
        let mut root: Vec<u32> = (0..self.rest.len() as u32).collect();
        for variable in (0..self.number.len()).filter(|&variable| self.number[variable].is_none()) {
            for pair in self.system.of(variable).windows(2) {
                let (a, b) = (
                    representative(&mut root, pair[0]),
                    representative(&mut root, pair[1]),
                );
                root[a.max(b) as usize] = a.min(b);
            }
        }
        let mut blocks: Vec<EquationBlock> = Vec::new();
        let mut block_of = vec![DETERMINED; self.rest.len()];
        let mut local = vec![0; self.rest.len()];
        for equation in (0..self.rest.len()).filter(|&equation| self.open[equation] > 0) {
            let top = representative(&mut root, equation as u32) as usize;
            if block_of[top] == DETERMINED {
                block_of[top] = blocks.len() as u32;
                blocks.push(EquationBlock::new(Vec::new(), &[]));
            }
            let block = &mut blocks[block_of[top] as usize];
            local[equation] = block.grown().len() as u32;
            block.equate(self.rest[equation]);
        }
        let mut place = vec![(DETERMINED, 0); self.number.len()];
        for variable in (0..self.number.len()).filter(|&variable| self.number[variable].is_none()) {
            let equations = self.system.of(variable);
            let number = block_of[representative(&mut root, equations[0]) as usize];
            let block = &mut blocks[number as usize];
            place[variable] = (number, block.variables() as u32);
            block.push(equations.iter().map(|&equation| local[equation as usize]));
        }
        ReducedSystem {
            number: self
                .number
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect(),
            place,
            blocks: blocks.into_iter().map(Arc::new).collect(),
        }
    }
}

/// The representative of a set of connected equations, with path compression.
pub(super) fn representative(root: &mut [u32], mut at: u32) -> u32 {
    while root[at as usize] != at {
        root[at as usize] = root[root[at as usize] as usize];
        at = root[at as usize];
    }
    at
}
