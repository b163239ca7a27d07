//! Limits of values and rows that all formats have in common, and of nesting.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use tidegate::daemon::error::ErrorCategory;
use tidegate::daemon::ingest::{BadRows, decode};
use tidegate::engine::histogram::MisfitKind;
use tidegate::engine::policy::Decimal;

use super::{FEED, Folder, refused, rows};
use crate::avro::{columns, decoded, faults, json, of};
use crate::common::avro_write::long;

/// A person with this diagnosis, in every format.
fn in_every_format(diagnosis: &str) -> Vec<(&'static str, Vec<u8>)> {
    let text = |cell: &str| Arc::new(StringArray::from_iter_values([cell])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("ward", text("A")), ("diagnosis", text(diagnosis))])
        .expect("a row");
    let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    parquet.write(&batch).expect("a row");
    let mut arrow = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    arrow
        .write(&batch)
        .and_then(|()| arrow.finish())
        .expect("memory");
    vec![
        (
            "a.csv",
            format!("ward,diagnosis\nA,{diagnosis}\n").into_bytes(),
        ),
        (
            "a.jsonl",
            format!("{{\"ward\":\"A\",\"diagnosis\":\"{diagnosis}\"}}\n").into_bytes(),
        ),
        ("a.parquet", parquet.into_inner().expect("memory")),
        ("a.arrow", arrow.into_inner().expect("memory")),
    ]
}

#[test]
fn a_value_has_so_many_bytes() {
    let folder = Folder::new();
    for (bytes, nulled) in [(65_536, 0), (65_537, 1)] {
        for (name, content) in in_every_format(&"x".repeat(bytes)) {
            let found = rows(&folder.file(name, content)).expect("a row");
            assert_eq!(
                (found.rows.len(), found.nulled),
                (1, nulled),
                "{name}, {bytes} bytes"
            );
        }
    }
}

#[test]
fn a_line_of_json_has_so_many_bytes() {
    let folder = Folder::new();
    let columns = columns(FEED);
    let good = r#"{"ward":"A","diagnosis":"flu""#;
    for (bytes, fits) in [(1 << 24, true), ((1 << 24) + 1, false)] {
        // Keys are not left out, unlike values that no column reads.
        let filler = r#","k":0"#.repeat((bytes - good.len()) / 6 - 8);
        let rest = bytes - good.len() - filler.len() - r#","":0}"#.len();
        let line = format!("{good}{filler},\"{}\":0}}", "k".repeat(rest));
        assert_eq!(line.len(), bytes);
        let path = folder.file("a.jsonl", line + "\n");
        let hasher = tidegate::daemon::ingest::PersonHasher::new(&[7; 32]);
        let share = BadRows::SetAside(Decimal::parse("1").expect("a share"));
        let found = decode(&path, &columns, &hasher, share, &mut |_| {});
        let found = found.expect("rows");
        let kinds: Vec<MisfitKind> = found.quarantined.iter().map(|row| row.kind).collect();
        assert_eq!(
            kinds,
            if fits {
                vec![]
            } else {
                vec![MisfitKind::LongRow]
            }
        );
    }
}

#[test]
fn a_row_of_csv_has_so_many_bytes() {
    let folder = Folder::new();
    for (bytes, fits) in [(1 << 24, true), ((1 << 24) + 1, false)] {
        let path = folder.file("a.csv", format!("ward,diagnosis\n{}", ",".repeat(bytes)));
        let error = rows(&path).map(|_| ()).expect_err("too many fields");
        let text = if fits {
            "field(s), but the header has 2"
        } else {
            "the row is longer than 16 MiB"
        };
        refused(&error, ErrorCategory::Input, &path, None, text);
    }
}

/// The end of a field that is too long is removed before the parser sees it: lines after it are
/// counted with the removed ones.
#[test]
fn a_row_that_is_too_long_is_named_behind_a_field_that_is() {
    let folder = Folder::new();
    let feeds = 200_000;
    let before = format!("ward,diagnosis\nA,\"{}\"\n", "\n".repeat(feeds));
    let path = folder.file("a.csv", before + &",".repeat((1 << 24) + (1 << 20)));
    let error = rows(&path).map(|_| ()).expect_err("too many fields");
    refused(
        &error,
        ErrorCategory::Input,
        &path,
        None,
        "the row is longer than 16 MiB",
    );
    assert_eq!(error.line, Some(feeds as u64 + 3));
}

#[test]
fn values_of_avro_nest_so_deep() {
    let columns = columns(crate::avro::arrow::SHORT);
    // Each list contains a union with the list that contains it.
    let schema = r#"{"type":"record","name":"r","fields":[{"name":"id","type":"string"},{"name":"age","type":"int"},
        {"name":"stay","type":"int"},{"name":"more","type":{"type":"record","name":"n","fields":[{"name":"n","type":["null","n"]}]}}]}"#;
    // The record and its field, two for each level, its union and its content, and the last one
    // empty.
    for (levels, fits) in [(98, true), (99, false)] {
        let record = [
            &long(1)[..],
            b"a",
            &long(30),
            &long(3),
            &long(1).repeat(levels),
            &long(0),
        ]
        .concat();
        let found = decoded(
            &of(&[schema], &[[&[0, 0, 0, 0, 1][..], &record].concat()]),
            &columns,
        );
        if fits {
            let object = r#"{"id": "a", "age": 30, "stay": 3}"#.to_owned();
            assert!(found.rows == json(&[object], &columns), "one row");
        } else {
            assert_eq!(faults(&found), [(0, None, MisfitKind::NotAvro)]);
        }
    }
}
