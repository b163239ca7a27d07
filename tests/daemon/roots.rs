//! Roots that versions of the program have left behind (`tests/roots/README.md`): this version opens each of them,
//! checks that it is as it was written, and continues it. Each person who has a row keeps it, and no person gets a
//! second one.

mod feeds;
mod folders;
mod notified_root;
mod people;
mod published_releases;
mod root;
mod topic;

use std::collections::BTreeSet;

use root::{Root, Version};

/// One test for each name of a root, over all versions that have stored it, and the list of names with the version that
/// stored it first.
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
    "0.1" "blind" blind feeds::continue_feed;
    "0.1" "blind-two-tables" blind_two_tables feeds::continue_feed;
    "0.1" "chain" chain feeds::draw_another_coin;
    "0.1" "bcf" bcf feeds::continue_feed;
    "0.1" "masked" masked feeds::continue_feed;
    "0.1" "disjoint" disjoint feeds::continue_feed;
    "0.1" "carved" carved feeds::continue_feed;
    "0.1" "halved" halved feeds::continue_feed;
    "0.1" "held" held feeds::approve;
    "0.1" "erased" erased feeds::keep_erased_people_out;
    "0.1" "quarantined" quarantined feeds::offer_quarantine_again;
    "0.1" "new-chain" new_chain feeds::continue_feed;
    "0.1" "rekeyed" rekeyed feeds::open_under_new_key_only;
    "0.1" "rejected" rejected feeds::publish_rejected_people_in_new_chain;
    "0.1" "stopped" stopped feeds::publish_others_in_new_chain;
    "0.1" "killed" killed feeds::finish_decided_release;
    "0.1" "notified" notified notified_root::notify_once_per_release;
    "0.1" "folder" folder folders::continue_folder;
    "0.1" "folder-carved" folder_carved folders::continue_folder;
    "0.1" "topic" topic topic::read_on;
    "0.2" "crowds" crowds feeds::continue_feed;
    "0.2" "crowds-erased" crowds_erased feeds::leave_erased_rows_out;
    "0.2" "measured" measured feeds::continue_feed;
    "0.2" "grouped" grouped feeds::continue_feed;
    "0.2" "levels" levels feeds::continue_feed;
    "0.2" "packed" packed feeds::continue_feed;
    "0.2" "signed" signed feeds::approve_with_key;
    "0.2" "withdrawn" withdrawn feeds::publish_withdrawn_rows_again;
}

#[test]
fn every_version_has_its_roots_and_every_root_its_test() {
    let versions = Version::all();
    assert!(versions.contains(&Version::parse("0.1")), "the roots of version 0.1 are gone");
    for version in versions {
        let names: BTreeSet<String> = version.names().into_iter().collect();
        let expected = NAMES.iter().filter(|(since, _)| Version::parse(since) <= version);
        let expected: BTreeSet<String> = expected.map(|(_, name)| (*name).to_owned()).collect();
        assert_eq!(names, expected, "roots of version {version}");
    }
}
