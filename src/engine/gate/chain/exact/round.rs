//! Finds worlds near fractional ones (SCIENCE 3): every variable is rounded down, and the missing
//! records are put on paths one by one, at the class with the fewest possible paths, and there on
//! the path with the largest fraction. If it finds none, that proves nothing.

use super::budget::{ExactBudget, OpenReason};
use super::part::EquationBlock;

/// The most records that are tried.
const TRIES: usize = 300;

/// Looks for a world near a fractional one, given by each variable rounded down and its fraction.
///
/// # Errors
/// The budget is spent.
pub(super) fn near(
    part: &EquationBlock,
    whole: Vec<i64>,
    fractions: &[f64],
    budget: &mut ExactBudget,
) -> Result<Option<Vec<i64>>, OpenReason> {
    assert_eq!(whole.len(), part.variables(), "a number for each variable");
    assert_eq!(
        fractions.len(),
        part.variables(),
        "a fraction for each variable"
    );
    let mut missing = part.grown().to_vec();
    for (variable, &records) in whole.iter().enumerate() {
        part.of(variable)
            .iter()
            .for_each(|&equation| missing[equation as usize] -= records);
    }
    if missing.iter().any(|&missing| missing < 0) {
        return Ok(None);
    }
    let mut filling = Filling {
        part,
        full: vec![0; part.variables()],
        open: (0..missing.len())
            .map(|equation| part.with(equation).len())
            .collect(),
        missing,
        records: whole,
        fractions,
        tries: 0,
        operations: part.variables() * 4,
    };
    for equation in 0..filling.missing.len() {
        if filling.missing[equation] == 0 {
            filling.close(equation);
        }
    }
    let found = filling.descend();
    budget.spend(filling.operations)?;
    Ok(found.then_some(filling.records))
}

struct Filling<'f> {
    part: &'f EquationBlock,
    /// For each equation the number of missing records.
    missing: Vec<i64>,
    /// For each variable the number of its equations that miss none.
    full: Vec<u32>,
    /// For each equation the number of its variables that are only in equations with missing
    /// records.
    open: Vec<usize>,
    records: Vec<i64>,
    fractions: &'f [f64],
    tries: usize,
    operations: usize,
}

impl Filling<'_> {
    /// Whether no record is missing any more.
    fn descend(&mut self) -> bool {
        self.operations += self.missing.len();
        let lacking = (0..self.missing.len()).filter(|&equation| self.missing[equation] > 0);
        let Some(equation) = lacking.min_by_key(|&equation| (self.open[equation], equation)) else {
            return true;
        };
        let part = self.part;
        let with = part.with(equation);
        self.operations += with.len();
        let mut paths: Vec<u32> = with
            .iter()
            .copied()
            .filter(|&path| self.full[path as usize] == 0)
            .collect();
        let fraction = |path: u32| self.fractions[path as usize];
        paths.sort_by(|&a, &b| fraction(b).total_cmp(&fraction(a)).then(a.cmp(&b)));
        for path in paths {
            self.tries += 1;
            if self.tries > TRIES {
                return false;
            }
            self.put(path as usize);
            if self.descend() {
                return true;
            }
            self.take(path as usize);
        }
        false
    }

    /// Puts a record on a path.
    fn put(&mut self, path: usize) {
        self.records[path] += 1;
        let part = self.part;
        for &equation in part.of(path) {
            self.missing[equation as usize] -= 1;
            if self.missing[equation as usize] == 0 {
                self.close(equation as usize);
            }
        }
    }

    /// Removes it again.
    fn take(&mut self, path: usize) {
        self.records[path] -= 1;
        let part = self.part;
        for &equation in part.of(path) {
            if self.missing[equation as usize] == 0 {
                self.reopen(equation as usize);
            }
            self.missing[equation as usize] += 1;
        }
    }

    fn close(&mut self, equation: usize) {
        let part = self.part;
        self.operations += part.with(equation).len();
        for &path in part.with(equation) {
            self.full[path as usize] += 1;
            if self.full[path as usize] == 1 {
                part.of(path as usize)
                    .iter()
                    .for_each(|&other| self.open[other as usize] -= 1);
            }
        }
    }

    fn reopen(&mut self, equation: usize) {
        let part = self.part;
        self.operations += part.with(equation).len();
        for &path in part.with(equation) {
            self.full[path as usize] -= 1;
            if self.full[path as usize] == 0 {
                part.of(path as usize)
                    .iter()
                    .for_each(|&other| self.open[other as usize] += 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the missing records can be put on paths at all.
    fn fits(part: &EquationBlock, missing: &mut [i64], from: usize) -> bool {
        if missing.iter().all(|&missing| missing == 0) {
            return true;
        }
        (from..part.variables()).any(|path| {
            let with = part.of(path).to_vec();
            if with.iter().any(|&equation| missing[equation as usize] == 0) {
                return false;
            }
            with.iter()
                .for_each(|&equation| missing[equation as usize] -= 1);
            let found = fits(part, missing, path);
            with.iter()
                .for_each(|&equation| missing[equation as usize] += 1);
            found
        })
    }

    /// Systems of six paths with some missing records: a world is found exactly if one exists, and
    /// it contains the given records.
    #[test]
    fn a_world_is_found_where_there_is_one() {
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let (mut worlds, mut none) = (0, 0);
        for _ in 0..3_000 {
            let paths: Vec<Vec<u32>> = (0..6)
                .map(|_| (0..2).map(|kind| kind * 3 + below(3) as u32).collect())
                .collect();
            let whole: Vec<i64> = (0..6).map(|_| below(2) as i64).collect();
            let mut grown = vec![0; 6];
            for path in paths.iter().zip(&whole) {
                path.0
                    .iter()
                    .for_each(|&equation| grown[equation as usize] += path.1);
            }
            for kind in 0..2 {
                (0..5).for_each(|_| grown[kind * 3 + below(3) as usize] += 1);
            }
            let part = EquationBlock::new(grown.clone(), &paths);
            let fractions: Vec<f64> = (0..6).map(|_| below(100) as f64 / 100.0).collect();
            let mut missing = grown.clone();
            for (path, &records) in whole.iter().enumerate() {
                part.of(path)
                    .iter()
                    .for_each(|&equation| missing[equation as usize] -= records);
            }
            let found = near(
                &part,
                whole.clone(),
                &fractions,
                &mut ExactBudget::FULL.clone(),
            )
            .expect("a small system");
            assert_eq!(found.is_some(), fits(&part, &mut missing, 0));
            let Some(world) = found else {
                none += 1;
                continue;
            };
            worlds += 1;
            assert!(
                world
                    .iter()
                    .zip(&whole)
                    .all(|(records, given)| records >= given)
            );
            for (path, &records) in world.iter().enumerate() {
                part.of(path)
                    .iter()
                    .for_each(|&equation| grown[equation as usize] -= records);
            }
            assert!(grown.iter().all(|&rest| rest == 0), "all equations hold");
        }
        assert!(
            worlds > 300 && none > 300,
            "{worlds} worlds, {none} times none"
        );
    }
}
