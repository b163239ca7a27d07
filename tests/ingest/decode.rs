//! Raw files become rows (HOUSE 4, Decoding): the same rows from every format, faults with their
//! place and never with a value, and null for any fault of a sensitive field.

mod fhir;
mod header;
mod json;
mod lines;
mod measures;
mod quotes;
mod records;
mod repeats;
mod set_aside;
mod set_aside_formats;
mod set_aside_people;
mod sources;
mod typed_columns;

use crate::common;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, Date32Array, DictionaryArray, Int64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::error::{Error, Result};
use tidegate::daemon::ingest::{
    BadRows, DecodedFile, PersonHasher, RowPeople, TableFile, count, decode,
};
use tidegate::engine::histogram::MisfitKind;
use tidegate::engine::model::Columns;
use tidegate::engine::model::forms::dates;
use tidegate::engine::policy::Decimal;

const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"born\"\nrole = \"quasi\"\ntaxonomy = { date = [\"month\", \"year\"], from = \"1900-01-01\", to = \"2020-12-31\" }\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\noptional = true\nunknown = \"other\"\ntaxonomy = { flat = [\"A\", \"B\", \"other\", \"unknown\"] }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n\
    [[column]]\nname = \"stay\"\nrole = \"sensitive\"\ntype = \"int\"\n";

fn columns() -> Columns {
    FeedConfig::parse(FEED, Path::new("feed.toml"))
        .expect("a feed file")
        .columns
}

fn hasher() -> PersonHasher {
    PersonHasher::new(&[7; 32])
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }
}

fn strict(path: &Path) -> Result<DecodedFile> {
    decode(path, &columns(), &hasher(), STRICT, &mut |_| {})
}

fn lenient(path: &Path, share: &str) -> Result<DecodedFile> {
    decode(
        path,
        &columns(),
        &hasher(),
        BadRows::SetAside(Decimal::parse(share).expect("a share")),
        &mut |_| {},
    )
}

fn place(error: &Error) -> String {
    format!(
        "{:?} {:?} {}",
        error.line,
        error.field.as_deref().unwrap_or("-"),
        error.text
    )
}

/// A part of the error about a value outside the taxonomy.
const OUTSIDE: &str = "what is to be done";
const STRICT: BadRows<'_> = BadRows::Refused(OUTSIDE);

#[test]
fn faults_of_text_have_their_place() {
    let folder = Folder::new();
    let header = "id,age,born,ward,diagnosis,stay\n";
    for (row, wanted) in [
        (
            ",30,1990-01-02,A,x,1",
            "Some(3) \"id\" row 2: the value is missing",
        ),
        (
            "2,,1990-01-02,A,x,1",
            "Some(3) \"age\" row 2: the value is missing",
        ),
        ("2,120,1990-01-02,A,x,1", "Some(3) \"age\" row 2: OUTSIDE"),
        ("2,030,1990-01-02,A,x,1", "Some(3) \"age\" row 2: MALFORMED"),
        ("2,30,1990-02-30,A,x,1", "Some(3) \"born\" row 2: MALFORMED"),
        ("2,30,1850-01-02,A,x,1", "Some(3) \"born\" row 2: OUTSIDE"),
        (
            "2,30,1990-01-02,A,x",
            "Some(3) \"-\" row 2: 5 field(s), but the header has 6",
        ),
    ] {
        let path = folder.file(
            "a.csv",
            format!("{header}1,30,1990-01-02,A,x,1\n{row}\n3,30,1990-01-02,A,x,1\n"),
        );
        let error = strict(&path).expect_err(row);
        assert_eq!(
            place(&error),
            wanted
                .replace("OUTSIDE", OUTSIDE)
                .replace("MALFORMED", &MisfitKind::Malformed.to_string())
        );
        let decoded = lenient(&path, "0.34").expect("a third");
        assert_eq!((decoded.rows.len(), decoded.quarantined.len()), (2, 1));
        assert_eq!(
            (decoded.quarantined[0].row, decoded.quarantined[0].line),
            (2, Some(3))
        );
        let error = lenient(&path, "0.3").expect_err("more than 0.3");
        assert!(
            error.text.starts_with("1 of 3 rows cannot be decoded"),
            "{}",
            error.text
        );
        assert_eq!(error.line, Some(3));
    }
}

