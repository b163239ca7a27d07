//! Messages that the daemon sets aside: kept unchanged, with every fault. Offered again they have
//! the same faults, and under a corrected feed file they are the very rows that the file itself
//! would give.

use std::path::Path;

use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::{BadRows, Offer, SetAsideMessage, TakenRows, decode, retry, take};
use tidegate::engine::histogram::MisfitKind;
use tidegate::engine::model::Columns;
use tidegate::engine::policy::Decimal;

use super::{FEED, Folder, hasher};

const OPEN: &str = "optional = true\nunknown = \"other\"\n";

/// The feed of the other tests without leaves for missing or unknown values, and with more ages.
pub fn closed(ages: &str) -> String {
    FEED.replace(OPEN, "").replace("119", ages)
}

pub fn columns(feed: &str) -> Columns {
    FeedConfig::parse(feed, Path::new("feed.toml"))
        .unwrap_or_else(|error| panic!("{error}"))
        .columns
}

/// Feed files, each of which may be the correction of any other.
pub fn feeds() -> Vec<String> {
    let more = "[[column]]\nname = \"more\"\nrole = \"quasi\"\noptional = true\n\
        taxonomy = { flat = [\"x\", \"y\", \"unknown\"] }\n";
    let remark = "[[column]]\nname = \"remark\"\nrole = \"sensitive\"\n[[column]]\nname = \"more\"\nrole = \"identifier\"\n";
    let born = "name = \"born\"\nrole = \"quasi\"\n";
    vec![
        closed("119"),
        closed("199"),
        FEED.to_owned(),
        closed("119").replace(
            "[\"A\", \"B\", \"other\"",
            "[\"A\", \"B\", \"C,\\n\\\"x\\\"\", \"é\", \"other\"",
        ),
        closed("199")
            .replace(born, &format!("{born}optional = true\n"))
            .replace("1900-01-01", "1800-01-01"),
        format!("{}{more}", closed("119")),
        format!("{}{remark}", FEED.replace("119", "199")),
    ]
}

/// With whole numbers for identifiers.
fn numbered() -> Columns {
    columns(&closed("119").replace("name = \"id\"\n", "name = \"id\"\ntype = \"int\"\n"))
}

pub fn took(path: &Path, columns: &Columns) -> TakenRows {
    take(path, columns, &hasher(), &mut |_| {}).unwrap_or_else(|error| panic!("{error}"))
}

