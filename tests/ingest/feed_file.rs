//! Broken feed files as data: each file of `tests/feeds` beside its error text. `TIDEGATE_BLESS=1`
//! writes the texts. Also correct feed files: every shipped sample.

use std::path::{Path, PathBuf};

use tidegate::cli::render;
use tidegate::daemon::config::FeedConfig;
use tidegate::engine::model::Role;

fn files(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory of cases");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    files
}

/// Compares the error text with the one beside the feed file.
fn check(file: &Path, wrong: &mut Vec<String>) {
    let said = match FeedConfig::load(file) {
        Ok(_) => return wrong.push(format!("{}: accepted", file.display())),
        Err(error) => render::plain(&error) + "\n",
    };
    assert!(
        !said.contains("hunter2"),
        "{} shows a secret:\n{said}",
        file.display()
    );
    let expected = file.with_extension("txt");
    if std::env::var_os("TIDEGATE_BLESS").is_some() {
        std::fs::write(&expected, &said).expect("cases can be written");
    }
    let known = std::fs::read_to_string(&expected).unwrap_or_default();
    if known != said {
        wrong.push(format!(
            "{}: expected\n{known}\nbut it says\n{said}",
            file.display()
        ));
    }
}

#[test]
fn every_broken_feed_file_says_what_is_wrong() {
    let files = files("tests/feeds");
    assert!(files.len() >= 180, "cases are missing");
    let mut wrong = Vec::new();
    files.iter().for_each(|file| check(file, &mut wrong));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_shipped_sample_is_a_feed_file() {
    let files = files("deploy/samples");
    assert!(!files.is_empty());
    for file in files {
        let feed =
            FeedConfig::load(&file).unwrap_or_else(|error| panic!("{}", render::plain(&error)));
        assert!(feed.columns.of(Role::Quasi).count() > 0);
    }
}

#[test]
fn what_is_in_force_reads_back_as_itself() {
    for file in files("deploy/samples") {
        let feed = FeedConfig::load(&file).expect("a sample");
        let json = serde_json::to_value(&feed.policy).expect("a policy has text keys");
        let again: tidegate::engine::policy::PolicySettings =
            serde_json::from_value(json).expect("its own form");
        assert_eq!(&again, feed.policy.in_force(), "{}", file.display());
    }
}

#[test]
fn columns_get_the_leaves_they_were_promised() {
    let feed = FeedConfig::load(Path::new("deploy/samples/registry.toml")).expect("a sample");
    let tree = |name: &str| {
        &feed
            .columns
            .named(name)
            .expect("a column")
            .taxonomy
            .as_ref()
            .expect("a tree")
            .tree
    };
    assert!(tree("zip").find_leaf("other").is_some());
    assert!(tree("diagnosed").find_leaf("unknown").is_some());
    assert!(tree("stay").find_leaf("unknown").is_none());
}

#[test]
fn nothing_of_a_feed_prints_a_secret() {
    let text = std::fs::read_to_string("deploy/samples/registry.toml").expect("a sample");
    let text = text.replace(
        "https://data.example/hooks/registry",
        "https://u:hunter2@data.example/hunter2",
    );
    let text = text.replace("file:keys/readers.token", "file:hunter2");
    let feed = FeedConfig::parse(&text, Path::new("deploy/samples/registry.toml"))
        .expect("still a feed file");
    assert!(!format!("{feed:?}").contains("hunter2"));
}

#[test]
fn a_line_that_is_not_utf8_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("latin1.toml");
    std::fs::write(&file, b"[feed]\n# Universit\xe4t\nname = \"one\"\n").expect("a file");
    let error = FeedConfig::load(&file).expect_err("not UTF-8");
    assert!(
        error.line == Some(2) && error.text.contains("line 2 is not UTF-8"),
        "{error}"
    );
}

#[test]
fn a_feed_file_that_is_none_is_recognised() {
    let said =
        |file: &str| render::plain(&FeedConfig::load(Path::new(file)).expect_err("no feed file"));
    assert!(said("tests/feeds").contains("a directory"));
    assert!(
        said("tests/nowhere.toml").contains("cannot read the feed file: there is no such file")
    );
}

/// Delta tables do not distinguish such names: the feed works without a Delta log, and `check` says
/// so.
#[test]
fn columns_that_differ_in_capitals_only_have_no_delta_log() {
    let read = |age: &str, publish: &str| {
        let text = format!(
            "[feed]\nname = \"one\"\n{publish}[policy]\nk = 3\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
             [[column]]\nname = \"ward\"\nrole = \"sensitive\"\n\
             [[column]]\nname = \"{age}\"\nrole = \"quasi\"\ntaxonomy = {{ bands = [10], min = 0, max = 99 }}\n"
        );
        let feed = FeedConfig::parse(&text, Path::new("one.toml"))
            .unwrap_or_else(|error| panic!("{age}: {error}"));
        let warned = feed
            .warnings
            .iter()
            .find(|warning| warning.text.contains("differ only in capitals"));
        (
            feed.writes_delta(),
            warned.map(|warning| warning.text.clone()),
        )
    };
    assert_eq!(read("age", ""), (true, None));
    let (writes, warned) = read("Ward", "");
    assert!(
        !writes && warned.is_some_and(|text| text.contains("`ward` and `Ward`")),
        "two columns of the table"
    );
    assert_eq!(read("Ward", "[publish]\ndelta = false\n"), (false, None));
}

