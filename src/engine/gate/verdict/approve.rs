//! From a judged table to an approved release: the other public files are read back and checked
//! too, and a release becomes an [`Approved`] only if it passes the whole verdict. No code outside
//! this file can create one.
//!
//! ```compile_fail
//! use tidegate_gate::verdict::Approved;
//! let approved = Approved { files: Vec::new() }; // its fields are private, and there is no constructor
//! ```
//!
//! It is consumed by value, so that nothing is published twice:
//!
//! ```compile_fail
//! # fn publish(approved: tidegate_gate::verdict::Approved, history: &mut tidegate_gate::verdict::History) {
//! let entered = approved.enter(history, &[]);
//! let again = approved.enter(history, &[]);
//! # }
//! ```

use super::check_result::{Check, CheckResult, Figure, Finding, Verdict};
use super::comparison::ComparedCandidate;
use super::crowd_history::{ReleaseGrowth, RemovedLabels};
use super::history::{Defect, History};
use super::next_release::NextRelease;
use crate::bytes::PublishedTable;
use crate::histogram::{Release, SensitiveValues};
use crate::model::{Columns, Cut, Recoding, Role};
use crate::policy::Policy;
use crate::release::{
    self, CheckLine, FileLine, Manifest, MeasureFigures, Notice, Overview, PartLine, PlacedFile,
    PlacedFiles, ReleaseFacts, ReleasePages, ReleaseSpan, ReleaseTerms, Surroundings, Tables,
    replaced,
};
use crate::utility;

/// A table that was judged, with everything that it was judged by: nothing else can be published
/// with it.
pub struct JudgedTable {
    policy: Policy,
    columns: Columns,
    recoding: Recoding,
    release: u32,
    verdict: Verdict,
    table: Option<PublishedTable>,
    growth: Option<ReleaseGrowth>,
    measures: Option<(Release, SensitiveValues)>,
    tables: Tables,
    /// Files of earlier releases that belong to this release as well.
    kept: Vec<PartLine>,
    erased: RemovedLabels,
}

/// A release that may be published.
#[derive(Debug)]
pub struct Approved {
    files: Vec<(String, Vec<u8>)>,
    lines: Vec<(FileLine, Option<ReleaseSpan>)>,
    manifest: Vec<u8>,
    table: PublishedTable,
    growth: Option<ReleaseGrowth>,
    measures: Option<(Release, SensitiveValues)>,
    parts: Vec<PartLine>,
    verdict: Verdict,
}

impl Approved {
    /// Path and bytes of the tables, the taxonomy, the report and the notice, if there is one, in
    /// the order of the manifest.
    pub fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// The lines of these files in the manifest, and for parts of a table that grows the releases
    /// whose rows they hold.
    pub fn lines(&self) -> &[(FileLine, Option<ReleaseSpan>)] {
        &self.lines
    }

    /// The manifest.
    pub fn manifest(&self) -> &[u8] {
        &self.manifest
    }

    /// The verdict, without any reason against the release.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The table as the gate read it; in a chain of crowds only the new rows.
    pub fn table(&self) -> &PublishedTable {
        &self.table
    }

    /// Adds to the gate's history of the chain what it read and found about this release.
    ///
    /// # Errors
    /// Its labels are not those of its recoding.
    pub fn enter(self, history: &mut History, recoding: &[Cut]) -> Result<(), Defect> {
        // If rows do not keep their labels, no later release is compared with the published
        // measures of this one.
        let measures = self.measures.filter(|_| self.growth.is_some());
        history.take(self.table, recoding, self.growth)?;
        measures
            .iter()
            .for_each(|(added, values)| history.grow_measures(added, values));
        history.set_files(self.parts);
        Ok(())
    }
}

impl JudgedTable {
    pub(super) fn new(
        case: &NextRelease<'_>,
        verdict: Verdict,
        found: Option<ComparedCandidate>,
        tables: Tables,
    ) -> JudgedTable {
        let (table, growth, measures, kept, erased) = match found {
            Some(ComparedCandidate {
                table,
                growth,
                measures,
                kept,
                erased,
            }) => (Some(table), growth, measures, kept, erased),
            None => (None, None, None, Vec::new(), RemovedLabels::new()),
        };
        JudgedTable {
            policy: case.policy.clone(),
            columns: case.columns.clone(),
            recoding: case.recoding.to_vec(),
            release: case.release,
            verdict,
            table,
            growth,
            measures,
            tables,
            kept,
            erased,
        }
    }

