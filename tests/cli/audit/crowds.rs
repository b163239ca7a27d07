//! Tables whose rows keep their labels: known answers, reports about rows that did not keep them,
//! and the column that names the release in which a row was added.

use serde_json::{Value as Json, json};

use super::{Folder, audit, text, tidegate};

const FIRST: &str = "age,sex,disease\n*,*,Cold\n*,*,Flu\n0-9,*,Cold\n0-9,*,Flu\n0-9,*,Flu\n";
const MORE: &str = "0-9,*,Flu\n0-9,*,Cold\n10-19,F,Flu\n10-19,F,Cold\n";

fn folder(policy: &'static str) -> Folder {
    let folder = Folder::new(policy);
    folder.put("c1.csv", FIRST.as_bytes());
    folder.put("c2.csv", (FIRST.to_owned() + MORE).as_bytes());
    folder
}

const BOTH: [(&str, &str); 2] = [("release", "c1.csv"), ("release", "c2.csv")];

fn checks(found: &Json) -> Vec<(&str, u64)> {
    let reasons = found["reasons"].as_array().expect("reasons").iter();
    reasons
        .map(|reason| {
            (
                reason["check"].as_str().expect("a name"),
                reason["release"].as_u64().expect("one"),
            )
        })
        .collect()
}

#[test]
fn labels_that_contain_each_other_are_checked() {
    let folder = folder("[policy]\nk = 2");
    let found = audit(&folder.args(&BOTH));
    assert_eq!(
        (&found["safe"], &found["decided"], &found["crowds"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let figures = json!({"fa": 2, "ca": 2, "ba": 2});
    assert_eq!(
        found["pairs"],
        json!([{"earlier": 0, "later": 1, "fa": 2, "ca": 2, "ba": 2, "realised": figures}])
    );
    let realised = json!({"anonymity": 2, "lower": 2, "per_increment": [2, 2]});
    let chain = json!({"anonymity": 2, "paper": 2, "exact": true, "per_increment": [2, 2], "known": null, "realised": realised});
    assert_eq!(found["chain"], chain);
    assert_eq!(found["refinement"], Json::Null);
    let words: Vec<String> = folder
        .args(&BOTH)
        .into_iter()
        .filter(|arg| arg != "--json")
        .collect();
    let reported = text(&tidegate(&words).stdout);
    for part in [
        "SAFE for k = 2",
        "learns which rows are new",
        "each person at least 2 candidates",
        "policy.search is not",
    ] {
        assert!(reported.replace('\n', " ").contains(part), "{reported}");
    }
}

#[test]
fn few_new_rows_and_lost_rows_are_unsafe_in_words() {
    let few = folder("[policy]\nk = 3");
    let found = audit(&few.args(&BOTH));
    assert_eq!(checks(&found), [("k", 0), ("k", 1)]);
    few.put(
        "c2.csv",
        (FIRST.replacen("0-9,*,Cold\n", "", 1) + MORE)
            .replacen("0-9,*,Cold\n", "", 1)
            .as_bytes(),
    );
    let found = audit(&few.args(&BOTH));
    assert_eq!(
        (&found["safe"], &found["chain"]["exact"]),
        (&json!(false), &json!(false))
    );
    assert!(checks(&found).contains(&("chain", 1)), "{found}");
    let words: Vec<String> = few
        .args(&BOTH)
        .into_iter()
        .filter(|arg| arg != "--json")
        .collect();
    let reported = text(&tidegate(&words).stdout);
    let flat = reported.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "UNSAFE",
        "1 row of class (age = 0-9) of release 1 (c1.csv) is not in it",
        "publish every earlier row unchanged",
    ] {
        assert!(flat.contains(part), "{reported}");
    }
    assert!(
        !reported.contains("Cold") && !reported.contains("Flu"),
        "{reported}"
    );
}

#[test]
fn halving_is_checked_where_the_policy_asks_for_it() {
    let folder = folder("[policy]\nk = 2\nsearch = \"halves\"\nmin_solutions = 1");
    let found = audit(&folder.args(&BOTH));
    assert_eq!(
        (&found["safe"], &found["refinement"]["max_bound"]),
        (&json!(true), &json!(16)),
        "{found}"
    );
    let bounds: Vec<&Json> = found["refinement"]["targets"]
        .as_array()
        .expect("targets")
        .iter()
        .map(|of| &of["bound"])
        .collect();
    assert_eq!(bounds, [&json!(16), &json!(4), &json!(16)]);
    let attack = |file: &str| {
        let path = |file: &str| folder.dir.path().join(file).display().to_string();
        let args = [
            "attack",
            "refinement",
            "--json",
            "--feed",
            &path("feed.toml"),
            "--release",
            &path(file),
        ];
        serde_json::from_slice::<Json>(&tidegate(&args.map(String::from)).stdout).expect("JSON")
    };
    assert_eq!(attack("c2.csv"), found["refinement"]);
    let path = |file: &str| folder.dir.path().join(file).display().to_string();
    let args = [
        "attack",
        "refinement",
        "--feed",
        &path("feed.toml"),
        "--release",
        &path("c2.csv"),
        "--increment",
        "d.csv",
    ];
    let output = tidegate(&args.map(String::from));
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("omit --increment"),
        "{}",
        text(&output.stderr)
    );
    // Ages are never divided twice before the sexes are.
    folder.put(
        "c2.csv",
        (FIRST.to_owned() + MORE + "3,*,Flu\n3,*,Cold\n3,F,Flu\n3,F,Cold\n").as_bytes(),
    );
    let strict = folder.dir.path().join("feed.toml");
    let feed = std::fs::read_to_string(&strict)
        .expect("a feed file")
        .replace("min_solutions", "max_ratio = 4\nmin_solutions");
    std::fs::write(&strict, feed).expect("a file");
    let found = audit(&folder.args(&BOTH));
    assert_eq!(checks(&found), [("refinement", 1)]);
    let reported = found["reasons"][0]["text"].as_str().expect("a text");
    assert!(
        reported.contains("halving under this policy cannot produce the label"),
        "{reported}"
    );
    assert!(
        attack("c2.csv")["error"]["text"]
            .as_str()
            .expect("a text")
            .contains("halving cannot produce class")
    );
}

#[test]
fn a_column_may_say_in_which_release_rows_came() {
    let folder = folder("[policy]\nk = 2");
    let stated = |first: u32, more: u32| {
        let with = |rows: &str, number: u32| {
            rows.lines()
                .map(|row| format!("{row},{number}\n"))
                .collect::<String>()
        };
        let header = "age,sex,disease,tidegate_release\n".to_owned();
        let (_, rows) = FIRST.split_once('\n').expect("a header");
        header + &with(rows, first) + &with(MORE, more)
    };
    let newest = [("release", "n.csv")];
    folder.put("n.csv", stated(3, 7).as_bytes());
    let found = audit(&folder.args(&newest));
    assert_eq!(
        (&found["safe"], &found["chain"]["anonymity"]),
        (&json!(true), &json!(2)),
        "{found}"
    );
    // The table alone reveals what two tables reveal.
    folder.put("n.csv", (stated(3, 7) + "0-9,*,Flu,9\n").as_bytes());
    let found = audit(&folder.args(&newest));
    assert_eq!(
        (checks(&found), &found["chain"]["anonymity"]),
        (vec![("k", 0)], &json!(1)),
        "{found}"
    );
    folder.put("n1.csv", stated(3, 3).as_bytes());
    folder.put("n2.csv", stated(3, 7).as_bytes());
    let two = [("release", "n1.csv"), ("release", "n2.csv")];
    let found = audit(&folder.args(&two));
    assert_eq!(checks(&found), [("tidegate_release", 1)], "{found}");
    let reported = found["reasons"][0]["text"].as_str().expect("a text");
    assert!(
        reported.contains("gives rows of release 1 (n1.csv) a different release"),
        "{reported}"
    );
    let found = audit(&folder.args(&[("release", "c1.csv"), ("release", "n2.csv")]));
    assert_eq!(checks(&found), [("tidegate_release", 0)], "{found}");
    for (number, words) in [
        ("0", "whole numbers from 1 on"),
        ("x", "whole numbers from 1 on"),
        ("", "value is missing"),
    ] {
        folder.put(
            "n.csv",
            stated(3, 7)
                .replacen(",3\n", &format!(",{number}\n"), 1)
                .as_bytes(),
        );
        folder.refused(
            &newest,
            Some("n.csv"),
            Some(2),
            Some("tidegate_release"),
            words,
        );
    }
    // A feed file that declares such a column has one of its own.
    let feed = folder.dir.path().join("feed.toml");
    let own = "[[column]]\nname = \"tidegate_release\"\nrole = \"sensitive\"\n";
    std::fs::write(
        &feed,
        std::fs::read_to_string(&feed).expect("a feed file") + own,
    )
    .expect("a file");
    folder.put(
        "n.csv",
        "age,sex,disease,tidegate_release\n0-9,*,Cold,x\n0-9,*,Cold,y\n".as_bytes(),
    );
    assert_eq!(audit(&folder.args(&newest))["crowds"], json!(false));
}

/// In a disjoint feed all rows of a release came with it: a column of other numbers is none of
/// ours, and could hold any.
#[test]
fn a_disjoint_release_names_no_other_release() {
    let folder = folder("[policy]\nk = 2");
    let feed = folder.dir.path().join("feed.toml");
    let written = std::fs::read_to_string(&feed).expect("a feed file");
    std::fs::write(
        &feed,
        written.replacen("[feed]\n", "[feed]\nchain = \"disjoint\"\n", 1),
    )
    .expect("a file");
    let rows = |numbers: [u32; 4]| {
        let row =
            |number: u32| format!("0-9,*,{},{number}\n", ["Cold", "Flu"][number as usize % 2]);
        format!(
            "age,sex,disease,tidegate_release\n{}",
            numbers.map(row).concat()
        )
    };
    folder.put("n.csv", rows([4_711, 4_712, 4_713, 4_711]).as_bytes());
    folder.refused(
        &[("release", "n.csv")],
        Some("n.csv"),
        None,
        Some("tidegate_release"),
        "in a disjoint feed",
    );
    // Our own tables have the number of their release in each row.
    folder.put("n.csv", rows([3; 4]).as_bytes());
    assert_eq!(
        audit(&folder.args(&[("release", "n.csv")]))["safe"],
        json!(true)
    );
}
