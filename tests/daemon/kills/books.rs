//! Each person is in one place, once: the log names the files that were read, the files name the
//! people in them, and the published tables together with the output of `show` must contain the
//! same people.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value as Json;

use super::place::{PLANTED, Place};
use super::public::{Release, removed};

/// The number of the person whose row is set aside when a feed begins.
pub const SET_ASIDE: &str = "900";

/// The rows according to a log.
#[derive(Debug, Default)]
pub struct Books {
    /// Files that were read, in the order of the log.
    pub files: Vec<String>,
    /// Rows that count.
    kept: u64,
    /// Rows that count since they were offered again, except those of erased people.
    moved: i64,
    /// Rows of the newest decided release, by chain.
    rows: BTreeMap<u64, u64>,
    /// Releases that are visible according to the log.
    published: u64,
    /// Rows of withdrawn releases that the next release contains again, by chain.
    again: BTreeMap<u64, u64>,
    /// A chain has begun.
    begun: bool,
}

fn number(value: &Json) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// The rows of a decided release; `before` are those of the previous one, and `left` those that it
/// leaves out. If the table grows its part contains the new ones.
fn rows(decision: &Json, before: u64, left: u64) -> u64 {
    let files = decision["files"].as_array().expect("files");
    let grows = files.iter().any(|file| {
        file["stage"]
            .as_str()
            .is_some_and(|stage| stage.contains("-part-"))
    }) || left > 0;
    let new = |file: &&Json| file["span"].is_null() || file["span"]["last"] == decision["release"];
    let new: u64 = files
        .iter()
        .filter(new)
        .filter_map(|file| file["rows"].as_u64())
        .sum();
    if grows { before + new - left } else { new }
}

impl Books {
    /// From the entries of a log.
    pub fn of(entries: &[Json]) -> Books {
        let (mut books, mut chain, mut held, mut leaves) = (Books::default(), 0, 0, 0);
        for (seq, entry) in entries.iter().enumerate() {
            assert_eq!(entry["seq"], seq, "no entry is missing");
            let body = &entry["body"];
            match entry["kind"].as_str().expect("a kind") {
                "Chain" => (chain, books.begun) = (number(&body["chain"]), true),
                "Ingest" => {
                    for part in body["parts"].as_array().expect("parts") {
                        books
                            .files
                            .push(part["file"].as_str().expect("a name").to_owned());
                        books.kept += number(&part["kept"]);
                    }
                }
                "Retry" => books.moved += number(&body["kept"]) as i64,
                "Erase" => {
                    books.moved -= number(&body["erased"]) as i64;
                    // Erased published rows are in the newest release until the next one is
                    // published.
                    leaves += body["rows"]["rows"].as_i64().unwrap_or(0);
                }
                "Decision" => match body["outcome"].as_str().expect("an outcome") {
                    "publish" => {
                        let (before, left) = (
                            books.rows.get(&chain).copied().unwrap_or(0),
                            std::mem::take(&mut leaves),
                        );
                        let again = books.again.remove(&chain).unwrap_or(0);
                        books
                            .rows
                            .insert(chain, rows(body, before, left as u64) + again);
                        books.moved += again as i64 - left;
                    }
                    "hold" => {
                        held = rows(
                            body,
                            books.rows.get(&chain).copied().unwrap_or(0),
                            leaves as u64,
                        )
                    }
                    _ => {}
                },
                "Approve" => _ = books.rows.insert(chain, held),
                "Published" => books.published += 1,
                // They are in the newest release until the next one is published.
                "Retire" => leaves += body["rows"].as_i64().expect("rows"),
                "Withdraw" => {
                    let (chain, gone) = (number(&body["chain"]), number(&body["rows"]));
                    *books.rows.get_mut(&chain).expect("a chain with releases") -= gone;
                    books.moved -= gone as i64;
                    if body["republish"] == true {
                        *books.again.entry(chain).or_default() += gone;
                    }
                }
                _ => {}
            }
        }
        let distinct: BTreeSet<&String> = books.files.iter().collect();
        assert_eq!(
            distinct.len(),
            books.files.len(),
            "a file was taken in twice: {:?}",
            books.files
        );
        books
    }

