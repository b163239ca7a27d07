//! Inputs: continued folders, files that are known, every format, and rows that cannot be decoded.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::{Value as Json, json};

use super::place::{FEED, HEADER, PLANTED, Place, counts, fits, people, text, whole};

const TICKS: [(&str, std::ops::Range<u64>); 4] = [
    ("a.csv", 0..20),
    ("b.csv", 20..22),
    ("c.csv", 22..60),
    ("d.csv", 60..75),
];

fn ticks(place: &Place) -> [&'static str; 4] {
    TICKS.map(|(name, numbers)| {
        place.people(name, numbers);
        name
    })
}

/// The tables of a folder's releases, and the parts of their manifests that do not depend on when
/// they were made.
pub fn published(out: &Path) -> Vec<(Vec<u8>, Json)> {
    let release = |number: u64| {
        let file =
            |name: &str| fs::read(out.join(format!("{number}/{name}"))).expect("a published file");
        let mut manifest: Json = serde_json::from_slice(&file("manifest.json")).expect("JSON");
        for key in ["time", "previous", "decision"] {
            manifest[key] = Json::Null;
        }
        manifest["files"]
            .as_array_mut()
            .expect("files")
            .pop()
            .expect("the report, which tells the time");
        let tables = manifest["files"].as_array().expect("files").iter();
        let tables = tables.filter(|file| file["rows"].is_u64());
        let bytes = |table: &Json| {
            let path = out.join(table["path"].as_str().expect("a path"));
            fs::read(path).expect("a published file")
        };
        (tables.flat_map(bytes).collect(), manifest)
    };
    (1..=whole(out)).map(release).collect()
}

/// An entry without its position in the call.
fn anywhere(mut entry: Json) -> Json {
    entry["input"] = Json::Null;
    entry
}

#[test]
fn one_call_or_several_end_in_the_same_releases() {
    let place = Place::new(FEED);
    let names = ticks(&place);
    let entries: Vec<Json> = place.entries(&names).into_iter().map(anywhere).collect();
    let expected = published(&place.out());
    assert!(expected.len() > 2);
    for cuts in [&[1, 2, 3][..], &[2], &[3]] {
        fs::remove_dir_all(place.out()).expect("a folder");
        let (mut from, mut again) = (0, Vec::new());
        for &to in cuts.iter().chain([&names.len()]) {
            again.extend(place.entries(&names[from..to]).into_iter().map(anywhere));
            from = to;
        }
        assert_eq!(again, entries);
        assert!(published(&place.out()) == expected, "cut at {cuts:?}");
    }
}

#[test]
fn inputs_are_known_by_name_and_bytes() {
    let place = Place::new(FEED);
    ticks(&place);
    place.people("other/a.csv", 0..20);
    place.people("other/b.csv", 20..25);
    place.people("e.csv", 0..20);
    let outcomes = |inputs: &[&str]| -> Vec<(String, u64)> {
        let reported = |entry: &Json| {
            (
                entry["outcome"].as_str().expect("a word").to_owned(),
                counts(entry, ["duplicate"])[0],
            )
        };
        place.entries(inputs).iter().map(reported).collect()
    };
    let is = |word: &str, repeats| (word.to_owned(), repeats);
    assert_eq!(
        outcomes(&["a.csv", "a.csv", "other/a.csv"]),
        [is("published", 0), is("known", 0), is("known", 0)]
    );
    let before = published(&place.out());
    assert_eq!(outcomes(&["other/a.csv"]), [is("known", 0)]);
    assert!(published(&place.out()) == before);
    // The same bytes under another name, and other bytes under the same name, are ticks of their
    // own.
    assert_eq!(outcomes(&["e.csv"]), [is("waiting", 20)]);
    place.entries(&["b.csv"]);
    assert_eq!(outcomes(&["other/b.csv"])[0].1, 2);
}

