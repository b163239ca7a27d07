//! How the format of a file is recognised by its name and its first line, and what is a line of
//! text: blank ones, their numbers, and characters that are no reason to refuse a file.

use tidegate::engine::model::Value;

use super::{Folder, batch, csv, ipc, json_lines, lenient, parquet, strict};

#[test]
fn content_and_name_agree() {
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.csv", ipc(&[batch()], false, None)),
        ("b.parquet", ipc(&[batch()], true, None)),
        ("c.arrow", parquet(&[batch()])),
        ("d.arrow", csv().into_bytes()),
        ("e.jsonl", parquet(&[batch()])),
        (
            "f.json",
            format!("[{}]", json_lines().trim_end().replace('\n', ",")).into_bytes(),
        ),
        ("g.feather", b"FEA1....".to_vec()),
    ] {
        let error = strict(&folder.file(name, bytes)).expect_err(name);
        assert_eq!(error.line, None, "{name}");
    }
}

#[test]
fn names_that_say_something_else_are_refused() {
    let folder = Folder::new();
    for (name, words) in [
        ("day.xlsx", "name it .csv"),
        ("day.2024", "name it .csv"),
        ("feed.toml", ".jsonl"),
        ("DAY.DAT", ".feather"),
        ("day.tsv", "tabs"),
        ("day.csv.gz", "name it .csv"),
    ] {
        let error = strict(&folder.file(name, csv())).expect_err(name);
        assert!(
            error.line.is_none() && error.text.contains(words),
            "{error}"
        );
    }
    for (name, bytes, words) in [
        ("a.csv.gz", &b"\x1f\x8b\x08"[..], "compressed"),
        ("a.xlsx", b"PK\x03\x04", "name it .csv"),
    ] {
        assert!(
            strict(&folder.file(name, bytes))
                .expect_err(name)
                .text
                .contains(words)
        );
    }
    for name in ["day", "DAY.CSV", "day.1.txt"] {
        assert_eq!(
            strict(&folder.file(name, csv()))
                .unwrap_or_else(|error| panic!("{error}"))
                .rows
                .len(),
            5
        );
    }
}

#[test]
fn blank_lines_are_no_rows() {
    let folder = Folder::new();
    let wide = |text: String| format!("\n{}", text.replace('\n', "\n\n \t\n"));
    for (name, text) in [
        ("a.csv", wide(csv())),
        ("b.csv", wide(csv()).replace('\n', "\r\n")),
        ("a.jsonl", wide(json_lines())),
        ("b.jsonl", wide(json_lines()).replace('\n', "\r\n")),
    ] {
        let path = folder.file(name, &text);
        assert_eq!(
            strict(&path)
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .rows
                .len(),
            5
        );
        let path = folder.file(name, text.replace("119", "120"));
        let one = &lenient(&path, "1").expect("rows").quarantined[0];
        let line = text
            .split('\n')
            .position(|line| line.contains("119"))
            .expect("a line") as u64
            + 1;
        assert_eq!((one.row, one.line), (4, Some(line)), "{name}");
    }
    // A line that is not text is not blank.
    let path = folder.file("c.jsonl", [json_lines().as_bytes(), b"\\\xff\n"].concat());
    assert_eq!(lenient(&path, "1").expect("rows").quarantined.len(), 1);
}

/// A sensitive cell never decides how a file is read, wherever it is.
#[test]
fn nul_in_a_cell_is_a_character() {
    let folder = Folder::new();
    let header = "id,age,born,ward,diagnosis,stay\n";
    let row = "p\0,30,1990-01-02,A,a\0b,1\n";
    for before in [0, 1_000] {
        let text = format!("{header}{}{row}", "p,30,1990-01-02,A,x,1\n".repeat(before));
        for name in ["a.csv", "none"] {
            let decoded =
                strict(&folder.file(name, &text)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((decoded.rows.len(), decoded.nulled), (before + 1, 0));
            let values = decoded.rows.values();
            assert_eq!(values.get(0)[0], Value::Text("a\0b".into()));
        }
    }
    let error = strict(&folder.file("b.csv", format!("{header}p,30,1990-01-02,A\0,x,1\n")))
        .map(|decoded| decoded.nulled);
    assert_eq!(error.ok(), Some(0), "wards outside are `other`");
    let long = format!("{},{header}", "x".repeat(5_000));
    for text in [
        format!("a\0,{header}"),
        format!("{}a\0\n", long.trim_end()),
        format!("\n\r\na\0,{header}"),
    ] {
        let error = strict(&folder.file("c.csv", text)).expect_err("no text");
        assert!(error.text.contains("neither text nor"), "{error}");
    }
}

/// The border between two blocks of input, also between the two bytes of a line end.
#[test]
fn lines_are_counted_over_blocks() {
    let folder = Folder::new();
    for length in (1 << 20) - 2..(1 << 20) + 6 {
        let first = format!("{{\"more\":\"{}\"}}\r\n", "x".repeat(length - 13));
        let rows = json_lines().replace('\n', "\r\n").replace("119", "120");
        let path = folder.file("a.jsonl", first + &rows);
        let places: Vec<_> = lenient(&path, "1")
            .expect("rows")
            .quarantined
            .iter()
            .map(|one| one.line)
            .collect();
        assert_eq!(places, [Some(1), Some(5)], "behind {length} bytes");
    }
}

#[test]
fn lines_are_counted_as_editors_do() {
    let folder = Folder::new();
    let row = |age: &str| format!("1,{age},1990-01-02,A,\"x\ny\",1");
    for end in ["\n", "\r\n"] {
        for blank in [0, 1, 3] {
            let [first, second, blanks] = [row("30"), row("120"), end.repeat(blank)];
            let header = "id,age,born,ward,diagnosis,stay";
            let path = folder.file(
                "a.csv",
                format!("{header}{end}{first}{end}{blanks}{second}{end}{end}"),
            );
            let line = 4 + blank as u64;
            assert_eq!(
                strict(&path).expect_err("an age").line,
                Some(line),
                "{end:?} {blank}"
            );
            let quarantined = lenient(&path, "1").expect("set aside").quarantined;
            assert_eq!((quarantined[0].row, quarantined[0].line), (2, Some(line)));
            let broken = std::fs::read_to_string(&path)
                .expect("text")
                .replace("120,1990-01-02,A,\"x", "30,,A,\"x\"");
            let error = strict(&folder.file("b.csv", broken)).expect_err("a quote");
            assert_eq!(error.line, Some(line), "{end:?} {blank}: {error}");
        }
    }
}
