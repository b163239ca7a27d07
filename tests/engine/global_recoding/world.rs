//! Small releases of the top-down search, and every world that could have led to one.

use tidegate::engine::histogram::{
    Cell, Headcount, Heads, Histogram, Release, SensitiveValues as Dictionary,
};
use tidegate::engine::label::{TopDownResult, alone};
use tidegate::engine::model::{Cut, Leaf, Node, Recoding, Taxonomy, Tree};
use tidegate::engine::policy::Values;

use crate::common::random::Draw;

/// How many people have which leaves.
pub type World = Vec<(Vec<Leaf>, u32)>;

/// A release, and the search that made it.
pub struct Case {
    pub trees: Vec<Taxonomy>,
    pub a: u64,
    pub found: TopDownResult,
    pub release: Release,
}

/// The same seed in every run: the tests state counts over these cases.
const SEED: u64 = 20_251_122;

/// The stream of one case of a test.
pub fn draw(test: u64, case: u64) -> Draw {
    Draw::new(SEED + test, case)
}

pub fn headcount(width: usize, world: &World) -> Headcount {
    Headcount::of(
        width,
        world.iter().map(|(leaves, count)| {
            (
                leaves,
                Heads {
                    since: 0,
                    count: *count,
                },
            )
        }),
    )
}

/// People under a recoding, all with one sensitive value.
pub fn release(world: &World, recoding: &[Cut]) -> Release {
    let world: Vec<&(Vec<Leaf>, u32)> = world.iter().filter(|(_, count)| *count > 0).collect();
    let columns: Vec<Vec<Leaf>> = (0..recoding.len())
        .map(|column| world.iter().map(|(leaves, _)| leaves[column]).collect())
        .collect();
    let cells: Vec<Cell> = world
        .iter()
        .map(|&&(_, count)| Cell {
            increment: 0,
            value: 0,
            count,
        })
        .collect();
    let (values, _) = Dictionary::from_distinct(0, vec![Box::new([])]);
    Release::under(
        &Histogram::of_counts(&columns, values, &cells),
        0..1,
        recoding,
    )
}

impl Case {
    /// The search result for these people, if there are enough.
    pub fn of(trees: Vec<Taxonomy>, world: &World, a: u64) -> Option<Case> {
        let borrowed: Vec<&Taxonomy> = trees.iter().collect();
        let found = alone(&headcount(trees.len(), world), &borrowed, a).ok()?;
        let release = release(world, &found.recoding);
        Some(Case {
            trees,
            a,
            found,
            release,
        })
    }

