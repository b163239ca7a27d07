//! People who sign their approvals (CONTRACTS 3): each with a key of their own, and as many as the
//! feed file requires.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value as Json;

use super::place::{Place, answer, people};
use super::public::releases;
use super::requests::{ended, running, twice};
use crate::common::secret;

const NAMES: [&str; 3] = ["Data protection", "Head of data", "Trial board"];

/// A folder with three approvers, of whom two have to approve; and with a key that the feed file
/// does not name.
fn place() -> Place {
    with("k = 3\n")
}

fn with(policy: &str) -> Place {
    let place = Place::with(
        "every = \"1s\"\napproval = \"manual\"\napprovals = 2\n",
        policy,
        "",
    );
    let key =
        |name: &str| place.done(&["approver-key", &format!("keys/{name}.key")])["digits"].clone();
    let line = |name: &&str| format!("\"{name}\" = {}\n", key(name));
    let lines: String = NAMES.iter().map(line).collect();
    key("Stranger");
    place.edit("[http]", &format!("[schedule.approvers]\n{lines}[http]"));
    place
}

/// The answer to a decision that this person signs with this key.
fn signed(place: &Place, command: &str, (name, key): (&str, &str), seen: &str) -> (i32, Json) {
    let key = format!("keys/{key}.key");
    let args = [
        command,
        "feed.toml",
        "--as",
        name,
        "--key",
        &key,
        "--seen",
        seen,
        "--reason",
        "no column is at `*`",
    ];
    answer(&place.output(&[&args[..], &["--json"]].concat()))
}

fn waits(place: &Place) -> Json {
    place.done(&["show", "feed.toml", "--candidate"])
}

/// The operator's copy of a report, which is written once and readable by its owner only.
fn operators_copy(place: &Place, of: &[&str]) -> String {
    let file = format!("copy{}.html", of.concat());
    let args = [&["show", "feed.toml"], of, &["--report", &file]].concat();
    assert_eq!(place.done(&args)["release"], 1);
    let (code, answer) = place.json(&args);
    assert!(
        code == 2 && answer.to_string().contains("exists already"),
        "{answer}"
    );
    let path = place.path(&file);
    assert_eq!(
        fs::metadata(&path).expect("a file").permissions().mode() & 0o777,
        0o600
    );
    let copy = fs::read_to_string(path).expect("a page");
    crate::common::well_formed(&copy);
    copy
}

fn digest(place: &Place) -> String {
    waits(place)["digest"]
        .as_str()
        .expect("a digest")
        .to_owned()
}

