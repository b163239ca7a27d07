//! The writer of a running feed: an entry is appended to the log first and then applied to the
//! state, never the reverse.

use std::sync::Arc;

use super::publish::public_root::PublicRoot;
use super::state::FeedState;
use crate::config;
use crate::engine::policy::{Decimal, Policy};
use crate::engine::release::{Layout, Sha256};
use crate::error::Result;
use crate::formats::terms_to_bytes;
use crate::ingest::PersonHasher;
use crate::journal::{ApprovalRule, Log, Ref};
use crate::sign::Signing;
use crate::terms::ChainTerms;

/// The settings of the feed file that may change between two starts.
#[derive(Debug)]
pub struct FeedSettings {
    /// The arrangement of published files.
    pub layout: Layout,
    /// The key that signs manifests.
    pub signing: Option<Signing>,
    /// Who approves after the gate; `None` if the gate alone decides.
    pub approval: Option<ApprovalRule>,
    /// A tick with fewer new rows is skipped.
    pub min_records: u64,
    /// The largest share of messages that may be set aside.
    pub max_quarantine_share: Decimal,
    /// What happens to messages of a topic that are no rows.
    pub records: Arc<config::RecordRules>,
    /// The registry of the messages' schemas.
    pub registry: Option<config::RegistrySettings>,
    /// How long raw rows are kept after their people are published, in seconds.
    pub keep_raw: u64,
    /// How long set-aside messages are kept, in seconds.
    pub keep_aside: u64,
    /// How long manifests stay in the public root, in seconds; `None`: for ever.
    pub keep: Option<u64>,
    /// How long rows stay in the newest release of a table that grows, in seconds; `None`: for
    /// ever.
    pub retain: Option<u64>,
    /// The number of entries or objects from which on they are packed.
    pub few: usize,
    /// Additional information for readers on the pages.
    pub pages: config::PageTexts,
}

impl FeedSettings {
    /// Whether a new chain has a Delta log: its table grows and is in a public root.
    pub(super) fn writes_delta(&self, feed: &config::FeedConfig) -> bool {
        self.layout == Layout::Root && feed.policy.has_atoms() && feed.writes_delta()
    }
}

/// The last checkpoint.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastCheckpoint {
    /// The number of entries at that time.
    pub entries: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The writer of a feed: its log, the state that follows from it, and the public root.
pub struct FeedWriter {
    pub(super) log: Log,
    pub(super) state: FeedState,
    pub(super) policy: Policy,
    pub(super) public: PublicRoot,
    pub(super) settings: FeedSettings,
    pub(super) hasher: PersonHasher,
    pub(super) last: LastCheckpoint,
    /// The number of entries at the time of the last packing.
    pub(super) packed: u64,
    /// How often this writer has staged a release.
    pub(super) staged: u64,
    /// The digest of the page over all releases, if this process has written it.
    pub(super) index: Option<Sha256>,
}

/// Seals the terms of a chain.
pub(super) fn terms(log: &mut Log, terms: &ChainTerms) -> Result<Ref> {
    log.keep("terms", &terms_to_bytes(terms))
}
