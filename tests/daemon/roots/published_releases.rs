//! The releases of a root as a reader sees them, and their invariants: each person has one row or
//! is in the counts of unpublished rows, labels generalise the person's own values, and a later
//! release of a chain has every earlier row.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value as Json;

use super::people::{People, Person};
use super::root::Root;

/// Cells of a row by column, as text.
type Row = BTreeMap<String, String>;

/// One release.
#[derive(Debug, PartialEq, Eq)]
pub struct Release {
    pub chain: u64,
    disjoint: bool,
    masked: bool,
    /// The label above each label, by column.
    parents: BTreeMap<(String, String), String>,
    /// The rows with quasi-identifiers.
    rows: Vec<Row>,
    /// The rows with sensitive values; the same rows unless the release is in two tables.
    sensitive: Vec<Row>,
}

/// All releases of a root, oldest first. They are in `public`, or each in a folder that `anonymize`
/// wrote.
pub fn releases(root: &Root) -> Vec<Release> {
    let (base, names): (&str, fn(usize) -> String) = match root.path("out").is_dir() {
        true => ("out", |number| format!("{number}/manifest.json")),
        false => ("public", |number| format!("manifest/{number:010}.json")),
    };
    // A manifest is gone if it lists rows which were erased later.
    let manifest = |number| fs::read(root.path(base).join(names(number))).ok();
    let manifests = (1..100)
        .filter_map(manifest)
        .map(|bytes| serde_json::from_slice::<Json>(&bytes).expect("JSON"));
    manifests
        .map(|manifest| Release::read(root, base, &manifest))
        .collect()
}

impl Release {
    fn read(root: &Root, base: &str, manifest: &Json) -> Release {
        let files = manifest["files"].as_array().expect("files").iter();
        let paths: Vec<&str> = files
            .map(|file| file["path"].as_str().expect("a path"))
            .collect();
        let bytes = |path: &str| fs::read(root.path(base).join(path)).expect("a published file");
        // The sums of measures are not rows of people.
        let tables = paths
            .iter()
            .filter(|path| path.ends_with(".parquet") && !path.starts_with("measures"));
        let mut tables: Vec<Vec<Row>> = tables.map(|path| table(bytes(path))).collect();
        if manifest["layout"] == 2 {
            tables = vec![tables.concat()];
        }
        let taxonomy = paths
            .iter()
            .find(|path| path.ends_with(".json"))
            .expect("taxonomies");
        let taxonomy: Json = serde_json::from_slice(&bytes(taxonomy)).expect("JSON");
        let release = Release {
            chain: manifest["chain"].as_u64().expect("a number"),
            disjoint: manifest["guarantee"].is_null(),
            masked: !manifest["policy"]["m"].is_null(),
            parents: parents(&taxonomy),
            rows: tables[0].clone(),
            sensitive: tables.last().expect("a table").clone(),
        };
        assert!(
            tables.iter().all(|table| manifest["rows"] == table.len()),
            "{}: {manifest}",
            root.name
        );
        release
    }

    pub fn len(&self) -> usize {
        self.sensitive.len()
    }

    /// The diagnoses, which are different for each person.
    pub fn diagnoses(&self) -> BTreeSet<&str> {
        let diagnoses: BTreeSet<&str> = self
            .sensitive
            .iter()
            .map(|row| row["diagnosis"].as_str())
            .collect();
        assert_eq!(diagnoses.len(), self.len(), "a person has two rows");
        diagnoses
    }

    /// How often the release has each combination of sensitive values.
    fn values(&self) -> BTreeMap<Vec<(&str, &str)>, usize> {
        let mut counts = BTreeMap::new();
        for row in &self.sensitive {
            let sensitive = row
                .iter()
                .filter(|(column, _)| ["diagnosis", "test"].contains(&column.as_str()));
            let values = sensitive
                .map(|(column, value)| (column.as_str(), value.as_str()))
                .collect();
            *counts.entry(values).or_insert(0) += 1;
        }
        counts
    }

    /// Whether each row of this release is in the next one of the chain.
    fn continues_in(&self, next: &Release) -> bool {
        let later = next.values();
        self.values()
            .iter()
            .all(|(values, count)| later.get(values).is_some_and(|later| later >= count))
    }

