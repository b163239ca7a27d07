//! The parts of a feed's state: decided releases, files and messages that were accepted, people who
//! are not published, and a release that is being published.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::objects::in_json;
use super::publish::removed_manifest::Removed;
use crate::engine::feed::Arrivals;
use crate::engine::model::Taxonomy;
use crate::engine::release::{PastRelease, Sha256};
use crate::error::Result;
use crate::formats::{Atoms, LeavingAtom};
use crate::journal::{ApprovalRule, KeyRing, Ref, ReleaseDecision, RequestOrigin};

/// A release that is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedRelease {
    /// Its number.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Its tick.
    pub tick: u32,
    /// The number of its rows.
    pub rows: u64,
    /// The files that it added, tables first.
    pub files: Vec<(String, Sha256)>,
    /// The digest of its manifest, once it is visible.
    pub manifest: Option<Sha256>,
    /// Atoms that it leaves out and the previous release contains, because people in them are
    /// erased.
    pub erased: Vec<LeavingAtom>,
    /// Atoms that it leaves out because they are older than the retention.
    pub retired: Vec<LeavingAtom>,
    /// The newest release that added such atoms, if there are or were any, including atoms that
    /// have been erased since.
    pub retired_through: Option<u32>,
    /// Its scheduled time.
    pub time: String,
    /// Its public figures.
    #[serde(with = "in_json")]
    pub figures: PastRelease,
    /// Why its manifest was removed from the public root; `None` while it is there.
    pub removed: Option<Removed>,
}

/// A file that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consumed {
    /// The code of its bytes, under the key of a generation.
    pub code: Sha256,
    /// That generation.
    pub generation: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The time of its last change, in nanoseconds since 1970.
    pub modified: i64,
}

impl Consumed {
    /// A file whose bytes have this digest.
    pub fn new(ring: &KeyRing, sha256: &Sha256, size: u64, modified: SystemTime) -> Consumed {
        let (code, generation) = (ring.new_file_code(sha256), ring.generation());
        Consumed {
            code,
            generation,
            size,
            modified: nanoseconds(modified),
        }
    }

    /// Whether it is a file whose bytes have this digest.
    pub fn has(&self, ring: &KeyRing, sha256: &Sha256) -> bool {
        ring.file_code(self.generation, sha256) == Some(self.code)
    }

    /// Whether a file with this size and time is the same, as far as can be judged without reading
    /// it.
    pub fn looks(&self, size: u64, modified: SystemTime) -> bool {
        (self.size, self.modified) == (size, nanoseconds(modified))
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// An object with unpublished people: the atoms of a tick, or a part of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpublishedAtoms {
    /// The object.
    pub object: Ref,
    /// Whether it refers to the people who waited at that tick.
    pub waiting: bool,
    /// Whether it refers to the people whose atoms formed at that tick.
    pub formed: bool,
}

impl UnpublishedAtoms {
    /// The rows to which it refers.
    ///
    /// # Errors
    /// The taxonomies have changed.
    pub fn rows_of(&self, atoms: &Atoms, trees: &[&Taxonomy]) -> Result<Arrivals> {
        let mut rows = Arrivals::default();
        if self.waiting {
            rows.append(atoms.waiting.read(trees)?);
        }
        if self.formed {
            rows.append(atoms.formed.read(trees)?);
        }
        Ok(rows)
    }
}

/// The object with the members of atoms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The object.
    pub object: Ref,
    /// The tick that formed the atoms.
    pub tick: u32,
    /// The release that published them; `None` while they are unpublished.
    pub release: Option<u32>,
}

/// Rows that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The object.
    pub object: Ref,
    /// The tick before which they came.
    pub tick: u32,
}

/// The numbers of messages since the last closed tick.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageShare {
    /// All messages.
    pub seen: u64,
    /// Those that are set aside.
    pub aside: u64,
}

/// Set-aside messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideMessages {
    /// The object.
    pub object: Ref,
    /// The number of messages.
    pub messages: u64,
    /// The time since which they are set aside.
    pub time: String,
    /// Whether they came since the last closed tick.
    pub fresh: bool,
}

/// A tick whose values are not fixed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// The tick.
    pub tick: u32,
    /// The object with its atoms.
    pub atoms: Ref,
    /// Its number among the ticks that can halve.
    pub turn: Option<u64>,
}

/// A release without a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndecidedRelease {
    /// Its tick.
    pub tick: u32,
    /// The scheduled time of the tick.
    pub time: String,
    /// The record of the tick for the operator.
    pub verdict: Option<Ref>,
}

/// A release that is being published or held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingRelease {
    /// The release that the gate has approved.
    pub approved: ReleaseDecision,
    /// The digest of the entry with the decision.
    pub decision: Sha256,
    /// Who has to approve it, if it is or was held.
    pub rule: ApprovalRule,
    /// The approvals so far, while others are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<RequestOrigin>,
}

/// Raw rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawRows {
    /// The object.
    pub object: Ref,
    /// The tick that took them.
    pub tick: u32,
    /// When its people were published.
    pub published: Option<String>,
}
