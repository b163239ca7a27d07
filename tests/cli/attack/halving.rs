//! Releases of feeds whose search is halving: the attack excludes nothing, and tables that halving
//! does not make get no answer.

use serde_json::{Value as Json, json};

use super::{Folder, feed};

/// Two columns of four intervals of ten values; four sexes would be cut after them.
fn folder(policy: &str) -> Folder {
    let folder = Folder::new();
    let edges: Vec<u64> = (0..=4).map(|edge| edge * 10).collect();
    folder.put(
        "feed.toml",
        &feed(
            &[edges.clone(), edges],
            &format!("k = 3\nsearch = \"halves\"\n{policy}"),
        ),
    );
    folder
}

fn table(folder: &Folder, classes: &[(&str, usize)]) {
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
}

const RELEASE: &[(&str, &str)] = &[("release", "r.csv")];

#[test]
fn every_set_of_rows_that_labels_allow_remains() {
    let folder = folder("");
    table(
        &folder,
        &[
            ("[20, 40[;*", 5),
            ("[0, 20[;[0, 20[", 3),
            ("[0, 10[;[20, 40[", 4),
        ],
    );
    let found = folder.attack(RELEASE, &[]);
    assert_eq!(found["safe"], json!(true));
    let targets: Vec<[&Json; 4]> = found["targets"]
        .as_array()
        .expect("targets")
        .iter()
        .map(|target| {
            [
                &target["class"],
                &target["rows"],
                &target["cra"],
                &target["log10_ratio"],
            ]
        })
        .collect();
    let zero = json!(0.0);
    let labels = [
        json!(["[0, 20[", "[0, 20["]),
        json!(["[0, 10[", "[20, 40["]),
        json!(["[20, 40[", "*"]),
    ];
    let sets = [400u64.pow(3), 200u64.pow(4), 800u64.pow(5)].map(|sets| json!(sets.to_string()));
    let rows = [json!(3), json!(4), json!(5)];
    assert_eq!(
        targets,
        (0..3)
            .map(|at| [&labels[at], &rows[at], &sets[at], &zero])
            .collect::<Vec<_>>(),
        "{found}"
    );
    assert_eq!(found["joint"]["log10_ratio"], zero, "{found}");
    assert!(
        found["targets"]
            .as_array()
            .expect("targets")
            .iter()
            .all(|target| target["lr"] == target["cra"])
    );
    // The order of formation reveals nothing more.
    let order = json!({ "classes": [labels[2], labels[0], labels[1]] });
    folder.put("c.json", &order.to_string());
    let strongest = folder.attack(&[RELEASE[0], ("classes", "c.json")], &[]);
    assert_eq!(
        (&strongest["attacker"], &strongest["max_log10_ratio"]),
        (&json!("strongest"), &zero)
    );
    let reported = String::from_utf8(folder.call(RELEASE, &[]).stdout).expect("text");
    assert!(
        reported.starts_with("r.csv: 3 classes, made with k = 3;") && reported.contains("SAFE"),
        "{reported}"
    );
}

#[test]
fn all_people_can_be_one_class() {
    let folder = folder("");
    table(&folder, &[("*;*", 7)]);
    let found = folder.attack(RELEASE, &[]);
    assert_eq!(
        (&found["safe"], &found["targets"][0]["class"]),
        (&json!(true), &json!(["*", "*"])),
        "{found}"
    );
    let reported = String::from_utf8(folder.call(RELEASE, &[]).stdout).expect("text");
    assert!(
        reported.starts_with("r.csv: 1 class, made") && reported.contains("SAFE"),
        "{reported}"
    );
}

#[test]
fn an_increment_with_ambiguous_labels_is_refused() {
    let folder = folder("");
    table(&folder, &[("[20, 40[;*", 3), ("[0, 20[;[0, 20[", 3)]);
    folder.put("d.csv", "q0;q1\n20;0\n25;5\n39;39\n0;0\n11;0\n12;1\n");
    // Later classes may have the labels of a person who is in an earlier one.
    folder.refused(
        &[RELEASE[0], ("increment", "d.csv")],
        (None, Some("--increment")),
        "labels may contain each other",
    );
}

#[test]
fn what_halving_does_not_make_has_no_answer() {
    let folder = folder("");
    let refused = |classes: &[(&str, usize)], words: &str| {
        table(&folder, classes);
        folder.refused(RELEASE, (Some("r.csv"), None), words);
    };
    refused(
        &[("[20, 40[;*", 2)],
        "has 2 rows: halving with k = 3 publishes no such class",
    );
    // 100^3 sets of rows are too few.
    let strict = self::folder("min_solutions = 1000000000000");
    table(&strict, &[("[0, 10[;[0, 10[", 3)]);
    strict.refused(
        RELEASE,
        (Some("r.csv"), None),
        "halving cannot produce class (q0 = [0, 10[, q1 = [0, 10[)",
    );
}

/// A random draw may reject a column, and later people are divided again.
#[test]
fn labels_that_a_coin_leads_to_have_a_bound() {
    let folder = folder("");
    for (classes, bounds) in [
        (&[("[20, 40[;*", 3)][..], &[16][..]),
        (&[("*;[20, 40[", 3)], &[16]),
        (&[("[0, 20[;*", 3), ("[0, 20[;[0, 20[", 3)], &[16, 16]),
        (&[("*;*", 3), ("[0, 20[;*", 3)], &[16, 16]),
    ] {
        table(&folder, classes);
        let found = folder.attack(RELEASE, &[]);
        assert_eq!(
            (&found["safe"], &found["max_log10_ratio"]),
            (&json!(true), &json!(0.0)),
            "{found}"
        );
        let found: Vec<&Json> = found["targets"]
            .as_array()
            .expect("targets")
            .iter()
            .map(|target| &target["bound"])
            .collect();
        assert_eq!(
            found,
            bounds
                .iter()
                .map(|&bound| json!(bound))
                .collect::<Vec<_>>()
                .iter()
                .collect::<Vec<_>>()
        );
    }
}

#[test]
fn sets_of_rows_are_counted_and_more_rows_than_there_are_have_none() {
    let folder = folder("");
    let distinct = &["--values", "distinct"];
    // C(400, 399) sets of rows, and C(400, 401).
    table(&folder, &[("[0, 20[;[0, 20[", 399)]);
    let found = folder.attack(RELEASE, distinct);
    assert_eq!(&found["targets"][0]["cra"], &json!("400"), "{found}");
    table(&folder, &[("[0, 20[;[0, 20[", 401)]);
    let output = folder.call(RELEASE, distinct);
    let said = String::from_utf8(output.stderr)
        .expect("text")
        .replace('\n', " ");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("has more rows than combinations of values"),
        "{said}"
    );
}
