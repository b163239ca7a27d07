//! The largest number of records that a world can have on a path: the simplex method, with
//! branching on a variable that is not whole where a vertex is fractional (SCIENCE 3). Every vertex
//! of whole numbers is a world, and what it shows about other paths is stored, so that many of them
//! need no search of their own.

use std::sync::Arc;

use super::budget::{ExactBudget, OpenReason};
use super::part::EquationBlock;
use super::proof::{VariableBound, is_world};
use super::simplex::Vertex;

/// The most numbers in the copies that are made while branching.
const MOST_COPIED: usize = 20_000_000;

/// A block of equations, and what is known about its worlds.
pub(super) struct WorldSearch {
    part: Arc<EquationBlock>,
    root: Option<Vertex>,
    /// Why no first vertex could be found, if none was.
    failed: Option<OpenReason>,
    /// For each variable the largest number of records in a world that was found.
    seen: Vec<u64>,
    /// For each variable the proved upper bound.
    most: Vec<u64>,
    /// The search ends when a world has this many.
    enough: u64,
}

impl WorldSearch {
    /// Starts without knowledge.
    pub(super) fn of(part: &Arc<EquationBlock>) -> WorldSearch {
        let variables = part.variables();
        WorldSearch {
            part: Arc::clone(part),
            root: None,
            failed: None,
            seen: vec![0; variables],
            most: vec![u64::MAX; variables],
            enough: 0,
        }
    }

    /// Starts with the knowledge of one world.
    pub(super) fn with_world(part: &Arc<EquationBlock>, world: &[u64]) -> WorldSearch {
        let records: Vec<i64> = world
            .iter()
            .map(|&rows| i64::try_from(rows).expect("rows in memory"))
            .collect();
        assert!(is_world(part, &records), "the rows that exist are a world");
        WorldSearch {
            seen: world.to_vec(),
            ..WorldSearch::of(part)
        }
    }

    /// The known range of a variable: a number that some world has, and one that no world exceeds.
    pub(super) fn known(&self, variable: usize) -> (u64, u64) {
        (self.seen[variable], self.most[variable])
    }

    /// How many numbers the stored vertex holds, from which the next search starts.
    pub(super) fn held(&self) -> usize {
        self.root.as_ref().map_or(0, Vertex::size)
    }

    /// Drops the stored vertex, but not what is known about worlds.
    pub(super) fn forget(&mut self) {
        self.root = None;
    }

    /// Narrows the range, if necessary until both ends are equal, or a world has `enough`; `most`
    /// is an upper bound from elsewhere. The question may use a share of the budget.
    ///
    /// # Errors
    /// The budget or the share is spent, or the releases contradict each other.
    pub(super) fn settle(
        &mut self,
        variable: usize,
        (most, enough): (u64, u64),
        (share, budget): (u64, &mut ExactBudget),
    ) -> Result<(), OpenReason> {
        assert!(variable < self.most.len(), "a variable of the part");
        self.most[variable] = self.most[variable].min(most);
        self.enough = enough.min(self.most[variable]);
        if self.seen[variable] >= self.enough {
            return Ok(());
        }
        let mut root = match (self.root.take(), self.failed) {
            (Some(root), _) => root,
            (None, Some(undone)) => return Err(undone),
            (None, None) => Vertex::of(Arc::clone(&self.part), budget)
                .inspect_err(|&undone| self.failed = Some(undone))?,
        };
        let mut share = budget.share(share);
        let done = self.descend(&mut root, variable, 0, &mut share);
        budget.unite(share);
        self.root = Some(root);
        if done.is_ok() && self.seen[variable] < self.enough {
            self.most[variable] = self.seen[variable];
        }
        done
    }

