//! What may happen to a feed, kind by kind (HOUSE 3). Counts, digests, times and names of objects and files; what a record
//! says lies in sealed objects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::objects::Ref;
use crate::engine::release::{Figure, Sha256};

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "body")]
pub enum Body {
    /// A writer begins.
    Fence(Fence),
    /// A chain of releases begins.
    Chain(Chain),
    /// What of the feed file may change in a running chain was changed.
    Config(Config),
    /// Messages were taken in.
    Ingest(Ingest),
    /// Messages that were set aside were offered again.
    Retry(Retry),
    /// A tick of the schedule went by.
    Closed(Closed),
    /// The values of a tick are fixed as they will be published.
    Masked(Masked),
    /// What is to become of a release.
    Decision(Decision),
    /// A person approved a release that was held.
    Approve(Asked),
    /// A release is visible.
    Published(Published),
    /// Somebody was taken out.
    Erase(Erase),
    /// All keys were wrapped under another key of the operator.
    Rekey(Rekey),
}

impl Body {
    /// The sealed objects that it names.
    pub fn objects(&self) -> Vec<&Ref> {
        match self {
            Body::Fence(_) | Body::Approve(_) | Body::Published(_) | Body::Rekey(_) => Vec::new(),
            Body::Chain(chain) => vec![&chain.terms],
            Body::Config(config) => config.terms.iter().collect(),
            Body::Ingest(ingest) => {
                let segments = ingest.segments.iter().map(|kept| &kept.object);
                segments.chain(ingest.quarantine.iter().map(|aside| &aside.object)).collect()
            }
            Body::Retry(retry) => {
                let segments = retry.segments.iter().map(|kept| &kept.object);
                segments.chain(retry.rest.iter().flatten().map(|aside| &aside.object)).collect()
            }
            Body::Closed(closed) => closed.atoms.iter().chain(&closed.verdict).collect(),
            Body::Masked(masked) => [&masked.counts].into_iter().chain(&masked.ledger).collect(),
            Body::Decision(Decision::Publish { verdict, .. } | Decision::Hold { verdict, .. }) => vec![verdict],
            Body::Decision(Decision::Reject { verdict, .. }) => verdict.iter().collect(),
            Body::Erase(erase) => erase.moved.iter().filter_map(|moved| moved.new.as_ref()).collect(),
        }
    }

    /// What kind of entry it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Body::Fence(_) => "Fence",
            Body::Chain(_) => "Chain",
            Body::Config(_) => "Config",
            Body::Ingest(_) => "Ingest",
            Body::Retry(_) => "Retry",
            Body::Closed(_) => "Closed",
            Body::Masked(_) => "Masked",
            Body::Decision(_) => "Decision",
            Body::Approve(_) => "Approve",
            Body::Published(_) => "Published",
            Body::Erase(_) => "Erase",
            Body::Rekey(_) => "Rekey",
        }
    }
}

/// A writer begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fence {
    /// When.
    pub time: String,
    /// The version of its program.
    pub program: String,
}

/// Who asked for something, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wanted {
    /// The name of the request, which is done once.
    pub request: String,
    /// Who asked: the account that the command ran under.
    pub who: String,
    /// When.
    pub when: String,
    /// Why, in their words; they were told that nobody's data belongs here.
    pub why: Option<String>,
}

/// A chain of releases begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Chain {
    /// Its number, from 1.
    pub chain: u32,
    /// What is frozen while it runs: policy, columns, taxonomies.
    pub terms: Ref,
    /// Who asked for it; null for the first.
    pub wanted: Option<Wanted>,
}

/// What of the feed file may change in a running chain was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Config {
    /// When.
    pub time: String,
    /// The terms with the new leaves of their taxonomies; null where there are none.
    pub terms: Option<Ref>,
    /// The digest of everything else.
    pub services: Sha256,
}

/// Where messages were taken from, and what became of each: `seen = kept + duplicate + skipped + quarantined`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The file of a directory, by its name.
    pub file: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its bytes.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: i64,
    /// The first message.
    pub from: u64,
    /// The message after the last one.
    pub next: u64,
    /// Messages.
    pub seen: u64,
    /// Rows that count.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that were passed over by policy.
    pub skipped: u64,
    /// Messages that were set aside.
    pub quarantined: u64,
}

impl Part {
    /// Whether every message became something.
    pub fn adds_up(&self) -> bool {
        let parts = [self.duplicate, self.skipped, self.quarantined];
        parts.iter().try_fold(self.kept, |sum, &part| sum.checked_add(part)) == Some(self.seen)
            && self.from.checked_add(self.seen) == Some(self.next)
    }
}

/// A sealed object of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    /// It.
    pub object: Ref,
    /// Its rows.
    pub rows: u64,
}

/// A sealed object of messages that were set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quarantined {
    /// It.
    pub object: Ref,
    /// Its messages.
    pub messages: u64,
}

/// Messages were taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ingest {
    /// When.
    pub time: String,
    /// The tick that the rows wait for.
    pub tick: u32,
    /// The rows that count, in order.
    pub segments: Vec<Kept>,
    /// What was set aside.
    pub quarantine: Option<Quarantined>,
    /// Where from.
    pub parts: Vec<Part>,
    /// Sensitive cells of rows that count which were missing or malformed.
    pub nulled: u64,
}