    /// Random people in at most this many columns.
    pub fn random(draw: &mut Draw, width: u64, people: u64, values: Values) -> Option<Case> {
        let trees: Vec<Taxonomy> = (0..draw.between(1, width))
            .map(|column| tree(draw, column))
            .collect();
        let a = draw.between(2, 3);
        let mut world = World::new();
        for _ in 0..draw.between(a, people) {
            let leaves: Vec<Leaf> = trees
                .iter()
                .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as Leaf)
                .collect();
            let room: u64 = leaves
                .iter()
                .zip(&trees)
                .map(|(&leaf, tree)| tree.values(tree.leaf_node(leaf)))
                .product();
            match world.iter_mut().find(|(known, _)| *known == leaves) {
                Some((_, count)) if values == Values::Repeated || u64::from(*count) < room => {
                    *count += 1
                }
                Some(_) => {}
                None => world.push((leaves, 1)),
            }
        }
        Case::of(trees, &world, a)
    }

    pub fn trees(&self) -> Vec<&Taxonomy> {
        self.trees.iter().collect()
    }

    pub fn classes(&self) -> impl Iterator<Item = (&[Node], u64)> {
        (0..self.release.classes())
            .map(|class| (self.release.class(class), self.release.size(class)))
    }

    /// All worlds with this release's counts, each with its combinations of values; None if there
    /// are too many.
    pub fn worlds(&self, values: Values, most: usize) -> Option<Vec<(World, u128)>> {
        let mut worlds: Vec<(World, u128)> = vec![(World::new(), 1)];
        for (nodes, rows) in self.classes() {
            let some = spreads(&self.cells(nodes), rows as u32, values, most)?;
            if worlds.len() * some.len() > most {
                return None;
            }
            let both = |(world, weight): &(World, u128)| -> Vec<(World, u128)> {
                some.iter()
                    .map(|(more, times)| ([&world[..], more].concat(), weight * times))
                    .collect()
            };
            worlds = worlds.iter().flat_map(both).collect();
        }
        Some(worlds)
    }

    /// Those for which the search makes the same release.
    pub fn kept(&self, worlds: &[(World, u128)]) -> Vec<(World, u128)> {
        let trees = self.trees();
        let same = |(world, _): &&(World, u128)| {
            let found =
                alone(&headcount(trees.len(), world), &trees, self.a).expect("as many people");
            found.recoding == self.found.recoding
        };
        worlds.iter().filter(same).cloned().collect()
    }

    /// Leaf tuples under some nodes, with their combinations of values.
    fn cells(&self, nodes: &[Node]) -> Vec<(Vec<Leaf>, u128)> {
        let mut cells = vec![(Vec::new(), 1)];
        for (&node, tree) in nodes.iter().zip(&self.trees) {
            let longer = |(leaves, volume): &(Vec<Leaf>, u128)| -> Vec<(Vec<Leaf>, u128)> {
                let cell = |leaf| {
                    (
                        [&leaves[..], &[leaf]].concat(),
                        volume * u128::from(tree.values(tree.leaf_node(leaf))),
                    )
                };
                tree.leaf_range(node).map(cell).collect()
            };
            cells = cells.iter().flat_map(longer).collect();
        }
        cells
    }

    /// Recodings of the search at its rejections, one per rejection.
    pub fn states(&self) -> Vec<(usize, Node, Recoding)> {
        let mut nodes: Vec<Vec<Node>> = vec![vec![0]; self.trees.len()];
        let mut states = Vec::new();
        for turn in &self.found.trace {
            if turn.accepted {
                nodes[turn.column].retain(|&node| node != turn.node);
                nodes[turn.column].extend(self.trees[turn.column].children(turn.node));
            } else {
                let cuts = nodes
                    .iter()
                    .zip(&self.trees)
                    .map(|(nodes, tree)| Cut::completed(tree, nodes).expect("a cut"));
                states.push((turn.column, turn.node, cuts.collect()));
            }
        }
        states
    }

    /// People of a world in a box of nodes.
    pub fn inside(&self, world: &World, nodes: &[Node]) -> u64 {
        let within = |leaves: &[Leaf]| {
            let mut columns = leaves.iter().zip(nodes).zip(&self.trees);
            columns.all(|((leaf, &node), tree)| tree.leaf_range(node).contains(leaf))
        };
        world
            .iter()
            .filter(|(leaves, _)| within(leaves))
            .map(|&(_, count)| u64::from(count))
            .sum()
    }
}

/// All ways to put this many people into cells.
fn spreads(
    cells: &[(Vec<Leaf>, u128)],
    rows: u32,
    values: Values,
    most: usize,
) -> Option<Vec<(World, u128)>> {
    let [(leaves, volume), rest @ ..] = cells else {
        return Some(if rows == 0 {
            vec![(World::new(), 1)]
        } else {
            vec![]
        });
    };
    let mut all = Vec::new();
    for count in 0..=rows {
        let choose =
            |n: u128, k: u128| (0..k).fold(1, |product, i| product * n.saturating_sub(i) / (i + 1));
        let times = match values {
            Values::Repeated => choose(rows.into(), count.into()) * volume.pow(count),
            Values::Distinct => choose(*volume, count.into()),
        };
        if times == 0 {
            continue;
        }
        for (world, weight) in spreads(rest, rows - count, values, most)? {
            let here = (count > 0).then(|| (leaves.clone(), count));
            all.push((here.into_iter().chain(world).collect(), weight * times));
        }
        if all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// A tree of up to three levels whose leaves have one to three values each.
fn tree(draw: &mut Draw, column: u64) -> Taxonomy {
    let mut tree = Tree::new(&format!("q{column}:*"));
    let mut next = 0;
    grow(draw, &mut tree, 0, column, 2, &mut next);
    tree.finish().expect("distinct labels")
}

fn grow(draw: &mut Draw, tree: &mut Tree, parent: usize, column: u64, depth: u64, next: &mut u32) {
    let fewest = if depth == 1 && draw.once_in(6) { 1 } else { 2 };
    for _ in 0..draw.between(fewest, 3) {
        *next += 1;
        let size = if draw.once_in(3) {
            draw.between(2, 3)
        } else {
            1
        };
        let node = tree.add(parent, &format!("q{column}:{next}"), size);
        if depth > 1 && draw.once_in(2) {
            grow(draw, tree, node, column, depth - 1, next);
        }
    }
}

/// A flat tree: a root, and one leaf for each number of values.
pub fn flat(column: usize, sizes: &[u64]) -> Taxonomy {
    let mut tree = Tree::new(&format!("q{column}:*"));
    for (at, &size) in sizes.iter().enumerate() {
        tree.add(0, &format!("q{column}:{at}"), size);
    }
    tree.finish().expect("distinct labels")
}
