//! Quotes of delimited text: a broken one is an error of the file and never a row that swallowed
//! others, wherever the blocks of input end. Stray quotes that are not quoting are text.

use std::fmt::Write as _;
use std::path::Path;

use tidegate::daemon::error::{Error, Result};
use tidegate::daemon::ingest::TableFile;
use tidegate::engine::model::Value;

use super::{Folder, SECRET, columns, common, lenient, strict};

const HEADER: &str = "id,age,born,ward,diagnosis,stay\n";

fn people(numbers: std::ops::Range<u32>) -> String {
    numbers
        .map(|n| format!("{SECRET}{n},30,1990-01-02,A,{SECRET}D,1\n"))
        .collect()
}

/// The error of a file that no share of set-aside rows lets pass.
fn refused(path: &Path) -> Error {
    let error = strict(path).expect_err("a broken quote");
    let again = lenient(path, "1").expect_err("a broken quote is no row");
    assert_eq!((error.line, &error.text), (again.line, &again.text));
    assert!(!format!("{error} {error:?}").contains(SECRET), "{error}");
    error
}

/// The distinct diagnoses of a file.
fn diagnoses(path: &Path) -> Vec<Value> {
    let decoded = strict(path).unwrap_or_else(|error| panic!("{error}"));
    (0..decoded.rows.values().len() as u32)
        .map(|code| decoded.rows.values().get(code)[0].clone())
        .collect()
}

#[test]
fn text_behind_a_closing_quote_ends_the_file() {
    let folder = Folder::new();
    let (few, many) = (people(0..10), people(0..5_000));
    for (case, rows, line, words) in [
        ("x,30,1990-01-02,A,\"SEC\"DIAG,1\n", &few, 3, "follows"),
        ("x,30,1990-01-02,A,\"SEC\" ,1\n", &few, 3, "follows"),
        (
            "x,30,1990-01-02,A,\"Flu,5\nROWSy,31,1990-01-02,A,\"Cold,6\n",
            &few,
            3,
            "follows",
        ),
        (
            "x,30,1990-01-02,A,\"Flu,5\nROWSy,31,1990-01-02,A,\"Cold,6\n",
            &many,
            3,
            "follows",
        ),
        ("x,30,1990-01-02,A,\"Flu,5\nROWS", &few, 3, "never closed"),
        (
            "x,30,1990-01-02,A,\"\"\"Flu,5\nROWS",
            &few,
            3,
            "never closed",
        ),
        (
            "x,30,1990-01-02,A,\"Flu\"\",5\nROWS",
            &few,
            3,
            "never closed",
        ),
        (
            "x,30,1990-01-02,A,\"a\n\nb\",5\ny,30,1990-01-02,A,\"b\"c,1\n",
            &few,
            6,
            "follows",
        ),
        ("\"x\"\u{1},30,1990-01-02,A,a,5\n", &few, 3, "follows"),
    ] {
        let path = folder.file(
            "a.csv",
            format!("{HEADER}{}{}", people(90..91), case.replace("ROWS", rows)),
        );
        let error = refused(&path);
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.text.contains(words), "{case}: {error}");
        let table = TableFile::increment(&path, &columns())
            .and_then(read_all)
            .expect_err("a broken quote");
        assert_eq!((table.line, &table.text), (error.line, &error.text));
    }
    // Faults before it are reported first.
    let path = folder.file(
        "a.csv",
        format!("{HEADER}x,120,1990-01-02,A,a,1\nx,30,1990-01-02,A,\"a\"b,1\n"),
    );
    assert_eq!(
        strict(&path).expect_err("an age").field.as_deref(),
        Some("age")
    );
    let header = folder.file(
        "b.csv",
        format!("id,\"age\" ,born,ward,diagnosis,stay\n{few}"),
    );
    assert_eq!(
        (
            refused(&header).line,
            refused(&header).text.contains("follows")
        ),
        (Some(1), true)
    );
}

fn read_all(mut table: TableFile) -> Result<u64> {
    let mut rows = 0;
    while let Some(batch) = table.batch()? {
        rows += batch.num_rows() as u64;
    }
    Ok(rows)
}

