//! Halving with a random draw on cases with known answers (SCIENCE 11): ways to divide a region,
//! fixed draws, and the distribution over all draws of the releases of one tick and of whole
//! chains.

use std::collections::BTreeMap;

use crate::common::{golden, strings, taxonomy};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use tidegate::engine::histogram::{Headcount, Heads};
use tidegate::engine::label::{Effort, Halved, HalvingTicks, crowds};
use tidegate::engine::model::{Domain, LeafRule, Node, Taxonomy};
use tidegate::engine::policy::{Certain, Division, Values};

fn halved(case: &Json) -> Vec<Taxonomy> {
    let trees = case["taxonomies"]
        .as_array()
        .expect("trees")
        .iter()
        .map(taxonomy);
    trees
        .map(|tree| {
            Domain {
                tree,
                rule: LeafRule::Label,
            }
            .with_runs()
            .expect("a tree")
            .tree
        })
        .collect()
}

fn number(case: &Json, key: &str) -> u64 {
    case[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} is a number"))
}

fn division<'t>(case: &Json, trees: &'t [Taxonomy]) -> Division<'t> {
    let values = if case["values"] == "distinct" {
        Values::Distinct
    } else {
        Values::Repeated
    };
    let trees: Vec<&Taxonomy> = trees.iter().collect();
    Division::new(
        &trees,
        number(case, "a"),
        number(case, "min_solutions"),
        values,
    )
    .expect("few combinations")
}

fn certain(case: &Json) -> Certain {
    let of = |key: &str| number(&case["h"], key);
    Certain {
        first: of("first"),
        harvest: of("harvest"),
        sweep: of("sweep"),
    }
}

fn labels(nodes: &[Node], trees: &[Taxonomy]) -> Vec<String> {
    nodes
        .iter()
        .zip(trees)
        .map(|(&node, tree)| tree.label(node).to_owned())
        .collect()
}

fn nodes(labels: &Json, trees: &[Taxonomy]) -> Vec<Node> {
    strings(labels)
        .iter()
        .zip(trees)
        .map(|(label, tree)| tree.find(label).expect("a label"))
        .collect()
}

fn pool(rows: &Json, trees: &[Taxonomy]) -> Headcount {
    let leaves = |row: &Json| -> Vec<u32> {
        strings(row)
            .iter()
            .zip(trees)
            .map(|(label, tree)| tree.find_leaf(label).expect("a leaf"))
            .collect()
    };
    let rows = rows.as_array().expect("rows").iter();
    Headcount::of(
        trees.len(),
        rows.map(|row| (leaves(row), Heads { since: 0, count: 1 })),
    )
}

/// Labels with their people, in the order of formation.
fn atoms(found: &Halved, trees: &[Taxonomy]) -> Vec<(Vec<String>, u64)> {
    found
        .classes
        .iter()
        .map(|class| (labels(&class.nodes, trees), class.people))
        .collect()
}

/// Leaf labels with their people, in the order of the labels.
fn leaves(people: &Headcount, trees: &[Taxonomy]) -> Vec<(Vec<String>, u64)> {
    let mut all = BTreeMap::new();
    for (leaves, heads) in people.iter() {
        let label = |(leaf, tree): (&u32, &Taxonomy)| tree.label(tree.leaf_node(*leaf)).to_owned();
        *all.entry(leaves.iter().zip(trees).map(label).collect())
            .or_default() += u64::from(heads.count);
    }
    all.into_iter().collect()
}

