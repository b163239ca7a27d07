//! The top-down search on cases with known answers (SCIENCE 4): cuts and traces of small tables and
//! of Adult, each table on its own and under the paper's validity.

use crate::common::adult;
use crate::common::{columns, golden, recoding, rows, strings, tables, taxonomy};
use serde_json::Value as Json;
use tidegate::engine::histogram::Release;
use tidegate::engine::label::{TopDownResult, alone, bcf};
use tidegate::engine::model::{Recoding, Taxonomy};

/// A trace as the files write it: column name, label, accepted.
fn trace(found: &TopDownResult, names: &[Json], trees: &[&Taxonomy]) -> Json {
    let step = |tried: &tidegate::engine::label::CandidateTrial| {
        serde_json::json!([
            names[tried.column],
            trees[tried.column].label(tried.node),
            tried.accepted
        ])
    };
    found.trace.iter().map(step).collect()
}

fn cut(json: &Json, trees: &[&Taxonomy]) -> Recoding {
    recoding(
        &json
            .as_array()
            .expect("cuts")
            .iter()
            .map(strings)
            .collect::<Vec<_>>(),
        trees,
    )
}

#[test]
fn small_tables() {
    for (at, case) in golden("anonymizer_small.json")
        .as_array()
        .expect("cases")
        .iter()
        .enumerate()
    {
        let columns = columns(
            case["taxonomies"]
                .as_array()
                .expect("trees")
                .iter()
                .map(taxonomy)
                .collect(),
        );
        let trees = columns.trees();
        let names: Vec<Json> = (0..trees.len()).map(Json::from).collect();
        let k = case["k"].as_u64().expect("k");
        let first = tables(&columns, &[], &[rows(&case["D1"])]).histogram;
        let both = tables(&columns, &[], &[rows(&case["D1"]), rows(&case["D2"])]).histogram;

        let r1 = alone(&first.headcount(), &trees, k).expect("enough rows");
        assert_eq!(r1.recoding, cut(&case["R1_cut"], &trees), "case {at}: R1");
        assert_eq!(
            trace(&r1, &names, &trees),
            case["R1_trace"],
            "case {at}: R1"
        );
        assert_eq!(
            bcf(&first, &[], &trees, k).map(|found| found.trace),
            Ok(r1.trace),
            "case {at}: a chain of one"
        );

        let earlier = Release::under(&both, 0..1, &r1.recoding);
        let r2 = bcf(&both, &[earlier], &trees, k).expect("enough new rows");
        assert_eq!(
            trace(&r2, &names, &trees),
            case["R2_trace"],
            "case {at}: R2"
        );
        assert_eq!(r2.recoding, cut(&case["R2_cut"], &trees), "case {at}: R2");
        let refused = r2
            .trace
            .iter()
            .filter(|tried| !tried.accepted)
            .map(|tried| (tried.column, tried.node));
        assert!(
            refused.eq(r2
                .refusals
                .iter()
                .map(|refusal| (refusal.column, refusal.node)))
        );
    }
}

#[test]
fn two_releases_of_adult() {
    let Some([first, training]) = adult::data() else {
        return;
    };
    let golden = golden("adult_two_release.json");
    for case in golden["cases"].as_array().expect("cases") {
        let name = format!("{} {} k={}", case["sen"], case["D2"], case["k"]);
        let (quasi, sensitive) = (strings(&case["qid"]), strings(&case["sensitive"]));
        let columns = columns(
            quasi
                .iter()
                .map(|name| taxonomy(&golden["taxonomies"][name]))
                .collect(),
        );
        let trees = columns.trees();
        let second = adult::second(case["D2"].as_str().expect("a part"), &training);
        let parts = [first.as_slice(), second].map(|raw| adult::rows(raw, &quasi, &sensitive));
        let k = case["k"].as_u64().expect("k");
        let only_first = tables(&columns, &[], &parts[..1]).histogram;
        let both = tables(&columns, &[], &parts).histogram;

        let r1 = alone(&only_first.headcount(), &trees, k).expect("enough rows");
        assert_eq!(r1.recoding, cut(&case["R1_cut"], &trees), "{name}: R1");
        let r2 = alone(&both.headcount(), &trees, k).expect("enough rows");
        assert_eq!(
            r2.recoding,
            cut(&case["kanon_R2_cut"], &trees),
            "{name}: R2 on its own"
        );
        assert_eq!(
            Some(r2.classes as u64),
            case["kanon"]["classes"].as_u64(),
            "{name}: R2 on its own"
        );

        let earlier = Release::under(&both, 0..1, &r1.recoding);
        let r2 = bcf(&both, &[earlier], &trees, k).expect("enough new rows");
        let names: Vec<Json> = quasi.iter().map(|name| Json::from(name.as_str())).collect();
        assert_eq!(trace(&r2, &names, &trees), case["bcf_trace"], "{name}");
        assert_eq!(r2.recoding, cut(&case["bcf_R2_cut"], &trees), "{name}");
        assert_eq!(
            Some(r2.classes as u64),
            case["bcf"]["classes"].as_u64(),
            "{name}"
        );
        let disc = r2.squares as f64 / (both.rows() as f64).powi(2);
        assert!(
            (disc - case["bcf"]["disc"].as_f64().expect("a figure")).abs() < 1e-12,
            "{name}: discernibility"
        );
    }
}
