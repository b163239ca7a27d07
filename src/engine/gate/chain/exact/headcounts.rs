//! What a reader learns who knows everybody's quasi columns and increments (SCIENCE 3, *Who
//! reads*). This reader knows how many people of an increment went the same way through the classes
//! of all releases: a *type*. Worlds are the numbers of people by type and sensitive value that
//! agree with every release, and the candidates of a person are, value by value, the most people of
//! their type that a world can have.
//!
//! The equations are sums of 0 and 1: the people of a type, and the rows with one value of a class
//! that came between two releases under one recoding. [`super::WorldSearch`] finds worlds and
//! proves bounds. The rows as they are, which the caller checked against the releases, are the
//! first world; so a range is known even where the budget ends.

use std::collections::BTreeMap;

use super::budget::{ExactBudget, OpenReason};
use super::part::EquationBlock;
use super::reduction::{Reduced, ReducedSystem};
use super::search::WorldSearch;
use super::{MOST_KEPT, SHARES};
use crate::chain::ReleaseChain;
use crate::histogram::{Histogram, NOWHERE, Tuples, ValueCode};

/// The most places of variables in equations.
const MOST_PLACES: usize = 20_000_000;
/// The most equations of a block that is searched: a search keeps as many numbers as their square.
const MOST_EQUATIONS: usize = 6_000;

/// The people of one increment who are in the same class in each release since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeopleType {
    /// The increment.
    pub increment: usize,
    /// The number of people.
    pub people: u64,
    /// Their classes: (release, class), one per recoding, in the first release since the increment
    /// under it.
    pub seen: Vec<(usize, usize)>,
}

/// The type with the fewest candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FewestCandidates {
    /// A type has at most this many.
    pub left: u64,
    /// All types have at least this many.
    pub proven: u64,
    /// The index of the type that `left` is about.
    pub at: usize,
}

/// All worlds of a chain whose raw rows are known.
pub struct Headcounts {
    types: Vec<PeopleType>,
    /// Variables of type t: `first[t]..first[t + 1]`.
    first: Vec<usize>,
    /// The sensitive value of each variable.
    value: Vec<ValueCode>,
    reduced: ReducedSystem,
    searches: Vec<WorldSearch>,
}

impl Headcounts {
    /// From a chain and the rows behind it, whose increments under each recoding are the releases;
    /// `None` if there are too many types and values to hold.
    pub fn of(chain: &ReleaseChain<'_>, histogram: &Histogram) -> Option<Headcounts> {
        let people = TypedPeople::of(chain, histogram);
        let Setting {
            system,
            first,
            value,
            world,
        } = Setting::of(&people)?;
        let reduced = ReducedSystem::of(&system).expect("the rows that exist are a world");
        let worlds = reduced.by_block(&world);
        let searches = reduced
            .blocks()
            .iter()
            .zip(&worlds)
            .map(|(block, world)| WorldSearch::with_world(block, world))
            .collect();
        Some(Headcounts {
            types: people.types,
            first,
            value,
            reduced,
            searches,
        })
    }

    /// All types, in no particular order.
    pub fn types(&self) -> &[PeopleType] {
        &self.types
    }

    /// The fewest candidates of any type; `None` if there are no people.
    pub fn fewest(&mut self, budget: &mut ExactBudget) -> Option<FewestCandidates> {
        let mut open: Vec<usize> = (0..self.types.len()).collect();
        open.sort_by_key(|&at| (self.types[at].people, at));
        let mut found: Option<FewestCandidates> = None;
        for at in open.iter().copied() {
            let left = self.range(at).1;
            if found.is_none_or(|found| left < found.left) {
                found = Some(FewestCandidates {
                    left,
                    proven: 0,
                    at,
                });
            }
        }
        let mut found = found?;
        let mut proven = vec![0; self.types.len()];
        for share in SHARES {
            for &at in &open {
                // The type's own people are a world, so it has no fewer candidates than people.
                if self.types[at].people >= found.left {
                    proven[at] = self.types[at].people;
                    continue;
                }
                let (from, to) = self.narrow(at, found.left, (share, &mut *budget));
                assert!(
                    from <= to,
                    "what a world shows is never more than what is proven"
                );
                if to < found.left {
                    (found.left, found.at) = (to, at);
                }
                proven[at] = from;
            }
            open.retain(|&at| proven[at] < found.left);
        }
        found.proven = open.iter().map(|&at| proven[at]).fold(found.left, u64::min);
        Some(found)
    }