/// Legal quoting that looks like rows nonetheless: a quote before one value and one after another.
#[test]
fn rows_inside_a_quoted_field_end_the_file() {
    let folder = Folder::new();
    for (case, line) in [
        ("x,30,1990-01-02,A,\"Flu,5\nROWSy,31,1990-01-02,A,\",6\n", 3),
        ("x,30,1990-01-02,A,\"Flu,5\ny,31,1990-01-02,A,\",6\n", 3),
        ("x,30,1990-01-02,A,\"Flu,5\ny,31,1990-01-02,A,Cold\",6\n", 3),
        (
            "x,30,1990-01-02,A,\"Flu,5\r\ny,31,1990-01-02,A,Cold\",6\r\n",
            3,
        ),
        ("x,30,1990-01-02,A,\"Flu,5\ry,31,1990-01-02,A,Cold\",6\r", 3),
        (
            "x,30,1990-01-02,A,\"Flu,5\n,31,1990-01-02,A,\"\"a,b\"\",6\ny,31,1990-01-02,A,\",6\n",
            3,
        ),
        ("x,30,1990-01-02,A,\"Flu,5\ny,31,1990-01-02,A,\",x\",6\n", 3),
        ("x,30,1990-01-02,A,a,\"1\nROWS\"\n", 3),
        (
            "x,30,1990-01-02,A,a,1\n\"y,30,1990-01-02,A,a,1\nz\",31,1990-01-02,A,b,6\n",
            4,
        ),
        // A row of another length that spans lines may be any number of rows.
        ("x,30,1990-01-02,\"Flu,5\ny,31,1990-01-02,A,\",6\n", 3),
    ] {
        for rows in [people(0..10), people(0..5_000)] {
            let text = format!("{HEADER}{}{}", people(90..91), case.replace("ROWS", &rows));
            let path = folder.file("a.csv", text);
            let error = refused(&path);
            assert_eq!(error.line, Some(line), "{case}: {error}");
            assert!(error.text.contains("swallowed"), "{case}: {error}");
            assert!(
                TableFile::increment(&path, &columns())
                    .and_then(read_all)
                    .is_err(),
                "{case}"
            );
        }
    }
    // The header, too.
    let path = folder.file(
        "b.csv",
        "id,age,born,ward,diagnosis,stay,\"more\nx,30,1990-01-02,A,a,1,b\n\"\n",
    );
    assert_eq!(refused(&path).line, Some(1));
}

#[test]
fn ordinary_text_of_several_lines_is_a_value() {
    let folder = Folder::new();
    for text in [
        "two\nlines",
        "a\r\nb",
        "He says, it hurts\nand, he adds, a lot\n",
        "\n",
        "a;b;c\n1;2;3;4;5;6",
        "\"x\"\ny",
    ] {
        let quoted = text.replace('"', "\"\"");
        let rows = format!(
            "{}x,30,1990-01-02,A,\"{quoted}\",1\n{}",
            people(0..3),
            people(3..5)
        );
        let path = folder.file("a.csv", format!("{HEADER}{rows}"));
        assert_eq!(strict(&path).expect("rows").rows.len(), 6);
        assert!(
            diagnoses(&path).contains(&Value::Text(text.into())),
            "{text:?}"
        );
        // First and last columns, declared or not.
        let wide = format!(
            "\"note\n1\",{},more\n\"{quoted}\",x,30,1990-01-02,A,y,1,\"{quoted}\"\n",
            HEADER.trim_end()
        );
        let decoded =
            strict(&folder.file("b.csv", wide)).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!((decoded.rows.len(), decoded.undeclared.len()), (1, 2));
    }
}

