//! From a judged table to an approved release: the other public files are read back and looked through too, and only what
//! the whole verdict lets pass becomes an [`Approved`]. Nothing outside this file can make one.
//!
//! ```compile_fail
//! use tidegate::engine::gate::own::Approved;
//! let approved = Approved { files: Vec::new() }; // its fields are private, and there is no constructor
//! ```
//!
//! It is spent by value, so that nothing is published twice:
//!
//! ```compile_fail
//! # fn publish(approved: tidegate::engine::gate::own::Approved) {
//! let files = approved.spend();
//! let again = approved.spend();
//! # }
//! ```

use super::verdict::{Checked, Figure, Reason, Verdict};
use crate::engine::gate::bytes::Table;
use crate::engine::gate::utility;
use crate::engine::histogram::{Release, Values};
use crate::engine::release::{self, CheckLine, Facts, FileLine, Manifest, Sha256};

/// The files that go with a table: where they will lie, and their bytes.
pub struct Pages {
    /// Where the table will lie.
    pub data: String,
    /// What every label stands for.
    pub taxonomy: (String, Vec<u8>),
    /// The page for people.
    pub report: (String, Vec<u8>),
    /// The manifest.
    pub manifest: Vec<u8>,
}

/// A table that was judged.
pub struct Judged {
    verdict: Verdict,
    table: Option<Table>,
    data: Vec<u8>,
}

/// A release that may leave.
#[derive(Debug)]
pub struct Approved {
    files: Vec<(String, Vec<u8>)>,
    manifest: Vec<u8>,
    table: Table,
    verdict: Verdict,
}

/// The files of a release that left the gate.
pub struct Files {
    /// Path and bytes of the table, the taxonomy and the report.
    pub files: Vec<(String, Vec<u8>)>,
    /// The manifest, which makes them visible.
    pub manifest: Vec<u8>,
    /// The table as the gate read it.
    pub table: Table,
}

impl Approved {
    /// Path and bytes of the table, the taxonomy and the report.
    pub fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// The manifest.
    pub fn manifest(&self) -> &[u8] {
        &self.manifest
    }

    /// What was found; nothing in it speaks against the release.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The table as the gate read it.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Hands the files over, once.
    pub fn spend(self) -> Files {
        Files { files: self.files, manifest: self.manifest, table: self.table }
    }
}

impl Judged {
    pub(super) fn new(verdict: Verdict, table: Option<(Release, Values)>, data: Vec<u8>) -> Judged {
        Judged { verdict, table: table.map(|(release, values)| Table { release, values }), data }
    }

    /// What was found.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The table as it was read; `None` when it could not be.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The public part of the verdict: no figure of a check that reads sensitive values.
    pub fn lines(&self) -> Vec<CheckLine> {
        let line = |check: &Checked| CheckLine {
            check: check.check.clone(),
            made: check.made,
            value: check.value.filter(|_| check.made && !check.sensitive),
            limit: check.limit,
        };
        self.verdict.checks.iter().map(line).chain([CheckLine { made: true, ..named("pages") }]).collect()
    }

    /// Reads the other files back; `facts` are what they may tell.
    ///
    /// # Errors
    /// The verdict, with every reason.
    pub fn approve(mut self, facts: &Facts<'_>, pages: Pages) -> Result<Approved, Verdict> {
        let mut check = Checked::made("pages");
        if let Some(table) = &self.table {
            check.reasons = self.look_through(facts, &pages, table);
        }
        self.verdict.checks.push(check);
        match self.table {
            Some(table) if self.verdict.safe() => Ok(Approved {
                files: vec![(pages.data, self.data), pages.taxonomy, pages.report],
                manifest: pages.manifest,
                table,
                verdict: self.verdict,
            }),
            _ => Err(self.verdict),
        }
    }

    fn look_through(&self, facts: &Facts<'_>, pages: &Pages, table: &Table) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if release::taxonomy(facts.columns) != pages.taxonomy.1 {
            reasons.push(Reason::plain("taxonomy", "the file is not the taxonomies of the feed file"));
        }
        let manifest = match Manifest::parse(&pages.manifest) {
            Ok(manifest) => manifest,
            Err(error) => {
                reasons.push(Reason::plain("manifest", error.to_string()));
                return reasons;
            }
        };
        let wrong = |field| Reason::plain(format!("manifest, {field}"), "this is not what the published table gives");
        let fields = self.told_wrong(facts, pages, &manifest, table);
        if !fields.is_empty() {
            reasons.extend(fields.into_iter().map(wrong));
            return reasons;
        }
        // The page cannot name itself.
        let named = |line: &FileLine| line.path != pages.report.0;
        let before =
            Manifest { files: manifest.files.iter().filter(|line| named(line)).cloned().collect(), ..manifest };
        if release::report(&before, facts.columns, &table.release) != pages.report.1 {
            reasons.push(Reason::plain("report", "the page is not the one that the manifest and the table give"));
        }
        reasons
    }

    /// The fields of a manifest that tell something else than they should.
    fn told_wrong(&self, facts: &Facts<'_>, pages: &Pages, told: &Manifest, table: &Table) -> Vec<&'static str> {
        let release = &table.release;
        // To the last bit: what may differ may carry a message.
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        let smallest = (0..release.classes()).map(|class| release.size(class)).min();
        let line = |path: &str, bytes: &[u8], rows| FileLine { path: path.to_owned(), sha256: Sha256::of(bytes), rows };
        let files = vec![
            line(&pages.data, &self.data, Some(release.rows())),
            line(&pages.taxonomy.0, &pages.taxonomy.1, None),
            line(&pages.report.0, &pages.report.1, None),
        ];
        let policy = serde_json::to_value(facts.policy).ok();
        let trees = facts.columns.trees();
        let as_told = [
            ("feed", told.feed == facts.feed),
            ("chain", told.chain == facts.chain),
            ("release", told.release == facts.release),
            ("time", told.time == facts.time),
            ("policy", Some(&told.policy) == policy.as_ref()),
            ("guarantee", told.guarantee == facts.policy.guarantee()),
            ("k", told.k == facts.policy.k()),
            ("smallest_class", Some(told.smallest_class) == smallest),
            ("rows", told.rows == release.rows()),
            ("classes", told.classes == release.classes() as u64),
            ("withheld", told.withheld == facts.withheld),
            ("loss", same(told.loss, utility::loss(release, &trees))),
            ("discernibility", same(told.discernibility, utility::discernibility(release))),
            ("recoding", self.recoding_told(facts, told, release)),
            ("files", told.files == files),
            ("checks", told.checks == self.lines()),
            ("signed", told.signed == facts.signed),
            ("decision", told.decision == facts.decision),
            ("previous", told.previous == facts.previous),
        ];
        as_told.into_iter().filter(|(_, right)| !right).map(|(field, _)| field).collect()
    }

    /// Whether the labels are those of the recoding that the table was judged under.
    fn recoding_told(&self, facts: &Facts<'_>, told: &Manifest, release: &Release) -> bool {
        let columns = facts.columns.of(crate::engine::model::Role::Quasi).zip(facts.columns.trees());
        told.recoding.0.len() == release.width()
            && columns.zip(release.recoding()).zip(&told.recoding.0).all(|(((column, tree), cut), (name, labels))| {
                let nodes = cut.nodes().iter().map(|&node| tree.label(node));
                *column.name == **name && nodes.eq(labels.iter().map(String::as_str))
            })
    }
}

fn named(check: &str) -> CheckLine {
    CheckLine { check: check.to_owned(), made: false, value: None::<Figure>, limit: None }
}
