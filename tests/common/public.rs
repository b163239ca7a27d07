//! The content of a public root, as a reader sees it who may read nothing else: whole releases that
//! follow each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value as Json;
use tidegate::engine::release::Sha256;

use super::delta;
use super::place::files;

/// One release.
pub struct Release {
    pub chain: u64,
    pub rows: u64,
    /// Its diagnoses, sorted.
    pub diagnoses: Vec<String>,
}

/// Every release that is visible, in order. Checks that each is whole: numbered from 1, chained,
/// with files that are those of its manifest, and no table twice for one number.
pub fn releases(public: &Path) -> Vec<Release> {
    // A commit follows its manifest, whatever happens while a reader reads.
    let before = listed(public);
    let chains = before.iter().map(|(chain, ..)| *chain);
    let logs = chains
        .map(|chain| (chain, delta::versions(public, chain)))
        .collect();
    delta::check(&logs, &before, &listed(public), |release| {
        removed(public, release).is_some()
    });
    let named = fs::read_dir(public.join("manifest")).into_iter().flatten();
    let named = named.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_str().expect("text").ends_with(".json")
    });
    let named = named.count();
    let newest = before
        .iter()
        .map(|(_, release, _)| *release)
        .max()
        .unwrap_or(0);
    let (mut found, mut previous, mut number) = (Vec::new(), Some(Json::Null), 0);
    loop {
        number += 1;
        let Ok(bytes) = fs::read(public.join(format!("manifest/{number:010}.json"))) else {
            let gone = removed(public, number);
            if gone.is_none() && number > newest {
                break;
            }
            // A signed notice is in its place.
            previous = gone
                .unwrap_or_else(|| panic!("manifest {number} is missing and no notice says why"));
            continue;
        };
        let manifest: Json = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(manifest["release"], number, "release {number}");
        assert!(
            previous.is_none_or(|previous| manifest["previous"] == previous),
            "release {number}"
        );
        assert!(
            public
                .join(format!("manifest/{number:010}.json.sig"))
                .exists(),
            "a signature comes first"
        );
        previous = Some(Sha256::of(&bytes).to_string().into());
        found.push(whole(public, number, &manifest));
    }
    assert!(found.len() >= named, "no manifest without those before it");
    found
}

/// The content of a removal notice: its hash, if the notice is of this very release.
pub fn removed(public: &Path, number: u64) -> Option<Option<Json>> {
    let notices = |folder: &str| {
        fs::read_dir(public.join(folder))
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("an entry").path())
    };
    let notices = ["withdrawn", "replaced", "expired"]
        .into_iter()
        .flat_map(notices);
    let notices = notices.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut notices = notices.map(|path| {
        serde_json::from_slice::<Json>(&fs::read(path).expect("a notice")).expect("JSON")
    });
    let holds = |notice: &Json| match notice["release"].as_u64().expect("a number") {
        release if release == number => true,
        release => notice["reason"] == "expired" && number < release,
    };
    let notice = notices.find(holds)?;
    Some((notice["release"] == number).then(|| notice["manifest"].clone()))
}

/// The chain, number and rows of every release that is visible.
pub fn listed(public: &Path) -> Vec<(u64, u64, u64)> {
    let named = fs::read_dir(public.join("manifest"))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path());
    let manifest = |path: PathBuf| -> Option<(u64, u64, u64)> {
        let manifest: Json = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let number = |key: &str| manifest[key].as_u64();
        Some((number("chain")?, number("release")?, number("rows")?))
    };
    named
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .filter_map(manifest)
        .collect()
}

