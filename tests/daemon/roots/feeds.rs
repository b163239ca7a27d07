//! Roots of feeds that read a folder: the program opens and verifies each as it was left, reads
//! another file, and publishes the next release.

use super::people::{People, read_people, read_texts};
use super::published_releases::{Release, account_for_people, releases};
use super::root::Root;

/// The new file is the last one of the folder.
const NEXT: &str = "in/9999.csv";

/// Asserts that `verify` and `show` say of the root what they said when it was stored, and that
/// `show` reads every release.
pub fn open_as_left(root: &Root) {
    let verified = root.run(&["verify", "feed.toml"]);
    root.assert_members(&root.expected["verify"], &verified);
    let shown = root.run(&["show", "feed.toml"]);
    root.assert_members(&root.expected["show"], &shown);
    let published = releases(root).len();
    assert_eq!(verified["releases"], published, "{}: {verified}", root.name);
    for number in 1..=published {
        let shown = root.run(&["show", "feed.toml", &number.to_string()]);
        assert_eq!(
            shown["manifest"]["release"], number,
            "{}: {shown}",
            root.name
        );
    }
}

/// Counts the rows that are in no release, as `show` reports them.
pub fn count_unpublished(root: &Root) -> u64 {
    let shown = root.run(&["show", "feed.toml"]);
    let counts = ["rows", "withheld", "pending"].map(|name| &shown["waiting"][name]);
    counts
        .into_iter()
        .chain([&shown["new"]])
        .map(|count| count.as_u64().expect("a number"))
        .sum()
}

/// Asserts that each person in the source files is in the releases or in the counts of `show`,
/// once. Returns the releases.
fn account_for_all(root: &Root) -> Vec<Release> {
    let releases = releases(root);
    account_for_people(
        root,
        &releases,
        count_unpublished(root),
        &read_people(root, &read_texts(root, "in")),
    );
    releases
}

/// Asserts that `verify` finds no fault in the log and the releases, and that `audit` finds the
/// releases safe.
pub fn verify_and_audit(root: &Root) {
    let verified = root.run(&["verify", "feed.toml"]);
    assert_eq!(
        (&verified["intact"], &verified["releases"]),
        (&true.into(), &releases(root).len().into()),
        "{verified}"
    );
    assert_eq!(
        verified["signatures"], verified["releases"],
        "{}: {verified}",
        root.name
    );
    let judged = root.run(&["audit", "--feed", "feed.toml"]);
    assert_eq!(judged["safe"], true, "{}: {judged}", root.name);
    assert_eq!(judged, root.run(&["audit", "--dir", "."]), "{}", root.name);
}

/// Runs one more tick without new rows. It changes no public file and no count.
pub fn run_again(root: &Root) {
    let (before, public) = (count_unpublished(root), root.files("public"));
    let tick = &root.run(&["run", "--once", "feed.toml"])["ticks"][0];
    assert!(
        ["skipped", "idle"].contains(&tick["outcome"].as_str().expect("text")),
        "{}: {tick}",
        root.name
    );
    assert!(
        public == root.files("public"),
        "{}: a public file changed without new rows",
        root.name
    );
    assert_eq!(before, count_unpublished(root), "{}: {tick}", root.name);
    root.run(&["verify", "feed.toml"]);
}

/// Runs a tick with `next.csv`: new people, and repeats of people who have a row. The tick ends as
/// it did under the version that stored the root, and each person keeps the row that they had.
fn take_next_file(root: &Root) -> Vec<Release> {
    let (before, public) = (releases(root), root.files("public"));
    root.put(NEXT, root.read("next.csv"));
    let tick = &root.run(&["run", "--once", "feed.toml"])["ticks"][0];
    match root.expected["next"].is_null() {
        true => assert_eq!(tick["outcome"], "published", "{}: {tick}", root.name),
        false => root.assert_members(&root.expected["next"], tick),
    }
    let after = account_for_all(root);
    assert_eq!(
        after.len(),
        before.len() + usize::from(tick["outcome"] == "published"),
        "{}: {tick}",
        root.name
    );
    assert!(
        before.iter().eq(&after[..before.len()]),
        "{}: an earlier release changed",
        root.name
    );
    let now = root.files("public");
    let kept = public.iter().all(|(path, bytes)| {
        crate::common::is_advisory(&path.to_string_lossy()) || now.get(path) == Some(bytes)
    });
    assert!(kept, "{}: a published file changed or is gone", root.name);
    after
}

/// Opens a root, runs a tick with another file, and runs one without.
pub fn continue_feed(root: &Root) {
    open_as_left(root);
    account_for_all(root);
    take_next_file(root);
    verify_and_audit(root);
    run_again(root);
}

