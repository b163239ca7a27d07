//! Searches for one recoding, written from the definition, row by row, without a line of the
//! engine's.

use std::collections::BTreeMap;

use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::model::{Cut, Decimal, DetailSettings, Leaf, Node, Recoding, Taxonomy};
use tidegate::engine::policy::{ChainKind, ColumnFacts, Policy, PolicySettings, Search};

use crate::common::random::Draw;

/// The number of people with each leaf tuple.
pub type People = Vec<(Vec<Leaf>, u64)>;

/// The search problem.
#[derive(Debug, Clone)]
pub struct Asked {
    pub a: u64,
    pub levels: bool,
    /// Rows of a hundred that may be set aside.
    pub percent: u64,
    /// Weights in hundredths.
    pub weights: Vec<u64>,
    pub floors: Vec<Option<u8>>,
}

impl Asked {
    pub fn random(draw: &mut Draw, trees: &[&Taxonomy]) -> Asked {
        let weight = |draw: &mut Draw| {
            if draw.once_in(2) {
                100
            } else {
                draw.between(1, 500)
            }
        };
        let floor = |draw: &mut Draw, tree: &Taxonomy| {
            let top = tree.by_level().len() as u64 - 1;
            (top > 0 && draw.once_in(3)).then(|| draw.between(0, top - 1) as u8)
        };
        Asked {
            a: draw.between(2, 3),
            levels: draw.once_in(2),
            percent: if draw.once_in(2) {
                0
            } else {
                draw.between(1, 50)
            },
            weights: trees.iter().map(|_| weight(draw)).collect(),
            floors: trees.iter().map(|tree| floor(draw, tree)).collect(),
        }
    }

    pub fn plain(a: u64, levels: bool, percent: u64, width: usize) -> Asked {
        Asked {
            a,
            levels,
            percent,
            weights: vec![100; width],
            floors: vec![None; width],
        }
    }

    pub fn policy(&self, trees: &[&Taxonomy]) -> Policy {
        let detail = |(&weight, &floor): (&u64, &Option<u8>)| {
            let weight = Decimal::new(weight, 2).expect("two decimals");
            let detail = DetailSettings::default()
                .weighted(weight)
                .expect("a weight");
            floor.map_or(detail, |floor| detail.with_floor(floor))
        };
        let details = self.weights.iter().zip(&self.floors).map(detail).collect();
        let search = Some(if self.levels {
            Search::Levels
        } else {
            Search::TopDown
        });
        let set_aside = Decimal::new(self.percent, 2);
        let written = PolicySettings {
            k: Some(self.a),
            search,
            set_aside,
            ..PolicySettings::default()
        };
        let quasi = (0..trees.len())
            .map(|column| format!("c{column}").into())
            .collect();
        let facts = ColumnFacts {
            sensitive: 1,
            details,
            quasi,
            ..ColumnFacts::default()
        };
        Policy::new(&written, ChainKind::Cumulative, &facts).expect("no contradiction")
    }
}

pub fn headcount(width: usize, people: &People) -> Headcount {
    let heads = |count: u64| Heads {
        since: 0,
        count: count as u32,
    };
    Headcount::of(
        width,
        people.iter().map(|(leaves, count)| (leaves, heads(*count))),
    )
}

/// People by classes.
pub fn classes(people: &People, cuts: &[Cut]) -> BTreeMap<Vec<Node>, u64> {
    let mut found = BTreeMap::new();
    for (leaves, count) in people {
        let class = cuts
            .iter()
            .zip(leaves)
            .map(|(cut, &leaf)| cut.at(leaf))
            .collect();
        *found.entry(class).or_default() += count;
    }
    found
}

pub fn level(tree: &Taxonomy, level: usize) -> Cut {
    let mut nodes = tree.by_level()[level].clone();
    nodes.dedup();
    Cut::completed(tree, &nodes).expect("a level")
}

/// The highest level of each column.
fn tops(asked: &Asked, trees: &[&Taxonomy]) -> Vec<usize> {
    let top = |(floor, tree): (&Option<u8>, &&Taxonomy)| {
        floor.map_or(tree.by_level().len() - 1, usize::from)
    };
    asked.floors.iter().zip(trees).map(top).collect()
}

pub fn coarsest(asked: &Asked, trees: &[&Taxonomy]) -> Recoding {
    tops(asked, trees)
        .into_iter()
        .zip(trees)
        .map(|(top, tree)| level(tree, top))
        .collect()
}

