//! The state of a feed: the fold of its log (HOUSE 3), entry after entry, in order, and nothing
//! else. It can be discarded and read again.
//!
//! Nothing here writes, and nothing decides.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use super::objects::in_json;
use super::publish::chain_table::ChainTable;
use super::state_parts::{
    Closing, Consumed, DecidedRelease, Membership, MessageShare, OutgoingRelease, RawRows, Segment,
    SetAsideMessages, UndecidedRelease, UnpublishedAtoms,
};
use crate::engine::feed::{Feed, ProposedRelease};
use crate::engine::gate::verdict::History;
use crate::engine::histogram::Person;
use crate::engine::model::{DetailSettings, Role};
use crate::engine::release::{PartLine, Sha256, TableId, TableKind};
use crate::formats::LeavingAtom;
use crate::ingest::topic::Position;
use crate::journal::{Coins, KeyRing, Ref};
use crate::terms::ChainTerms;

/// A feed between two entries.
#[derive(Debug, Serialize, Deserialize)]
pub struct FeedState {
    /// The terms that are frozen while the chain runs.
    pub terms: ChainTerms,
    /// The digest of the other settings of the feed file.
    pub services: Option<Sha256>,
    /// The waiting and the published people, with their recodings.
    pub feed: Feed,
    /// The releases of the chain as they were published.
    pub history: History,
    /// Releases of all chains, oldest first.
    pub releases: Vec<DecidedRelease>,
    /// The tables that grow, by their chains.
    pub tables: BTreeMap<TableId, ChainTable>,
    /// The files that were accepted, by name, with each of their contents.
    pub files: BTreeMap<String, Vec<Consumed>>,
    /// How far the partitions of each topic were accepted.
    pub partitions: BTreeMap<String, BTreeMap<i32, Position>>,
    /// Files that were accepted since the last closed tick.
    pub fresh: Vec<String>,
    /// Requests that were answered, and whether each was done.
    pub requests: BTreeMap<String, bool>,
    /// Rows that came since the last closed tick.
    pub segments: Vec<Segment>,
    /// The numbers of messages, and of set-aside ones, since then.
    pub share: MessageShare,
    /// Set-aside messages.
    pub quarantine: Vec<SetAsideMessages>,
    /// The coins of the next tick, if they are drawn.
    pub coins: Option<Coins>,
    /// A tick whose values are not fixed yet.
    pub closing: Option<Closing>,
    /// A release without a decision.
    pub due: Option<UndecidedRelease>,
    /// A release that is held for approval.
    #[serde(with = "in_json")]
    pub held: Option<OutgoingRelease>,
    /// A release that is decided and not visible yet.
    #[serde(with = "in_json")]
    pub publishing: Option<OutgoingRelease>,
    /// The ticks with unpublished atoms, oldest first, and the objects of their people.
    pub formed: Vec<Ref>,
    /// The objects of people who wait.
    pub pool: Vec<UnpublishedAtoms>,
    /// The changed values, by tick, of ticks with unpublished atoms.
    pub ledgers: BTreeMap<u32, Ref>,
    /// The counts of every closed tick.
    pub counts: Vec<(u32, Ref)>,
    /// The members of atoms, in chains of crowds.
    pub members: Vec<Membership>,
    /// Atoms that the next release leaves out and the newest one contains, because people in them
    /// are erased.
    pub erased: Vec<LeavingAtom>,
    /// Atoms that the next release leaves out because they are older than the retention.
    pub retired: Vec<LeavingAtom>,
    /// The newest release that added such atoms, if there are or were any, including atoms that
    /// have been erased since.
    pub retired_through: Option<u32>,
    /// Whether something has to be removed from the public root.
    pub cleaning: bool,
    /// Releases whose manifests have to be removed because they list erased rows.
    pub replaced: Vec<u32>,
    /// Objects with raw rows, which need not be kept once their people are published.
    pub raw: Vec<RawRows>,
    /// Objects that the log names and that are still needed.
    pub live: BTreeSet<String>,
    /// The scheduled time of the last tick.
    pub ticked: Option<String>,
    /// When the newest release became visible.
    pub visible: Option<String>,
    /// The arrival of the first rows that wait for the next release.
    pub since: Option<String>,
    /// The proposed release, while it is in memory.
    #[serde(skip)]
    pub candidate: Option<Box<ProposedRelease>>,
    /// People in entries: while a log is read, many of them are added together.
    #[serde(skip)]
    pub named: Vec<Person>,
}

impl FeedState {
    /// The newest time in the log that is stored.
    pub fn newest(&self) -> Option<Timestamp> {
        let times = [&self.ticked, &self.visible, &self.since]
            .into_iter()
            .flatten();
        let times = times.chain(self.quarantine.iter().map(|aside| &aside.time));
        times.filter_map(|time| time.parse().ok()).max()
    }