#[test]
fn every_format_gives_the_same_table() {
    let rows: Vec<Vec<String>> = people(0..40)
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect();
    let names: Vec<&str> = HEADER.trim_end().split(',').collect();
    let column = |at: usize| {
        Arc::new(StringArray::from_iter_values(
            rows.iter().map(|row| &row[at]),
        )) as ArrayRef
    };
    let ages = arrow_array::Int64Array::from_iter_values(
        rows.iter()
            .map(|row| row[1].parse::<i64>().expect("an age")),
    );
    let columns = [column(3), Arc::new(ages), column(2), column(0)];
    let order = [3, 1, 2, 0].map(|at| names[at]);
    let batch =
        RecordBatch::try_from_iter(order.into_iter().zip(columns)).expect("columns of one length");
    let json = rows.iter().map(|row| {
        format!("{}\n", json!({names[0]: row[0], names[1]: row[1].parse::<u64>().expect("an age"), names[2]: row[2], names[3]: row[3]}))
    });
    let mut parquet =
        parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    parquet.write(&batch).expect("rows");
    let mut arrow =
        arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    arrow.write(&batch).expect("rows");
    arrow.finish().expect("memory");
    let place = Place::new(FEED);
    place.people("a.csv", 0..40);
    place.entries(&["a.csv"]);
    let expected = published(&place.out());
    for (name, bytes) in [
        ("a.jsonl", json.collect::<String>().into_bytes()),
        ("a.parquet", parquet.into_inner().expect("memory")),
        ("a.arrow", arrow.into_inner().expect("memory")),
    ] {
        fs::remove_dir_all(place.out()).expect("a folder");
        place.put(name, bytes);
        place.entries(&[name]);
        assert!(published(&place.out()) == expected, "{name}");
    }
}

#[test]
fn a_bad_row_changes_nothing() {
    let place = Place::new(FEED);
    ticks(&place);
    let person = |age: &str| format!("{}9999,{age},F,{}\n", PLANTED[0], PLANTED[1]);
    place.put(
        "bad.csv",
        HEADER.to_owned() + &people(80..82) + &person("40") + &people(90..140),
    );
    let reported = json!([json!("input"), json!(4), json!("age")]);
    // Into a new folder, into an existing one, and with good inputs around.
    assert!(!place.out().exists());
    for inputs in [&["bad.csv"][..], &["a.csv", "bad.csv", "c.csv"]] {
        let error = place.unchanged(&mut place.command(inputs));
        assert_eq!(
            json!([error["kind"], error["line"], error["field"]]),
            reported,
            "{error}"
        );
        assert!(
            error["file"]
                .as_str()
                .is_some_and(|file| file.ends_with("bad.csv")),
            "{error}"
        );
        assert!(!place.out().exists());
    }
    place.entries(&["a.csv"]);
    place.unchanged(&mut place.command(&["b.csv", "bad.csv", "c.csv"]));
    place.unchanged(
        place
            .command(&["b.csv", "bad.csv"])
            .args(["--quarantine-share", "0.01"]),
    );
    let (entries, _) = place.answered(
        place
            .command(&["b.csv", "bad.csv"])
            .args(["--quarantine-share", "0.02"]),
        2,
    );
    assert_eq!(
        [&entries[0], &entries[1]].map(|entry| counts(entry, ["quarantined"])[0]),
        [0, 1]
    );
    let [rows, waiting] = counts(&entries[1], ["rows", "waiting"]);
    assert_eq!(rows + waiting, 20 + 2 + 52);
    for share in ["", "2", "-1", "half"] {
        let error = place.unchanged(
            place
                .command(&["c.csv"])
                .arg(format!("--quarantine-share={share}")),
        );
        assert_eq!(
            (&error["kind"], &error["field"]),
            (&json!("usage"), &json!("--quarantine-share"))
        );
    }
}

