//! What a schema may contain: every type, names and namespaces, schemas that refer to others,
//! several of them in one topic, changes as Debezium sends them.

use tidegate::daemon::config::RecordRules;
use tidegate::daemon::ingest::topic::{KnownSchema, SchemaKey, Schemas, Writing, decode};
use tidegate::engine::histogram::MisfitKind;

use super::write::{FIELDS, branch, long, person, record, text};
use super::{FEED, again, columns, decoded, faults, framed, hasher, json, of, under, written};

#[test]
fn rows_are_those_of_json() {
    let columns = columns(FEED);
    let (records, objects): (Vec<_>, Vec<_>) = (0..5_000).map(person).unzip();
    let messages: Vec<_> = records.iter().map(|record| framed(1, record)).collect();
    let found = decoded(&of(&[&record("P", FIELDS)], &messages), &columns);
    assert!(faults(&found).is_empty(), "{:?}", &faults(&found)[..1]);
    assert!(found.rows == json(&objects, &columns), "the same rows");
    let partition = &found.partitions[0];
    assert_eq!(
        (partition.seen, partition.rows, partition.next, found.nulled),
        (5_000, 5_000, 5_000, 0)
    );
}

#[test]
fn each_schema_has_ways_of_its_own() {
    let columns = columns(FEED);
    let mut turned = FIELDS.to_vec();
    turned.reverse();
    let narrow = [
        ("age", r#""long""#),
        ("id", r#""string""#),
        ("born", FIELDS[3].1),
    ];
    let schemas = [
        &record("P", FIELDS),
        &record("Q", &narrow),
        &record("R", &narrow[..2]),
    ];
    let (first, object) = person(3);
    let small = [long(33), text("x"), long(0)].concat();
    let messages = [
        framed(1, &first),
        framed(2, &small),
        framed(3, &small[..small.len() - 1]),
    ];
    let found = decoded(&of(&schemas.map(String::as_str), &messages), &columns);
    let other = r#"{"id": "x", "age": 33, "born": "1970-01-01"}"#.to_owned();
    assert!(
        found.rows == json(&[object, other], &columns),
        "the same rows"
    );
    assert_eq!(
        faults(&found),
        [(2, Some("born".to_owned()), MisfitKind::Missing)]
    );
    // A missing sensitive value is null, and so is one whose column the schema does not have.
    assert_eq!(found.nulled, 5);
}

#[test]
fn types_are_not_taken_for_others() {
    let columns = columns(FEED);
    for (name, kind, bytes, wanted) in [
        ("id", r#""int""#, long(1), Some(MisfitKind::NumberForText)),
        ("id", r#""bytes""#, text("x"), Some(MisfitKind::Malformed)),
        (
            "id",
            r#"{"type": "string", "logicalType": "uuid"}"#,
            text("x"),
            None,
        ),
        ("id", r#""string""#, text([0xff]), Some(MisfitKind::NotUtf8)),
        ("id", r#""string""#, text(""), Some(MisfitKind::Missing)),
        (
            "id",
            r#"{"type": "array", "items": "string"}"#,
            vec![0],
            Some(MisfitKind::Nested),
        ),
        (
            "id",
            r#"{"type": "record", "name": "I", "fields": []}"#,
            vec![],
            Some(MisfitKind::Nested),
        ),
        (
            "age",
            r#""double""#,
            42f64.to_le_bytes().to_vec(),
            Some(MisfitKind::Malformed),
        ),
        (
            "age",
            r#""string""#,
            text("42"),
            Some(MisfitKind::Malformed),
        ),
        (
            "age",
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 4}"#,
            text([42]),
            Some(MisfitKind::Malformed),
        ),
        (
            "age",
            r#"{"type": "fixed", "name": "F", "size": 2}"#,
            vec![0, 42],
            Some(MisfitKind::Malformed),
        ),
        ("age", r#""long""#, long(42), None),
        (
            "age",
            r#"{"type": "int", "logicalType": "date"}"#,
            long(42),
            Some(MisfitKind::Malformed),
        ),
        ("born", r#""int""#, long(42), Some(MisfitKind::Malformed)),
        (
            "born",
            r#""string""#,
            text("1990-01-02"),
            Some(MisfitKind::Malformed),
        ),
        (
            "born",
            r#"{"type": "long", "logicalType": "timestamp-micros"}"#,
            long(42),
            Some(MisfitKind::Malformed),
        ),
        ("ward", r#""null""#, vec![], None),
        ("ward", r#""boolean""#, vec![1], Some(MisfitKind::Malformed)),
    ] {
        let plain = [
            ("id", r#""string""#, text("x")),
            ("age", r#""int""#, long(42)),
            ("born", FIELDS[3].1, long(0)),
            ("ward", r#""null""#, vec![]),
        ];
        let fields: Vec<(&str, &str, Vec<u8>)> = plain
            .into_iter()
            .map(|field| {
                if field.0 == name {
                    (name, kind, bytes.clone())
                } else {
                    field
                }
            })
            .collect();
        let schema = record(
            "P",
            &fields
                .iter()
                .map(|(name, kind, _)| (*name, *kind))
                .collect::<Vec<_>>(),
        );
        let message = framed(
            1,
            &fields
                .iter()
                .flat_map(|(.., bytes)| bytes.clone())
                .collect::<Vec<_>>(),
        );
        let found = decoded(&of(&[&schema], &[message]), &columns);
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|kind| (0, Some(name.to_owned()), kind))
            .collect();
        assert_eq!(faults(&found), wanted, "{name}: {kind}");
        assert_eq!(found.rows.len(), 1 - wanted.len());
    }
}

#[test]
fn a_sensitive_value_of_another_type_is_null() {
    let columns = columns(FEED);
    let fields = [
        ("id", r#""string""#),
        ("age", r#""int""#),
        ("born", FIELDS[3].1),
        ("stay", r#""double""#),
        ("dose", r#""long""#),
        ("smokes", r#""string""#),
        ("seen", r#""string""#),
        ("diagnosis", r#""int""#),
    ];
    let rest = [
        4f64.to_le_bytes().to_vec(),
        long(4),
        text("true"),
        text("1990-01-02"),
        long(7),
    ]
    .concat();
    let message = framed(1, &[text("x"), long(42), long(0), rest].concat());
    let found = decoded(&of(&[&record("P", &fields)], &[message]), &columns);
    let object = r#"{"id": "x", "age": 42, "born": "1970-01-01", "dose": 4}"#.to_owned();
    assert!(
        found.rows == json(&[object], &columns) && found.nulled == 4,
        "{}",
        found.nulled
    );
}

#[test]
fn names_lead_through_namespaces_maps_and_references() {
    let columns = under("a.b");
    let (inner, object) = person(4);
    let wanted = json(&[format!(r#"{{"a": {{"b": {object}}}}}"#)], &columns);
    let value = record("Value", FIELDS);
    // A name inside a namespace, used again by its full name, after a union, in a map.
    let spaced = value.replacen(
        "\"name\": \"Value\"",
        "\"name\": \"Value\", \"namespace\": \"x.y\"",
        1,
    );
    let twice = format!(
        r#"{{"type": "record", "name": "E", "namespace": "x.y", "fields": [{{"name": "z", "type": ["null", {spaced}]}}, {{"name": "a", "type": {{"type": "map", "values": ["null", "Value"]}}}}]}}"#
    );
    let message = [
        branch(0, &[]),
        long(2),
        text("c"),
        branch(0, &[]),
        text("b"),
        branch(1, &inner),
        long(0),
    ]
    .concat();
    let found = decoded(&of(&[&twice], &[framed(1, &message)]), &columns);
    assert!(
        faults(&found).is_empty() && found.rows == wanted,
        "{:?}",
        faults(&found)
    );
    // A key that occurs twice is a fault, wherever it is.
    let message = [
        branch(0, &[]),
        long(2),
        text("b"),
        branch(1, &inner),
        text("b"),
        branch(1, &inner),
        long(0),
    ]
    .concat();
    let found = decoded(&of(&[&twice], &[framed(1, &message)]), &columns);
    assert_eq!(
        faults(&found),
        [(0, Some("id".to_owned()), MisfitKind::Twice)]
    );
    // A schema that refers to another one.
    let outer = record(
        "E",
        &[(
            "a",
            r#"{"type": "record", "name": "A", "fields": [{"name": "b", "type": "x.y.Value"}]}"#,
        )],
    );
    let known = KnownSchema::Avro {
        text: outer,
        referred: vec![spaced],
    };
    let guid = *b"0123456789abcdef";
    let schemas = Schemas::of(&[(SchemaKey::Guid(guid), known)]);
    let message = [&[1][..], &guid, &inner].concat();
    let found = decoded(&written(Writing::Avro(schemas), &[message]), &columns);
    assert!(
        faults(&found).is_empty() && found.rows == wanted,
        "{:?}",
        faults(&found)
    );
    assert_eq!(
        SchemaKey::Guid(guid).to_string(),
        "guids/30313233-3435-3637-3839-616263646566"
    );
}

#[test]
fn names_lead_into_lists() {
    // In the second entry of a list.
    let columns = under("a[1].b");
    let (inner, object) = person(4);
    let (other, _) = person(5);
    let value = record("Value", FIELDS);
    let boxed = record("Box", &[("b", &value)]);
    let outer = record(
        "E",
        &[(
            "a",
            &format!(r#"{{"type": "array", "items": ["null", {boxed}]}}"#),
        )],
    );
    let wanted = json(
        &[format!(r#"{{"a": [null, {{"b": {object}}}]}}"#)],
        &columns,
    );
    let here = |inner: &[u8]| branch(1, inner);
    let empty = branch(0, &[]);
    let faulty = |kind| vec![(0, Some("id".to_owned()), kind)];
    for (list, fault) in [
        (
            [long(3), empty.clone(), here(&inner), here(&other), long(0)].concat(),
            None,
        ),
        // In two blocks, the second one with its size.
        (
            [
                long(1),
                here(&other),
                long(-1),
                long(here(&inner).len() as i64),
                here(&inner),
                long(0),
            ]
            .concat(),
            None,
        ),
        (
            [long(2), here(&other), empty.clone(), long(0)].concat(),
            Some(MisfitKind::Missing),
        ),
        (
            [long(1), here(&other), long(0)].concat(),
            Some(MisfitKind::Missing),
        ),
        (long(0), Some(MisfitKind::Missing)),
    ] {
        let found = decoded(&of(&[&outer], &[framed(1, &list)]), &columns);
        assert_eq!(
            faults(&found),
            fault.map(faulty).unwrap_or_default(),
            "{list:?}"
        );
        assert!(fault.is_some() || found.rows == wanted, "the same row");
    }
    // A value that is not a list, and a list where there should be none.
    for (schema, message, fault) in [
        (
            record("E", &[("a", r#""string""#)]),
            text("x"),
            MisfitKind::NoList,
        ),
        (
            record("E", &[("a", r#""bytes""#)]),
            text("x"),
            MisfitKind::NoList,
        ),
        (
            record("E", &[("a", &boxed)]),
            inner.clone(),
            MisfitKind::NoList,
        ),
        (
            record("E", &[("a", r#"{"type": "map", "values": "int"}"#)]),
            long(0),
            MisfitKind::NoList,
        ),
        (
            record(
                "E",
                &[(
                    "a",
                    r#"{"type": "array", "items": {"type": "array", "items": "int"}}"#,
                )],
            ),
            [long(2), long(0), long(0), long(0)].concat(),
            MisfitKind::Nested,
        ),
    ] {
        let found = decoded(&of(&[&schema], &[framed(1, &message)]), &columns);
        assert_eq!(faults(&found), faulty(fault), "{schema}");
    }
    // A list that contains itself.
    let itself = r#"{"type": "record", "name": "E", "fields": [{"name": "a", "type": {"type": "array", "items": ["E", "string"]}}]}"#;
    let columns = super::columns(&FEED.replacen(
        "name = \"id\"\n",
        "name = \"id\"\npath = \"$.a[0].a[1]\"\n",
        1,
    ));
    let message = [
        long(1),
        branch(
            0,
            &[
                long(2),
                branch(1, &text("x")),
                branch(1, &text("p")),
                long(0),
            ]
            .concat(),
        ),
        long(0),
    ];
    let found = decoded(&of(&[itself], &[framed(1, &message.concat())]), &columns);
    assert_eq!(
        faults(&found),
        [(0, Some("age".to_owned()), MisfitKind::Missing)],
        "whichever of them it is was found"
    );
}

#[test]
fn changes_are_recognised_as_debezium_writes_them() {
    use tidegate::daemon::config::Unwanted::{Halt, Quarantine, Skip};
    let columns = under("after");
    let value = record("Value", FIELDS);
    let envelope = record(
        "Envelope",
        &[
            ("before", &format!("[\"null\", {value}]")),
            ("after", r#"["null", "Value"]"#),
            ("op", r#""string""#),
        ],
    );
    let (one, object) = person(1);
    let change = |op: &str| framed(1, &[branch(0, &[]), branch(1, &one), text(op)].concat());
    let gone = framed(1, &[branch(1, &one), branch(0, &[]), text("d")].concat());
    let batch = of(&[&envelope], &[change("c"), gone, change("t")]);
    let found = decoded(&batch, &columns);
    assert!(
        found.rows == json(&[format!(r#"{{"after": {object}, "op": "c"}}"#)], &columns),
        "the same row"
    );
    assert_eq!(
        faults(&found),
        [(1, None, MisfitKind::Delete), (2, None, MisfitKind::Delete)]
    );
    assert!(again(&found, &columns).rows.is_empty());
    let said = |deletes| {
        decode(
            "wards",
            &batch,
            &columns,
            &hasher(),
            &RecordRules {
                tombstones: Quarantine,
                deletes,
                ..RecordRules::default()
            },
        )
    };
    assert_eq!(said(Skip).expect("rows").partitions[0].skipped, 2);
    assert_eq!(
        said(Halt).expect_err("it halts").field.as_deref(),
        Some("source.deletes")
    );
    // Taken out of the envelope.
    let flat = record(
        "Value",
        &[FIELDS, &[("__deleted", r#"["null", "string"]"#)]].concat(),
    );
    let message = |said: &[u8]| framed(1, &[&one[..], said].concat());
    let messages = [
        message(&branch(1, &text("true"))),
        message(&branch(1, &text("false"))),
        message(&branch(0, &[])),
    ];
    let found = decoded(&of(&[&flat], &messages), &super::columns(FEED));
    assert_eq!(
        (faults(&found), found.rows.len()),
        (vec![(0, None, MisfitKind::Delete)], 2)
    );
}