#[test]
fn quotes_inside_unquoted_fields_are_text() {
    let folder = Folder::new();
    let odd = "x,30,1990-01-02,A,5\" needle,1\n";
    let even = "y,30,1990-01-02,A,\u{201e}a\" b\",1\nz,30,1990-01-02,A, \"c\",1\n";
    for (rows, count) in [
        (odd.to_owned(), 1),
        (even.to_owned(), 2),
        (format!("{odd}{even}"), 3),
    ] {
        let path = folder.file(
            "a.csv",
            format!("{HEADER}{}{rows}{}", people(0..3), people(3..6)),
        );
        assert_eq!(
            strict(&path)
                .unwrap_or_else(|error| panic!("{error}"))
                .rows
                .len(),
            6 + count
        );
        assert_eq!(
            diagnoses(&path).contains(&Value::Text("5\" needle".into())),
            rows.contains(odd)
        );
    }
    let path = folder.file("b.csv", format!("{HEADER}{odd}x,120,1990-01-02,A,a,1\n"));
    assert_eq!(strict(&path).expect_err("an age").line, Some(3));
    // The delimiter is recognised all the same.
    let header = HEADER.replace(',', ";");
    let path = folder.file(
        "c.csv",
        format!("5\" needle;{header}a;x;30;1990-01-02;A;a,b;1\n"),
    );
    assert_eq!(strict(&path).expect("rows").rows.len(), 1);
    let path = folder.file(
        "d.csv",
        format!("\n\"a;b\",{HEADER}a;b,x,30,1990-01-02,A,a;b,1\n"),
    );
    assert_eq!(strict(&path).expect("rows").rows.len(), 1);
}

/// Every position of a quote and of the bytes after it at the border of two blocks.
#[test]
fn borders_of_what_is_read_change_nothing() {
    let folder = Folder::new();
    let read = 1 << 18;
    for shift in 0..8 {
        for (row, good) in [
            ("x,30,1990-01-02,A,\"a\"\"b\",1\n", true),
            ("x,30,1990-01-02,A,\"a\nb\",1\r\n", true),
            ("x,30,1990-01-02,A,a\"b,1\n", true),
            ("x,30,1990-01-02,A,\"a\"b,1\n", false),
            ("x,30,1990-01-02,A,\"a\" ,1\n", false),
        ] {
            let mut text = HEADER.to_owned();
            let filler = people(0..1).trim_end().len() - 1;
            while text.len() + filler + 40 + SECRET.len() < read {
                text += &people(0..1);
            }
            // The quoted field begins 18 bytes into the row.
            let at = read - 18 - shift;
            let missing = at - text.len();
            let _ = writeln!(text, "{},30,1990-01-02,A,a,1", "p".repeat(missing - 21));
            assert_eq!(text.len(), at);
            let rows = text.matches('\n').count() as u64;
            let path = folder.file("a.csv", format!("{text}{row}{}", people(1..3)));
            if good {
                assert_eq!(
                    strict(&path).expect("rows").rows.len() as u64,
                    rows + 2,
                    "{row:?} {shift}"
                );
            } else {
                assert_eq!(refused(&path).line, Some(rows + 1), "{row:?} {shift}");
            }
        }
    }
}

/// Written by a plain writer of RFC 4180 and damaged by one quote more or less, a file gives the
/// same people or none.
#[test]
fn a_quote_more_or_less_never_changes_the_people() {
    let folder = Folder::new();
    common::random::run("a quote more or less", 300, |draw| {
        let mut text = HEADER.to_owned();
        let rows = draw.between(2, 6);
        for n in 0..rows {
            let plain = ["a", "5\" x", "a,b", "a\nb", "", "\"", "c d"][draw.between(0, 6) as usize];
            let quote = draw.once_in(2) || plain.contains([',', '\n']) || plain.starts_with('"');
            let cell = if quote {
                format!("\"{}\"", plain.replace('"', "\"\""))
            } else {
                plain.to_owned()
            };
            let _ = writeln!(text, "p{n},30,1990-01-02,A,{cell},1");
        }
        let whole =
            strict(&folder.file("a.csv", &text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(whole.rows.len() as u64, rows, "{text}");
        let mut damaged = text.clone();
        let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
        if draw.once_in(2) && !quotes.is_empty() {
            damaged.remove(quotes[draw.between(0, quotes.len() as u64 - 1) as usize]);
        } else {
            damaged.insert(
                draw.between(HEADER.len() as u64, text.len() as u64) as usize,
                '"',
            );
        }
        let Ok(decoded) = strict(&folder.file("b.csv", &damaged)) else {
            return;
        };
        assert_eq!(decoded.rows.len() as u64, rows, "{damaged}");
    });
}
