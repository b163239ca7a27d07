//! Another key of the operator replaces the previous one (CONTRACTS 3): everything continues with
//! it, and the old one opens nothing any more.

use std::path::Path;

use rustix::process::{Signal, kill_process};

use super::place::{NEVER, PLANTED, Place, files, people};

/// The folders of the private root with objects of a feed whose classes share labels.
const FOLDERS: [&str; 8] = [
    "seg",
    "quarantine",
    "atoms",
    "mask",
    "members",
    "verdict",
    "terms",
    "stage",
];

const FROM: &str = "key = \"file:a.key\"";

/// Checks that it is refused with an error that contains all of these texts.
#[track_caller]
fn refused(place: &Place, args: &[&str], says: &[&str]) {
    let (code, answer) = place.json(args);
    assert_eq!(code, 2, "{args:?}: {answer}");
    let text = answer["error"]["text"].as_str().expect("a text");
    says.iter()
        .for_each(|word| assert!(text.contains(word), "`{word}` is missing: {text}"));
}

fn begun() -> Place {
    let place = Place::new(NEVER);
    place.put("b.key", "fedcba9876543210".repeat(4));
    place.put("c.key", "00112233445566778899aabbccddeeff".repeat(2));
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    place.offer("1.csv", people(40..42));
    assert_ne!(place.once()["waiting"], 0);
    place
}

#[test]
fn a_feed_continues_under_another_key() {
    let place = begun();
    let daemon = place.start();
    daemon.says("recovered", 1);
    refused(
        &place,
        &["rekey", "feed.toml", "--to", "b.key"],
        &["running", "stop it"],
    );
    assert_eq!(daemon.end(), Some(0));
    place.put("none.key", "much too short");
    refused(
        &place,
        &["rekey", "feed.toml", "--to", "none.key"],
        &["64 hexadecimal digits"],
    );
    let (code, answer) = place.json(&["rekey", "feed.toml", "--to", "a.key"]);
    assert_eq!((code, &answer["done"]), (1, &false.into()), "{answer}");

    let answer = place.done(&[
        "rekey",
        "feed.toml",
        "--to",
        "b.key",
        "--reason",
        "once a year",
    ]);
    let objects: usize = FOLDERS
        .iter()
        .map(|folder| files(&place.path(&format!("private/{folder}"))).len())
        .sum();
    assert_eq!(
        (&answer["asked"], &answer["done"], &answer["count"]),
        (&"rekey".into(), &true.into(), &objects.into())
    );
    assert!(
        objects > 5
            && answer["text"]
                .as_str()
                .is_some_and(|text| text.contains("copies of this private root"))
    );
    let old = ["does not open the private root", "its newest one after"];
    refused(&place, &["run", "--once", "feed.toml"], &old);
    refused(&place, &["verify", "feed.toml"], &old);
    refused(&place, &["show", "feed.toml"], &old);
    refused(&place, &["rekey", "feed.toml", "--to", "c.key"], &old);
    let intact = place.done(&["verify", "feed.toml", "--key", "b.key"]);
    assert_eq!(intact["intact"], true, "{intact}");
    let answer = place.done(&["rekey", "feed.toml", "--to", "b.key"]);
    assert_eq!(
        (&answer["done"], &answer["count"]),
        (&true.into(), &0.into()),
        "it was done before: {answer}"
    );

    place.edit(FROM, "key = \"file:b.key\"");
    place.verified();
    let shown = String::from_utf8(place.output(&["show", "feed.toml"]).stdout).expect("text");
    let line = format!("{objects} objects are encrypted anew");
    assert!(
        shown.contains(&line) && shown.contains("once a year"),
        "{shown}"
    );
    let gone = place.put("gone.csv", format!("{}40\n{}3\n", PLANTED[0], PLANTED[0]));
    let answer = place.done(&["erase", "feed.toml", "--from", gone.to_str().expect("text")]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&2.into(), &1.into()),
        "{answer}"
    );
    place.offer("2.csv", people([3, 40].into_iter().chain(50..90)));
    let tick = place.once();
    let all = ["rows", "waiting", "withheld", "pending"]
        .map(|name| tick[name].as_u64().expect("a number"));
    assert_eq!(all.iter().sum::<u64>(), 82, "{tick}");
    place.verified();
    let answer = place.done(&["rekey", "feed.toml", "--to", "c.key"]);
    assert_eq!(answer["done"], true, "a third one: {answer}");
    place.edit("key = \"file:b.key\"", "key = \"file:c.key\"");
    assert_eq!(place.once()["outcome"], "skipped", "no new person has come");
    place.verified();
}

/// Whatever a killed command has left, running it again completes the change.
#[test]
fn killed_at_any_moment_it_is_ended_by_the_same_again() {
    let place = begun();
    let (private, copy) = (place.path("private"), place.path("copy"));
    let again = |from: &Path, to: &Path| {
        let done = std::process::Command::new("cp")
            .args(["-a".as_ref(), from, to])
            .status()
            .expect("it starts");
        assert!(done.success());
    };
    again(&private, &copy);
    let (mut killed, mut tried) = (0, 0);
    for at in (0..30u64).chain((0..30).cycle().take(300)) {
        // A busy machine may wake the test after the command has ended: it is then repeated.
        if tried >= 30 && killed > 5 {
            break;
        }
        tried += 1;
        std::fs::remove_dir_all(&private).expect("a folder");
        again(&copy, &private);
        let mut command = place.command(&["rekey", "feed.toml", "--to", "b.key"]);
        let mut child = command
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        // Closer together at first, since a fast machine is done soon.
        std::thread::sleep(std::time::Duration::from_micros(at * at * 130));
        let pid = rustix::process::Pid::from_child(&child);
        kill_process(pid, Signal::KILL).expect("it was started");
        killed += u32::from(!child.wait().expect("it ends").success());
        let opened =
            ["a.key", "b.key"].map(|key| place.json(&["verify", "feed.toml", "--key", key]));
        assert!(
            opened.iter().filter(|(code, _)| *code < 2).count() == 1,
            "one key opens it: {opened:?}"
        );
        // Unfinished parts are reported, and nothing else.
        let found = opened
            .iter()
            .flat_map(|(_, answer)| answer["findings"].as_array().into_iter().flatten());
        found.for_each(|one| {
            assert!(
                one.to_string().contains("repeat the last `tidegate rekey`"),
                "{one}"
            )
        });
        place.done(&["rekey", "feed.toml", "--to", "b.key"]);
        refused(
            &place,
            &["verify", "feed.toml"],
            &["does not open the private root"],
        );
        let intact = place.done(&["verify", "feed.toml", "--key", "b.key"]);
        assert_eq!(intact["intact"], true, "{intact}");
    }
    assert!(killed > 5, "{killed} were killed");
}
