//! Numbers of measures: the same from every format, beside the rows that count, and none for a cell
//! without a number.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::ingest::{BadRows, decode};
use tidegate::engine::policy::Decimal;

use super::{Folder, hasher};

const FEED: &str = "[feed]\nname = \"t\"\n\
    [policy]\nk = 2\nsearch = \"halves\"\nmin_solutions = 1\ndominance = { n = 1, share = 0.6 }\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n\
    [[column]]\nname = \"cost\"\nrole = \"measure\"\n\
    [[column]]\nname = \"days\"\nrole = \"measure\"\ntype = \"int\"\n";

/// Cost and days as text and as JSON write them, and in typed columns.
type Cells = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<f64>,
    Option<i64>,
);

/// The third one belongs to a row that does not count.
const CELLS: [Cells; 6] = [
    ("12.5", "3", "12.5", "3", Some(12.5), Some(3)),
    ("", "", "null", "null", None, None),
    ("7", "7", "7", "7", Some(7.0), Some(7)),
    ("x", "3.5", "\"x\"", "3.5", None, None),
    ("1e3", "-2", "1e3", "-2", Some(1000.0), Some(-2)),
    (
        "0.0000005",
        "0",
        "0.0000005",
        "0",
        Some(0.000_000_5),
        Some(0),
    ),
];

fn age(row: usize) -> i64 {
    if row == 2 { 500 } else { 30 }
}

fn in_every_format() -> [(&'static str, Vec<u8>); 4] {
    let rows = || CELLS.iter().enumerate();
    let csv =
        rows().map(|(row, cells)| format!("p{row},{},flu,{},{}\n", age(row), cells.0, cells.1));
    let json = rows().map(|(row, cells)| {
        let (age, cost, days) = (age(row), cells.2, cells.3);
        format!("{{\"id\":\"p{row}\",\"age\":{age},\"diagnosis\":\"flu\",\"cost\":{cost},\"days\":{days}}}\n")
    });
    let columns: [(&str, ArrayRef); 5] = [
        (
            "id",
            Arc::new(StringArray::from_iter_values(
                rows().map(|(row, _)| format!("p{row}")),
            )),
        ),
        (
            "age",
            Arc::new(Int64Array::from_iter_values(
                rows().map(|(row, _)| age(row)),
            )),
        ),
        (
            "diagnosis",
            Arc::new(StringArray::from_iter_values(rows().map(|_| "flu"))),
        ),
        (
            "cost",
            Arc::new(rows().map(|(_, cells)| cells.4).collect::<Float64Array>()),
        ),
        (
            "days",
            Arc::new(rows().map(|(_, cells)| cells.5).collect::<Int64Array>()),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let mut parquet = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    parquet.write(&batch).expect("rows");
    let mut arrow = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    arrow
        .write(&batch)
        .and_then(|()| arrow.finish())
        .expect("memory");
    [
        (
            "a.csv",
            format!("id,age,diagnosis,cost,days\n{}", csv.collect::<String>()).into_bytes(),
        ),
        ("a.jsonl", json.collect::<String>().into_bytes()),
        ("a.parquet", parquet.into_inner().expect("memory")),
        ("a.arrow", arrow.into_inner().expect("memory")),
    ]
}

#[test]
fn numbers_are_the_same_in_every_format_and_missing_ones_are_counted() {
    let folder = Folder::new();
    let columns = FeedConfig::parse(FEED, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let share = BadRows::SetAside(Decimal::parse("0.5").expect("a share"));
    for (name, bytes) in in_every_format() {
        let decoded = decode(
            &folder.file(name, bytes),
            &columns,
            &hasher(),
            share,
            &mut |_| {},
        )
        .expect("rows");
        assert_eq!(
            (decoded.rows.len(), decoded.quarantined.len()),
            (5, 1),
            "{name}"
        );
        let cost = vec![Some(12_500_000), None, None, Some(1_000_000_000), Some(1)];
        assert_eq!(
            decoded.rows.measures(),
            [cost, vec![Some(3), None, None, Some(-2), Some(0)]],
            "{name}"
        );
        assert_eq!(decoded.nulled, 4, "{name}");
    }
}
