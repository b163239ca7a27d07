//! The files that go with a table.

use super::layout::Places;
use super::manifest::{Facts, FileLine, Manifest, Terms};
use super::report::report;
use super::taxonomy::taxonomy;
use crate::engine::histogram::Release;

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

impl Pages {
    /// Of a table and its bytes.
    pub fn of(facts: &Facts<'_>, terms: &Terms<'_>, table: &Release, data: &[u8]) -> Pages {
        let taxonomy = taxonomy(terms.columns);
        let mut manifest = Manifest::of(facts, terms, table, Vec::new());
        // The page is written before it has a digest, and does not look at the files.
        let report = report(&manifest, terms.columns, table);
        let places = Places::for_files(facts.layout, terms.release, [data, &taxonomy, &report]);
        manifest.files = vec![
            FileLine::of(&places.data, data, Some(table.rows())),
            FileLine::of(&places.taxonomy, &taxonomy, None),
            FileLine::of(&places.report, &report, None),
        ];
        Pages { taxonomy, report, manifest: manifest.bytes() }
    }
}
