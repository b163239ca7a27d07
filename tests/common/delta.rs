//! Delta logs in a public root, replayed as by a reader who knows the protocol and nothing of this
//! program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

/// A version of a table: the rows of its files by their paths, and the newest release that a commit
/// names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Version {
    pub files: BTreeMap<String, u64>,
    pub release: Option<u64>,
}

/// The versions of the table of a chain from 0 on; empty if it has no log.
pub fn versions(public: &Path, chain: u64) -> Vec<Version> {
    let log = public.join(format!("data/{chain}/_delta_log"));
    let (mut found, mut now) = (Vec::new(), Version::default());
    if !log.join(format!("{:020}.json", 0)).exists() {
        // Its first versions are gone, and a checkpoint replaces them, which other readers read.
        return found;
    }
    while let Ok(commit) = fs::read_to_string(log.join(format!("{:020}.json", found.len()))) {
        for action in commit
            .lines()
            .map(|line| serde_json::from_str::<Json>(line).expect("an action"))
        {
            if let Some(txn) = action.get("txn") {
                now.release = txn["version"].as_u64();
            }
            if let Some(remove) = action.get("remove") {
                let path = remove["path"].as_str().expect("a path");
                assert!(
                    now.files.remove(path).is_some(),
                    "{path} is not in the table"
                );
            }
            if let Some(add) = action.get("add") {
                let stats: Json =
                    serde_json::from_str(add["stats"].as_str().expect("statistics")).expect("JSON");
                assert_eq!(
                    stats.as_object().expect("an object").len(),
                    1,
                    "`numRecords` is the only statistic"
                );
                let path = add["path"].as_str().expect("a path").to_owned();
                assert!(
                    now.files
                        .insert(path, stats["numRecords"].as_u64().expect("a number"))
                        .is_none()
                );
            }
        }
        found.push(now.clone());
    }
    found
}

/// Checks that every version contains the rows of its release, that no commit precedes its
/// manifest, and that the newest is at most one release behind. The arguments are the releases of
/// each chain, with their rows, as they were visible before and after the logs were read.
pub fn check(
    logs: &BTreeMap<u64, Vec<Version>>,
    before: &[(u64, u64, u64)],
    after: &[(u64, u64, u64)],
    gone: impl Fn(u64) -> bool,
) {
    for (chain, versions) in logs {
        let of_chain = |of: &[(u64, u64, u64)]| -> BTreeMap<u64, u64> {
            of.iter()
                .filter(|(of, ..)| of == chain)
                .map(|&(_, release, rows)| (release, rows))
                .collect()
        };
        let (before, after) = (of_chain(before), of_chain(after));
        for version in versions {
            let Some(release) = version.release else {
                continue;
            };
            if !after.contains_key(&release) && gone(release) {
                continue;
            }
            let meant = after.get(&release);
            let rows = version.files.values().sum::<u64>();
            assert_eq!(
                meant,
                Some(&rows),
                "release {release} of chain {chain} and its version"
            );
        }
        let newest = versions
            .last()
            .and_then(|version| version.release)
            .unwrap_or(0);
        let behind = before.keys().filter(|release| **release > newest).count();
        assert!(
            versions.is_empty() || behind <= 1,
            "chain {chain} is {behind} releases behind"
        );
    }
}
