//! Raw files of synthetic patients in every format that is decoded: a person, six quasi columns, a
//! diagnosis. The same rows on every machine.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

/// The feed file of these rows.
pub const FEED: &str = "[feed]\nname = \"bench\"\n[policy]\nk = 5\n\
    [[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10, 20, 40], min = 0, max = 119 }\n\
    [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n\
    [[column]]\nname = \"born\"\nrole = \"quasi\"\ntype = \"date\"\ntaxonomy = { date = [\"month\", \"year\"], from = \"1900-01-01\", to = \"2020-12-31\" }\n\
    [[column]]\nname = \"zip\"\nrole = \"quasi\"\ntaxonomy = { builtin = \"us-zip3\" }\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"w0\", \"w1\", \"w2\", \"w3\", \"w4\", \"w5\", \"w6\"] }\n\
    [[column]]\nname = \"children\"\nrole = \"quasi\"\ntaxonomy = { bands = [2, 4], min = 0, max = 15 }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n";

/// Rows per batch.
const BATCH: usize = 1 << 17;

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
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    Row {
        patient: format!("P{number:09}"),
        age: below(100) as i64,
        sex: if below(2) == 0 { "F" } else { "M" },
        born: format!(
            "{}-{:02}-{:02}",
            1920 + below(100),
            1 + below(12),
            1 + below(28)
        ),
        zip: format!("{:03}{:02}", 100 + below(100), below(100)),
        ward: format!("w{}", below(7)),
        children: below(6) as i64,
        diagnosis: format!("F{:02}", below(100)),
    }
}

fn text(path: &Path, rows: Range<u64>, header: &str, line: impl Fn(&Row) -> String) {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    file.write_all(header.as_bytes()).expect("space");
    rows.for_each(|number| {
        file.write_all(line(&row(number)).as_bytes())
            .expect("space")
    });
}

fn csv(row: &Row) -> String {
    let Row {
        patient,
        age,
        sex,
        born,
        zip,
        ward,
        children,
        diagnosis,
    } = row;
    format!("{patient},{age},{sex},{born},{zip},{ward},{children},{diagnosis}\n")
}

/// The message of a row as a hospital sends it: the columns, and fields that are not read.
#[allow(dead_code, reason = "each bench uses its part")]
pub fn message(number: u64) -> String {
    let row = json(&row(number));
    let row = row.trim_end().trim_end_matches('}');
    format!(
        "{row},\"source\":{{\"system\":\"ward 4711\",\"sent\":\"2026-11-21T10:00:00Z\",\"station\":\"K12\"}}}}"
    )
}

/// The same in Avro, under [`SCHEMA`], by functions that write whole numbers and texts.
#[allow(dead_code, reason = "each bench uses its part")]
pub fn record(number: u64, long: fn(i64) -> Vec<u8>, text: fn(&str) -> Vec<u8>) -> Vec<u8> {
    let Row {
        patient,
        age,
        sex,
        born,
        zip,
        ward,
        children,
        diagnosis,
    } = row(number);
    let day = tidegate::engine::model::forms::dates::parse(&born).expect("a day");
    let fields = [
        text(&patient),
        long(age),
        text(sex),
        long(day.into()),
        text(&zip),
        text(&ward),
        long(children),
    ];
    let source = ["ward 4711", "2026-11-21T10:00:00Z", "K12"].map(text);
    [fields.concat(), text(&diagnosis), source.concat()].concat()
}

/// The schema of the records: the fields of the rows, and three that are not read.
#[allow(dead_code, reason = "each bench uses its part")]
pub const SCHEMA: &str = r#"{"type": "record", "name": "Admission", "fields": [
    {"name": "patient", "type": "string"}, {"name": "age", "type": "int"}, {"name": "sex", "type": "string"},
    {"name": "born", "type": {"type": "int", "logicalType": "date"}}, {"name": "zip", "type": "string"},
    {"name": "ward", "type": "string"}, {"name": "children", "type": "int"}, {"name": "diagnosis", "type": "string"},
    {"name": "system", "type": "string"}, {"name": "sent", "type": "string"}, {"name": "station", "type": "string"}]}"#;

fn json(row: &Row) -> String {
    let Row {
        patient,
        age,
        sex,
        born,
        zip,
        ward,
        children,
        diagnosis,
    } = row;
    format!(
        "{{\"patient\":\"{patient}\",\"age\":{age},\"sex\":\"{sex}\",\"born\":\"{born}\",\"zip\":\"{zip}\",\
         \"ward\":\"{ward}\",\"children\":{children},\"diagnosis\":\"{diagnosis}\"}}\n"
    )
}

fn batch(rows: Range<u64>) -> RecordBatch {
    let rows: Vec<Row> = rows.map(row).collect();
    let texts = |of: fn(&Row) -> &str| {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of))) as ArrayRef
    };
    let numbers = |of: fn(&Row) -> i64| {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(of))) as ArrayRef
    };
    let days = rows
        .iter()
        .map(|row| tidegate::engine::model::forms::dates::parse(&row.born));
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

/// Writes these rows in the format of the file's extension.
pub fn write(path: &Path, rows: Range<u64>) {
    let schema = batch(0..1).schema();
    let create = || File::create(path).expect("a file");
    let batches = rows
        .clone()
        .step_by(BATCH)
        .map(|from| batch(from..rows.end.min(from + BATCH as u64)));
    match path.extension().and_then(|format| format.to_str()) {
        Some("csv") => text(
            path,
            rows.clone(),
            "patient,age,sex,born,zip,ward,children,diagnosis\n",
            csv,
        ),
        Some("jsonl") => text(path, rows.clone(), "", json),
        Some("parquet") => {
            let mut file = ArrowWriter::try_new(create(), schema, None).expect("a writer");
            batches.for_each(|batch| file.write(&batch).expect("space"));
            file.close().expect("space");
        }
        _ => {
            let mut file =
                arrow_ipc::writer::StreamWriter::try_new(create(), &schema).expect("a writer");
            batches.for_each(|batch| file.write(&batch).expect("space"));
            file.finish().expect("space");
        }
    }
}