    /// The state of a feed that begins under these terms.
    pub fn new(terms: ChainTerms) -> FeedState {
        FeedState {
            feed: Feed::new(&terms.columns),
            terms,
            services: None,
            history: History::default(),
            releases: Vec::new(),
            tables: BTreeMap::new(),
            files: BTreeMap::new(),
            partitions: BTreeMap::new(),
            fresh: Vec::new(),
            requests: BTreeMap::new(),
            segments: Vec::new(),
            share: MessageShare::default(),
            quarantine: Vec::new(),
            coins: None,
            closing: None,
            due: None,
            held: None,
            publishing: None,
            formed: Vec::new(),
            pool: Vec::new(),
            ledgers: BTreeMap::new(),
            counts: Vec::new(),
            members: Vec::new(),
            erased: Vec::new(),
            retired: Vec::new(),
            retired_through: None,
            cleaning: false,
            replaced: Vec::new(),
            raw: Vec::new(),
            live: BTreeSet::new(),
            ticked: None,
            visible: None,
            since: None,
            candidate: None,
            named: Vec::new(),
        }
    }

    /// Adds the column for the number of the release, which is stored with the chain's table and
    /// not with the columns.
    #[must_use]
    pub fn with_release(self) -> FeedState {
        let table = self.tables.get(&TableId::rows(self.feed.chain()));
        let release = table
            .map(|table| table.release_column.clone())
            .unwrap_or_default();
        FeedState {
            terms: self.terms.with_release(release),
            ..self
        }
    }

    /// Adds the settings of detail of the quasi columns, which are not stored with the columns.
    #[must_use]
    pub fn with_details(self, details: &[DetailSettings]) -> FeedState {
        FeedState {
            terms: self.terms.with_details(details),
            ..self
        }
    }

    /// The whole state, for comparing and storing.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("serialisation failed (this is a bug)")
    }

    /// The digest of these bytes, without a copy of them.
    ///
    /// # Panics
    /// Never: serialisation cannot fail.
    pub fn sha256(&self) -> Sha256 {
        let written = postcard::to_io(self, io::BufWriter::new(Digest::default()));
        let written = written.ok().and_then(|buffer| buffer.into_inner().ok());
        let Digest(digest) = written.expect("serialisation failed (this is a bug)");
        Sha256::from_bytes(digest.finalize().into())
    }

    /// Whether a file of this name was accepted with this content.
    pub fn knows(&self, file: &str, sha256: &Sha256, ring: &KeyRing) -> bool {
        self.files
            .get(file)
            .is_some_and(|known| known.iter().any(|look| look.has(ring, sha256)))
    }

    /// The files with the rows of the newest release, if the chain's table grows.
    pub fn parts(&self) -> Vec<PartLine> {
        self.parts_of(TableKind::Rows)
    }

    /// The files of one of its tables.
    pub fn parts_of(&self, kind: TableKind) -> Vec<PartLine> {
        self.tables
            .get(&TableId {
                chain: self.feed.chain(),
                kind,
            })
            .map(ChainTable::newest)
            .unwrap_or_default()
    }

    /// The tables of the running chain.
    pub fn table_ids(&self) -> Vec<TableId> {
        let chain = self.feed.chain();
        self.tables
            .keys()
            .copied()
            .filter(|table| table.chain == chain)
            .collect()
    }

    /// The number of sensitive columns.
    pub fn sensitive(&self) -> usize {
        self.terms.columns.of(Role::Sensitive).count()
    }

    /// The releases of the running chain.
    pub fn of_chain(&self) -> impl Iterator<Item = &DecidedRelease> {
        self.releases
            .iter()
            .filter(|line| line.chain == self.feed.chain())
    }

    /// The objects in which people wait.
    pub fn pool_in_use(&self) -> impl Iterator<Item = &UnpublishedAtoms> {
        let some_wait = self.feed.waiting().rows() > 0;
        let in_use = move |place: &&UnpublishedAtoms| place.formed || place.waiting && some_wait;
        self.pool.iter().filter(in_use)
    }

    /// Objects with raw rows that no later tick needs.
    pub fn spent(&self) -> impl Iterator<Item = &RawRows> {
        let pool = |object: &Ref| self.pool_in_use().any(|place| place.object == *object);
        let ledger = |object: &Ref| self.ledgers.values().any(|ledger| ledger == object);
        let needed =
            move |object: &Ref| self.formed.contains(object) || pool(object) || ledger(object);
        self.raw.iter().filter(move |raw| !needed(&raw.object))
    }
}

/// Computes a digest of bytes while they are written.
#[derive(Default)]
struct Digest(sha2::Sha256);

impl io::Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
