//! Releases in two tables: the files in the folder, their reports, and their checks.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::{Value as Json, json};

use super::place::{FEED, HEADER, Place, people, text, whole};

/// The sample feed in two tables, with more in its policy.
fn feed(more: &str) -> String {
    let feed = FEED.replace("name = \"t\"", "name = \"t\"\nchain = \"disjoint\"");
    feed.replace("k = 3\n", &format!("k = 3\noutput = \"two-table\"\n{more}"))
}

/// Both tables of a release: age, sex, class; class, diagnosis.
type Tables = (Vec<(String, String, i64)>, Vec<(i64, String)>);

fn tables(place: &Place, release: u32) -> Tables {
    let open = |name: &str| {
        SerializedFileReader::new(Bytes::from(place.bytes(&format!("{release}/{name}"))))
            .expect("a table")
    };
    let (quasi, sensitive) = (open("data.parquet"), open("sensitive.parquet"));
    let text = |row: &parquet::record::Row, at: usize| row.get_string(at).expect("text").clone();
    let quasi = quasi.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a row");
        (
            text(&row, 0),
            text(&row, 1),
            row.get_long(2).expect("a number"),
        )
    });
    let sensitive = sensitive.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a row");
        (row.get_long(0).expect("a number"), text(&row, 1))
    });
    (quasi.collect(), sensitive.collect())
}

fn asked(place: &Place, args: &[&str]) -> Output {
    let mut asked = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    asked
        .args(args)
        .arg("--key")
        .arg(place.path("a.key"))
        .output()
        .expect("the program starts")
}