/// A release, as its manifest describes it.
fn whole(public: &Path, number: u64, manifest: &Json) -> Release {
    let named = manifest["files"].as_array().expect("files");
    let two = manifest["policy"]["output"] == "two-table";
    let notice = named.iter().any(|file| {
        file["path"]
            .as_str()
            .is_some_and(|path| path.starts_with("erased/"))
    });
    let tables = named.iter().filter(|file| file["rows"].is_u64()).count();
    let grows = manifest["layout"] == 2;
    assert!(
        if grows {
            tables > 0
        } else {
            tables == 1 + usize::from(two)
        },
        "release {number}: {tables} tables"
    );
    let others = 2 + usize::from(notice);
    assert_eq!(
        named.len(),
        tables + others,
        "tables, their taxonomy, a report, and a notice where rows are erased"
    );
    let mut diagnoses = Vec::new();
    for file in named {
        let path = public.join(file["path"].as_str().expect("a path"));
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(
            file["sha256"],
            Sha256::of(&bytes).to_string(),
            "{}",
            path.display()
        );
        let holds = if two { "sensitive/" } else { "data/" };
        if file["path"]
            .as_str()
            .is_some_and(|path| path.starts_with(holds))
        {
            let rows = table(bytes.into());
            assert!(
                !grows || file["rows"] == rows.len() as u64,
                "{}",
                path.display()
            );
            diagnoses.extend(rows);
        }
    }
    diagnoses.sort();
    let rows = manifest["rows"].as_u64().expect("a number");
    assert_eq!(diagnoses.len() as u64, rows, "release {number}");
    Release {
        chain: manifest["chain"].as_u64().expect("a number"),
        rows,
        diagnoses,
    }
}

/// The diagnoses of a table.
pub fn table(bytes: bytes::Bytes) -> Vec<String> {
    let reader = SerializedFileReader::new(bytes).expect("a table");
    let rows = reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"));
    let diagnosis = |row: parquet::record::Row| {
        let (_, field) = row
            .get_column_iter()
            .find(|(name, _)| *name == "diagnosis")
            .expect("a column");
        match field {
            Field::Str(text) => text.clone(),
            other => panic!("a diagnosis is text: {other}"),
        }
    };
    rows.map(diagnosis).collect()
}

/// What must never change: everything published except the advisory name of the newest release.
#[derive(Default)]
pub struct Kept(BTreeMap<PathBuf, Sha256>);

impl Kept {
    /// Checks that nothing has changed or is gone, and that no release number has two tables.
    pub fn check(&mut self, public: &Path) {
        let known = |path: &Path| {
            !path.ends_with("_last_checkpoint")
                && ["data", "sensitive", "report", "taxonomy", "manifest"]
                    .iter()
                    .any(|part| path.starts_with(part))
        };
        let inside = |path: &Path| {
            path.strip_prefix(public)
                .expect("a path in it")
                .to_path_buf()
        };
        let now: BTreeMap<PathBuf, Sha256> = files(public)
            .iter()
            .map(|(path, bytes)| (inside(path), Sha256::of(bytes)))
            .collect();
        // A signature without its manifest reveals nothing yet.
        let alone = |path: &Path| {
            path.extension().is_some_and(|end| end == "sig")
                && !now.contains_key(&path.with_extension(""))
        };
        let now: BTreeMap<PathBuf, Sha256> = now
            .iter()
            .filter(|(path, _)| known(path) && !alone(path))
            .map(|(path, sha256)| (path.clone(), *sha256))
            .collect();
        let some_are_gone = ["withdrawn", "replaced", "expired"]
            .iter()
            .any(|folder| public.join(folder).is_dir());
        for (path, sha256) in &self.0 {
            let there = now.get(path);
            assert!(
                there == Some(sha256) || there.is_none() && some_are_gone,
                "{} was published",
                path.display()
            );
            if let Some(number) = path.to_str().and_then(|path| {
                path.strip_prefix("manifest/")?
                    .strip_suffix(".json")?
                    .parse()
                    .ok()
            }) {
                assert!(
                    there.is_some() || removed(public, number).is_some(),
                    "no notice is in the place of manifest {number}"
                );
            }
        }
        let mut numbers = BTreeSet::new();
        for kind in ["data", "sensitive"] {
            let is_table = |path: &&PathBuf| {
                path.starts_with(kind) && path.extension().is_some_and(|end| end == "parquet")
            };
            for path in now
                .keys()
                .filter(is_table)
                .filter(|path| !path.iter().any(|part| part == "_delta_log"))
            {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .expect("text");
                let number = name.rsplit_once('-').map(|(number, _)| number.to_owned());
                assert!(
                    numbers.insert((kind, path.parent(), number)),
                    "{name}: another table of this release"
                );
            }
        }
        self.0 = now;
    }
}
