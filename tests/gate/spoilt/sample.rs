//! A small chain whose third release every mutant starts from, and its rows as plain lines.

use std::sync::Arc;

use tidegate::engine::model::{
    Column, Columns, DetailSettings, Domain, Kind, LeafRule, Role, Taxonomy, Tree, Value,
};
use tidegate::engine::policy::{ChainKind, Guarantee, PolicySettings};

use super::chain::{Chain, Human, Offer, policy};

/// A row of a table: labels of both quasi columns, a diagnosis, days.
pub type Line = (Vec<String>, Option<&'static str>, Option<i64>);

const AGE: [&str; 7] = ["any age", "young", "0-19", "20-39", "old", "40-59", "60-79"];
const WARD: [&str; 7] = ["any ward", "north", "n1", "n2", "south", "s1", "s2"];
const DIAGNOSES: [&str; 4] = ["Asthma", "Flu", "Gout", "HIV"];

/// Two nodes under the root, two leaves under each.
fn tree(labels: [&str; 7]) -> Taxonomy {
    let mut tree = Tree::new(labels[0]);
    for inner in [1, 4] {
        let node = tree.add(0, labels[inner], 1);
        [inner + 1, inner + 2]
            .iter()
            .for_each(|&leaf| _ = tree.add(node, labels[leaf], 1));
    }
    tree.finish().expect("a tree")
}

pub fn columns() -> Columns {
    let column = |name: &str, role, kind, tree: Option<Taxonomy>| Column {
        name: name.into(),
        source: Default::default(),
        role,
        kind,
        taxonomy: tree.map(|tree| {
            Arc::new(Domain {
                tree,
                rule: LeafRule::Label,
            })
        }),
        guarded: Vec::new(),
        optional: false,
        unknown: None,
        detail: DetailSettings::default(),
        unrelated: false,
    };
    Columns::new(vec![
        column("age", Role::Quasi, Kind::String, Some(tree(AGE))),
        column("ward", Role::Quasi, Kind::String, Some(tree(WARD))),
        column("diagnosis", Role::Sensitive, Kind::String, None),
        column("days", Role::Sensitive, Kind::Int, None),
    ])
}

/// Arrivals per tick: leaves of both columns, and the number of people. Under k = 3 the classes of
/// the first tick are {young, old} × {north, south}.
const TICKS: [&[(&str, &str, usize)]; 3] = [
    &[
        ("0-19", "n1", 1),
        ("0-19", "n2", 1),
        ("20-39", "n1", 1),
        ("20-39", "n2", 1),
        ("40-59", "n1", 4),
        ("0-19", "s1", 3),
        ("60-79", "s2", 3),
        ("40-59", "s1", 1),
    ],
    &[
        ("0-19", "n1", 3),
        ("60-79", "s2", 1),
        ("40-59", "s2", 2),
        ("40-59", "n2", 3),
    ],
    &[("40-59", "n1", 3), ("0-19", "s1", 3)],
];

/// The people of a tick. No person's values follow from their leaves.
pub fn people(tick: usize) -> Vec<Human> {
    let columns = columns();
    let trees = columns.trees();
    let places = TICKS[tick]
        .iter()
        .flat_map(|&(age, ward, count)| std::iter::repeat_n([age, ward], count));
    let human = |(at, labels): (usize, [&str; 2])| {
        let leaf = |(label, tree): (&&str, &&Taxonomy)| tree.find_leaf(label).expect("a leaf");
        let diagnosis = Value::Text(DIAGNOSES[at * 7 % 4].into());
        let days = if at % 5 == 4 {
            Value::Null
        } else {
            Value::Int(at as i64 % 3)
        };
        let leaves = labels.iter().zip(&trees).map(leaf).collect();
        Human {
            number: (tick * 100 + at) as u128,
            leaves,
            values: vec![diagnosis, days],
        }
    };
    places.enumerate().map(human).collect()
}

pub fn settings(guarantee: Option<Guarantee>) -> PolicySettings {
    PolicySettings {
        k: Some(3),
        guarantee,
        ..PolicySettings::default()
    }
}

/// The chain before its third release, and that release.
pub fn third(kind: ChainKind, guarantee: Option<Guarantee>) -> (Chain, Offer) {
    let mut chain = Chain::new(columns(), policy(&settings(guarantee), kind));
    chain.release(&people(0));
    chain.release(&people(1));
    let candidate = chain.proposed(&people(2));
    let offer = chain.offer(&candidate);
    (chain, offer)
}

/// The rows of the offered table in their order.
pub fn lines(offer: &Offer) -> Vec<Line> {
    let trees = offer.columns.trees();
    let mut lines = Vec::new();
    for class in 0..offer.table.classes() {
        let labels: Vec<String> = offer
            .table
            .class(class)
            .iter()
            .zip(&trees)
            .map(|(&node, tree)| tree.label(node).to_owned())
            .collect();
        for group in offer.table.range(class) {
            let tuple = offer.values.get(offer.table.values()[group]);
            let diagnosis = match &tuple[0] {
                Value::Text(text) => DIAGNOSES.iter().copied().find(|known| **known == **text),
                _ => None,
            };
            let days = if let Value::Int(days) = tuple[1] {
                Some(days)
            } else {
                None
            };
            let line = (labels.clone(), diagnosis, days);
            lines.extend(std::iter::repeat_n(
                line,
                offer.table.counts()[group] as usize,
            ));
        }
    }
    lines
}
