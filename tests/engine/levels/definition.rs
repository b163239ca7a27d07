//! The value of full-domain states and whether they may be published, by definition: row by row,
//! for small tables (SCIENCE 3, 4, 8).

use std::collections::BTreeMap;

use tidegate::engine::histogram::Histogram;
use tidegate::engine::label::levels::{DistinctRows, Diverse, Ground, Lattice, Mean, Privacy};
use tidegate::engine::model::{Leaf, Node, Recoding, Taxonomy, Tree, Value};

use crate::common::Row;
use crate::common::random::Draw;

/// The objective of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    Loss(Mean, u64),
    Precision,
    Entropy,
    Discernibility,
    AverageSize,
}

pub const GOALS: [Goal; 6] = [
    Goal::Loss(Mean::Geometric, 1_000),
    Goal::Loss(Mean::Arithmetic, 400),
    Goal::Precision,
    Goal::Entropy,
    Goal::Discernibility,
    Goal::AverageSize,
];

/// One of the models of sensitive values; `tree`: the positions of values, of which those in
/// `guarded` are guarded.
pub fn model(draw: &mut Draw, table: &DistinctRows, values: &Values) -> Vec<Diverse> {
    match draw.between(0, 7) {
        0 => Vec::new(),
        1 => vec![Diverse::Distinct(2)],
        2 => vec![Diverse::Entropy(1.7)],
        3 => vec![Diverse::Recursive { c: 1.5, l: 2 }],
        4 => vec![Diverse::Alpha(0.6), Diverse::Distinct(2)],
        5 => vec![Diverse::Close(0.4)],
        6 => vec![Diverse::CloseInTree {
            most: 0.3,
            ground: Ground::of(&values.tree, &values.leaves, table),
        }],
        _ => {
            let numbers = 0..values.names.len() as u32;
            let guarded = numbers
                .filter(|&number| values.guarded.contains(&values.names[number as usize]))
                .collect();
            vec![Diverse::Confidence { most: 0.5, guarded }]
        }
    }
}

/// Sensitive values: their names by number, a taxonomy with most of them, and some that are
/// guarded.
pub struct Values {
    pub names: Vec<String>,
    tree: Taxonomy,
    leaves: Vec<Option<Leaf>>,
    guarded: Vec<String>,
}

impl Values {
    pub fn of(draw: &mut Draw, histogram: &Histogram) -> Values {
        let text = |value: u32| match histogram.values().get(value).first() {
            Some(Value::Text(text)) => text.to_string(),
            other => panic!("{other:?}"),
        };
        let names: Vec<String> = (0..histogram.values().len() as u32).map(text).collect();
        let mut tree = Tree::new("*");
        let (left, right) = (tree.add(0, "left", 1), tree.add(0, "right", 1));
        let deep = tree.add(left, "deep", 1);
        for (name, at) in ["s1", "s2", "s3"].into_iter().zip([deep, left, right]) {
            tree.add(at, name, 1);
        }
        tree.add(deep, "s9", 1);
        let tree = tree.finish().expect("a tree");
        let leaves = names.iter().map(|name| tree.find_leaf(name)).collect();
        let guarded = names.iter().filter(|_| draw.once_in(2)).cloned().collect();
        Values {
            names,
            tree,
            leaves,
            guarded,
        }
    }

    /// The height of the lowest common ancestor over that of the tree; 1 for a value outside it and
    /// any other.
    fn apart(&self, one: &str, other: &str) -> f64 {
        match (self.tree.find_leaf(one), self.tree.find_leaf(other)) {
            _ if one == other => 0.0,
            (Some(one), Some(other)) => {
                let common = self
                    .tree
                    .common(self.tree.leaf_node(one), self.tree.leaf_node(other));
                f64::from(self.tree.height(common)) / f64::from(self.tree.height(0))
            }
            _ => 1.0,
        }
    }
}

/// Earth mover's distance as a flow: always along the shortest pair with too much and too little.
/// This is minimal for distances of a tree, where of three the two largest are equal.
fn moved(values: &Values, here: &BTreeMap<String, f64>, whole: &BTreeMap<String, f64>) -> f64 {
    let share =
        |shares: &BTreeMap<String, f64>, name: &String| shares.get(name).copied().unwrap_or(0.0);
    let mut extra: Vec<f64> = values
        .names
        .iter()
        .map(|name| share(here, name) - share(whole, name))
        .collect();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (from, one) in values.names.iter().enumerate() {
        pairs.extend(
            values
                .names
                .iter()
                .enumerate()
                .map(|(to, other)| (values.apart(one, other), from, to)),
        );
    }
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut cost = 0.0;
    for (apart, from, to) in pairs {
        let amount = extra[from].min(-extra[to]).max(0.0);
        extra[from] -= amount;
        extra[to] += amount;
        cost += amount * apart;
    }
    cost
}

