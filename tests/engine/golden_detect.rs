//! Two releases against known answers (SCIENCE 2): FA, CA, BA and the crack size of every group.

use std::collections::BTreeMap;

use crate::common::{columns, golden, rows, strings, tables, taxonomy};
use serde_json::Value as Json;
use tidegate::engine::gate::correspondence::Correspondence;
use tidegate::engine::histogram::{Excess, JoinCells};
use tidegate::engine::model::{Taxonomy, Value};

fn text(value: &[Value]) -> String {
    match &value[0] {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

fn check(name: &str, case: &Json) {
    let columns = columns(
        case["taxonomies"]
            .as_array()
            .expect("trees")
            .iter()
            .map(taxonomy)
            .collect(),
    );
    let trees: Vec<&Taxonomy> = columns.trees();
    let tables = tables(&columns, &[rows(&case["R1"]), rows(&case["R2"])], &[]);
    let [earlier, later] = &tables.releases[..] else {
        panic!("two releases")
    };
    let cells = JoinCells::of(earlier, later, &trees);
    let excess = Excess::of(&cells, earlier, later, tables.values.len()).expect("a superset");
    let attack = Correspondence::new(earlier, later, &cells, &excess);
    let all = attack.all();
    assert_eq!(all.fa, case["FA"].as_u64(), "{name}: FA");
    assert_eq!(all.ca, case["CA"].as_u64(), "{name}: CA");
    assert_eq!(all.ba, case["BA"].as_u64(), "{name}: BA");

    let labels = |release: &tidegate::engine::histogram::Release, class: usize| -> Vec<String> {
        release
            .class(class)
            .iter()
            .zip(&trees)
            .map(|(&node, tree)| tree.label(node).to_owned())
            .collect()
    };
    let mut found = BTreeMap::new();
    for a in 0..earlier.classes() {
        for &b in cells.later(cells.of_earlier(a)) {
            for crack in attack.cracks(a, b as usize) {
                let key = (
                    labels(earlier, a),
                    labels(later, b as usize),
                    text(tables.values.get(crack.value)),
                );
                found.insert(key, (crack.f, crack.c));
            }
        }
    }
    let mut expected = BTreeMap::new();
    for pair in case["pairs"].as_array().expect("pairs") {
        for (s, crack) in pair[2].as_object().expect("cracks") {
            let figure = |key: &str| crack[key].as_u64().expect("a figure");
            let key = (strings(&pair[0]), strings(&pair[1]), s.clone());
            expected.insert(key, (figure("crack_F"), figure("crack_C")));
        }
    }
    assert_eq!(found, expected, "{name}: F and C cracks");

    let mut found = BTreeMap::new();
    for class in 0..later.classes() {
        for (value, crack) in attack.b_cracks(class) {
            found.insert(
                (labels(later, class), text(tables.values.get(value))),
                crack,
            );
        }
    }
    let mut expected = BTreeMap::new();
    for class in case["B"].as_array().expect("classes") {
        for (s, figures) in class[1].as_object().expect("figures") {
            expected.insert(
                (strings(&class[0]), s.clone()),
                figures["crack"].as_u64().expect("a crack"),
            );
        }
    }
    assert_eq!(found, expected, "{name}: B cracks");
}

fn check_file(file: &str) {
    let cases = golden(file);
    let cases = cases.as_array().expect("cases");
    assert!(!cases.is_empty());
    cases
        .iter()
        .enumerate()
        .for_each(|(at, case)| check(&format!("{file} #{at}"), case));
}

#[test]
fn example_1_1_of_the_paper() {
    check_file("bcf_detect_paper.json");
}

#[test]
fn small_tables() {
    check_file("bcf_detect_small.json");
}

#[test]
fn medium_tables() {
    check_file("bcf_detect_medium.json");
}
