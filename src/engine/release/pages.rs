//! The files that accompany the tables of a release.

use super::file::FileLine;
use super::layout::{PlacedFile, PlacedFiles};
use super::manifest::{Manifest, ReleaseFacts, ReleaseTerms};
use super::notice::Notice;
use super::overview::Overview;
use super::report::{Surroundings, report};
use super::tables::Tables;
use super::taxonomy::taxonomy;

/// The files that accompany the tables of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasePages {
    /// The taxonomies.
    pub taxonomy: Vec<u8>,
    /// The page for people.
    pub report: Vec<u8>,
    /// The manifest.
    pub manifest: Vec<u8>,
    /// The notice that names the rows which the release leaves out; `None` if there are none.
    pub notice: Option<Vec<u8>>,
}

impl ReleasePages {
    /// For a release and the bytes of its tables.
    pub fn of(
        facts: &ReleaseFacts<'_>,
        terms: &ReleaseTerms<'_>,
        table: &Overview<'_>,
        tables: &Tables,
    ) -> ReleasePages {
        let taxonomy = taxonomy(terms.columns);
        let mut manifest = Manifest::of(facts, terms, table, Vec::new());
        let place = |report, notice| PlacedFiles {
            release: terms.release,
            chain: facts.chain,
            tables,
            pages: [&taxonomy, report],
            notice,
        };
        let placed = facts.layout.place_tables(place(&[], None));
        let files: Vec<FileLine> = placed.iter().map(PlacedFile::line).collect();
        // The page is written before its own digest exists, and does not use the manifest's list of
        // files.
        let around = Surroundings::of(facts, terms, &placed, &files);
        let report = report(&manifest, terms.columns, table, around);
        let notice = Notice::of(facts, terms).map(|notice| notice.bytes());
        manifest.files = PlacedFile::lines(
            terms.kept,
            &facts.layout.place(place(&report, notice.as_deref())),
        );
        ReleasePages {
            taxonomy,
            report,
            manifest: manifest.bytes(),
            notice,
        }
    }
}
