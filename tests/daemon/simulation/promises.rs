//! The invariants of every single change of a root, whatever fails: the log is one chain, each
//! message is accepted once, nothing is public that was not decided, and whatever a visible
//! manifest lists exists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use tidegate::daemon::journal::store::{Memory, ReadStore as _, log};
use tidegate::daemon::journal::{
    Decision, Entry, EntryBody, Erase, HoldDecision, Ingest, MessageOrigin, RequestOrigin,
};
use tidegate::engine::release::{Layout, Sha256};

use super::nature::Side;
use super::person;
use super::public::table;
use super::stores::Change;
use crate::common::is_advisory;

/// Files of a release, and their hashes.
type Files = BTreeMap<String, Sha256>;

/// What a feed knows about a person when it erases them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// They count and are not published: they are removed.
    Unpublished,
    /// They are published: a tombstone stays.
    Published,
    /// None of their messages was accepted.
    NotTakenIn,
}

impl Known {
    fn of(erase: &Erase) -> Known {
        match (erase.erased, erase.published, erase.unknown) {
            (1, 0, 0) => Known::Unpublished,
            (0, 1, 0) => Known::Published,
            (0, 0, 1) => Known::NotTakenIn,
            _ => panic!("a request of one person erases another number"),
        }
    }
}

/// The events so far.
#[derive(Default)]
pub struct Promises {
    /// The hashes of the entries.
    entries: Vec<Sha256>,
    /// Files of releases that were decided, in all chains.
    decided: BTreeMap<u32, Files>,
    /// A release that waits for a person, the entry that holds it, and its files.
    held: Option<(u32, Sha256, Files)>,
    /// The files in visible manifests.
    visible: BTreeMap<u32, BTreeSet<String>>,
    /// The newest release that was visible.
    newest: u32,
    /// Rows that count, at once or after set-aside messages were offered again.
    pub kept: u64,
    /// What the feed knew about each erased person, by the request.
    pub erasures: BTreeMap<String, Known>,
    /// The next offset of each partition.
    pub next: BTreeMap<i32, u64>,
    /// Whether a new chain is disjoint.
    disjoint: bool,
    /// How many people have to approve a release, and who has approved the one that waits.
    approvals: u32,
    approved_by: BTreeSet<String>,
    /// Disjoint chains.
    disjoint_chains: BTreeSet<u64>,
    /// The people of each table, and of each release with its chain.
    tables: BTreeMap<String, Vec<u64>>,
    pub released: BTreeMap<u32, (u64, BTreeSet<u64>)>,
    /// The next change is a write that the store had given up.
    pub late: bool,
    /// Files of Delta logs that were deleted.
    deleted: BTreeSet<String>,
    /// Manifests, files of Delta logs, and names of releases that late writes restored, until a
    /// process removes them or writes them again.
    pub returned: BTreeSet<String>,
    /// Files of releases that were staged so late that no process knows them.
    pub staged_late: BTreeSet<String>,
    /// The page of all releases as a process wrote it last.
    index: Option<Sha256>,
    /// An earlier version of it was written late.
    index_is_late: bool,
    /// Something was to be removed from the public root.
    leaves: bool,
    pub kinds: BTreeMap<&'static str, u64>,
}

impl Promises {
    /// The settings of the feed file from now on.
    pub fn goes_by(&mut self, disjoint: bool, approvals: u32) {
        (self.disjoint, self.approvals) = (disjoint, approvals);
    }

