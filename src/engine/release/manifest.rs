//! The manifest: the facts about a release, what was promised and checked, and the digests of its
//! files (CONTRACTS 4). Its bytes are canonical: one manifest has one spelling, and bytes in
//! another spelling are refused, so that nothing can hide in white space, in the order of keys, in
//! a duplicate key or in the notation of a number.
//!
//! It may contain only public facts about a release: no figure that depends on sensitive values, no
//! private count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::Check;
use super::check::CheckLine;
use super::digest::Sha256;
use super::figure::Figure;
use super::file::{FileLine, is_below_root};
use super::layout::Layout;
use super::overview::Overview;
use super::part::PartLine;
use super::past_release::PastRelease;
use super::presentation::Presentation;
use super::recoding::PublishedLabels;
use super::signed::{SCHEMA, signed_bytes};
use super::utility::{discernibility, loss};
use crate::model::{Columns, Node, Role};
use crate::policy::{Guarantee, Policy};

/// The layout number for a release that consists of parts of a table that grows.
const PARTS: u32 = 2;

/// The facts about a release besides its table and its terms.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseFacts<'a> {
    /// The feed's name.
    pub feed: &'a str,
    /// The chain.
    pub chain: u32,
    /// The scheduled time of the tick: `2026-11-21T10:00:00Z`.
    pub time: &'a str,
    /// Whether there is a signature beside the manifest.
    pub signed: bool,
    /// The digest of the decision to publish, if there is a log.
    pub decision: Option<Sha256>,
    /// The digest of the previous manifest.
    pub previous: Option<Sha256>,
    /// The arrangement of the files.
    pub layout: Layout,
    /// Additional information for readers on the pages.
    pub presentation: Presentation<'a>,
}

/// The terms under which a release was judged, and under which it has to be published.
#[derive(Debug, Clone, Copy)]
pub struct ReleaseTerms<'a> {
    /// The number of the release; numbers continue through all chains.
    pub release: u32,
    /// The policy in force.
    pub policy: &'a Policy,
    /// The declared columns.
    pub columns: &'a Columns,
    /// The checks, made or not.
    pub checks: &'a [CheckLine],
    /// Labels, and how many of their rows in the previous release this one leaves out.
    pub erased: &'a BTreeMap<Vec<Node>, u64>,
    /// Files with rows of earlier releases that are published already and belong to this one as
    /// well.
    pub kept: &'a [PartLine],
}

/// What a reader of releases knows of people beforehand (SCIENCE 3, *Who reads*). Readers of both
/// kinds have all releases and know when each person whom they know was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AssumedReader {
    /// The quasi columns of everybody.
    Everybody,
    /// The quasi columns of one person.
    OnePerson,
}

/// Measures beside masked values that the operator calls unrelated to them.
fn unrelated(terms: &ReleaseTerms<'_>) -> Vec<String> {
    if terms.policy.masking().is_none() {
        return Vec::new();
    }
    let measures = terms
        .columns
        .of(Role::Measure)
        .filter(|column| column.unrelated);
    measures.map(|column| column.name.to_string()).collect()
}

/// A manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this format: 2.
    pub schema: u32,
    /// 2 if the release consists of parts of a table that grows: `files` then lists all of them,
    /// including those of earlier releases. Absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<u32>,
    /// The feed's name.
    pub feed: String,
    /// The chain of releases that it belongs to.
    pub chain: u32,
    /// The number of the release; numbers continue through all chains of the feed.
    pub release: u32,
    /// The scheduled time of the release, in UTC.
    pub time: String,
    /// What the data may be used for, in the operator's words; absent if the feed file does not say
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// How readers reach the people who are responsible for the data; absent if the feed file does
    /// not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// The whole policy in force.
    #[schemars(with = "crate::policy::PolicySettings")]
    pub policy: Value,
    /// Measures that are published beside masked values because the operator says that they do not
    /// depend on guarded values, which no check examines. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrelated: Vec<String>,
    /// What the chain promises; null if each release contains other people. `bcf` is not safe
    /// against an attacker who knows the algorithm.
    pub guarantee: Option<Guarantee>,
    /// The reader that `bcf` assumes: one who knows the quasi columns and increment of one person.
    /// Absent under every other guarantee, which holds against readers who know these of everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<AssumedReader>,
    /// The smallest class that the policy allows.
    pub k: u64,
    /// The number of rows of the smallest class; 0 without rows.
    pub smallest_class: u64,
    /// The number of rows of the table; with two tables, of each of them.
    pub rows: u64,
    /// The number of classes: sets of rows with equal labels.
    pub classes: u64,
    /// Always null: no row is left out of a chain.
    pub withheld: Option<u64>,
    /// The information loss, 0 to 1. With two tables, which lose no information, that of the labels
    /// by which classes are formed.
    pub loss: f64,
    /// The sum of squared class sizes divided by the square of the number of rows; 1 = all people
    /// in one class.
    pub discernibility: f64,
    /// For each quasi column its published labels, in the order of its taxonomy. With two tables
    /// the labels by which classes are formed.
    pub recoding: PublishedLabels,
    /// The files.
    pub files: Vec<FileLine>,
    /// The checks.
    pub checks: Vec<CheckLine>,
    /// Whether there is a signature beside this file.
    pub signed: bool,
    /// The digest of the log's decision to publish; null if there is no log.
    pub decision: Option<Sha256>,
    /// The digest of the previous manifest; null for the first.
    pub previous: Option<Sha256>,
}