#[test]
fn sensitive_faults_are_null() {
    let folder = Folder::new();
    let mut text =
        b"id,age,born,ward,diagnosis,stay\n1,30,1990-01-02,,,1\n2,30,1990-01-02,C,x,4.5\n".to_vec();
    text.extend(b"3,30,1990-01-02,B,\xff\xfe,12\n");
    let decoded = strict(&folder.file("a.csv", &text)).expect("rows");
    assert_eq!((decoded.rows.len(), decoded.nulled), (3, 3));
    assert_eq!(decoded.rows.people().map(<[_]>::len), Some(3));
}

#[test]
fn a_header_alone_is_an_empty_tick() {
    let folder = Folder::new();
    let decoded =
        strict(&folder.file("a.csv", "id,age,born,ward,diagnosis,stay,more\n")).expect("no rows");
    assert!(decoded.rows.is_empty() && decoded.undeclared == ["more"]);
    assert!(strict(&folder.file("b.csv", "")).is_err());
    let error =
        strict(&folder.file("c.csv", "age,born,ward,diagnosis,stay\n")).expect_err("no identifier");
    assert_eq!(place(&error), "None \"id\" the column is missing");
}

/// A person as the test formats write it: id, age, born, ward, diagnosis, stay.
type Person = (
    &'static str,
    i64,
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    Option<i64>,
);

const PEOPLE: [Person; 5] = [
    ("p1", 30, "1990-01-02", Some("A"), Some("F32"), Some(3)),
    ("p2", 31, "1989-12-31", None, Some("J45"), None),
    ("p3", 0, "2020-02-29", Some("Z"), None, Some(-1)),
    (
        "7",
        119,
        "1900-01-01",
        Some("B"),
        Some("a \"b\", c"),
        Some(0),
    ),
    ("é", 44, "1976-07-04", Some("B"), Some("F32"), Some(3)),
];

fn csv() -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let row = |(id, age, born, ward, diagnosis, stay): &Person| {
        let stay = stay.map_or(String::new(), |stay| stay.to_string());
        let diagnosis = diagnosis.map_or(String::new(), quoted);
        format!(
            "{id},{age},{born},{},{diagnosis},{stay}\n",
            ward.unwrap_or("")
        )
    };
    format!(
        "id,age,born,ward,diagnosis,stay\n{}",
        PEOPLE.iter().map(row).collect::<String>()
    )
}

fn json_lines() -> String {
    let row = |(id, age, born, ward, diagnosis, stay): &Person| {
        let row = serde_json::json!({
            "id": id, "age": age, "born": born, "ward": ward, "diagnosis": diagnosis, "stay": stay, "more": [{"id": 1}],
        });
        format!("{row}\n")
    };
    PEOPLE.iter().map(row).collect()
}

fn batch() -> RecordBatch {
    let days = PEOPLE.iter().map(|row| dates::parse(row.2));
    let wards: DictionaryArray<Int8Type> = PEOPLE.iter().map(|row| row.3).collect();
    let named: Vec<(&str, ArrayRef)> = vec![
        (
            "stay",
            Arc::new(PEOPLE.iter().map(|row| row.5).collect::<Int64Array>()),
        ),
        (
            "diagnosis",
            Arc::new(PEOPLE.iter().map(|row| row.4).collect::<StringArray>()),
        ),
        (
            "id",
            Arc::new(
                PEOPLE
                    .iter()
                    .map(|row| Some(row.0))
                    .collect::<StringArray>(),
            ),
        ),
        (
            "age",
            Arc::new(PEOPLE.iter().map(|row| Some(row.1)).collect::<Int64Array>()),
        ),
        (
            "more",
            Arc::new(PEOPLE.iter().map(|row| Some(row.1)).collect::<Int64Array>()),
        ),
        ("born", Arc::new(days.collect::<Date32Array>())),
        ("ward", Arc::new(wards)),
    ];
    RecordBatch::try_from_iter(named).expect("columns of one length")
}

fn parquet(batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch().schema(), None).expect("a writer");
    batches
        .iter()
        .for_each(|batch| writer.write(batch).expect("rows"));
    writer.close().expect("memory");
    bytes
}