/// What an error recommends is possible at that place.
#[test]
fn what_is_said_of_a_value_outside_a_taxonomy_can_be_done() {
    const LEAF: &str = "flat = [\"F\", \"M\", \"X\"]";
    for search in ["top-down", "halves"] {
        let feed = FEED.replace("k = 3\n", &format!("k = 3\nsearch = \"{search}\"\n"));
        let place = Place::new(&feed);
        ticks(&place);
        place.put(
            "bad.csv",
            format!(
                "{HEADER}{}9999,30,X,{}\n{}",
                PLANTED[0],
                PLANTED[1],
                people(80..140)
            ),
        );
        let said = |place: &Place| {
            let error = place.unchanged(&mut place.command(&["a.csv", "bad.csv"]));
            assert_eq!(
                (&error["line"], &error["field"]),
                (&json!(2), &json!("sex")),
                "{error}"
            );
            error["text"].as_str().expect("words").to_owned()
        };
        let says = |words: &str, all: [bool; 4]| {
            let found = ["unknown = ", "new leaf", "frozen", "--quarantine-share"]
                .map(|word| words.contains(word));
            assert_eq!(found, all, "{search}: {words}");
        };
        says(&said(&place), [true, false, false, true]);
        let preview = super::preview::output(&place, &["bad.csv"], &[]);
        says(&text(&preview.stderr), [true, false, false, false]);
        place.entries(&["a.csv"]);
        says(&said(&place), [false, search == "top-down", true, true]);
        if search == "top-down" {
            place.put(
                "feed.toml",
                fs::read_to_string(place.path("feed.toml"))
                    .expect("text")
                    .replace("flat = [\"F\", \"M\"]", LEAF),
            );
            place.entries(&["a.csv", "bad.csv"]);
        } else {
            place.answered(
                place
                    .command(&["a.csv", "bad.csv"])
                    .args(["--quarantine-share", "0.1"]),
                2,
            );
        }
    }
}

#[test]
fn inputs_that_are_none() {
    let place = Place::new(FEED);
    ticks(&place);
    place.put("empty.csv", "");
    place.put("less.csv", "patient,age,sex\n");
    fs::create_dir(place.path("folder.csv")).expect("a folder");
    for (name, words) in [
        ("nowhere.csv", "no such file"),
        ("folder.csv", "folder"),
        ("empty.csv", "empty"),
        ("less.csv", "missing"),
    ] {
        let error = place.unchanged(&mut place.command(&["a.csv", name]));
        assert!(
            error["text"].as_str().expect("a text").contains(words),
            "{error}"
        );
        assert!(!place.out().exists());
    }
}

#[test]
fn undeclared_columns_are_named_once() {
    let place = Place::new(FEED);
    for (name, more) in [
        ("a.csv", "room,bed"),
        ("b.csv", "bed,room"),
        ("c.csv", "floor,bed"),
    ] {
        let rows: String = people(0..10)
            .lines()
            .map(|row| format!("{row},x,y\n"))
            .collect();
        place.put(name, format!("{},{more}\n{rows}", HEADER.trim_end()));
    }
    let (_, said) = place.answered(&mut place.command(&["a.csv", "b.csv", "c.csv"]), 3);
    for word in ["`room`", "`bed`", "`floor`"] {
        assert_eq!(said.matches(word).count(), 1, "{word}: {said}");
    }
    fits("manifest", &place.json("1/manifest.json"));
}

#[test]
fn long_chains_of_few_people_lose_no_person() {
    let place = Place::new(FEED);
    let mut log = place.path("log");
    log.set_extension("csv");
    let mut total = 0;
    for tick in 0..30 {
        let mut file = fs::File::create(&log).expect("a file");
        file.write_all((HEADER.to_owned() + &people(tick * 3..tick * 3 + 4)).as_bytes())
            .expect("a file");
        let entry = &place.entries(&["log.csv"])[0];
        // One of the four is a duplicate.
        total += 4 - counts(entry, ["duplicate"])[0];
        let [rows, waiting, withheld, pending] =
            counts(entry, ["rows", "waiting", "withheld", "pending"]);
        assert_eq!(
            (rows + waiting + withheld, pending),
            (total, 0),
            "tick {tick}"
        );
        assert_eq!(total, tick * 3 + 4);
    }
    assert_eq!(place.json("1/manifest.json")["release"], 1);
}

