//! Limits of Arrow IPC: rows without bytes, and batches that unpack to more than is decoded at a
//! time. Also for messages that are Arrow IPC streams, which are set aside.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use tidegate::daemon::error::ErrorCategory;
use tidegate::daemon::ingest::topic::Writing;
use tidegate::engine::histogram::MisfitKind;

use super::{Folder, refused, rows};
use crate::avro::arrow::SHORT;
use crate::avro::{columns, decoded, faults, written};

/// This many rows of these columns, without a value.
fn empty(names: &[&'static str], rows: usize) -> Vec<u8> {
    let column = |name: &&'static str| (*name, Arc::new(NullArray::new(rows)) as ArrayRef, true);
    let batch = RecordBatch::try_from_iter_with_nullable(names.iter().map(column))
        .expect("columns of one length");
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer
        .write(&batch)
        .and_then(|()| writer.finish())
        .expect("memory");
    writer.into_inner().expect("memory")
}

#[test]
fn rows_of_a_file_need_bytes() {
    let folder = Folder::new();
    let names = ["ward", "diagnosis"];
    // They take as many bytes for any number of rows.
    let most = (1 << 20) + 16 * empty(&names, 1).len();
    for (count, fits) in [
        (most, true),
        (most + 1, false),
        (usize::try_from(u32::MAX).expect("64 bits"), false),
    ] {
        let path = folder.file("a.arrow", empty(&names, count));
        let error = rows(&path).map(|_| ()).expect_err("no column has values");
        if fits {
            refused(
                &error,
                ErrorCategory::Input,
                &path,
                Some("ward"),
                "row 1: the value is missing",
            );
        } else {
            refused(
                &error,
                ErrorCategory::Input,
                &path,
                None,
                &format!("{count} rows in"),
            );
            assert!(
                error.text.contains("beyond 1048576 rows the limit is 16"),
                "{}",
                error.text
            );
        }
    }
}

#[test]
fn rows_of_a_message_need_bytes() {
    let columns = columns(SHORT);
    let names = ["id", "age", "stay"];
    let most = 256 + empty(&names, 1).len();
    let messages = [
        empty(&names, most),
        empty(&names, most + 1),
        empty(&names, 1),
    ];
    let found = decoded(&written(Writing::Arrow, &messages), &columns);
    let faults = faults(&found);
    // Each row of the first one is set aside, the second one as a whole.
    let of = |message: usize| {
        faults
            .iter()
            .filter(|(offset, ..)| *offset == message as u64)
            .collect::<Vec<_>>()
    };
    assert_eq!([of(0).len(), of(1).len(), of(2).len()], [most, 1, 1]);
    assert_eq!(*of(1)[0], (1, None, MisfitKind::NotArrow));
}
