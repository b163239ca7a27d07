//! Chains against known answers (SCIENCE 3): the paper's figure, the pair bound per increment and
//! per group, realised targets, and, if recodings cross, the lower bound and the exact candidates
//! of every group.

use std::collections::BTreeMap;

use crate::common::{Tables, columns, golden, recoding, rows, strings, tables, taxonomy};
use serde_json::Value as Json;
use tidegate::engine::gate::chain::{
    AttackerView, ChainTarget, ComparablePairs, ExactBudget, ExactTarget, ExactWorlds, Fold,
    ReleaseChain, lower_bounds,
};
use tidegate::engine::histogram::Slices;
use tidegate::engine::model::{Columns, Cut, Value};

/// The least figures over some targets.
struct Least;

impl Fold for Least {
    type Sum = [u64; 2];
    fn start(&self) -> [u64; 2] {
        [u64::MAX; 2]
    }
    fn take(&self, sum: &mut [u64; 2], target: &ChainTarget<'_>) {
        *sum = self.join(*sum, [target.left, target.paper]);
    }
    fn join(&self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
        [a[0].min(b[0]), a[1].min(b[1])]
    }
}

/// Keeps every target for the search.
struct Keep<'k>(&'k AttackerView<'k>);

impl Fold for Keep<'_> {
    type Sum = Vec<ExactTarget>;
    fn start(&self) -> Vec<ExactTarget> {
        Vec::new()
    }
    fn take(&self, sum: &mut Vec<ExactTarget>, target: &ChainTarget<'_>) {
        sum.push(ExactTarget::new(self.0, target));
    }
    fn join(&self, first: Vec<ExactTarget>, second: Vec<ExactTarget>) -> Vec<ExactTarget> {
        [first, second].concat()
    }
}

/// The results of the search: the least of all targets, and per target and value the candidates.
fn exact(name: &str, case: &Json, columns: &Columns, tables: &Tables) {
    let trees = columns.trees();
    let chain = ReleaseChain::new(
        &tables.releases,
        &tables.number,
        &trees,
        tables.values.len(),
    );
    let pairs = ComparablePairs::of(&chain);
    let mut suspects = Vec::new();
    chain
        .each_sight(|sight| suspects.extend(chain.all(sight, &pairs, &Keep(sight)).0))
        .expect("supersets");
    suspects.sort();
    let least = ExactWorlds::new(&chain, &pairs).least(
        &suspects.iter().collect::<Vec<_>>(),
        &mut ExactBudget::SMALL.clone(),
    );
    assert!(least.exact(), "{name}: solved within the small budget");
    assert_eq!(
        Some(least.left),
        case["A_exact"].as_u64(),
        "{name}: what is exactly left"
    );

    let label = |(release, class): (usize, u32)| -> Vec<String> {
        let nodes = tables.releases[release].class(class as usize);
        nodes
            .iter()
            .zip(&trees)
            .map(|(&node, tree)| tree.label(node).to_owned())
            .collect()
    };
    let at: BTreeMap<(usize, Vec<Vec<String>>), &ExactTarget> = suspects
        .iter()
        .map(|suspect| {
            let class = |release: usize| {
                let same = |(of, _): &&(usize, u32)| tables.number[*of] == tables.number[release];
                label(
                    *suspect
                        .seen
                        .iter()
                        .find(same)
                        .expect("every later release is seen through some view"),
                )
            };
            (
                (
                    suspect.increment,
                    (suspect.increment..tables.releases.len())
                        .map(class)
                        .collect(),
                ),
                suspect,
            )
        })
        .collect();
    let mut solver = ExactWorlds::new(&chain, &pairs);
    for group in case["groups"].as_array().expect("groups") {
        let tuple: Vec<Vec<String>> = group["tuple"]
            .as_array()
            .expect("classes")
            .iter()
            .map(strings)
            .collect();
        let suspect = at[&(group["ts"].as_u64().expect("a release") as usize - 1, tuple)];
        let s = group["s"].as_str().expect("a value");
        let mut values = (0..tables.values.len() as u32)
            .filter(|&code| tables.values.get(code) == [Value::Text(s.into())]);
        let found = values.next().map_or(Some(0), |code| {
            solver.candidates(suspect, code, &mut ExactBudget::SMALL.clone())
        });
        assert_eq!(found, group["exact"].as_u64(), "{name}: {group}");
    }
}

