//! Whether a row counts does not depend on its sensitive cells (SCIENCE 3, Acceptance): whatever
//! bytes they contain, as long as their end can be found, the same rows count, the same are set
//! aside, and only those cells become null.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;

use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::topic::{self, Batch, KnownSchema, SchemaKey, Schemas, Writing};
use tidegate::daemon::ingest::{BadRows, Offer, PersonHasher, decode, retry, take};
use tidegate::engine::histogram::{CodedRows, MisfitKind};
use tidegate::engine::model::{Columns, Value};
use tidegate::engine::policy::Decimal;

use crate::common::avro_write as write;

const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\ntype = \"int\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"note\"\nrole = \"sensitive\"\n\
    [[column]]\nname = \"lab\"\nrole = \"sensitive\"\ntype = \"float\"\n";

fn columns() -> Columns {
    FeedConfig::parse(FEED, Path::new("feed.toml"))
        .expect("a feed file")
        .columns
}

fn hasher() -> PersonHasher {
    PersonHasher::new(&[7; 32])
}

/// The result of a table apart from its sensitive cells, and the rows with such a cell of null.
#[derive(Debug, PartialEq)]
struct Outcome {
    ages: Vec<u32>,
    people: Vec<u128>,
    aside: Vec<(u64, Option<String>, MisfitKind)>,
}

/// The rows and the messages set aside; and the sensitive tuples of the rows.
fn outcome(
    rows: &CodedRows,
    aside: Vec<(u64, Option<String>, MisfitKind)>,
) -> (Outcome, Vec<Vec<Value>>) {
    let people = rows
        .people()
        .expect("there are identifiers")
        .iter()
        .map(|person| person.0)
        .collect();
    let tuples = rows
        .codes()
        .iter()
        .map(|&code| rows.values().get(code).to_vec())
        .collect();
    (
        Outcome {
            ages: rows.column(0).to_vec(),
            people,
            aside,
        },
        tuples,
    )
}

