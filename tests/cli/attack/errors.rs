//! Errors: exit code 2, with the file, the field and what to do, and no value of a record.

use super::{Folder, feed};

/// Two columns of four intervals, k = 3, two classes that tie and one that is formed later, two
/// outliers.
fn folder() -> Folder {
    let folder = Folder::new();
    let edges: Vec<u64> = (0..=4).map(|edge| edge * 100).collect();
    let identified = feed(&[edges.clone(), edges], "k = 3")
        + "[[column]]\nname = \"person\"\nrole = \"identifier\"\n";
    folder.put("feed.toml", &identified);
    let classes = [
        ("[0, 100[;[0, 100[", 3),
        ("[100, 200[;[0, 100[", 4),
        ("[0, 200[;[200, 300[", 4),
        ("*;*", 2),
    ];
    let rows = classes
        .iter()
        .flat_map(|(labels, rows)| std::iter::repeat_n(format!("{labels}\n"), *rows));
    folder.put(
        "r.csv",
        &["q0;q1\n".to_owned()]
            .into_iter()
            .chain(rows)
            .collect::<String>(),
    );
    folder
}

const RELEASE: (&str, &str) = ("release", "r.csv");

#[test]
fn what_is_attacked_here_has_an_answer() {
    folder().attack(&[RELEASE], &[]);
    let folder = folder();
    folder.put(
        "c.json",
        &order(&[
            "[0, 100[|[0, 100[",
            "[100, 200[|[0, 100[",
            "[0, 200[|[200, 300[",
        ]),
    );
    folder.attack(&[RELEASE, ("classes", "c.json")], &[]);
}

/// An order of formation; labels of a class are separated by a bar.
fn order(classes: &[&str]) -> String {
    let classes: Vec<Vec<&str>> = classes
        .iter()
        .map(|labels| labels.split('|').collect())
        .collect();
    serde_json::json!({ "classes": classes }).to_string()
}

#[test]
fn tables_that_are_no_release() {
    let folder = folder();
    let wrong = |table: &str, field: Option<&str>, words: &str| {
        folder.put("t.csv", table);
        folder.refused(&[("release", "t.csv")], (Some("t.csv"), field), words);
    };
    wrong(
        "q0;s\n[0, 100[;SECRET\n",
        Some("q1"),
        "the column is missing",
    );
    wrong(
        "q0;q1;other\n*;*;SECRET\n",
        Some("other"),
        "declares no such column",
    );
    wrong(
        "q0;q1;person\n*;*;P-4711\n",
        Some("person"),
        "an identifier column",
    );
    wrong("q0;q1\n", None, "a header and no rows");
    wrong("q0;q1\n*;SECRET\n", Some("q1"), "row 1");
    folder.put("t.jsonl", "{\"q0\": \"*\", \"q1\": \"*\"}\n");
    folder.refused(
        &[("release", "t.jsonl")],
        (Some("t.jsonl"), None),
        "a release is a table",
    );
    folder.refused(
        &[("release", "none.csv")],
        (Some("none.csv"), None),
        "there is no such file",
    );
}

#[test]
fn tables_that_arx_lr_did_not_make() {
    let folder = folder();
    let few = "q0;q1\n[0, 100[;[0, 100[\n[0, 100[;[0, 100[\n*;*\n";
    folder.put("t.csv", few);
    let words =
        "class (q0 = [0, 100[, q1 = [0, 100[) has 2 rows: ARX-LR with k = 3 forms no such class";
    folder.refused(&[("release", "t.csv")], (Some("t.csv"), None), words);
    // Five rows in two halves: one of them would have been a class.
    folder.put(
        "t.csv",
        &("q0;q1\n".to_owned() + &"[0, 200[;[0, 100[\n".repeat(5)),
    );
    let words = "no set of rows is possible for class (q0 = [0, 200[, q1 = [0, 100[)";
    folder.refused(&[("release", "t.csv")], (Some("t.csv"), None), words);
}

#[test]
fn classes_are_as_large_as_masking_makes_them() {
    let folder = folder();
    let feed = std::fs::read_to_string(folder.path("feed.toml")).expect("a feed file");
    let feed = feed
        .replace("k = 3", "k = 3\nm = 2")
        .replace("\"sensitive\"", "\"sensitive\"\nguarded = [[\"HIV\"]]");
    folder.put("feed.toml", &feed);
    folder.refused(
        &[RELEASE],
        (Some("r.csv"), None),
        "ARX-LR with k = 8 forms no such class",
    );
}

