//! The risk of re-identification in an audit: known answers with and without a population and raw
//! rows, and a population that is too small.

use serde_json::{Value as Json, json};

use super::{Folder, audit, text, tidegate};

const RELEASE: &str = "age,sex,disease\n0-9,*,Cold\n0-9,*,Flu\n0-9,*,Flu\n0-9,*,Flu\n10-19,F,Cold\n10-19,F,Flu\n10-19,M,Cold\n10-19,M,Flu\n";
const RAW: &str = "patient,age,sex,disease\n1,1,F,Cold\n2,1,F,Flu\n3,2,M,Flu\n4,3,M,Flu\n5,11,F,Cold\n6,11,F,Flu\n7,12,M,Cold\n8,13,M,Flu\n";

fn folder() -> Folder {
    let folder = Folder::new(
        "chain = \"disjoint\"\n[policy]\nk = 2\nsearch = \"halves\"\nmax_ratio = \"off\"",
    );
    folder.put("r.csv", RELEASE.as_bytes());
    folder.put("raw.csv", RAW.as_bytes());
    folder
}

/// The arguments, and a population.
fn args(folder: &Folder, files: &[(&str, &str)], population: u64) -> Vec<String> {
    let mut args = folder.args(files);
    args.extend(["--population".to_owned(), population.to_string()]);
    args
}

fn risk(found: &Json) -> &Json {
    &found["releases"][0]["risk"]
}

#[test]
fn without_a_population_the_prosecutor_bounds_the_others() {
    let folder = folder();
    let found = audit(&folder.args(&[("release", "r.csv"), ("increment", "raw.csv")]));
    let prosecutor = json!({"highest": 0.5, "average": 0.375, "records_at_risk": 1.0, "threshold": 0.2, "records_at_highest": 4});
    let journalist = json!({"highest": 0.5, "average": 0.375, "records_at_risk": 1.0, "threshold": 0.2, "estimated": false});
    assert_eq!(
        (&risk(&found)["prosecutor"], &risk(&found)["journalist"]),
        (&prosecutor, &journalist)
    );
    assert_eq!(
        (
            &risk(&found)["marketer"],
            &risk(&found)["population_uniques"]
        ),
        (&json!(0.375), &Json::Null)
    );
    assert_eq!(
        risk(&found)["sample_uniques"],
        json!({"rows": 0, "share": 0.0})
    );
    // Of the raw rows four are alone, and two times two are equal.
    let before = &risk(&found)["before"];
    assert_eq!(before["prosecutor"]["average"], json!(0.75));
    assert_eq!(before["sample_uniques"], json!({"rows": 4, "share": 0.5}));
    let found = audit(&folder.args(&[("release", "r.csv")]));
    assert_eq!(risk(&found)["before"], Json::Null);
}

#[test]
fn a_population_of_which_all_are_there_is_known() {
    let folder = folder();
    let found = audit(&args(
        &folder,
        &[("release", "r.csv"), ("increment", "raw.csv")],
        8,
    ));
    assert_eq!(
        (
            &risk(&found)["journalist"]["estimated"],
            &risk(&found)["marketer"]
        ),
        (&json!(true), &json!(0.375))
    );
    let uniques =
        |people: f64| json!({"pitman": people, "zayatz": people, "snb": people, "dankar": people});
    let reported =
        |people: f64| json!({"population": 8, "estimators": uniques(people), "chosen": null});
    assert_eq!(risk(&found)["population_uniques"], reported(0.0));
    assert_eq!(risk(&found)["before"]["population_uniques"], reported(4.0));
}

#[test]
fn a_larger_population_lowers_the_risk() {
    let folder = folder();
    let files = [("release", "r.csv"), ("increment", "raw.csv")];
    let found = audit(&args(&folder, &files, 16));
    // Half of the population: ln 2 for a row that is alone, and then 1/f less the mean of a class
    // of f rows for one of f + 1.
    let [two, four] = [1.0 - 2.0_f64.ln(), 1.0 / 3.0 - (0.5 - (1.0 - 2.0_f64.ln()))];
    let near = |found: &Json, meant: f64| {
        assert!(
            (found.as_f64().expect("a number") - meant).abs() < 1e-12,
            "{found} {meant}"
        )
    };
    near(&risk(&found)["journalist"]["highest"], two);
    near(&risk(&found)["marketer"], (two + four) / 2.0);
    near(
        &risk(&found)["before"]["journalist"]["highest"],
        2.0_f64.ln(),
    );
    assert_eq!(risk(&found)["journalist"]["records_at_risk"], json!(0.5));
    // Pitman's estimate is for a tenth of the population or less.
    assert!(
        ["snb", "zayatz"].contains(
            &risk(&found)["before"]["population_uniques"]["chosen"]
                .as_str()
                .expect("one")
        )
    );
    let words: Vec<String> = args(&folder, &files, 16)
        .into_iter()
        .filter(|arg| arg != "--json")
        .collect();
    let reported = text(&tidegate(&words).stdout);
    for part in [
        "Risk of re-identification",
        "1  raw      1.0000   0.7500      100.0%",
        "   out      0.5000   0.3750",
        "are estimates",
    ] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
}

#[test]
fn a_population_smaller_than_a_release_is_an_error() {
    let folder = folder();
    let output = tidegate(&args(&folder, &[("release", "r.csv")], 7));
    assert_eq!(output.status.code(), Some(2));
    let found: Json = serde_json::from_slice(&output.stdout).expect("an error object");
    let said = found["error"]["text"].as_str().expect("a text");
    assert!(
        said.contains("r.csv has 8 rows, more than the population of 7"),
        "{said}"
    );
    assert_eq!(found["error"]["field"], json!("--population"));
}