    /// Whether a label is a value or is above it.
    fn generalises(&self, column: &str, label: &str, value: &str) -> bool {
        let mut at = value;
        loop {
            if at == label {
                return true;
            }
            match self.parents.get(&(column.to_owned(), at.to_owned())) {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    }

    /// Whether a row can be this person's.
    fn fits(&self, row: &Row, person: &Person) -> bool {
        if row.contains_key("age") {
            return self.generalises("age", &row["age"], &person.age)
                && self.generalises("ward", &row["ward"], &person.ward);
        }
        // If there are two tables the other one has the values themselves, under the same class.
        let own = |other: &&Row| other["age"] == person.age && other["ward"] == person.ward;
        self.rows
            .iter()
            .filter(own)
            .any(|other| other["class"] == row["class"])
    }
}

fn table(bytes: Vec<u8>) -> Vec<Row> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table");
    let text = |field: &Field| match field {
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    };
    let rows = reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"));
    rows.map(|row| {
        row.get_column_iter()
            .map(|(name, field)| (name.clone(), text(field)))
            .collect()
    })
    .collect()
}

fn parents(taxonomy: &Json) -> BTreeMap<(String, String), String> {
    let text = |json: &Json| json.as_str().map(str::to_owned);
    let mut parents = BTreeMap::new();
    for column in taxonomy["columns"].as_array().expect("columns") {
        let name = text(&column["name"]).expect("a name");
        for node in column["nodes"].as_array().expect("labels") {
            if let Some(parent) = text(&node["parent"]) {
                parents.insert(
                    (name.clone(), text(&node["label"]).expect("a label")),
                    parent,
                );
            }
        }
    }
    parents
}

/// Asserts that each person is in the releases or in the count of unpublished rows, once, and keeps
/// their first row.
pub fn account_for_people(root: &Root, releases: &[Release], unpublished: u64, people: &People) {
    for (at, release) in releases.iter().enumerate() {
        let here = format!("release {} of {}", at + 1, root.name);
        match release.masked {
            true => assert_labels(&here, release, people),
            false => assert_rows(&here, release, people),
        }
        let next = releases
            .get(at + 1)
            .filter(|next| next.chain == release.chain && !release.disjoint);
        if let Some(next) = next {
            assert!(
                release.continues_in(next),
                "{here}: the next release lacks a row, or has another one"
            );
        }
    }
    let is_last = |at: usize| {
        releases[at].disjoint
            || releases
                .get(at + 1)
                .is_none_or(|next| next.chain != releases[at].chain)
    };
    let newest: Vec<&Release> = (0..releases.len())
        .filter(|at| is_last(*at))
        .map(|at| &releases[at])
        .collect();
    let rows: usize = newest.iter().map(|release| release.len()).sum();
    if newest.iter().all(|release| !release.masked) {
        let distinct: BTreeSet<&str> = newest
            .iter()
            .flat_map(|release| release.diagnoses())
            .collect();
        assert_eq!(
            distinct.len(),
            rows,
            "{}: a person has rows in two chains or two disjoint releases",
            root.name
        );
    }
    assert_eq!(
        rows as u64 + unpublished,
        people.len() as u64,
        "{}: published and unpublished rows",
        root.name
    );
}

/// Each row is the first one of a person, under labels that generalise the person's own values.
fn assert_rows(here: &str, release: &Release, people: &People) {
    let by_diagnosis: BTreeMap<&str, &Person> = people
        .values()
        .map(|person| (person.diagnosis.as_str(), person))
        .collect();
    assert_eq!(
        by_diagnosis.len(),
        people.len(),
        "each person has a diagnosis of their own"
    );
    for row in &release.sensitive {
        let person = by_diagnosis.get(row["diagnosis"].as_str());
        let person =
            person.unwrap_or_else(|| panic!("{here}: {row:?} is not the first row of a person"));
        assert!(
            release.fits(row, person),
            "{here}: {row:?} is published of {person:?}"
        );
    }
}

/// A masked release may show the values of one person in the row of another. No labels have more
/// rows than there are people with values under them.
fn assert_labels(here: &str, release: &Release, people: &People) {
    for row in &release.rows {
        let labels = |other: &&Row| other["age"] == row["age"] && other["ward"] == row["ward"];
        let rows = release.rows.iter().filter(labels).count();
        let people = people
            .values()
            .filter(|person| release.fits(row, person))
            .count();
        assert!(
            rows <= people,
            "{here}: {rows} rows like {row:?}, of {people} people"
        );
    }
}