#[test]
fn two_of_the_approvers_have_to_sign() {
    twice(|alive| {
        let place = place();
        place.offer("0.csv", people(0..40));
        assert_eq!(place.once()["outcome"], "approval");
        let daemon = running(&place, alive);
        let seen = digest(&place);
        let (first, second) = ((NAMES[0], NAMES[0]), (NAMES[1], NAMES[1]));
        for wrong in [
            ("Another name", NAMES[0]),
            (NAMES[0], NAMES[1]),
            (NAMES[0], "Stranger"),
        ] {
            let (code, answer) = signed(&place, "approve", wrong, &seen);
            assert_eq!(code, 2, "{wrong:?}: {answer}");
        }
        let (code, answer) = signed(&place, "approve", first, &seen);
        let text = answer["text"].as_str().expect("a text");
        assert!(
            code == 0 && text.contains("one more approver must approve it"),
            "{answer}"
        );
        assert!(releases(&place.public()).is_empty());
        let (code, answer) = signed(&place, "approve", first, &seen);
        assert!(
            code == 1
                && answer["text"]
                    .as_str()
                    .is_some_and(|text| text.contains("before")),
            "{answer}"
        );
        let shown = waits(&place);
        assert_eq!(
            (
                &shown["missing"],
                shown["approvals"].as_array().map(Vec::len)
            ),
            (&1.into(), Some(1)),
            "{shown}"
        );
        let approval = &shown["approvals"][0];
        assert!(
            approval["who"]
                .as_str()
                .is_some_and(|who| who.starts_with(NAMES[0]))
                && approval["key"].is_string()
        );
        let said = String::from_utf8(place.output(&["show", "feed.toml", "--candidate"]).stdout)
            .expect("text");
        assert!(
            said.contains("One more person has to approve it") && said.contains("--key FILE"),
            "{said}"
        );
        let copy = operators_copy(&place, &["--candidate"]);
        assert!(
            copy.contains(NAMES[0]) && copy.contains("Approvals that are still missing: 1."),
            "{copy}"
        );
        let (code, answer) = place.json(&["show", "feed.toml", "--report", "none.html"]);
        assert!(
            code == 2 && answer.to_string().contains("no release is published"),
            "{answer}"
        );
        let (code, answer) = signed(&place, "approve", second, &seen);
        assert!(
            code == 0 && answer["text"] == "release 1 is published",
            "{answer}"
        );
        let copy = operators_copy(&place, &["1"]);
        let fingerprint = approval["key"].as_str().expect("a key");
        for text in [
            NAMES[0],
            NAMES[1],
            fingerprint,
            "no column is at `*`",
            "Name, date, signature",
            "Class size",
        ] {
            assert!(copy.contains(text), "{text}: {copy}");
        }
        assert!(!copy.contains("still missing"));
        let index = fs::read_to_string(place.public().join("index.html")).expect("a page");
        let link = index
            .split("href=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .expect("a link");
        let page = fs::read_to_string(place.public().join(link)).expect("the report");
        assert!(
            copy.contains(page.split("<main>").next().expect("a head")),
            "the copy is of this page"
        );
        assert!(!page.contains(NAMES[0]) && !page.contains("Name, date, signature"));
        ended(daemon);
        assert_eq!(releases(&place.public())[0].rows, 40);
        let shown = place.done(&["show", "feed.toml"]);
        let history = shown["history"].as_array().expect("history");
        let approved = |who: &str, more: bool| {
            let by = |entry: &&Json| {
                entry["who"]
                    .as_str()
                    .is_some_and(|found| found.starts_with(who))
            };
            let entry = history
                .iter()
                .filter(|entry| entry["kind"] == "Approve")
                .find(by)
                .expect("it is told");
            let text = entry["text"].as_str().expect("a text");
            assert!(
                text.contains("signed with the key") && text.contains("1 more must") == more,
                "{text}"
            );
            assert_eq!(entry["why"], "no column is at `*`");
        };
        approved(NAMES[0], true);
        approved(NAMES[1], false);
        place.verified();
    });
}

#[test]
fn one_of_the_approvers_rejects() {
    let place = place();
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let seen = digest(&place);
    assert_eq!(signed(&place, "approve", (NAMES[0], NAMES[0]), &seen).0, 0);
    let (code, answer) = signed(&place, "reject", (NAMES[2], NAMES[2]), &seen);
    assert!(code == 0 && answer["asked"] == "reject", "{answer}");
    assert_eq!(
        signed(&place, "approve", (NAMES[1], NAMES[1]), &seen).0,
        2,
        "it waits no more"
    );
    // An approval is for one release: the next one has none yet.
    place.offer("1.csv", people(40..80));
    assert_eq!(place.once()["outcome"], "approval");
    let shown = waits(&place);
    assert_eq!(
        (
            &shown["missing"],
            shown["approvals"].as_array().map(Vec::len)
        ),
        (&2.into(), Some(0)),
        "{shown}"
    );
    place.verified();
}

/// The entry that holds a release names who may approve it, and how many must: while a daemon runs,
/// nobody changes that in the feed file, neither for `approve` nor for what `show` and `verify`
/// count.
#[test]
fn a_change_of_the_feed_file_changes_nothing_for_a_release_that_waits() {
    let place = place();
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let daemon = running(&place, true);
    let seen = digest(&place);
    let public = |name: &str| {
        fs::read_to_string(place.path(&format!("keys/{name}.key.pub"))).expect("a file")
    };
    place.edit("approvals = 2\n", "approvals = 1\n");
    place.edit(public(NAMES[0]).trim(), public("Stranger").trim());
    // One approval is not enough, and a stranger's is none.
    let (code, answer) = signed(&place, "approve", (NAMES[1], NAMES[1]), &seen);
    assert!(
        code == 0
            && answer["text"]
                .as_str()
                .is_some_and(|text| text.contains("one more")),
        "{answer}"
    );
    assert_eq!(waits(&place)["missing"], 1);
    let (code, answer) = signed(&place, "approve", (NAMES[0], "Stranger"), &seen);
    assert!(
        code == 2 && answer.to_string().contains("not the key of this approver"),
        "{answer}"
    );
    assert_eq!(waits(&place)["missing"], 1);
    // Whom the file named then counts, even if it no longer does.
    let (_, answer) = signed(&place, "approve", (NAMES[0], NAMES[0]), &seen);
    assert_eq!(answer["text"], "release 1 is published");
    ended(daemon);
    place.verified();
}

/// Without a daemon the next command takes over the changed file, and another release is made of
/// the waiting rows; it says so.
#[test]
fn approve_says_what_has_made_a_release_void() {
    let place = with("k = 3\nsearch = \"halves\"\n");
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let seen = digest(&place);
    place.edit(&format!("\"{}\"", NAMES[0]), "\"Another name\"");
    let (code, answer) = signed(&place, "approve", (NAMES[1], NAMES[1]), &seen);
    assert!(
        code == 2
            && answer
                .to_string()
                .contains("void, because the feed file was changed"),
        "{answer}"
    );
    assert_eq!(
        place.once()["outcome"],
        "approval",
        "the next tick makes another one of the same people"
    );
}

#[test]
fn an_approver_gives_name_key_digest_and_reason() {
    let place = place();
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let seen = digest(&place);
    let key = format!("keys/{}.key", NAMES[0]);
    let all = [
        ("--as", NAMES[0]),
        ("--key", &key),
        ("--seen", &seen),
        ("--reason", "fine"),
    ];
    for (missing, _) in all {
        let rest = all
            .iter()
            .filter(|(option, _)| *option != missing)
            .flat_map(|(option, value)| [*option, *value]);
        let args: Vec<&str> = ["approve", "feed.toml"].into_iter().chain(rest).collect();
        let (code, answer) = place.json(&args);
        assert_eq!(
            (code, &answer["error"]["field"]),
            (2, &missing.into()),
            "{answer}"
        );
    }
    // A key that others can read is not accepted.
    let file = place.path(&key);
    secret::mode(&file, 0o640);
    let (code, answer) = signed(&place, "approve", (NAMES[0], NAMES[0]), &seen);
    assert!(
        code == 2 && answer.to_string().contains("chmod 600"),
        "{answer}"
    );
    let (code, answer) = place.json(&["approver-key", &key]);
    assert!(
        code == 2 && answer.to_string().contains("exists already"),
        "{answer}"
    );
}