/// Bytes that are no manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoManifest {
    /// The keys or types are wrong.
    #[error("line {line}, column {column}: not valid in a manifest")]
    Form {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// Of another version.
    #[error(
        "a manifest of version {0}, but this version of tidegate reads version {SCHEMA}: use the tidegate that \
         wrote it"
    )]
    Version(u32),
    /// A path leads out of the root.
    #[error(
        "the path of file {0} in `files` leads out of the root: a manifest lists files below it, with parts of letters, \
         digits, `.`, `_` and `-`"
    )]
    Outside(usize),
    /// The content is right, but its spelling is not canonical.
    #[error(
        "not spelled as manifests are: white space, order of keys, a repeated key or the form of a number"
    )]
    Spelling,
}

/// The part that every version of a manifest has.
#[derive(Deserialize)]
struct Versioned {
    schema: u32,
}

impl Manifest {
    /// The manifest of a table, with the figures that follow from it.
    ///
    /// # Panics
    /// Never: a policy is JSON.
    pub fn of(
        facts: &ReleaseFacts<'_>,
        terms: &ReleaseTerms<'_>,
        table: &Overview<'_>,
        files: Vec<FileLine>,
    ) -> Manifest {
        let grows = terms.policy.has_atoms();
        let (classes, smallest) = (table.sums.classes(), table.sums.smallest().unwrap_or(0));
        assert!(
            classes.saturating_mul(smallest) <= table.sums.rows(),
            "no class is smaller than the smallest one"
        );
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
            unrelated: unrelated(terms),
            guarantee: terms.policy.guarantee(),
            reader: (terms.policy.guarantee() == Some(Guarantee::Bcf))
                .then_some(AssumedReader::OnePerson),
            k: terms.policy.k(),
            smallest_class: smallest,
            rows: table.sums.rows(),
            classes,
            withheld: None,
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

    /// Quasi columns whose only labels stand for all values. Two tables show each value unmodified.
    pub fn without_detail(&self, columns: &Columns) -> Vec<&str> {
        let coarsest = |name: &str, labels: &[String]| {
            let Some(domain) = columns
                .named(name)
                .and_then(|column| column.taxonomy.as_ref())
            else {
                return false;
            };
            let (tree, all) = (&domain.tree, domain.tree.values(0));
            all > 1
                && labels.iter().all(|label| {
                    tree.find(label)
                        .is_some_and(|node| tree.values(node) == all)
                })
        };
        let shown = self
            .recoding
            .0
            .iter()
            .filter(|(name, labels)| !labels.is_empty() && coarsest(name, labels));
        shown
            .map(|(name, _)| name.as_str())
            .filter(|_| !self.two_tables())
            .collect()
    }

    /// The figures that later pages show.
    ///
    /// # Panics
    /// If Loss is not finite, which is impossible in the manifest of a table.
    pub fn figures(&self) -> PastRelease {
        let refinement = self
            .checks
            .iter()
            .find(|line| line.check == Check::Refinement && line.made);
        PastRelease {
            release: self.release,
            rows: self.rows,
            classes: self.classes,
            smallest_class: self.smallest_class,
            loss: Figure::real(self.loss).expect("figures of a table are finite"),
            refinement: refinement.and_then(|line| line.value),
        }
    }

    /// Whether the release has two tables.
    pub fn two_tables(&self) -> bool {
        self.policy.get("output").and_then(Value::as_str) == Some("two-table")
    }

    /// Whether its rows keep their labels in all later releases.
    pub fn keeps_labels(&self) -> bool {
        self.guarantee == Some(Guarantee::Blind)
    }

    /// Whether its people are published in atoms, and its table in parts.
    pub fn has_atoms(&self) -> bool {
        self.layout.is_some()
    }

    /// The canonical bytes: JSON with two spaces of indentation and a final newline.
    ///
    /// # Panics
    /// If a float is not finite, which is impossible in the manifest of a table.
    pub fn bytes(&self) -> Vec<u8> {
        assert!(
            self.loss.is_finite() && self.discernibility.is_finite(),
            "figures of a table are finite"
        );
        let mut bytes =
            serde_json::to_vec_pretty(self).expect("serialisation failed (this is a bug)");
        bytes.push(b'\n');
        bytes
    }

    /// The bytes that the signature beside it covers.
    pub fn signed_bytes(&self) -> Vec<u8> {
        signed_bytes("manifest", &self.feed, &self.bytes())
    }

    /// Reads the output of [`Manifest::bytes`].
    ///
    /// # Errors
    /// The bytes are no manifest, a path in it leads out of the root, or their spelling is not
    /// canonical.
    pub fn parse(bytes: &[u8]) -> Result<Manifest, NoManifest> {
        let form = |error: serde_json::Error| NoManifest::Form {
            line: error.line(),
            column: error.column(),
        };
        // The version is read first: another version may have other keys.
        if let Ok(Versioned { schema }) = serde_json::from_slice(bytes)
            && schema != SCHEMA
        {
            return Err(NoManifest::Version(schema));
        }
        let manifest: Manifest = serde_json::from_slice(bytes).map_err(form)?;
        if let Some(outside) = manifest
            .files
            .iter()
            .position(|file| !is_below_root(&file.path))
        {
            return Err(NoManifest::Outside(outside + 1));
        }
        if manifest.bytes() == bytes {
            Ok(manifest)
        } else {
            Err(NoManifest::Spelling)
        }
    }
}