/// The search of a file that names none.
#[test]
fn an_unwritten_search_is_halving_where_that_is_possible() {
    use tidegate::engine::policy::Search::{Halves, TopDown};
    let folder = tempfile::tempdir().expect("a folder");
    let read = |chain: &str, policy: &str| {
        let file = folder.path().join("one.toml");
        let text = format!(
            "[feed]\nname = \"one\"\nchain = \"{chain}\"\n[policy]\nk = 3\n{policy}\n[[column]]\nname = \"id\"\nrole = \"identifier\"\n\
             [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = {{ leaves = [0, 20, 40, 60], layers = [3] }}\n\
             [[column]]\nname = \"s\"\nrole = \"sensitive\"\n"
        );
        std::fs::write(&file, text).expect("a file");
        FeedConfig::load_to_judge(&file)
    };
    for (chain, policy, search) in [
        ("cumulative", "", Halves),
        ("cumulative", "guarantee = \"blind\"", Halves),
        ("cumulative", "publish_every = 2", Halves),
        ("cumulative", "guarantee = \"bcf\"", TopDown),
        ("cumulative", "search = \"top-down\"", TopDown),
        ("disjoint", "", Halves),
        ("disjoint", "output = \"one-table\"", Halves),
        ("disjoint", "output = \"two-table\"", TopDown),
    ] {
        let feed = read(chain, policy).unwrap_or_else(|error| panic!("{policy}: {error}"));
        assert_eq!(feed.policy.search(), search, "{chain}: {policy}");
        // Tables of other programs may have one list of labels.
        let one_list = feed.with_one_list().map(|feed| feed.policy.search());
        let unnamed = search == Halves && !policy.contains("publish_every");
        assert_eq!(one_list, unnamed.then_some(TopDown), "{chain}: {policy}");
    }
    // A file that is valid with another search says so.
    _ = read("disjoint", "max_global_ratio = 100").expect("one list of labels has this limit");
    let refused = FeedConfig::load(&folder.path().join("one.toml"));
    let refused = refused.expect_err("halving has no such limit");
    assert_eq!(refused.field.as_deref(), Some("policy.max_global_ratio"));
    let hint = "with `search = \"top-down\"`, one list of labels for all rows, this file is valid";
    assert!(refused.text.ends_with(hint), "{refused}");
    // Labels of runs are known if they may be published.
    let nodes = |policy: &str| {
        let feed = read("cumulative", policy).expect("a feed");
        feed.columns.trees()[0].nodes()
    };
    assert_eq!(nodes(""), nodes("search = \"top-down\"") + 1);
}

/// A floor is a level, however it is written; the values are level 0.
#[test]
fn floors_are_levels() {
    let level = |taxonomy: &str, floor: &str| {
        let text = format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 2\nsearch = \"levels\"\n[[column]]\nname = \"a\"\nrole = \"quasi\"\n\
             taxonomy = {{ {taxonomy} }}\nfloor = {floor}\n"
        );
        let feed = FeedConfig::parse(&text, Path::new("tests/feeds/feed.toml"))
            .unwrap_or_else(|error| panic!("{error}"));
        feed.columns.details()[0].floor().expect("a floor")
    };
    let (bands, leaves) = (
        "bands = [5, 10, 20], min = 0, max = 99",
        "leaves = [0, 30, 60, 90, 120], layers = [2, 2]",
    );
    let dates = "date = [\"day\", \"month\", \"year\", \"decade\"], from = \"2020-01-01\", to = \"2021-12-31\"";
    let codes = "prefix = [4, 2], length = 5, domain = [\"12345\", \"12399\"]";
    let found = [
        (bands, "0", 0),
        (bands, "3", 3),
        (bands, "\"10-19\"", 2),
        (bands, "\"17 years\"", 2),
        (bands, "\"4 wide\"", 0),
        (leaves, "\"30 days\"", 0),
        (leaves, "\"89 days\"", 1),
        (leaves, "\"[0, 60[\"", 1),
        (dates, "\"month\"", 1),
        (dates, "\"12 months\"", 2),
        (dates, "\"10 years\"", 3),
        (dates, "\"2020-01\"", 1),
        (dates, "\"1 day\"", 0),
        (codes, "\"4 digits\"", 1),
        (codes, "\"12***\"", 2),
        ("builtin = \"sex\"", "0", 0),
    ];
    for (taxonomy, floor, expected) in found {
        assert_eq!(level(taxonomy, floor), expected, "{floor} of {taxonomy}");
    }
}

/// What is off by default may be written so.
#[test]
fn limits_may_be_written_as_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = |policy: &str| {
        let file = folder.path().join("feed.toml");
        let columns =
            "[[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n";
        let text = format!(
            "[feed]\nname = \"t\"\n[policy]\nk = 5\nsearch = \"top-down\"\n{policy}\n{columns}"
        );
        std::fs::write(&file, text).expect("a file");
        FeedConfig::load(&file).map_err(|error| render::plain(&error))
    };
    let plain = loaded("").expect("a feed").policy;
    for key in ["m", "diversity", "dominance", "p_rule", "max_global_ratio"] {
        assert_eq!(
            loaded(&format!("{key} = \"off\"")).expect(key).policy,
            plain,
            "{key}"
        );
        let refused = loaded(&format!("{key} = \"of\"")).expect_err(key);
        assert!(refused.contains(key), "{refused}");
    }
    assert!(loaded("max_ratio = \"off\"").is_ok());
    let limited = loaded("max_global_ratio = 12.5").expect("a number");
    assert_eq!(
        limited
            .policy
            .refinement()
            .max_global_ratio
            .map(|limit| limit.get()),
        Some(12.5)
    );
}