fn ipc(batches: &[RecordBatch], stream: bool, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default()
        .try_with_compression(compression)
        .expect("a known compression");
    let schema = batch().schema();
    if stream {
        let mut writer =
            StreamWriter::try_new_with_options(Vec::new(), &schema, options).expect("a writer");
        batches
            .iter()
            .for_each(|batch| writer.write(batch).expect("rows"));
        writer.finish().expect("memory");
        return writer.into_inner().expect("memory");
    }
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &schema, options).expect("a writer");
    batches
        .iter()
        .for_each(|batch| writer.write(batch).expect("rows"));
    writer.finish().expect("memory");
    writer.into_inner().expect("memory")
}

#[test]
fn the_same_people_are_the_same_rows_in_every_format() {
    let folder = Folder::new();
    let expected = strict(&folder.file("a.csv", csv())).expect("rows");
    assert_eq!((expected.rows.len(), expected.nulled), (5, 2));
    let [lz4, zstd] = [CompressionType::LZ4_FRAME, CompressionType::ZSTD].map(Some);
    for (name, bytes) in [
        (
            "b.csv",
            format!(
                "\u{feff}{}",
                csv().replace(',', ";").replace("\"\";", "\"\",")
            )
            .into_bytes(),
        ),
        ("a.jsonl", json_lines().into_bytes()),
        (
            "b.ndjson",
            format!("\u{feff}{}\n \n", json_lines().replace('\n', "\r\n")).into_bytes(),
        ),
        ("c.json", json_lines().trim_end().as_bytes().to_vec()),
        ("none", json_lines().into_bytes()),
        ("a.parquet", parquet(&[batch()])),
        ("a.arrow", ipc(&[batch()], false, None)),
        ("b.feather", ipc(&[batch()], false, lz4)),
        ("c.ipc", ipc(&[batch()], true, zstd)),
        (
            "d.arrows",
            ipc(
                &[
                    batch().slice(0, 2),
                    batch().slice(2, 0),
                    batch().slice(2, 3),
                ],
                true,
                None,
            ),
        ),
    ] {
        let decoded =
            strict(&folder.file(name, bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(decoded.rows == expected.rows, "{name}");
        assert_eq!(decoded.nulled, expected.nulled, "{name}");
    }
}

#[test]
fn audits_count_the_same_people_in_every_format() {
    let folder = Folder::new();
    let columns = columns();
    let counted = |path: &Path| {
        let table = TableFile::increment(path, &columns).expect("a table");
        let reading = table.raw();
        count(table, &columns, reading).unwrap_or_else(|error| panic!("{error}"))
    };
    let (expected, people) = counted(&folder.file("a.csv", csv()));
    for (name, bytes) in [
        ("a.jsonl", json_lines().into_bytes()),
        ("a.parquet", parquet(&[batch()])),
        ("a.arrow", ipc(&[batch()], false, None)),
    ] {
        let (rows, again) = counted(&folder.file(name, bytes));
        assert!(rows == expected, "{name}");
        assert_eq!(
            RowPeople::repeats(&[&people, &again]),
            PEOPLE.len(),
            "{name}"
        );
    }
    let path = folder.file("b.jsonl", json_lines());
    let error = TableFile::release(&path, &columns)
        .err()
        .expect("JSON is no release");
    assert!(error.text.contains("not as JSON"), "{}", error.text);
}

#[test]
fn files_without_rows_are_empty_ticks() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.jsonl", Vec::new()),
        ("b.ndjson", b"\n\n".to_vec()),
        ("a.parquet", parquet(&[])),
        ("a.arrow", ipc(&[], false, None)),
        ("b.arrow", ipc(&[], true, None)),
    ] {
        let decoded =
            strict(&folder.file(name, bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            decoded.rows.is_empty() && decoded.rows.people().is_some(),
            "{name}"
        );
    }
}

#[test]
fn rows_that_are_too_long_are_passed_over() {
    let folder = Folder::new();
    let good = r#"{"id":"1","age":30,"born":"1990-01-02"}"#;
    let long = format!(
        r#"{{"id":"1","age":30,"born":"1990-01-02"{}}}"#,
        r#","k":0"#.repeat(3 << 20)
    );
    let just = format!(
        r#"{{"id":"1","age":30,"born":"1990-01-02","x":"{}"}}"#,
        "x".repeat(15 << 20)
    );
    let decoded = lenient(
        &folder.file("a.jsonl", format!("{good}\n{long}\n{just}\n{good}\n{long}")),
        "0.5",
    )
    .expect("rows");
    let rows: Vec<(u64, MisfitKind)> = decoded
        .quarantined
        .iter()
        .map(|one| (one.row, one.kind))
        .collect();
    assert_eq!(
        (decoded.rows.len(), rows),
        (3, vec![(2, MisfitKind::LongRow), (5, MisfitKind::LongRow)])
    );
    let open = format!("{}\"{}", csv(), "x".repeat(18 << 20));
    let error = strict(&folder.file("a.csv", open)).expect_err("an open quote");
    assert!(
        error.text.contains("never closed") && error.line == Some(7),
        "{error}"
    );
    let long = format!("{}{}", csv(), ",".repeat(18 << 20));
    assert!(
        strict(&folder.file("a.csv", long))
            .expect_err("a long row")
            .text
            .contains("16 MiB")
    );
}

#[test]
fn people_are_the_same_in_text_and_numbers() {
    let folder = Folder::new();
    let feed = |kind: &str| {
        let id = format!("name = \"id\"\nrole = \"identifier\"\ntype = \"{kind}\"\n");
        let feed = FEED.replace("name = \"id\"\nrole = \"identifier\"\n", &id);
        FeedConfig::parse(&feed, Path::new("feed.toml"))
            .expect("a feed file")
            .columns
    };
    let numbers =
        RecordBatch::try_from_iter(batch().schema().fields().iter().zip(batch().columns()).map(
            |(field, array)| {
                let id: ArrayRef = Arc::new(Int64Array::from_iter_values(1..6));
                (
                    field.name().clone(),
                    if field.name() == "id" {
                        id
                    } else {
                        Arc::clone(array)
                    },
                )
            },
        ));
    let path = folder.file("a.parquet", {
        let numbers = numbers.expect("columns of one length");
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, numbers.schema(), None).expect("a writer");
        writer.write(&numbers).expect("rows");
        writer.close().expect("memory");
        bytes
    });
    let rows: String = (1..6)
        .map(|id| format!("{id},30,1990-01-02,A,x,1\n"))
        .collect();
    let text = folder.file("a.csv", format!("id,age,born,ward,diagnosis,stay\n{rows}"));
    let people = |path: &Path, kind| {
        let decoded = decode(path, &feed(kind), &hasher(), STRICT, &mut |_| {}).expect("rows");
        decoded
            .rows
            .people()
            .expect("identifiers are declared")
            .to_vec()
    };
    let expected: Vec<_> = (1..6)
        .map(|id: i32| hasher().person(&[&id.to_string()]))
        .collect();
    assert!(people(&path, "int") == expected && people(&text, "int") == expected);
    assert!(people(&text, "string") == expected);
    assert!(
        decode(&path, &feed("string"), &hasher(), STRICT, &mut |_| {}).is_err(),
        "numbers are no text"
    );
    assert!(PersonHasher::new(&[8; 32]).person(&["1"]) != expected[0]);
    assert_eq!(format!("{:?}", hasher()), "PersonHasher(..)");
    let zeros = folder.file(
        "b.csv",
        "id,age,born,ward,diagnosis,stay\n07,30,1990-01-02,A,x,1\n",
    );
    assert!(decode(&zeros, &feed("int"), &hasher(), STRICT, &mut |_| {}).is_err());
}

