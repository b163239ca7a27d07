//! Synthetic samples of the shape of the paper's data (CRA 5), which are not public: as many rows,
//! columns and layers, and no two rows that share all values, recoded by our own ARX-LR. Numbers of
//! hospitals and patients are uniform, measures are bell-shaped and ratios have a tail, so that
//! classes take about as many cells as the paper reports for HCUP at k = 3.

use std::collections::BTreeSet;

use tidegate::engine::gate::refinement::{AttackedRows, CarvedRelease, Layers};
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::label::arx_lr;
use tidegate::engine::model::{Leaf, Node, Taxonomy, Tree};

use super::common::random::Draw;
use super::paper::Setting;

/// The distribution of a column's values.
#[derive(Clone, Copy)]
enum Spread {
    /// Uniform, as numbers of hospitals and patients.
    Even,
    /// Around the middle, as weights and pressures.
    Bell,
    /// With a tail upwards, as ratios of cost.
    Tail,
    /// Half of it follows the previous column, half is its own.
    After,
}

/// The domain and spread of each column, in the paper's order.
const HCUP: [(u64, Spread); 4] = [
    (1_200, Spread::Even),
    (1_000, Spread::Tail),
    (1_100, Spread::After),
    (900, Spread::Tail),
];
const MAP: [(u64, Spread); 3] = [
    (1_600, Spread::Bell),
    (240, Spread::Bell),
    (1_000, Spread::Even),
];

/// A release with the rows that it was made from.
pub struct Sample {
    pub release: CarvedRelease,
    /// Per class, then for the outliers, the leaves of each row.
    leaves: Vec<Vec<Vec<Leaf>>>,
}

impl Sample {
    /// The true rows of a target.
    pub fn rows(&self, place: AttackedRows) -> &[Vec<Leaf>] {
        match place {
            AttackedRows::Class(at) => &self.leaves[at],
            AttackedRows::Outliers => &self.leaves[self.leaves.len() - 1],
        }
    }
}

/// The rows of one sample, recoded for one k.
pub fn sample(setting: &Setting, number: u64, k: u64) -> Sample {
    let columns = columns(setting);
    let trees: Vec<Taxonomy> = columns
        .iter()
        .zip(setting.layers)
        .map(|(&(domain, _), &layers)| halves(domain, layers))
        .collect();
    let trees: Vec<&Taxonomy> = trees.iter().collect();
    let leaf = |((&value, &(domain, _)), &layers): ((&u64, &(u64, Spread)), &usize)| -> Leaf {
        (value / (domain >> (layers - 1))) as Leaf
    };
    let tuples: Vec<Vec<Leaf>> = rows(setting, number)
        .iter()
        .map(|row| {
            row.iter()
                .zip(columns)
                .zip(setting.layers)
                .map(leaf)
                .collect()
        })
        .collect();
    let heads = tuples
        .iter()
        .map(|leaves| (leaves, Heads { since: 0, count: 1 }));
    let people = Headcount::of(columns.len(), heads);
    let carved = arx_lr(&people, &trees, k).expect("halves are layers");
    let held = |tuples: &[u32]| -> Vec<Vec<Leaf>> {
        let tuples = tuples.iter().map(|&tuple| tuple as usize);
        tuples
            .flat_map(|at| vec![people.tuple_at(at).collect(); people.count(at) as usize])
            .collect()
    };
    let mut leaves: Vec<Vec<Vec<Leaf>>> = carved
        .classes
        .iter()
        .map(|class| held(&class.tuples))
        .collect();
    leaves.push(held(&carved.outliers));
    let root: Vec<Node> = vec![0; columns.len()];
    let left = leaves[leaves.len() - 1].len() as u64;
    let classes = carved
        .classes
        .iter()
        .map(|class| (&class.nodes[..], class.people));
    let layers = Layers::of(&trees).expect("halves are layers");
    let release = layers
        .release(classes.chain([(&root[..], left)]), k)
        .expect("classes of ARX-LR");
    Sample { release, leaves }
}

fn columns(setting: &Setting) -> &'static [(u64, Spread)] {
    let all: &[(u64, Spread)] = if setting.name == "HCUP" { &HCUP } else { &MAP };
    &all[..setting.layers.len()]
}

/// Rows of one sample as values; the same ones for each k.
fn rows(setting: &Setting, number: u64) -> BTreeSet<Vec<u64>> {
    let mut draw = Draw::new(
        setting.rows as u64 * 10 + setting.layers.len() as u64,
        number,
    );
    let mut rows = BTreeSet::new();
    while rows.len() < setting.rows {
        let mut row: Vec<u64> = Vec::new();
        for &(domain, spread) in columns(setting) {
            let before = row.last().copied();
            row.push(value(&mut draw, domain, spread, before));
        }
        rows.insert(row);
    }
    rows
}

fn value(draw: &mut Draw, domain: u64, spread: Spread, before: Option<u64>) -> u64 {
    let mut mean = |of: u64| (0..of).map(|_| draw.between(0, domain - 1)).sum::<u64>() / of;
    match spread {
        Spread::Even => mean(1),
        Spread::Bell => mean(3),
        Spread::Tail => mean(2).pow(2) / domain,
        Spread::After => before
            .unwrap_or(0)
            .min(domain - 1)
            .midpoint(mean(2).pow(2) / domain),
    }
}

/// A taxonomy of repeated halves, in this many layers.
fn halves(domain: u64, layers: usize) -> Taxonomy {
    let mut tree = Tree::new("*");
    let mut above = vec![(0, 0, domain)];
    for layer in 1..layers {
        let mut below = Vec::new();
        for (handle, from, to) in above {
            let middle = u64::midpoint(from, to);
            for (from, to) in [(from, middle), (middle, to)] {
                let label = format!("{from}-{to}");
                let size = if layer + 1 == layers { to - from } else { 1 };
                below.push((tree.add(handle, &label, size), from, to));
            }
        }
        above = below;
    }
    tree.finish().expect("distinct labels")
}
