//! The known answers of `tests/golden/refinement` as feed files and tables, through the program, by
//! both attackers.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use num_bigint::BigUint;
use serde_json::{Value as Json, json};

use super::{Folder, feed};
use crate::common::golden;

fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

fn number(json: &Json) -> u64 {
    json.as_u64().expect("a number")
}

/// The edges of each column's leaf intervals.
fn edges(case: &Json) -> Vec<Vec<u64>> {
    let of = |hierarchy: &Json| {
        let mut edges = vec![number(&hierarchy["lo"])];
        edges.extend(
            list(&hierarchy["leaf_lengths"])
                .iter()
                .scan(edges[0], |edge, length| {
                    *edge += number(length);
                    Some(*edge)
                }),
        );
        edges
    };
    list(&case["hierarchies"]).iter().map(of).collect()
}

/// The labels of a class by its interval in each column.
fn labels(case: &Json, interval: &Json) -> Vec<String> {
    let label = |(edges, interval): (&Vec<u64>, &Json)| {
        let (low, high) = (number(&interval[0]), number(&interval[1]) + 1);
        let whole = (low, high) == (edges[0], edges[edges.len() - 1]);
        if whole {
            "*".to_owned()
        } else {
            format!("[{low}, {high}[")
        }
    };
    edges(case).iter().zip(list(interval)).map(label).collect()
}

/// One column needs quotes: a comma is in its labels, and no semicolon in its header.
fn line(cells: &[String]) -> String {
    cells
        .iter()
        .map(|cell| format!("\"{cell}\""))
        .collect::<Vec<_>>()
        .join(";")
        + "\n"
}

/// Writes a case; its order of formation is in `order.json`.
pub fn put(folder: &Folder, case: &Json) {
    folder.put(
        "feed.toml",
        &feed(
            &edges(case),
            &format!("k = {}\nvalues = \"distinct\"", case["k"]),
        ),
    );
    let columns = list(&case["hierarchies"]).len();
    let header = line(&(0..columns).map(|at| format!("q{at}")).collect::<Vec<_>>());
    let (mut release, mut order) = (header.clone(), Vec::new());
    for class in list(&case["classes"]) {
        let labels = labels(case, &class["interval"]);
        (0..number(&class["size"])).for_each(|_| release += &line(&labels));
        order.push(labels);
    }
    list(&case["outliers"])
        .iter()
        .for_each(|_| release += &line(&vec!["*".to_owned(); columns]));
    folder.put("release.csv", &release);
    folder.put("order.json", &json!({ "classes": order }).to_string());
    let raw = |row: &Json| {
        line(
            &list(row)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>(),
        )
    };
    folder.put(
        "raw.csv",
        &(header + &list(&case["data"]).iter().map(raw).collect::<String>()),
    );
}

/// The order of classes if the order of formation is not given: loss, Σ layer, Σ layer / height,
/// then preorder.
fn rank(case: &Json, class: &Json) -> (BigUint, u64, u64, Vec<(u64, Reverse<u64>)>) {
    let columns = || {
        list(&case["hierarchies"])
            .iter()
            .zip(list(&class["state"]))
            .zip(list(&class["interval"]))
    };
    let lengths = |hierarchy: &Json| {
        list(&hierarchy["leaf_lengths"])
            .iter()
            .map(number)
            .collect::<Vec<u64>>()
    };
    let loss = |((hierarchy, layer), _): ((&Json, &Json), &Json)| {
        let nodes = list(&hierarchy["layers"][number(layer) as usize - 1])
            .iter()
            .map(number);
        let first: u64 = nodes
            .zip(lengths(hierarchy))
            .filter(|(node, _)| *node == 0)
            .map(|(_, length)| length)
            .sum();
        BigUint::from(first + lengths(hierarchy).iter().sum::<u64>() - 2)
    };
    let heights: u64 = list(&case["hierarchies"])
        .iter()
        .map(|hierarchy| number(&hierarchy["height"]))
        .product();
    let parts = columns()
        .map(|((hierarchy, layer), _)| heights / number(&hierarchy["height"]) * number(layer));
    let preorder =
        columns().map(|(_, interval)| (number(&interval[0]), Reverse(number(&interval[1]))));
    let layers = columns().map(|((_, layer), _)| number(layer)).sum();
    (
        columns().map(loss).product(),
        layers,
        parts.sum(),
        preorder.collect(),
    )
}

