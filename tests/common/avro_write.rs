//! Writes Avro as its specification says, for tests; it shares no code with the reader.

/// A whole number.
pub fn long(number: i64) -> Vec<u8> {
    let mut rest = ((number << 1) ^ (number >> 63)) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Text, or bytes.
pub fn text(text: impl AsRef<[u8]>) -> Vec<u8> {
    [&long(text.as_ref().len() as i64)[..], text.as_ref()].concat()
}

/// A branch of a union.
pub fn branch(number: i64, value: &[u8]) -> Vec<u8> {
    [&long(number)[..], value].concat()
}

/// The schema of a record with these fields, each a name and a type in JSON.
pub fn record(name: &str, fields: &[(&str, &str)]) -> String {
    let field = |(name, kind): &(&str, &str)| format!(r#"{{"name": "{name}", "type": {kind}}}"#);
    let fields: Vec<String> = fields.iter().map(field).collect();
    format!(
        r#"{{"type": "record", "name": "{name}", "fields": [{}]}}"#,
        fields.join(", ")
    )
}

/// Fields of every column that the tests declare, and two that are not read.
pub const FIELDS: &[(&str, &str)] = &[
    ("strange", r#"{"type": "map", "values": ["null", "bytes"]}"#),
    ("id", r#""string""#),
    ("age", r#""int""#),
    ("born", r#"{"type": "int", "logicalType": "date"}"#),
    (
        "ward",
        r#"["null", {"type": "enum", "name": "Ward", "symbols": ["B", "A"]}]"#,
    ),
    ("diagnosis", r#"["string", "null"]"#),
    (
        "times",
        r#"{"type": "array", "items": {"type": "long", "logicalType": "timestamp-millis"}}"#,
    ),
    ("stay", r#"["null", "long", "double"]"#),
    ("dose", r#""double""#),
    ("smokes", r#""boolean""#),
    (
        "seen",
        r#"["null", {"type": "int", "connect.name": "io.debezium.time.Date"}]"#,
    ),
];

/// A record of them, and the same as JSON.
pub fn person(number: i64) -> (Vec<u8>, String) {
    let (age, born, ward) = (number * 7 % 100, number * 11 % 9000, number % 3);
    let words = ["null", "\"B\"", "\"A\""];
    let day = tidegate::engine::model::forms::dates::format;
    let mut record = [
        long(2),
        text("a"),
        branch(1, &text([0, 255])),
        text("b"),
        branch(0, &[]),
        long(0),
    ]
    .concat();
    record.extend([text(format!("p{number}")), long(age), long(born)].concat());
    record.extend(if ward == 0 {
        branch(0, &[])
    } else {
        branch(1, &long(ward - 1))
    });
    record.extend(branch(0, &text(format!("ä{}", number % 5))));
    // A block with its size, one without.
    record.extend(
        [
            long(-2),
            long(2),
            long(3),
            long(4),
            long(1),
            long(-1),
            long(0),
        ]
        .concat(),
    );
    record.extend(branch(1, &long(number - 2)));
    record.extend((number as f64 / 4.0).to_le_bytes());
    record.push(u8::from(number % 2 == 0));
    record.extend(branch(1, &long(-born)));
    let json = format!(
        r#"{{"id": "p{number}", "age": {age}, "born": "{}", "ward": {}, "diagnosis": "ä{}", "stay": {}, "dose": {:?}, "smokes": {}, "seen": "{}"}}"#,
        day(born as i32),
        words[ward as usize],
        number % 5,
        number - 2,
        number as f64 / 4.0,
        number % 2 == 0,
        day(-born as i32),
    );
    (record, json)
}
