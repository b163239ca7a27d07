//! Halving with a random draw (SCIENCE 11) on all populations of a few people: how much labels
//! reveal about where people are inside them over one, two and three halvings, that this bound is
//! reached, that no person certainly waits, and what is not bounded.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::label::{Effort, crowds};
use tidegate::engine::model::{DetailSettings, Leaf, Node, Taxonomy, Tree};
use tidegate::engine::policy::{Division, Values};

/// Each person's leaf tuple, in order.
type People = Vec<Vec<Leaf>>;

/// Labels of new atoms with their people, in order.
type Shown = Vec<(Vec<Node>, u64)>;

/// Releases that may follow from a population, each with its probability and the people who wait
/// after it.
type Releases = BTreeMap<Vec<Shown>, (u128, People)>;

/// The possible results of a halving: what is published, who waits, and the probability, as a part
/// of `WHOLE`.
type Outcomes = Rc<Vec<(Shown, People, u128)>>;

/// The greatest number of draws in a halving.
const COINS: u32 = 14;
/// The total weight of all draws of a halving.
const WHOLE: u128 = 4u128.pow(COINS);

/// A small world. A column has this many leaves below `*`, half of them in each part.
#[derive(Clone, Copy)]
struct World {
    columns: &'static [u32],
    crowd: u64,
    refusals: u32,
    /// Numbers of people that make a split certain, in each halving.
    certain: &'static [u64],
    /// The greatest number of new people before each halving.
    most: &'static [usize],
    least: u64,
    /// The weight of each column; equal if there are none.
    weights: &'static [u64],
}

/// One halving.
const fn once(
    columns: &'static [u32],
    crowd: u64,
    refusals: u32,
    certain: &'static [u64],
    most: &'static [usize],
) -> World {
    World {
        columns,
        crowd,
        refusals,
        certain,
        most,
        least: 1,
        weights: &[],
    }
}

const ONE: &[World] = &[
    once(&[4], 2, 1, &[2], &[6]),
    once(&[8], 2, 2, &[3], &[5]),
    once(&[4], 3, 3, &[3], &[8]),
    once(&[2, 2], 2, 1, &[2], &[6]),
    once(&[2, 2], 2, 2, &[4], &[7]),
    once(&[2, 2], 3, 2, &[3], &[7]),
    once(&[4, 2], 2, 2, &[3], &[5]),
    once(&[2, 2, 2], 2, 1, &[2], &[4]),
    once(&[2, 2, 2], 2, 2, &[2], &[4]),
    once(&[2, 2, 2], 2, 3, &[2], &[5]),
    World {
        columns: &[4, 2],
        crowd: 2,
        refusals: 2,
        certain: &[3],
        most: &[5],
        least: 10,
        weights: &[],
    },
    World {
        weights: &[1, 9, 3],
        ..once(&[2, 2, 2], 2, 2, &[2], &[4])
    },
];

const MORE: &[World] = &[
    World {
        columns: &[2, 2],
        crowd: 2,
        refusals: 2,
        certain: &[4, 3],
        most: &[3, 3],
        least: 1,
        weights: &[],
    },
    World {
        columns: &[4],
        crowd: 2,
        refusals: 1,
        certain: &[2, 2],
        most: &[4, 3],
        least: 1,
        weights: &[],
    },
    World {
        columns: &[2, 2],
        crowd: 2,
        refusals: 1,
        certain: &[4, 3, 3],
        most: &[3, 2, 2],
        least: 1,
        weights: &[],
    },
    World {
        columns: &[2, 2],
        crowd: 2,
        refusals: 2,
        certain: &[2, 2, 4],
        most: &[3, 2, 2],
        least: 1,
        weights: &[],
    },
];

fn tree(column: usize, leaves: u32) -> Taxonomy {
    fn grow(tree: &mut Tree, above: usize, name: &str, leaves: u32) {
        for part in 0..if leaves > 1 { 2 } else { 0 } {
            let name = format!("{name}.{part}");
            let node = tree.add(above, &name, 1);
            grow(tree, node, &name, leaves / 2);
        }
    }
    let mut tree = Tree::new("*");
    grow(&mut tree, 0, &column.to_string(), leaves);
    tree.finish().expect("a tree")
}

