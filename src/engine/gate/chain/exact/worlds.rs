//! The worlds of one sensitive value as a system of equations (SCIENCE 3): one variable per path,
//! one equation per class and stretch between two releases under the same recoding, and the
//! connected blocks of these.
//!
//! A record that came in release t is in one class per recoding of the releases from t on, and in
//! the stretch of that recoding that contains t. So a path's variable is in one equation per
//! recoding, and the equation says that the number of records of a stretch in a class is the growth
//! of the class. Classes that did not grow contain no record of the stretch: their paths are zero
//! in every world and are left out.

use std::sync::Arc;

use super::budget::{ExactBudget, OpenReason};
use super::part::EquationBlock;
use super::reduction::representative;
use crate::chain::{ComparablePairs, ReleaseChain};
use crate::histogram::{NOWHERE, Tuples, ValueCode};

/// All blocks of one value.
pub(super) struct Worlds {
    /// Paths: the release they begin with, then the class number under each recoding from there on.
    paths: Tuples,
    /// The block and the variable of each path.
    place: Vec<(u32, u32)>,
    parts: Vec<Arc<EquationBlock>>,
    /// The number of numbers per path.
    width: usize,
}

impl Worlds {
    /// Sets up the equations of a value, whose paths may hold at most `room` numbers.
    ///
    /// # Errors
    /// There are more paths than the budget or the room allows, or the releases contradict each
    /// other.
    pub(super) fn of(
        chain: &ReleaseChain<'_>,
        pairs: &ComparablePairs,
        value: ValueCode,
        room: usize,
        budget: &mut ExactBudget,
    ) -> Result<Worlds, OpenReason> {
        let mut set = Setting::new(chain, pairs, (value, room), budget)?;
        for from in 0..chain.releases.len() {
            set.paths_from(from, budget)?;
        }
        set.divide()
    }

    /// The blocks.
    pub(super) fn parts(&self) -> &[Arc<EquationBlock>] {
        &self.parts
    }

    /// The number of numbers in the paths.
    pub(super) fn held(&self) -> usize {
        self.place.len() * self.width
    }

    /// The block and the variable of a path; `None` if no world has a record on it.
    pub(super) fn find(&self, path: &[u32]) -> Option<(usize, usize)> {
        let (part, variable) = self.place[self.paths.find(path)? as usize];
        Some((part as usize, variable as usize))
    }
}

struct Setting<'s> {
    chain: &'s ReleaseChain<'s>,
    pairs: &'s ComparablePairs,
    /// For each release and each class number of its recoding: the equation of the stretch that
    /// ends there, or [`NOWHERE`].
    equation: Vec<Vec<u32>>,
    /// For each release the class numbers that grew.
    grew: Vec<Vec<u32>>,
    grown: Vec<i64>,
    paths: Tuples,
    /// The equations of all paths, flat; path p ends at `end[p]`.
    stands_in: Vec<u32>,
    end: Vec<usize>,
    room: usize,
}