    /// The numbers of the people in the files that were read, except rows that cannot be decoded.
    fn people(&self, place: &Place) -> BTreeSet<String> {
        let mut people = BTreeSet::new();
        for file in &self.files {
            let text =
                fs::read_to_string(place.path("in").join(file)).expect("a file that was offered");
            for line in text.lines().skip(1) {
                let cells: Vec<&str> = line.split(',').collect();
                let number = cells[0].strip_prefix(PLANTED[0]).expect("a person");
                if cells[1].parse::<u64>().is_ok() && cells[2] != "C1" {
                    people.insert(number.to_owned());
                }
            }
        }
        people
    }

    /// Checks that the state is the fold of a first part of the input, and that each person of it
    /// is in one place. `shown` is the output of `show` for this log, and `releases` are the
    /// visible ones.
    pub fn balance(&self, place: &Place, shown: Option<&Json>, releases: &[Release]) {
        let offered = offered(place);
        assert!(
            self.files.len() <= offered.len() && self.files == offered[..self.files.len()],
            "{:?}",
            self.files
        );
        let seen = releases.len() as u64 + notices(place);
        assert!(
            seen >= self.published,
            "a release that the log calls visible is not"
        );
        let Some(shown) = shown else {
            assert!(!self.begun, "nothing is shown of a feed that has begun");
            return;
        };
        let waiting = &shown["waiting"];
        let elsewhere = [
            &waiting["rows"],
            &waiting["withheld"],
            &waiting["pending"],
            &shown["new"],
        ]
        .map(number);
        let decided: u64 = self.rows.values().sum();
        let kept = self
            .kept
            .checked_add_signed(self.moved)
            .expect("no person is erased who has not come");
        assert_eq!(
            decided + elsewhere.iter().sum::<u64>(),
            kept,
            "{self:?}; {elsewhere:?} elsewhere"
        );
        let people = self.people(place);
        assert_eq!(
            self.kept,
            people.len() as u64,
            "so many rows count, and so many people are in its files"
        );
        tables(&people, releases);
    }

    /// Checks that all input was read, and that everything decided is visible.
    pub fn closed(&self, place: &Place, releases: &[Release]) {
        assert_eq!(self.files, offered(place), "everything is taken in");
        let mut visible = BTreeMap::new();
        releases
            .iter()
            .for_each(|release| _ = visible.insert(release.chain, release.rows));
        assert_eq!(self.rows, visible, "what was decided is visible");
        assert_eq!(
            self.published,
            releases.len() as u64 + notices(place),
            "each release is published once"
        );
    }
}

/// The number of removed manifests, according to the notices in their places.
fn notices(place: &Place) -> u64 {
    let all = (1..=99).filter(|number| removed(&place.public(), *number).is_some());
    all.count() as u64
}

/// Checks that no person is published twice, and none who is not in the input.
fn tables(people: &BTreeSet<String>, releases: &[Release]) {
    let newest: BTreeMap<u64, &Release> = releases
        .iter()
        .map(|release| (release.chain, release))
        .collect();
    let out: Vec<&String> = newest
        .values()
        .flat_map(|release| &release.diagnoses)
        .collect();
    let distinct: BTreeSet<&str> = out
        .iter()
        .map(|text| text.strip_prefix(PLANTED[1]).expect("a row"))
        .collect();
    assert_eq!(out.len(), distinct.len(), "a person is published twice");
    // A person who was set aside may have been accepted by a retry.
    let stranger = distinct
        .iter()
        .find(|one| !people.contains(**one) && **one != SET_ASIDE);
    assert_eq!(stranger, None, "a person is published who has not come");
}

/// The files that were offered, by name.
pub fn offered(place: &Place) -> Vec<String> {
    let names = fs::read_dir(place.path("in")).expect("a folder");
    let names = names.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name")
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}
