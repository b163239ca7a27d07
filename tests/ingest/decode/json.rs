//! JSON lines: faults of a line, their places, and their effect on the row.

use std::path::Path;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::ingest::decode;
use tidegate::engine::histogram::MisfitKind;

use super::{Folder, OUTSIDE, STRICT, hasher, lenient, strict};

#[test]
fn faults_of_json_have_their_place() {
    use MisfitKind::{
        Malformed, Missing, Nested, NoObject, NotJson, NotUtf8, NumberForText, Outside, TooLong,
        Twice,
    };
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let cases: Vec<(String, Option<&str>, MisfitKind)> = vec![
        (
            r#"{"age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            Missing,
        ),
        (
            r#"{"id":null,"age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            Missing,
        ),
        (
            r#"{"id":7,"age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            NumberForText,
        ),
        (
            r#"{"id":true,"age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            Malformed,
        ),
        (
            r#"{"id":["7"],"age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            Nested,
        ),
        (
            r#"{"id":"\ud800","age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            NotUtf8,
        ),
        (
            format!(
                r#"{{"id":"{}","age":30,"born":"1990-01-02"}}"#,
                "x".repeat(65_537)
            ),
            Some("id"),
            TooLong,
        ),
        (
            r#"{"id":"7","age":"30","born":"1990-01-02"}"#.into(),
            Some("age"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":30.0,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":42.9,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":-0,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":1e999,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":99999999999999999999,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":120,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Outside,
        ),
        (
            r#"{"id":"7","age":30,"age":30,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Twice,
        ),
        (
            r#"{"id":"7","age":30,"\u0061ge":31,"born":"1990-01-02"}"#.into(),
            Some("age"),
            Twice,
        ),
        (
            format!(r#"{{"id":"7","age":{deep},"born":"1990-01-02"}}"#),
            Some("age"),
            Nested,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02T00:00:00"}"#.into(),
            Some("born"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":30,"born":19900102}"#.into(),
            Some("born"),
            Malformed,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02","ward":1}"#.into(),
            Some("ward"),
            NumberForText,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02""#.into(),
            None,
            NoObject,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-0"#.into(),
            None,
            NoObject,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02"} x"#.into(),
            None,
            NoObject,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02"}{"id":"8","age":30,"born":"1990-01-02"}"#
                .into(),
            None,
            NoObject,
        ),
        (
            r#"{"id":"7","age":030,"born":"1990-01-02"}"#.into(),
            Some("age"),
            NotJson,
        ),
        (
            r#"{"id":"7","age":NaN,"born":"1990-01-02"}"#.into(),
            Some("age"),
            NotJson,
        ),
        (
            r#"{"id":"7","age":,"born":"1990-01-02"}"#.into(),
            Some("age"),
            NotJson,
        ),
        (
            "{\"id\":\"\0\",\"age\":30,\"born\":\"1990-01-02\"}".into(),
            Some("id"),
            NotJson,
        ),
        (
            r#"{"id":"\x","age":30,"born":"1990-01-02"}"#.into(),
            Some("id"),
            NotJson,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02","diagnosis":"x"#.into(),
            None,
            NoObject,
        ),
        (
            r#"{"id":"7","age":30,"born":"1990-01-02","diagnosis":["x"}"#.into(),
            None,
            NoObject,
        ),
        (r#"["7",30,"1990-01-02"]"#.into(), None, NoObject),
        ("null".into(), None, NoObject),
    ];
    let folder = Folder::new();
    let good = r#"{"id":"1","age":30,"born":"1990-01-02"}"#;
    for (line, column, kind) in cases {
        let path = folder.file("a.jsonl", format!("{good}\n{line}\n{good}\n"));
        let error = strict(&path).expect_err("a bad line");
        assert_eq!(
            (error.line, error.field.as_deref()),
            (Some(2), column),
            "{error}"
        );
        let words = if kind == Outside {
            OUTSIDE.to_owned()
        } else {
            kind.to_string()
        };
        assert!(
            error.text.starts_with(&format!("row 2: {words}")),
            "{error}"
        );
        let decoded = lenient(&path, "0.34").expect("a third");
        assert_eq!(decoded.rows.len(), 2);
        let [one] = decoded.quarantined.as_slice() else {
            panic!("one row is set aside")
        };
        assert_eq!(
            (one.row, one.line, one.column.as_deref(), one.kind),
            (2, Some(2), column, kind)
        );
    }
}

#[test]
fn whatever_is_wrong_with_a_sensitive_field_is_null() {
    let folder = Folder::new();
    for field in [
        &br#""stay":"3""#[..],
        br#""stay":3.5"#,
        br#""stay":1e999"#,
        br#""stay":true"#,
        br#""stay":[3]"#,
        br#""stay":{"a":3}"#,
        br#""stay":3,"stay":4"#,
        br#""stay":99999999999999999999"#,
        b"\"stay\":\"\xff\xfe\"",
        br#""stay":"\udc00""#,
        b"\"stay\":\"\\\\\xff\"",
        br#""more":"\ud800""#,
        br#""stay":null"#,
        br#""stay":NaN"#,
        br#""stay":-Infinity"#,
        br#""stay":01"#,
        br#""stay":.5"#,
        br#""stay":"#,
        br#""stay":nul"#,
        br#""stay":1 2"#,
        br#""stay":{"a" 3]"#,
        b"\"more\":\"a\tb\0\"",
        br#""more":"\x""#,
        b"\"more\":\"\\\xff\"",
        b"\"more\":\xff",
    ] {
        let line = [
            br#"{"id":"7","age":30,"born":"1990-01-02","diagnosis":"x","#,
            field,
            b"}\n",
        ]
        .concat();
        let decoded =
            strict(&folder.file("a.jsonl", &line)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((decoded.rows.len(), decoded.nulled), (1, 1));
    }
    // If some bytes are not text, nothing else changes.
    let line = b"{\"id\":\"7\",\"age\":30,\"born\":\"1990-01-02\",\"ward\":\"\xe9\"}\n";
    let error = strict(&folder.file("a.jsonl", line)).expect_err("no text");
    assert_eq!(
        (error.field.as_deref(), error.text.as_str()),
        (Some("ward"), "row 1: the field is not UTF-8")
    );
}

#[test]
fn paths_lead_through_objects() {
    let feed = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
        [[column]]\nname = \"id\"\nrole = \"identifier\"\ntype = \"int\"\npath = \"$.after.patient.id\"\n\
        [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5], min = 0, max = 119 }\npath = \"$.after.age\"\n\
        [[column]]\nname = \"s\"\nrole = \"sensitive\"\npath = \"$.s.t\"\n";
    let columns = FeedConfig::parse(feed, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let folder = Folder::new();
    for (line, wanted) in [
        (
            r#"{"x":{"after":1},"after":{"age":3,"patient":{"id":7,"age":9}},"s":{"t":"v"}}"#,
            "1 0",
        ),
        (r#"{"after":{"age":3,"patient":{"id":7}},"s":5}"#, "1 1"),
        (
            r#"{"after":{"age":3,"patient":{"id":7}},"s":[{"t":"v"}]}"#,
            "1 1",
        ),
        (
            r#"{"after":{"age":3,"patient":{"id":7}},"s":{"t":"v"},"s":{}}"#,
            "1 1",
        ),
        (
            r#"{"after":{"age":3,"patient":7}}"#,
            "`id`: row 1: the path leads through a value that is not an object",
        ),
        (
            r#"{"after":{"age":3,"patient":null}}"#,
            "`id`: row 1: the value is missing",
        ),
        (
            r#"{"after":[{"age":3,"patient":{"id":7}}]}"#,
            "`id`: row 1: an array or an object instead of a single value",
        ),
        (
            r#"{"after":{"patient":{"id":7},"age":3},"after":{}}"#,
            "`id`: row 1: the field occurs twice",
        ),
        (
            r#"{"after.age":3,"after":{"patient":{"id":7}}}"#,
            "`age`: row 1: the value is missing",
        ),
    ] {
        let path = folder.file("a.json", line);
        let text = match decode(&path, &columns, &hasher(), STRICT, &mut |_| {}) {
            Ok(decoded) => format!("{} {}", decoded.rows.len(), decoded.nulled),
            Err(error) => error
                .to_string()
                .split_once(": ")
                .expect("a place")
                .1
                .to_owned(),
        };
        assert_eq!(text, wanted, "{line}");
    }
}

/// One column of each role, inside lists.
const LISTS: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\npath = \"$.a[0].v\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5], min = 0, max = 119 }\npath = \"$.a[0].m[1][0]\"\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\noptional = true\ntaxonomy = { flat = [\"A\", \"unknown\"] }\npath = \"$.a[2]\"\n\
    [[column]]\nname = \"s\"\nrole = \"sensitive\"\npath = \"$.s.c[1].v\"\n";

#[test]
fn paths_lead_into_lists() {
    let columns = FeedConfig::parse(LISTS, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let folder = Folder::new();
    let (missing, twice) = (
        "row 1: the value is missing",
        "row 1: the field occurs twice",
    );
    let (no_object, no_list) = (
        "row 1: the path leads through a value that is not an object",
        "row 1: the path leads into a list, but the value is not a list",
    );
    let nested = "row 1: an array or an object instead of a single value";
    for (line, wanted) in [
        (
            r#"{"a":[{"v":"7","m":[0,[3]]},0,"A"],"s":{"c":[{"v":1},{"v":"x"}]}}"#,
            "1 0".to_owned(),
        ),
        (
            r#"{"s":{"c":[1,{"v":"x","v2":[]},2]},"a":[{"m":[{},[3,[4]],{}],"v":"7"},{"v":8},"A",{"v":9}]}"#,
            "1 0".to_owned(),
        ),
        // A list that is too short, or a null in it, has no value at that position.
        (
            r#"{"a":[{"v":"7","m":[0,[3]]}],"s":{"c":[{"v":"x"}]}}"#,
            "1 1".to_owned(),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]]},null,null],"s":{"c":[null,null]}}"#,
            "1 1".to_owned(),
        ),
        (r#"{"a":[{"v":"7","m":[0]}]}"#, format!("`age`: {missing}")),
        (
            r#"{"a":[{"v":"7","m":[0,[]]}]}"#,
            format!("`age`: {missing}"),
        ),
        (r#"{"a":[]}"#, format!("`id`: {missing}")),
        (r#"{"a":null}"#, format!("`id`: {missing}")),
        (r#"{}"#, format!("`id`: {missing}")),
        // A value that is not a list.
        (r#"{"a":{"0":{"v":"7"}}}"#, format!("`id`: {no_list}")),
        (r#"{"a":"7"}"#, format!("`id`: {no_list}")),
        (
            r#"{"a":[{"v":"7","m":[0,3]}]}"#,
            format!("`age`: {no_list}"),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]]}],"s":{"c":{"v":"x"}}}"#,
            "1 1".to_owned(),
        ),
        (r#"{"a":["7"]}"#, format!("`id`: {no_object}")),
        (r#"{"a":[[{"v":"7"}]]}"#, format!("`id`: {nested}")),
        (
            r#"{"a":[{"v":"7","m":[0,[[3]]]}]}"#,
            format!("`age`: {nested}"),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]]},0,{"x":"A"}]}"#,
            format!("`ward`: {nested}"),
        ),
        // Keys that occur twice, also inside lists.
        (
            r#"{"a":[{"v":"7","m":[0,[3]],"v":"7"}]}"#,
            format!("`id`: {twice}"),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]]}],"a":[]}"#,
            format!("`id`: {twice}"),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]],"m":[0,[3]]}]}"#,
            format!("`age`: {twice}"),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]]}],"s":{"c":[0,{"v":"x","v":"x"}]}}"#,
            "1 1".to_owned(),
        ),
        (
            r#"{"a":[{"v":"7","m":[0,[3]]},{"v":"8","v":"9"}]}"#,
            "1 1".to_owned(),
        ),
    ] {
        let path = folder.file("a.json", line);
        let text = match decode(&path, &columns, &hasher(), STRICT, &mut |_| {}) {
            Ok(decoded) => format!("{} {}", decoded.rows.len(), decoded.nulled),
            Err(error) => error
                .to_string()
                .split_once(": ")
                .expect("a place")
                .1
                .to_owned(),
        };
        assert_eq!(text, wanted, "{line}");
    }
    // Invalid JSON is a fault, wherever it is; parts that are not read may be nested to any depth.
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let rows = |line: &str| {
        decode(
            &folder.file("a.json", line),
            &columns,
            &hasher(),
            STRICT,
            &mut |_| {},
        )
    };
    assert!(rows(r#"{"a":[{"v":"7","m":[0,[3]]},0,"A",],"s":null}"#).is_err());
    assert!(rows(r#"{"a":[{"v":"7","m":[0,[3]]},0,"A"} 1],"s":null}"#).is_err());
    // A value that leads only to a sensitive field is treated as that field.
    let nulled = |line: &str| {
        rows(line)
            .map(|decoded| (decoded.rows.len(), decoded.nulled))
            .expect("a row")
    };
    assert_eq!(
        nulled(r#"{"a":[{"v":"7","m":[0,[3]]},0,"A"],"s":{"c":[{"v":"x"} 1]}}"#),
        (1, 1)
    );
    assert_eq!(
        nulled(r#"{"a":[{"v":"7","m":[0,[3]]},0,"A"],"s":{"c" [0,{"v":"x"}]}}"#),
        (1, 1)
    );
    assert_eq!(
        rows(&format!(
            r#"{{"a":[{{"v":"7","m":[{deep},[3]]}},{deep},"A"]}}"#
        ))
        .expect("a row")
        .rows
        .len(),
        1
    );
}

#[test]
fn a_list_in_a_table_is_a_name() {
    let columns = FeedConfig::parse(LISTS, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let folder = Folder::new();
    let read = |header: &str| {
        let path = folder.file("a.csv", format!("{header}\n7,3,A,x\n"));
        decode(&path, &columns, &hasher(), STRICT, &mut |_| {})
    };
    assert_eq!(
        read("a[0].v,a[0].m[1][0],a[2],s.c[1].v")
            .expect("a row")
            .rows
            .len(),
        1
    );
    let error = read("xyz,k[0].m[1][0],l[2],s.c[1].v")
        .expect_err("no such column")
        .to_string();
    assert!(
        error.ends_with("the column is missing; a table has no lists"),
        "{error}"
    );
}

#[test]
fn ways_that_cross_are_reported() {
    let reported = |one: &str, two: &str| {
        let path = |path: &str| {
            if path.is_empty() {
                String::new()
            } else {
                format!("path = \"{path}\"\n")
            }
        };
        let text = format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
             [[column]]\nname = \"a\"\nrole = \"quasi\"\n{}taxonomy = {{ flat = [\"A\"] }}\n\
             [[column]]\nname = \"b\"\nrole = \"sensitive\"\n{}",
            path(one),
            path(two)
        );
        let feed = FeedConfig::parse(&text, Path::new("feed.toml")).expect("a feed file");
        let fields = feed
            .warnings
            .iter()
            .filter(|warning| warning.text.contains("need different kinds of values"));
        fields
            .map(|warning| warning.field.clone().expect("a place"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (one, two, wanted) in [
        ("$.x", "$.x.y", "column[1].path"),
        ("$.x.y", "$.x", "column[1].path"),
        ("$.x[0]", "$.x", "column[1].path"),
        ("$.x[0].y", "$.x.y", "column[1].path"),
        ("$.x[0][1]", "$.x[0].y", "column[1].path"),
        ("$.b.c", "", "column[1].name"),
        ("", "$.a[0]", "column[1].path"),
        ("$.x[0]", "$.x[1].y", ""),
        ("$.x[0].y", "$.x[0].z", ""),
        ("$.x", "$.x", ""),
        ("$.x", "$.xy", ""),
        ("", "", ""),
    ] {
        assert_eq!(reported(one, two), wanted, "{one} {two}");
    }
}

#[test]
fn undeclared_keys_are_listed_within_limits() {
    let folder = Folder::new();
    let with = |more: &str| format!("{{\"id\":\"7\",\"age\":30,{more}\"born\":\"1990-01-02\"}}\n");
    let undeclared = |text: String| {
        strict(&folder.file("a.jsonl", text))
            .expect("rows")
            .undeclared
    };
    let rows = with("\"room\":1,") + &with("\"bed\":{\"x\":1},\"room\":2,") + &with("");
    assert_eq!(undeclared(rows), ["room", "bed"]);
    let odd = with("\"a\\u001b[31m\":1,") + &with(&format!("\"{}\":1,", "\u{e9}".repeat(70)));
    assert_eq!(
        undeclared(odd),
        ["a\\u{1b}[31m".to_owned(), "\u{e9}".repeat(64)]
    );
    let many: String = (0..30).map(|n| with(&format!("\"k{n}\":1,"))).collect();
    assert_eq!(
        undeclared(many),
        (0..20).map(|n| format!("k{n}")).collect::<Vec<_>>()
    );
    let late = |rows: usize| with("").repeat(rows) + &with("\"late\":1,");
    assert_eq!(
        (undeclared(late(999)).len(), undeclared(late(1_000)).len()),
        (1, 0)
    );
    assert!(undeclared(late(40_000)).is_empty());
    // Errors show nothing of rows that do not count: their keys may be a person's name.
    let keyed = with("").repeat(2) + "{\"Xq7secret\":{\"age\":30}}\n";
    let decoded = lenient(&folder.file("b.jsonl", keyed), "0.5").expect("rows");
    assert_eq!((decoded.rows.len(), decoded.undeclared.len()), (2, 0));
}

#[test]
fn keys_on_the_way_to_a_field_are_declared() {
    let feed = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
        [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5], min = 0, max = 119 }\npath = \"$.after.age\"\n\
        [[column]]\nname = \"s\"\nrole = \"sensitive\"\n";
    let columns = FeedConfig::parse(feed, Path::new("feed.toml"))
        .expect("a feed file")
        .columns;
    let folder = Folder::new();
    let path = folder.file(
        "a.jsonl",
        r#"{"after":{"age":3,"more":1},"before":{"age":4},"s":"x","age":5}"#,
    );
    let decoded = decode(&path, &columns, &hasher(), STRICT, &mut |_| {}).expect("rows");
    assert_eq!(decoded.undeclared, ["before", "age"]);
}