proptest! {
    #[test]
    fn tuples_of_identifiers_are_distinct(a in prop::collection::vec(".{0,4}", 1..4), cut in 0usize..8) {
        let texts: Vec<&str> = a.iter().map(String::as_str).collect();
        let person = hasher().person(&texts);
        prop_assert!(person == hasher().person(&texts));
        // The same text divided at another place is another person.
        let joined = a.concat();
        if let Some((left, right)) = joined.is_char_boundary(cut.min(joined.len())).then(|| joined.split_at(cut.min(joined.len()))) {
            let other = [left, right];
            prop_assert_eq!(person == hasher().person(&other), texts == other);
        }
    }
}

/// Text that no error may contain.
const SECRET: &str = "Xq7secret";

#[test]
fn no_error_holds_a_value() {
    let folder = Folder::new();
    let row = format!("{SECRET}1,30,1990-01-02,A,{SECRET}2,3\n");
    let csv = format!("id,age,born,ward,diagnosis,stay\n{row}{row}");
    let line = format!(
        "{{\"id\":\"{SECRET}1\",\"age\":30,\"born\":\"1990-01-02\",\"diagnosis\":\"{SECRET}2\"}}\n"
    );
    let texts = |of: &str| Arc::new(StringArray::from(vec![of; 5])) as ArrayRef;
    let named = batch()
        .schema()
        .fields()
        .iter()
        .zip(batch().columns())
        .map(|(field, array)| {
            let text = matches!(field.name().as_str(), "id" | "diagnosis");
            (
                field.name().clone(),
                if text {
                    texts(&format!("{SECRET}{}", field.name()))
                } else {
                    Arc::clone(array)
                },
            )
        })
        .collect::<Vec<_>>();
    let secret = RecordBatch::try_from_iter(named).expect("columns of one length");
    let arrow = |stream| {
        let mut bytes = Vec::new();
        if stream {
            let mut writer = StreamWriter::try_new(&mut bytes, &secret.schema()).expect("a writer");
            writer
                .write(&secret)
                .and_then(|()| writer.finish())
                .expect("memory");
            drop(writer);
        } else {
            let mut writer = FileWriter::try_new(&mut bytes, &secret.schema()).expect("a writer");
            writer
                .write(&secret)
                .and_then(|()| writer.finish())
                .expect("memory");
            drop(writer);
        }
        bytes
    };
    let mut table = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut table, secret.schema(), None).expect("a writer");
    writer.write(&secret).expect("rows");
    writer.close().expect("memory");
    let files = [
        ("a.csv", csv.into_bytes()),
        ("a.jsonl", format!("{line}{line}").into_bytes()),
        ("a.parquet", table),
        ("a.arrow", arrow(false)),
        ("b.arrow", arrow(true)),
    ];
    common::random::run("damaged files", 100, |draw| {
        for (name, whole) in &files {
            let most = whole.len() as u64 - 1;
            let mut bytes = whole.clone();
            match draw.between(0, 3) {
                0 => bytes.truncate(draw.between(0, most) as usize),
                flips => (0..flips)
                    .for_each(|_| bytes[draw.between(0, most) as usize] ^= 1 << draw.between(0, 7)),
            }
            let path = folder.file(name, &bytes);
            for error in [strict(&path).err(), lenient(&path, "0.4").err()]
                .into_iter()
                .flatten()
            {
                let json = serde_json::to_string(&error.describe()).expect("JSON");
                for reported in [error.to_string(), format!("{error:?}"), json] {
                    assert!(
                        !reported.contains("secret") && !reported.contains("Xq7"),
                        "{name}: {reported}"
                    );
                }
            }
        }
    });
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = Folder::new();
    let row = |n: u64| (n, n * 7919 % 130, n % 4, n * 31 % 977, n % 11);
    let text: String = (0..150_000)
        .map(row)
        .map(|(n, age, ward, s, stay)| {
            format!(
                "p{n},{age},1990-01-02,{},s{s},{stay}\n",
                ["A", "B", "", "Q"][ward as usize]
            )
        })
        .collect();
    let lines: String = (0..150_000)
        .map(row)
        .map(|(n, age, ward, s, stay)| {
            let ward = ["A", "B", "", "Q"][ward as usize];
            format!("{{\"id\":\"p{n}\",\"age\":{age},\"born\":\"1990-01-02\",\"ward\":\"{ward}\",\"diagnosis\":\"s{s}\",\"stay\":{stay}}}\n")
        })
        .collect();
    let csv = folder.file("a.csv", format!("id,age,born,ward,diagnosis,stay\n{text}"));
    let json = folder.file("a.jsonl", lines);
    let with = |threads: usize, path: &Path| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let decoded = pool
            .install(|| lenient(path, "0.5"))
            .expect("half of the rows");
        let first = pool
            .install(|| strict(path))
            .expect_err("ages beyond 119")
            .to_string();
        (decoded, first)
    };
    let (one, first) = with(1, &csv);
    assert!(one.quarantined.len() > 10_000 && one.rows.len() > 100_000);
    for (threads, path) in [(4, &csv), (1, &json), (4, &json)] {
        let (decoded, again) = with(threads, path);
        assert!(decoded.rows == one.rows, "{threads} threads");
        assert_eq!(
            (decoded.quarantined.len(), decoded.nulled),
            (one.quarantined.len(), one.nulled)
        );
        if path == &csv {
            assert!(decoded.quarantined == one.quarantined && again == first);
        }
    }
}
