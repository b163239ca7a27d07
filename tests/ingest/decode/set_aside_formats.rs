//! Messages of typed formats that the daemon sets aside, and of all formats in large files and
//! random tables: each belongs to one row, and errors show nothing of it or of others.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringViewBuilder};
use arrow_array::types::Int16Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array,
    LargeBinaryArray, NullArray, RecordBatch, StringArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::{Offer, PersonHasher, SetAsideMessage, retry, take};
use tidegate::engine::model::Columns;
use tidegate::engine::model::forms::dates;

use super::set_aside::{HEADER, again, check, check_all, closed, columns, feeds, took};
use super::{Folder, SECRET, common, hasher};

/// The cells of a typed row: id, age, birthday, ward, diagnosis, stay, more.
type Typed = (
    Option<String>,
    Option<i64>,
    Option<&'static str>,
    Option<&'static str>,
    String,
    Option<i64>,
    Option<&'static str>,
);

fn typed(rows: &[Typed]) -> RecordBatch {
    let mut views = StringViewBuilder::new();
    let mut lists = ListBuilder::new(StringViewBuilder::new());
    for row in rows {
        views.append_value(&row.4);
        lists
            .values()
            .append_value(format!("{SECRET} of a list, {}", row.4));
        lists.append(true);
    }
    let wards: DictionaryArray<Int16Type> = rows.iter().map(|row| row.3).collect();
    let more: DictionaryArray<Int16Type> = rows.iter().map(|row| row.6).collect();
    let named: Vec<(&str, ArrayRef, bool)> = vec![
        ("list", Arc::new(lists.finish()), true),
        (
            "stay",
            Arc::new(rows.iter().map(|row| row.5).collect::<Int64Array>()),
            true,
        ),
        ("diagnosis", Arc::new(views.finish()), true),
        (
            "remark",
            Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.4))),
            false,
        ),
        (
            "id",
            Arc::new(
                rows.iter()
                    .map(|row| row.0.clone())
                    .collect::<StringArray>(),
            ),
            true,
        ),
        (
            "age",
            Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>()),
            true,
        ),
        ("more", Arc::new(more), true),
        (
            "flag",
            Arc::new(
                (0..rows.len())
                    .map(|row| Some(row % 3 == 0))
                    .collect::<BooleanArray>(),
            ),
            true,
        ),
        ("none", Arc::new(NullArray::new(rows.len())), true),
        (
            "price",
            Arc::new(
                (0..rows.len())
                    .map(|row| Some(row as i128))
                    .collect::<Decimal128Array>(),
            ),
            true,
        ),
        (
            "bytes",
            Arc::new(LargeBinaryArray::from_iter_values(
                rows.iter().map(|row| &row.4),
            )),
            true,
        ),
        (
            "born",
            Arc::new(
                rows.iter()
                    .map(|row| row.2.and_then(dates::parse))
                    .collect::<Date32Array>(),
            ),
            true,
        ),
        ("ward", Arc::new(wards), true),
    ];
    RecordBatch::try_from_iter_with_nullable(named).expect("columns of one length")
}

/// The same rows as files of every typed format, divided into batches of this size.
fn files(rows: &[Typed], cut: usize) -> Vec<(&'static str, Vec<u8>)> {
    let all = typed(rows);
    let batches: Vec<RecordBatch> = (0..rows.len())
        .step_by(cut)
        .map(|from| all.slice(from, cut.min(rows.len() - from)))
        .collect();
    let schema = all.schema();
    let pages = WriterProperties::builder()
        .set_max_row_group_row_count(Some(3 * cut))
        .set_data_page_row_count_limit(cut);
    let mut parquet = ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(pages.build()))
        .expect("a writer");
    // A file contains one dictionary per column, a stream one per batch.
    let mut file = FileWriter::try_new(Vec::new(), &schema).expect("a writer");
    let mut stream = StreamWriter::try_new(Vec::new(), &schema).expect("a writer");
    for batch in &batches {
        parquet.write(batch).expect("rows");
        file.write(batch).expect("rows");
        stream.write(batch).expect("rows");
    }
    file.finish()
        .and_then(|()| stream.finish())
        .expect("memory");
    vec![
        ("a.parquet", parquet.into_inner().expect("memory")),
        ("a.arrow", file.into_inner().expect("memory")),
        ("b.arrow", stream.into_inner().expect("memory")),
    ]
}

