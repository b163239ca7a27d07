//! ARX-LR (SCIENCE 6) against recodings that ARX made, record by record, and the invariants of any
//! carving.

use std::collections::BTreeSet;

use crate::common::golden;
use crate::common::random::{self, Draw};
use serde_json::Value as Json;
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::label::{CarvingResult, NoCarving, NoLadder, arx_lr};
use tidegate::engine::model::{Leaf, Taxonomy, Tree};

/// Repeated halves in `height` layers over `[0, domain)`.
fn halves(domain: u64, height: usize) -> Taxonomy {
    fn grow(tree: &mut Tree, above: usize, (from, to): (u64, u64), more: usize) {
        if more == 0 {
            tree.resize(above, to - from);
            return;
        }
        let middle = from.midpoint(to);
        for (from, to) in [(from, middle), (middle, to)] {
            let node = tree.add(above, &format!("[{from}, {to}["), to - from);
            grow(tree, node, (from, to), more - 1);
        }
    }
    let mut tree = Tree::new("*");
    grow(&mut tree, 0, (0, domain), height - 1);
    tree.finish().expect("distinct labels")
}

/// Numbers that a case writes as text.
fn parsed(json: &Json) -> Json {
    json.as_str().map_or_else(
        || json.clone(),
        |text| serde_json::from_str(text).expect("JSON"),
    )
}

fn people(tuples: &[Vec<Leaf>], width: usize) -> Headcount {
    Headcount::of(
        width,
        tuples
            .iter()
            .map(|leaves| (leaves, Heads { since: 0, count: 1 })),
    )
}

#[test]
fn recodings_are_those_of_arx() {
    for case in golden("local_recoding.json").as_array().expect("cases") {
        let number = |name: &str| case[name].as_u64().expect("a number");
        let (domain, k, name) = (
            number("domain"),
            number("k"),
            case["case"].as_str().expect("a name"),
        );
        let heights: Vec<usize> = serde_json::from_value(case["layers"].clone()).expect("heights");
        let rows: Vec<Vec<u64>> = serde_json::from_value(parsed(&case["rows"])).expect("rows");
        let expected: Vec<Vec<String>> =
            serde_json::from_value(parsed(&case["expected"])).expect("labels");
        let trees: Vec<Taxonomy> = heights
            .iter()
            .map(|&height| halves(domain, height))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let leaves = |row: &Vec<u64>| -> Vec<Leaf> {
            row.iter()
                .zip(&heights)
                .map(|(value, height)| (value / (domain >> (height - 1))) as Leaf)
                .collect()
        };
        let tuples: Vec<Vec<Leaf>> = rows.iter().map(leaves).collect();
        let people = people(&tuples, heights.len());
        let CarvingResult { classes, outliers } = arx_lr(&people, &trees, k).expect("ladders");
        let mut labels = vec![vec!["*".to_owned(); heights.len()]; people.tuples()];
        for class in &classes {
            let reported: Vec<String> = class
                .nodes
                .iter()
                .zip(&trees)
                .map(|(&node, tree)| tree.label(node).to_owned())
                .collect();
            class
                .tuples
                .iter()
                .for_each(|&tuple| labels[tuple as usize].clone_from(&reported));
        }
        let of = |leaves: &Vec<Leaf>| &labels[people.find(leaves).expect("a person")];
        for (tuple, expected) in tuples.iter().zip(&expected) {
            assert_eq!(of(tuple), expected, "{name}, k = {k}: {tuple:?}");
        }
        let all: u64 = classes.iter().map(|class| class.people).sum();
        let left: u64 = outliers
            .iter()
            .map(|&tuple| people.count(tuple as usize))
            .sum();
        assert_eq!(all + left, rows.len() as u64);
    }
}

/// A layered column with any fan-out.
fn ladder(draw: &mut Draw, column: usize) -> Taxonomy {
    let (wide, deep) = (draw.between(2, 3), draw.between(1, 2));
    let mut tree = Tree::new(&format!("c{column}"));
    let mut layer = vec![0];
    for depth in 0..deep {
        let mut next = Vec::new();
        for above in layer {
            for child in 0..wide {
                next.push(tree.add(above, &format!("c{column}.{depth}.{above}.{child}"), 1));
            }
        }
        layer = next;
    }
    tree.finish().expect("a tree")
}

/// The remaining people form no class in any state below the top.
fn no_more_people(found: &CarvingResult, people: &Headcount, trees: &[&Taxonomy], k: u64) {
    let depth = |tree: &Taxonomy| tree.height(0);
    let mut states: Vec<Vec<u32>> = vec![Vec::new()];
    for tree in trees {
        states = states
            .iter()
            .flat_map(|state| (0..=depth(tree)).map(|up| [state.clone(), vec![up]].concat()))
            .collect();
    }
    let above = |tree: &Taxonomy, leaf: Leaf, up: u32| {
        (0..up).fold(tree.leaf_node(leaf), |node, _| {
            tree.parent(node).unwrap_or(node)
        })
    };
    for state in states
        .iter()
        .filter(|state| !state.iter().zip(trees).all(|(&up, tree)| up == depth(tree)))
    {
        let mut classes = std::collections::BTreeMap::<Vec<u32>, u64>::new();
        for &tuple in &found.outliers {
            let leaves = people.tuple_at(tuple as usize);
            let nodes = leaves
                .zip(trees)
                .zip(state)
                .map(|((leaf, tree), &up)| above(tree, leaf, up))
                .collect();
            *classes.entry(nodes).or_default() += people.count(tuple as usize);
        }
        assert!(
            classes.values().all(|&people| people < k),
            "{state:?} forms a class of those who are left"
        );
    }
}

#[test]
fn no_person_is_left_whom_a_state_could_take() {
    random::run("carving", 400, |draw| {
        let trees: Vec<Taxonomy> = (0..draw.between(1, 3))
            .map(|column| ladder(draw, column as usize))
            .collect();
        let trees: Vec<&Taxonomy> = trees.iter().collect();
        let tuple = |draw: &mut Draw| -> Vec<Leaf> {
            trees
                .iter()
                .map(|tree| draw.between(0, tree.leaves() as u64 - 1) as Leaf)
                .collect()
        };
        let tuples: Vec<Vec<Leaf>> = (0..draw.between(1, 40)).map(|_| tuple(draw)).collect();
        let (people, k) = (people(&tuples, trees.len()), draw.between(2, 6));
        let found = arx_lr(&people, &trees, k).expect("ladders");
        no_more_people(&found, &people, &trees, k);
        let seen: BTreeSet<u32> = found
            .classes
            .iter()
            .flat_map(|class| &class.tuples)
            .chain(&found.outliers)
            .copied()
            .collect();
        assert_eq!(seen.len(), people.tuples(), "each person is in one place");
        assert!(found.classes.iter().all(|class| class.people >= k));
    });
}

#[test]
fn what_is_no_ladder_is_refused() {
    let mut tree = Tree::new("*");
    tree.add(0, "a", 1);
    let b = tree.add(0, "b", 1);
    tree.add(b, "b1", 1);
    tree.add(b, "b2", 1);
    let tree = tree.finish().expect("a tree");
    let found = arx_lr(&people(&[vec![0]], 1), &[&tree], 2);
    assert_eq!(
        found,
        Err(NoCarving::Ladder {
            column: 0,
            why: NoLadder::Uneven
        })
    );
}
