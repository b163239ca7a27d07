//! Decoding raw files: rows per second by format, over files of 1 and 4 million rows with eight columns (a person, six
//! quasi columns, a diagnosis). `TIDEGATE_ROWS=10` (in millions) for another size; files lie in a temporary folder.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use tidegate::daemon::config::Feed;
use tidegate::daemon::ingest::{PersonHasher, decode};

const FEED: &str = "[feed]\nname = \"bench\"\n[policy]\nk = 5\n\
    [[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10, 20, 40], min = 0, max = 119 }\n\
    [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n\
    [[column]]\nname = \"born\"\nrole = \"quasi\"\ntype = \"date\"\ntaxonomy = { date = [\"month\", \"year\"], from = \"1900-01-01\", to = \"2020-12-31\" }\n\
    [[column]]\nname = \"zip\"\nrole = \"quasi\"\ntaxonomy = { builtin = \"us-zip3\" }\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"w0\", \"w1\", \"w2\", \"w3\", \"w4\", \"w5\", \"w6\"] }\n\
    [[column]]\nname = \"children\"\nrole = \"quasi\"\ntaxonomy = { bands = [2, 4], min = 0, max = 15 }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n";

struct Row {
    patient: String,
    age: i64,
    sex: &'static str,
    born: String,
    zip: String,
    ward: String,
    children: i64,
    diagnosis: String,
}

/// The same rows on every machine.
fn row(number: u64) -> Row {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut below = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    Row {
        patient: format!("P{number:09}"),
        age: below(100) as i64,
        sex: if below(2) == 0 { "F" } else { "M" },
        born: format!("{}-{:02}-{:02}", 1920 + below(100), 1 + below(12), 1 + below(28)),
        zip: format!("{:03}{:02}", 100 + below(100), below(100)),
        ward: format!("w{}", below(7)),
        children: below(6) as i64,
        diagnosis: format!("F{:02}", below(100)),
    }
}

fn text(path: &Path, rows: u64, header: &str, line: impl Fn(&Row) -> String) {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    file.write_all(header.as_bytes()).expect("space");
    (0..rows).for_each(|number| file.write_all(line(&row(number)).as_bytes()).expect("space"));
}

fn csv(row: &Row) -> String {
    let Row { patient, age, sex, born, zip, ward, children, diagnosis } = row;
    format!("{patient},{age},{sex},{born},{zip},{ward},{children},{diagnosis}\n")
}

fn json(row: &Row) -> String {
    let Row { patient, age, sex, born, zip, ward, children, diagnosis } = row;
    format!(
        "{{\"patient\":\"{patient}\",\"age\":{age},\"sex\":\"{sex}\",\"born\":\"{born}\",\"zip\":\"{zip}\",\
         \"ward\":\"{ward}\",\"children\":{children},\"diagnosis\":\"{diagnosis}\"}}\n"
    )
}

fn batch(rows: std::ops::Range<u64>) -> RecordBatch {
    let rows: Vec<Row> = rows.map(row).collect();
    let texts = |of: fn(&Row) -> &str| Arc::new(StringArray::from_iter_values(rows.iter().map(of))) as ArrayRef;
    let numbers = |of: fn(&Row) -> i64| Arc::new(Int64Array::from_iter_values(rows.iter().map(of))) as ArrayRef;
    let days = rows.iter().map(|row| tidegate::engine::model::forms::dates::parse(&row.born));
    let named: Vec<(&str, ArrayRef)> = vec![
        ("patient", texts(|row| &row.patient)),
        ("age", numbers(|row| row.age)),
        ("sex", texts(|row| row.sex)),
        ("born", Arc::new(days.collect::<arrow_array::Date32Array>())),
        ("zip", texts(|row| &row.zip)),
        ("ward", texts(|row| &row.ward)),
        ("children", numbers(|row| row.children)),
        ("diagnosis", texts(|row| &row.diagnosis)),
    ];
    RecordBatch::try_from_iter(named).expect("columns of one length")
}

fn main() {
    let millions = std::env::var("TIDEGATE_ROWS").ok().and_then(|text| text.parse().ok());
    let columns = Feed::parse(FEED, Path::new("bench.toml")).expect("a feed file").columns;
    let hasher = PersonHasher::new(&[1; 32]);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for rows in millions.map_or(vec![1_000_000, 4_000_000], |millions: u64| vec![millions * 1_000_000]) {
        text(&at("a.csv"), rows, "patient,age,sex,born,zip,ward,children,diagnosis\n", csv);
        text(&at("a.jsonl"), rows, "", json);
        let schema = batch(0..1).schema();
        let mut parquet =
            ArrowWriter::try_new(File::create(at("a.parquet")).expect("a file"), Arc::clone(&schema), None)
                .expect("a writer");
        let mut arrow = arrow_ipc::writer::StreamWriter::try_new(File::create(at("a.arrow")).expect("a file"), &schema)
            .expect("a writer");
        for from in (0..rows).step_by(1 << 17) {
            let batch = batch(from..rows.min(from + (1 << 17)));
            parquet.write(&batch).expect("space");
            arrow.write(&batch).expect("space");
        }
        parquet.close().expect("space");
        arrow.finish().expect("space");
        for name in ["a.csv", "a.jsonl", "a.parquet", "a.arrow"] {
            let path = at(name);
            let bytes = path.metadata().expect("a file").len();
            let best = (0..3)
                .map(|_| {
                    let from = Instant::now();
                    let decoded = decode(&path, &columns, &hasher, None, &mut |_| {}).expect("rows");
                    assert_eq!(decoded.rows.len() as u64, rows);
                    from.elapsed()
                })
                .min()
                .expect("three runs");
            let speed = rows as f64 / best.as_secs_f64() / 1e6;
            println!("{name:<10} {rows:>9} rows {:>5} MB {best:>8.2?} {speed:>6.2} M rows/s", bytes >> 20);
        }
    }
}