/// A leaf and all above it.
fn path(tree: &Taxonomy, label: &str) -> Vec<Node> {
    let leaf = tree.find_leaf(label).expect("a leaf");
    std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node)).collect()
}

/// The classes of a state, row by row.
fn classes<'r>(
    rows: &'r [Row],
    trees: &[&Taxonomy],
    levels: &[u8],
) -> BTreeMap<Vec<Node>, Vec<&'r Row>> {
    let mut found: BTreeMap<Vec<Node>, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let node = |((label, tree), &level): ((&String, &&Taxonomy), &u8)| {
            let path = path(tree, label);
            let height = tree.height(0) as usize + 1;
            path[(usize::from(level) + path.len()).saturating_sub(height)]
        };
        found
            .entry(row.0.iter().zip(trees).zip(levels).map(node).collect())
            .or_default()
            .push(row);
    }
    found
}

fn shares(rows: &[&Row]) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    rows.iter()
        .for_each(|row| *found.entry(row.1.clone()).or_insert(0.0) += 1.0 / rows.len() as f64);
    found
}

fn holds(diverse: &Diverse, class: &[&Row], all: &[&Row], values: &Values) -> bool {
    let shares_here = shares(class);
    let mut sorted: Vec<f64> = shares_here.values().copied().collect();
    sorted.sort_by(|one, other| other.total_cmp(one));
    match *diverse {
        Diverse::CloseInTree { most, .. } => {
            moved(values, &shares_here, &shares(all)) <= most + 1e-12
        }
        Diverse::Confidence { most, .. } => {
            let guarded = |(value, _): &(&String, &f64)| values.guarded.contains(value);
            shares_here
                .iter()
                .filter(guarded)
                .map(|(_, share)| share)
                .sum::<f64>()
                <= most + 1e-12
        }
        Diverse::Distinct(least) => sorted.len() as u64 >= least,
        Diverse::Entropy(least) => {
            -sorted.iter().map(|share| share * share.ln()).sum::<f64>() >= least.ln() - 1e-12
        }
        Diverse::Recursive { c, l } => {
            sorted[0] < c * sorted.iter().skip(l - 1).sum::<f64>() - 1e-12
        }
        Diverse::Alpha(most) => sorted[0] <= most + 1e-12,
        Diverse::Close(most) => {
            let whole = shares(all);
            let apart = |(value, share): (&String, &f64)| {
                (share - shares_here.get(value).unwrap_or(&0.0)).abs()
            };
            whole.iter().map(apart).sum::<f64>() / 2.0 <= most + 1e-12
        }
    }
}

/// The combined figure of columns.
fn together(mean: Mean, figures: &[f64], weights: &[u32]) -> f64 {
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    let figures = figures
        .iter()
        .zip(weights)
        .map(|(&figure, &weight)| (figure, f64::from(weight) / sum));
    match mean {
        Mean::Geometric => {
            figures
                .map(|(figure, weight)| (figure + 1.0).powf(weight))
                .product::<f64>()
                - 1.0
        }
        Mean::Arithmetic => figures.map(|(figure, weight)| figure * weight).sum(),
    }
}

