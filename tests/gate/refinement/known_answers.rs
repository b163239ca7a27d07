//! The known answers, digit for digit: `tests/golden/refinement`.

use serde_json::{Map, Value as Json, json};
use tidegate::engine::gate::refinement::{
    AttackTarget, AttackedRows, Attacker, CarvedClass, CarvedRelease, HeldRows, LayeredColumn,
    RatioFigure, RefinementAttack, RepeatedValues, SolutionCount, fuzzy,
};

use super::terms;
use crate::common::golden;

fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

fn numbers(json: &Json) -> Vec<u64> {
    list(json)
        .iter()
        .map(|number| number.as_u64().expect("a number"))
        .collect()
}

fn places(json: &Json) -> Vec<usize> {
    numbers(json)
        .into_iter()
        .map(|number| number as usize)
        .collect()
}

/// Leaf lengths, and per layer the node of each leaf.
fn column(json: &Json) -> LayeredColumn {
    let layer = |nodes: &Json| {
        let mut ranges: Vec<std::ops::Range<usize>> = Vec::new();
        for (leaf, node) in places(nodes).into_iter().enumerate() {
            if node == ranges.len() {
                ranges.push(leaf..leaf);
            }
            ranges[node].end = leaf + 1;
        }
        ranges
    };
    let layers: Vec<_> = list(&json["layers"]).iter().map(layer).collect();
    assert_eq!(json["height"], layers.len());
    LayeredColumn::new(numbers(&json["leaf_lengths"]), &layers).expect("a hierarchy")
}

fn release(case: &Json) -> CarvedRelease {
    let columns = list(&case["hierarchies"]).iter().map(column).collect();
    let class = |class: &Json| CarvedClass {
        state: places(&class["state"]),
        nodes: places(&class["node"]),
        rows: class["size"].as_u64().expect("a size"),
    };
    let classes = list(&case["classes"]).iter().map(class).collect();
    let outliers = list(&case["outliers"]).len() as u64;
    CarvedRelease::new(columns, classes, outliers, case["k"].as_u64().expect("k"))
        .expect("a release")
}

/// The leaf of every value of a target's true rows.
fn truth(case: &Json, place: AttackedRows) -> Vec<Vec<u32>> {
    let rows = match place {
        AttackedRows::Class(at) => &case["classes"][at]["rows"],
        AttackedRows::Outliers => &case["outliers"],
    };
    let leaf = |(hierarchy, value): (&Json, &Json)| {
        let mut above = hierarchy["lo"].as_u64().expect("a number");
        let value = value.as_u64().expect("a number");
        let lengths = numbers(&hierarchy["leaf_lengths"]);
        let ends = lengths.iter().map(|length| {
            above += length;
            above
        });
        ends.take_while(|&end| end <= value).count() as u32
    };
    let row = |row: usize| {
        list(&case["hierarchies"])
            .iter()
            .zip(list(&case["data"][row]))
            .map(leaf)
            .collect()
    };
    places(rows).into_iter().map(row).collect()
}

fn exact(count: &SolutionCount) -> String {
    let SolutionCount::Exact(count) = count else {
        panic!("not exact: {count:?}")
    };
    count.to_string()
}

#[track_caller]
fn check_target(found: &AttackTarget, expected: &Json) {
    let blocks = |of: &dyn Fn(&HeldRows) -> Json| -> Json { found.blocks.iter().map(of).collect() };
    let free = found.free_cells.expect("within the budget");
    assert_eq!(expected["n"], found.rows);
    assert_eq!(expected["volume"], found.volume.to_string());
    assert_eq!(
        expected["free_volume"],
        found.free_volume.expect("within the budget").to_string()
    );
    assert_eq!(
        expected["cells"],
        free + expected["zero_cells"].as_u64().expect("a number")
    );
    assert_eq!(expected["dims"], Json::from(found.columns.clone()));
    assert_eq!(expected["lr_solutions"], exact(&found.lr));
    assert_eq!(expected["cra_solutions"], exact(&found.cra));
    assert_eq!(expected["assignments"], exact(&found.assignments));
    let RatioFigure::Exact { log10 } = found.ratio else {
        panic!("not exact: {:?}", found.ratio)
    };
    assert!(
        (expected["log10_ratio"].as_f64().expect("a number") - log10).abs() <= 1e-12,
        "{log10}"
    );
    let of = |held: &HeldRows| json!({"index": held.children, "volume": held.volume.to_string(), "cells": held.cells});
    assert_eq!(expected["blocks"], blocks(&of));
    let of = |held: &HeldRows| {
        assert!(held.support.exact);
        json!([held.children, held.support.least, held.support.most])
    };
    assert_eq!(expected["block_support"], blocks(&of));
    let of = |held: &HeldRows| {
        let marginals = held
            .marginals
            .iter()
            .flatten()
            .map(|(rows, count)| (rows.to_string(), count.to_string()));
        let marginals: Map<String, Json> = marginals
            .map(|(rows, count)| (rows, count.into()))
            .collect();
        json!([held.children, marginals])
    };
    assert_eq!(expected["block_marginals"], blocks(&of));
    assert_eq!(
        expected["certain_cells"],
        found.certain_cells().expect("known")
    );
}

#[track_caller]
fn check(name: &str) {
    let case = golden(&format!("refinement/{name}.json"));
    let release = release(&case);
    for (key, attacker) in [
        ("conservative", Attacker::Paper),
        ("true", Attacker::Strongest),
    ] {
        // Without full ties both attackers know the same.
        let expected = case["results"]
            .get(key)
            .unwrap_or(&case["results"]["conservative"]);
        let attack = RefinementAttack::new(&release, terms(attacker, RepeatedValues::Distinct))
            .expect("an order of formation");
        let found = attack.targets();
        assert_eq!(found.len(), list(expected).len());
        for (found, expected) in found.iter().zip(list(expected)) {
            check_target(found, expected);
            let rows = truth(&case, found.place);
            assert_eq!(expected["fpso"]["ones"], fuzzy(&rows));
            assert_eq!(
                attack.admits(found.place, &rows),
                Some(true),
                "the truth is a solution"
            );
        }
    }
}

crate::common::refinement_cases::known!(check);
