//! What a feed at work has at hand, and how an entry gets into the log and then into the state: never the other way round.

use std::sync::atomic::AtomicU64;

use super::publish::public_root::PublicRoot;
use super::state::FeedState;
use crate::daemon::config;
use crate::daemon::error::Result;
use crate::daemon::formats::terms_to_bytes;
use crate::daemon::ingest::PersonHasher;
use crate::daemon::ingest::topic::UnwantedPolicies;
use crate::daemon::journal::store::ReadStore;
use crate::daemon::journal::{Log, NewEntry, Ref};
use crate::daemon::sign::Signing;
use crate::daemon::terms::ChainTerms;
use crate::engine::policy::{Decimal, Policy};
use crate::engine::release::{Layout, Sha256};

/// What of the feed file may change between two starts.
#[derive(Debug)]
pub struct FeedSettings {
    /// How published files lie.
    pub layout: Layout,
    /// Signs manifests.
    pub signing: Option<Signing>,
    /// A person approves after the gate has passed.
    pub manual: bool,
    /// With fewer new rows a tick is skipped.
    pub min_records: u64,
    /// The share of messages that may be set aside.
    pub max_quarantine_share: Decimal,
    /// What becomes of messages of a topic that are no rows by themselves.
    pub unwanted: UnwantedPolicies,
    /// Where schemas of messages lie.
    pub registry: Option<config::RegistrySettings>,
    /// How long raw rows are kept after what they brought is published, in seconds.
    pub keep_raw: u64,
    /// How long messages are set aside, in seconds.
    pub keep_aside: u64,
    /// How long manifests stay in the public root, in seconds; `None`: for ever.
    pub keep: Option<u64>,
    /// How long rows stay in the newest release of a table that grows, in seconds; `None`: for ever.
    pub retain: Option<u64>,
    /// How many entries or objects are too few to be put together.
    pub few: usize,
    /// What the pages tell readers beside a release.
    pub pages: config::PageTexts,
}

impl FeedSettings {
    /// Whether a chain that begins has a Delta log: its table grows, and lies in a public root.
    pub(super) fn writes_delta(&self, feed: &config::FeedConfig) -> bool {
        self.layout == Layout::Root && feed.policy.publish_every().is_some() && feed.writes_delta()
    }
}

/// The checkpoint that was written last.
#[derive(Debug, Clone, Copy, Default)]
pub struct LastCheckpoint {
    /// The entries there were then.
    pub entries: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// The writer of a feed: its log, the state that follows from it, and the root that readers see.
pub struct FeedWriter {
    pub(super) log: Log,
    pub(super) state: FeedState,
    pub(super) policy: Policy,
    pub(super) public: PublicRoot,
    pub(super) settings: FeedSettings,
    pub(super) hasher: PersonHasher,
    pub(super) last: LastCheckpoint,
    /// The entries there were when what lies alone was put together last.
    pub(super) packed: u64,
    /// How often this writer has written a release aside.
    pub(super) staged: AtomicU64,
    /// The digest of the page over all releases, once this process has written it.
    pub(super) index: Option<Sha256>,
}

impl FeedWriter {
    /// What the log says.
    pub fn state(&self) -> &FeedState {
        &self.state
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The public root.
    pub fn public(&self) -> &dyn ReadStore {
        &*self.public
    }

    /// What of the feed file may change.
    pub fn settings(&self) -> &FeedSettings {
        &self.settings
    }

    /// Appends an entry.
    pub(super) fn append(&mut self, entry: impl Into<NewEntry>) -> Result<Sha256> {
        self.log.append(entry)
    }
}

/// Seals the terms of a chain.
pub(super) fn terms(log: &mut Log, terms: &ChainTerms) -> Result<Ref> {
    log.keep("terms", &terms_to_bytes(terms))
}