fn of_file(name: &str, bytes: &[u8]) -> (Outcome, Vec<Vec<Value>>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    let all = BadRows::SetAside(Decimal::parse("1").expect("a share"));
    let decoded = decode(&path, &columns(), &hasher(), all, &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
    let aside = decoded.quarantined.iter();
    let aside = aside
        .map(|one| (one.row, one.column.as_deref().map(str::to_owned), one.kind))
        .collect();
    // Set-aside messages are read again as they were kept, with the same content.
    let taken =
        take(&path, &columns(), &hasher(), &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        taken
            .aside
            .messages()
            .iter()
            .all(|message| message.raw.is_some()),
        "{name}: all are kept"
    );
    let again = retry(&taken.aside, &columns(), &hasher(), &RecordRules::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let kinds = |offer: &Offer| {
        offer
            .messages()
            .iter()
            .map(|message| message.place.kind)
            .collect::<Vec<_>>()
    };
    assert!(
        again.rows.is_empty() && kinds(&again.aside) == kinds(&taken.aside),
        "{name}: it is what it was"
    );
    outcome(&decoded.rows, aside)
}

fn of_messages(writing: Writing, messages: &[Vec<u8>]) -> (Outcome, Vec<Vec<Value>>) {
    let mut batch = Batch::default();
    batch.writing = writing;
    (0..)
        .zip(messages)
        .for_each(|(offset, message)| batch.push(0, offset, Some(message)));
    let decoded = topic::decode(
        "wards",
        &batch,
        &columns(),
        &hasher(),
        &RecordRules::default(),
    );
    let decoded = decoded.unwrap_or_else(|error| panic!("{error}"));
    let offers = decoded
        .partitions
        .iter()
        .filter_map(|partition| partition.aside.as_ref());
    let aside = offers
        .flat_map(Offer::messages)
        .map(|message| &message.place);
    let aside = aside
        .map(|one| (one.row, one.column.as_deref().map(str::to_owned), one.kind))
        .collect();
    outcome(&decoded.rows, aside)
}

/// A row: its number, its age, and the content of its sensitive cells, if they are changed.
type Row<C> = (u32, i64, Option<(C, C)>);

/// The same table twice, with its cells changed and unchanged: the same rows count, and unchanged
/// cells keep their content.
fn check<C: Clone>(rows: &[Row<C>], of: impl Fn(&[Row<C>]) -> (Outcome, Vec<Vec<Value>>)) {
    let plain: Vec<Row<C>> = rows.iter().map(|(id, age, _)| (*id, *age, None)).collect();
    let ((changed, cells), (wanted, as_they_were)) = (of(rows), of(&plain));
    assert_eq!(changed, wanted);
    let counts = rows.iter().filter(|(_, age, _)| (0..=119).contains(age));
    for ((row, cells), before) in counts.zip(&cells).zip(&as_they_were) {
        assert!(row.2.is_some() || cells == before, "row {}", row.0);
    }
    assert_eq!(cells.len(), as_they_were.len());
}

fn rows<C: Clone + std::fmt::Debug + 'static>(
    cell: impl Strategy<Value = C> + 'static,
) -> impl Strategy<Value = Vec<Row<C>>> {
    let cell = cell.boxed();
    let two = (cell.clone(), cell);
    let age = prop_oneof![4 => 0..120_i64, 1 => Just(500)];
    let row = (age, proptest::option::of(two));
    proptest::collection::vec(row, 1..12).prop_map(|rows| {
        (1..)
            .zip(rows)
            .map(|(id, (age, cells))| (id, age, cells))
            .collect()
    })
}

/// Bytes that may be in a field of JSON, with an end that can be found.
fn json() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        ".5",
        "1.",
        "+1",
        "0x1",
        "1e",
        "-",
        "nul",
        "True",
        "",
        "undefined",
        "'a'",
        "1 2",
        "{}",
        "[]",
        "[1,{\"a\":]}",
        "{\"a\" 1}",
        "{a:1,b:\"]\"}",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800\"",
        "\"a\tb\"",
        "\"\0\"",
        "\"\u{1}\"",
        "\u{1}",
        "\u{2}",
        "\"\u{7f}\"",
        "1e999",
        "-0",
        "99999999999999999999",
        "true",
        "\"\"",
        "null",
        "\"}\"",
        "\"\\\"\"",
        "\"\\\\\"",
    ];
    prop_oneof![
        4 => proptest::sample::select(words.map(|word| word.as_bytes().to_vec()).to_vec()),
        1 => proptest::sample::select(vec![b"\"\xff\"".to_vec(), b"\"\\\xff\"".to_vec(), b"\xfe".to_vec(), b"\"\xe2\x82\"".to_vec()]),
        1 => (65_000..70_000_usize).prop_map(|long| format!("\"{}\"", "x".repeat(long)).into_bytes()),
        1 => (390_000..395_000_usize).prop_map(|long| "1".repeat(long).into_bytes()),
        2 => proptest::collection::vec(any::<u8>().prop_filter("ends", |byte| !b"\"\\,{}[]\n".contains(byte)), 0..20),
        2 => proptest::collection::vec(any::<u8>().prop_filter("ends", |byte| !b"\"\\\n".contains(byte)), 0..20)
            .prop_map(|text| [b"\"", &text[..], b"\""].concat()),
    ]
}

fn object((id, age, cells): &Row<Vec<u8>>) -> Vec<u8> {
    let [note, lab] = match cells {
        None => [&b"\"x\""[..], b"1.5"],
        Some((note, lab)) => [&note[..], lab],
    };
    [
        &b"{\"note\":"[..],
        note,
        format!(",\"id\":{id},\"lab\" : ").as_bytes(),
        lab,
        format!(" ,\"age\":{age}}}").as_bytes(),
    ]
    .concat()
}