    /// Checks a change.
    pub fn look(&mut self, roots: &[Memory; 2], side: Side, change: &Change) {
        if self.late && change.path().starts_with("stage/") {
            self.staged_late.insert(change.path().to_owned());
        }
        match (side, change) {
            (Side::Private, Change::Create(path, bytes)) => {
                if let Some(seq) = log::place(path) {
                    self.entry(seq, bytes);
                }
            }
            (Side::Private, Change::Replace(path, _)) => {
                assert!(
                    ["clock", "scrubbed", "halted.json", "FORMAT"].contains(&path.as_str()),
                    "{path} was written again"
                );
            }
            (Side::Private, Change::Delete(_)) => {}
            (Side::Public, Change::Create(path, bytes)) => {
                self.shown(&roots[Side::Public as usize], path, bytes)
            }
            (Side::Public, Change::Replace(path, bytes)) => self.advised(path, bytes),
            (Side::Public, Change::Delete(path)) => self.gone(path),
        }
    }

    /// An entry of the log was written.
    fn entry(&mut self, seq: u64, bytes: &[u8]) {
        let entry = Entry::unproven(bytes).expect("an entry");
        let sha256 = Sha256::of(bytes);
        assert_eq!(entry.seq, seq, "an entry in the place of another one");
        if let Some(known) = self.entries.get(seq as usize) {
            // The number was free again, since its entry is in a pack. A writer that read the log
            // before that appends its fence there, checks whether it is the newest entry, and ends:
            // no entry follows such a fence.
            if matches!(entry.body, EntryBody::Fence(_)) {
                return;
            }
            assert_eq!(*known, sha256, "entry {seq} is there twice");
            return;
        }
        assert_eq!(seq, self.entries.len() as u64, "a gap in the log");
        assert_eq!(
            entry.prev_sha256.as_ref(),
            self.entries.last(),
            "entry {seq} follows another one"
        );
        self.entries.push(sha256);
        *self.kinds.entry(entry.body.kind()).or_default() += 1;
        match &entry.body {
            EntryBody::Chain(chain) if self.disjoint => {
                _ = self.disjoint_chains.insert(u64::from(chain.chain))
            }
            EntryBody::Ingest(ingest) => self.taken(ingest),
            EntryBody::Retry(retry) => self.kept += retry.kept,
            EntryBody::Decision(Decision::Publish(approved)) => {
                let release = approved.release();
                let files = approved
                    .files()
                    .iter()
                    .map(|file| (file.path.clone(), file.sha256))
                    .collect();
                assert!(
                    self.decided.insert(release, files).is_none(),
                    "release {release} is decided twice"
                );
            }
            EntryBody::Decision(Decision::Hold(HoldDecision { approved, .. })) => {
                let files = approved
                    .files()
                    .iter()
                    .map(|file| (file.path.clone(), file.sha256))
                    .collect();
                self.held = Some((approved.release(), sha256, files));
                self.approved_by.clear();
            }
            EntryBody::Approve(approved) if approved.missing > 0 => self.approves(&approved.wanted),
            EntryBody::Approve(approved) => {
                self.approves(&approved.wanted);
                assert!(
                    self.approved_by.len() >= self.approvals as usize,
                    "too few people have approved a release"
                );
                let (release, _, files) = self.held.take().expect("a release that is held");
                assert_eq!(release, approved.release);
                assert!(
                    self.decided.insert(release, files).is_none(),
                    "release {release} is decided twice"
                );
            }
            EntryBody::Published(published) => {
                assert!(
                    self.visible.contains_key(&published.release),
                    "a release is called visible that is not"
                );
            }
            EntryBody::Erase(erase) => {
                self.leaves = true;
                let other = self
                    .erasures
                    .insert(erase.wanted.request.clone(), Known::of(erase));
                assert!(other.is_none(), "a person is erased twice by one request");
            }
            EntryBody::Withdraw(_) | EntryBody::Expire(_) | EntryBody::Retire(_) => {
                self.leaves = true
            }
            _ => {}
        }
    }

    /// A person approves the release that waits, with a signature if several have to.
    fn approves(&mut self, wanted: &RequestOrigin) {
        let name = wanted
            .signed
            .as_ref()
            .map(|signed| &signed.name)
            .or((self.approvals < 2).then_some(&wanted.who));
        let new = self
            .approved_by
            .insert(name.expect("an approver signs").clone());
        assert!(new, "a person approves a release twice");
    }

