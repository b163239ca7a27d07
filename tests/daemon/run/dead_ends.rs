//! States of a feed out of which an operator must find: what each command says there is true, and
//! what it advises helps.

use std::fs;
use std::path::Path;

use super::place::{HEADER, NEVER, PLANTED, Place, people};

const AGES: &str = "taxonomy = { bands = [10, 20], min = 0, max = 39 }";

/// The one line of standard output of a command that is shown to people.
fn words(place: &Place, args: &[&str]) -> String {
    let output = place.output(args);
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8(said)
        .expect("text")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn moved(place: &Place, from: &str, to: &str) {
    fs::rename(place.path(from), place.path(to)).expect("it can be moved");
}

#[test]
fn a_feed_without_people_begins_again_under_any_columns() {
    let place = Place::new(NEVER);
    // The column that was declared as a number of years holds dates, so that every row is set
    // aside.
    let born = |number: u64| {
        format!(
            "{0}{number},19{1}-05-01,A1,{2}{number}\n",
            PLANTED[0],
            50 + number % 40,
            PLANTED[1]
        )
    };
    place.offer(
        "0.csv",
        HEADER.to_owned() + &(0..60).map(born).collect::<String>(),
    );
    let said = words(&place, &["run", "--once", "feed.toml"]);
    assert!(
        said.contains("no new person has come") && said.contains("set aside"),
        "{said}"
    );
    let text = place.done(&["quarantine", "feed.toml"])["groups"][0]["text"].to_string();
    assert!(
        text.contains("not of the declared type") && !text.contains("taxonomy lacks"),
        "{text}"
    );
    place.edit(
        AGES,
        "taxonomy = { date = [\"year\", \"decade\"], from = \"1940-01-01\", to = \"1999-12-31\" }",
    );
    let answer = place.done(&["new-chain", "feed.toml"]);
    assert_eq!(
        (&answer["done"], &answer["chain"], &answer["count"]),
        (&true.into(), &2.into(), &0.into()),
        "{answer}"
    );
    let answer = place.done(&["quarantine", "feed.toml", "--retry"]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&60.into(), &60.into()),
        "{answer}"
    );
    let tick = place.once();
    assert_eq!(
        (&tick["outcome"], &tick["rows"]),
        (&"published".into(), &60.into()),
        "{tick}"
    );
    place.verified();
    // From now on there are people, and their columns stay.
    place.edit("name = \"ward\"", "name = \"unit\"");
    let (code, answer) = place.json(&["new-chain", "feed.toml"]);
    assert!(
        code == 1
            && answer["text"]
                .to_string()
                .contains("the quasi columns differ"),
        "{answer}"
    );
}

#[test]
fn a_tick_that_makes_no_release_does_not_say_that_there_is_none() {
    let place = Place::new("every = \"9999d\"\nmin_records = 5\n");
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    place.offer("1.csv", people(40..42));
    let said = words(&place, &["run", "--once", "feed.toml"]);
    assert!(
        said.contains("this tick makes no release: 2 new rows wait")
            && !said.contains("no release yet"),
        "{said}"
    );
}

#[test]
fn a_root_whose_keys_are_gone_has_begun() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    moved(&place, "private/keys", "keys");
    let missing = "the keys of this private root are missing: restore them";
    let (code, answer) = place.json(&["verify", "feed.toml"]);
    assert!(
        code == 1 && answer["findings"].to_string().contains(missing),
        "{code} {answer}"
    );
    for command in ["show", "quarantine", "approve", "new-chain"] {
        let (code, answer) = place.json(&[command, "feed.toml"]);
        let text = answer["error"]["text"].as_str().unwrap_or_default();
        assert!(
            code == 2 && text.contains(missing),
            "{command}: {code} {answer}"
        );
    }
    moved(&place, "keys", "private/keys");
    place.verified();
    // The whole private root is gone: nobody is advised to begin the feed again.
    moved(&place, "private", "backup");
    for command in ["show", "verify"] {
        let (code, answer) = place.json(&[command, "feed.toml"]);
        let text = answer["error"]["text"].as_str().unwrap_or_default();
        assert!(
            code == 2 && text.contains("the public root has releases: restore"),
            "{command}: {code} {answer}"
        );
        assert!(!text.contains("`tidegate run` begins it"), "{text}");
    }
    // A backup is checked where it is, before it is restored.
    let check = |private: &str| {
        place.json(&[
            "verify",
            "feed.toml",
            "--private",
            private,
            "--public",
            "public",
        ])
    };
    let (code, answer) = check("backup");
    assert_eq!((code, &answer["intact"]), (0, &true.into()), "{answer}");
    assert!(!place.path("private").exists());
    assert_eq!(check("in").0, 2);
    let (segment, _) = super::place::files(&place.path("backup/seg")).remove(0);
    fs::write(segment, "damaged").expect("a file");
    let (code, answer) = check("backup");
    assert_eq!((code, &answer["intact"]), (1, &false.into()), "{answer}");
}