    /// The candidates of a type by value, exactly; `None` if the budget is spent before.
    pub fn candidates(
        &mut self,
        at: usize,
        budget: &mut ExactBudget,
    ) -> Option<Vec<(ValueCode, u64)>> {
        let (from, to) = self.narrow(at, u64::MAX, (u64::MAX, budget));
        if from < to {
            return None;
        }
        let found = self
            .variables(at)
            .map(|variable| (self.value[variable], self.known(variable).0));
        Some(found.filter(|&(_, most)| most > 0).collect())
    }

    fn variables(&self, at: usize) -> std::ops::Range<usize> {
        self.first[at]..self.first[at + 1]
    }

    /// The range of a type's candidates as far as it is known.
    fn range(&self, at: usize) -> (u64, u64) {
        let mut range = (0, 0);
        for variable in self.variables(at) {
            let (from, to) = self.known(variable);
            range = (range.0 + from, range.1 + to);
        }
        range
    }

    /// The range of a variable as far as it is known.
    fn known(&self, variable: usize) -> (u64, u64) {
        match self.reduced.variable(variable) {
            Reduced::Determined(rows) => (rows, rows),
            Reduced::Open(block, at) => {
                let (seen, most) = self.searches[block].known(at);
                (seen, most.min(room(&self.reduced.blocks()[block], at)))
            }
        }
    }

    /// Narrows the range of a type's candidates until a world shows `enough` of them, or both ends
    /// are equal.
    fn narrow(
        &mut self,
        at: usize,
        enough: u64,
        (share, budget): (u64, &mut ExactBudget),
    ) -> (u64, u64) {
        let mut open: Vec<usize> = Vec::new();
        for variable in self.variables(at) {
            let (from, to) = self.known(variable);
            if from < to {
                open.push(variable);
            }
        }
        open.sort_by_key(|&variable| {
            let (from, to) = self.known(variable);
            (std::cmp::Reverse(to - from), variable)
        });
        for variable in open {
            let sure = self.range(at).0;
            if sure >= enough {
                break;
            }
            let wanted = enough - (sure - self.known(variable).0);
            self.settle(variable, wanted, (share, &mut *budget));
        }
        self.range(at)
    }

    /// Searches for the most people of a variable, or until a world has `enough`.
    fn settle(&mut self, variable: usize, enough: u64, (share, budget): (u64, &mut ExactBudget)) {
        let Reduced::Open(block, at) = self.reduced.variable(variable) else {
            return;
        };
        let equations = &self.reduced.blocks()[block];
        if equations.grown().len() > MOST_EQUATIONS {
            return;
        }
        let most = room(equations, at);
        let done = self.searches[block].settle(at, (most, enough), (share, budget));
        assert_ne!(
            done,
            Err(OpenReason::Contradiction),
            "the rows that exist are a world"
        );
        if self.searches.iter().map(WorldSearch::held).sum::<usize>() > MOST_KEPT {
            self.searches.iter_mut().for_each(WorldSearch::forget);
        }
    }
}

/// The fewest rows of any equation that a variable is in.
fn room(block: &EquationBlock, variable: usize) -> u64 {
    let rows = block
        .of(variable)
        .iter()
        .map(|&equation| block.grown()[equation as usize])
        .min();
    u64::try_from(rows.expect("a variable is in an equation"))
        .expect("a reduced system has no rest below zero")
}

/// The types of a chain, with the rows as they are.
struct TypedPeople {
    types: Vec<PeopleType>,
    /// For each type its people by value.
    rows: Vec<BTreeMap<ValueCode, u64>>,
    /// For each type the classes that it is in, as numbers of `growth`.
    classes: Vec<Vec<u32>>,
    /// For each class, in the stretch between two releases under its recoding, the rows by value
    /// that came in it.
    growth: Vec<BTreeMap<ValueCode, u64>>,
}