/// The people whom some recoding publishes, and how many of them may wait.
pub fn kept(people: &People, asked: &Asked, trees: &[&Taxonomy]) -> (People, u64) {
    let cuts = coarsest(asked, trees);
    let classes = classes(people, &cuts);
    let class = |leaves: &Vec<Leaf>| -> Vec<Node> {
        cuts.iter()
            .zip(leaves)
            .map(|(cut, &leaf)| cut.at(leaf))
            .collect()
    };
    let kept = people
        .iter()
        .filter(|(leaves, _)| classes[&class(leaves)] >= asked.a)
        .cloned()
        .collect();
    (
        kept,
        people.iter().map(|(_, count)| count).sum::<u64>() * asked.percent / 100,
    )
}

pub fn waiting(people: &People, cuts: &[Cut], a: u64) -> u64 {
    classes(people, cuts)
        .values()
        .filter(|&&count| count < a)
        .sum()
}

/// Π (v + 1)^(w / Σ w) − 1; a waiting person costs 1.
pub fn loss(people: &People, cuts: &[Cut], asked: &Asked, trees: &[&Taxonomy]) -> f64 {
    let classes = classes(people, cuts);
    let all: u64 = classes.values().sum();
    let weights: f64 = asked.weights.iter().map(|&weight| weight as f64).sum();
    let column = |at: usize| {
        let domain = trees[at].values(0) - 1;
        let cost = |(class, &count): (&Vec<Node>, &u64)| {
            let label = if count < asked.a {
                domain
            } else {
                trees[at].values(class[at]) - 1
            };
            if domain == 0 {
                0.0
            } else {
                (label * count) as f64 / domain as f64
            }
        };
        classes.iter().map(cost).sum::<f64>() / all as f64
    };
    let power = |at: usize| (column(at) + 1.0).powf(asked.weights[at] as f64 / weights);
    (0..trees.len()).map(power).product::<f64>() - 1.0
}

/// All states that may be published.
pub fn states(asked: &Asked, trees: &[&Taxonomy]) -> Vec<(Vec<usize>, Recoding)> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for top in tops(asked, trees) {
        all = all
            .iter()
            .flat_map(|start| (0..=top).map(move |level| [&start[..], &[level]].concat()))
            .collect();
    }
    let recoding = |levels: &Vec<usize>| {
        levels
            .iter()
            .zip(trees)
            .map(|(&at, tree)| level(tree, at))
            .collect()
    };
    all.into_iter()
        .map(|levels| (levels.clone(), recoding(&levels)))
        .collect()
}

/// The top-down search: highest weighted Score first, then column, then preorder; rejected for good
/// when too many wait.
pub fn top_down(people: &People, most: u64, asked: &Asked, trees: &[&Taxonomy]) -> Recoding {
    let mut nodes: Vec<Vec<Node>> = coarsest(asked, trees)
        .iter()
        .map(|cut| cut.nodes().to_vec())
        .collect();
    let cuts = |nodes: &[Vec<Node>]| -> Recoding {
        nodes
            .iter()
            .zip(trees)
            .map(|(nodes, tree)| Cut::completed(tree, nodes).expect("a cut"))
            .collect()
    };
    let mut dropped: Vec<(usize, Node)> = Vec::new();
    loop {
        let classes = classes(people, &cuts(&nodes));
        let score = |column: usize, node: Node| -> u128 {
            let held = classes.iter().filter(|(class, _)| class[column] == node);
            held.map(|(_, &count)| u128::from(count).pow(2))
                .sum::<u128>()
                * u128::from(asked.weights[column])
        };
        let open = nodes
            .iter()
            .enumerate()
            .flat_map(|(column, nodes)| nodes.iter().map(move |&node| (column, node)));
        let open = open.filter(|at| !dropped.contains(at) && !trees[at.0].is_leaf(at.1));
        let next = open
            .min_by_key(|&(column, node)| (std::cmp::Reverse(score(column, node)), column, node));
        let Some((column, node)) = next else {
            return cuts(&nodes);
        };
        let mut finer = nodes.clone();
        finer[column].retain(|&known| known != node);
        finer[column].extend(trees[column].children(node));
        finer[column].sort_unstable();
        if waiting(people, &cuts(&finer), asked.a) <= most {
            nodes = finer
        } else {
            dropped.push((column, node))
        }
    }
}
