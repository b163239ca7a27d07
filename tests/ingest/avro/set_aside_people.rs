//! Messages of a topic that are set aside are removed with people who are erased: JSON and Avro as
//! one, of an Arrow message the rows that are theirs.

use tidegate::daemon::config::RecordRules;
use tidegate::daemon::ingest::topic::{Batch, Writing};
use tidegate::daemon::ingest::{Offer, OfferWithout, retry_sifted};
use tidegate::engine::histogram::MisfitKind;
use tidegate::engine::model::Columns;

use super::arrow::{SHORT, stream};
use super::write::{FIELDS, person, record};
use super::{FEED, columns, decoded, framed, hasher, of, written};

/// The messages set aside of a batch, without a person.
fn left(batch: &Batch, id: &str, columns: &Columns) -> Option<OfferWithout> {
    let found = decoded(batch, columns);
    let aside = found.partitions[0].aside.as_ref().expect("faults");
    Offer::parse(&aside.bytes())
        .expect("what was written")
        .without(
            &[hasher().person(&[id])].into(),
            columns,
            &hasher(),
            &RecordRules::default(),
        )
}

fn offsets(offer: &Offer) -> Vec<u64> {
    offer.messages().iter().map(|one| one.place.row).collect()
}

#[test]
fn messages_that_are_set_aside_leave_with_their_person() {
    let columns = columns(SHORT);
    let object =
        |id: &str, age: u64| format!(r#"{{"id": "{id}", "age": {age}, "stay": 1}}"#).into_bytes();
    let json = written(
        Writing::Json,
        &[
            object("a", 500),
            object("b", 500),
            object("a", 30),
            b"{".to_vec(),
        ],
    );
    let without = left(&json, "a", &columns).expect("one is theirs");
    assert_eq!((offsets(&without.rest), without.gone), (vec![1, 3], 1));
    assert!(left(&json, "c", &columns).is_none());
    // Each has an age that is not in the taxonomy; one names an unknown schema.
    let (record, text) = (|number| person(number).0, record("P", FIELDS));
    let frames = [
        framed(1, &record(3)),
        framed(1, &record(4)),
        framed(2, &record(3)),
    ];
    let fewer = super::columns(
        &FEED
            .replace("max = 119", "max = 0")
            .replace("bands = [5, 10]", "bands = [1]"),
    );
    let batch = of(&[&text], &frames);
    let whole = super::columns(FEED);
    let first = decoded(&of(&[&text], &frames[..1]), &whole)
        .rows
        .people()
        .expect("people")[0];
    let found = decoded(&batch, &fewer);
    let aside = found.partitions[0].aside.as_ref().expect("faults");
    let all = offsets(aside);
    let without = aside
        .without(&[first].into(), &fewer, &hasher(), &RecordRules::default())
        .expect("one is theirs");
    assert_eq!(
        (offsets(&without.rest), without.gone),
        (all[1..].to_vec(), 1),
        "a message without schema stays"
    );
}

#[test]
fn rows_of_others_stay_when_a_message_of_many_leaves() {
    const THEIRS: i64 = 0x7411_5714_7e12_5a1d;
    let (short, full) = (columns(SHORT), columns(FEED));
    let [a, b, c] = ["a", "b", "c"].map(Some);
    // They lack a column, and are set aside as one message each.
    let messages = [
        stream(&[
            &[(a, 1, THEIRS), (b, 2, 2), (None, 3, 3)],
            &[(a, 4, THEIRS), (c, 5, 5)],
        ]),
        stream(&[&[(c, 6, 6)]]),
        stream(&[&[(a, 7, THEIRS)], &[(a, 8, THEIRS)]]),
    ];
    let batch = written(Writing::Arrow, &messages);
    let without = left(&batch, "a", &full).expect("four rows are theirs");
    assert_eq!(
        (offsets(&without.rest), without.gone),
        (vec![0, 0, 0, 1], 4)
    );
    let kinds = without.rest.messages().iter().map(|one| one.place.kind);
    assert!(
        kinds.into_iter().all(|kind| kind == MisfitKind::NoColumn),
        "what keeps them out is what it was"
    );
    // Decoded later, they are the rows of others, and one without an identifier.
    let later = retry_sifted(
        &without.rest,
        &short,
        &hasher(),
        &RecordRules::default(),
        None,
    )
    .expect("rows");
    let others = decoded(
        &written(
            Writing::Arrow,
            &[stream(&[&[(b, 2, 2), (c, 5, 5), (c, 6, 6)]])],
        ),
        &short,
    );
    assert!(later.rows == others.rows, "the rows of others");
    assert_eq!(
        (
            later.aside.messages().len(),
            later.aside.messages()[0].place.kind
        ),
        (1, MisfitKind::Missing)
    );
    // The bytes contain nothing of the person.
    let holds = |bytes: &[u8]| {
        bytes
            .windows(8)
            .any(|window| window == THEIRS.to_le_bytes())
    };
    assert!(holds(&messages[0]) && !holds(&without.rest.bytes()));
    assert_eq!(
        left(&batch, "c", &full).map(|without| (offsets(&without.rest).len(), without.gone)),
        Some((5, 2))
    );
    assert!(left(&batch, "d", &full).is_none());
}
