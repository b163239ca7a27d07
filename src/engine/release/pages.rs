//! The files that go with a table, and where all of them lie in a folder of releases. A path is a function of the number of
//! the release and of the taxonomies, so that none can carry a word of its own.

use super::digest::Sha256;
use super::manifest::{Facts, FileLine, Manifest, Terms};
use super::report::report;
use super::taxonomy::taxonomy;
use crate::engine::histogram::Release;

/// Where the files of a release lie, from the place of all published files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The table.
    pub data: String,
    /// What every label stands for; releases with the same taxonomies share it.
    pub taxonomy: String,
    /// The page for people.
    pub report: String,
    /// The manifest.
    pub manifest: String,
}

/// The files that go with a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    /// What every label stands for.
    pub taxonomy: Vec<u8>,
    /// The page for people.
    pub report: Vec<u8>,
    /// The manifest.
    pub manifest: Vec<u8>,
}

impl Places {
    /// Of the release with this number and these taxonomies.
    pub fn of(release: u32, taxonomy: &[u8]) -> Places {
        let [data, report, manifest] =
            ["data.parquet", "report.html", "manifest.json"].map(|name| format!("{release}/{name}"));
        Places { data, taxonomy: format!("taxonomy/{}.json", Sha256::of(taxonomy)), report, manifest }
    }
}

impl Pages {
    /// Of a table and its bytes.
    pub fn of(facts: &Facts<'_>, terms: &Terms<'_>, table: &Release, data: &[u8]) -> Pages {
        let taxonomy = taxonomy(terms.columns);
        let places = Places::of(terms.release, &taxonomy);
        let files =
            vec![FileLine::of(&places.data, data, Some(table.rows())), FileLine::of(&places.taxonomy, &taxonomy, None)];
        let mut manifest = Manifest::of(facts, terms, table, files);
        // The page is written before it has a digest, and does not look at the files.
        let report = report(&manifest, terms.columns, table);
        manifest.files.push(FileLine::of(&places.report, &report, None));
        Pages { taxonomy, report, manifest: manifest.bytes() }
    }
}