/// All ways to place this many people in some cells.
fn placements(cells: &[Vec<Leaf>], people: usize) -> Vec<People> {
    if people == 0 {
        return vec![Vec::new()];
    }
    let from = |at: usize| {
        let rest = placements(&cells[at..], people - 1).into_iter();
        rest.map(move |rest| [vec![cells[at].clone()], rest].concat())
    };
    (0..cells.len()).flat_map(from).collect()
}

/// A world with its chain.
struct Chain<'w> {
    world: &'w World,
    division: Division<'w>,
    cells: Vec<Vec<Leaf>>,
    known: RefCell<BTreeMap<(u64, People), Outcomes>>,
}

impl<'w> Chain<'w> {
    fn new(world: &'w World, trees: &'w [Taxonomy]) -> Chain<'w> {
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let division =
            Division::new(&trees, world.crowd, world.least, Values::Repeated).expect("small");
        let detail = |&weight: &u64| {
            DetailSettings::default()
                .weighted(weight.into())
                .expect("a weight")
        };
        let division = division.weighted(&world.weights.iter().map(detail).collect::<Vec<_>>());
        let cells = trees
            .iter()
            .fold(vec![Vec::new()], |cells: Vec<Vec<Leaf>>, tree| {
                let longer = |cell: Vec<Leaf>| {
                    (0..tree.leaves() as Leaf).map(move |leaf| [&cell[..], &[leaf]].concat())
                };
                cells.into_iter().flat_map(longer).collect()
            });
        Chain {
            world,
            division,
            cells,
            known: RefCell::default(),
        }
    }

    /// All possible new people before each halving; the first has enough people for an atom.
    fn populations(&self) -> Vec<Vec<People>> {
        let mut all: Vec<Vec<People>> = vec![Vec::new()];
        for (at, &most) in self.world.most.iter().enumerate() {
            let fewest = if at == 0 {
                self.world.crowd as usize
            } else {
                0
            };
            let comes: Vec<People> = (fewest..=most)
                .flat_map(|people| placements(&self.cells, people))
                .collect();
            all = all
                .iter()
                .flat_map(|so_far| {
                    comes
                        .iter()
                        .map(|one| [&so_far[..], std::slice::from_ref(one)].concat())
                })
                .collect();
        }
        all
    }

    /// The possible results of one halving.
    fn halved(&self, people: &People, certain: u64) -> Outcomes {
        let key = (certain, people.clone());
        let known = self.known.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let outcomes = Rc::new(self.halve(people, certain));
            self.known.borrow_mut().insert(key, Rc::clone(&outcomes));
            outcomes
        })
    }

    fn halve(&self, people: &People, certain: u64) -> Vec<(Shown, People, u128)> {
        let width = self.world.columns.len();
        let heads = Headcount::of(
            width,
            people
                .iter()
                .map(|tuple| (tuple, Heads { since: 0, count: 1 })),
        );
        let effort = Effort {
            certain,
            refusals: self.world.refusals,
        };
        let mut outcomes: BTreeMap<(Shown, People), u128> = BTreeMap::new();
        let mut script: Vec<bool> = Vec::new();
        loop {
            let mut at = 0;
            let found = crowds(&heads, &self.division, effort, &mut || {
                if at == script.len() {
                    script.push(true);
                }
                at += 1;
                script[at - 1]
            });
            let shown = found
                .classes
                .iter()
                .map(|class| (class.nodes.clone(), class.people))
                .collect();
            let waits = |tuple: &&Vec<Leaf>| {
                let at = heads.find(tuple).expect("a person") as u32;
                found.waiting.binary_search(&at).is_ok()
            };
            let weight = script
                .iter()
                .fold(WHOLE, |left, &coin| left / 4 * if coin { 3 } else { 1 });
            assert!(script.len() <= COINS as usize);
            *outcomes
                .entry((shown, people.iter().filter(waits).cloned().collect()))
                .or_default() += weight;
            while script.pop_if(|coin| !*coin).is_some() {}
            match script.last_mut() {
                Some(coin) => *coin = false,
                None => break,
            }
        }
        assert_eq!(outcomes.values().sum::<u128>(), WHOLE);
        outcomes
            .into_iter()
            .map(|((shown, waiting), weight)| (shown, waiting, weight))
            .collect()
    }

    /// The possible releases.
    fn releases(&self, population: &[People]) -> Releases {
        let mut found = BTreeMap::from([(Vec::new(), (1, Vec::new()))]);
        for (come, &certain) in population.iter().zip(self.world.certain) {
            let mut next = BTreeMap::new();
            for (releases, (weight, waiting)) in found {
                let mut pool = [&waiting[..], come].concat();
                pool.sort();
                for (shown, waiting, chance) in self.halved(&pool, certain).iter() {
                    let releases = [&releases[..], std::slice::from_ref(shown)].concat();
                    let (all, known) = next.entry(releases).or_insert_with(|| (0, waiting.clone()));
                    assert_eq!(known, waiting, "who waits follows from what is published");
                    *all += weight * chance;
                }
            }
            found = next;
        }
        found
    }

    fn inside(&self, tuple: &[Leaf], label: &[Node]) -> bool {
        let mut columns = self.division.trees().iter().zip(label).zip(tuple);
        columns.all(|((tree, &node), leaf)| tree.leaf_range(node).contains(leaf))
    }

    /// The greatest factor by which a label may reveal where its people are.
    fn bound(&self, label: &[Node]) -> u128 {
        let open = self
            .division
            .trees()
            .iter()
            .zip(label)
            .filter(|(tree, node)| !tree.is_leaf(**node))
            .count() as u32;
        4u128.pow(open.min(self.world.refusals))
    }

    /// The population with those of a halving who are inside a label elsewhere in it: every way to
    /// place them.
    fn moved(&self, population: &[People], halving: usize, label: &[Node]) -> Vec<Vec<People>> {
        let (inside, others): (People, People) = population[halving]
            .iter()
            .cloned()
            .partition(|tuple| self.inside(tuple, label));
        let cells: Vec<Vec<Leaf>> = self
            .cells
            .iter()
            .filter(|cell| self.inside(cell, label))
            .cloned()
            .collect();
        let placed = |placed: People| {
            let mut population = population.to_vec();
            population[halving] = [&others[..], &placed].concat();
            population[halving].sort();
            population
        };
        placements(&cells, inside.len())
            .into_iter()
            .map(placed)
            .collect()
    }
}

