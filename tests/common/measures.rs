//! The table of measures of a public root, and its expected content: each person has a different
//! diagnosis, so that the rows of a release show who is under which of its labels, and their
//! numbers give every aggregate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::Value as Json;

use super::place::PLANTED;

/// A label of a release: its texts, and the release that it was added in; 0 if no column contains
/// that.
pub type Label = (Vec<String>, i64);

/// A count, and a sum in millionths; None for one that is not published.
pub type Aggregate = (Option<i64>, Option<i128>);

/// The content of the newest release of a public root.
pub struct Shown {
    /// The people under each label.
    pub people: BTreeMap<Label, Vec<u64>>,
    /// The measures of each label in the table.
    pub measures: BTreeMap<Label, Aggregate>,
}

impl Shown {
    /// Reads it, from the files that its manifest lists.
    pub fn newest(public: &Path) -> Shown {
        Shown::of(&|path| fs::read(public.join(path)).expect("a file"))
    }

    /// The same, with files elsewhere.
    pub fn of(read: &dyn Fn(&str) -> Vec<u8>) -> Shown {
        let newest = String::from_utf8(read("LATEST")).expect("a release");
        let manifest: Json = serde_json::from_slice(&read(newest.trim())).expect("JSON");
        let (mut people, mut measures): (BTreeMap<Label, Vec<u64>>, BTreeMap<_, _>) =
            Default::default();
        for file in manifest["files"].as_array().expect("files") {
            let path = file["path"].as_str().expect("a path");
            if !path.ends_with(".parquet") {
                continue;
            }
            let rows = rows(read(path));
            assert_eq!(file["rows"], rows.len() as u64, "{path}");
            for row in rows {
                if path.starts_with("measures/") {
                    let twice = measures.insert(label(&row), aggregate(&row));
                    assert!(twice.is_none(), "a label of a release is shown once");
                } else {
                    people.entry(label(&row)).or_default().push(person(&row));
                }
            }
        }
        Shown { people, measures }
    }

    /// Checks that each aggregate is that of its people, and that no sum is shown that the rules
    /// forbid; returns how many are shown, and how many are not. If values are masked some rows
    /// show the diagnosis of another person; labels with such rows are skipped.
    pub fn check(
        &self,
        number: impl Fn(u64) -> Option<i64>,
        hidden: impl Fn(&[i64]) -> bool,
    ) -> [usize; 2] {
        let mut seen = BTreeSet::new();
        let twice: BTreeSet<u64> = self
            .people
            .values()
            .flatten()
            .copied()
            .filter(|person| !seen.insert(*person))
            .collect();
        assert!(
            self.people.keys().eq(self.measures.keys()),
            "both tables show the same labels"
        );
        let mut found = [0, 0];
        for (label, people) in self
            .people
            .iter()
            .filter(|(_, people)| !people.iter().any(|one| twice.contains(one)))
        {
            let numbers: Vec<i64> = people.iter().filter_map(|&person| number(person)).collect();
            let count = Some(numbers.len() as i64);
            let sum: i128 = numbers.iter().map(|&number| i128::from(number)).sum();
            let meant = match numbers.len() {
                0 => (count, None),
                1..3 => (None, None),
                _ if hidden(&numbers) => (count, None),
                _ => (count, Some(sum)),
            };
            assert_eq!(self.measures[label], meant, "{label:?}: {people:?}");
            found[usize::from(meant.1.is_none())] += 1;
        }
        found
    }

    /// Checks that each shown figure follows from the numbers of its people, and that no sum is
    /// shown that the rules forbid. A label that people of several ticks have may show less than
    /// possible.
    pub fn check_published_measures(
        &self,
        number: impl Fn(u64) -> Option<i64>,
        hidden: impl Fn(&[i64]) -> bool,
    ) {
        assert!(
            self.people.keys().eq(self.measures.keys()),
            "both tables show the same labels"
        );
        for (label, people) in &self.people {
            let numbers: Vec<i64> = people.iter().filter_map(|&person| number(person)).collect();
            let (count, sum) = self.measures[label];
            assert!(
                count.is_none_or(|count| count == numbers.len() as i64),
                "{label:?}: {count:?} numbers of {people:?}"
            );
            if let Some(sum) = sum {
                assert!(
                    numbers.len() >= 3 && !hidden(&numbers),
                    "{label:?}: a sum that is not to be told, of {people:?}"
                );
                assert_eq!(
                    sum,
                    numbers.into_iter().map(i128::from).sum::<i128>(),
                    "{label:?}: {people:?}"
                );
            }
        }
    }
}

/// The number of a person in millionths: one in ten is missing, one in twelve large, some negative.
pub fn cost(person: u64) -> Option<i64> {
    let mix = (person + 1).wrapping_mul(0xd134_2543_de82_ef95) >> 33;
    let number = (mix % 100_000) as i64 * 10_000 - 200_000_000;
    (!mix.is_multiple_of(10)).then_some(if mix.is_multiple_of(12) {
        40 * number
    } else {
        number
    })
}

/// Whether the largest number is more than a share of all, in tenths; or all but the two largest
/// are less than a share of the largest.
pub fn is_sensitive(numbers: &[i64], [dominance, close]: [u128; 2]) -> bool {
    let mut sizes: Vec<u128> = numbers
        .iter()
        .map(|number| u128::from(number.unsigned_abs()))
        .collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    let all: u128 = sizes.iter().sum();
    10 * sizes[0] > dominance * all || 10 * sizes.iter().skip(2).sum::<u128>() < close * sizes[0]
}

fn rows(bytes: Vec<u8>) -> Vec<Row> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table");
    reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row"))
        .collect()
}

fn cell<'r>(row: &'r Row, name: &str) -> &'r Field {
    row.get_column_iter()
        .find(|(column, _)| *column == name)
        .unwrap_or_else(|| panic!("no column {name}"))
        .1
}

fn label(row: &Row) -> Label {
    let text = |name| match cell(row, name) {
        Field::Str(text) => text.clone(),
        other => panic!("a label is text: {other}"),
    };
    let release = row
        .get_column_iter()
        .find(|(column, _)| *column == "tidegate_release");
    let release = release.map_or(0, |(_, release)| match release {
        Field::Int(release) => i64::from(*release),
        other => panic!("a number of a release: {other}"),
    });
    (["age", "ward"].map(text).to_vec(), release)
}

fn person(row: &Row) -> u64 {
    let Field::Str(diagnosis) = cell(row, "diagnosis") else {
        panic!("a diagnosis")
    };
    diagnosis
        .strip_prefix(PLANTED[1])
        .and_then(|number| number.parse().ok())
        .expect("a person")
}

fn aggregate(row: &Row) -> Aggregate {
    let count = match cell(row, "cost_count") {
        Field::Null => None,
        Field::Long(count) => Some(*count),
        other => panic!("a count: {other}"),
    };
    let sum = match cell(row, "cost_sum") {
        Field::Null => None,
        Field::Decimal(decimal) => {
            assert_eq!((decimal.precision(), decimal.scale()), (38, 6));
            Some(i128::from_be_bytes(
                decimal.data().try_into().expect("sixteen bytes"),
            ))
        }
        other => panic!("a decimal: {other}"),
    };
    match cell(row, "cost_mean") {
        Field::Null => assert!(sum.is_none()),
        Field::Double(mean) => {
            let meant = sum.expect("a sum") as f64 / (count.expect("a count") as f64 * 1e6);
            assert!(
                (mean - meant).abs() <= 1e-9 * meant.abs(),
                "{mean} is {meant}"
            );
        }
        other => panic!("a mean: {other}"),
    }
    (count, sum)
}
