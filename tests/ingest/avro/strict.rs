//! Bytes that are not exactly one record: truncated, two in a row, damaged, under the wrong schema.
//! Each is set aside with its offset.

use tidegate::engine::histogram::MisfitKind;

use super::write::{FIELDS, branch, long, person, record, text};
use super::{FEED, again, columns, common, decoded, faults, framed, json, of};
use crate::common::wait;

#[test]
fn what_is_cut_off_or_more_than_one_is_none() {
    let (columns, schema) = (columns(FEED), record("P", FIELDS));
    for number in 0..12 {
        let (bytes, _) = person(number);
        let whole = framed(1, &bytes);
        let mut messages: Vec<Vec<u8>> =
            (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
        messages.push([&whole[..], &[0]].concat());
        messages.push([&whole[..], &whole].concat());
        messages.push([&whole[..], &bytes].concat());
        messages.push([&[2][..], &whole[1..]].concat());
        let found = decoded(&of(&[&schema], &messages), &columns);
        let wanted: Vec<_> = (0..messages.len() as u64)
            .map(|offset| (offset, None, MisfitKind::NotAvro))
            .collect();
        assert_eq!(faults(&found), wanted);
        let later = again(&found, &columns);
        assert_eq!(
            (later.rows.len(), later.aside.messages().len()),
            (0, messages.len())
        );
    }
}

#[test]
fn schemas_that_are_none_are_recognised() {
    let (columns, schema) = (columns(FEED), record("P", FIELDS));
    let (bytes, object) = person(5);
    for strange in [
        r#""string""#,
        r#"["null", {"type": "record", "name": "P", "fields": []}]"#,
        r#"{"type": "record", "name": "P", "fields": [{"name": "a", "type": "Nobody"}]}"#,
        r#"{"type": "record", "name": "P", "fields": [{"name": "a", "type": "int"}, {"name": "a", "type": "int"}]}"#,
        r#"{"type": "record", "name": "P"}"#,
        r#"{"type": "record", "name": "int", "fields": []}"#,
        "{",
        "message M {}",
        &format!(
            "{}\"int\"{}",
            r#"{"type": "array", "items": "#.repeat(5_000),
            "}".repeat(5_000)
        ),
    ] {
        let messages = [framed(1, &bytes), framed(2, &bytes), framed(3, &bytes)];
        let found = decoded(&of(&[&schema, strange], &messages), &columns);
        assert!(
            found.rows == json(std::slice::from_ref(&object), &columns),
            "one row"
        );
        assert_eq!(
            faults(&found),
            [
                (1, None, MisfitKind::StrangeSchema),
                (2, None, MisfitKind::NoSchema)
            ],
            "{strange}"
        );
        let later = again(&found, &columns);
        let kinds: Vec<_> = later
            .aside
            .messages()
            .iter()
            .map(|message| message.place.kind)
            .collect();
        assert_eq!(kinds, [MisfitKind::StrangeSchema, MisfitKind::NoSchema]);
    }
}

#[test]
fn numbers_that_claim_too_much_claim_nothing() {
    // A decoder that believes them does not end.
    wait::ends("decoding of messages that claim too much", claims);
}

fn claims() {
    let columns = columns(FEED);
    let items = |kind: &str| record("P", &[("a", kind)]);
    let itself =
        r#"{"type": "record", "name": "P", "fields": [{"name": "next", "type": ["null", "P"]}]}"#;
    // Records without bytes that contain each other, wider and wider.
    let mut wide = r#"{"type": "record", "name": "R0", "fields": []}"#.to_owned();
    for depth in 1..40 {
        wide = format!(
            r#"{{"type": "record", "name": "R{depth}", "fields": [{{"name": "a", "type": {wide}}}, {{"name": "b", "type": "R{}"}}]}}"#,
            depth - 1
        );
    }
    for (schema, message) in [
        (items(r#""string""#), long(i64::MAX)),
        (items(r#""string""#), long(-1)),
        (items(r#""bytes""#), vec![0xff; 12]),
        (items(r#""long""#), vec![0xff; 12]),
        (items(r#"["null"]"#), long(1)),
        (items(r#"["null"]"#), long(-1)),
        (
            items(r#"{"type": "fixed", "name": "F", "size": 18446744073709551615}"#),
            vec![0],
        ),
        (
            items(r#"{"type": "array", "items": "null"}"#),
            [long(i64::MAX), long(0)].concat(),
        ),
        (
            items(r#"{"type": "array", "items": "null"}"#),
            [long(i64::MIN), long(0), long(0)].concat(),
        ),
        (
            items(r#"{"type": "array", "items": "long"}"#),
            [long(-1), long(2), long(1), long(0)].concat(),
        ),
        (
            items(r#"{"type": "array", "items": "long"}"#),
            [long(-1), long(0), long(1), long(0)].concat(),
        ),
        (
            items(r#"{"type": "map", "values": "null"}"#),
            [long(1 << 40), text("a")].concat(),
        ),
        (itself.to_owned(), long(1).repeat(1_000_000)),
        (wide, Vec::new()),
    ] {
        let found = decoded(&of(&[&schema], &[framed(1, &message)]), &columns);
        assert_eq!(
            faults(&found),
            [(0, None, MisfitKind::NotAvro)],
            "{}",
            &schema[..schema.len().min(200)]
        );
    }
    // Nesting that a schema permits and a message has is not a problem, up to a limit.
    let message = [branch(1, &[]).repeat(50), branch(0, &[])].concat();
    let found = decoded(&of(&[itself], &[framed(1, &message)]), &columns);
    assert_eq!(
        faults(&found),
        [(0, Some("id".to_owned()), MisfitKind::Missing)]
    );
}

#[test]
fn damage_never_panics_and_is_never_more_than_one_row() {
    let (columns, schema) = (columns(FEED), record("P", FIELDS));
    common::random::run("damaged records", 300, |draw| {
        let messages: Vec<Vec<u8>> = (0..20)
            .map(|number| {
                let mut bytes = person(number).0;
                for _ in 0..draw.between(0, 3) {
                    let at = draw.between(0, bytes.len() as u64 - 1) as usize;
                    match draw.between(0, 3) {
                        0 => bytes[at] = draw.between(0, 255) as u8,
                        1 => bytes.truncate(at + 1),
                        2 => bytes.insert(at, draw.between(0, 255) as u8),
                        _ => bytes = (0..at + 1).map(|_| draw.between(0, 255) as u8).collect(),
                    }
                }
                framed(1, &bytes)
            })
            .collect();
        let found = decoded(&of(&[&schema], &messages), &columns);
        let partition = &found.partitions[0];
        let aside = partition
            .aside
            .as_ref()
            .map_or(0, |offer| offer.messages().len() as u64);
        assert_eq!((partition.seen, partition.rows + aside), (20, 20));
        assert_eq!(partition.rows, found.rows.len() as u64);
        if aside > 0 {
            let later = again(&found, &columns);
            assert_eq!(
                (later.rows.len(), later.aside.messages().len() as u64),
                (0, aside),
                "the same faults"
            );
        }
    });
}
