//! Messages with several records (`each`), and records that are not read (`where`), from topics and
//! files, by a second implementation over parsed JSON.

use std::path::Path;

use serde_json::{Value as Json, json};
use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::topic::{Batch, PartitionResult, decode_sifted};
use tidegate::daemon::ingest::{
    BadRows, InputFile, Offer, TakenRows, decode_records, retry_sifted, take_cut,
};
use tidegate::engine::histogram::{CodedRows, MisfitKind};
use tidegate::engine::model::Columns;

use super::{Folder, hasher};
use crate::common::random::{self, Draw};

const COLUMNS: &str = r#"
[policy]
k = 2
[[column]]
name = "patient"
role = "identifier"
path = "$.resource.subject.reference"
derive = { part = ["/", -1] }
[[column]]
name = "ward"
role = "quasi"
path = "$.resource.ward"
taxonomy = { flat = ["A", "B"] }
[[column]]
name = "diagnosis"
role = "sensitive"
path = "$.resource.code"
"#;

fn feed(source: &str) -> (Columns, RecordRules) {
    let text = format!(
        "[feed]\nname = \"t\"\n[source]\nkind = \"directory\"\npath = \"in\"\nformat = \"json\"\n{source}\n{COLUMNS}"
    );
    let feed = FeedConfig::parse(&text, Path::new("feed.toml"));
    let feed = feed.unwrap_or_else(|error| panic!("{error}"));
    (feed.columns, (*feed.records).clone())
}

const BUNDLES: &str = "each = \"$.entry[*]\"\nwhere = [{ \"$.resource.resourceType\" = \"Encounter\", \
                       \"$.request.method\" = \"PUT\" }, { \"$.request.url\" = \"Encounter/*\" }]";

fn of_topic(
    messages: &[Vec<u8>],
    (columns, rules): &(Columns, RecordRules),
) -> (CodedRows, PartitionResult) {
    let mut batch = Batch::default();
    for (offset, message) in (10..).zip(messages) {
        batch.push(0, offset, Some(message));
    }
    let decoded = decode_sifted("t", &batch, columns, &hasher(), rules, None);
    let mut decoded = decoded.unwrap_or_else(|error| panic!("{error}"));
    (decoded.rows, decoded.partitions.remove(0))
}

fn of_lines(lines: &[Vec<u8>], (columns, rules): &(Columns, RecordRules)) -> TakenRows {
    let folder = Folder::new();
    let file = folder.file("a.ndjson", lines.join(&b'\n'));
    let input = InputFile::open(&file).expect("a file");
    let put = &mut |_| Ok(());
    let taken = take_cut(&input, columns, &hasher(), rules, None, usize::MAX, put);
    taken.unwrap_or_else(|error| panic!("{error}"))
}

fn entry(kind: &str, method: &str, patient: &str, ward: &str, code: &str) -> Json {
    json!({
        "fullUrl": "urn:x",
        "resource": {"resourceType": kind, "subject": {"reference": patient}, "ward": ward, "code": code},
        "request": {"method": method, "url": format!("{kind}/1")},
    })
}

/// What is set aside: offset or line, the number in its message, the fault, and the bytes.
fn aside(offer: Option<&Offer>) -> Vec<(u64, Option<u32>, MisfitKind, String)> {
    let messages = offer.map_or(&[][..], Offer::messages);
    let one = |message: &tidegate::daemon::ingest::SetAsideMessage| {
        let raw = message.raw.as_ref().expect("bytes").bytes().to_vec();
        let place = &message.place;
        let raw = String::from_utf8(raw).expect("text");
        (
            place.line.unwrap_or(place.row),
            place.element,
            place.kind,
            raw,
        )
    };
    messages.iter().map(one).collect()
}

