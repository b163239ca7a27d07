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

use super::case::Case;
use super::crowd_history::{ErasedRows, Growth};
use super::history::{Defect, History};
use super::verdict::{Checked, Figure, Reason, Verdict};
use crate::gate::bytes::Table;
use crate::gate::utility;
use crate::histogram::Release;
use crate::model::{Columns, Cut, Role};
use crate::policy::Policy;
use crate::release::{self, CheckLine, Facts, FileLine, Manifest, Notice, Pages, Tables, Terms};

/// A table that was judged, with all that it was judged by: nothing else can be published with it.
pub struct Judged {
    policy: Policy,
    columns: Columns,
    release: u32,
    withheld: u64,
    verdict: Verdict,
    table: Option<Table>,
    growth: Option<Growth>,
    tables: Tables,
    erased: ErasedRows,
}

/// A release that may leave.
#[derive(Debug)]
pub struct Approved {
    files: Vec<(String, Vec<u8>)>,
    manifest: Vec<u8>,
    table: Table,
    growth: Option<Growth>,
    verdict: Verdict,
}

/// The files of a release that left the gate.
pub struct Files {
    /// Path and bytes of the tables, the taxonomy, the report and the notice, if there is one.
    pub files: Vec<(String, Vec<u8>)>,
    /// The manifest, which makes them visible.
    pub manifest: Vec<u8>,
    /// The table as the gate read it.
    pub table: Table,
    /// In a chain of crowds what it adds.
    growth: Option<Growth>,
}

impl Files {
    /// The gate's memory of the chain takes in what it read of this release, and what it found of it.
    ///
    /// # Errors
    /// Its labels are not those of its recoding.
    pub fn enter(self, history: &mut History, recoding: &[Cut]) -> Result<(), Defect> {
        history.take(self.table, recoding, self.growth)
    }
}

impl Approved {
    /// Path and bytes of the tables, the taxonomy, the report and the notice, if there is one, in the order of the manifest.
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
        Files { files: self.files, manifest: self.manifest, table: self.table, growth: self.growth }
    }
}

impl Judged {
    pub(super) fn new(
        case: &Case<'_>,
        verdict: Verdict,
        (found, erased): (Option<(Table, Option<Growth>)>, ErasedRows),
        tables: Tables,
    ) -> Judged {
        let (table, growth) = found.map_or((None, None), |(table, growth)| (Some(table), growth));
        Judged {
            policy: case.policy.clone(),
            columns: case.columns.clone(),
            release: case.release,
            withheld: case.withheld,
            verdict,
            table,
            growth,
            tables,
            erased,
        }
    }

    /// What was found.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The table as it was read; `None` when it could not be.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The public part of the verdict: no figure of a check that reads sensitive values, no private count.
    pub fn lines(&self) -> Vec<CheckLine> {
        let line = |check: &Checked| CheckLine {
            check: check.check.clone(),
            made: check.made,
            value: check.public_value(),
            limit: check.limit,
        };
        self.verdict.checks.iter().map(line).chain([CheckLine { made: true, ..named("pages") }]).collect()
    }

    /// What the table was judged by, with these lines of its checks.
    pub fn terms<'j>(&'j self, checks: &'j [CheckLine]) -> Terms<'j> {
        let Judged { release, withheld, .. } = *self;
        Terms { release, policy: &self.policy, columns: &self.columns, withheld, checks, erased: &self.erased }
    }

    /// Reads the other files back; `facts` and what was judged are all that they may tell.
    ///
    /// # Errors
    /// The verdict, with every reason.
    pub fn approve(mut self, facts: &Facts<'_>, pages: Pages) -> Result<Approved, Verdict> {
        // The manifest holds the digest of the table, so what is said of it may follow from sensitive values.
        let mut check = Checked::made("pages").secret();
        if let Some(table) = &self.table {
            check.reasons = self.look_through(facts, &pages, table);
        }
        self.verdict.checks.push(check);
        let notice = pages.notice.as_deref();
        let placed = facts.layout.place(self.release, &self.tables, [&pages.taxonomy, &pages.report], notice);
        let paths: Vec<String> = placed.into_iter().map(|file| file.path).collect();
        let Tables { data, sensitive } = self.tables;
        let bytes = [Some(data), sensitive, Some(pages.taxonomy), Some(pages.report), pages.notice];
        let bytes = bytes.into_iter().flatten();
        match self.table {
            Some(table) if self.verdict.safe() => {
                let files = paths.into_iter().zip(bytes).collect();
                let (manifest, growth) = (pages.manifest, self.growth);
                Ok(Approved { files, manifest, table, growth, verdict: self.verdict })
            }
            _ => Err(self.verdict),
        }
    }

