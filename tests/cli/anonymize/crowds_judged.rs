//! Audits chains whose rows keep their labels from outside: with the true rows, with the tables
//! alone, and by the attack on the newest of them. No result depends on the random draws.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::place::{FEED, Place};
use crate::common::well_formed;

const FILES: [&str; 4] = ["0.csv", "1.csv", "2.csv", "3.csv"];

/// A place with a chain of four ticks.
fn place() -> Place {
    let place = Place::new(&FEED.replace("k = 3\n", "k = 3\nsearch = \"halves\"\n"));
    (0u64..)
        .zip(FILES)
        .for_each(|(at, name)| _ = place.people(name, at * 100..at * 100 + 40));
    let entries = place.entries(&FILES);
    assert!(
        entries.iter().all(|entry| entry["outcome"] == "published"),
        "{entries:?}"
    );
    place
}

/// The answer of a command, and its exit code.
fn asked(place: &Place, args: &[&str]) -> (Option<i32>, Json) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    let output = command
        .current_dir(place.path(""))
        .args(args)
        .arg("--json")
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}")),
    )
}

#[test]
fn an_audit_finds_a_chain_of_crowds_safe() {
    let place = place();
    let (code, own) = asked(&place, &["audit", "--dir", "out", "--key", "a.key"]);
    assert_eq!(
        (code, &own["safe"], &own["crowds"]),
        (Some(0), &json!(true), &json!(true)),
        "{own}"
    );
    let chain = &own["chain"];
    let figures = ["anonymity", "paper"].map(|name| chain[name].as_u64().expect("a figure"));
    assert!(
        figures[0] >= 3 && figures[0] == figures[1] && chain["exact"] == json!(true),
        "{chain}"
    );
    assert_eq!(
        chain["per_increment"].as_array().map(Vec::len),
        Some(4),
        "{chain}"
    );
    assert_eq!(
        chain["realised"]["per_increment"], chain["per_increment"],
        "{chain}"
    );
    assert_eq!(own["pairs"].as_array().map(Vec::len), Some(6), "{own}");
    assert!(own["refinement"]["max_bound"].as_u64() <= Some(64), "{own}");

    assert_eq!(
        (&own["reader"], &chain["known"]),
        (&json!("everybody"), &chain["anonymity"]),
        "{own}"
    );

    // A reader who has only the tables sees the same, as far as the raw rows are not asked for.
    let tables: Vec<String> = (1..=4)
        .map(|release| format!("out/{release}/manifest.json"))
        .collect();
    let mut args = vec!["audit", "--feed", "feed.toml"];
    tables
        .iter()
        .for_each(|table| args.extend(["--release", table.as_str()]));
    let (_, read) = asked(&place, &args);
    // If all draws say no, one recoding could have these labels.
    if read["crowds"] == json!(true) {
        let mut own = own.clone();
        own["chain"]["known"] = Json::Null;
        for part in ["safe", "pairs", "chain", "refinement"] {
            assert_eq!(read[part], own[part], "{part}");
        }
    }
    // Without the second release the third one has the new rows of both.
    let fewer = [
        "audit",
        "--feed",
        "feed.toml",
        "--release",
        &tables[0],
        "--release",
        &tables[3],
    ];
    let (_, read) = asked(&place, &fewer);
    if read["crowds"] == json!(true) {
        assert!(
            read["chain"]["anonymity"].as_u64() >= chain["anonymity"].as_u64(),
            "{read}"
        );
    }
    // In reverse order, rows are missing.
    let back = [
        "audit",
        "--feed",
        "feed.toml",
        "--release",
        &tables[3],
        "--release",
        &tables[0],
    ];
    let (code, read) = asked(&place, &back);
    assert_ne!(code, Some(0), "{read}");
}

#[test]
fn the_attack_finds_nothing_in_the_newest_release() {
    let place = place();
    let attack = [
        "attack",
        "refinement",
        "--feed",
        "feed.toml",
        "--release",
        "out/4/manifest.json",
        "--html",
        "attack.html",
    ];
    let (code, found) = asked(&place, &attack);
    assert_eq!(
        (code, &found["safe"], &found["max_log10_ratio"]),
        (Some(0), &json!(true), &json!(0.0)),
        "{found}"
    );
    let targets = found["targets"].as_array().expect("targets");
    for target in targets {
        assert_eq!(
            (&target["lr"], &target["log10_ratio"]),
            (&target["cra"], &json!(0.0)),
            "{target}"
        );
        assert!(
            target["class"].is_array()
                && [1, 4, 16, 64]
                    .map(|bound| json!(bound))
                    .contains(&target["bound"])
        );
    }
    let most = targets
        .iter()
        .filter_map(|target| target["bound"].as_u64())
        .max();
    assert_eq!(found["max_bound"].as_u64(), most, "{found}");
    let page = std::fs::read_to_string(place.path("attack.html")).expect("a page");
    well_formed(&page);
    assert!(
        page.contains(&format!(
            "The largest product for any class is {}.",
            found["max_bound"]
        )),
        "{page}"
    );
}
