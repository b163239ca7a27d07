//! Tests `tidegate query` from outside (CONTRACTS 3): its answers about the published rows hold,
//! from the folder alone, and it says what it cannot answer.

use std::fs::File;
use std::process::{Command, Output};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Value as Json, json};

use super::carving::{rows, under};
use super::place::{FEED, HEADER, Place, fits, text};

/// The program, queried about a folder.
fn query(place: &Place, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .current_dir(place.path(""))
        .arg("query")
        .arg("out")
        .args(args)
        .output()
        .expect("the program starts")
}

fn answer(place: &Place, args: &[&str]) -> Json {
    let output = query(place, &[args, &["--json"]].concat());
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    let answer = serde_json::from_slice(&output.stdout).expect("JSON");
    fits("query", &answer);
    answer
}

/// The error of a question that cannot be answered: its text and its field.
fn refused(place: &Place, args: &[&str]) -> (String, Json) {
    let output = query(place, &[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    let answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    fits("error", &answer);
    (
        answer["error"]["text"].as_str().expect("a text").to_owned(),
        answer["error"]["field"].clone(),
    )
}

/// Ages and sexes of this many people, with different diagnoses.
fn people(all: u32) -> Vec<(u32, &'static str)> {
    (0..all)
        .map(|at| (at * 7 % 40, if at * at % 11 < 6 { "F" } else { "M" }))
        .collect()
}

fn published(policy: &str, all: u32) -> Place {
    let place = Place::new(&FEED.replace("k = 3\n", &format!("k = 3\n{policy}")));
    let line = |(at, (age, sex)): (usize, &(u32, &str))| format!("p{at},{age},{sex},d{at}\n");
    place.put(
        "a.csv",
        HEADER.to_owned() + &people(all).iter().enumerate().map(line).collect::<String>(),
    );
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    place
}

/// A cell of the file.
fn of(field: Field) -> Json {
    match field {
        Field::Str(text) => json!(text),
        Field::Double(number) => json!(number),
        Field::ULong(number) => json!(number),
        other => panic!("{other:?}"),
    }
}

const CROWDS: &str = "search = \"halves\"\nmin_solutions = 1\n";

#[test]
fn true_counts_of_published_rows_are_within_what_is_certain() {
    let place = published(CROWDS, 400);
    let all = people(400);
    let there: Vec<(u32, &str)> = rows(&place, 1)
        .iter()
        .map(|row| all[row.2[1..].parse::<usize>().expect("a number")])
        .collect();
    type Holds = fn(u32, &str) -> bool;
    let questions: [(&str, Holds); 8] = [
        ("", |_, _| true),
        ("age between 10 and 29", |age, _| (10..=29).contains(&age)),
        ("age in ('0-9', '35') and sex = F", |age, sex| {
            (age < 10 || age == 35) && sex == "F"
        }),
        ("sex = 'M'", |_, sex| sex == "M"),
        ("age = 7", |age, _| age == 7),
        ("age between '20-39' and 39 and sex = '*'", |age, _| {
            age > 19
        }),
        (
            "\"age\" between 3 and 17 AND age between 12 and 30",
            |age, _| (12..=17).contains(&age),
        ),
        ("age = 1 and age = 2", |_, _| false),
    ];
    for (question, holds) in questions {
        let answer = answer(&place, &[question]);
        assert_eq!(
            (&answer["method"], &answer["rows"]),
            (&json!("em"), &json!(there.len())),
            "{question}"
        );
        let truth = there.iter().filter(|(age, sex)| holds(*age, sex)).count() as f64;
        let [low, high, estimate] =
            ["low", "high", "estimate"].map(|key| answer[key].as_f64().expect("a number"));
        assert!(
            low <= truth && truth <= high,
            "{question}: {truth}, {answer}"
        );
        assert!(
            low <= estimate + 1e-6 && estimate <= high + 1e-6,
            "{question}: {answer}"
        );
        assert!(answer["standard_error"].is_f64(), "{answer}");
        let said = query(&place, &[question]);
        let words = if low == high {
            "which is certain"
        } else {
            "with a standard error of"
        };
        assert!(text(&said.stdout).contains(words), "{}", text(&said.stdout));
    }
    // Sensitive values are exact.
    let one = rows(&place, 1)[0].2.clone();
    let found = answer(
        &place,
        &[&format!("diagnosis in ('{one}', 'nobody has this')")],
    );
    assert_eq!(
        [&found["low"], &found["high"], &found["standard_error"]],
        [&json!(1), &json!(1), &json!(0.0)]
    );
    let between = answer(&place, &[&format!("diagnosis between '{one}' and '{one}'")]);
    assert_eq!(
        [&between["low"], &between["high"]],
        [&json!(1), &json!(1)],
        "both ends are meant"
    );
    assert_eq!(
        answer(&place, &["diagnosis = null", "--by", "diagnosis"])["groups"],
        json!([])
    );
}

#[test]
fn tables_of_counts_add_up_and_are_written_as_parquet() {
    let place = published(CROWDS, 400);
    let question = [
        "age in ('20-39', '0-9', '15')",
        "--by",
        "sex,age",
        "--out",
        "counts.parquet",
    ];
    let found = answer(&place, &question);
    let groups = found["groups"].as_array().expect("groups").clone();
    let named = |group: &Json| (group["group"]["sex"].clone(), group["group"]["age"].clone());
    let ages = ["0-9", "15", "20-39"];
    let wanted: Vec<_> = ["F", "M"]
        .iter()
        .flat_map(|sex| ages.map(|age| (json!(sex), json!(age))))
        .collect();
    // Combinations that no row can have are left out; random draws decide which those are.
    let reported: Vec<_> = groups.iter().map(named).collect();
    assert!(
        reported.len() > 3
            && wanted
                .iter()
                .filter(|one| reported.contains(one))
                .eq(&reported),
        "{found}"
    );
    // All of them together are estimated from fewer columns, so the figures differ a little.
    let sum = |key: &str| {
        groups
            .iter()
            .map(|group| group[key].as_f64().expect("a number"))
            .sum::<f64>()
    };
    let [low, high] = ["low", "high"].map(|key| found[key].as_f64().expect("a number"));
    assert!(
        (sum("estimate") - found["estimate"].as_f64().expect("a number")).abs() < 1e-6,
        "{found}"
    );
    assert!(sum("low") <= low && high <= sum("high"), "{found}");
    let file = File::open(place.path("counts.parquet")).expect("it was written");
    let file = SerializedFileReader::new(file).expect("Parquet");
    let read = file.get_row_iter(None).expect("rows").map(|row| {
        let row: Vec<(String, Field)> = row.expect("a row").into_columns();
        row.into_iter()
            .map(|(name, field)| (name, of(field)))
            .collect::<serde_json::Map<_, _>>()
    });
    let flat = groups.iter().map(|group| {
        let mut row = group["group"].as_object().expect("names").clone();
        let figures = group
            .as_object()
            .expect("figures")
            .iter()
            .filter(|(key, _)| *key != "group");
        row.extend(figures.map(|(key, figure)| (key.clone(), figure.clone())));
        row
    });
    assert_eq!(read.collect::<Vec<_>>(), flat.collect::<Vec<_>>());
    // Without a list leaves are counted separately, and sensitive values one by one.
    let by_leaf = answer(&place, &["age between 0 and 9", "--by", "age"]);
    assert!(
        by_leaf["groups"]
            .as_array()
            .expect("groups")
            .iter()
            .all(|group| group["group"]["age"]
                .as_str()
                .is_some_and(|age| age.len() == 1))
    );
    assert_eq!(
        answer(&place, &["", "--by", "diagnosis"])["groups"]
            .as_array()
            .map(Vec::len),
        found["rows"].as_u64().map(|rows| rows as usize)
    );
}

#[test]
fn labels_that_follow_the_data_are_spread_evenly() {
    let place = published("search = \"top-down\"\n", 60);
    let found = answer(&place, &["age between 5 and 24 and sex = 'F'"]);
    assert_eq!(
        [&found["method"], &found["standard_error"]],
        [&json!("uniform"), &Json::Null]
    );
    let share = |label: &str| {
        let width = (0..40).filter(|&age| under(age, label)).count();
        (5..25).filter(|&age| under(age, label)).count() as f64 / width as f64
    };
    let of_sex = |label: &str| {
        if label == "*" {
            0.5
        } else {
            f64::from(u8::from(label == "F"))
        }
    };
    let even: f64 = rows(&place, 1)
        .iter()
        .map(|(age, sex, _)| share(age) * of_sex(sex))
        .sum();
    let estimate = found["estimate"].as_f64().expect("a number");
    assert!((estimate - even).abs() < 1e-9, "{estimate}, {even}");
    assert!(text(&query(&place, &["age = 3"]).stdout).contains("the error is not known"));
}

#[test]
fn what_cannot_be_answered_is_said() {
    let place = published(CROWDS, 200);
    for (args, words, field) in [
        (
            &["age"][..],
            "character 4: `=`, `in` or `between` is expected here",
            json!("PREDICATE"),
        ),
        (
            &["aeg = 3"],
            "`aeg`: the table has no such column; did you mean `age`?",
            Json::Null,
        ),
        (
            &["patient = 'p1'"],
            "the table has no such column",
            Json::Null,
        ),
        (
            &["", "--by", "ward,sex"],
            "`ward`: the table has no such column",
            Json::Null,
        ),
        (
            &["", "--by", "sex,sex"],
            "`sex`: the column is named twice",
            Json::Null,
        ),
        (
            &["age = 40"],
            "`40` is not a label of this column",
            Json::Null,
        ),
        (
            &["age between 30 and 2"],
            "`2` comes before `30`",
            Json::Null,
        ),
        (
            &["diagnosis between 'b' and 'a'"],
            "`diagnosis`: the first value of `between` comes after the second",
            Json::Null,
        ),
        (
            &["diagnosis between null and 'b'"],
            "`between` needs two values, not `null`",
            Json::Null,
        ),
        (
            &["diagnosis between 'b' and null"],
            "`between` needs two values, not `null`",
            Json::Null,
        ),
        (&["age = null"], "every row has a label", Json::Null),
        (
            &["age in ('0-19', '10-19')", "--by", "age"],
            "`0-19` and `10-19` share values",
            Json::Null,
        ),
        (
            &["", "--release", "2"],
            "there is no release 2; the newest is 1",
            json!("--release"),
        ),
        (&["", "--out", "x.parquet"], "--by", Json::Null),
    ] {
        let (said, about) = refused(&place, args);
        assert!(said.contains(words), "{args:?}: {said}");
        assert_eq!(about, field, "{args:?}");
    }
    // A table that was changed is not counted.
    let data = place.path("out/1/part.parquet");
    let mut bytes = std::fs::read(&data).expect("a table");
    bytes[100] ^= 1;
    std::fs::write(&data, bytes).expect("space");
    assert!(
        refused(&place, &[""])
            .0
            .contains("this published file was changed")
    );
}

#[test]
fn masked_columns_and_pairs_of_tables_are_not_counted() {
    let guarded = FEED.replace(
        "role = \"sensitive\"\n",
        "role = \"sensitive\"\nguarded = [[\"Sq7secret1\"]]\n",
    );
    let place = Place::new(&guarded.replace("k = 3\n", &format!("k = 3\nm = 2\n{CROWDS}")));
    place.people("a.csv", 0..200);
    assert_eq!(place.entries(&["a.csv"])[0]["outcome"], "published");
    for args in [
        &["diagnosis = 'Sq7secret2'"][..],
        &["", "--by", "age,diagnosis"],
    ] {
        assert!(
            refused(&place, args).0.contains("masks guarded values"),
            "{args:?}"
        );
    }
    assert!(answer(&place, &["age between 0 and 9", "--by", "sex"])["groups"].is_array());

    let two = FEED
        .replace("name = \"t\"", "name = \"t\"\nchain = \"disjoint\"")
        .replace("k = 3\n", "k = 3\noutput = \"two-table\"\n");
    let place = Place::new(&two);
    place.people("a.csv", 0..60);
    place.entries(&["a.csv"]);
    assert!(
        refused(&place, &[""])
            .0
            .contains("release 1 consists of two tables")
    );
}