#[test]
fn a_bundle_is_many_records_and_a_bad_one_is_set_aside_alone() {
    let feed = feed(BUNDLES);
    let bad = entry("Encounter", "PUT", "Patient/3", "C", "I10");
    let first = json!({"resourceType": "Bundle", "entry": [
        entry("Encounter", "PUT", "Patient/1", "A", "I10"),
        entry("Observation", "PUT", "Patient/1", "A", "x"),
        bad,
        entry("Encounter", "GET", "Patient/2", "B", "J00"),
        {"request": {"method": "DELETE", "url": "Patient/9"}},
        17,
    ]});
    let second = json!({"resourceType": "Bundle", "entry": []});
    let third = b"{\"entry\": [{}".to_vec();
    let messages = [
        first.to_string().into_bytes(),
        second.to_string().into_bytes(),
        third,
    ];
    let (rows, part) = of_topic(&messages, &feed);
    assert_eq!(rows.len(), 2);
    // Six entries, one message without any, and one that is no JSON.
    assert_eq!(
        (part.seen, part.rows, part.skipped, part.next),
        (8, 2, 3, 13)
    );
    let found = aside(part.aside.as_ref());
    let wanted = [
        (10, Some(2), MisfitKind::Outside, bad.to_string()),
        (10, Some(5), MisfitKind::NoRecord, "17".to_owned()),
        (
            12,
            None,
            MisfitKind::NoMessage,
            "{\"entry\": [{}".to_owned(),
        ),
    ];
    assert_eq!(found, wanted);
    // The same as lines of a file.
    let taken = of_lines(&messages, &feed);
    assert!(taken.rows == rows && taken.skipped == 3 && taken.seen() == 8);
    let lines = wanted.map(|(offset, at, kind, raw)| {
        let kind = if kind == MisfitKind::NoMessage {
            MisfitKind::NoObject
        } else {
            kind
        };
        (offset - 9, at, kind, raw)
    });
    assert_eq!(aside(Some(&taken.aside)), lines);
    // A corrected taxonomy: the record that was set aside alone is one record, whatever `each` says.
    let (columns, rules) = self::feed(BUNDLES);
    let text = COLUMNS.replace("[\"A\", \"B\"]", "[\"A\", \"B\", \"C\"]");
    let wider = FeedConfig::parse(
        &format!("[feed]\nname = \"t\"\n{text}"),
        Path::new("feed.toml"),
    );
    let wider = wider.expect("a feed file").columns;
    for offer in [part.aside.as_ref().expect("an offer"), &taken.aside] {
        let offer = Offer::parse(&offer.bytes()).expect("it was written");
        let again = retry_sifted(&offer, &wider, &hasher(), &rules, None).expect("messages");
        assert_eq!((again.rows.len(), again.skipped), (1, 0));
        let left: Vec<Option<u32>> = aside(Some(&again.aside))
            .into_iter()
            .map(|(_, at, ..)| at)
            .collect();
        assert_eq!(left, [Some(5), None]);
        // Erasing its person takes the record, and nothing else.
        let person = hasher().person(&["3"]);
        let without = offer.without(&[person].into(), &columns, &hasher(), &rules);
        let without = without.expect("the person is there");
        assert_eq!((without.gone, without.rest.messages().len()), (1, 2));
    }
}

#[test]
fn a_bundle_that_was_set_aside_whole_is_taken_apart_later() {
    let whole = feed("");
    let bundle = json!({"entry": [
        entry("Encounter", "PUT", "Patient/1", "A", "I10"),
        entry("Encounter", "PUT", "Patient/2", "A", "I11"),
        entry("Encounter", "PUT", "Patient/3", "Z", "I12"),
    ]});
    let (rows, part) = of_topic(&[bundle.to_string().into_bytes()], &whole);
    let offer = part.aside.expect("it has none of the fields");
    assert_eq!((rows.len(), offer.messages().len()), (0, 1));
    let (columns, rules) = feed(BUNDLES);
    // One of its people is erased: the others become records of their own.
    let person = hasher().person(&["2"]);
    let without = offer.without(&[person].into(), &columns, &hasher(), &rules);
    let rest = without.expect("the person is there").rest;
    assert!(
        aside(Some(&rest))
            .iter()
            .all(|(.., raw)| !raw.contains("Patient/2"))
    );
    for (offer, kept) in [(&offer, 2), (&rest, 1)] {
        let again = retry_sifted(offer, &columns, &hasher(), &rules, None).expect("messages");
        assert_eq!(again.rows.len(), kept);
        let left = aside(Some(&again.aside));
        assert_eq!(left.len(), 1);
        assert_eq!((left[0].1, left[0].2), (Some(2), MisfitKind::Outside));
        assert!(left[0].3.contains("Patient/3") && !left[0].3.contains("Patient/1"));
    }
}