    /// Each message is accepted once, and none is left out.
    fn taken(&mut self, ingest: &Ingest) {
        for part in &ingest.parts {
            let MessageOrigin::Partition { partition, .. } = &part.origin else {
                panic!("a topic has partitions")
            };
            let next = self.next.entry(*partition).or_default();
            assert_eq!(
                part.from, *next,
                "messages of partition {partition} are left out or taken in twice"
            );
            *next = part.next;
            self.kept += part.counts.kept;
        }
    }

    /// A public file was written.
    fn shown(&mut self, public: &Memory, path: &str, bytes: &[u8]) {
        let first = path.split('/').next().expect("a part");
        let manifest = path
            .strip_prefix("manifest/")
            .and_then(|name| name.strip_suffix(".json"));
        match first {
            "manifest" if manifest.is_none() => {}
            "manifest" => {
                let release: u32 = manifest
                    .and_then(|number| number.parse().ok())
                    .expect("a number");
                self.manifest(public, release, bytes);
            }
            "withdrawn" | "replaced" | "expired" => {
                assert!(self.leaves, "{path}: nothing was to leave")
            }
            _ if path.contains("/_delta_log/") => {
                if self.late && self.deleted.contains(path) {
                    self.returned.insert(path.to_owned());
                }
            }
            _ if is_advisory(path) => {}
            _ => {
                let signed = path.strip_suffix(".sig");
                let decided = self
                    .decided
                    .values()
                    .find_map(|files| files.get(signed.unwrap_or(path)));
                let decided =
                    decided.unwrap_or_else(|| panic!("{path} is public and was not decided"));
                if signed.is_none() {
                    assert_eq!(
                        *decided,
                        Sha256::of(bytes),
                        "{path} is not as it was decided"
                    );
                }
                let files = self.decided.values().find(|files| files.contains_key(path));
                let two = files
                    .is_some_and(|files| files.keys().any(|path| path.starts_with("sensitive/")));
                if path.starts_with(if two { "sensitive/" } else { "data/" }) {
                    let diagnoses = table(bytes.to_vec().into());
                    let people = diagnoses
                        .iter()
                        .map(|diagnosis| person::of(diagnosis))
                        .collect();
                    self.tables.insert(path.to_owned(), people);
                }
            }
        }
    }

    /// A release is visible.
    fn manifest(&mut self, public: &Memory, release: u32, bytes: &[u8]) {
        assert!(
            self.decided.contains_key(&release),
            "release {release} is visible and was not decided"
        );
        if self.late && self.leaves && release <= self.newest {
            self.returned.insert(Layout::Root.manifest(release));
            return;
        }
        assert_eq!(release, self.newest + 1, "releases follow one another");
        let manifest: Json = serde_json::from_slice(bytes).expect("JSON");
        let (mut listed, mut people) = (BTreeSet::new(), Vec::new());
        let two = manifest["policy"]["output"] == "two-table";
        for file in manifest["files"].as_array().expect("files") {
            let path = file["path"].as_str().expect("a path");
            let there = public.read(path).expect("memory");
            let there =
                there.unwrap_or_else(|| panic!("release {release} is visible without {path}"));
            assert_eq!(
                file["sha256"],
                Sha256::of(&there).to_string(),
                "{path} is not what release {release} lists"
            );
            if path.starts_with(if two { "sensitive/" } else { "data/" }) {
                people.extend(&self.tables[path]);
            }
            listed.insert(path.to_owned());
        }
        let chain = manifest["chain"].as_u64().expect("a number");
        self.people(
            release,
            chain,
            people,
            manifest["rows"].as_u64().expect("a number"),
        );
        let signature = format!("manifest/{release:010}.json.sig");
        assert!(
            public.read(&signature).expect("memory").is_some(),
            "release {release} is visible without signature"
        );
        self.visible.insert(release, listed);
        self.newest = release;
    }

