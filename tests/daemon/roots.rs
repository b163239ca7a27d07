//! Roots that versions of the program have left behind (`tests/roots/README.md`): this version
//! opens each of them, checks that it is as it was written, and continues it. Each person who has a
//! row keeps it, and no person gets a second one. Roots of other formats are refused by name, and
//! stay as they are.

mod feeds;
mod folders;
mod people;
mod published_releases;
mod root;
mod topic;

use std::collections::BTreeSet;

use root::{Root, Version};

/// One test for each name of a root, over all versions that have stored it, and the list of names
/// with the version that stored it first.
macro_rules! roots {
    ($($since:literal $name:literal $test:ident $check:path;)*) => {
        const NAMES: &[(&str, &str)] = &[$(($since, $name)),*];
        $(
            #[test]
            fn $test() {
                let stored = Root::copies($name);
                assert!(!stored.is_empty(), "no version has stored `{}`", $name);
                stored.iter().for_each($check);
            }
        )*
    };
}

roots! {
    "0.4" "blind" blind feeds::continue_feed;
    "0.4" "bcf" bcf feeds::continue_feed;
    "0.4" "two-tables" two_tables feeds::continue_feed;
    "0.4" "carved" carved feeds::continue_feed;
    "0.4" "masked" masked feeds::continue_feed;
    "0.4" "measured" measured feeds::continue_feed;
    "0.4" "erased" erased feeds::leave_erased_rows_out;
    "0.4" "withdrawn" withdrawn feeds::publish_withdrawn_rows_again;
    "0.4" "quarantined" quarantined feeds::offer_quarantine_again;
    "0.4" "new-chain" new_chain feeds::continue_feed;
    "0.4" "rekeyed" rekeyed feeds::open_under_new_key_only;
    "0.4" "signed" signed feeds::approve_with_key;
    "0.4" "killed" killed feeds::finish_decided_release;
    "0.4" "folder" folder folders::continue_folder;
}

/// A feed that has read a topic: storing one takes a broker, and not every version was written
/// where there is one.
const TOPIC: &str = "topic";

#[test]
fn topic() {
    Root::copies(TOPIC).iter().for_each(topic::read_on);
}

#[test]
fn every_version_has_its_roots_and_every_root_its_test() {
    let versions = Version::all();
    assert!(!versions.is_empty(), "no version has stored roots");
    for version in versions {
        let names: BTreeSet<String> = version
            .names()
            .into_iter()
            .filter(|name| name != TOPIC)
            .collect();
        let expected = NAMES
            .iter()
            .filter(|(since, _)| Version::parse(since) <= version);
        let expected: BTreeSet<String> = expected.map(|(_, name)| (*name).to_owned()).collect();
        assert_eq!(names, expected, "roots of version {version}");
    }
}

/// Commands on a root, and the one that verifies it.
const OF_FOLDER: ([&[&str]; 2], &[&str]) = (
    [
        &[
            "anonymize",
            "--feed",
            "feed.toml",
            "--key",
            "operator.key",
            "--out",
            "out",
            "--in",
            "next.csv",
        ],
        &["show", "out", "--key", "operator.key"],
    ],
    &["verify", "out", "--key", "operator.key"],
);
const OF_FEED: ([&[&str]; 2], &[&str]) = (
    [&["run", "--once", "feed.toml"], &["show", "feed.toml"]],
    &["verify", "feed.toml"],
);

/// Roots that say that an earlier version, or a later one, has written them.
#[test]
fn roots_of_other_formats_are_refused_by_name() {
    let earlier = "publish from it with that version, or begin a new feed";
    let cases = [
        (1, "written by tidegate 0.1 or 0.2", earlier),
        (2, "written by tidegate 0.2", earlier),
        (3, "written by tidegate 0.3", earlier),
        (99, "written by a newer version", "use that version"),
    ];
    let places = [
        ("two-tables", "private/FORMAT", OF_FEED),
        ("folder", "out/.private/FORMAT", OF_FOLDER),
    ];
    for (name, place, (commands, verify)) in places {
        for root in Root::copies(name) {
            let format = root.read(place);
            for (number, who, what) in cases {
                let (_, rest) = format.split_once(',').expect("two members");
                root.put(place, format!("{{\"tidegate\":{number},{rest}"));
                let files = || {
                    let mut files = ["private", "public", "out"].map(|folder| root.files(folder));
                    // A note for `tidegate show`, which no other program reads.
                    files[0].remove(&root.path("private/halted.json"));
                    files
                };
                let before = files();
                for words in commands {
                    let (code, answer) = root.json(words);
                    let text = answer.to_string();
                    assert!(
                        code == Some(2) && text.contains(who) && text.contains(what),
                        "{}: {words:?}: {answer}",
                        root.name
                    );
                }
                let (code, answer) = root.json(verify);
                assert!(
                    code != Some(0) && answer.to_string().contains(who),
                    "{}: {answer}",
                    root.name
                );
                assert!(files() == before, "{}: something was changed", root.name);
            }
        }
    }
}