/// Approves the release that was held, and the next one, with the key of the one approver.
pub fn approve_with_key(root: &Root) {
    open_as_left(root);
    let before = account_for_all(root).len();
    for release in [before + 1, before + 2] {
        let number = release.to_string();
        let (code, _) = root.json(&[
            "approve",
            "feed.toml",
            &number,
            "--reason",
            "seen by the board",
        ]);
        assert_ne!(
            code,
            Some(0),
            "{}: a release was approved without a signature",
            root.name
        );
        let shown = root.run(&["show", "feed.toml", "--candidate"]);
        let seen = shown["digest"]
            .as_str()
            .unwrap_or_else(|| panic!("{}: {shown}", root.name))
            .to_owned();
        let words = [
            "--seen",
            &seen,
            "--as",
            "board",
            "--key",
            "approver.key",
            "--reason",
            "seen by the board",
        ];
        let answer = root.run(&[&["approve", "feed.toml", &number][..], &words].concat());
        assert_eq!(
            (&answer["done"], &answer["release"]),
            (&true.into(), &release.into()),
            "{}: {answer}",
            root.name
        );
        if release == before + 1 {
            assert_eq!(
                take_next_file(root).len(),
                release,
                "{}: another release waits for approval",
                root.name
            );
        }
    }
    verify_and_audit(root);
    run_again(root);
}

/// The next release leaves out the whole atom of `P0007`, and no other row.
pub fn leave_erased_rows_out(root: &Root) {
    open_as_left(root);
    let before = releases(root).pop().expect("a release");
    assert!(
        before.diagnoses().contains("case 0007"),
        "{}: published releases stay",
        root.name
    );
    root.put(NEXT, root.read("next.csv"));
    let tick = &root.run(&["run", "--once", "feed.toml"])["ticks"][0];
    assert_eq!(tick["outcome"], "published", "{}: {tick}", root.name);
    let (after, erased) = (
        releases(root).pop().expect("a release"),
        &root.expected["erased_rows"],
    );
    let gone = before.diagnoses().difference(&after.diagnoses()).count();
    assert!(
        !after.diagnoses().contains("case 0007") && *erased == gone,
        "{}: {gone} rows left",
        root.name
    );
    let people = read_people(root, &read_texts(root, "in")).len() as u64;
    assert_eq!(
        after.len() as u64 + count_unpublished(root) + gone as u64,
        people,
        "{}",
        root.name
    );
    verify_with_notices(root);
    run_again(root);
}

/// The newest release was withdrawn, and the next one contains its rows again.
pub fn publish_withdrawn_rows_again(root: &Root) {
    open_as_left(root);
    root.put(NEXT, root.read("next.csv"));
    let tick = &root.run(&["run", "--once", "feed.toml"])["ticks"][0];
    assert_eq!(tick["outcome"], "published", "{}: {tick}", root.name);
    let people = read_people(root, &read_texts(root, "in")).len() as u64;
    assert_eq!(
        tick["rows"].as_u64().expect("a number") + count_unpublished(root),
        people,
        "{}: {tick}",
        root.name
    );
    verify_with_notices(root);
}

/// As [`verify_and_audit`], if signed notices are in place of manifests.
fn verify_with_notices(root: &Root) {
    let verified = root.run(&["verify", "feed.toml"]);
    assert_eq!(verified["intact"], true, "{}: {verified}", root.name);
    assert_eq!(
        root.run(&["audit", "--feed", "feed.toml"])["safe"],
        true,
        "{}",
        root.name
    );
}

/// Adds a leaf to the taxonomy and retries the quarantine: rows of the new ward count, the other
/// messages stay.
pub fn offer_quarantine_again(root: &Root) {
    open_as_left(root);
    account_for_all(root);
    let aside = || {
        root.run(&["quarantine", "feed.toml"])["messages"]
            .as_u64()
            .expect("a number")
    };
    assert_eq!(
        aside(),
        10,
        "six of an unknown ward, one without an age, three repeats"
    );
    root.put("ward.csv", root.read("ward.csv") + "C1;B;*\n");
    let answer = root.run(&[
        "quarantine",
        "feed.toml",
        "--retry",
        "--reason",
        "ward added",
    ]);
    assert_eq!(
        (&answer["count"], &answer["changed"]),
        (&10.into(), &6.into()),
        "{}: {answer}",
        root.name
    );
    assert_eq!(aside(), 4, "{}", root.name);
    account_for_all(root);
    take_next_file(root);
    assert_eq!(
        aside(),
        5,
        "{}: a repeat of the new file is set aside",
        root.name
    );
    verify_and_audit(root);
    run_again(root);
}

/// The key from before the change does not open the root; the new one does.
pub fn open_under_new_key_only(root: &Root) {
    let (code, answer) = root.json(&["verify", "feed.toml", "--key", "operator.key"]);
    let text = answer["error"]["text"].as_str().expect("a text");
    assert!(
        code == Some(2) && text.contains("does not open the private root"),
        "{}: {answer}",
        root.name
    );
    continue_feed(root);
}

fn contains_people(release: &Release, people: &People) -> bool {
    people
        .values()
        .all(|person| release.diagnoses().contains(person.diagnosis.as_str()))
}

/// The program was killed between the decision on a release and its publication. The next start
/// publishes the release.
pub fn finish_decided_release(root: &Root) {
    open_as_left(root);
    let before = releases(root);
    let (manifest, rows) = (
        "public/manifest/0000000002.json",
        read_people(root, &read_texts(root, "in")),
    );
    assert!(
        before.len() == 1 && !root.path(manifest).exists(),
        "{}: release 2 is not public yet",
        root.name
    );
    root.run(&["run", "--once", "feed.toml"]);
    let after = account_for_all(root);
    assert!(
        after.len() == 2 && before[0] == after[0] && contains_people(&after[1], &rows),
        "{}",
        root.name
    );
    take_next_file(root);
    verify_and_audit(root);
    run_again(root);
}