#[test]
fn ways_that_lead_nowhere_are_faults_of_the_message() {
    let list = feed("each = \"$[*]\"");
    let one = entry("Encounter", "PUT", "Patient/1", "A", "I10");
    let nested = feed("each = \"$.a[?kind='x'].entry[*]\"");
    for (feed, message, rows, seen, kinds) in [
        (&list, json!([one, one]).to_string(), 2, 2, vec![]),
        (&list, "[]".to_owned(), 0, 1, vec![]),
        (&list, "null".to_owned(), 0, 1, vec![MisfitKind::NoMessage]),
        (&list, "{}".to_owned(), 0, 1, vec![MisfitKind::NoList]),
        (&list, "[1,]".to_owned(), 0, 1, vec![MisfitKind::NotJson]),
        (&list, "[{}] {}".to_owned(), 0, 1, vec![MisfitKind::NoMessage]),
        (&nested, "{\"a\": {}}".to_owned(), 0, 1, vec![MisfitKind::NoList]),
        (&nested, "{\"a\": 5}".to_owned(), 0, 1, vec![MisfitKind::NoList]),
        (&nested, "5".to_owned(), 0, 1, vec![MisfitKind::NoMessage]),
        (&nested, "{\"a\": [], \"a\": []}".to_owned(), 0, 1, vec![MisfitKind::Twice]),
        (
            &nested,
            json!({"a": [{"kind": "x", "entry": [one]}, {"kind": "y", "entry": [one]}, {"kind": "x"},
                         {"kind": "x", "entry": 7}, 8]})
            .to_string(),
            1,
            2,
            vec![MisfitKind::NoList],
        ),
    ] {
        let (found, part) = of_topic(&[message.clone().into_bytes()], feed);
        assert_eq!((found.len(), part.seen), (rows, seen), "{message}");
        let found: Vec<MisfitKind> =
            aside(part.aside.as_ref()).into_iter().map(|(_, _, kind, _)| kind).collect();
        assert_eq!(found, kinds, "{message}");
    }
}

#[test]
fn too_many_records_are_one_fault_and_depth_costs_nothing() {
    let feed = feed("each = \"$.entry[*]\"");
    let many =
        |count: usize| format!("{{\"entry\":[{}]}}", vec!["{}"; count].join(",")).into_bytes();
    let (_, part) = of_topic(&[many(1_000_000)], &feed);
    let kinds: Vec<MisfitKind> = aside(part.aside.as_ref())
        .into_iter()
        .map(|(_, _, kind, _)| kind)
        .collect();
    assert_eq!(kinds, [MisfitKind::ManyRecords]);
    let (_, part) = of_topic(&[many(1 << 16)], &feed);
    assert_eq!(
        part.aside.expect("they have no fields").messages().len(),
        1 << 16
    );
    let deep = format!(
        "{{\"x\":{}{},\"entry\":[]}}",
        "[".repeat(1 << 20),
        "]".repeat(1 << 20)
    );
    let (_, part) = of_topic(&[deep.into_bytes()], &feed);
    assert_eq!((part.seen, part.skipped), (1, 1));
}

#[test]
fn a_line_that_is_too_long_is_not_a_bundle_without_records() {
    let feed = feed(BUNDLES);
    let one = json!({"entry": [entry("Encounter", "PUT", "Patient/1", "A", "I10")]});
    let filler = json!({"x": "y".repeat(17 << 20), "entry": [entry("Encounter", "PUT", "Patient/2", "A", "I10")]});
    for lines in [
        [one.to_string(), filler.to_string()],
        [filler.to_string(), one.to_string()],
    ] {
        let lines = lines.map(String::into_bytes);
        let taken = of_lines(&lines, &feed);
        assert_eq!((taken.rows.len(), taken.skipped), (1, 0));
        let kinds: Vec<_> = taken
            .aside
            .messages()
            .iter()
            .map(|one| (one.place.kind, one.raw.is_none()))
            .collect();
        assert_eq!(kinds, [(MisfitKind::LongRow, true)]);
    }
}

