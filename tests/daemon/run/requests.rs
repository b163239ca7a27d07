//! Requests to a feed (CONTRACTS 3), whether a process is running or not: the answers are the same,
//! and so are the exit codes.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value as Json;

use super::place::{Daemon, HEADER, NEVER, PLANTED, Place, answer, files, people};
use super::public::{Release, releases};

const MANUAL: &str = "every = \"1s\"\napproval = \"manual\"\n";

fn published(place: &Place) -> Vec<Release> {
    releases(&place.public())
}

/// With a daemon that runs, or with none.
pub fn twice(check: impl Fn(bool)) {
    [true, false].into_iter().for_each(check);
}

pub fn running(place: &Place, alive: bool) -> Option<Daemon> {
    let daemon = alive.then(|| place.start())?;
    daemon.says("recovered", 1);
    Some(daemon)
}

pub fn ended(daemon: Option<Daemon>) {
    if let Some(daemon) = daemon {
        assert_eq!(daemon.end(), Some(0));
    }
}

/// Erases the people in the text on standard input.
pub fn erase(place: &Place, named: &str) -> Json {
    let mut command = place.command(&["erase", "feed.toml", "--json", "--reason", "asked for it"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child
        .stdin
        .take()
        .expect("it is open")
        .write_all(named.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let (code, answer) = answer(&output);
    assert_eq!(code, 0, "{answer}");
    for reported in [&output.stdout, &output.stderr] {
        assert!(
            !String::from_utf8_lossy(reported).contains(PLANTED[0]),
            "it names a person"
        );
    }
    answer
}

#[test]
fn a_release_is_approved_or_rejected() {
    twice(|alive| {
        let place = Place::new(MANUAL);
        place.offer("0.csv", people(0..40));
        let tick = place.once();
        assert_eq!(
            (&tick["outcome"], &tick["release"]),
            (&"approval".into(), &1.into()),
            "{tick}"
        );
        assert!(published(&place).is_empty());
        let daemon = running(&place, alive);
        let (code, answer) = place.json(&["approve", "feed.toml", "2"]);
        assert_eq!(code, 2, "another release waits: {answer}");
        let answer = place.done(&["reject", "feed.toml", "--reason", "not today"]);
        assert_eq!(
            (&answer["done"], &answer["release"]),
            (&true.into(), &1.into()),
            "{answer}"
        );
        assert!(published(&place).is_empty());
        let (code, answer) = place.json(&["approve", "feed.toml"]);
        assert_eq!(code, 2, "none waits: {answer}");
        assert!(!answer.to_string().contains("published"), "{answer}");
        ended(daemon);
        place.offer("1.csv", people(40..80));
        assert_eq!(place.once()["outcome"], "approval");
        let daemon = running(&place, alive);
        let seen = candidate(&place);
        let (code, answer) = place.json(&["approve", "feed.toml", "--seen", "0123456789abcdef"]);
        assert!(
            code == 2 && answer.to_string().contains("does not have this digest"),
            "{answer}"
        );
        let output = place.output(&[
            "approve",
            "feed.toml",
            "1",
            "--seen",
            &seen,
            "--as",
            "The board",
        ]);
        assert_eq!(output.status.code(), Some(0));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("without --seen"));
        assert!(String::from_utf8_lossy(&output.stdout).contains("release 1 is published"));
        assert_eq!(
            published(&place)[0].rows,
            80,
            "rejected people come out with the next"
        );
        // An operator who does not know that it was done asks again, and gets an answer.
        for args in [
            &["approve", "feed.toml"][..],
            &["approve", "feed.toml", "1"],
        ] {
            let (code, answer) = place.json(args);
            let text = answer["error"]["text"].as_str().expect("a text");
            assert!(
                code == 2 && text.contains("release 1 is published"),
                "{answer}"
            );
        }
        ended(daemon);
        let reported = place.done(&["path", "feed.toml"]);
        let part = reported["parts"][0].as_str().expect("a path");
        assert!(
            part.starts_with(&*place.public().to_string_lossy())
                && std::path::Path::new(part).is_file(),
            "{reported}"
        );
        let (_, shown) = place.json(&["show", "feed.toml"]);
        let by: Vec<&Json> = shown["history"]
            .as_array()
            .expect("history")
            .iter()
            .map(|entry| &entry["who"])
            .collect();
        assert!(
            by.iter().any(|who| who
                .as_str()
                .is_some_and(|who| who.starts_with("The board (account "))),
            "{by:?}"
        );
        place.verified();
    });
}

/// The output of `show --candidate` for the waiting release; the beginning of its digest.
fn candidate(place: &Place) -> String {
    let (code, answer) = place.json(&["show", "feed.toml", "1"]);
    assert!(
        code == 2
            && answer
                .to_string()
                .contains("waits for approval: `tidegate show --candidate`"),
        "{answer}"
    );
    let (code, shown) = place.json(&["show", "feed.toml", "--candidate"]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(
        (&shown["manifest"]["release"], &shown["manifest"]["rows"]),
        (&1.into(), &80.into()),
        "{shown}"
    );
    assert_eq!(
        (&shown["before"], &shown["more_rows"]),
        (&Json::Null, &80.into())
    );
    assert_eq!(
        shown["columns"].as_array().map(Vec::len),
        shown["manifest"]["recoding"]
            .as_object()
            .map(|all| all.len())
    );
    let staged = place
        .path("private")
        .join(shown["report"].as_str().expect("a report"));
    assert!(staged.exists(), "{}", staged.display());
    let digest = shown["digest"].as_str().expect("a digest")[..16].to_owned();
    let said = place.output(&["show", "feed.toml", "--candidate"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(
        said.contains(&format!("--seen {digest}"))
            && said.contains("It is the first one of its chain"),
        "{said}"
    );
    digest
}

#[test]
fn an_erasure_says_that_a_release_that_waited_is_void() {
    let place = Place::new(MANUAL);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let answer = erase(&place, &format!("{}7\n", PLANTED[0]));
    let text = answer["text"].as_str().expect("a text");
    assert!(
        text.contains("Release 1, which waited for approval, is void"),
        "{text}"
    );
    let (code, answer) = place.json(&["show", "feed.toml", "--candidate"]);
    assert!(
        code == 2 && answer.to_string().contains("no release waits for approval"),
        "{answer}"
    );
}

/// A waiting release of a chain without atoms, all of whose people are erased: the log contains
/// none of them either.
#[test]
fn all_people_who_wait_may_be_erased() {
    let place = Place::with(MANUAL, "k = 3\nguarantee = \"bcf\"\n", "");
    place.offer("0.csv", people(0..5));
    assert_eq!(place.once()["outcome"], "approval");
    let all: String = (0..5)
        .map(|number| format!("{}{number}\n", PLANTED[0]))
        .collect();
    assert_eq!(erase(&place, &all)["changed"], 5);
    place.verified();
    place.offer("1.csv", people(5..9));
    assert_eq!(place.once()["outcome"], "approval");
    place.done(&["approve", "feed.toml"]);
    assert_eq!(published(&place)[0].rows, 4);
    place.verified();
}

/// All people of a tick are erased: while their release waits, and after one that was rejected. The
/// next tick contains nothing of them.
#[test]
fn all_who_came_out_with_a_tick_may_be_erased() {
    let chains = [
        ("k = 3\nsearch = \"halves\"\nmin_solutions = 1\n", ""),
        (
            "k = 3\nsearch = \"halves\"\nmin_solutions = 2\n",
            "chain = \"disjoint\"\n",
        ),
        (
            "k = 3\nsearch = \"levels\"\nsuppression = 0.2\n",
            "chain = \"disjoint\"\n",
        ),
        ("k = 3\n", ""),
    ];
    for (policy, chain) in chains {
        for rejected in [false, true] {
            let place = Place::with(MANUAL, policy, chain);
            place.offer("0.csv", people(0..12));
            assert_eq!(place.once()["outcome"], "approval", "{policy}");
            if rejected {
                place.done(&["reject", "feed.toml"]);
            }
            let all: String = (0..12)
                .map(|number| format!("{}{number}\n", PLANTED[0]))
                .collect();
            assert_eq!(erase(&place, &all)["changed"], 12, "{policy}");
            place.verified();
            place.offer("1.csv", people(12..36));
            assert_eq!(place.once()["outcome"], "approval", "{policy}");
            place.done(&["approve", "feed.toml"]);
            let waiting = &place.done(&["show", "feed.toml"])["waiting"];
            let waits: u64 = ["rows", "withheld", "pending"]
                .map(|name| waiting[name].as_u64().unwrap_or(0))
                .iter()
                .sum();
            assert_eq!(
                published(&place).last().expect("a release").rows + waits,
                24,
                "{policy}: {waiting}"
            );
            place.verified();
        }
    }
}

/// All rows of a release are erased, so that nothing is kept of its tick, and then a waiting
/// person: the state is read from the log.
#[test]
fn all_rows_of_a_release_may_be_erased() {
    let place = Place::with(
        MANUAL,
        "k = 3\nsearch = \"halves\"\nmin_solutions = 1\n",
        "",
    );
    place.offer("0.csv", people(0..12));
    assert_eq!(place.once()["outcome"], "approval");
    place.done(&["approve", "feed.toml"]);
    let all: String = (0..12)
        .map(|number| format!("{}{number}\n", PLANTED[0]))
        .collect();
    place.put("gone.csv", all);
    place.done(&["erase", "feed.toml", "--rows", "--from", "gone.csv"]);
    place.verified();
    place.offer("1.csv", people(12..36));
    assert_eq!(place.once()["outcome"], "approval");
    assert_eq!(erase(&place, &format!("{}12\n", PLANTED[0]))["changed"], 1);
    place.verified();
    place.offer("2.csv", people(36..48));
    assert_eq!(place.once()["outcome"], "approval");
    place.done(&["approve", "feed.toml"]);
    let waiting = &place.done(&["show", "feed.toml"])["waiting"];
    let waits: u64 = ["rows", "withheld", "pending"]
        .map(|name| waiting[name].as_u64().unwrap_or(0))
        .iter()
        .sum();
    assert_eq!(
        published(&place).last().expect("a release").rows + waits,
        35,
        "{waiting}"
    );
    place.verified();
}

/// Two people are not an atom: they wait with new ones.
#[test]
fn an_erasure_takes_the_only_atom_apart() {
    let place = Place::new(MANUAL);
    let alike = |numbers: &[u64]| {
        let row = |number: &u64| format!("{}{number},20,A1,{}{number}\n", PLANTED[0], PLANTED[1]);
        HEADER.to_owned() + &numbers.iter().map(row).collect::<String>()
    };
    place.offer("0.csv", alike(&[1, 2, 3]));
    assert_eq!(place.once()["outcome"], "approval");
    erase(&place, &format!("{}2\n", PLANTED[0]));
    let waiting = &place.done(&["show", "feed.toml"])["waiting"];
    assert_eq!(
        (&waiting["rows"], &waiting["pending"]),
        (&2.into(), &0.into()),
        "{waiting}"
    );
    place.offer("1.csv", alike(&[4]));
    assert_eq!(place.once()["outcome"], "approval");
    place.done(&["approve", "feed.toml"]);
    assert_eq!(published(&place)[0].rows, 3);
    place.verified();
}

#[test]
fn a_person_who_waits_and_is_erased_may_come_again() {
    twice(|alive| {
        let place = Place::new(NEVER);
        place.offer("0.csv", people(0..2));
        assert_eq!(place.once()["waiting"], 2);
        let daemon = running(&place, alive);
        let answer = erase(
            &place,
            &format!("patient\n{}1\n{}99\n", PLANTED[0], PLANTED[0]),
        );
        assert_eq!(answer["done"], true, "{answer}");
        ended(daemon);
        assert_eq!(place.once()["waiting"], 1);
        place.offer("1.csv", people(0..40));
        let tick = place.once();
        let all = ["rows", "waiting", "withheld", "pending"]
            .map(|name| tick[name].as_u64().expect("a number"));
        assert_eq!(all.iter().sum::<u64>(), 40, "{tick}");
        place.verified();
    });
}

#[test]
fn a_person_who_is_published_and_erased_never_comes_again() {
    twice(|alive| {
        let place = Place::new(NEVER);
        place.offer("0.csv", people(0..40));
        let rows = place.once()["rows"].clone();
        let file = place.put("gone.csv", format!("{}7\n", PLANTED[0]));
        let daemon = running(&place, alive);
        let answer = place.done(&["erase", "feed.toml", "--from", file.to_str().expect("text")]);
        assert_eq!(answer["done"], true, "{answer}");
        ended(daemon);
        place.offer("1.csv", people([7, 7]));
        let tick = place.once();
        assert_eq!(
            (&tick["rows"], &tick["waiting"], &tick["new"]),
            (&rows, &0.into(), &0.into()),
            "{tick}"
        );
        place.verified();
    });
    let place = Place::with(NEVER, "k = 3\nguarantee = \"bcf\"\n", "");
    place.offer("0.csv", people(0..40));
    place.once();
    // Labels of this chain belong to all people: no row can leave it.
    let file = place.put("gone.csv", format!("{}7\n", PLANTED[0]));
    let (code, answer) = place.json(&[
        "erase",
        "feed.toml",
        "--rows",
        "--from",
        file.to_str().expect("text"),
    ]);
    assert_eq!(
        (code, &answer["done"], &answer["rows"]),
        (1, &false.into(), &Json::Null),
        "{answer}"
    );
    assert!(
        answer["text"]
            .as_str()
            .expect("a text")
            .starts_with("--rows is for chains whose rows"),
        "{answer}"
    );
    place.verified();
    let file = place.put("wrong.csv", format!("{}7,more\n", PLANTED[0]));
    let (code, answer) =
        place.json(&["erase", "feed.toml", "--from", file.to_str().expect("text")]);
    assert_eq!((code, &answer["error"]["line"]), (2, &1.into()), "{answer}");
    assert!(!answer.to_string().contains(PLANTED[0]));
}

#[test]
fn a_policy_changes_with_a_new_chain() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    place.edit("k = 3", "k = 4");
    let (code, answer) = place.json(&["run", "--once", "feed.toml"]);
    assert_eq!(code, 2, "{answer}");
    let answer = place.done(&["new-chain", "feed.toml", "--reason", "larger classes"]);
    assert_eq!(
        (&answer["done"], &answer["chain"]),
        (&true.into(), &2.into()),
        "{answer}"
    );
    place.offer("1.csv", people(30..80));
    let tick = place.once();
    assert_eq!(
        (&tick["release"], &tick["rows"]),
        (&2.into(), &40.into()),
        "published people stay so: {tick}"
    );
    let chains: Vec<u64> = published(&place)
        .iter()
        .map(|release| release.chain)
        .collect();
    assert_eq!(chains, [1, 2]);
    place.verified();
    // People could not be distinguished any more.
    place.edit("name = \"patient\"", "name = \"person\"");
    let (code, answer) = place.json(&["new-chain", "feed.toml"]);
    assert_eq!((code, &answer["done"]), (1, &false.into()), "{answer}");
    assert!(
        answer["text"]
            .as_str()
            .is_some_and(|text| text.contains("identifier")),
        "{answer}"
    );
}

#[test]
fn a_new_chain_says_that_a_release_that_waited_is_void_and_removes_its_files() {
    let place = Place::new(MANUAL);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    place.edit("k = 3", "k = 4");
    let answer = place.done(&["new-chain", "feed.toml"]);
    let text = answer["text"].as_str().expect("a text");
    assert!(
        text.contains("Release 1, which waited for approval, is void"),
        "{answer}"
    );
    assert!(
        files(&place.path("private/stage")).is_empty(),
        "files of the void release are still there"
    );
    place.verified();
}

/// Two classes, a withheld person, and a waiting one. In a new chain both wait, and one is erased
/// before its first tick.
#[test]
fn people_who_wait_do_so_in_a_new_chain_after_any_erasure() {
    let row = |number: u64, age: u64, ward: &str| {
        format!(
            "{}{number},{age},{ward},{}{number}\n",
            PLANTED[0], PLANTED[1]
        )
    };
    let place = Place::new(NEVER);
    let alike = |numbers: std::ops::Range<u64>| {
        numbers.map(|at| row(at, 2, "A1") + &row(100 + at, 38, "B2"))
    };
    let ticks = [
        alike(0..6).collect(),
        row(50, 20, "B1"),
        alike(6..9).collect(),
        row(51, 12, "A2"),
    ];
    for (at, rows) in ticks.iter().enumerate() {
        place.offer(&format!("{at}.csv"), HEADER.to_owned() + rows);
        place.once();
    }
    let people = |place: &Place| {
        let shown = place.done(&["show", "feed.toml"]);
        shown["waiting"]["rows"].as_u64()
    };
    assert_eq!(people(&place), Some(2));
    place.edit("k = 3", "k = 4");
    place.done(&["new-chain", "feed.toml"]);
    let answer = erase(&place, &format!("{}51\n", PLANTED[0]));
    assert_eq!(answer["count"], 1, "{answer}");
    place.offer(
        "new.csv",
        HEADER.to_owned() + &row(60, 20, "B1") + &row(61, 20, "B1") + &row(62, 20, "B1"),
    );
    assert_eq!(place.once()["outcome"], "published");
    assert_eq!(
        published(&place).last().map(|release| release.rows),
        Some(4),
        "those who came, and the one who waited"
    );
    place.verified();
}

/// The chain in the feed's own roots is attacked with the true rows.
#[test]
fn a_feed_is_audited() {
    let place = Place::new(NEVER);
    let (code, answer) = place.json(&["audit", "--feed", "feed.toml"]);
    assert_eq!(code, 2, "{answer}");
    for (name, numbers) in [("0.csv", 0..40), ("1.csv", 40..90)] {
        place.offer(name, people(numbers));
        assert_eq!(place.once()["outcome"], "published");
    }
    let answer = place.done(&["audit", "--feed", "feed.toml"]);
    assert_eq!(
        (&answer["safe"], answer["releases"].as_array().map(Vec::len)),
        (&true.into(), Some(2)),
        "{answer}"
    );
    assert!(
        answer["chain"]["realised"]["lower"].as_u64() >= Some(3),
        "{answer}"
    );
    let (code, answer) = place.json(&["audit", "--feed", "feed.toml", "--increment", "in/0.csv"]);
    assert_eq!(code, 2, "{answer}");
}