impl<'s> Setting<'s> {
    fn new(
        chain: &'s ReleaseChain<'s>,
        pairs: &'s ComparablePairs,
        (value, room): (ValueCode, usize),
        budget: &mut ExactBudget,
    ) -> Result<Setting<'s>, OpenReason> {
        let (releases, recodings) = (chain.releases.len(), chain.numbered.len());
        let mut set = Setting {
            chain,
            pairs,
            equation: vec![Vec::new(); releases],
            grew: vec![Vec::new(); releases],
            grown: Vec::new(),
            paths: Tuples::new(recodings + 1),
            stands_in: Vec::new(),
            end: Vec::new(),
            room,
        };
        for recoding in 0..recodings {
            let classes = chain.numbered[recoding].len();
            let mut before = vec![0; classes];
            for release in (0..releases).filter(|&release| chain.number[release] == recoding) {
                budget.spend(classes)?;
                set.equation[release] = vec![NOWHERE; classes];
                for id in 0..classes as u32 {
                    let rows = set.rows(release, id, value)?;
                    let grown = rows - std::mem::replace(&mut before[id as usize], rows);
                    if grown < 0 {
                        return Err(OpenReason::Contradiction);
                    }
                    if grown > 0 {
                        set.equation[release][id as usize] = set.grown.len() as u32;
                        set.grew[release].push(id);
                        set.grown.push(grown);
                    }
                }
            }
        }
        Ok(set)
    }

    fn rows(&self, release: usize, id: u32, value: ValueCode) -> Result<i64, OpenReason> {
        let Some(class) = self.chain.numbered[self.chain.number[release]].in_release(release, id)
        else {
            return Ok(0);
        };
        let release = &self.chain.releases[release];
        let range = release.range(class);
        let found = release.values()[range.clone()].binary_search(&value);
        found.map_or(Ok(0), |at| {
            i64::try_from(release.counts()[range.start + at]).map_err(|_| OpenReason::Spent)
        })
    }

    /// Finds all paths of records that came in a release.
    fn paths_from(&mut self, from: usize, budget: &mut ExactBudget) -> Result<(), OpenReason> {
        let recodings = self.chain.numbered.len();
        let first = |recoding| {
            (from..self.chain.number.len()).find(|&at| self.chain.number[at] == recoding)
        };
        let mut views: Vec<(usize, usize)> = (0..recodings)
            .filter_map(|recoding| Some((recoding, first(recoding)?)))
            .collect();
        views.sort_by_key(|&(_, release)| self.grew[release].len());
        let mut path = vec![NOWHERE; recodings + 1];
        path[0] = from as u32;
        self.descend(&views, 0, &mut path, budget)
    }

    fn descend(
        &mut self,
        views: &[(usize, usize)],
        depth: usize,
        path: &mut Vec<u32>,
        budget: &mut ExactBudget,
    ) -> Result<(), OpenReason> {
        let Some(&(recoding, release)) = views.get(depth) else {
            self.room = self.room.checked_sub(path.len()).ok_or(OpenReason::Spent)?;
            self.paths.number(path);
            let equation = |&(recoding, release): &(usize, usize)| {
                self.equation[release][path[recoding + 1] as usize]
            };
            self.stands_in.extend(views.iter().map(equation));
            self.end.push(self.stands_in.len());
            return budget.spend(4 * views.len());
        };
        let pairs = self.pairs;
        let chosen = &views[..depth];
        let partners =
            |&(other, _): &(usize, usize)| pairs.partners(other, path[other + 1], recoding);
        let fewest = chosen.iter().map(partners).min_by_key(|found| found.len());
        let grew = &self.grew[release];
        let candidates = fewest
            .filter(|found| found.len() < grew.len())
            .unwrap_or(grew)
            .to_vec();
        budget.spend(candidates.len() * (depth + 1))?;
        for id in candidates {
            let fits = self.equation[release][id as usize] != NOWHERE
                && chosen
                    .iter()
                    .all(|&(other, _)| pairs.comparable(other, path[other + 1], recoding, id));
            if fits {
                path[recoding + 1] = id;
                self.descend(views, depth + 1, path, budget)?;
                path[recoding + 1] = NOWHERE;
            }
        }
        Ok(())
    }

    /// Divides the equations into connected blocks.
    fn divide(self) -> Result<Worlds, OpenReason> {
        let mut root: Vec<u32> = (0..self.grown.len() as u32).collect();
        let mut used = vec![false; self.grown.len()];
        let path =
            |at: usize| &self.stands_in[if at == 0 { 0 } else { self.end[at - 1] }..self.end[at]];
        for at in 0..self.end.len() {
            path(at)
                .iter()
                .for_each(|&equation| used[equation as usize] = true);
            for pair in path(at).windows(2) {
                let (a, b) = (
                    representative(&mut root, pair[0]),
                    representative(&mut root, pair[1]),
                );
                root[a.max(b) as usize] = a.min(b);
            }
        }
        if used.contains(&false) {
            return Err(OpenReason::Contradiction);
        }
        let mut number = vec![NOWHERE; self.grown.len()];
        let (mut parts, mut local) = (Vec::<EquationBlock>::new(), vec![0u32; self.grown.len()]);
        for equation in 0..self.grown.len() as u32 {
            let top = representative(&mut root, equation) as usize;
            if number[top] == NOWHERE {
                number[top] = parts.len() as u32;
                parts.push(EquationBlock::new(Vec::new(), &[]));
            }
            let part = &mut parts[number[top] as usize];
            local[equation as usize] = part.grown().len() as u32;
            part.equate(self.grown[equation as usize]);
        }
        let mut place = Vec::with_capacity(self.end.len());
        for at in 0..self.end.len() {
            let number = number[representative(&mut root, path(at)[0]) as usize];
            let part = &mut parts[number as usize];
            place.push((number, part.variables() as u32));
            part.push(path(at).iter().map(|&equation| local[equation as usize]));
        }
        assert!(place.len() == self.end.len(), "a place for each path");
        let equations: usize = parts.iter().map(|part| part.grown().len()).sum();
        assert!(
            equations == self.grown.len(),
            "each equation is in one part"
        );
        let width = self.chain.numbered.len() + 1;
        Ok(Worlds {
            paths: self.paths,
            place,
            width,
            parts: parts.into_iter().map(Arc::new).collect(),
        })
    }
}
