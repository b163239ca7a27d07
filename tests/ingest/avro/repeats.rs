//! Rows of people who have one already, in messages of a topic: set aside with their offset,
//! decoded again unchanged.

use tidegate::daemon::config::RecordRules;
use tidegate::daemon::ingest::topic::{Batch, Writing, decode_sifted};
use tidegate::daemon::ingest::{Offer, Repeats, retry_sifted};
use tidegate::engine::histogram::{MisfitKind, Person};
use tidegate::engine::model::Columns;

use super::arrow::{SHORT, stream};
use super::write::{FIELDS, person, record};
use super::{FEED, columns, decoded, faults, framed, hasher, of, written};

/// First rows of a batch count, the others are set aside at these offsets.
#[track_caller]
fn check(batch: &Batch, firsts: &Batch, columns: &Columns, offsets: &[u64]) {
    let mut repeats = Repeats::of(&|_: Person| false);
    let found = decode_sifted(
        "wards",
        batch,
        columns,
        &hasher(),
        &RecordRules::default(),
        Some(&mut repeats),
    )
    .expect("rows");
    let first = decoded(firsts, columns);
    assert!(
        found.rows == first.rows && found.nulled == first.nulled,
        "whichever comes first"
    );
    let wanted: Vec<_> = offsets
        .iter()
        .map(|offset| (*offset, None, MisfitKind::Repeat))
        .collect();
    assert_eq!(faults(&found), wanted);
    let partition = &found.partitions[0];
    assert_eq!(partition.seen, partition.rows + offsets.len() as u64);
    let offer = Offer::parse(&partition.aside.as_ref().expect("repeats").bytes())
        .expect("what was written");
    let again = |known: &dyn Fn(Person) -> bool| {
        let mut repeats = Repeats::of(known);
        retry_sifted(
            &offer,
            columns,
            &hasher(),
            &RecordRules::default(),
            Some(&mut repeats),
        )
        .expect("the same columns")
    };
    let same = again(&|_| true);
    assert!(same.rows.is_empty() && same.aside == offer, "still repeats");
    // If no person were known, the first row of each would count.
    let rows = again(&|_| false);
    assert_eq!(rows.rows.len() + rows.aside.messages().len(), offsets.len());
    assert!(!rows.rows.is_empty());
}

#[test]
fn messages_that_are_one_row_are_set_aside() {
    let columns = columns(FEED);
    let (records, objects): (Vec<Vec<u8>>, Vec<String>) = (0..5_000).map(person).unzip();
    let order: Vec<usize> = (0..5_000).chain([17, 4_999, 17]).collect();
    let json = |order: &[usize]| {
        let messages: Vec<Vec<u8>> = order
            .iter()
            .map(|&at| objects[at].as_bytes().to_vec())
            .collect();
        written(Writing::Json, &messages)
    };
    check(
        &json(&order),
        &json(&order[..5_000]),
        &columns,
        &[5_000, 5_001, 5_002],
    );
    let avro = |order: &[usize]| {
        let messages: Vec<Vec<u8>> = order.iter().map(|&at| framed(1, &records[at])).collect();
        of(&[&record("P", FIELDS)], &messages)
    };
    check(
        &avro(&order),
        &avro(&order[..5_000]),
        &columns,
        &[5_000, 5_001, 5_002],
    );
}

#[test]
fn rows_are_cut_out_of_messages_of_many() {
    let columns = columns(SHORT);
    let [a, b, c, d] = ["a", "b", "c", "d"].map(Some);
    let messages = [
        stream(&[&[(a, 1, 1), (b, 2, 2), (a, 3, 3)], &[(b, 4, 4), (c, 5, 5)]]),
        stream(&[&[(c, 6, 6)]]),
        stream(&[&[(d, 7, 7)], &[(d, 8, 8), (a, 9, 9)]]),
    ];
    let firsts = [stream(&[&[(a, 1, 1), (b, 2, 2), (c, 5, 5), (d, 7, 7)]])];
    check(
        &written(Writing::Arrow, &messages),
        &written(Writing::Arrow, &firsts),
        &columns,
        &[0, 0, 1, 2, 2],
    );
    // A fault before a repeat in the same message: each is set aside with its own place.
    let mixed = stream(&[&[(a, 500, 1), (a, 1, 2), (a, 2, 3)]]);
    let batch = written(Writing::Arrow, &[mixed]);
    let mut repeats = Repeats::of(&|_: Person| false);
    let found = decode_sifted(
        "wards",
        &batch,
        &columns,
        &hasher(),
        &RecordRules::default(),
        Some(&mut repeats),
    )
    .expect("rows");
    let wanted = [
        (0, Some("age".to_owned()), MisfitKind::Outside),
        (0, None, MisfitKind::Repeat),
    ];
    assert_eq!(faults(&found), wanted);
    let more = super::columns(&SHORT.replace("119", "599"));
    let later = super::again(&found, &more);
    assert_eq!((later.rows.len(), later.aside.messages().len()), (2, 0));
}
