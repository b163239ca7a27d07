//! Headers: missing, repeated or misspelt names are reported; a header that may be a row of values
//! is not shown.

use std::sync::Arc;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use tidegate::daemon::error::Error;
use tidegate::daemon::ingest::TableFile;

use super::{Folder, SECRET, columns, place, strict};

/// The error of a file as raw rows, as an increment and as a release; it names no cell.
fn refused(text: &str) -> [Error; 3] {
    let folder = Folder::new();
    let path = folder.file("a.csv", text);
    let errors = [
        strict(&path).expect_err("no header"),
        TableFile::increment(&path, &columns())
            .err()
            .expect("no header"),
        TableFile::release(&path, &columns())
            .err()
            .expect("no header"),
    ];
    for error in &errors {
        assert!(!format!("{error} {error:?}").contains(SECRET), "{error}");
    }
    errors
}

#[test]
fn a_first_row_of_values_is_not_shown() {
    let row = format!("{SECRET},30,{SECRET},A,{SECRET},1\n");
    let [raw, increment, release] = refused(&format!("{row}{row}"));
    assert_eq!(place(&raw), "None \"id\" the column is missing");
    assert_eq!(place(&increment), "None \"age\" the column is missing");
    assert_eq!(place(&release), "None \"age\" the column is missing");
    // One word of it may be the name of a column, or nearly.
    for near in ["Age", "ages", " age"] {
        let [raw, ..] = refused(&format!("{SECRET},{near},{SECRET},M,x,1\n"));
        assert_eq!(raw.text, "the column is missing");
    }
}

#[test]
fn doubled_columns_are_named_when_they_are_declared() {
    let header = "id,age,born,ward,diagnosis,stay";
    let [raw, increment, _] = refused(&format!("{header},age\n"));
    for error in [raw, increment] {
        assert_eq!(
            place(&error),
            "Some(1) \"age\" the column `age` occurs twice in the header"
        );
    }
    let [raw, increment, _] = refused(&format!("{header},{SECRET},x,{SECRET}\n"));
    for error in [raw, increment] {
        assert_eq!(
            place(&error),
            "Some(1) \"-\" columns 7 and 9 of the header have the same name"
        );
    }
}

#[test]
fn misspelt_columns_are_suggested() {
    for (header, wanted) in [
        ("id,Age,born,ward,diagnosis,stay", "; the file has `Age`"),
        ("id,age ,born,ward,diagnosis,stay", "; the file has `age `"),
        ("id,aeg,born,ward,diagnosis,stay", "; the file has `aeg`"),
        ("id,agee,born,ward,diagnosis,stay", "; the file has `agee`"),
        ("id,years,born,ward,diagnosis,stay", ""),
    ] {
        let [raw, increment, _] = refused(&format!("{header}\n"));
        for error in [raw, increment] {
            assert_eq!(
                place(&error),
                format!("None \"age\" the column is missing{wanted}")
            );
        }
    }
    for (header, wanted) in [
        (
            "id,age,born,ward,diagnoses,stay",
            "; the file has `diagnoses`",
        ),
        (
            "id,age,born,ward,dyagnoses,stay",
            "; the file has `dyagnoses`",
        ),
        ("id,age,born,ward,dyagnose,stay", ""),
        (
            "id,age,born,ward,diag\nnosis,stay",
            "; the file has `diag\\nnosis`",
        ),
    ] {
        let header = header.replace("diag\nnosis", "\"diag\nnosis\"");
        let [raw, ..] = refused(&format!("{header}\n"));
        assert_eq!(
            place(&raw),
            format!("None \"diagnosis\" the column is missing{wanted}")
        );
    }
}

#[test]
fn names_of_columns_are_text() {
    let folder = Folder::new();
    let header = b"id,age,born,w\xe4rd,diagnosis,stay\n1,30,1990-01-02,A,x,1\n";
    let error = strict(&folder.file("a.csv", header)).expect_err("Latin-1");
    assert_eq!(
        (error.line, &*error.text),
        (
            Some(1),
            "the names of the columns are not UTF-8: save the file as UTF-8"
        )
    );
}

/// Names are compared with each other, so their number is limited.
#[test]
fn columns_are_limited() {
    let folder = Folder::new();
    for (columns, words) in [
        (10_000, "the column is missing"),
        (10_001, "has 10001 columns, more than 10000"),
    ] {
        let names: Vec<String> = (0..columns).map(|n| format!("c{n}")).collect();
        let fields: Vec<Field> = names
            .iter()
            .map(|name| Field::new(name, DataType::Int8, true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let mut arrow = StreamWriter::try_new(Vec::new(), &schema).expect("a writer");
        arrow.finish().expect("memory");
        let parquet = ArrowWriter::try_new(Vec::new(), schema, None).expect("a writer");
        for (name, bytes) in [
            ("a.csv", format!("{}\n", names.join(",")).into_bytes()),
            ("a.arrow", arrow.into_inner().expect("memory")),
            ("a.parquet", parquet.into_inner().expect("memory")),
        ] {
            let error = strict(&folder.file(name, bytes)).expect_err(name);
            assert!(error.text.contains(words), "{name}: {error}");
        }
    }
}