    /// The verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What the manifest and the report say about all its rows; `None` if they could not be read.
    pub fn overview(&self) -> Option<Overview<'_>> {
        let table = self.table.as_ref()?;
        let overview = self.growth.as_ref().map_or_else(
            || Overview::of(&table.release),
            |growth| Overview::of_sums(&growth.sums, &self.recoding),
        );
        let of = |(added, values): &(Release, SensitiveValues)| {
            MeasureFigures::of(added, values, &self.columns)
        };
        Some(overview.with_measures(self.measures.as_ref().map(of).unwrap_or_default()))
    }

    /// The public part of the verdict: no figure of a check that reads sensitive values, no private
    /// count.
    pub fn lines(&self) -> Vec<CheckLine> {
        let line = |check: &CheckResult| CheckLine {
            check: check.check,
            made: check.made,
            value: check.public_value(),
            limit: check.limit,
        };
        let checks = &self.verdict.checks;
        let once = |(at, check): (usize, &CheckResult)| {
            checks[..at].iter().all(|other| other.check != check.check)
        };
        assert!(
            checks.iter().enumerate().all(once),
            "each check is listed once"
        );
        checks
            .iter()
            .map(line)
            .chain([CheckLine {
                made: true,
                ..named(Check::Pages)
            }])
            .collect()
    }

    /// The terms by which the table was judged, with these lines of its checks.
    pub fn terms<'j>(&'j self, checks: &'j [CheckLine]) -> ReleaseTerms<'j> {
        let JudgedTable {
            release,
            policy,
            columns,
            erased,
            kept,
            ..
        } = self;
        ReleaseTerms {
            release: *release,
            policy,
            columns,
            checks,
            erased,
            kept,
        }
    }

    /// Reads the other files back; they may contain only `facts` and what was judged.
    ///
    /// # Errors
    /// The verdict, with every reason.
    pub fn approve(
        mut self,
        facts: &ReleaseFacts<'_>,
        pages: ReleasePages,
    ) -> Result<Approved, Verdict> {
        // The manifest contains the digest of the table, so statements about it may depend on
        // sensitive values.
        let mut check = CheckResult::made(Check::Pages);
        if let Some(table) = self.overview() {
            check.reasons = self.look_through(facts, &pages, &table);
        }
        self.verdict.checks.push(check);
        let placed = self.placed(facts, &pages);
        let parts = replaced(
            &self.kept,
            &placed
                .iter()
                .filter_map(PlacedFile::part)
                .collect::<Vec<_>>(),
            |_| false,
        );
        let lines: Vec<_> = placed.iter().map(|file| (file.line(), file.span)).collect();
        let paths: Vec<String> = placed.into_iter().map(|file| file.path).collect();
        let JudgedTable {
            table,
            growth,
            measures,
            tables,
            verdict,
            ..
        } = self;
        let bytes = tables
            .into_bytes()
            .into_iter()
            .chain([pages.taxonomy, pages.report])
            .chain(pages.notice);
        match table {
            Some(table) if verdict.safe() => {
                let many = paths.len();
                let files: Vec<(String, Vec<u8>)> = paths.into_iter().zip(bytes).collect();
                assert_eq!(files.len(), many, "each file has its bytes");
                assert_eq!(
                    files.len(),
                    lines.len(),
                    "the manifest has a line for each file"
                );
                Ok(Approved {
                    files,
                    lines,
                    manifest: pages.manifest,
                    table,
                    growth,
                    measures,
                    parts,
                    verdict,
                })
            }
            _ => Err(verdict),
        }
    }

    /// The files that come with the release.
    fn placed<'f>(
        &'f self,
        facts: &ReleaseFacts<'_>,
        pages: &'f ReleasePages,
    ) -> Vec<PlacedFile<'f>> {
        facts.layout.place(self.placed_files(facts, pages))
    }

    fn placed_files<'f>(
        &'f self,
        facts: &ReleaseFacts<'_>,
        pages: &'f ReleasePages,
    ) -> PlacedFiles<'f> {
        PlacedFiles {
            release: self.release,
            chain: facts.chain,
            tables: &self.tables,
            pages: [&pages.taxonomy, &pages.report],
            notice: pages.notice.as_deref(),
        }
    }

    /// Every file is compared with the bytes that it must have; faults of a manifest are analysed
    /// afterwards.
    fn look_through(
        &self,
        facts: &ReleaseFacts<'_>,
        pages: &ReleasePages,
        table: &Overview<'_>,
    ) -> Vec<Finding> {
        let mut reasons = Vec::new();
        if release::taxonomy(&self.columns) != pages.taxonomy {
            reasons.push(Finding::new(
                Check::Pages,
                "taxonomy",
                "the file is not the taxonomies of the feed file",
            ));
        }
        let lines = self.lines();
        let terms = self.terms(&lines);
        if Notice::of(facts, &terms).map(|notice| notice.bytes()) != pages.notice {
            let text = "the notice does not list exactly the removed rows";
            reasons.push(Finding::new(Check::Pages, "notice", text));
        }
        let mut meant = Manifest::of(facts, &terms, table, Vec::new());
        let placed = facts.layout.place_tables(self.placed_files(facts, pages));
        let files: Vec<FileLine> = placed.iter().map(PlacedFile::line).collect();
        let around = Surroundings::of(facts, &terms, &placed, &files);
        if release::report(&meant, &self.columns, table, around) != pages.report {
            reasons.push(Finding::new(
                Check::Pages,
                "report",
                "the page is not the one that the manifest and the table give",
            ));
        }
        meant.files = PlacedFile::lines(&self.kept, &self.placed(facts, pages));
        match Manifest::parse(&pages.manifest) {
            Err(error) => reasons.push(Finding::new(Check::Pages, "manifest", error.to_string())),
            Ok(stated) => {
                let wrong = wrong_fields(&stated, &meant, table, &self.columns);
                let text = "this is not what the published table gives";
                reasons.extend(
                    wrong.iter().map(|field| {
                        Finding::new(Check::Pages, format!("manifest, {field}"), text)
                    }),
                );
                if wrong.is_empty() && meant.bytes() != pages.manifest {
                    let text = "the bytes are not the ones that this table is published with";
                    reasons.push(Finding::new(Check::Pages, "manifest", text));
                }
            }
        }
        reasons
    }
}