    /// These people are in a release: each once, and in no other chain.
    fn people(&mut self, release: u32, chain: u64, people: Vec<u64>, rows: u64) {
        let each: BTreeSet<u64> = people.iter().copied().collect();
        assert_eq!(
            each.len(),
            people.len(),
            "a person is in release {release} twice"
        );
        assert_eq!(
            people.len() as u64,
            rows,
            "release {release} has other rows than its manifest says"
        );
        for (other, of) in self.released.values().filter(|(other, _)| *other != chain) {
            assert!(
                of.is_disjoint(&each),
                "a person of chain {other} is in chain {chain} too"
            );
        }
        let before = self
            .released
            .values()
            .rev()
            .find(|(other, _)| *other == chain);
        if let Some((_, before)) = before.filter(|_| !self.leaves) {
            let disjoint = self.disjoint_chains.contains(&chain);
            let kept = if disjoint {
                before.is_disjoint(&each)
            } else {
                before.is_subset(&each)
            };
            assert!(
                kept,
                "release {release} has lost or repeated people of the one before it"
            );
        }
        self.released.insert(release, (chain, each));
    }

    /// A file that helps readers was written again. A late write may name a release that was
    /// removed since.
    fn advised(&mut self, path: &str, bytes: &[u8]) {
        assert!(is_advisory(path), "{path} was written again");
        let sha256 = Sha256::of(bytes);
        let goes_back = match path {
            _ if !self.late || !self.leaves => false,
            "LATEST" => !self
                .visible()
                .iter()
                .any(|release| bytes.starts_with(Layout::Root.manifest(*release).as_bytes())),
            "index.html" => self.index != Some(sha256) && self.has_left(),
            _ => false,
        };
        if goes_back {
            self.returned.insert(path.to_owned());
        } else {
            self.returned.remove(path);
        }
        if path == "index.html" {
            self.index_is_late = self.late && self.index != Some(sha256);
            self.index = if self.late { self.index } else { Some(sha256) };
        }
    }

    /// Whether a release that was visible was removed.
    fn has_left(&self) -> bool {
        (self.visible.len() as u64) < u64::from(self.newest)
    }

    /// The page of all releases is an earlier one and lists no removed release: the next release
    /// writes it again.
    pub fn index_is_behind(&self) -> bool {
        self.index_is_late && !self.has_left()
    }

    /// The release that waits for a person, and the entry that holds it.
    pub fn held(&self) -> Option<(u32, Sha256)> {
        self.held
            .as_ref()
            .map(|(release, decision, _)| (*release, *decision))
    }

    /// The newest release that is visible.
    pub fn newest(&self) -> Option<u32> {
        self.visible.keys().next_back().copied()
    }

    /// The releases that are visible.
    pub fn visible(&self) -> Vec<u32> {
        self.visible.keys().copied().collect()
    }

    /// The people who were ever in a release.
    pub fn ever(&self) -> BTreeSet<u64> {
        self.released
            .values()
            .flat_map(|(_, people)| people)
            .copied()
            .collect()
    }

    /// A public file was removed.
    fn gone(&mut self, path: &str) {
        self.returned.remove(path);
        if path.contains("/_delta_log/") {
            self.deleted.insert(path.to_owned());
        }
        let manifest = path
            .strip_prefix("manifest/")
            .and_then(|name| name.strip_suffix(".json"));
        if let Some(release) = manifest.and_then(|number| number.parse::<u32>().ok()) {
            assert!(
                self.leaves,
                "the manifest of release {release} is gone, and nothing was to leave"
            );
            self.visible.remove(&release);
        }
        let listed = self.visible.iter().find(|(_, files)| files.contains(path));
        assert!(
            listed.is_none(),
            "{path} is gone, and release {:?} lists it",
            listed.map(|(release, _)| release)
        );
    }
}