/// Messages that were set aside were offered again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retry {
    /// Who asked.
    pub wanted: Wanted,
    /// The tick that the rows wait for.
    pub tick: u32,
    /// What was set aside before.
    pub of: Vec<Ref>,
    /// What still is of each; null where nothing is left.
    pub rest: Vec<Option<Quarantined>>,
    /// The rows that count now.
    pub segments: Vec<Kept>,
    /// How many messages were offered.
    pub offered: u64,
    /// Rows that count now.
    pub kept: u64,
    /// Rows of people who have one already.
    pub duplicate: u64,
    /// Messages that are still set aside.
    pub quarantined: u64,
    /// Of those that are not any more: messages that came since the last tick that was closed.
    pub cleared: u64,
}

/// A tick of the schedule went by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Closed {
    /// Its number, from 0.
    pub tick: u32,
    /// When it was due.
    pub time: String,
    /// There were fewer new rows than a tick needs; they wait for the next.
    pub skipped: bool,
    /// Rows that came since the tick before.
    pub new: u64,
    /// Rows whose atoms formed.
    pub added: u64,
    /// Rows that wait after it.
    pub waiting: u64,
    /// Rows that are withheld from the chain after it.
    pub withheld: u64,
    /// Rows in atoms that are not published.
    pub pending: u64,
    /// What came of it.
    pub outcome: Outcome,
    /// The standing recoding, who waits since when, who is withheld, whose atoms formed; null for a skipped tick.
    pub atoms: Option<Ref>,
    /// What the operator is told of it, beside these counts; null where there is nothing.
    pub verdict: Option<Ref>,
}

/// What came of closing a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Too few rows came; they wait for the next tick.
    Skipped,
    /// There is no release yet and too few rows for one.
    Held,
    /// Nothing was added to what is published.
    Waiting,
    /// The chain publishes nothing any more.
    Stopped,
    /// There is no release that keeps the guarantee.
    Impossible,
    /// There is a candidate: a decision follows.
    Candidate,
}

/// The values of a tick are fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Masked {
    /// The tick.
    pub tick: u32,
    /// Counts per atom and value, and the keyed hash of everybody who came; kept for ever.
    pub counts: Ref,
    /// Which values were changed; null where no set is guarded.
    pub ledger: Option<Ref>,
}

/// A file of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Staged {
    /// Where it lies aside.
    pub stage: String,
    /// Where it is published.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its rows; null for what is no table.
    pub rows: Option<u64>,
}

/// Why a release may not leave. Where and in which words is in the sealed verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Against {
    /// The check.
    pub check: String,
    /// The figure.
    pub value: Option<Figure>,
    /// What it would have to be.
    pub limit: Option<Figure>,
}

/// What is to become of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Decision {
    /// It is published.
    Publish {
        /// The release.
        release: u32,
        /// Its tick.
        tick: u32,
        /// When the tick was due.
        time: String,
        /// Its table, taxonomy and report.
        files: Vec<Staged>,
        /// The manifest without its `decision`, aside.
        manifest: Staged,
        /// The whole verdict.
        verdict: Ref,
    },
    /// It is published once a person approves.
    Hold {
        /// The release.
        release: u32,
        /// Its tick.
        tick: u32,
        /// When the tick was due.
        time: String,
        /// Its table, taxonomy and report.
        files: Vec<Staged>,
        /// The manifest without its `decision`, aside.
        manifest: Staged,
        /// The whole verdict.
        verdict: Ref,
    },
    /// It may not leave.
    Reject {
        /// The number it would have had.
        release: u32,
        /// Its tick.
        tick: u32,
        /// When the tick was due.
        time: String,
        /// Whether a check that reads sensitive values failed, so that the chain publishes nothing any more.
        stops: bool,
        /// Why.
        reasons: Vec<Against>,
        /// The whole verdict; null when a person rejected it.
        verdict: Option<Ref>,
        /// The person who rejected a release that was held.
        wanted: Option<Wanted>,
    },
}

impl Decision {
    /// The tick that the release came of.
    pub fn tick(&self) -> u32 {
        match self {
            Decision::Publish { tick, .. } | Decision::Hold { tick, .. } | Decision::Reject { tick, .. } => *tick,
        }
    }
}

/// A person decided about a release that was held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// The release.
    pub release: u32,
    /// The digest of the entry that holds it.
    pub decision: Sha256,
    /// Who.
    pub wanted: Wanted,
}

/// A release is visible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// The release.
    pub release: u32,
    /// The digest of its manifest as it was published.
    pub manifest: Sha256,
    /// When it was visible.
    pub time: String,
}

/// An object took the place of another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The path of the old one, which is gone with its key.
    pub old: String,
    /// The new one; null when nothing is left of it.
    pub new: Option<Ref>,
}

/// A release that was held and is void.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Voided {
    /// The release.
    pub release: u32,
}

/// Somebody was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Erase {
    /// Who asked.
    pub wanted: Wanted,
    /// People who were asked for.
    pub asked: u64,
    /// People who were taken out of what is not published; they may come again.
    pub erased: u64,
    /// People whose rows are published: a tombstone stays.
    pub published: u64,
    /// People who were never here.
    pub unknown: u64,
    /// Atoms that were dissolved.
    pub dissolved: u64,
    /// Objects that were written anew without them.
    pub moved: Vec<Moved>,
}

/// All keys were wrapped under another key of the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rekey {
    /// Who asked.
    pub wanted: Wanted,
    /// How many keys.
    pub keys: u64,
}
