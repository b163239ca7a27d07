//! The paper's Adult experiment (BCF 6): FA, BA and discernibility of releases under known recodings. The data are not
//! shipped; `TIDEGATE_DATA` names the folder that holds `adult_uci`.

mod common;

use std::path::Path;

use common::{Row, columns, golden, recoding, strings, tables, taxonomy};
use serde_json::Value as Json;
use tidegate::engine::gate::correspondence::Correspondence;
use tidegate::engine::gate::utility::discernibility;
use tidegate::engine::histogram::{Excess, JoinCells, Release};
use tidegate::engine::model::Taxonomy;

/// Where each attribute stands in the files.
const ATTRIBUTES: [(&str, usize); 8] = [
    ("Work-class", 1),
    ("Education", 3),
    ("Marital-status", 5),
    ("Occupation", 6),
    ("Relationship", 7),
    ("Race", 8),
    ("Sex", 9),
    ("Native-country", 13),
];

/// The complete rows of a file, field by field.
fn complete(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let fields = |line: &str| -> Vec<String> { line.split(", ").map(str::to_owned).collect() };
    text.lines().map(fields).filter(|row| row.len() == 15 && !row.iter().any(|field| field == "?")).collect()
}

fn rows(raw: &[Vec<String>], quasi: &[String], sensitive: &[String]) -> Vec<Row> {
    let at = |name: &String| ATTRIBUTES.iter().find(|(known, _)| known == name).expect("an attribute").1;
    let row = |row: &Vec<String>| {
        let pick = |names: &[String]| names.iter().map(|name| row[at(name)].clone()).collect::<Vec<String>>();
        (pick(quasi), pick(sensitive).join("|"))
    };
    raw.iter().map(row).collect()
}

fn check(case: &Json, taxonomies: &Json, first: &[Vec<String>], second: &[Vec<String>]) {
    let name = format!("{} {} k={}", case["sen"], case["D2"], case["k"]);
    let (quasi, sensitive) = (strings(&case["qid"]), strings(&case["sensitive"]));
    let columns = columns(quasi.iter().map(|name| taxonomy(&taxonomies[name])).collect());
    let trees: Vec<&Taxonomy> = columns.trees();
    let tables = tables(&columns, &[], &[rows(first, &quasi, &sensitive), rows(second, &quasi, &sensitive)]);
    let cut = |key: &str| {
        let labels: Vec<Vec<String>> = case[key].as_array().expect(key).iter().map(strings).collect();
        recoding(&labels, &trees)
    };
    let earlier = Release::under(&tables.histogram, 0..1, &cut("R1_cut"));
    for (figures, recoding) in [("kanon", "kanon_R2_cut"), ("bcf", "bcf_R2_cut")] {
        let later = Release::under(&tables.histogram, 0..2, &cut(recoding));
        let cells = JoinCells::of(&earlier, &later, &trees);
        let excess = Excess::of(&cells, &earlier, &later, tables.values.len()).expect("a superset");
        let found = Correspondence::new(&earlier, &later, &cells, &excess).all();
        let expected = &case[figures];
        assert_eq!(found.fa, expected["FA"].as_u64(), "{name} {figures}: FA");
        assert_eq!(found.ca, expected["FA"].as_u64(), "{name} {figures}: CA");
        assert_eq!(found.ba, expected["BA"].as_u64(), "{name} {figures}: BA");
        assert_eq!(Some(later.classes() as u64), expected["classes"].as_u64(), "{name} {figures}: classes");
        let expected = expected["disc"].as_f64().expect("a figure");
        assert!((discernibility(&later) - expected).abs() < 1e-12, "{name} {figures}: discernibility");
    }
}

#[test]
fn two_releases_of_adult() {
    let Some(data) = std::env::var_os("TIDEGATE_DATA") else {
        eprintln!("skipped: TIDEGATE_DATA is not set");
        return;
    };
    let folder = Path::new(&data).join("adult_uci");
    let (first, second) = (complete(&folder.join("adult.test")), complete(&folder.join("adult.data")));
    assert_eq!((first.len(), second.len()), (15_060, 30_162));
    let golden = golden("adult_two_release.json");
    for case in golden["cases"].as_array().expect("cases") {
        let rows = match case["D2"].as_str().expect("a part") {
            "200D2" => 200,
            "2000D2" => 2000,
            _ => second.len(),
        };
        check(case, &golden["taxonomies"], &first, &second[..rows]);
    }
}
