//! The results of `check` as values: `check --json` prints them, `text` words them (CONTRACTS 3).
//! They contain what feed files and taxonomies contain, never a guarded value, a secret or an
//! address.

use schemars::JsonSchema;
use serde::Serialize;

use super::connect::ConnectReport;
use super::doubts::{self, WarningReport};
use super::words;
use crate::daemon::config::FeedConfig;
use crate::daemon::guess::speaks_of_people;
use crate::engine::model::{Column, Domain, Kind, Role};
use crate::engine::policy::{ChainKind, PolicySettings};

/// The output of `check --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// One for each feed file, in their order.
    pub feeds: Vec<FeedReport>,
    /// Warnings about several feeds together.
    pub warnings: Vec<WarningReport>,
}

/// One feed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FeedReport {
    /// The feed file.
    pub file: String,
    /// The name of the feed.
    pub name: String,
    /// What a release contains.
    pub chain: ChainKind,
    /// The columns, in the order of the file.
    pub columns: Vec<DeclaredColumn>,
    /// What a record is, and which ones are read; empty if every message is one.
    pub records: Vec<String>,
    /// The whole policy in force.
    pub policy: PolicySettings,
    /// The policy in words: what releases are checked for.
    pub explained: Vec<String>,
    /// How `anonymize` makes releases, in words.
    pub publishing: Vec<String>,
    /// What only `run` uses, in words.
    pub for_daemon: Vec<String>,
    /// What can go wrong.
    pub warnings: Vec<WarningReport>,
    /// The connections that the feed file names; null without `--connect`.
    pub connect: Option<Vec<ConnectReport>>,
}

/// One column.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeclaredColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The type of its values.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The path of the value in a message; null if it is the name of the column.
    pub path: Option<String>,
    /// Paths that count where those before lead to no value.
    pub other_paths: Vec<String>,
    /// What is done to the text before its type is read, in words.
    pub changed: Vec<String>,
    /// How its values are generalised.
    pub taxonomy: Option<TaxonomyReport>,
    /// Whether a missing value is a leaf of its own.
    pub optional: bool,
    /// The leaf for values outside the taxonomy; null if such rows are set aside.
    pub unknown: Option<String>,
    /// The number of guarded sets of values.
    pub guarded_sets: usize,
}

/// One taxonomy.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaxonomyReport {
    /// The number of different values.
    pub leaves: usize,
    /// Levels, including the leaves and the root.
    pub levels: u32,
    /// Labels of all levels.
    pub nodes: usize,
    /// The first leaf; null if the name of the column could be a value about people.
    pub first: Option<String>,
    /// The last leaf; null for the same reason.
    pub last: Option<String>,
    /// The label of all values.
    pub root: String,
}

impl FeedReport {
    /// The report about a feed.
    pub fn of(feed: &FeedConfig) -> FeedReport {
        FeedReport {
            file: feed.file.display().to_string(),
            name: feed.name.clone(),
            chain: feed.chain(),
            columns: feed.columns.iter().map(DeclaredColumn::of).collect(),
            records: words::records(&feed.records),
            policy: feed.policy.in_force().clone(),
            explained: words::explain(feed),
            publishing: words::publishing(feed),
            for_daemon: words::for_daemon(feed),
            warnings: doubts::of(feed),
            connect: None,
        }
    }
}

impl DeclaredColumn {
    fn of(column: &Column) -> DeclaredColumn {
        DeclaredColumn {
            name: column.name.to_string(),
            role: column.role,
            kind: column.kind,
            path: column.source.paths.first().map(|path| path.to_string()),
            other_paths: column
                .source
                .paths
                .iter()
                .skip(1)
                .map(|path| path.to_string())
                .collect(),
            changed: words::changed(&column.source),
            taxonomy: column
                .taxonomy
                .as_deref()
                .map(|domain| TaxonomyReport::of(domain, &column.name)),
            optional: column.optional,
            unknown: column.unknown.as_deref().map(str::to_owned),
            guarded_sets: column.guarded.len(),
        }
    }
}

impl TaxonomyReport {
    fn of(domain: &Domain, column: &str) -> TaxonomyReport {
        let tree = &domain.tree;
        let shown = !speaks_of_people(column);
        let leaf = |leaf: usize| shown.then(|| tree.label(tree.leaf_node(leaf as u32)).to_owned());
        TaxonomyReport {
            leaves: tree.leaves(),
            levels: tree.height(0) + 1,
            nodes: tree.nodes(),
            first: leaf(0),
            last: leaf(tree.leaves() - 1),
            root: tree.label(0).to_owned(),
        }
    }
}
