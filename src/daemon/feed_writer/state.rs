//! The state of a feed is the fold of its log (HOUSE 3): entry after entry, in order, and nothing else. What is here can be
//! thrown away and read again.
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
    Closing, Consumed, DecidedRelease, Membership, MessageShare, OutgoingRelease, RawRows, Segment, SetAsideMessages,
    UndecidedRelease, UnpublishedAtoms,
};
use crate::daemon::formats::LeavingAtom;
use crate::daemon::ingest::topic::Position;
use crate::daemon::journal::{Coins, Ref};
use crate::daemon::terms::ChainTerms;
use crate::engine::feed::{Feed, FixedTick, ProposedRelease};
use crate::engine::gate::verdict::History;
use crate::engine::histogram::Person;
use crate::engine::model::{DetailSettings, Role};
use crate::engine::release::{PartLine, Sha256, TableId, TableKind};

/// A feed between two entries.
#[derive(Debug, Serialize, Deserialize)]
pub struct FeedState {
    /// What is frozen while the chain runs.
    pub terms: ChainTerms,
    /// The terms of all chains as they were written, each with the first tick that was closed under it; the newest are `terms`.
    pub terms_from: Vec<(u32, Ref)>,
    /// The digest of the rest of the feed file.
    pub services: Option<Sha256>,
    /// Who waits, who is published under what.
    pub feed: Feed,
    /// The releases of the chain as they were published.
    pub history: History,
    /// Releases of all chains, oldest first.
    pub releases: Vec<DecidedRelease>,
    /// The tables that grow, by their chains.
    pub tables: BTreeMap<TableId, ChainTable>,
    /// Files that were taken in, by name, with each content that they had then.
    pub files: BTreeMap<String, Vec<Consumed>>,
    /// How far the partitions of each topic were taken in.
    pub partitions: BTreeMap<String, BTreeMap<i32, Position>>,
    /// Files that were taken in since the last tick that was closed.
    pub fresh: Vec<String>,
    /// Requests that were done.
    pub requests: BTreeSet<String>,
    /// Rows that came since the last tick that was closed.
    pub segments: Vec<Segment>,
    /// Messages that were seen and set aside since then.
    pub share: MessageShare,
    /// Messages that are set aside.
    pub quarantine: Vec<SetAsideMessages>,
    /// The coins of the next tick, where they are drawn.
    pub coins: Option<Coins>,
    /// A tick whose values are not fixed yet.
    pub closing: Option<Closing>,
    /// A release that no decision was made about.
    pub due: Option<UndecidedRelease>,
    /// A release that waits for a person.
    #[serde(with = "in_json")]
    pub held: Option<OutgoingRelease>,
    /// A release that is decided and not visible yet.
    #[serde(with = "in_json")]
    pub publishing: Option<OutgoingRelease>,
    /// The ticks whose atoms are not published, oldest first, and where their people are.
    pub formed: Vec<Ref>,
    /// Where the people are who wait or are withheld.
    pub pool: Vec<UnpublishedAtoms>,
    /// Which values were changed, by the ticks whose atoms are not published.
    pub ledgers: BTreeMap<u32, Ref>,
    /// The counts of every tick that was closed.
    pub counts: Vec<(u32, Ref)>,
    /// Who is in which atom, in chains of crowds.
    pub members: Vec<Membership>,
    /// Atoms that the next release leaves out and the newest one holds, because people in them are erased.
    pub erased: Vec<LeavingAtom>,
    /// Atoms that the next release leaves out because they are older than rows are retained.
    pub retired: Vec<LeavingAtom>,
    /// The newest release that these came with, if there are any, or were any that are erased since.
    pub retired_through: Option<u32>,
    /// Whatever was forgotten is in the log.
    pub logs_forgetting: bool,
    /// Something in the public root is to leave it.
    pub cleaning: bool,
    /// Releases whose manifests are among it, because they list erased rows.
    pub replaced: Vec<u32>,
    /// Objects with raw rows, none of which has to be kept once what they brought is published.
    pub raw: Vec<RawRows>,
    /// Objects that the log names and nothing has made superfluous.
    pub live: BTreeSet<String>,
    /// When the last tick was due.
    pub ticked: Option<String>,
    /// When the newest release became visible.
    pub visible: Option<String>,
    /// When the first rows came that wait for the next one.
    pub since: Option<String>,
    /// What was proposed, while it is at hand.
    #[serde(skip)]
    pub candidate: Option<Box<ProposedRelease>>,
    /// What the last tick has fixed, until its counts are known, and whether those tell the rest of it.
    #[serde(skip)]
    pub fixed: Option<(FixedTick, bool)>,
    /// People whom entries name: while a log is read, many of them become known together.
    #[serde(skip)]
    pub named: Vec<Person>,
}

