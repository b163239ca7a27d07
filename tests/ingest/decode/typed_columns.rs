//! Cells of typed columns: those that are not of the declared type, and how they are read as the
//! raw rows behind a release.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::ingest::{TableFile, count, count_behind, decode};
use tidegate::engine::audit::AuditSubject;
use tidegate::engine::model::Value;
use tidegate::engine::model::forms::dates;
use tidegate::engine::policy::ChainKind;

use super::{FEED, Folder, STRICT, batch, columns, hasher, lenient, strict};

/// The sample people with another column in place of one.
fn with(name: &str, other: ArrayRef) -> RecordBatch {
    let column = |(field, array): (&Arc<arrow_schema::Field>, &ArrayRef)| {
        (
            field.name().clone(),
            if field.name() == name {
                Arc::clone(&other)
            } else {
                Arc::clone(array)
            },
        )
    };
    let batch = batch();
    let columns = batch
        .schema()
        .fields()
        .iter()
        .zip(batch.columns())
        .map(column)
        .collect::<Vec<_>>();
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn written(batch: &RecordBatch) -> [(&'static str, Vec<u8>); 2] {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    writer.write(batch).expect("rows");
    let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    stream
        .write(batch)
        .and_then(|()| stream.finish())
        .expect("memory");
    [
        ("a.parquet", writer.into_inner().expect("memory")),
        ("a.arrow", stream.into_inner().expect("memory")),
    ]
}

#[test]
fn days_outside_the_calendar_are_malformed() {
    let folder = Folder::new();
    let feed = FEED.replace(
        "name = \"diagnosis\"\nrole",
        "name = \"diagnosis\"\ntype = \"date\"\nrole",
    );
    let columns = FeedConfig::parse(&feed, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let days = [i32::MIN, -719_163, -719_162, 2_932_896, 2_932_897];
    for (name, bytes) in written(&with(
        "diagnosis",
        Arc::new(Date32Array::from_iter_values(days)),
    )) {
        let decoded = decode(
            &folder.file(name, bytes),
            &columns,
            &hasher(),
            STRICT,
            &mut |_| {},
        )
        .expect("rows");
        let values = decoded.rows.values();
        let shown: Vec<&Value> = (0..values.len() as u32)
            .map(|code| &values.get(code)[0])
            .collect();
        let inside = |text| Value::Date(dates::parse(text).expect("a day"));
        assert!(shown.contains(&&inside("0001-01-01")) && shown.contains(&&inside("9999-12-31")));
        assert_eq!((decoded.rows.len(), decoded.nulled), (5, 3 + 1));
    }
    for (name, bytes) in written(&with(
        "born",
        Arc::new(Date32Array::from_iter_values(days.map(|day| day / 400))),
    )) {
        let decoded = lenient(&folder.file(name, bytes), "1").expect("rows");
        assert_eq!(decoded.quarantined.len(), 1, "{:?}", decoded.quarantined);
    }
    let born = FEED.replace(
        "taxonomy = { date = [\"month\", \"year\"], from = \"1900-01-01\", to = \"2020-12-31\" }",
        "type = \"date\"\ntaxonomy = { flat = [\"+10000-01-01\", \"10000-01-01\", \"2020-02-29\"] }",
    );
    let columns = FeedConfig::parse(&born, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    for (name, bytes) in written(&with(
        "born",
        Arc::new(Date32Array::from_iter_values([2_932_897; 5])),
    )) {
        let error = decode(
            &folder.file(name, bytes),
            &columns,
            &hasher(),
            STRICT,
            &mut |_| {},
        )
        .expect_err("no day");
        assert_eq!(error.field.as_deref(), Some("born"), "{error}");
    }
}

/// JSON refuses a number for text; columns of whole numbers are refused as such, whatever their
/// role.
#[test]
fn numbers_are_no_text() {
    let folder = Folder::new();
    for column in ["id", "ward", "diagnosis"] {
        for (name, bytes) in written(&with(column, Arc::new(Int64Array::from_iter_values(1..6)))) {
            let path = folder.file(name, bytes);
            for error in [
                strict(&path).expect_err(column),
                lenient(&path, "1").expect_err(column),
            ] {
                assert_eq!((error.line, error.field.as_deref()), (None, Some(column)));
                assert!(error.text.contains("declare type = \"int\""), "{error}");
            }
            let table = TableFile::increment(&path, &columns()).expect("a table");
            let reading = table.raw();
            let error = count(table, &columns(), reading)
                .err()
                .expect("whole numbers");
            assert_eq!(
                (error.line, error.field.as_deref()),
                (None, Some(column)),
                "{error}"
            );
        }
    }
}

/// Releases of this program show null for a malformed sensitive cell, those of others may show it
/// unchanged.
#[test]
fn increments_match_releases_either_way() {
    let folder = Folder::new();
    let columns = columns();
    let long = "x".repeat(65_537);
    let malformed = ["notanumber", "4.5", "NaN", "inf", "07"];
    let mut raw = b"id,age,born,ward,diagnosis,stay\n".to_vec();
    let mut lines = String::new();
    for (row, stay) in malformed.iter().enumerate() {
        raw.extend(
            format!(
                "p{row},30,1990-01-02,A,{},{stay}\n",
                if row == 0 { &long } else { "a" }
            )
            .bytes(),
        );
        let diagnosis = if row == 0 { &long } else { "a" };
        lines += &format!(
            "{{\"id\":\"p{row}\",\"age\":30,\"born\":\"1990-01-02\",\"ward\":\"A\",\"diagnosis\":\"{diagnosis}\",\"stay\":\"{stay}\"}}\n"
        );
    }
    let header = "age,born,ward,diagnosis,stay\n";
    let own: String = (0..5)
        .map(|row| format!("30-34,1990-01,A,{},\n", if row == 0 { "" } else { "a" }))
        .collect();
    let theirs: String = malformed
        .iter()
        .enumerate()
        .map(|(row, stay)| {
            format!(
                "30-34,1990-01,A,{},{stay}\n",
                if row == 0 { &long } else { "a" }
            )
        })
        .collect();
    for (name, bytes) in [("raw.csv", raw), ("raw.jsonl", lines.into_bytes())] {
        let path = folder.file(name, bytes);
        for (release, fits) in [
            (&own, true),
            (&theirs, true),
            (&theirs.replace("4.5", "5.5"), false),
        ] {
            let release = folder.file("release.csv", format!("{header}{release}"));
            let table = TableFile::release(&release, &columns).expect("a release");
            let reading = table.labels();
            let (shown, _) =
                count(table, &columns, reading).unwrap_or_else(|error| panic!("{error}"));
            let table = TableFile::increment(&path, &columns).expect("raw rows");
            let reading = table.raw();
            let releases = [shown];
            let (rows, _) = count_behind(table, &columns, reading, &releases)
                .unwrap_or_else(|error| panic!("{error}"));
            let subject = AuditSubject::new(
                &columns,
                (ChainKind::Cumulative, false),
                releases.to_vec(),
                Some(vec![rows]),
            );
            assert_eq!(subject.is_ok(), fits, "{name}");
        }
    }
    // Bytes in a sensitive cell that are not text are null, as for `anonymize`; elsewhere they are
    // an error.
    for (row, fits) in [
        (b"p,30,1990-01-02,A,\xff,1\n", true),
        (b"p,30,1990-01-02,\xff,a,1\n", false),
    ] {
        let path = folder.file(
            "bytes.csv",
            [b"id,age,born,ward,diagnosis,stay\n", &row[..]].concat(),
        );
        let table = TableFile::increment(&path, &columns).expect("raw rows");
        let reading = table.raw();
        assert_eq!(count(table, &columns, reading).is_ok(), fits);
    }
}

/// pandas writes whole numbers as floats as soon as one is missing: whether a file is accepted must
/// not depend on that.
#[test]
fn whole_numbers_with_a_gap_are_floats() {
    let folder = Folder::new();
    let feed = FEED.replace(
        "name = \"diagnosis\"\nrole",
        "name = \"diagnosis\"\ntype = \"int\"\nrole",
    );
    let columns = FeedConfig::parse(&feed, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let cells = [Some(7.0), None, Some(42.5), Some(f64::NAN), Some(-1e300)];
    for (name, bytes) in written(&with(
        "diagnosis",
        Arc::new(Float64Array::from(cells.to_vec())),
    )) {
        let decoded = decode(
            &folder.file(name, bytes),
            &columns,
            &hasher(),
            STRICT,
            &mut |_| {},
        )
        .expect("rows");
        let values = decoded.rows.values();
        let mut shown: Vec<&Value> = (0..values.len() as u32)
            .map(|code| &values.get(code)[0])
            .collect();
        shown.dedup();
        assert_eq!(shown, [&Value::Null, &Value::Int(7)]);
        assert_eq!(decoded.rows.len(), 5);
    }
    // A quasi column of another type is a mistake in the feed file.
    let ages = Float64Array::from_iter_values([30.0, 31.0, 32.0, 33.0, 34.0]);
    for (name, bytes) in written(&with("age", Arc::new(ages))) {
        let error = strict(&folder.file(name, bytes)).expect_err("another type");
        assert_eq!(error.field.as_deref(), Some("age"));
    }
}

/// A damaged schema can promise values of another type than those that its reader then makes of a
/// dictionary.
#[test]
fn a_damaged_schema_is_an_error_or_another_schema() {
    let folder = Folder::new();
    let feed = "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"b\"\nrole = \"sensitive\"\n\
        [[column]]\nname = \"a\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"A\", \"B\"] }\n";
    let columns = FeedConfig::parse(feed, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let text = |of: [&str; 2]| Arc::new(StringArray::from(of.to_vec())) as ArrayRef;
    let whole = RecordBatch::try_from_iter([("a", text(["A", "B"])), ("b", text(["x", "y"]))])
        .expect("two columns");
    for (name, bytes) in written(&whole) {
        // The schema is at the end of one file and at the beginning of the other.
        let (from, to) = match name {
            "a.parquet" => (bytes.len() - 8 - footer(&bytes), bytes.len() - 8),
            _ => (
                0,
                StreamWriter::try_new(Vec::new(), &whole.schema())
                    .expect("a writer")
                    .get_ref()
                    .len(),
            ),
        };
        let mut read_anyway = 0;
        for bit in from * 8..to * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let path = folder.file(name, &damaged);
            read_anyway +=
                usize::from(decode(&path, &columns, &hasher(), STRICT, &mut |_| {}).is_ok());
        }
        assert!(
            read_anyway > 0,
            "{name}: some bits say nothing about the columns"
        );
    }
}

/// The length of the metadata of a Parquet file.
fn footer(bytes: &[u8]) -> usize {
    let [.., a, b, c, d, _, _, _, _] = bytes else {
        panic!("a file")
    };
    u32::from_le_bytes([*a, *b, *c, *d]) as usize
}