impl TypedPeople {
    fn of(chain: &ReleaseChain<'_>, histogram: &Histogram) -> TypedPeople {
        let (cuts, numbered) = (chain.cuts(), chain.numbered());
        let first_seen = first_releases(chain);
        let mut ways = Tuples::new(numbered.len() + 1);
        let mut rows: Vec<BTreeMap<ValueCode, u64>> = Vec::new();
        let mut nodes = vec![0; histogram.width()];
        let mut ids = vec![NOWHERE; numbered.len()];
        let mut way = vec![NOWHERE; numbered.len() + 1];
        for tuple in 0..histogram.tuples() {
            for (recoding, cuts) in cuts.iter().enumerate() {
                ids[recoding] = numbered[recoding].of_tuple(histogram, tuple, cuts, &mut nodes);
            }
            for cell in histogram.cells_of(tuple) {
                way[0] = cell.increment;
                for (recoding, &id) in ids.iter().enumerate() {
                    let is_seen = first_seen[cell.increment as usize][recoding].is_some();
                    way[recoding + 1] = if is_seen { id } else { NOWHERE };
                }
                let number = ways.number(&way) as usize;
                rows.resize(ways.len(), BTreeMap::new());
                *rows[number].entry(cell.value).or_default() += u64::from(cell.count);
            }
        }
        let mut found = TypedPeople {
            types: Vec::new(),
            rows,
            classes: Vec::new(),
            growth: Vec::new(),
        };
        found.place(chain, &ways, &first_seen);
        found
    }

    /// Finds the classes of each type, and the rows that came in them.
    fn place(
        &mut self,
        chain: &ReleaseChain<'_>,
        ways: &Tuples,
        first_seen: &[Vec<Option<usize>>],
    ) {
        let mut stretches = Tuples::new(2);
        for (way, rows) in ways.iter().zip(&self.rows) {
            let (increment, ids) = (way[0] as usize, &way[1..]);
            let (mut seen, mut classes) = (Vec::new(), Vec::new());
            for (recoding, &id) in ids.iter().enumerate() {
                let Some(release) = first_seen[increment][recoding] else {
                    continue;
                };
                let class = chain.class_in(release, ids).filter(|_| id != NOWHERE);
                seen.push((
                    release,
                    class.expect("the rows were checked against the releases"),
                ));
                let stretch = stretches.number(&[release as u32, id]);
                self.growth.resize(stretches.len(), BTreeMap::new());
                for (&value, &count) in rows {
                    *self.growth[stretch as usize].entry(value).or_default() += count;
                }
                classes.push(stretch);
            }
            seen.sort_unstable();
            self.types.push(PeopleType {
                increment,
                people: rows.values().sum(),
                seen,
            });
            self.classes.push(classes);
        }
    }
}

/// For each increment and recoding the first release from that increment on under it.
fn first_releases(chain: &ReleaseChain<'_>) -> Vec<Vec<Option<usize>>> {
    let releases = chain.number.len();
    let mut first = vec![None; chain.numbered.len()];
    let mut of_increments = vec![Vec::new(); releases];
    for release in (0..releases).rev() {
        first[chain.number[release]] = Some(release);
        of_increments[release] = first.clone();
    }
    of_increments
}

/// The equations over the people of each type and value.
struct Setting {
    system: EquationBlock,
    first: Vec<usize>,
    value: Vec<ValueCode>,
    /// The rows as they are.
    world: Vec<u64>,
}

impl Setting {
    fn of(people: &TypedPeople) -> Option<Setting> {
        let mut system = EquationBlock::new(Vec::new(), &[]);
        let equate = |system: &mut EquationBlock, rows: u64| {
            let equation = system.grown().len() as u32;
            system.equate(i64::try_from(rows).expect("rows in memory"));
            equation
        };
        let of_type: Vec<u32> = people
            .types
            .iter()
            .map(|of| equate(&mut system, of.people))
            .collect();
        let mut of_growth: Vec<BTreeMap<ValueCode, u32>> = Vec::with_capacity(people.growth.len());
        for growth in &people.growth {
            of_growth.push(
                growth
                    .iter()
                    .map(|(&value, &rows)| (value, equate(&mut system, rows)))
                    .collect(),
            );
        }
        let mut setting = Setting {
            system,
            first: vec![0],
            value: Vec::new(),
            world: Vec::new(),
        };
        let (mut equations, mut places) = (Vec::new(), 0);
        for (at, classes) in people.classes.iter().enumerate() {
            let narrowest = classes
                .iter()
                .min_by_key(|&&class| of_growth[class as usize].len())?;
            for &value in of_growth[*narrowest as usize].keys() {
                equations.clear();
                equations.push(of_type[at]);
                equations.extend(
                    classes
                        .iter()
                        .filter_map(|&class| of_growth[class as usize].get(&value)),
                );
                if equations.len() <= classes.len() {
                    continue;
                }
                places += equations.len();
                if places > MOST_PLACES {
                    return None;
                }
                setting.system.push(equations.iter().copied());
                setting.value.push(value);
                setting
                    .world
                    .push(people.rows[at].get(&value).copied().unwrap_or_default());
            }
            setting.first.push(setting.value.len());
        }
        Some(setting)
    }
}