/// Rows that a state suppresses, and its value.
pub fn state(
    rows: &[Row],
    trees: &[&Taxonomy],
    levels: &[u8],
    (privacy, goal, weights): (&Privacy, Goal, &[u32]),
    values: &Values,
) -> (u64, f64) {
    let all: Vec<&Row> = rows.iter().collect();
    let classes = classes(rows, trees, levels);
    let may = |class: &[&Row]| {
        class.len() as u64 >= privacy.k
            && privacy
                .diverse
                .iter()
                .all(|diverse| holds(diverse, class, &all, values))
    };
    let count = rows.len() as f64;
    let suppressed: usize = classes
        .values()
        .filter(|class| !may(class))
        .map(Vec::len)
        .sum();
    let published = classes.values().filter(|class| may(class));
    let of_columns =
        |cost: &dyn Fn(usize, Node, &str, bool) -> f64, whole: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let of = |column: usize| {
                let rows = classes.iter().flat_map(|(nodes, class)| {
                    class.iter().map(move |row| (nodes, row, may(class)))
                });
                let sum: f64 = rows
                    .map(|(nodes, row, may)| cost(column, nodes[column], &row.0[column], may))
                    .sum();
                if whole(column) == 0.0 {
                    0.0
                } else {
                    sum / whole(column)
                }
            };
            (0..trees.len()).map(of).collect()
        };
    let geometric = |figures: Vec<f64>| together(Mean::Geometric, &figures, weights);
    let value = match goal {
        Goal::Discernibility => {
            let squares: f64 = published.map(|class| (class.len() as f64).powi(2)).sum();
            (squares + suppressed as f64 * count) / count.powi(2)
        }
        Goal::AverageSize => count / (published.count() + usize::from(suppressed > 0)) as f64,
        Goal::Loss(mean, share) => {
            let cost = |column: usize, node: Node, _: &str, may: bool| {
                let tree = trees[column];
                let own = (tree.values(node) - 1) as f64 / (tree.values(0) - 1) as f64;
                if may {
                    own
                } else {
                    own + share as f64 / 1_000.0 * (1.0 - own)
                }
            };
            together(mean, &of_columns(&cost, &|_| count), weights)
        }
        Goal::Precision => {
            let top = |column: usize| f64::from(trees[column].height(0));
            let cost = |column: usize, _: Node, _: &str, may: bool| {
                if may {
                    f64::from(levels[column]) / top(column)
                } else {
                    1.0
                }
            };
            geometric(of_columns(&cost, &|_| count))
        }
        Goal::Entropy => {
            let many = |column: usize, node: Node| {
                let under =
                    |row: &&Row| trees[column].covers(node, path(trees[column], &row.0[column])[0]);
                rows.iter().filter(under).count() as f64
            };
            let cost = |column: usize, node: Node, label: &str, may: bool| {
                let node = if may { node } else { 0 };
                (many(column, node) / many(column, path(trees[column], label)[0])).log2()
            };
            let whole = |column: usize| {
                rows.iter()
                    .map(|row| cost(column, 0, &row.0[column], true))
                    .sum()
            };
            geometric(of_columns(&cost, &whole))
        }
    };
    (suppressed as u64, value)
}

pub fn states(lattice: &Lattice) -> Vec<Vec<u8>> {
    let (mut found, mut at) = (vec![lattice.bottom()], 0);
    while at < found.len() {
        let more: Vec<Vec<u8>> = lattice.children(&found[at]).collect();
        found.extend(more);
        at += 1;
    }
    found
}

/// Whether a chain of releases with these recodings is valid: per person and value the rows with
/// the same labels after every earlier and every later release that separates them, counted one by
/// one.
pub fn is_valid(
    increments: &[Vec<Row>],
    recodings: &[Recoding],
    trees: &[&Taxonomy],
    k: usize,
) -> bool {
    let leaves = |row: &Row| -> Vec<Leaf> {
        row.0
            .iter()
            .zip(trees)
            .map(|(label, tree)| tree.find_leaf(label).expect("a leaf"))
            .collect()
    };
    // The node of a leaf that both releases together reveal, the coarser one.
    let node = |column: usize, leaf: Leaf, releases: &[&Recoding]| {
        releases
            .iter()
            .map(|cuts| cuts[column].at(leaf))
            .min()
            .expect("a release")
    };
    let figure = |increment: usize, person: &Row| {
        let mut least: BTreeMap<&str, usize> = BTreeMap::new();
        increments
            .iter()
            .flatten()
            .for_each(|row| _ = least.insert(&row.1, usize::MAX));
        for before in 0..=increment {
            for later in increment..increments.len() {
                let releases: Vec<&Recoding> = recodings[..before]
                    .iter()
                    .rev()
                    .take(1)
                    .chain([&recodings[later]])
                    .collect();
                let (mine, mut found) = (leaves(person), BTreeMap::new());
                for row in increments[before..=later].iter().flatten() {
                    let same = leaves(row).iter().zip(&mine).enumerate().all(
                        |(column, (&other, &mine))| {
                            node(column, other, &releases) == node(column, mine, &releases)
                        },
                    );
                    *found.entry(row.1.as_str()).or_insert(0) += usize::from(same);
                }
                least.iter_mut().for_each(|(value, rows)| {
                    *rows = (*rows).min(found.get(value).copied().unwrap_or(0))
                });
            }
        }
        least.values().sum::<usize>()
    };
    increments
        .iter()
        .enumerate()
        .all(|(at, people)| people.iter().all(|person| figure(at, person) >= k))
}