impl FeedState {
    /// The newest time in the log, of those that are kept.
    pub fn newest(&self) -> Option<Timestamp> {
        let times = [&self.ticked, &self.visible, &self.since].into_iter().flatten();
        let times = times.chain(self.quarantine.iter().map(|aside| &aside.time));
        times.filter_map(|time| time.parse().ok()).max()
    }

    /// Of a feed that begins under these terms, which lie there.
    pub fn new(terms: ChainTerms, object: Ref) -> FeedState {
        FeedState {
            feed: Feed::new(&terms.columns),
            terms,
            terms_from: vec![(0, object)],
            services: None,
            history: History::default(),
            releases: Vec::new(),
            tables: BTreeMap::new(),
            files: BTreeMap::new(),
            partitions: BTreeMap::new(),
            fresh: Vec::new(),
            requests: BTreeSet::new(),
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
            logs_forgetting: false,
            cleaning: false,
            replaced: Vec::new(),
            raw: Vec::new(),
            live: BTreeSet::new(),
            ticked: None,
            visible: None,
            since: None,
            candidate: None,
            fixed: None,
            named: Vec::new(),
        }
    }

    /// The same with the column for the number of the release, which is kept with the chain's table and not with the columns.
    #[must_use]
    pub fn with_release(self) -> FeedState {
        let table = self.tables.get(&TableId::rows(self.feed.chain()));
        let release = table.map(|table| table.release_column.clone()).unwrap_or_default();
        FeedState { terms: self.terms.with_release(release), ..self }
    }

    /// The same with so much detail to keep of each quasi column, which is not kept with the columns.
    #[must_use]
    pub fn with_details(self, details: &[DetailSettings]) -> FeedState {
        FeedState { terms: self.terms.with_details(details), ..self }
    }

    /// All of it, to be compared and to be kept.
    pub fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("serialisation failed (this is a bug)")
    }

    /// The digest of these, without a copy of them.
    ///
    /// # Panics
    /// Never: a state has no form that cannot be written.
    pub fn sha256(&self) -> Sha256 {
        let written = postcard::to_io(self, io::BufWriter::new(Digest::default()));
        let written = written.ok().and_then(|buffer| buffer.into_inner().ok());
        let Digest(digest) = written.expect("serialisation failed (this is a bug)");
        Sha256::from_bytes(digest.finalize().into())
    }

    /// Whether a file of this name was taken in with this content.
    pub fn knows(&self, file: &str, sha256: &Sha256) -> bool {
        self.files.get(file).is_some_and(|known| known.iter().any(|look| look.sha256 == *sha256))
    }

    /// The files with the rows of the newest release, where the chain's table grows.
    pub fn parts(&self) -> Vec<PartLine> {
        self.parts_of(TableKind::Rows)
    }

    /// The files of one of its tables.
    pub fn parts_of(&self, kind: TableKind) -> Vec<PartLine> {
        self.tables.get(&TableId { chain: self.feed.chain(), kind }).map(ChainTable::newest).unwrap_or_default()
    }

    /// The tables of the chain that runs.
    pub fn table_ids(&self) -> Vec<TableId> {
        let chain = self.feed.chain();
        self.tables.keys().copied().filter(|table| table.chain == chain).collect()
    }

    /// Sensitive columns.
    pub fn sensitive(&self) -> usize {
        self.terms.columns.of(Role::Sensitive).count()
    }

    /// Releases of the chain that runs.
    pub fn of_chain(&self) -> impl Iterator<Item = &DecidedRelease> {
        self.releases.iter().filter(|line| line.chain == self.feed.chain())
    }

    /// Objects that hold raw rows and that no later tick needs.
    pub fn spent(&self) -> impl Iterator<Item = &RawRows> {
        let pool = |object: &Ref| self.pool.iter().any(|place| place.object == *object);
        let ledger = |object: &Ref| self.ledgers.values().any(|ledger| ledger == object);
        let needed = move |object: &Ref| self.formed.contains(object) || pool(object) || ledger(object);
        self.raw.iter().filter(move |raw| !needed(&raw.object))
    }
}

/// Bytes that are digested while they are written.
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
