//! Messages that are Arrow IPC streams: rows of all of them count, an unreadable message is set
//! aside as one, rows with a fault one by one.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use tidegate::daemon::ingest::topic::Writing;
use tidegate::engine::histogram::MisfitKind;

use super::{FEED, again, columns, decoded, faults, json, written};

pub const SHORT: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"stay\"\nrole = \"sensitive\"\ntype = \"int\"\n";

pub fn stream(batches: &[&[(Option<&str>, i64, i64)]]) -> Vec<u8> {
    let batch = |rows: &&[(Option<&str>, i64, i64)]| {
        let named: Vec<(&str, ArrayRef, bool)> = vec![
            (
                "stay",
                Arc::new(rows.iter().map(|row| Some(row.2)).collect::<Int64Array>()),
                true,
            ),
            (
                "other",
                Arc::new(Date32Array::from(vec![0; rows.len()])),
                true,
            ),
            (
                "id",
                Arc::new(rows.iter().map(|row| row.0).collect::<StringArray>()),
                true,
            ),
            (
                "age",
                Arc::new(rows.iter().map(|row| Some(row.1)).collect::<Int64Array>()),
                true,
            ),
        ];
        RecordBatch::try_from_iter_with_nullable(named).expect("columns of one length")
    };
    let batches: Vec<RecordBatch> = batches.iter().map(batch).collect();
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).expect("a writer");
    batches
        .iter()
        .for_each(|batch| writer.write(batch).expect("rows"));
    writer.finish().expect("memory");
    writer.into_inner().expect("memory")
}

#[test]
fn each_message_is_a_stream_of_rows() {
    let columns = columns(SHORT);
    let many = stream(&[
        &[(Some("a"), 1, 1), (Some("b"), 500, 2), (None, 3, 3)],
        &[(Some("d"), 4, 4)],
    ]);
    let one = stream(&[&[(Some("e"), 300, 5)]]);
    let none = stream(&[&[]]);
    let last = stream(&[&[(Some("f"), 6, 6)]]);
    let cut = &many[..many.len() - 9];
    let twice = [&one[..], &one].concat();
    let messages = [
        many.clone(),
        one,
        none,
        cut.to_vec(),
        Vec::new(),
        twice,
        last,
    ];
    let found = decoded(&written(Writing::Arrow, &messages), &columns);
    let object =
        |id: &str, number: u64| format!(r#"{{"id": "{id}", "age": {number}, "stay": {number}}}"#);
    assert!(
        found.rows == json(&[object("a", 1), object("d", 4), object("f", 6)], &columns),
        "three rows"
    );
    let column = |name: &str| Some(name.to_owned());
    let wanted = [
        (0, column("age"), MisfitKind::Outside),
        (0, column("id"), MisfitKind::Missing),
        (1, column("age"), MisfitKind::Outside),
        (3, None, MisfitKind::NotArrow),
        (4, None, MisfitKind::NotArrow),
        (5, None, MisfitKind::NotArrow),
    ];
    assert_eq!(faults(&found), wanted);
    assert_eq!(
        (
            found.partitions[0].seen,
            found.partitions[0].rows,
            found.partitions[0].next
        ),
        (9, 3, 7)
    );
    let same = again(&found, &columns);
    assert!(
        same.rows.is_empty() && Some(&same.aside) == found.partitions[0].aside.as_ref(),
        "the same faults"
    );
    // With more ages two of them count.
    let more = super::columns(&SHORT.replace("119", "599"));
    let later = again(&found, &more);
    let objects = [
        r#"{"id": "b", "age": 500, "stay": 2}"#.to_owned(),
        r#"{"id": "e", "age": 300, "stay": 5}"#.to_owned(),
    ];
    assert!(
        later.rows == json(&objects, &more) && later.aside.messages().len() == 4,
        "two rows"
    );
}

#[test]
fn a_message_without_a_column_is_set_aside_as_one() {
    let message = stream(&[&[(Some("a"), 1, 1), (Some("b"), 2, 2)]]);
    let found = decoded(&written(Writing::Arrow, &[message]), &columns(FEED));
    assert_eq!(
        faults(&found),
        [(0, Some("born".to_owned()), MisfitKind::NoColumn)]
    );
    let later = again(&found, &columns(SHORT));
    assert!(
        later.rows.len() == 2 && later.aside.messages().is_empty(),
        "both rows"
    );
}

#[test]
fn damage_sets_the_message_aside_or_leaves_it_whole() {
    let columns = columns(SHORT);
    let whole = stream(&[&[(Some("a"), 1, 1), (Some("b"), 2, 2)]]);
    let cuts = (0..whole.len())
        .map(|end| whole[..end].to_vec())
        .collect::<Vec<_>>();
    let found = decoded(&written(Writing::Arrow, &cuts), &columns);
    assert_eq!((found.rows.len(), faults(&found).len()), (0, cuts.len()));
    crate::common::random::run("damaged streams", 200, |draw| {
        let mut bytes = whole.clone();
        for _ in 0..draw.between(1, 4) {
            let at = draw.between(0, bytes.len() as u64 - 1) as usize;
            bytes[at] = draw.between(0, 255) as u8;
        }
        let found = decoded(&written(Writing::Arrow, &[bytes]), &columns);
        let partition = &found.partitions[0];
        assert_eq!(partition.seen, partition.rows + faults(&found).len() as u64);
    });
}