#[track_caller]
fn check_target(found: &Json, expected: &Json, class: &Json) {
    assert_eq!((&found["class"], &found["rows"]), (class, &expected["n"]));
    for (key, known) in [
        ("lr", "lr_solutions"),
        ("cra", "cra_solutions"),
        ("assignments", "assignments"),
    ] {
        assert_eq!(found[key], expected[known], "{key} of {class}");
    }
    let ratio = |of: &Json| of["log10_ratio"].as_f64().expect("a number");
    assert!((ratio(found) - ratio(expected)).abs() < 1e-9);
    assert_eq!(found["certain_cells"], expected["certain_cells"]);
    assert_eq!(found["fuzzy"], expected["fpso"]["ones"]);
    let block = |of: &Json| json!({"children": of[0], "support": [of[1], of[2]]});
    assert_eq!(
        found["blocks"],
        list(&expected["block_support"])
            .iter()
            .map(block)
            .collect::<Json>()
    );
    let keys: BTreeSet<&str> = found
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    let wanted = [
        "class",
        "rows",
        "lr",
        "cra",
        "assignments",
        "log10_ratio",
        "certain_cells",
        "fuzzy",
        "blocks",
    ];
    assert_eq!(keys, BTreeSet::from(wanted), "exact figures need no others");
}

/// Whether a limit fails for the expected figures of a target.
fn bad(case: &Json, expected: &Json) -> bool {
    let exact = |key: &str| -> BigUint {
        expected[key]
            .as_str()
            .expect("digits")
            .parse()
            .expect("a number")
    };
    let (lr, cra) = (exact("lr_solutions"), exact("cra_solutions"));
    let certain = |of: &Json| of[1] == of[2] && (1..number(&case["k"])).contains(&number(&of[1]));
    lr > &cra * 100u8
        || cra < BigUint::from(1000u16)
        || list(&expected["block_support"]).iter().any(certain)
}

#[track_caller]
fn check(name: &str) {
    let case = golden(&format!("refinement/{name}.json"));
    let folder = Folder::new();
    put(&folder, &case);
    let classes = list(&case["classes"]);
    let files = [("release", "release.csv"), ("increment", "raw.csv")];
    for (key, attacker) in [("conservative", "paper"), ("true", "strongest")] {
        let expected = list(
            case["results"]
                .get(key)
                .unwrap_or(&case["results"]["conservative"]),
        );
        let mut order: Vec<usize> = (0..classes.len()).collect();
        let found = match attacker {
            "paper" => {
                order.sort_by_cached_key(|&at| rank(&case, &classes[at]));
                folder.attack(&files, &[])
            }
            _ => folder.attack(&[&files[..], &[("classes", "order.json")]].concat(), &[]),
        };
        assert_eq!(
            (&found["attacker"], &found["values"]),
            (&json!(attacker), &json!("distinct"))
        );
        let targets = list(&found["targets"]);
        assert_eq!(targets.len(), expected.len());
        for (&at, found) in order.iter().zip(targets) {
            check_target(
                found,
                &expected[at],
                &json!(labels(&case, &classes[at]["interval"])),
            );
        }
        if expected.len() > classes.len() {
            check_target(
                &targets[classes.len()],
                &expected[classes.len()],
                &Json::Null,
            );
        }
        let most = expected
            .iter()
            .filter_map(|of| of["log10_ratio"].as_f64())
            .fold(0.0, f64::max);
        assert!((found["max_log10_ratio"].as_f64().expect("a number") - most).abs() < 1e-9);
        if expected.iter().any(|expected| bad(&case, expected)) {
            assert_eq!(found["safe"], json!(false));
        }
        assert_eq!(
            found["safe"] == json!(true),
            list(&found["reasons"]).is_empty()
        );
        assert!(found["joint"].is_object());
    }
}

crate::common::refinement_cases::known!(check);