fn json_of(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

#[test]
fn people_and_values_are_those_of_the_file() {
    let place = Place::new(&feed(""));
    place.people("a.csv", 0..60);
    place.people("b.csv", 60..100);
    let entries = place.entries(&["a.csv", "b.csv"]);
    assert_eq!([&entries[0]["rows"], &entries[1]["rows"]], [60, 40]);
    for (release, numbers) in [(1, 0..60), (2, 60..100)] {
        let (quasi, sensitive) = tables(&place, release);
        let lines = people(numbers);
        let fields: Vec<Vec<&str>> = lines
            .lines()
            .map(|line| line.split(',').collect())
            .collect();
        // Ages and sexes are exactly those of the input; so are diagnoses.
        let mut shown: Vec<(&str, &str)> = quasi
            .iter()
            .map(|(age, sex, _)| (age.as_str(), sex.as_str()))
            .collect();
        let mut came: Vec<(&str, &str)> = fields.iter().map(|row| (row[1], row[2])).collect();
        shown.sort_unstable();
        came.sort_unstable();
        assert_eq!(shown, came);
        // Each class contains the values of its people, at least k of them.
        let class: BTreeMap<(&str, &str), i64> = quasi
            .iter()
            .map(|(age, sex, class)| ((age.as_str(), sex.as_str()), *class))
            .collect();
        let mut meant: Vec<(i64, String)> = fields
            .iter()
            .map(|row| (class[&(row[1], row[2])], row[3].to_owned()))
            .collect();
        meant.sort();
        assert_eq!(sensitive, meant, "by class, then by value");
        let most = quasi.last().expect("rows").2;
        for number in 1..=most {
            assert!(
                sensitive.iter().filter(|(of, _)| *of == number).count() >= 3,
                "class {number}"
            );
        }
        let manifest = place.json(&format!("{release}/manifest.json"));
        assert_eq!(manifest["classes"], most);
    }
}

#[test]
fn folders_of_two_tables_are_audited_and_continued() {
    let place = Place::new(&feed("diversity = { distinct_l = 2 }\n"));
    place.people("a.csv", 0..60);
    place.entries(&["a.csv"]);
    let out = place.out();
    let folder = out.to_str().expect("text");
    let audit = json_of(&asked(&place, &["audit", "--dir", folder, "--json"]));
    assert_eq!(
        (&audit["safe"], &audit["releases"][0]["rows"]),
        (&json!(true), &json!(60)),
        "{audit}"
    );
    let manifest = place.json("1/manifest.json");
    for figure in ["classes", "loss", "discernibility", "recoding"] {
        assert_eq!(audit["releases"][0][figure], manifest[figure], "{figure}");
    }
    assert_eq!(
        json_of(&asked(&place, &["verify", folder, "--json"]))["intact"],
        true
    );
    assert!(text(&asked(&place, &["show", folder, "1"]).stdout).contains("In two tables"));
    place.people("b.csv", 60..100);
    let entries = place.entries(&["a.csv", "b.csv"]);
    assert_eq!(
        [&entries[0]["outcome"], &entries[1]["outcome"]],
        ["known", "published"]
    );

    // A missing table is noticed, and so is a changed one.
    for name in ["1/data.parquet", "1/sensitive.parquet"] {
        let (path, bytes) = (out.join(name), place.bytes(name));
        fs::write(&path, [&bytes[..], b" "].concat()).expect("a file");
        assert_eq!(
            asked(&place, &["audit", "--dir", folder]).status.code(),
            Some(2),
            "{name}"
        );
        let error = place.unchanged(&mut place.command(&["a.csv"]));
        assert!(
            error["text"]
                .as_str()
                .is_some_and(|text| text.contains("missing or was changed")),
            "{error}"
        );
        fs::write(&path, bytes).expect("a file");
    }
    assert_eq!(whole(&out), 2);
}

#[test]
fn values_of_a_class_that_are_too_alike_stop_the_chain() {
    let place = Place::new(&feed("diversity = { distinct_l = 2 }\n"));
    let alike = |n: u64| format!("Pq7person{n},5,F,Sq7secret\n");
    place.put(
        "a.csv",
        HEADER.to_owned() + &(0..5).map(alike).collect::<String>(),
    );
    let entries = place.entries(&["a.csv"]);
    assert_eq!(entries[0]["outcome"], "stopped");
    assert!(!place.out().join("1").exists());
}

#[test]
fn a_table_more_is_no_part_of_a_release_in_one() {
    let place = Place::new(FEED);
    place.people("a.csv", 0..60);
    place.entries(&["a.csv"]);
    fs::write(place.out().join("1/sensitive.parquet"), b"").expect("a file");
    let error = place.unchanged(&mut place.command(&["a.csv"]));
    assert!(
        error["text"]
            .as_str()
            .is_some_and(|text| text.contains("does not belong to the release")),
        "{error}"
    );
}

#[test]
fn check_says_what_two_tables_disclose() {
    let place = Place::new(&feed(""));
    let path = place.path("feed.toml");
    let mut check = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    let said = text(
        &check
            .arg("check")
            .arg(path)
            .output()
            .expect("it starts")
            .stdout,
    )
    .replace(['\n', ' '], "");
    for words in [
        "published unchanged",
        "membership is disclosed",
        "values of at least 3 people (k = 3)",
        "published as it is, and generalised to form classes: 40 leaves",
    ] {
        assert!(said.contains(&words.replace(' ', "")), "{words}: {said}");
    }
}

/// Tables with labels, which other programs made, are not releases of this feed.
#[test]
fn single_tables_are_not_checked_by_a_policy_of_two() {
    let place = Place::new(&feed(""));
    place.put("r.csv", "age,sex,diagnosis\n*,F,x\n*,F,y\n*,F,z\n");
    let (feed, table) = (place.path("feed.toml"), place.path("r.csv"));
    let mut audit = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    audit
        .arg("audit")
        .arg("--feed")
        .arg(feed)
        .arg("--release")
        .arg(table)
        .arg("--json");
    let error = place.refused(&mut audit);
    assert_eq!(error["field"], "policy.output");
}

/// Guarded values are masked class by class: in no class more than one in four rows shows one.
#[test]
fn values_of_two_tables_are_masked() {
    let guarded = "role = \"sensitive\"\nguarded = [[\"HIV\"]]\n";
    let place = Place::new(&feed("m = 2\n").replace("role = \"sensitive\"\n", guarded));
    let row = |n: u64| {
        let diagnosis = if n.is_multiple_of(2) {
            "HIV".to_owned()
        } else {
            format!("d{}", n % 7)
        };
        format!(
            "p{n},{},{},{diagnosis}\n",
            n % 40,
            ["F", "M"][(n / 2 % 2) as usize]
        )
    };
    place.put(
        "a.csv",
        HEADER.to_owned() + &(0..200).map(row).collect::<String>(),
    );
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    let (quasi, sensitive) = tables(&place, 1);
    assert_eq!((quasi.len(), sensitive.len()), (200, 200));
    let mut classes: BTreeMap<i64, [usize; 2]> = BTreeMap::new();
    for (class, diagnosis) in &sensitive {
        let counts = classes.entry(*class).or_default();
        *counts = [counts[0] + 1, counts[1] + usize::from(diagnosis == "HIV")];
    }
    assert!(
        classes
            .values()
            .all(|[people, shows]| *people >= 8 && shows * 4 <= *people),
        "{classes:?}"
    );
    assert!(classes.values().any(|[_, shows]| *shows > 0), "{classes:?}");
    let audit = json_of(&asked(
        &place,
        &[
            "audit",
            "--dir",
            place.out().to_str().expect("text"),
            "--json",
        ],
    ));
    assert_eq!(audit["safe"], true, "{audit}");
}