    /// Every file is compared with the bytes that it must have; what is wrong with a manifest is looked for afterwards.
    fn look_through(&self, facts: &Facts<'_>, pages: &Pages, table: &Table) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if release::taxonomy(&self.columns) != pages.taxonomy {
            reasons.push(Reason::plain("taxonomy", "the file is not the taxonomies of the feed file"));
        }
        let lines = self.lines();
        let terms = self.terms(&lines);
        if Notice::of(facts, &terms).map(|notice| notice.bytes()) != pages.notice {
            let text = "the notice does not name exactly the rows that are gone";
            reasons.push(Reason::plain("notice", text));
        }
        let mut meant = Manifest::of(facts, &terms, &table.release, Vec::new());
        if release::report(&meant, &self.columns, &table.release) != pages.report {
            reasons.push(Reason::plain("report", "the page is not the one that the manifest and the table give"));
        }
        let notice = pages.notice.as_deref();
        let placed = facts.layout.place(self.release, &self.tables, [&pages.taxonomy, &pages.report], notice);
        meant.files = placed.iter().map(|file| FileLine::placed(file, table.release.rows())).collect();
        match Manifest::parse(&pages.manifest) {
            Err(error) => reasons.push(Reason::plain("manifest", error.to_string())),
            Ok(told) => {
                let wrong = told_wrong(&told, &meant, &table.release, &self.columns);
                let text = "this is not what the published table gives";
                reasons.extend(wrong.iter().map(|field| Reason::plain(format!("manifest, {field}"), text)));
                if wrong.is_empty() && meant.bytes() != pages.manifest {
                    let text = "the bytes are not the ones that this table is published with";
                    reasons.push(Reason::plain("manifest", text));
                }
            }
        }
        reasons
    }
}

/// The fields of a manifest that tell something else than they should. Figures are computed here once more, by the gate's
/// own code.
fn told_wrong(told: &Manifest, meant: &Manifest, table: &Release, columns: &Columns) -> Vec<&'static str> {
    // To the last bit: what may differ may carry a message.
    let same = |told: f64, meant: f64, found: f64| [meant, found].iter().all(|other| told.to_bits() == other.to_bits());
    let smallest = (0..table.classes()).map(|class| table.size(class)).min();
    let loss = utility::loss(table, &columns.trees());
    // Keys keep their order in the text; as values they are equal in any.
    let [told_policy, meant_policy] = [told, meant].map(|manifest| manifest.policy.to_string());
    let as_told = [
        ("feed", told.feed == meant.feed),
        ("chain", told.chain == meant.chain),
        ("release", told.release == meant.release),
        ("time", told.time == meant.time),
        ("policy", told_policy == meant_policy),
        ("guarantee", told.guarantee == meant.guarantee),
        ("k", told.k == meant.k),
        ("smallest_class", Some(told.smallest_class) == smallest),
        ("rows", told.rows == table.rows()),
        ("classes", told.classes == table.classes() as u64),
        ("withheld", told.withheld == meant.withheld),
        ("loss", same(told.loss, meant.loss, loss)),
        ("discernibility", same(told.discernibility, meant.discernibility, utility::discernibility(table))),
        ("recoding", recoding_told(told, table, columns)),
        ("files", told.files == meant.files),
        ("checks", told.checks == meant.checks),
        ("signed", told.signed == meant.signed),
        ("decision", told.decision == meant.decision),
        ("previous", told.previous == meant.previous),
    ];
    as_told.into_iter().filter(|(_, right)| !right).map(|(field, _)| field).collect()
}

/// Whether the labels are those of the recoding that the table was judged under.
fn recoding_told(told: &Manifest, table: &Release, columns: &Columns) -> bool {
    let quasi = columns.of(Role::Quasi).zip(columns.trees());
    told.recoding.0.len() == table.width()
        && quasi.enumerate().zip(&told.recoding.0).all(|((at, (column, tree)), (name, labels))| {
            let nodes = table.labels(at);
            *column.name == **name && nodes.iter().map(|&node| tree.label(node)).eq(labels.iter().map(String::as_str))
        })
}

fn named(check: &str) -> CheckLine {
    CheckLine { check: check.to_owned(), made: false, value: None::<Figure>, limit: None }
}
