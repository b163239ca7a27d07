//! The manifest: what a release is, what was promised and checked, and the digests of its files (CONTRACTS 4). Its bytes
//! are canonical: one manifest has one spelling, and bytes that are spelled otherwise are no manifest, so nothing can
//! hide in white space, in the order of keys, in a key that comes twice or in how a number is written.
//!
//! It may tell what is public about a release and no more: no figure that depends on sensitive values, no private count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::Check;
use super::check::CheckLine;
use super::digest::Sha256;
use super::figure::Figure;
use super::file::FileLine;
use super::layout::Layout;
use super::overview::Overview;
use super::part::PartLine;
use super::past_release::PastRelease;
use super::presentation::Presentation;
use super::recoding::PublishedLabels;
use super::utility::{discernibility, loss};
use crate::model::{Columns, Node};
use crate::policy::{Guarantee, Policy};

/// The version of the form.
const SCHEMA: u32 = 1;
/// How files are listed where a release is parts of a table that grows.
const PARTS: u32 = 2;

/// What is said of a release besides its table and what it was judged by.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseFacts<'a> {
    /// The feed's name.
    pub feed: &'a str,
    /// The chain.
    pub chain: u32,
    /// When the tick was scheduled: `2026-11-21T10:00:00Z`.
    pub time: &'a str,
    /// Whether a signature lies beside the manifest.
    pub signed: bool,
    /// The digest of the decision to publish, where there is a log.
    pub decision: Option<Sha256>,
    /// The digest of the manifest before this one.
    pub previous: Option<Sha256>,
    /// How the files of releases lie.
    pub layout: Layout,
    /// What the pages tell readers beside the release.
    pub presentation: Presentation<'a>,
}

/// What a release was judged by, which is what it has to be published under.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseTerms<'a> {
    /// The release; numbers run on through all chains.
    pub release: u32,
    /// The policy in force.
    pub policy: &'a Policy,
    /// The declared columns.
    pub columns: &'a Columns,
    /// People withheld from this chain so far.
    pub withheld: u64,
    /// The checks, made or not.
    pub checks: &'a [CheckLine],
    /// Labels, and how many of their rows the release leaves out that the one before it holds.
    pub erased: &'a BTreeMap<Vec<Node>, u64>,
    /// Files with rows of earlier releases that are published already and belong to this one too.
    pub kept: &'a [PartLine],
}

/// A manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this form: 1.
    pub schema: u32,
    /// 2 where the release is parts of a table that grows: `files` lists all of them, also those of earlier releases. Otherwise it is
    /// not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<u32>,
    /// The feed's name.
    pub feed: String,
    /// The chain of releases that it belongs to.
    pub chain: u32,
    /// The release; numbers run on through all chains of the feed.
    pub release: u32,
    /// When the release was due, in UTC.
    pub time: String,
    /// What the data may be used for, in the operator's words; not there where the feed file does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// How readers reach the people who are responsible for the data; not there where the feed file does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// The whole policy in force.
    #[cfg_attr(feature = "schemas", schemars(with = "crate::policy::PolicySettings"))]
    pub policy: Value,
    /// What the chain promises; null where each release holds other people. `bcf` is not safe against an attacker who
    /// knows the algorithm.
    pub guarantee: Option<Guarantee>,
    /// The smallest class that the policy allows.
    pub k: u64,
    /// The smallest class that there is; 0 without rows.
    pub smallest_class: u64,
    /// Rows of the table; of each of two.
    pub rows: u64,
    /// Classes: classes of rows with equal labels.
    pub classes: u64,
    /// People withheld from this chain so far, because too few were like them; null where no person ever is.
    pub withheld: Option<u64>,
    /// The share of detail that was given up, 0 to 1. In two tables, which give up none, that of the labels by which classes
    /// are formed.
    pub loss: f64,
    /// The sum of squared class sizes over the square of all rows; 1 = all people in one class.
    pub discernibility: f64,
    /// Per quasi column the labels it is published in, in the order of its taxonomy. In two tables the labels by which
    /// classes are formed.
    pub recoding: PublishedLabels,
    /// The files.
    pub files: Vec<FileLine>,
    /// The checks.
    pub checks: Vec<CheckLine>,
    /// Whether a signature lies beside this file.
    pub signed: bool,
    /// The digest of the log's decision to publish; null where there is no log.
    pub decision: Option<Sha256>,
    /// The digest of the manifest before this one; null for the first.
    pub previous: Option<Sha256>,
}

/// Bytes that are no manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoManifest {
    /// Not the keys and types of one.
    #[error("line {line}, column {column}: not what a manifest holds")]
    Form {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// Of another version.
    #[error(
        "a manifest of version {0}; this version of tidegate reads version {SCHEMA}: use the tidegate that wrote it"
    )]
    Version(u32),
    /// The right content in a wrong spelling.
    #[error("not spelled as manifests are: white space, order of keys, a repeated key or the form of a number")]
    Spelling,
}

