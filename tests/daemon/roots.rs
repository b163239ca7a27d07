//! Roots that versions of the program have left behind (`tests/roots/README.md`): this version
//! opens each of them, checks that it is as it was written, and continues it. Each person who has a
//! row keeps it, and no person gets a second one. Roots of versions whose format it does not read
//! are refused by name, and stay as they are.

mod feeds;
mod folders;
mod notified_root;
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
    "0.3" "blind" blind feeds::continue_feed;
    "0.3" "blind-two-tables" blind_two_tables feeds::continue_feed;
    "0.3" "bcf" bcf feeds::continue_feed;
    "0.3" "masked" masked feeds::continue_feed;
    "0.3" "disjoint" disjoint feeds::continue_feed;
    "0.3" "carved" carved feeds::continue_feed;
    "0.3" "held" held feeds::approve;
    "0.3" "erased" erased feeds::keep_erased_people_out;
    "0.3" "quarantined" quarantined feeds::offer_quarantine_again;
    "0.3" "new-chain" new_chain feeds::continue_feed;
    "0.3" "rekeyed" rekeyed feeds::open_under_new_key_only;
    "0.3" "rejected" rejected feeds::publish_rejected_people_in_new_chain;
    "0.3" "stopped" stopped feeds::publish_others_in_new_chain;
    "0.3" "killed" killed feeds::finish_decided_release;
    "0.3" "notified" notified notified_root::notify_once_per_release;
    "0.3" "folder" folder folders::continue_folder;
    "0.3" "crowds" crowds feeds::continue_feed;
    "0.3" "crowds-erased" crowds_erased feeds::leave_erased_rows_out;
    "0.3" "measured" measured feeds::continue_feed;
    "0.3" "grouped" grouped feeds::continue_feed;
    "0.3" "levels" levels feeds::continue_feed;
    "0.3" "packed" packed feeds::continue_feed;
    "0.3" "signed" signed feeds::approve_with_key;
    "0.3" "withdrawn" withdrawn feeds::publish_withdrawn_rows_again;
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
    let versions: Vec<Version> = Version::all()
        .into_iter()
        .filter(|version| !version.is_refused())
        .collect();
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

#[test]
fn roots_of_earlier_formats_are_refused_by_name() {
    let mut refused = 0;
    for root in Root::refused() {
        let is_folder = root.path("out").exists();
        let files = || {
            let mut files = [
                root.files("private"),
                root.files("public"),
                root.files("out"),
            ];
            // A note for `tidegate show`, which no other program reads.
            files[0].remove(&root.path("private/halted.json"));
            files
        };
        let before = files();
        let format = root.read(if is_folder {
            "out/.private/FORMAT"
        } else {
            "private/FORMAT"
        });
        let says = match format.contains("\"tidegate\":2") {
            true => {
                "this private root was written by tidegate 0.2: publish from it with that version"
            }
            false => {
                "this private root was written by tidegate 0.1 or 0.2: publish from it with that version"
            }
        };
        let commands: &[&[&str]] = match is_folder {
            true => &[
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
            false => &[
                &["run", "--once", "feed.toml"],
                &["show", "feed.toml"],
                &["new-chain", "feed.toml"],
            ],
        };
        for words in commands {
            let (code, answer) = root.json(words);
            assert!(
                code == Some(2) && answer.to_string().contains(says),
                "{}: {words:?}: {answer}",
                root.name
            );
        }
        let verify: &[&str] = if is_folder {
            &["verify", "out", "--key", "operator.key"]
        } else {
            &["verify", "feed.toml"]
        };
        let (code, answer) = root.json(verify);
        assert!(
            code != Some(0) && answer.to_string().contains(says),
            "{}: {answer}",
            root.name
        );
        assert!(files() == before, "{}: something was changed", root.name);
        refused += 1;
    }
    assert_eq!(refused, 4, "a feed and a folder of each version");
}
