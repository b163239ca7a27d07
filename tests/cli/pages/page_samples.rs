//! The pages that are checked. Commands make them from records that contain a recognisable value in
//! every field.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::attack::feed;
use parquet::file::reader::{FileReader, SerializedFileReader};

/// The beginning of every planted value.
const PLANTED: &str = "Cqplant";
/// Sheets of A4 that a page may take.
const SHEETS: usize = 3;

const FEED: &str = "[feed]\nname = \"admissions\"\nchain = \"cumulative\"\n[policy]\nk = 5\nm = 2\nsearch = \"halves\"\n\
    [[column]]\nname = \"patient\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10, 20], min = 0, max = 99 }\n\
    [[column]]\nname = \"ward\"\nrole = \"quasi\"\ntaxonomy = { file = \"ward.csv\" }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\nguarded = [[\"CqplantDiagnosis3\"]]\n";
/// A release in which an attack finds people.
const CELLS: [&str; 4] = [
    "q0;q1;q2\n",
    "[0, 100[;[0, 100[;[0, 100[\n[0, 100[;[0, 100[;[0, 100[\n[0, 100[;[0, 100[;[0, 100[\n",
    "[0, 200[;[0, 100[;[300, 400[\n[0, 200[;[0, 100[;[300, 400[\n[0, 200[;[0, 100[;[300, 400[\n",
    "[0, 200[;[0, 100[;[300, 400[\n*;*;*\n*;*;*\n",
];
const HEADER: &str = "patient,age,ward,diagnosis,note\n";

/// A folder in which the commands have run.
pub struct Made {
    folder: tempfile::TempDir,
    /// The planted values that are published as labels of a quasi column.
    pub labels: BTreeSet<String>,
}

/// A page to check.
pub struct Page {
    pub name: &'static str,
    pub path: PathBuf,
    /// Sheets of paper that it may take.
    pub sheets: usize,
}

/// All pages: a new one is a line here.
pub fn pages(made: &Made) -> Vec<Page> {
    let page = |name, path: &str| Page {
        name,
        path: made.path(path),
        sheets: SHEETS,
    };
    vec![
        page("the first report", "out/1/report.html"),
        page("a later report", "out/2/report.html"),
        page("the page over all releases", "out/index.html"),
        page("a report in two tables, in German", "two/1/report.html"),
        page("an attack in vain", "in-vain.html"),
        page("an attack", "attack.html"),
    ]
}

impl Made {
    /// Releases and the pages about them.
    pub fn new() -> Made {
        let mut made = Made {
            folder: tempfile::tempdir().expect("a folder"),
            labels: BTreeSet::new(),
        };
        let ward = |at: u64| format!("{PLANTED}Ward{at:02};Wing {};*\n", at / 4);
        made.put("ward.csv", &(0..12).map(ward).collect::<String>());
        made.put("feed.toml", FEED);
        made.put("two.toml", &in_two_tables());
        made.put("CqplantFile1.csv", &records(0..400));
        made.put("CqplantFile2.csv", &records(400..700));
        let inputs = [
            "--quarantine-share",
            "0.1",
            "--in",
            "CqplantFile1.csv",
            "--in",
            "CqplantFile2.csv",
        ];
        made.run(
            &[
                &["anonymize", "--feed", "feed.toml", "--out", "out"],
                &inputs[..],
            ]
            .concat(),
            0,
        );
        made.run(
            &[
                &["anonymize", "--feed", "two.toml", "--out", "two"],
                &inputs[..4],
            ]
            .concat(),
            0,
        );
        let attack = |feed, release, page| {
            [
                "attack",
                "refinement",
                "--feed",
                feed,
                "--release",
                release,
                "--html",
                page,
            ]
        };
        made.run(
            &attack("feed.toml", "out/2/manifest.json", "in-vain.html"),
            0,
        );
        let edges: Vec<u64> = (0..=4).map(|edge| edge * 100).collect();
        made.put(
            "cells.toml",
            &feed(&[edges.clone(), edges.clone(), edges], "k = 3"),
        );
        made.put("cells.csv", &CELLS.concat());
        made.run(&attack("cells.toml", "cells.csv", "attack.html"), 1);
        made.labels = made.published();
        assert!(!made.labels.is_empty(), "some classes show a ward");
        made
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    fn run(&self, args: &[&str], code: i32) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
        let output = command
            .args(args)
            .current_dir(self.folder.path())
            .output()
            .expect("the program starts");
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    fn published(&self) -> BTreeSet<String> {
        let tables = [
            "out/1/part.parquet",
            "out/2/part.parquet",
            "two/1/data.parquet",
        ]
        .map(|name| self.path(name));
        let open = |path| {
            SerializedFileReader::new(fs::File::open(path).expect("a table")).expect("a table")
        };
        let rows = tables.into_iter().flat_map(|path| {
            let rows: Vec<_> = open(path).get_row_iter(None).expect("rows").collect();
            rows
        });
        let label = |row: parquet::record::Row| {
            let ward = row
                .get_column_iter()
                .find(|(name, _)| *name == "ward")
                .expect("a column")
                .1
                .to_string();
            shown_values(&ward)
        };
        rows.flat_map(|row| label(row.expect("a row"))).collect()
    }
}

/// The feed with sensitive values in a table of their own, which guards none.
fn in_two_tables() -> String {
    let (unguarded, _) = FEED.split_once("guarded").expect("a guarded value");
    let policy = "m = 2\nsearch = \"halves\"";
    assert!(unguarded.contains(policy));
    let two = "output = \"two-table\"\nsearch = \"top-down\"";
    let feed = unguarded
        .replace("cumulative", "disjoint")
        .replace(policy, two);
    feed + "[publish]\nlanguage = \"de\"\npurpose = \"Forschung zu Stationen\"\ncontact = \"daten@example.org\"\n"
}

/// Good records, and one of each kind that is set aside; each field contains a value that says
/// where it is from.
fn records(numbers: std::ops::Range<u64>) -> String {
    let row = |n: u64, age: &str, ward: &str| {
        format!(
            "{PLANTED}Name{n},{age},{ward},{PLANTED}Diagnosis{},{PLANTED}Note{n}\n",
            n % 7
        )
    };
    let good = |n: u64| {
        let mix = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        row(
            n,
            &(mix % 90).to_string(),
            &format!("{PLANTED}Ward{:02}", mix % 11),
        )
    };
    let from = numbers.start;
    let bad =
        row(from + 9001, "CqplantAge", "CqplantWard01") + &row(from + 9002, "4", "CqplantNowhere");
    HEADER.to_owned() + &numbers.map(good).collect::<String>() + &bad + "CqplantShort,3\n"
}

/// The planted values in a text.
pub fn shown_values(text: &str) -> BTreeSet<String> {
    let ends = |rest: &str| {
        rest.find(|letter: char| !letter.is_ascii_alphanumeric())
            .unwrap_or(rest.len())
    };
    text.match_indices(PLANTED)
        .map(|(at, _)| text[at..at + ends(&text[at..])].to_owned())
        .collect()
}
