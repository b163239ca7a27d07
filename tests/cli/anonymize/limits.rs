//! Memory depends on what is read at a time, never on what a file claims (HOUSE 4, Limits): a
//! process with limited memory refuses small files that expand to very much data.

use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::place::{FEED, Place};

/// A file of these columns, compressed as much as possible.
fn packed(batches: impl Iterator<Item = Vec<(&'static str, ArrayRef)>>) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(false)
        .build();
    let mut writer = None;
    for columns in batches {
        let columns = columns.into_iter().map(|(name, array)| (name, array, true));
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
        let writer = writer.get_or_insert_with(|| {
            ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.clone()))
                .expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    writer.expect("rows").into_inner().expect("memory")
}

/// Runs with this many kibibytes of memory for data; returns exit code and words.
fn within(command: &Command, kibibytes: u32) -> (Option<i32>, String) {
    let mut shell = Command::new("bash");
    shell
        .arg("-c")
        .arg(format!("ulimit -d {kibibytes}; exec \"$0\" \"$@\""));
    shell.arg(command.get_program()).args(command.get_args());
    shell.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = shell.output().expect("bash starts");
    (
        output.status.code(),
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
    )
}

const MOST: u32 = 400 << 10;

#[test]
fn a_long_cell_takes_no_memory() {
    let place = Place::new(FEED);
    let text = |cells: [&str; 2]| Arc::new(StringArray::from_iter_values(cells)) as ArrayRef;
    let long = "x".repeat(300 << 20);
    let bytes = packed(std::iter::once(vec![
        ("patient", text(["a", "b"])),
        ("age", text(["1", "2"])),
        ("sex", text(["F", "M"])),
        ("diagnosis", text(["flu", &long])),
    ]));
    assert!(bytes.len() < 100 << 10, "{}", bytes.len());
    place.put("a.parquet", bytes);
    let (code, said) = within(&place.command(&["a.parquet"]), MOST);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("a.parquet")
            && said.contains("diagnosis")
            && said.contains("at most 128 MiB"),
        "{said}"
    );
    assert!(!said.contains("xx"), "{said}");
}

#[test]
fn rows_without_bytes_take_no_memory() {
    let place = Place::new(FEED);
    let nulls = || Arc::new(StringArray::new_null(1 << 20)) as ArrayRef;
    let columns = || {
        ["patient", "age", "sex", "diagnosis"]
            .map(|name| (name, nulls()))
            .to_vec()
    };
    let bytes = packed((0..5).map(|_| columns()));
    assert!(bytes.len() < 200 << 10, "{}", bytes.len());
    place.put("a.parquet", bytes);
    let (code, said) = within(
        place
            .command(&["a.parquet"])
            .args(["--quarantine-share", "1"]),
        MOST,
    );
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("5242880 rows") && said.contains("split the file"),
        "{said}"
    );
}

/// Costs and dates are often another for each person: what such a value takes must not be many
/// times what it is.
#[test]
fn a_value_of_its_own_for_each_person_takes_little_memory() {
    let place = Place::new(FEED);
    let rows = (0..200_000u64).map(|at| {
        format!(
            "p{at},{},{},{}.{:02}\n",
            at % 40,
            ["F", "M"][at as usize % 2],
            at * 7919 % 10_000_019,
            at % 97
        )
    });
    // The default search.
    place.put_feed(FEED);
    place.put(
        "a.csv",
        format!("patient,age,sex,diagnosis\n{}", rows.collect::<String>()),
    );
    let mut command = place.command(&["a.csv"]);
    command.env("RAYON_NUM_THREADS", "2");
    let (code, said) = within(&command, 170 << 10);
    assert_eq!(code, Some(0), "{said}");
}