#[test]
fn envelopes_in_files_are_those_of_topics() {
    let columns = COLUMNS
        .replace("$.resource.subject.reference", "$.after.id")
        .replace("$.resource.", "$.after.");
    let row = |op: &str, id: u64| {
        let after = json!({"id": format!("{id}"), "ward": "A", "code": "x"});
        let after = if op == "d" { Json::Null } else { after };
        json!({"op": op, "before": {"id": "9"}, "after": after})
            .to_string()
            .into_bytes()
    };
    let lines = [
        row("c", 1),
        row("d", 1),
        row("u", 2),
        b"{\"__deleted\": \"true\"}".to_vec(),
    ];
    for (said, skipped, set_aside) in [("skip", 2, 0), ("quarantine", 0, 2), ("halt", 0, 0)] {
        let text = format!(
            "[feed]\nname = \"t\"\n[source]\nkind = \"directory\"\npath = \"in\"\nformat = \"json\"\ndeletes = \"{said}\"\n{columns}"
        );
        let feed = FeedConfig::parse(&text, Path::new("feed.toml")).expect("a feed file");
        let folder = Folder::new();
        let input = InputFile::open(&folder.file("a.ndjson", lines.join(&b'\n'))).expect("a file");
        let put = &mut |_| Ok(());
        let taken = take_cut(
            &input,
            &feed.columns,
            &hasher(),
            &feed.records,
            None,
            usize::MAX,
            put,
        );
        if said == "halt" {
            let error = taken.expect_err("the feed has to halt");
            assert_eq!(error.field.as_deref(), Some("source.deletes"));
            assert!(
                error.text.contains("line 2 of ") && error.text.contains("a.ndjson"),
                "{error}"
            );
            continue;
        }
        let taken = taken.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((taken.rows.len(), taken.skipped), (2, skipped));
        let found = aside(Some(&taken.aside));
        assert!(
            found
                .iter()
                .all(|(_, _, kind, _)| *kind == MisfitKind::Delete)
        );
        assert_eq!(found.len(), set_aside);
        // What was set aside is skipped once the feed file says so.
        let skip = RecordRules {
            deletes: tidegate::daemon::config::Unwanted::Skip,
            ..RecordRules::default()
        };
        let again =
            retry_sifted(&taken.aside, &feed.columns, &hasher(), &skip, None).expect("lines");
        assert_eq!(
            (again.skipped as usize, again.aside.messages().len()),
            (set_aside, 0)
        );
    }
}

#[test]
fn a_fault_in_what_decides_is_not_skipped() {
    let feed = feed("where = { \"$.resource.resourceType\" = \"Enc*\", \"$.n\" = \"7\" }");
    for (message, skipped, kind) in [
        (
            "{\"n\": 7, \"resource\": {\"resourceType\": \"Encounter\"}}",
            0,
            Some(MisfitKind::Missing),
        ),
        (
            "{\"n\": 8, \"resource\": {\"resourceType\": \"Encounter\"}}",
            1,
            None,
        ),
        ("{\"n\": 7, \"resource\": 5}", 1, None),
        ("{\"n\": 7}", 1, None),
        (
            "{\"n\": 7, \"n\": 7, \"resource\": {\"resourceType\": \"Encounter\"}}",
            0,
            Some(MisfitKind::Twice),
        ),
        (
            "{\"n\": [7], \"resource\": {\"resourceType\": \"Enc\"}}",
            0,
            Some(MisfitKind::Nested),
        ),
        (
            "{\"n\": [7], \"resource\": {\"resourceType\": \"Pat\"}}",
            1,
            None,
        ),
    ] {
        let (_, part) = of_topic(&[message.as_bytes().to_vec()], &feed);
        let kinds: Vec<MisfitKind> = aside(part.aside.as_ref())
            .into_iter()
            .map(|(_, _, kind, _)| kind)
            .collect();
        assert_eq!(
            (part.skipped, kinds),
            (skipped, kind.into_iter().collect()),
            "{message}"
        );
    }
}

#[test]
fn rows_of_a_table_are_chosen_too() {
    let (columns, _) = feed("");
    let text = COLUMNS
        .replace("$.resource.subject.reference", "$.patient")
        .replace("$.resource.", "$.");
    let text = format!(
        "[feed]\nname = \"t\"\n[source]\nkind = \"directory\"\npath = \"in\"\nwhere = {{ \"$.kind\" = \"in*\" }}\n{text}"
    );
    let feed = FeedConfig::parse(&text, Path::new("feed.toml")).expect("a feed file");
    let folder = Folder::new();
    let csv =
        "patient,kind,ward,code\n1,inpatient,A,x\n2,outpatient,A,y\n3,inpatient,B,z\n4,,B,z\n";
    let file = folder.file("a.csv", csv.as_bytes());
    let strict = BadRows::Refused("outside");
    let decoded = decode_records(
        &file,
        &feed.columns,
        &hasher(),
        &feed.records,
        strict,
        &mut |_| {},
    );
    let decoded = decoded.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((decoded.rows.len(), decoded.skipped), (2, 2));
    assert_eq!(columns.iter().count(), 3);
}