fn each(worlds: &[World], mut check: impl FnMut(&Chain<'_>)) {
    for world in worlds {
        let trees: Vec<Taxonomy> = world
            .columns
            .iter()
            .enumerate()
            .map(|(at, &leaves)| tree(at, leaves))
            .collect();
        check(&Chain::new(world, &trees));
    }
}

/// Checks each release of each population, and each way in which the people of an atom who were
/// added since the previous halving might be placed in its label; returns the largest factor of
/// all, as a part of the permitted one.
fn factors(chain: &Chain<'_>, looked: &mut u64) -> u128 {
    // Releases as numbers, which are compared faster than labels.
    let mut numbers: BTreeMap<Vec<Shown>, usize> = BTreeMap::new();
    let mut known: BTreeMap<Vec<People>, BTreeMap<usize, u128>> = BTreeMap::new();
    for population in chain.populations() {
        let releases = chain
            .releases(&population)
            .into_iter()
            .map(|(release, (weight, _))| {
                let next = numbers.len();
                (*numbers.entry(release).or_insert(next), weight)
            });
        known.insert(population, releases.collect());
    }
    let releases: BTreeMap<usize, Vec<Shown>> = numbers
        .into_iter()
        .map(|(release, number)| (number, release))
        .collect();
    let mut most = 1;
    for (population, weights) in &known {
        // Where the people of an atom might be does not depend on other published rows.
        let mut placed: BTreeMap<(usize, &[Node]), Vec<_>> = BTreeMap::new();
        for (number, weight) in weights {
            let release = &releases[number];
            for (halving, (label, _)) in release
                .iter()
                .enumerate()
                .flat_map(|(at, shown)| shown.iter().map(move |atom| (at, atom)))
            {
                let others = placed.entry((halving, label)).or_insert_with(|| {
                    let moved = chain.moved(population, halving, label);
                    moved
                        .iter()
                        .map(|moved| known.get_key_value(moved).expect("a population"))
                        .collect()
                });
                let bound = chain.bound(label);
                for (moved, other) in others {
                    let other = other.get(number).unwrap_or_else(|| {
                        panic!(
                            "{population:?} and {moved:?}: {release:?} cannot come of the second"
                        )
                    });
                    assert!(
                        other * bound >= *weight,
                        "{population:?} {moved:?} {release:?}: {weight} and {other}"
                    );
                    if weight % other == 0 {
                        most = most.max(weight / other);
                    }
                    *looked += 1;
                }
            }
        }
    }
    most
}

#[test]
fn labels_leak_as_much_as_is_reported_and_no_more() {
    let (mut looked, mut reached) = (0, BTreeMap::new());
    each(ONE, |chain| {
        let most = factors(chain, &mut looked);
        let of = reached
            .entry(chain.world.refusals.min(chain.world.columns.len() as u32))
            .or_insert(0);
        *of = most.max(*of);
    });
    assert_eq!(
        reached,
        BTreeMap::from([(1, 4), (2, 16), (3, 64)]),
        "the factors are reached"
    );
    assert!(looked > 100_000, "{looked} pairs of populations");
}

#[test]
fn later_labels_leak_no_more_of_people_who_came_since() {
    let mut looked = 0;
    each(MORE, |chain| _ = factors(chain, &mut looked));
    assert!(looked > 100_000, "{looked} pairs of populations");
}

#[test]
fn no_person_is_certain_to_wait() {
    let mut waited = 0u64;
    each(&[ONE, MORE].concat(), |chain| {
        for population in chain.populations() {
            for (release, (_, waiting)) in chain.releases(&population) {
                // The people of each atom are added before its halving, and there is no other
                // person.
                let (mut pool, mut alone) = (People::new(), Vec::new());
                for (come, shown) in population.iter().zip(&release) {
                    pool.extend(come.iter().cloned());
                    let (mut atoms, waits): (People, People) =
                        std::mem::take(&mut pool).into_iter().partition(|tuple| {
                            shown.iter().any(|(label, _)| chain.inside(tuple, label))
                        });
                    atoms.sort();
                    alone.push(atoms);
                    pool = waits;
                }
                waited += u64::from(!waiting.is_empty());
                let again = chain.releases(&alone);
                assert!(
                    again
                        .get(&release)
                        .is_some_and(|(_, waiting)| waiting.is_empty()),
                    "{population:?} {release:?}"
                );
            }
        }
    });
    assert!(
        waited > 10_000,
        "{waited} releases beside which a person waits"
    );
}

/// People who were not divided are outside the labels of that halving: a reader who knows when they
/// were added knows that.
#[test]
fn the_position_of_people_who_were_passed_over_is_not_bounded() {
    let mut impossible = 0;
    each(&MORE[..1], |chain| {
        for population in chain.populations() {
            for release in chain.releases(&population).into_keys() {
                let passed = release[1]
                    .iter()
                    .flat_map(|(label, _)| chain.moved(&population, 0, label));
                impossible += passed
                    .filter(|moved| !chain.releases(moved).contains_key(&release))
                    .count();
            }
        }
    });
    assert!(
        impossible > 100,
        "{impossible} placements of those who came before that a reader rules out"
    );
}