#[test]
fn an_approval_is_recorded_only_if_the_release_can_be_published() {
    let place = Place::new("every = \"9999d\"\napproval = \"manual\"\n");
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "approval");
    let table = staged(&place.path("private/stage"));
    fs::rename(&table, place.path("away")).expect("a file");
    let before = place.log().len();
    let (code, answer) = place.json(&["approve", "feed.toml"]);
    let text = answer["text"].as_str().unwrap_or_default();
    assert!(code == 1 && answer["done"] == false, "{answer}");
    assert!(
        text.contains("is missing from the private root or was changed, so nothing is recorded"),
        "{text}"
    );
    let kinds: String = place.log()[before..]
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(!kinds.to_lowercase().contains("approve"), "{kinds}");
    fs::rename(place.path("away"), &table).expect("a file");
    assert_eq!(place.done(&["approve", "feed.toml"])["done"], true);
    place.verified();
}

/// A table that is staged.
fn staged(folder: &Path) -> std::path::PathBuf {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => return staged(&path),
            path if path.extension().is_some_and(|end| end == "parquet") => return path,
            _ => {}
        }
    }
    panic!("nothing is staged in {}", folder.display())
}

/// The credentials of a unit of systemd are gone when the unit is stopped.
#[test]
fn a_key_is_changed_without_the_files_that_the_feed_file_names() {
    let place = Place::new(NEVER);
    place.offer("0.csv", people(0..40));
    assert_eq!(place.once()["outcome"], "published");
    place.put("b.key", "fedcba9876543210".repeat(4));
    moved(&place, "a.key", "old.key");
    moved(&place, "sign.key", "away.key");
    let (code, answer) = place.json(&["rekey", "feed.toml", "--to", "b.key"]);
    assert!(
        code == 2 && answer["error"]["field"] == "store.key",
        "{answer}"
    );
    let answer = place.done(&["rekey", "feed.toml", "--key", "old.key", "--to", "b.key"]);
    assert_eq!(answer["done"], true, "{answer}");
    moved(&place, "b.key", "a.key");
    moved(&place, "away.key", "sign.key");
    place.verified();
}

#[test]
fn a_preview_of_one_tick_is_what_a_tick_of_all_files_publishes() {
    let place = Place::with(NEVER, "k = 3\n", "chain = \"disjoint\"\n");
    let names: Vec<String> = (0..6).map(|file| format!("{file}.csv")).collect();
    let mut sample = vec![
        "preview",
        "--feed",
        "feed.toml",
        "--no-alternatives",
        "--in",
    ];
    sample.extend(names.iter().map(String::as_str));
    for (file, name) in (0..).zip(&names) {
        place.put(name, people(file * 20..file * 20 + 20));
    }
    let one = place.done(&[&sample[..], &["--one-tick"]].concat());
    let several = place.done(&sample);
    assert_eq!(
        (&one["published"], &several["published"]),
        (&120.into(), &20.into()),
        "{several}"
    );
    let said = words(&place, &sample);
    assert!(
        said.contains("Each of the 6 files is one tick here") && said.contains("--one-tick"),
        "{said}"
    );
    assert!(!words(&place, &[&sample[..], &["--one-tick"]].concat()).contains("is one tick here"));
    for (file, name) in (0..).zip(&names) {
        place.offer(name, people(file * 20..file * 20 + 20));
    }
    let said = words(&place, &["run", "--once", "feed.toml"]);
    assert!(
        said.contains("120 rows") && said.contains("all 6 files were one tick"),
        "{said}"
    );
}