fn waiting(found: &Halved, pool: &Headcount) -> Headcount {
    pool.divide(|tuple, _| found.waiting.binary_search(&(tuple as u32)).is_ok())[0].clone()
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

/// The results of all draws, each with its probability as text.
fn outcomes(q: &Json, run: impl Fn(&mut dyn FnMut() -> bool) -> Json) -> BTreeMap<String, String> {
    let (yes, of) = q
        .as_str()
        .expect("a fraction")
        .split_once('/')
        .expect("a fraction");
    let [yes, of] = [yes, of].map(|part| part.parse::<u32>().expect("a number"));
    let mut found: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut script: Vec<bool> = Vec::new();
    loop {
        let mut at = 0;
        let outcome = run(&mut || {
            if at == script.len() {
                script.push(true);
            }
            at += 1;
            script[at - 1]
        });
        assert_eq!(
            at,
            script.len(),
            "what was tossed before decides what is tossed"
        );
        let count = |coin: bool| script.iter().filter(|&&tossed| tossed == coin).count() as u32;
        found
            .entry(outcome.to_string())
            .or_default()
            .push((count(true), count(false)));
        while script.pop_if(|coin| !*coin).is_some() {}
        match script.last_mut() {
            Some(coin) => *coin = false,
            None => break,
        }
    }
    let probability = |ways: Vec<(u32, u32)>| {
        let most = ways.iter().map(|(yes, no)| yes + no).max().expect("a way");
        let power = |base: u32, exponent: u32| BigUint::from(base).pow(exponent);
        let weight = |(taken, not): (u32, u32)| {
            power(yes, taken) * power(of - yes, not) * power(of, most - taken - not)
        };
        reduced(ways.into_iter().map(weight).sum(), power(of, most), of)
    };
    found
        .into_iter()
        .map(|(outcome, ways)| (outcome, probability(ways)))
        .collect()
}

/// A fraction over a power of `of`, which is a power of two.
fn reduced(mut above: BigUint, mut below: BigUint, of: u32) -> String {
    assert!(of.is_power_of_two());
    while below.bits() > 1 && !above.bit(0) {
        (above, below) = (above >> 1u8, below >> 1u8);
    }
    if below.bits() == 1 {
        above.to_string()
    } else {
        format!("{above}/{below}")
    }
}

fn expected(case: &Json, outcome: impl Fn(&Json) -> Json) -> BTreeMap<String, String> {
    let outcomes = case["outcomes"].as_array().expect("outcomes").iter();
    outcomes
        .map(|one| {
            (
                outcome(one).to_string(),
                one["probability"].as_str().expect("a fraction").to_owned(),
            )
        })
        .collect()
}

/// Cases of a kind; there is at least one.
fn each(kind: &str, check: impl Fn(&Json, &str)) {
    let cases = golden("halves_coin.json");
    let of_kind: Vec<&Json> = cases
        .as_array()
        .expect("cases")
        .iter()
        .filter(|case| case["kind"] == kind)
        .collect();
    assert!(of_kind.len() >= 10, "{kind}");
    of_kind
        .into_iter()
        .for_each(|case| check(case, case["id"].as_str().expect("a name")));
}

#[test]
fn regions_are_divided_as_stated() {
    each("cuts", |case, id| {
        let trees = halved(case);
        let region = nodes(&case["region"], &trees);
        let values: Vec<u64> = region
            .iter()
            .zip(&trees)
            .map(|(&node, tree)| tree.values(node))
            .collect();
        assert_eq!(json!(values), case["values_of_nodes"], "{id}");
        let splits = division(case, &trees)
            .splits(&region)
            .into_iter()
            .map(|split| {
                let part = |node| {
                    let mut part = region.clone();
                    part[split.column] = node;
                    labels(&part, &trees)
                };
                json!({ "column": split.column, "parts": split.parts.map(part) })
            });
        assert_eq!(Json::Array(splits.collect()), case["cuts"], "{id}");
    });
}

#[test]
fn ticks_have_the_stated_distribution() {
    each("tick", |case, id| {
        let trees = halved(case);
        let (division, pool) = (division(case, &trees), pool(&case["pool"], &trees));
        let crowd = certain(case)
            .crowds(number(case, "tick"), number(case, "max_wait").max(1))
            .expect("it halves");
        let effort = Effort {
            certain: crowd,
            refusals: number(case, "r") as u32,
        };
        let found = outcomes(&case["q"], |coin| {
            let found = crowds(&pool, &division, effort, coin);
            json!([
                sorted(atoms(&found, &trees)),
                leaves(&waiting(&found, &pool), &trees)
            ])
        });
        assert_eq!(
            found,
            expected(case, |one| json!([one["atoms"], one["waiting"]])),
            "{id}"
        );
    });
}

#[test]
fn coins_are_tossed_in_the_stated_order() {
    each("coins", |case, id| {
        let trees = halved(case);
        let (division, pool) = (division(case, &trees), pool(&case["pool"], &trees));
        let crowd = certain(case)
            .crowds(number(case, "tick"), number(case, "max_wait").max(1))
            .expect("it halves");
        let effort = Effort {
            certain: crowd,
            refusals: number(case, "r") as u32,
        };
        let mut coins = case["coins"]
            .as_array()
            .expect("coins")
            .iter()
            .map(|coin| coin == 1);
        let found = crowds(&pool, &division, effort, &mut || {
            coins.next().expect("as many as are tossed")
        });
        assert_eq!(coins.next(), None, "{id}: coins are left");
        assert_eq!(json!(atoms(&found, &trees)), case["atoms"], "{id}");
        assert_eq!(
            json!(leaves(&waiting(&found, &pool), &trees)),
            case["waiting"],
            "{id}"
        );
    });
}

#[test]
fn chains_have_the_stated_distribution() {
    each("chain", |case, id| {
        let trees = halved(case);
        let (division, certain, every) = (
            division(case, &trees),
            certain(case),
            number(case, "max_wait").max(1),
        );
        let arrivals: Vec<Headcount> = case["arrivals"]
            .as_array()
            .expect("ticks")
            .iter()
            .map(|rows| pool(rows, &trees))
            .collect();
        let found = outcomes(&case["q"], |coin| {
            let (mut turns, mut wait, mut new) = (
                HalvingTicks::default(),
                Headcount::empty(trees.len()),
                Vec::new(),
            );
            for came in &arrivals {
                wait = wait.merge(came);
                let halved = turns
                    .tick(wait.rows(), division.people(), &certain, every)
                    .map(|certain| {
                        let effort = Effort {
                            certain,
                            refusals: number(case, "r") as u32,
                        };
                        crowds(&wait, &division, effort, coin)
                    });
                new.push(
                    halved
                        .as_ref()
                        .map_or(Vec::new(), |found| sorted(atoms(found, &trees))),
                );
                wait = halved.map_or(wait.clone(), |found| waiting(&found, &wait));
            }
            json!([new, leaves(&wait, &trees)])
        });
        assert_eq!(
            found,
            expected(case, |one| json!([one["new"], one["waiting"]])),
            "{id}"
        );
    });
}