/// The fields of a manifest that differ from what they should be. The gate's own code computes
/// figures again.
fn wrong_fields(
    stated: &Manifest,
    meant: &Manifest,
    table: &Overview<'_>,
    columns: &Columns,
) -> Vec<&'static str> {
    // Exactly equal: a difference could carry a message.
    let same = |stated: f64, meant: f64, found: f64| {
        [meant, found]
            .iter()
            .all(|other| stated.to_bits() == other.to_bits())
    };
    let (sums, discernibility) = (&table.sums, utility::discernibility_of_sums(&table.sums));
    let loss = utility::loss_of_sums(sums, &columns.trees());
    // Keys keep their order in the text; as values they are equal in any order.
    let [stated_policy, meant_policy] = [stated, meant].map(|manifest| manifest.policy.to_string());
    let as_stated = [
        ("layout", stated.layout == meant.layout),
        ("feed", stated.feed == meant.feed),
        ("chain", stated.chain == meant.chain),
        ("release", stated.release == meant.release),
        ("time", stated.time == meant.time),
        ("purpose", stated.purpose == meant.purpose),
        ("contact", stated.contact == meant.contact),
        ("policy", stated_policy == meant_policy),
        ("guarantee", stated.guarantee == meant.guarantee),
        ("k", stated.k == meant.k),
        (
            "smallest_class",
            Some(stated.smallest_class) == sums.smallest(),
        ),
        ("rows", stated.rows == sums.rows()),
        ("classes", stated.classes == sums.classes()),
        ("withheld", stated.withheld == meant.withheld),
        ("loss", same(stated.loss, meant.loss, loss)),
        (
            "discernibility",
            same(stated.discernibility, meant.discernibility, discernibility),
        ),
        ("recoding", states_recoding(stated, table, columns)),
        ("files", stated.files == meant.files),
        ("checks", stated.checks == meant.checks),
        ("signed", stated.signed == meant.signed),
        ("decision", stated.decision == meant.decision),
        ("previous", stated.previous == meant.previous),
    ];
    as_stated
        .into_iter()
        .filter(|(_, right)| !right)
        .map(|(field, _)| field)
        .collect()
}

/// Whether the stated labels are those of the recoding under which the table was judged.
fn states_recoding(stated: &Manifest, table: &Overview<'_>, columns: &Columns) -> bool {
    let quasi = columns.of(Role::Quasi).zip(columns.trees());
    stated.recoding.0.len() == columns.of(Role::Quasi).count()
        && quasi.enumerate().zip(&stated.recoding.0).all(
            |((at, (column, tree)), (name, labels))| {
                let nodes = table.labels(at);
                *column.name == **name
                    && nodes
                        .iter()
                        .map(|&node| tree.label(node))
                        .eq(labels.iter().map(String::as_str))
            },
        )
}

fn named(check: Check) -> CheckLine {
    CheckLine {
        check,
        made: false,
        value: None::<Figure>,
        limit: None,
    }
}