/// Bytes of a field of delimited text: whatever a writer that quotes correctly writes.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let quoted = |text: &[u8]| {
        let doubled: Vec<u8> = text
            .iter()
            .flat_map(|byte| {
                if *byte == b'"' {
                    vec![b'"'; 2]
                } else {
                    vec![*byte]
                }
            })
            .collect();
        [b"\"", &doubled[..], b"\""].concat()
    };
    prop_oneof![
        2 => proptest::collection::vec(any::<u8>().prop_filter("ends", |byte| !b"\",;\n\r".contains(byte)), 0..20),
        2 => proptest::collection::vec(any::<u8>().prop_filter("looks like rows", |byte| !b",;".contains(byte)), 0..20)
            .prop_map(move |text| quoted(&text)),
        1 => proptest::sample::select(["NaN", "inf", "01", ".5", "1e5", "a\"b", "\"\"\"\"", "\"a\n\n\"\"\""].map(|word| word.as_bytes().to_vec()).to_vec()),
        1 => (131_000..132_000_usize, any::<u8>().prop_filter("ends", |byte| !b",;\n\r".contains(byte)))
            .prop_map(move |(long, byte)| quoted(&vec![byte; long])),
        1 => (131_000..132_000_usize).prop_map(|long| vec![b'x'; long]),
    ]
}

fn csv(rows: &[Row<Vec<u8>>]) -> Vec<u8> {
    let mut bytes = b"id,note,age,lab\n".to_vec();
    for (id, age, cells) in rows {
        let [note, lab] = match cells {
            None => [&b"x"[..], b"1.5"],
            Some((note, lab)) => [&note[..], lab],
        };
        bytes.extend(
            [
                format!("{id},").as_bytes(),
                note,
                format!(",{age},").as_bytes(),
                lab,
                b"\n",
            ]
            .concat(),
        );
    }
    bytes
}

/// A value of Avro under a union of all possible types: its branch, and the value.
fn avro() -> impl Strategy<Value = Vec<u8>> {
    let branch = |number: i64, value: Vec<u8>| [write::long(number), value].concat();
    let long = |bytes: usize, last: u8| [vec![0xff; bytes], vec![last]].concat();
    prop_oneof![
        Just(branch(0, Vec::new())),
        proptest::collection::vec(any::<u8>(), 0..9)
            .prop_map(move |text| branch(1, write::text(&text))),
        (65_000..66_000_usize).prop_map(move |size| branch(1, write::text(vec![b'x'; size]))),
        any::<f64>().prop_map(move |number| branch(2, number.to_le_bytes().to_vec())),
        any::<u8>().prop_map(move |byte| branch(3, vec![byte])),
        (0..9_usize, 0..0x80_u8).prop_map(move |(bytes, last)| branch(4, long(bytes, last))),
        (0..9_usize, 0..0x80_u8).prop_map(move |(bytes, last)| branch(5, long(bytes, last))),
        Just(branch(5, long(9, 0x7f))),
        any::<i32>().prop_map(move |word| branch(6, write::long(i64::from(word)))),
        proptest::collection::vec(any::<u8>(), 4).prop_map(move |fixed| branch(7, fixed)),
        proptest::collection::vec(any::<i64>(), 0..5).prop_map(move |items| {
            let all = items
                .iter()
                .flat_map(|item| write::long(*item))
                .collect::<Vec<_>>();
            let count = if items.is_empty() {
                Vec::new()
            } else {
                write::long(items.len() as i64)
            };
            branch(8, [count, all, vec![0]].concat())
        }),
    ]
}

const SCHEMA: &str = r#"{"type": "record", "name": "r", "fields": [
    {"name": "note", "type": ["null", "string", "double", "boolean", "int", "long",
        {"type": "enum", "name": "e", "symbols": ["a", "b"]}, {"type": "fixed", "name": "f", "size": 4}, {"type": "array", "items": "long"}]},
    {"name": "id", "type": "long"},
    {"name": "lab", "type": ["null", "string", "double", "boolean", "int", "long", "e", "f", {"type": "array", "items": "long"}]},
    {"name": "age", "type": "long"}]}"#;

fn record((id, age, cells): &Row<Vec<u8>>) -> Vec<u8> {
    let (note, lab) = cells.clone().unwrap_or_else(|| {
        (
            [write::long(1), write::text(b"x")].concat(),
            [write::long(2), 1.5_f64.to_le_bytes().to_vec()].concat(),
        )
    });
    [
        vec![0, 0, 0, 0, 1],
        note,
        write::long(i64::from(*id)),
        lab,
        write::long(*age),
    ]
    .concat()
}

