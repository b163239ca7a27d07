//! What `check` has to say, as values: `check --json` prints them, `text` words them (CONTRACTS 3). Holds what stands
//! in feed files and taxonomies, never a guarded value, a secret or an address.

use schemars::JsonSchema;
use serde::Serialize;

use super::connect::ConnectReport;
use super::doubts::{self, WarningReport};
use super::words;
use crate::daemon::config::FeedConfig;
use crate::daemon::guess::speaks_of_people;
use crate::engine::model::{Column, Domain, Kind, Role};
use crate::engine::policy::{ChainKind, PolicySettings};

/// `check --json`
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// One for each feed file, in their order.
    pub feeds: Vec<FeedReport>,
    /// What concerns several feeds together.
    pub warnings: Vec<WarningReport>,
}

/// One feed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FeedReport {
    /// The feed file.
    pub file: String,
    /// The name of the feed.
    pub name: String,
    /// What a release holds.
    pub chain: ChainKind,
    /// The columns, in the order of the file.
    pub columns: Vec<DeclaredColumn>,
    /// The whole policy in force.
    pub policy: PolicySettings,
    /// The policy in words: what releases are judged by.
    pub explained: Vec<String>,
    /// How `anonymize` makes releases, in words.
    pub publishing: Vec<String>,
    /// What only `run` uses, in words.
    pub for_daemon: Vec<String>,
    /// What can go wrong.
    pub warnings: Vec<WarningReport>,
    /// What of all that the feed file names is there; null without `--connect`.
    pub connect: Option<Vec<ConnectReport>>,
}

/// One column.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeclaredColumn {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Where the value lies in a message; null: under its name.
    pub path: Option<String>,
    /// How its values are generalised.
    pub taxonomy: Option<TaxonomyReport>,
    /// A missing value is a leaf of its own.
    pub optional: bool,
    /// The leaf for values outside the taxonomy; null: such rows are set aside.
    pub unknown: Option<String>,
    /// How many sets of values are guarded.
    pub guarded_sets: usize,
}

/// One taxonomy.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaxonomyReport {
    /// Different values.
    pub leaves: usize,
    /// Levels, the leaves and the root included.
    pub levels: u32,
    /// Labels of any level.
    pub nodes: usize,
    /// The first leaf; null where the name of the column speaks of people.
    pub first: Option<String>,
    /// The last leaf; null likewise.
    pub last: Option<String>,
    /// The label of everything.
    pub root: String,
}

impl FeedReport {
    /// Everything that is to be said of a feed.
    pub fn of(feed: &FeedConfig) -> FeedReport {
        FeedReport {
            file: feed.file.display().to_string(),
            name: feed.name.clone(),
            chain: feed.chain(),
            columns: feed.columns.iter().map(DeclaredColumn::of).collect(),
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
            path: column.path.as_deref().map(str::to_owned),
            taxonomy: column.taxonomy.as_deref().map(|domain| TaxonomyReport::of(domain, &column.name)),
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
