//! Where values are in a message, and what is done to their text (`path`, `clean`, `format`,
//! `derive`): the same rows from every format, by the definition of paths.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use serde_json::{Value as Json, json};
use tidegate::daemon::config::{FeedConfig, PathPart, RecordRules, path_parts};
use tidegate::daemon::ingest::topic::{
    Batch, KnownSchema, SchemaKey, Schemas, Writing, decode as decode_topic,
};
use tidegate::daemon::ingest::{TableFile, count, decode};
use tidegate::engine::histogram::CodedRows;
use tidegate::engine::model::{Columns, Value};

use super::{Folder, STRICT, hasher};
use crate::common::avro_write::{branch, long, record, text};
use crate::common::random::{self, Draw};

fn columns(feed: &str) -> Columns {
    FeedConfig::parse(feed, Path::new("feed.toml"))
        .unwrap_or_else(|error| panic!("{error}"))
        .columns
}

fn of_file(name: &str, content: &[u8], columns: &Columns) -> CodedRows {
    let folder = Folder::new();
    let file = folder.file(name, content);
    let decoded = decode(&file, columns, &hasher(), STRICT, &mut |_| {});
    decoded.unwrap_or_else(|error| panic!("{error}")).rows
}

fn of_topic(writing: Writing, messages: &[Vec<u8>], columns: &Columns) -> CodedRows {
    let mut batch = Batch::default();
    batch.writing = writing;
    for (offset, message) in (0..).zip(messages) {
        batch.push(0, offset, Some(message));
    }
    let policies = &RecordRules::default();
    let decoded = decode_topic("t", &batch, columns, &hasher(), policies);
    decoded.unwrap_or_else(|error| panic!("{error}")).rows
}

const CHANGED: &str = r#"
[feed]
name = "t"
[policy]
k = 2
[[column]]
name = "id"
role = "identifier"
clean = ["trim"]
derive = { part = ["/", -1] }
[[column]]
name = "born"
role = "quasi"
format = "%d.%m.%Y"
taxonomy = { date = ["month", "year"], from = "1900-01-01", to = "2020-12-31" }
[[column]]
name = "sex"
role = "quasi"
clean = ["upper"]
derive = { map = { W = "female", M = "male" } }
taxonomy = { flat = ["female", "male", "D"] }
[[column]]
name = "code"
role = "quasi"
type = "string"
derive = { first = 1 }
taxonomy = { flat = ["7", "8"] }
[[column]]
name = "dose"
role = "sensitive"
type = "float"
clean = ["comma"]
"#;

/// The same feed for rows that are as they should be.
const PLAIN: &str = r#"
[feed]
name = "t"
[policy]
k = 2
[[column]]
name = "id"
role = "identifier"
[[column]]
name = "born"
role = "quasi"
taxonomy = { date = ["month", "year"], from = "1900-01-01", to = "2020-12-31" }
[[column]]
name = "sex"
role = "quasi"
taxonomy = { flat = ["female", "male", "D"] }
[[column]]
name = "code"
role = "quasi"
type = "string"
taxonomy = { flat = ["7", "8"] }
[[column]]
name = "dose"
role = "sensitive"
type = "float"
"#;

#[test]
fn texts_are_changed_alike_in_every_format() {
    let plain = "id,born,sex,code,dose\n123,1990-02-01,female,7,1234.5\n124,1991-12-31,male,8,0.5\n125,1992-01-01,D,7,\n";
    let plain = of_file("plain.csv", plain.as_bytes(), &columns(PLAIN));
    let columns = columns(CHANGED);
    let csv = "id,born,sex,code,dose\n Patient/123 ,01.02.1990,w,71,\"1.234,5\"\nPatient/124,31.12.1991,M,8,\"0,5\"\n125,1.1.1992,d,799,none\n";
    assert!(of_file("a.csv", csv.as_bytes(), &columns) == plain);
    let objects = [
        json!({"id": " Patient/123 ", "born": "01.02.1990", "sex": "w", "code": 71, "dose": "1.234,5"}),
        json!({"id": "Patient/124", "born": "31.12.1991", "sex": "M", "code": "8", "dose": 0.5}),
        json!({"id": 125, "born": "1.1.1992", "sex": "d", "code": 799, "dose": null}),
    ];
    let lines: Vec<Vec<u8>> = objects
        .iter()
        .map(|one| one.to_string().into_bytes())
        .collect();
    assert!(of_file("a.jsonl", &lines.join(&b'\n'), &columns) == plain);
    assert!(of_topic(Writing::Json, &lines, &columns) == plain);
    let texts = |all: [&str; 3]| Arc::new(StringArray::from(all.to_vec())) as ArrayRef;
    let batch = RecordBatch::try_from_iter([
        ("id", texts([" Patient/123 ", "Patient/124", "125"])),
        ("born", texts(["01.02.1990", "31.12.1991", "1.1.1992"])),
        ("sex", texts(["w", "M", "d"])),
        (
            "code",
            Arc::new(Int64Array::from(vec![71, 8, 799])) as ArrayRef,
        ),
        ("dose", texts(["1.234,5", "0,5", ""])),
    ])
    .expect("a batch");
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("memory");
    assert!(of_file("a.parquet", &parquet, &columns) == plain);
}

