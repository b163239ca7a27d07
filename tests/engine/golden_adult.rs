//! The paper's Adult experiment (BCF 6): FA, BA and discernibility of releases under known
//! recodings. The data are not shipped; `TIDEGATE_DATA` names the folder that contains `adult_uci`.

use crate::common::adult::{self, rows};
use crate::common::{columns, golden, recoding, strings, tables, taxonomy};
use serde_json::Value as Json;
use tidegate::engine::gate::correspondence::Correspondence;
use tidegate::engine::gate::utility::discernibility;
use tidegate::engine::histogram::{Excess, JoinCells, Release};
use tidegate::engine::model::Taxonomy;

fn check(case: &Json, taxonomies: &Json, first: &[Vec<String>], second: &[Vec<String>]) {
    let name = format!("{} {} k={}", case["sen"], case["D2"], case["k"]);
    let (quasi, sensitive) = (strings(&case["qid"]), strings(&case["sensitive"]));
    let columns = columns(
        quasi
            .iter()
            .map(|name| taxonomy(&taxonomies[name]))
            .collect(),
    );
    let trees: Vec<&Taxonomy> = columns.trees();
    let tables = tables(
        &columns,
        &[],
        &[
            rows(first, &quasi, &sensitive),
            rows(second, &quasi, &sensitive),
        ],
    );
    let cut = |key: &str| {
        let labels: Vec<Vec<String>> = case[key]
            .as_array()
            .expect(key)
            .iter()
            .map(strings)
            .collect();
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
        assert_eq!(
            Some(later.classes() as u64),
            expected["classes"].as_u64(),
            "{name} {figures}: classes"
        );
        let expected = expected["disc"].as_f64().expect("a figure");
        assert!(
            (discernibility(&later) - expected).abs() < 1e-12,
            "{name} {figures}: discernibility"
        );
    }
}

#[test]
fn two_releases_of_adult() {
    let Some([first, second]) = adult::data() else {
        return;
    };
    let golden = golden("adult_two_release.json");
    for case in golden["cases"].as_array().expect("cases") {
        let second = adult::second(case["D2"].as_str().expect("a part"), &second);
        check(case, &golden["taxonomies"], &first, second);
    }
}