    /// Looks for worlds with more records on a variable than were seen, within the bounds of a
    /// vertex.
    fn descend(
        &mut self,
        vertex: &mut Vertex,
        variable: usize,
        copied: usize,
        budget: &mut ExactBudget,
    ) -> Result<(), OpenReason> {
        let most = match vertex.maximise(variable, self.enough, budget)? {
            Some(most) => u64::try_from(most.max(0)).map_err(|_| OpenReason::Spent)?,
            None => u64::MAX,
        };
        if vertex.bounds().is_empty() {
            self.most[variable] = self.most[variable].min(most);
            self.enough = self.enough.min(self.most[variable]);
        }
        // Nothing may be left to look for between worlds and bounds.
        if most <= self.seen[variable] || self.seen[variable] >= self.enough {
            return Ok(());
        }
        if let Some(world) = vertex.world(budget)? {
            let records = world
                .into_iter()
                .map(|records| u64::try_from(records).expect("a world has none below zero"));
            self.seen
                .iter_mut()
                .zip(records)
                .for_each(|(seen, records)| *seen = (*seen).max(records));
            if most <= self.seen[variable] || self.seen[variable] >= self.enough {
                return Ok(());
            }
        }
        let (at, below) = vertex.fractional(variable).ok_or(OpenReason::Spent)?;
        let bounds = [
            VariableBound {
                variable: at,
                limit: below + 1,
                below: true,
            },
            VariableBound {
                variable: at,
                limit: below,
                below: false,
            },
        ];
        for bound in bounds {
            let copied = copied + vertex.size();
            if copied > MOST_COPIED {
                return Err(OpenReason::Spent);
            }
            budget.spend(vertex.size())?;
            let mut branch = vertex.clone();
            if branch.bind(bound, budget)? {
                self.descend(&mut branch, variable, copied, budget)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below a limit, the same in every run.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    /// The largest number of every variable over all worlds, one variable after the other.
    fn enumerate(part: &EquationBlock, rest: &mut [i64], world: &mut Vec<u64>, most: &mut [u64]) {
        if world.len() == part.variables() {
            if rest.iter().all(|&rest| rest == 0) {
                most.iter_mut()
                    .zip(world.iter())
                    .for_each(|(most, &records)| *most = (*most).max(records));
            }
            return;
        }
        let stands_in = part.of(world.len()).to_vec();
        let room = stands_in
            .iter()
            .map(|&equation| rest[equation as usize])
            .min()
            .expect("equations");
        for records in 0..=room {
            stands_in
                .iter()
                .for_each(|&equation| rest[equation as usize] -= records);
            world.push(records as u64);
            enumerate(part, rest, world, most);
            world.pop();
            stands_in
                .iter()
                .for_each(|&equation| rest[equation as usize] += records);
        }
    }

    #[test]
    fn small_systems_against_all_their_worlds() {
        let mut branched = 0;
        for seed in 0..1500 {
            let mut draw = Draw(seed);
            let paths: Vec<Vec<u32>> = (0..12)
                .map(|_| (0..3).map(|kind| kind * 3 + draw.below(3) as u32).collect())
                .collect();
            let mut grown = vec![0; 9];
            for path in &paths {
                let records = i64::from(draw.below(3) == 0);
                path.iter()
                    .for_each(|&equation| grown[equation as usize] += records);
            }
            let part = Arc::new(EquationBlock::new(grown.clone(), &paths));
            let mut most = vec![0; paths.len()];
            enumerate(&part, &mut grown, &mut Vec::new(), &mut most);
            let mut budget = ExactBudget::FULL;
            let (mut search, mut hasty) = (WorldSearch::of(&part), WorldSearch::of(&part));
            for (variable, &most) in most.iter().enumerate() {
                search
                    .settle(variable, (u64::MAX, u64::MAX), (u64::MAX, &mut budget))
                    .expect("a small system");
                assert_eq!(
                    search.known(variable),
                    (most, most),
                    "seed {seed}, variable {variable}"
                );
                // However small the share of a question is, what is known stays true.
                for share in [1, 100, 300] {
                    _ = hasty.settle(variable, (u64::MAX, 1), (share, &mut budget));
                    let (from, to) = hasty.known(variable);
                    assert!(
                        from <= most && most <= to,
                        "seed {seed}, variable {variable}, share {share}"
                    );
                }
                let mut vertex =
                    Vertex::of(Arc::clone(&part), &mut budget).expect("there is a world");
                let bound = vertex
                    .maximise(variable, u64::MAX, &mut budget)
                    .expect("a small system");
                branched += usize::from(bound > Some(i128::from(most)));
            }
        }
        assert!(branched > 10, "only {branched} questions needed branches");
    }
}