/// Cells of typed tables: a text and a number.
fn typed() -> impl Strategy<Value = (Option<String>, Option<f64>)> {
    let text = prop_oneof![".{0,8}", Just("x".repeat(65_537)), Just("\0".to_owned())];
    (
        proptest::option::of(text),
        proptest::option::of(any::<f64>()),
    )
}

fn batch(rows: &[Row<(Option<String>, Option<f64>)>]) -> RecordBatch {
    let cells = |row: &Row<(Option<String>, Option<f64>)>| match &row.2 {
        None => (Some("x".to_owned()), Some(1.5)),
        Some((note, lab)) => (note.0.clone(), lab.1),
    };
    let named: Vec<(&str, ArrayRef, bool)> = vec![
        (
            "note",
            Arc::new(rows.iter().map(|row| cells(row).0).collect::<StringArray>()),
            true,
        ),
        (
            "id",
            Arc::new(
                rows.iter()
                    .map(|row| Some(i64::from(row.0)))
                    .collect::<Int64Array>(),
            ),
            true,
        ),
        (
            "lab",
            Arc::new(
                rows.iter()
                    .map(|row| cells(row).1)
                    .collect::<Float64Array>(),
            ),
            true,
        ),
        (
            "age",
            Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>()),
            true,
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(named).expect("columns of one length")
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(batch).expect("rows");
    writer.finish().expect("memory");
    writer.into_inner().expect("memory")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn of_json_lines(rows in rows(json())) {
        check(&rows, |rows| of_file("a.jsonl", &rows.iter().map(|row| [object(row), b"\n".to_vec()].concat()).collect::<Vec<_>>().concat()));
    }

    #[test]
    fn of_json_messages(rows in rows(json())) {
        check(&rows, |rows| of_messages(Writing::Json, &rows.iter().map(object).collect::<Vec<_>>()));
    }

    #[test]
    fn of_delimited_text(rows in rows(text())) {
        check(&rows, |rows| of_file("a.csv", &csv(rows)));
    }

    #[test]
    fn of_avro(rows in rows(avro())) {
        let known = KnownSchema::Avro { text: SCHEMA.to_owned(), referred: Vec::new() };
        let schemas = Schemas::of(&[(SchemaKey::Id(1), known)]);
        check(&rows, |rows| of_messages(Writing::Avro(schemas.clone()), &rows.iter().map(record).collect::<Vec<_>>()));
    }

    #[test]
    fn of_typed_tables(rows in rows(typed())) {
        check(&rows, |rows| of_file("a.arrow", &stream(&batch(rows))));
        check(&rows, |rows| of_messages(Writing::Arrow, &[stream(&batch(rows))]));
        check(&rows, |rows| {
            let batch = batch(rows);
            let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
            writer.write(&batch).expect("rows");
            of_file("a.parquet", &writer.into_inner().expect("memory"))
        });
    }
}

/// Rows with such a cell in each of the two columns, one of which is set aside.
fn beside(cell: Vec<u8>) -> Vec<Row<Vec<u8>>> {
    let short = b"1".to_vec();
    vec![
        (1, 30, None),
        (2, 40, Some((cell.clone(), short.clone()))),
        (3, 500, Some((short, cell))),
        (4, 50, None),
    ]
}

/// Cells of more bytes than a row may have, beside a row that is set aside with one.
#[test]
fn of_rows_that_are_longer_than_they_may_be() {
    let long = |byte: u8| vec![byte; 17 << 20];
    let quoted = |cell: &[u8]| [b"\"", cell, b"\""].concat();
    let nested = [&b"[{\"a\":"[..], &b"[1],".repeat(5 << 20), b"0}]"].concat();
    for cell in [long(b'1'), nested, quoted(&b"\\\"".repeat(9 << 20))] {
        let rows = beside(cell);
        check(&rows, |rows| {
            of_file(
                "a.jsonl",
                &rows
                    .iter()
                    .map(|row| [object(row), b"\n".to_vec()].concat())
                    .collect::<Vec<_>>()
                    .concat(),
            )
        });
    }
    for cell in [
        quoted(&long(b'"')[..16 << 20]),
        quoted(&long(b'\n')),
        long(0xff),
    ] {
        let rows = beside(cell);
        check(&rows, |rows| of_file("a.csv", &csv(rows)));
    }
}