#[test]
fn feeds_without_layers() {
    let folder = folder();
    let feed = std::fs::read_to_string(folder.path("feed.toml")).expect("a feed file");
    let with = |taxonomy: &str| {
        let (head, rest) = feed.split_once("taxonomy").expect("a taxonomy");
        let (_, rest) = rest.split_once('\n').expect("a line");
        folder.put("feed.toml", &format!("{head}taxonomy = {taxonomy}\n{rest}"));
    };
    folder.put("uneven.csv", "a;x;*\nb;x;*\nc;*\nd;y;z;*\n");
    with("{ file = \"uneven.csv\" }");
    folder.refused(
        &[RELEASE],
        (Some("feed.toml"), Some("q0")),
        "ARX-LR needs layers, and this taxonomy has none",
    );
    with("{ date = [\"day\", \"month\"], from = \"2020-01-01\", to = \"2020-12-31\" }");
    folder.refused(
        &[RELEASE],
        (Some("feed.toml"), Some("q0")),
        "differ in length before the last one",
    );
    folder.put("feed.toml", &feed.replace("k = 3", "k = 1"));
    folder.refused(
        &[RELEASE],
        (Some("feed.toml"), Some("policy.k")),
        "one person is no class",
    );
}

#[test]
fn orders_that_are_none() {
    let folder = folder();
    let [a, b, c] = [
        "[0, 100[|[0, 100[",
        "[100, 200[|[0, 100[",
        "[0, 200[|[200, 300[",
    ];
    let wrong = |text: &str, field: Option<&str>, words: &str| {
        folder.put("c.json", text);
        folder.refused(
            &[RELEASE, ("classes", "c.json")],
            (Some("c.json"), field),
            words,
        );
    };
    wrong("SECRET", None, "this is not JSON");
    wrong(
        "{\"classes\": \"SECRET\"}",
        None,
        "this JSON has the wrong form",
    );
    wrong(
        "{\"classes\": [], \"SECRET\": 1}",
        None,
        "this JSON has the wrong form",
    );
    wrong(
        &order(&["*"]),
        None,
        "class 1 of the list has 1 labels, and there are 2 columns: q0, q1",
    );
    wrong(
        &order(&[a, "SECRET|*"]),
        Some("q0"),
        "class 2 of the list has a label that is not in the taxonomy",
    );
    wrong(
        &order(&[a, b, a, c]),
        None,
        "class 3 of the list, (q0 = [0, 100[, q1 = [0, 100[), is the same as class 1",
    );
    wrong(
        &order(&[a, b, c, "*|*"]),
        None,
        "class 4 of the list is at the root in every column",
    );
    wrong(
        &order(&[a, "*|[0, 100["]),
        None,
        "class 2 of the list, (q1 = [0, 100[), has no rows in the release",
    );
    wrong(
        &order(&[a]),
        None,
        "of the release is not in the list, and 1 more",
    );
    wrong(
        &order(&[c, a, b]),
        None,
        "class 2 of the list, (q0 = [0, 100[, q1 = [0, 100[), cannot have been formed after",
    );
    let none = [RELEASE, ("classes", "none.json")];
    folder.refused(
        &none,
        (Some("none.json"), None),
        "cannot read the order of formation",
    );
}

#[test]
fn rows_of_another_release() {
    let folder = folder();
    let rows = [
        (1, 1),
        (2, 2),
        (3, 3),
        (101, 1),
        (101, 2),
        (102, 3),
        (104, 4),
    ];
    let later = [
        (1, 201),
        (2, 202),
        (101, 203),
        (102, 204),
        (301, 301),
        (350, 1),
    ];
    let csv = |rows: &[(u32, u32)]| {
        let lines = rows.iter().map(|(a, b)| format!("P-4711;{a};{b};SECRET\n"));
        ["person;q0;q1;s\n".to_owned()]
            .into_iter()
            .chain(lines)
            .collect::<String>()
    };
    let wrong = |table: &str, field: Option<&str>, words: &str| {
        folder.put("d.csv", table);
        folder.refused(
            &[RELEASE, ("increment", "d.csv")],
            (Some("d.csv"), field),
            words,
        );
    };
    let all = [&rows[..], &later].concat();
    wrong(
        &csv(&all[1..]),
        None,
        "class (q0 = [0, 100[, q1 = [0, 100[) has 3 rows in the release, and 2 according to the raw rows",
    );
    wrong(
        &csv(&all[..12]),
        None,
        "1 of the raw rows are in no class, and the release has 2 outliers",
    );
    wrong(
        &csv(&[&all[..], &[(400, 1)]].concat()),
        Some("q0"),
        "row 14",
    );
    wrong(
        "person;q0;s\nP-4711;1;SECRET\n",
        Some("q1"),
        "the column is missing",
    );
    folder.put("d.csv", &csv(&all));
    folder.attack(&[RELEASE, ("increment", "d.csv")], &[]);
}

#[test]
fn pages_that_cannot_be_written() {
    let to = [RELEASE, ("html", "nowhere/page.html")];
    folder().refused(
        &to,
        (Some("page.html"), Some("--html")),
        "cannot write the page",
    );
}