#[test]
fn typed_rows_are_offered_again() {
    let folder = Folder::new();
    let text = |text: &str| Some(text.to_owned());
    let rows: Vec<Typed> = vec![
        (
            text("p1"),
            Some(30),
            Some("1990-01-02"),
            Some("A"),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
        (
            text("p2"),
            Some(130),
            Some("1990-01-02"),
            Some("B"),
            format!("{SECRET} in the first row"),
            None,
            Some("y"),
        ),
        (
            text("p3"),
            None,
            Some("1990-01-02"),
            Some("A"),
            format!("{SECRET} in the other row"),
            Some(2),
            None,
        ),
        (
            None,
            Some(30),
            Some("1990-01-02"),
            Some("A"),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
        (
            text(""),
            Some(30),
            Some("1990-01-02"),
            Some("A"),
            "F32".into(),
            Some(1),
            Some("z"),
        ),
        (
            text("p4"),
            Some(30),
            Some("1990-01-02"),
            None,
            "é".into(),
            Some(1),
            Some("x"),
        ),
        (
            text("p5"),
            Some(30),
            Some("1850-01-02"),
            Some("é"),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
        (
            text("p6"),
            Some(30),
            None,
            Some("A"),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
        (
            text("p7"),
            Some(31),
            Some("1990-01-02"),
            Some("C,\n\"x\""),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
        (
            Some("x".repeat(65_537)),
            Some(30),
            Some("1990-01-02"),
            Some("A"),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
        (
            text("p8"),
            Some(30),
            Some("1990-01-02"),
            Some("A"),
            "F32".into(),
            Some(1),
            Some("x"),
        ),
    ];
    for cut in [1, 2, 20] {
        for (name, bytes) in files(&rows, cut) {
            let path = folder.file(name, bytes);
            check_all(&path);
            let first = took(&path, &columns(&closed("119")));
            // Each message belongs to exactly one row.
            for message in first.aside.messages() {
                let bytes = message.raw.as_ref().expect("kept").bytes();
                let found = |words: &str| {
                    bytes
                        .windows(words.len())
                        .any(|window| window == words.as_bytes())
                };
                assert_eq!(found("in the first row"), message.place.row == 2, "{name}");
                assert_eq!(found("in the other row"), message.place.row == 3, "{name}");
                assert!(
                    !found("of a list")
                        && bytes.len() < 3_000 + 70_000 * usize::from(message.place.row == 10)
                );
            }
        }
    }
    for (name, bytes) in files(&rows[..1], 1) {
        let path = folder.file(name, bytes);
        let wrong =
            columns(&closed("119").replace("name = \"id\"\n", "name = \"id\"\ntype = \"int\"\n"));
        let error = take(&path, &wrong, &hasher(), &mut |_| {}).expect_err("a whole column");
        assert_eq!(error.field.as_deref(), Some("id"));
        assert!(
            took(&path, &columns(&closed("119")))
                .aside
                .messages()
                .is_empty()
        );
    }
}

/// The kept part of a row that is larger than a message may be: enough of its texts that they are
/// still too long for a value.
#[test]
fn typed_rows_that_are_too_large_are_kept_short() {
    let folder = Folder::new();
    let row = |id: &str, diagnosis: String| -> Typed {
        (
            Some(id.to_owned()),
            Some(130),
            Some("1990-01-02"),
            Some("A"),
            diagnosis,
            Some(1),
            None,
        )
    };
    // After the last letter that a value may have, which has two bytes, another one begins.
    let rows = vec![
        row("p1", "F32".into()),
        row("p2", format!("x{}", "é".repeat(9 << 20))),
    ];
    for (name, bytes) in files(&rows, 2) {
        let path = folder.file(name, bytes);
        let [before, after] = ["119", "199"].map(|ages| columns(&closed(ages)));
        let first = check(&path, &before, &after);
        let later = again(&first.aside, &after);
        assert_eq!(
            (later.rows.len(), later.nulled),
            (2, 1),
            "{name}: a text that is too long is null"
        );
        let sizes: Vec<usize> = first.aside.messages().iter().map(size).collect();
        // Three columns contain it.
        assert!(
            sizes[0] < 3_000 && (3 * 65_537..200_000).contains(&sizes[1]),
            "{name}: {sizes:?}"
        );
    }
}

fn size(message: &SetAsideMessage) -> usize {
    message.raw.as_ref().expect("kept").bytes().len()
}

/// Many batches, more than are read at a time.
#[test]
fn rows_of_large_files_are_offered_again() {
    let folder = Folder::new();
    let rows: Vec<Typed> = (0..70_000)
        .map(|n| {
            let age = if n % 611 == 7 { 150 } else { n % 100 };
            (
                Some(format!("p{n}")),
                Some(age),
                Some("1990-01-02"),
                Some("A"),
                format!("s{}", n % 13),
                Some(1),
                Some("x"),
            )
        })
        .collect();
    let row = |row: &Typed, n: usize| {
        let (id, age, diagnosis) = (row.0.as_deref().unwrap_or(""), row.1.unwrap_or(0), &row.4);
        match n {
            0 => format!("{id},\"a\nb\",{age},1990-01-02,A,{diagnosis},1,x\r\n"),
            _ => format!(
                "{{\"id\":\"{id}\",\"age\":{age},\"born\":\"1990-01-02\",\"ward\":\"A\",\"diagnosis\":\"{diagnosis}\"}}\n"
            ),
        }
    };
    let texts = [0, 1].map(|n| rows.iter().map(|one| row(one, n)).collect::<String>());
    let mut files = files(&rows, 50_000);
    files.push((
        "a.csv",
        format!("\u{feff}{HEADER}{}", texts[0]).into_bytes(),
    ));
    files.push(("a.jsonl", texts[1].clone().into_bytes()));
    let (before, after) = (columns(&closed("119")), columns(&closed("199")));
    for (name, bytes) in files {
        let path = folder.file(name, bytes);
        let first = check(&path, &before, &after);
        assert_eq!(first.aside.messages().len(), 115, "{name}");
        assert_eq!(again(&first.aside, &after).rows.len(), 115, "{name}");
    }
}

#[test]
fn nothing_shows_a_value() {
    let folder = Folder::new();
    let secret = || Some(format!("{SECRET}1"));
    let rows: Vec<Typed> = vec![(
        secret(),
        Some(130),
        Some("1990-01-02"),
        Some("A"),
        format!("{SECRET}2"),
        Some(1),
        Some("x"),
    )];
    let mut files = files(&rows, 1);
    files.push((
        "a.csv",
        format!("{HEADER}{SECRET}1,{SECRET}2,130,1990-01-02,A,{SECRET}3,1,x\n{SECRET}4\n")
            .into_bytes(),
    ));
    files.push((
        "a.jsonl",
        format!("{{\"id\":\"{SECRET}1\",\"age\":130}}\n{SECRET}\n").into_bytes(),
    ));
    let columns = columns(&closed("119"));
    let other = FeedConfig::parse(
        &closed("119").replace("\"age\"", "\"years\""),
        Path::new("feed.toml"),
    )
    .expect("a feed");
    for (name, bytes) in files {
        let taken = took(&folder.file(name, bytes), &columns);
        let offer = &taken.aside;
        let mut reported = format!("{taken:?} {:?} {:#?}", offer, again(offer, &columns));
        for message in offer.messages() {
            reported += &format!("{message:?} {:?}", message.raw);
        }
        if let Err(error) = retry(
            offer,
            &other.columns,
            &PersonHasher::new(&[1; 32]),
            &RecordRules::default(),
        ) {
            reported += &format!("{error} {error:?}");
        }
        let bytes = offer.bytes();
        assert!(
            bytes
                .windows(SECRET.len())
                .any(|window| window == SECRET.as_bytes()),
            "kept"
        );
        common::random::run("damaged offers", 50, |draw| {
            let mut damaged = bytes.to_vec();
            let at = draw.between(0, damaged.len() as u64 - 1) as usize;
            if draw.once_in(2) {
                damaged.truncate(at)
            } else {
                damaged[at] ^= 1 << draw.between(0, 7)
            }
            let result = Offer::parse(&damaged).and_then(|offer| {
                retry(
                    &offer,
                    &self::columns(&closed("119")),
                    &hasher(),
                    &RecordRules::default(),
                )
            });
            let reported = format!("{:?}", result.err());
            assert!(
                !reported.contains("secret") && !reported.contains("Xq7"),
                "{reported}"
            );
        });
        assert!(
            !reported.contains("secret") && !reported.contains("Xq7"),
            "{reported}"
        );
    }
    assert!(
        Offer::parse(&[3, 0, 0, 0])
            .expect_err("another form")
            .text
            .contains("another version of tidegate wrote it")
    );
}

/// Random tables in every format, under random feed files.
#[test]
fn random_tables_are_offered_again() {
    let folder = Folder::new();
    let feeds: Vec<Columns> = feeds().iter().map(|feed| columns(feed)).collect();
    let pick = |draw: &mut common::random::Draw, of: &[&'static str]| {
        of[draw.between(0, of.len() as u64 - 1) as usize]
    };
    common::random::run("random tables", 60, |draw| {
        let rows: Vec<Typed> = (0..draw.between(0, 12))
            .map(|n| {
                let id = (!draw.once_in(5)).then(|| format!("p{n}"));
                let age = (!draw.once_in(6)).then(|| draw.between(0, 210) as i64);
                let born = pick(draw, &["", "1990-01-02", "1990-01-02", "1850-05-05"]);
                let ward = pick(draw, &["", "A", "B", "C,\n\"x\"", "é", "Q"]);
                let text = pick(draw, &["", "a\r\nb", "\"", "5\" x", "ü;,", "plain"]);
                let more = pick(draw, &["", "x", "y", "z"]);
                let some = |text: &'static str| (!text.is_empty()).then_some(text);
                (
                    id,
                    age,
                    some(born),
                    some(ward),
                    text.to_owned(),
                    Some(n as i64),
                    some(more),
                )
            })
            .collect();
        let (delimiter, end) = (
            pick(draw, &[",", ";"]),
            pick(draw, &["\n", "\r\n", "\n\n", "\r"]),
        );
        let mut csv = format!(
            "{}{}{end}",
            pick(draw, &["", "\u{feff}"]),
            HEADER.trim_end().replace(',', delimiter)
        );
        let mut json = String::new();
        for row in &rows {
            let [age, stay] = [row.1, row.5]
                .map(|number| number.map_or(String::new(), |number| number.to_string()));
            let cells = [
                row.0.as_deref().unwrap_or(""),
                &row.4,
                &age,
                row.2.unwrap_or(""),
                row.3.unwrap_or(""),
                &row.4,
                &stay,
                row.6.unwrap_or(""),
            ];
            let cells: Vec<String> = cells
                .iter()
                .map(|cell| {
                    let quote = draw.once_in(4) || cell.contains([',', ';', '\n', '"']);
                    if quote {
                        format!("\"{}\"", cell.replace('"', "\"\""))
                    } else {
                        (*cell).to_owned()
                    }
                })
                .collect();
            // A row of another length that spans lines is an error of the file.
            let short = draw.once_in(8) && !cells.concat().contains('\n');
            csv += &cells[..cells.len() - usize::from(short)].join(delimiter);
            csv += end;
            let object = serde_json::json!({
                "id": row.0, "remark": row.4, "age": row.1, "born": row.2, "ward": row.3, "diagnosis": row.4, "more": row.6,
            });
            json += &format!("{object}{}", pick(draw, &["\n", "\r\n", "x\n", "\n \n"]));
        }
        let mut all = files(&rows, draw.between(1, 5) as usize);
        all.extend([("a.csv", csv.into_bytes()), ("a.jsonl", json.into_bytes())]);
        let [before, after] =
            [0, 1].map(|_| &feeds[draw.between(0, feeds.len() as u64 - 1) as usize]);
        all.into_iter()
            .for_each(|(name, bytes)| _ = check(&folder.file(name, bytes), before, after));
    });
}