struct Figures {
    pair: Vec<u64>,
    paper: u64,
    realised: Vec<u64>,
    lower: Vec<Option<u64>>,
    nested: bool,
}

fn figures(columns: &Columns, tables: &Tables) -> Figures {
    let trees = columns.trees();
    let chain = ReleaseChain::new(
        &tables.releases,
        &tables.number,
        &trees,
        tables.values.len(),
    );
    let pairs = ComparablePairs::of(&chain);
    let cuts = chain.cuts();
    let slices = Slices::of(
        &tables.histogram,
        &cuts,
        &chain.numbered().iter().collect::<Vec<_>>(),
    );
    let (mut pair, mut paper, mut realised) = (Vec::new(), u64::MAX, Vec::new());
    chain
        .each_sight(|sight| {
            let ([left, by_paper], whole) = chain.all(sight, &pairs, &Least);
            assert!(whole);
            pair.push(left);
            paper = paper.min(by_paper);
            realised.push(chain.realised(sight, &slices.of_increment(sight.increment), &Least)[0]);
        })
        .expect("supersets");
    let recodings: Vec<&[Cut]> = tables
        .releases
        .iter()
        .map(|release| release.recoding())
        .collect();
    Figures {
        pair,
        paper,
        realised,
        lower: lower_bounds(&tables.histogram, &recodings, &trees),
        nested: chain.nested(),
    }
}

fn load(case: &Json) -> (Columns, Tables) {
    let columns = columns(
        case["taxonomies"]
            .as_array()
            .expect("trees")
            .iter()
            .map(taxonomy)
            .collect(),
    );
    let list = |key: &str| {
        case[key]
            .as_array()
            .expect(key)
            .iter()
            .map(rows)
            .collect::<Vec<_>>()
    };
    let tables = tables(&columns, &list("R"), &list("D"));
    (columns, tables)
}

fn check(name: &str, case: &Json) {
    let (columns, tables) = load(case);
    let found = figures(&columns, &tables);
    let number = |key: &str| case[key].as_u64().expect(key);
    let per: Vec<u64> = case["A_pair_per_timestamp"]
        .as_array()
        .expect("figures")
        .iter()
        .filter_map(Json::as_u64)
        .collect();
    assert_eq!(found.pair, per, "{name}: pair bound per increment");
    assert_eq!(found.paper, number("A_paper"), "{name}: the paper's figure");
    assert_eq!(
        found.realised.iter().min().copied(),
        Some(number("A_pair_realised")),
        "{name}: realised pair bound"
    );
    assert_eq!(
        found.lower.iter().flatten().min().copied(),
        Some(number("A_safe_realised")),
        "{name}: lower bound"
    );
    assert_eq!(
        found.nested,
        case["laminar"].as_bool().expect("laminar"),
        "{name}: nested"
    );

    if case["A_exact"].is_u64() {
        exact(name, case, &columns, &tables);
    }
    let trees = columns.trees();
    for (release, rows) in tables
        .releases
        .iter()
        .zip(case["cuts"].as_array().expect("cuts"))
    {
        let given: Vec<Vec<String>> = rows
            .as_array()
            .expect("columns")
            .iter()
            .map(strings)
            .collect();
        let given = recoding(&given, &trees);
        for class in 0..release.classes() {
            for (column, &node) in release.class(class).iter().enumerate() {
                assert!(
                    given[column].nodes().contains(&node),
                    "{name}: labels of the recoding"
                );
            }
        }
    }
}

#[test]
fn small_chains() {
    let cases = golden("chain_small.json");
    for (at, case) in cases.as_array().expect("cases").iter().enumerate() {
        check(&format!("chain_small #{at}"), case);
    }
}

#[test]
fn medium_chains() {
    let cases = golden("chain_medium.json");
    for (at, case) in cases.as_array().expect("cases").iter().enumerate() {
        check(&format!("chain_medium #{at}"), case);
    }
}

#[test]
fn counterexamples() {
    let cases = golden("chain_counterexamples.json");
    for case in cases.as_array().expect("cases") {
        check(case["name"].as_str().expect("a name"), case);
    }
}
