//! Folders of releases that `anonymize` wrote: the program verifies each as it was left and
//! anonymises another file into it.

use serde_json::Value as Json;

use super::people::{read_people, read_texts};
use super::published_releases::{account_for_people, releases};
use super::root::Root;

const KEY: [&str; 2] = ["--key", "operator.key"];

fn run(root: &Root, words: &[&str]) -> Json {
    root.run(&[words, &KEY].concat())
}

fn anonymize(root: &Root, input: &str) -> Json {
    let answer = run(
        root,
        &[
            "anonymize",
            "--feed",
            "feed.toml",
            "--out",
            "out",
            "--in",
            input,
        ],
    );
    answer["releases"][0].clone()
}

fn account_for_all(root: &Root, more: &[String]) {
    let shown = run(root, &["show", "out"]);
    let counts = ["rows", "withheld", "pending"]
        .map(|name| shown["waiting"][name].as_u64().expect("a number"));
    let people = read_people(root, &[read_texts(root, "inputs"), more.to_vec()].concat());
    account_for_people(root, &releases(root), counts.iter().sum(), &people);
}

/// Verifies a folder, anonymises another file into it, and then the same file again, which changes
/// nothing.
pub fn continue_folder(root: &Root) {
    root.assert_members(&root.expected["verify"], &run(root, &["verify", "out"]));
    root.assert_members(&root.expected["show"], &run(root, &["show", "out"]));
    account_for_all(root, &[]);
    let (before, public) = (releases(root), root.files("out"));

    let next = root.read("next.csv");
    let answer = anonymize(root, "next.csv");
    match root.expected["next"].is_null() {
        true => assert_eq!(answer["outcome"], "published", "{}: {answer}", root.name),
        false => root.assert_members(&root.expected["next"], &answer),
    }
    let repeats = next.lines().filter(|line| line.ends_with(" again")).count();
    assert!(
        repeats > 0 && answer["duplicate"] == repeats,
        "{}: {answer}",
        root.name
    );
    account_for_all(root, std::slice::from_ref(&next));
    let after = releases(root);
    assert!(
        after.len() == before.len() + 1 && before.iter().eq(&after[..before.len()]),
        "{}",
        root.name
    );
    let now = root.files("out");
    let private = root.path("out/.private");
    let index = root.path("out/index.html");
    let mut public = public
        .iter()
        .filter(|(path, _)| !path.starts_with(&private) && **path != index);
    assert!(
        public.all(|(path, bytes)| now.get(path) == Some(bytes)),
        "{}: a published file changed",
        root.name
    );

    let again = anonymize(root, "next.csv");
    assert_eq!(again["outcome"], "known", "{}: {again}", root.name);
    account_for_all(root, &[next]);
    assert!(
        after == releases(root),
        "{}: the same file again changes nothing",
        root.name
    );
    let verified = run(root, &["verify", "out"]);
    assert_eq!(
        (&verified["intact"], &verified["releases"]),
        (&true.into(), &after.len().into()),
        "{verified}"
    );
    let judged = run(root, &["audit", "--dir", "out"]);
    assert_eq!(judged["safe"], true, "{}: {judged}", root.name);
}