/// The elements that a path leads to, over parsed JSON.
fn elements<'j>(value: &'j Json, steps: &[&str]) -> Vec<&'j Json> {
    let Some((step, rest)) = steps.split_first() else {
        return vec![value];
    };
    match *step {
        "*" => value
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|one| elements(one, rest))
            .collect(),
        key => value
            .get(key)
            .into_iter()
            .flat_map(|one| elements(one, rest))
            .collect(),
    }
}

#[test]
fn bundles_are_their_records_whatever_their_form() {
    random::run("records of messages", 300, |draw| {
        let (each, steps): (_, &[&str]) = match draw.between(0, 2) {
            0 => ("$.entry[*]", &["entry", "*"]),
            1 => ("$.x.entry[*].inner", &["x", "entry", "*", "inner"]),
            _ => ("$[*][*]", &["*", "*"]),
        };
        let bundles: Vec<Json> = (0..draw.between(1, 4))
            .map(|_| bundle(draw, steps))
            .collect();
        let rules = "where = [{ \"$.resource.resourceType\" = \"Encounter\" }, { \"$.request.url\" = \"Pat*\" }]";
        let (exploded, single) = (feed(&format!("each = \"{each}\"\n{rules}")), feed(rules));
        let messages: Vec<Vec<u8>> = bundles
            .iter()
            .map(|one| one.to_string().into_bytes())
            .collect();
        let records: Vec<&Json> = bundles
            .iter()
            .flat_map(|one| elements(one, steps))
            .collect();
        let alone: Vec<Vec<u8>> = records
            .iter()
            .map(|one| one.to_string().into_bytes())
            .collect();
        let empty = bundles
            .iter()
            .filter(|one| elements(one, steps).is_empty())
            .count() as u64;
        let (rows, part) = of_topic(&messages, &exploded);
        if alone.is_empty() {
            assert_eq!((rows.len(), part.skipped), (0, empty));
            return;
        }
        let (rows_alone, part_alone) = of_topic(&alone, &single);
        assert!(rows == rows_alone, "the same rows");
        assert_eq!(part.seen, part_alone.seen + empty);
        assert_eq!(part.skipped, part_alone.skipped + empty);
        let bytes = |part: &PartitionResult| -> Vec<String> {
            aside(part.aside.as_ref())
                .into_iter()
                .map(|(.., raw)| raw)
                .collect()
        };
        assert_eq!(
            bytes(&part),
            bytes(&part_alone),
            "the same records are set aside"
        );
        let wanted = |one: &&&Json| {
            one["resource"]["resourceType"] == "Encounter"
                || one["request"]["url"]
                    .as_str()
                    .is_some_and(|url| url.starts_with("Pat"))
        };
        assert_eq!(
            records.iter().filter(wanted).count() as u64 + part_alone.skipped,
            part_alone.seen
        );
        // A file that begins with a list is no file of lines.
        if steps[0] == "*" {
            return;
        }
        let taken = of_lines(&messages, &exploded);
        assert!(taken.rows == rows && taken.skipped == part.skipped && taken.seen() == part.seen);
    });
}

/// A message with records at the end of these steps.
fn bundle(draw: &mut Draw, steps: &[&str]) -> Json {
    let Some((step, rest)) = steps.split_first() else {
        let kind = ["Encounter", "Patient", "X"][draw.between(0, 2) as usize];
        let ward = ["A", "B", "C"][draw.between(0, 2) as usize];
        let patient = format!("Patient/{}", draw.between(1, 9));
        return entry(kind, "PUT", &patient, ward, "I10");
    };
    match *step {
        "*" => (0..draw.between(0, 4))
            .map(|_| bundle(draw, rest))
            .collect(),
        key => json!({"other": [{"entry": [1]}], key: bundle(draw, rest), "id": "é\u{1F600}\"]}"}),
    }
}