/// Rows between two stray quotes are people; none of them is published inside a value, and none is
/// lost.
#[test]
fn a_stray_quote_is_no_release() {
    let place = Place::new(FEED);
    let [who, what] = PLANTED;
    for between in [0..10, 0..5_001] {
        for end in [format!("{what}\n"), "\n".to_owned(), format!("\",{what}\n")] {
            let rows = people(between.clone());
            let text = format!(
                "{HEADER}{who}a,3,F,\"{what}\n{rows}{who}b,4,M,\"{end}{}",
                people(9_000..9_050)
            );
            place.put("bad.csv", text);
            for share in ["0", "1"] {
                let error = place.unchanged(
                    place
                        .command(&["bad.csv"])
                        .args(["--quarantine-share", share]),
                );
                assert_eq!(
                    (&error["kind"], &error["line"]),
                    (&json!("input"), &json!(2)),
                    "{error}"
                );
            }
            assert!(!place.out().exists());
        }
    }
}

#[test]
fn undeclared_keys_of_json_are_named_once() {
    let place = Place::new(FEED);
    for name in ["a.jsonl", "b.jsonl"] {
        let row = |n: u64| {
            let [who, what] = PLANTED;
            format!(
                "{{\"patient\":\"{who}{name}{n}\",\"age\":{n},\"sex\":\"F\",\"diagnosis\":\"{what}\",\"room\":{n}}}\n"
            )
        };
        place.put(name, (0..10).map(row).collect::<String>());
    }
    let (_, said) = place.answered(&mut place.command(&["a.jsonl", "b.jsonl"]), 2);
    assert_eq!(said.matches("`room`").count(), 1, "{said}");
}

/// An audit reads a file as the run did, whatever is wrong with its sensitive cells.
#[test]
fn an_audit_finds_the_releases_in_their_inputs() {
    let place = Place::new(&FEED.replace("\"sensitive\"", "\"sensitive\"\ntype = \"int\""));
    let mut rows = HEADER.as_bytes().to_vec();
    let cells = [
        &b"1"[..],
        b"notanumber",
        b"NaN",
        b"inf",
        b"1.5",
        b"07",
        b"\xff",
        b"",
        b"2",
        b"a\0b",
        b"5\" x",
    ];
    for (row, cell) in cells.iter().enumerate() {
        rows.extend(
            format!("{}{row},3,F,", PLANTED[0])
                .bytes()
                .chain(cell.iter().copied())
                .chain(*b"\n"),
        );
    }
    place.put("a.csv", &rows);
    assert_eq!(place.entries(&["a.csv"])[0]["rows"], cells.len());
    let mut audit = std::process::Command::new(env!("CARGO_BIN_EXE_tidegate"));
    audit
        .args(["audit", "--json", "--feed"])
        .arg(place.path("feed.toml"));
    audit
        .arg("--release")
        .arg(place.out().join("1/part.parquet"))
        .arg("--increment")
        .arg(place.path("a.csv"));
    let output = audit.output().expect("the program starts");
    let found: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&found["safe"], &found["releases"][0]["rows"]),
        (&json!(true), &json!(cells.len())),
        "{found}"
    );
}

#[test]
fn records_of_bundles_are_chosen_and_counted() {
    let source = "[source]\nkind = \"directory\"\npath = \"in\"\nformat = \"json\"\neach = \"$.entry[*]\"\n\
                  where = { \"$.kind\" = \"stay\" }\n[policy]";
    let place = Place::new(&FEED.replace("[policy]", source));
    let record = |number: u64, kind: &str| {
        json!({"patient": format!("{}{number}", PLANTED[0]), "age": 5, "sex": "F", "kind": kind,
               "diagnosis": format!("{}{number}", PLANTED[1])})
    };
    let bundle = |from: u64| json!({"entry": [record(from, "stay"), record(from, "x"), record(from + 1, "stay")]});
    let lines: Vec<String> = (0..10).map(|at| bundle(2 * at).to_string()).collect();
    place.put("a.jsonl", lines.join("\n") + "\n{\"entry\": []}\n");
    let entries = place.entries(&["a.jsonl"]);
    let [rows, waiting, skipped] = counts(&entries[0], ["rows", "waiting", "skipped"]);
    assert_eq!((rows + waiting, skipped), (20, 11));
}
