//! Schemas that are named beside a record: the bytes of Confluent's own header, and headers that
//! name nothing.

use tidegate::daemon::ingest::topic::{Batch, SchemaKey, Schemas, Writing, beside};
use tidegate::engine::histogram::MisfitKind;

use super::write::{FIELDS, person, record};
use super::{FEED, columns, decoded, faults, framed, json, known};

/// The number 89791762-2336-4186-9674-299b90a802e2 after its marker, as in a header.
const GUID: [u8; 17] = [
    1, 0x89, 0x79, 0x17, 0x62, 0x23, 0x36, 0x41, 0x86, 0x96, 0x74, 0x29, 0x9b, 0x90, 0xa8, 0x02,
    0xe2,
];
/// A name and a value.
type Header<'h> = (&'h str, Option<&'h [u8]>);
/// The number 1.
const ID: [u8; 5] = [0, 0, 0, 0, 1];

#[test]
fn the_last_header_of_the_name_counts() {
    let (ours, key) = ("__value_schema_id", "__key_schema_id");
    let nothing: &[u8] = &[0xff];
    let long = [&GUID[..], &[0]].concat();
    let cases: [(&[Header], &[u8]); 10] = [
        (&[], &[]),
        (&[(ours, Some(&GUID))], &GUID),
        (&[(ours, Some(&ID))], &ID),
        (
            &[(ours, Some(&ID)), ("trace", None), (ours, Some(&GUID))],
            &GUID,
        ),
        (&[(key, Some(&GUID))], &[]),
        (&[(ours, Some(&GUID)), (ours, None)], &[]),
        (&[(ours, Some(&GUID[..16]))], nothing),
        (&[(ours, Some(&long))], nothing),
        (&[(ours, Some(&[2, 0, 0, 0, 1]))], nothing),
        (&[(ours, Some(&[]))], nothing),
    ];
    for (headers, wanted) in cases {
        assert_eq!(beside(headers.iter().copied()), wanted, "{headers:?}");
    }
}

#[test]
fn records_are_read_by_the_schema_beside_them() {
    let columns = columns(FEED);
    let (bytes, object) = person(7);
    let guid: [u8; 16] = *GUID.last_chunk().expect("16 bytes");
    let schema = record("P", FIELDS);
    let mut batch = Batch::default();
    batch.writing = Writing::Avro(Schemas::of(&[
        (SchemaKey::Id(1), known(&schema)),
        (SchemaKey::Guid(guid), known(&schema)),
    ]));
    batch.push_behind(0, 0, None, &GUID, Some(&bytes));
    batch.push_behind(0, 1, None, &ID, Some(&bytes));
    batch.push_behind(0, 2, None, &[], Some(&framed(1, &bytes)));
    batch.push_behind(0, 3, None, &GUID, Some(&framed(1, &bytes)));
    batch.push_behind(0, 4, None, &[0xff], Some(&framed(1, &bytes)));
    batch.push_behind(0, 5, None, &GUID, None);
    let found = decoded(&batch, &columns);
    let three = [object.clone(), object.clone(), object];
    assert!(
        found.rows == json(&three, &columns),
        "the same row three times"
    );
    let wanted = [
        (3, None, MisfitKind::NotAvro),
        (4, None, MisfitKind::NotAvro),
        (5, None, MisfitKind::Tombstone),
    ];
    assert_eq!(faults(&found), wanted);
    assert_eq!(
        SchemaKey::Guid(guid).to_string(),
        "guids/89791762-2336-4186-9674-299b90a802e2"
    );
}