pub fn again(offer: &Offer, columns: &Columns) -> TakenRows {
    retry(offer, columns, &hasher(), &RecordRules::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a file under one feed file and offers set-aside rows again under another.
pub fn check(path: &Path, before: &Columns, after: &Columns) -> TakenRows {
    let first = took(path, before);
    let plain = decode(
        path,
        before,
        &hasher(),
        BadRows::SetAside(Decimal::parse("1").expect("a share")),
        &mut |_| {},
    )
    .expect("all set aside");
    assert!(first.rows == plain.rows, "the same rows");
    assert_eq!(
        (first.nulled, &first.undeclared),
        (plain.nulled, &plain.undeclared)
    );
    let places: Vec<_> = first
        .aside
        .messages()
        .iter()
        .map(|message| message.place.clone())
        .collect();
    assert_eq!(places, plain.quarantined);
    assert_eq!(
        first.seen(),
        (plain.rows.len() + plain.quarantined.len()) as u64
    );

    let offer = Offer::parse(&first.aside.bytes()).expect("what was written");
    assert!(offer == first.aside, "written and read");
    let same = again(&offer, before);
    assert!(
        same.rows.is_empty() && same.aside == offer,
        "the same faults"
    );

    let fresh = took(path, after);
    let later = again(&offer, after);
    assert_eq!(later.seen(), offer.messages().len() as u64);
    let bad: Vec<u64> = fresh
        .aside
        .messages()
        .iter()
        .map(|message| message.place.row)
        .collect();
    let offered = |row: &u64| {
        offer
            .messages()
            .iter()
            .any(|message| message.place.row == *row)
    };
    let counts: Vec<u64> = (1..=fresh.seen())
        .filter(|row| !bad.contains(row))
        .collect();
    assert!(
        later.rows == fresh.rows.only(|at| offered(&counts[at])),
        "the rows that the file gives"
    );
    let still: Vec<_> = fresh
        .aside
        .messages()
        .iter()
        .filter(|message| offered(&message.place.row))
        .cloned()
        .collect();
    assert_eq!(later.aside.messages(), still);
    assert_eq!(
        (later.aside.name(), later.aside.format()),
        (offer.name(), offer.format())
    );
    first
}

/// Under every feed file, and offered again under every other.
pub fn check_all(path: &Path) {
    let columns: Vec<Columns> = feeds().iter().map(|feed| self::columns(feed)).collect();
    for before in &columns {
        columns
            .iter()
            .for_each(|after| _ = check(path, before, after));
    }
}

pub const HEADER: &str = "id,remark,age,born,ward,diagnosis,stay,more\n";

/// Rows of delimited text, good and bad alternately.
fn text() -> Vec<u8> {
    let mut text = HEADER.as_bytes().to_vec();
    for row in [
        &b"p1,r,30,1990-01-02,A,F32,1,x"[..],
        b"p2,\"a\n\n\"\"b\"\"\",130,1990-01-02,A,F32,1,y",
        b"p3,r,31,1990-01-02,\"C,\n\"\"x\"\"\",\"F\r\n32\",2,x",
        b"p4,r,31,1990-01-02,\"\",F32,2,x",
        "p5,ö,31,1990-01-02,é,ü,2,ß".as_bytes(),
        b"",
        b" \t ",
        b",r,31,1990-01-02,A,F32,2,x",
        b"p6,\xff,131,1990-01-02,A,\xff,2,\xff",
        b"p\xff,r,31,1990-01-02,A,F32,2,x",
        b"p7,r,31,1990-01-02,\xff,F32,2,x",
        b"p8,r,31,1990-01-02,A,F32,2",
        b"p9,r,31,1990-01-02,A,F32,2,x,5\" y",
        b"\"p10\",5\" r,031,1850-01-02,A,F32,2,x",
        b"p11,r,31,,A,F32,2,x",
        b"p12,r,31,1850-01-02,A,F32,4.5,y",
        b"p13,r,199,1990-01-02,A,,,",
        b"p15,r,31,02.01.1990,A,F32,2,x",
    ] {
        text.extend_from_slice(row);
        text.push(b'\n');
    }
    text.extend(format!("{},r,31,1990-01-02,A,F32,2,x\n", "x".repeat(65_537)).bytes());
    text.extend(b"p14,r,150,1990-01-02,A,F32,2,x");
    text
}

#[test]
fn rows_of_text_are_offered_again() {
    let folder = Folder::new();
    let text = text();
    let semicolons = |text: &[u8]| {
        text.iter()
            .map(|&byte| if byte == b',' { b';' } else { byte })
            .collect::<Vec<u8>>()
    };
    let returns = |text: &[u8], end: &[u8]| {
        let mut quoted = false;
        let mut out = Vec::new();
        for &byte in text {
            quoted ^= byte == b'"';
            if byte == b'\n' && !quoted {
                out.extend_from_slice(end)
            } else {
                out.push(byte)
            }
        }
        out
    };
    // A quote inside an unquoted field would confuse the count of quotes above, and nothing else.
    let even: Vec<u8> = String::from_utf8_lossy(&text)
        .replace("5\" ", "5 ")
        .into_bytes();
    for (name, content) in [
        ("a.csv", text.clone()),
        ("b.csv", [b"\xef\xbb\xbf", &text[..]].concat()),
        ("c.csv", semicolons(&text)),
        ("d.csv", returns(&even, b"\r\n")),
        (
            "e.csv",
            [b"\n\r\n\n", &returns(&even, b"\r\n\r\n")[..]].concat(),
        ),
        ("f.csv", returns(&even, b"\r")),
        (
            "g.txt",
            [b"\xef\xbb\xbf", &returns(&semicolons(&even), b"\r\n")[..]].concat(),
        ),
        ("h.csv", HEADER.as_bytes().to_vec()),
    ] {
        let path = folder.file(name, content);
        check_all(&path);
        let first = check(&path, &numbered(), &columns(&closed("119")));
        assert!(name == "h.csv" || first.aside.messages()[0].place.kind == MisfitKind::Malformed);
        check(&path, &columns(&closed("119")), &numbered());
    }
    let first = took(&folder.file("a.csv", text), &columns(&closed("119")));
    let kinds: Vec<MisfitKind> = first
        .aside
        .messages()
        .iter()
        .map(|message| message.place.kind)
        .collect();
    use MisfitKind::{Fields, Malformed, Missing, NotUtf8, Outside, TooLong};
    let fields = |found| Fields { found, wanted: 8 };
    let wanted = [
        Outside,
        Outside,
        Missing,
        Outside,
        Missing,
        Outside,
        NotUtf8,
        NotUtf8,
        fields(7),
        fields(9),
        // 031 is no number, so no leaf of the taxonomy would help.
        Malformed,
        Missing,
        Outside,
        Outside,
        // A day in another notation.
        Malformed,
        TooLong,
        Outside,
    ];
    assert_eq!(kinds, wanted);
    // Unchanged from the file.
    let raw = |at: usize| {
        first.aside.messages()[at]
            .raw
            .as_ref()
            .expect("kept")
            .bytes()
    };
    assert_eq!(raw(0), b"p2,\"a\n\n\"\"b\"\"\",130,1990-01-02,A,F32,1,y");
    assert_eq!(raw(16), b"p14,r,150,1990-01-02,A,F32,2,x");
}

/// A column of its own, in which an empty field is quoted and white space is a value.
#[test]
fn rows_of_one_field_are_offered_again() {
    let folder = Folder::new();
    let feed = |leaves: &str| {
        let feed = format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 2\n[[column]]\nname = \"ward\"\nrole = \"quasi\"\n\
             taxonomy = {{ flat = [{leaves}] }}\n"
        );
        columns(&feed)
    };
    let (before, after) = (
        feed("\"A\", \"B\""),
        feed("\"A\", \"B\", \" \", \"\u{feff}C\""),
    );
    let path = folder.file(
        "a.csv",
        "ward\r\nA\r\n\"\"\r\n \r\n\r\n\u{feff}C\r\n\"\"\"\"\r\nB\r\nC",
    );
    let first = check(&path, &before, &after);
    assert_eq!(first.aside.messages().len(), 5);
    assert_eq!(again(&first.aside, &after).rows.len(), 2);
}

#[test]
fn lines_are_offered_again() {
    let folder = Folder::new();
    let good =
        r#"{"id":"p","age":30,"born":"1990-01-02","ward":"A","diagnosis":"x","stay":1,"more":"x"}"#;
    let with = |from: &str, to: &str| good.replace(from, to).into_bytes();
    let mut text = Vec::new();
    for line in [
        good.into(),
        with("\"p\"", "null"),
        with("\"p\"", "7"),
        with("\"p\"", "true"),
        with("\"p\"", "[\"7\"]"),
        with("\"p\"", r#""\ud800""#),
        with("\"p\"", &format!("\"{}\"", "x".repeat(65_537))),
        with("30", "\"30\""),
        with("30", "130"),
        with("30", "30,\"age\":30"),
        with("\"A\"", "\"é\""),
        with("\"A\"", r#""C,\n\"x\"""#),
        with("\"A\"", "null"),
        b"  \r".to_vec(),
        with("\"A\"", "{\"a\":1}"),
        with("}", ""),
        with("}", "} x"),
        b"null".to_vec(),
        [&b"{\"id\":\"\xff\xfe\","[..], &good.as_bytes()[10..]].concat(),
        [
            &b"{\"id\":\"q\",\"note\":\"\xff\",\"age\":130,"[..],
            &good.as_bytes()[19..],
        ]
        .concat(),
        b"\\\xff".to_vec(),
        with("1990", "1850"),
        with("\"x\"}", "\"z\"}"),
        with(",\"more\":\"x\"", ""),
    ] {
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    let marked = [b"\xef\xbb\xbf", &text[..]].concat();
    let returns = text
        .split(|&byte| byte == b'\n')
        .collect::<Vec<_>>()
        .join(&b"\r\n"[..]);
    for (name, content) in [
        ("a.jsonl", text.clone()),
        ("b.json", marked.clone()),
        ("c.ndjson", [b"\xef\xbb\xbf", &marked[..]].concat()),
        ("d.jsonl", returns),
        ("e.jsonl", text[..text.len() - 1].to_vec()),
        ("f.jsonl", Vec::new()),
    ] {
        let path = folder.file(name, content);
        check_all(&path);
        // One row has a number, the others text.
        let number = |message: &SetAsideMessage| message.place.kind == MisfitKind::NumberForText;
        let texts = took(&path, &columns(&closed("119"))).aside;
        assert!(name == "f.jsonl" || texts.messages().iter().any(number));
        assert_eq!(
            again(&texts, &numbered()).rows.len(),
            usize::from(name != "f.jsonl")
        );
        check(&path, &numbered(), &columns(&closed("119")));
        check(&path, &columns(&closed("119")), &numbered());
    }
    // The path to a field may change, too.
    let paths = |id: &str| {
        columns(&closed("119").replace(
            "name = \"id\"\n",
            &format!("name = \"id\"\npath = \"{id}\"\n"),
        ))
    };
    let nested = r#"{"p":{"id":"7"},"id":"8","age":30,"born":"1990-01-02","ward":"A"}"#;
    let path = folder.file(
        "g.jsonl",
        format!("{nested}\n{}\n", nested.replace("{\"id\":\"7\"}", "9")),
    );
    let first = check(&path, &paths("$.p.id"), &paths("$.id"));
    assert_eq!(first.aside.messages()[0].place.kind, MisfitKind::NoPath);
}

#[test]
fn lines_that_are_too_long_stay_aside() {
    let folder = Folder::new();
    let line = |age: &str, fill: usize| {
        format!(
            r#"{{"id":"1","age":{age},"born":"1990-01-02","ward":"A"{}}}"#,
            r#","k":0"#.repeat(fill)
        )
    };
    let lines = [
        line("130", 1),
        line("30", 3 << 20),
        line("130", 2 << 20),
        line("130", 1),
        line("30", 3 << 20),
    ];
    let path = folder.file("a.jsonl", lines.join("\n"));
    let (before, after) = (columns(&closed("119")), columns(&closed("199")));
    let first = check(&path, &before, &after);
    let kept: Vec<bool> = first
        .aside
        .messages()
        .iter()
        .map(|message| message.raw.is_some())
        .collect();
    assert_eq!(kept, [true, false, true, true, false]);
    let later = again(&first.aside, &after);
    let rows: Vec<u64> = later
        .aside
        .messages()
        .iter()
        .map(|message| message.place.row)
        .collect();
    assert_eq!((later.rows.len(), rows), (3, vec![2, 5]));
}