/// What every version of a manifest has.
#[derive(Deserialize)]
struct Versioned {
    schema: u32,
}

impl Manifest {
    /// Of a table, with the figures that follow from it.
    ///
    /// # Panics
    /// Never: a policy is JSON.
    pub fn of(
        facts: &ReleaseFacts<'_>,
        terms: &ReleaseTerms<'_>,
        table: &Overview<'_>,
        files: Vec<FileLine>,
    ) -> Manifest {
        let grows = terms.policy.publish_every().is_some();
        let (classes, smallest) = (table.sums.classes(), table.sums.smallest().unwrap_or(0));
        assert!(classes.saturating_mul(smallest) <= table.sums.rows(), "no class is smaller than the smallest one");
        Manifest {
            schema: SCHEMA,
            layout: grows.then_some(PARTS),
            feed: facts.feed.to_owned(),
            chain: facts.chain,
            release: terms.release,
            time: facts.time.to_owned(),
            purpose: facts.presentation.purpose.map(str::to_owned),
            contact: facts.presentation.contact.map(str::to_owned),
            policy: serde_json::to_value(terms.policy).expect("a policy is JSON"),
            guarantee: terms.policy.guarantee(),
            k: terms.policy.k(),
            smallest_class: smallest,
            rows: table.sums.rows(),
            classes,
            withheld: (!grows).then_some(terms.withheld),
            loss: loss(table, &terms.columns.trees()),
            discernibility: discernibility(table),
            recoding: PublishedLabels::of(table, terms.columns),
            files,
            checks: terms.checks.to_vec(),
            signed: facts.signed,
            decision: facts.decision,
            previous: facts.previous,
        }
    }

    /// Quasi columns that show nothing but labels that stand for all values. Two tables show each value as it is.
    pub fn without_detail(&self, columns: &Columns) -> Vec<&str> {
        let coarsest = |name: &str, labels: &[String]| {
            let Some(domain) = columns.named(name).and_then(|column| column.taxonomy.as_ref()) else { return false };
            let (tree, all) = (&domain.tree, domain.tree.values(0));
            all > 1 && labels.iter().all(|label| tree.find(label).is_some_and(|node| tree.values(node) == all))
        };
        let shown = self.recoding.0.iter().filter(|(name, labels)| !labels.is_empty() && coarsest(name, labels));
        shown.map(|(name, _)| name.as_str()).filter(|_| !self.two_tables()).collect()
    }

    /// The figures that later pages show.
    ///
    /// # Panics
    /// If Loss is not finite, which no manifest of a table has.
    pub fn figures(&self) -> PastRelease {
        let refinement = self.checks.iter().find(|line| line.check == Check::Refinement && line.made);
        PastRelease {
            release: self.release,
            rows: self.rows,
            classes: self.classes,
            smallest_class: self.smallest_class,
            loss: Figure::real(self.loss).expect("figures of a table are finite"),
            refinement: refinement.and_then(|line| line.value),
        }
    }

    /// Whether the release is in two tables.
    pub fn two_tables(&self) -> bool {
        self.policy.get("output").and_then(Value::as_str) == Some("two-table")
    }

    /// Whether each class has labels of its own.
    pub fn has_own_labels(&self) -> bool {
        let search = self.policy.get("search").and_then(Value::as_str);
        matches!(search, Some("arx-lr" | "halves" | "mondrian" | "mdav"))
    }

    /// Whether its classes have labels of their own that they keep in all later releases.
    pub fn has_crowds(&self) -> bool {
        self.guarantee.is_some() && self.has_own_labels()
    }

    /// Whether a coin divided people into its classes.
    pub fn is_divided(&self) -> bool {
        self.policy.get("publish_every").is_some_and(Value::is_number)
    }

    /// The one spelling: JSON with two spaces of indentation and a last newline.
    ///
    /// # Panics
    /// If a float is not finite, which no manifest of a table has.
    pub fn bytes(&self) -> Vec<u8> {
        assert!(self.loss.is_finite() && self.discernibility.is_finite(), "figures of a table are finite");
        let mut bytes = serde_json::to_vec_pretty(self).expect("a manifest has text keys");
        bytes.push(b'\n');
        bytes
    }

    /// Reads what [`Manifest::bytes`] wrote.
    ///
    /// # Errors
    /// The bytes are no manifest, or are not spelled as one.
    pub fn parse(bytes: &[u8]) -> Result<Manifest, NoManifest> {
        let form = |error: serde_json::Error| NoManifest::Form { line: error.line(), column: error.column() };
        // The version first: another one may have other keys.
        if let Ok(Versioned { schema }) = serde_json::from_slice(bytes)
            && schema != SCHEMA
        {
            return Err(NoManifest::Version(schema));
        }
        let manifest: Manifest = serde_json::from_slice(bytes).map_err(form)?;
        if manifest.bytes() == bytes { Ok(manifest) } else { Err(NoManifest::Spelling) }
    }
}