#[test]
fn a_day_in_another_notation_sets_a_row_aside_and_a_sensitive_one_is_null() {
    let feed = CHANGED.replace(
        "name = \"dose\"\nrole = \"sensitive\"\ntype = \"float\"\nclean = [\"comma\"]",
        "name = \"dose\"\nrole = \"sensitive\"\ntype = \"date\"\nformat = \"hl7\"",
    );
    let columns = columns(&feed);
    let lines = [
        r#"{"id": "1", "born": "01.02.1990", "sex": "w", "code": 7, "dose": "20200131"}"#,
        r#"{"id": "2", "born": "1990-02-01", "sex": "w", "code": 7, "dose": "20200131"}"#,
        r#"{"id": "3", "born": "01.02.1990", "sex": "w", "code": 7, "dose": "2020-01-31"}"#,
    ];
    let messages: Vec<Vec<u8>> = lines.map(|line| line.as_bytes().to_vec()).to_vec();
    let rows = of_topic(Writing::Json, &messages, &columns);
    let values: Vec<&[Value]> = rows
        .codes()
        .iter()
        .map(|&code| rows.values().get(code))
        .collect();
    assert_eq!(values, [&[Value::Date(18_292)][..], &[Value::Null]]);
}

/// An age, a year, a length of stay and a measured one, from days in other columns.
const COMPUTED: &str = r#"
[feed]
name = "t"
chain = "disjoint"
[policy]
k = 2
[[column]]
name = "id"
role = "identifier"
[[column]]
name = "age"
role = "quasi"
derive = { years = ["birth_date", "admitted"] }
taxonomy = { bands = [5, 10], min = 0, max = 119 }
[[column]]
name = "year"
role = "quasi"
optional = true
derive = { year = "admitted" }
taxonomy = { bands = [1, 2], min = 2000, max = 2029 }
[[column]]
name = "stay"
role = "sensitive"
type = "int"
derive = { days = ["admitted", "discharged"] }
[[column]]
name = "months"
role = "measure"
type = "int"
derive = { months = ["admitted", "discharged"] }
[[column]]
name = "birth_date"
role = "input"
path = "$.born"
format = "%d.%m.%Y"
[[column]]
name = "admitted"
role = "input"
[[column]]
name = "discharged"
role = "input"
"#;

#[test]
fn numbers_follow_from_days_in_every_format() {
    let plain = COMPUTED
        .replace("derive = { years = [\"birth_date\", \"admitted\"] }\n", "")
        .replace("derive = { year = \"admitted\" }\n", "")
        .replace("derive = { days = [\"admitted\", \"discharged\"] }\n", "")
        .replace("derive = { months = [\"admitted\", \"discharged\"] }\n", "");
    let plain = columns(
        &plain[..plain
            .find("[[column]]\nname = \"birth_date\"")
            .expect("inputs")],
    );
    let rows = "id,age,year,stay,months\n1,51,2026,28,0\n2,0,2025,,\n3,36,2025,365,12\n";
    let plain = of_file("plain.csv", rows.as_bytes(), &plain);
    let columns = columns(COMPUTED);
    let csv = "id,born,admitted,discharged\n1,25.12.1974,2026-01-31,2026-02-28\n2,01.02.2025,2025-03-01,\n3,29.02.1988,2025-02-28,2026-02-28\n";
    assert!(of_file("a.csv", csv.as_bytes(), &columns) == plain);
    let objects = [
        json!({"id": "1", "born": "25.12.1974", "admitted": "2026-01-31", "discharged": "2026-02-28"}),
        json!({"id": "2", "born": "01.02.2025", "admitted": "2025-03-01"}),
        json!({"id": "3", "born": "29.02.1988", "admitted": "2025-02-28", "discharged": "2026-02-28", "age": []}),
    ];
    let lines: Vec<Vec<u8>> = objects
        .iter()
        .map(|one| one.to_string().into_bytes())
        .collect();
    assert!(of_file("a.jsonl", &lines.join(&b'\n'), &columns) == plain);
    assert!(of_topic(Writing::Json, &lines, &columns) == plain);
    let days = |all: [&str; 3]| {
        let day = |text: &str| tidegate::engine::model::forms::dates::parse(text);
        Arc::new(Date32Array::from(all.map(day).to_vec())) as ArrayRef
    };
    let batch = RecordBatch::try_from_iter_with_nullable([
        (
            "id",
            Arc::new(StringArray::from(vec!["1", "2", "3"])) as ArrayRef,
            true,
        ),
        (
            "born",
            Arc::new(StringArray::from(vec![
                "25.12.1974",
                "01.02.2025",
                "29.02.1988",
            ])) as ArrayRef,
            true,
        ),
        (
            "admitted",
            days(["2026-01-31", "2025-03-01", "2025-02-28"]),
            true,
        ),
        ("discharged", days(["2026-02-28", "", "2026-02-28"]), true),
    ])
    .expect("a batch");
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("memory");
    assert!(of_file("a.parquet", &parquet, &columns) == plain);
    // An audit counts the same raw rows.
    for (name, content) in [
        ("a.csv", csv.as_bytes()),
        ("a.parquet", &parquet),
        ("a.jsonl", &lines.join(&b'\n')),
    ] {
        let folder = Folder::new();
        let table = TableFile::increment(&folder.file(name, content), &columns);
        let table = table.unwrap_or_else(|error| panic!("{name}: {error}"));
        let reading = table.raw();
        let (counted, _) =
            count(table, &columns, reading).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(counted == plain.histogram(0), "{name}");
    }
}

