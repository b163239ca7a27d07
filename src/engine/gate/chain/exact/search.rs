//! The most records that a world can have on a path: the simplex method, and where its vertex is fractional, branching on
//! a variable that is not whole (SCIENCE 3). Every vertex that is whole is a world, and what it shows of other paths is
//! kept, so that many of them need no search of their own.

use std::sync::Arc;

use super::budget::{ExactBudget, OpenReason};
use super::part::EquationBlock;
use super::proof::VariableBound;
use super::simplex::Vertex;

/// Numbers that the copies made while branching may hold at a time.
const MOST_COPIED: usize = 20_000_000;

/// A part and what is known of its worlds.
pub struct WorldSearch {
    part: Arc<EquationBlock>,
    root: Option<Vertex>,
    /// Whether no first vertex could be found, and why.
    failed: Option<OpenReason>,
    /// Per variable the most records that a world was seen to have.
    seen: Vec<u64>,
    /// Per variable what no world exceeds, as far as that was proven.
    most: Vec<u64>,
    /// With so many the search at hand ends.
    enough: u64,
}

impl WorldSearch {
    /// Nothing is known yet.
    pub fn of(part: &Arc<EquationBlock>) -> WorldSearch {
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

    /// What is known of a variable: a number that some world has, and one that none exceeds.
    pub fn known(&self, variable: usize) -> (u64, u64) {
        (self.seen[variable], self.most[variable])
    }

    /// How many numbers the vertex holds that the next search starts from.
    pub fn held(&self) -> usize {
        self.root.as_ref().map_or(0, Vertex::size)
    }

    /// Forgets that vertex; what is known of worlds stays.
    pub fn forget(&mut self) {
        self.root = None;
    }

    /// Finds out more, if need be until both numbers are one, or a world has `enough`; `most` is known from elsewhere. The
    /// question may take a share of the budget.
    ///
    /// # Errors
    /// The budget or the share is spent, or the releases contradict each other.
    pub fn settle(
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
            (None, None) => {
                Vertex::of(Arc::clone(&self.part), budget).inspect_err(|&undone| self.failed = Some(undone))?
            }
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

    /// Looks for worlds with more than was seen of a variable, within the bounds of a vertex.
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
        // Between worlds and bounds there may be nothing left to look for.
        if most <= self.seen[variable] || self.seen[variable] >= self.enough {
            return Ok(());
        }
        if let Some(world) = vertex.world(budget)? {
            let records = world.into_iter().map(|records| u64::try_from(records).expect("a world has none below zero"));
            self.seen.iter_mut().zip(records).for_each(|(seen, records)| *seen = (*seen).max(records));
            if most <= self.seen[variable] || self.seen[variable] >= self.enough {
                return Ok(());
            }
        }
        let (at, below) = vertex.fractional(variable).ok_or(OpenReason::Spent)?;
        let bounds = [
            VariableBound { variable: at, limit: below + 1, below: true },
            VariableBound { variable: at, limit: below, below: false },
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
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    /// The most of every variable over all worlds, one variable after the other.
    fn enumerate(part: &EquationBlock, rest: &mut [i64], world: &mut Vec<u64>, most: &mut [u64]) {
        if world.len() == part.variables() {
            if rest.iter().all(|&rest| rest == 0) {
                most.iter_mut().zip(world.iter()).for_each(|(most, &records)| *most = (*most).max(records));
            }
            return;
        }
        let stands_in = part.of(world.len()).to_vec();
        let room = stands_in.iter().map(|&equation| rest[equation as usize]).min().expect("equations");
        for records in 0..=room {
            stands_in.iter().for_each(|&equation| rest[equation as usize] -= records);
            world.push(records as u64);
            enumerate(part, rest, world, most);
            world.pop();
            stands_in.iter().for_each(|&equation| rest[equation as usize] += records);
        }
    }

    #[test]
    fn small_systems_against_all_their_worlds() {
        let mut branched = 0;
        for seed in 0..1500 {
            let mut draw = Draw(seed);
            let paths: Vec<Vec<u32>> =
                (0..12).map(|_| (0..3).map(|kind| kind * 3 + draw.below(3) as u32).collect()).collect();
            let mut grown = vec![0; 9];
            for path in &paths {
                let records = i64::from(draw.below(3) == 0);
                path.iter().for_each(|&equation| grown[equation as usize] += records);
            }
            let part = Arc::new(EquationBlock::new(grown.clone(), &paths));
            let mut most = vec![0; paths.len()];
            enumerate(&part, &mut grown, &mut Vec::new(), &mut most);
            let mut budget = ExactBudget::FULL;
            let (mut search, mut hasty) = (WorldSearch::of(&part), WorldSearch::of(&part));
            for (variable, &most) in most.iter().enumerate() {
                search.settle(variable, (u64::MAX, u64::MAX), (u64::MAX, &mut budget)).expect("a small system");
                assert_eq!(search.known(variable), (most, most), "seed {seed}, variable {variable}");
                // Whatever little share a question has, what is known stays true.
                for share in [1, 100, 300] {
                    _ = hasty.settle(variable, (u64::MAX, 1), (share, &mut budget));
                    let (from, to) = hasty.known(variable);
                    assert!(from <= most && most <= to, "seed {seed}, variable {variable}, share {share}");
                }
                let mut vertex = Vertex::of(Arc::clone(&part), &mut budget).expect("there is a world");
                let bound = vertex.maximise(variable, u64::MAX, &mut budget).expect("a small system");
                branched += usize::from(bound > Some(i128::from(most)));
            }
        }
        assert!(branched > 10, "only {branched} questions needed branches");
    }
}
