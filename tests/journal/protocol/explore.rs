//! Explores every state within the bounds, the nearest first, and the store after every writer has
//! died and one more starts alone. The first broken invariant is reported with the steps that lead
//! to it.

use std::collections::VecDeque;
use std::fmt;

use hashbrown::HashTable;

use super::entry::digest;
use super::promises::{AT_REST, OF_THE_STORE, OF_THE_WRITERS, Promise, SIGHTS};
use super::world::{By, Rules, Steps, World};
use super::{requests, writer};

/// Steps after which a lone writer has nothing left to do.
const ENOUGH: usize = 100;

/// The result.
pub struct Explored {
    pub states: usize,
    /// Different stores in these states.
    pub stores: usize,
    /// Events that never happened.
    pub unseen: Vec<&'static str>,
    pub broken: Option<Broken>,
}

/// A broken invariant.
pub struct Broken {
    pub promise: &'static str,
    pub way: Vec<String>,
}

impl fmt::Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:\n  {}", self.promise, self.way.join("\n  "))
    }
}

/// States that were explored already.
#[derive(Default)]
struct Looked {
    /// Every state.
    states: Seen,
    /// Stores after all writers had died.
    stores: Seen,
    /// Stores whose invariants were checked.
    kept: Seen,
}

/// Hashes of seen states. Two of ten million states have the same 64 bits with a probability of
/// less than 1 : 100,000.
#[derive(Default)]
struct Seen(HashTable<u64>);

impl Seen {
    /// Whether it is new.
    fn adds(&mut self, digest: u64) -> bool {
        let new = self.0.find(digest, |known| *known == digest).is_none();
        if new {
            self.0.insert_unique(digest, digest, |known| *known);
        }
        new
    }
}

impl Looked {
    /// The invariant that a state breaks; `store`: the hash of the part that outlives the writers.
    fn broken(&mut self, world: &World, store: u64, rules: &Rules) -> Option<&'static str> {
        let broken = if self.kept.adds(store) {
            first_broken(world, rules, &OF_THE_STORE)
        } else {
            None
        };
        broken.or_else(|| first_broken(world, rules, &OF_THE_WRITERS))
    }

    fn explored(&self, sights: usize, broken: Option<Broken>) -> Explored {
        let unseen = (0..SIGHTS.len())
            .filter(|at| sights >> at & 1 == 0)
            .map(|at| SIGHTS[at].0)
            .collect();
        Explored {
            states: self.states.0.len(),
            stores: self.stores.0.len(),
            unseen,
            broken,
        }
    }
}

/// What may happen next.
pub fn next(world: &World, rules: &Rules, steps: &mut Steps) {
    steps.clear();
    (0..world.writers.len()).for_each(|at| writer::steps(world, at, rules, steps));
    requests::person(world, rules, steps);
    world.lands(steps);
    steps
        .iter_mut()
        .for_each(|(_, _, world)| *world = world.canonical());
}

fn first_broken(world: &World, rules: &Rules, promises: &[Promise]) -> Option<&'static str> {
    promises
        .iter()
        .find(|(_, kept)| !kept(world, rules))
        .map(|(promise, _)| *promise)
}

/// Every state within the bounds, until an invariant is broken.
pub fn explore(rules: &Rules) -> Explored {
    let mut looked = Looked::default();
    let mut sights = 0;
    let (mut queue, mut ways) = (
        VecDeque::from([(World::default(), 0u32)]),
        vec![(0u32, 0u8)],
    );
    looked.states.adds(digest(World::default()));
    let mut steps = Steps::new();
    while let Some((world, at)) = queue.pop_front() {
        let store = digest(world.durable());
        let mut broken = looked
            .broken(&world, store, rules)
            .map(|promise| (promise, Vec::new()));
        if broken.is_none() && looked.stores.adds(store) {
            let sight = |at: &usize| SIGHTS[*at].1(&world);
            sights |= (0..SIGHTS.len())
                .filter(sight)
                .fold(0, |all, at| all | 1 << at);
            broken = alone(&world, rules, &mut looked);
        }
        if let Some((promise, then)) = broken {
            let mut way = retold(&ways, at, rules);
            way.extend(then);
            let broken = Some(Broken { promise, way });
            return looked.explored(sights, broken);
        }
        next(&world, rules, &mut steps);
        for (turn, (_, _, world)) in (0..).zip(&steps) {
            if looked.states.adds(digest(world)) {
                queue.push_back((*world, ways.len() as u32));
                ways.push((at, turn));
            }
        }
    }
    looked.explored(sights, None)
}

/// All writers have died. One more starts alone on the store and continues until there is nothing
/// left to do.
fn alone(world: &World, rules: &Rules, looked: &mut Looked) -> Option<(&'static str, Vec<String>)> {
    let mut world = World {
        named: rules.starts,
        ..world.durable()
    };
    let rules = Rules {
        starts: rules.starts + 1,
        doubts: 0,
        ..*rules
    };
    let (mut steps, mut way) = (Steps::new(), vec!["(all die, one starts alone)".to_owned()]);
    for _ in 0..ENOUGH {
        next(&world, &rules, &mut steps);
        let Some((_, what, then)) = steps.iter().find(|(by, _, _)| matches!(by, By::Writer(_)))
        else {
            return first_broken(&world, &rules, &AT_REST).map(|promise| (promise, way));
        };
        way.push((*what).to_owned());
        world = *then;
        if let Some(promise) = looked.broken(&world, digest(world.durable()), &rules) {
            return Some((promise, way));
        }
    }
    Some(("a writer that is alone comes to rest", way))
}

/// The steps to a state, in words.
fn retold(ways: &[(u32, u8)], mut at: u32, rules: &Rules) -> Vec<String> {
    let mut turns = Vec::new();
    while at > 0 {
        let (before, turn) = ways[at as usize];
        turns.push(turn);
        at = before;
    }
    let (mut world, mut steps, mut way) = (World::default(), Steps::new(), Vec::new());
    for turn in turns.into_iter().rev() {
        next(&world, rules, &mut steps);
        let (by, what, then) = steps[usize::from(turn)];
        let entry = (0..)
            .map(|slot| then.log.at(slot))
            .zip(0..super::entry::SLOTS as u8);
        let new = entry
            .take(super::entry::SLOTS)
            .find(|(entry, slot)| *entry != world.log.at(*slot));
        let new = new.map_or(String::new(), |(entry, slot)| {
            format!(" [{slot}: {:?}]", entry.kind())
        });
        way.push(format!("{by:?} {what}{new}"));
        world = then;
    }
    way
}