#[test]
fn faults_name_the_day_or_the_number_that_is_wrong() {
    let columns = columns(COMPUTED);
    let row = |born: &str, admitted: &str, discharged: &str| {
        json!({"id": "1", "born": born, "admitted": admitted, "discharged": discharged})
            .to_string()
            .into_bytes()
    };
    for (message, fault) in [
        (row("25.12.1974", "2026-01-31", "2026-02-28"), None),
        (row("25.12.1974", "2026-01-31", "28.02.2026"), None),
        (
            row("1974-12-25", "2026-01-31", "2026-02-28"),
            Some("birth_date"),
        ),
        (
            row("25.12.1974", "31.01.2026", "2026-02-28"),
            Some("admitted"),
        ),
        (row("25.12.2026", "2026-01-31", "2026-02-28"), Some("age")),
        (row("", "2026-01-31", "2026-02-28"), Some("age")),
        (row("25.12.1974", "1999-01-31", "2026-02-28"), Some("year")),
    ] {
        let mut batch = Batch::default();
        batch.push(0, 7, Some(&message));
        let decoded = decode_topic("t", &batch, &columns, &hasher(), &RecordRules::default());
        let decoded = decoded.unwrap_or_else(|error| panic!("{error}"));
        let aside = decoded.partitions[0].aside.as_ref();
        let named = aside.map(|aside| {
            aside.messages()[0]
                .place
                .column
                .as_deref()
                .expect("a column")
        });
        assert_eq!(named, fault, "{}", String::from_utf8_lossy(&message));
    }
}

/// The paths of the sensitive columns of a test.
const PATHS: [&[&str]; 8] = [
    &["$.a[*].v"],
    &["$.a[?k='x'].v"],
    &["$.a[1].v"],
    &["$.a[*].l[?k='y'].v"],
    &["$.a[?k='x'].l[*].v"],
    &["$.a[?k='z'].l[?k='x'].v"],
    &["$.a[?k='q'].v", "$.a[*].l[*].v"],
    &["$.a[0].v", "$.a[2].v", "$.a[0].l[0].k"],
];

fn feed() -> String {
    let mut feed =
        "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
        [[column]]\nname = \"q\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"A\"] }\n"
            .to_owned();
    for (at, paths) in PATHS.iter().enumerate() {
        let written = match paths {
            [one] => format!("{one:?}"),
            several => format!("{several:?}"),
        };
        feed += &format!("[[column]]\nname = \"s{at}\"\nrole = \"sensitive\"\npath = {written}\n");
    }
    feed
}

/// The value at a path, by its definition.
fn at(value: &Json, parts: &[PathPart]) -> Option<String> {
    let Some((part, rest)) = parts.split_first() else {
        return value.as_str().map(str::to_owned);
    };
    match part {
        PathPart::Key(key) => at(value.get(&**key)?, rest),
        PathPart::Place(place) => at(value.get(place)?, rest),
        PathPart::Any => value
            .as_array()?
            .iter()
            .find_map(|element| at(element, rest)),
        PathPart::Where { field, text } => {
            let fits = |element: &&Json| element.get(&**field).is_some_and(|is| *is == **text);
            value
                .as_array()?
                .iter()
                .filter(fits)
                .find_map(|element| at(element, rest))
        }
    }
}

/// The sensitive values of a document, by definition.
fn meant(document: &Json) -> Vec<Value> {
    let column = |paths: &&[&str]| {
        let parts = |path: &&str| path_parts(path).expect("a path");
        let found = paths.iter().find_map(|path| at(document, &parts(path)));
        found.map_or(Value::Null, |text| Value::Text(text.into()))
    };
    PATHS.iter().map(column).collect()
}

/// A text or nothing, and the same as JSON and in Avro.
fn word(draw: &mut Draw, words: [&str; 3]) -> (Json, Vec<u8>) {
    match draw.between(0, 3) as usize {
        3 => (Json::Null, branch(0, &[])),
        at => (json!(words[at]), branch(1, &text(words[at]))),
    }
}

/// A list of elements with `k`, `v` and perhaps a list `l` of such elements.
fn elements(draw: &mut Draw, deep: bool) -> (Json, Vec<u8>) {
    let (mut all, mut bytes) = (Vec::new(), Vec::new());
    let many = draw.between(0, 3);
    for _ in 0..many {
        if deep && draw.once_in(6) {
            all.push(Json::Null);
            bytes.extend(branch(0, &[]));
            continue;
        }
        let (key, key_bytes) = word(draw, ["x", "y", "z"]);
        let (value, value_bytes) = word(draw, ["1", "2", "3"]);
        let mut one = json!({"k": key, "v": value});
        let mut written = [key_bytes, value_bytes].concat();
        if deep {
            let (inner, inner_bytes) = elements(draw, false);
            one["l"] = inner;
            written.extend(inner_bytes);
        }
        all.push(one);
        bytes.extend(if deep { branch(1, &written) } else { written });
    }
    let mut list = Vec::new();
    if many > 0 {
        list.extend(long(many as i64));
        list.extend(bytes);
    }
    list.extend(long(0));
    (Json::Array(all), list)
}

#[test]
fn elements_are_chosen_by_their_content() {
    let columns = columns(&feed());
    let word = r#"["null", "string"]"#;
    let inner = record("Inner", &[("k", word), ("v", word)]);
    let list = format!(r#"{{"type": "array", "items": {inner}}}"#);
    let outer = record("Outer", &[("k", word), ("v", word), ("l", &list)]);
    let list = format!(r#"{{"type": "array", "items": ["null", {outer}]}}"#);
    let schema = record(
        "Doc",
        &[("id", r#""string""#), ("q", r#""string""#), ("a", &list)],
    );
    let schema = KnownSchema::Avro {
        text: schema,
        referred: Vec::new(),
    };
    random::run("paths through lists", 60, |draw| {
        let (mut json, mut avro, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        for id in 0..8 {
            let (list, bytes) = elements(draw, true);
            let document = json!({"id": id.to_string(), "q": "A", "a": list});
            wanted.push(meant(&document));
            json.push(document.to_string().into_bytes());
            let record = [text(id.to_string()), text("A"), bytes].concat();
            avro.push([&[0, 0, 0, 0, 1][..], &record].concat());
        }
        let schemas = Schemas::of(&[(SchemaKey::Id(1), schema.clone())]);
        for rows in [
            of_topic(Writing::Json, &json, &columns),
            of_topic(Writing::Avro(schemas), &avro, &columns),
            of_file("a.jsonl", &json.join(&b'\n'), &columns),
        ] {
            let values = rows
                .codes()
                .iter()
                .map(|&code| rows.values().get(code).to_vec());
            assert_eq!(values.collect::<Vec<_>>(), wanted);
        }
    });
}

#[test]
fn lists_of_odd_elements_lose_only_these() {
    let feed = feed();
    let columns = columns(&feed);
    let row = |list: &str| format!(r#"{{"id": "1", "q": "A", "a": {list}}}"#).into_bytes();
    for (list, first) in [
        (r#"[1, "x", [], {"v": "1"}]"#, Some("1")),
        (r#"[{"v": null}, {}, {"v": "2"}]"#, Some("2")),
        (r#"[{"v": "\u0031"}, {"v": "2"}]"#, Some("1")),
        (r#"[{"v": {"w": 1}}, {"v": "2"}]"#, None),
        (r#"[{"v": "1", "v": "2"}]"#, None),
        ("[]", None),
        ("{}", None),
        ("7", None),
        ("null", None),
    ] {
        let rows = of_topic(Writing::Json, &[row(list)], &columns);
        assert_eq!(
            rows.len(),
            1,
            "{list}: a sensitive column sets no row aside"
        );
        let value = &rows.values().get(rows.codes()[0])[0];
        let meant = first.map_or(Value::Null, |text| Value::Text(text.into()));
        assert_eq!(*value, meant, "{list}");
    }
}
