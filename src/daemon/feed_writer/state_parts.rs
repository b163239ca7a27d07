//! What the state of a feed is made of: releases that are decided, files and messages that were taken in, people who are not
//! published, and a release on its way.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::objects::in_json;
use super::publish::removed_manifest::Removed;
use crate::daemon::formats::{Atoms, LeavingAtom, RowColumns};
use crate::daemon::journal::{Ref, ReleaseDecision, RequestOrigin};
use crate::engine::anonymizer::HalvingTicks;
use crate::engine::model::Recoding;
use crate::engine::release::{PastRelease, Sha256};

/// A release that is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedRelease {
    /// Its number.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Its tick.
    pub tick: u32,
    /// Its rows.
    pub rows: u64,
    /// The files that came with it, tables first.
    pub files: Vec<(String, Sha256)>,
    /// The digest of its manifest, once it is visible.
    pub manifest: Option<Sha256>,
    /// Atoms that it leaves out and the release before it holds, because people in them are erased.
    pub erased: Vec<LeavingAtom>,
    /// Atoms that it leaves out because they are older than rows are retained.
    pub retired: Vec<LeavingAtom>,
    /// The newest release that these came with, if there are any, or were any that are erased since.
    pub retired_through: Option<u32>,
    /// When it was due.
    pub time: String,
    /// Its public figures; `None` where an earlier version decided it.
    #[serde(with = "in_json")]
    pub figures: Option<PastRelease>,
    /// Why its manifest is gone from the public root; `None` while it is there.
    pub removed: Option<Removed>,
}

/// A file that was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consumed {
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its bytes.
    pub size: u64,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified: i64,
}

impl Consumed {
    /// A file with these bytes.
    pub fn new(sha256: Sha256, size: u64, modified: SystemTime) -> Consumed {
        Consumed { sha256, size, modified: nanoseconds(modified) }
    }

    /// Whether a file that looks like this is the same, as far as can be told without reading it.
    pub fn looks(&self, size: u64, modified: SystemTime) -> bool {
        (self.size, self.modified) == (size, nanoseconds(modified))
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// Where people are who are not published: the atoms of a tick, or a part of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpublishedAtoms {
    /// The atoms.
    pub object: Ref,
    /// Whether the people are meant who waited, or were withheld, at that tick.
    pub waiting: bool,
    /// Whether the people are meant whose atoms formed at that tick.
    pub formed: bool,
}

impl UnpublishedAtoms {
    /// The rows of the atoms that are meant, by the tick of their arrival.
    pub fn rows_of<'a>(&self, atoms: &'a Atoms) -> impl Iterator<Item = &'a (u32, RowColumns)> + use<'a> {
        let (waits, has_formed) = (self.waiting, self.formed);
        let waiting = atoms.waiting.iter().chain(&atoms.withheld).filter(move |_| waits);
        waiting.chain(atoms.formed.iter().filter(move |_| has_formed))
    }
}

/// Where the members of atoms lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The object.
    pub object: Ref,
    /// The tick that formed the atoms.
    pub tick: u32,
    /// The release that they came with; `None` while they are not published.
    pub release: Option<u32>,
}

/// Rows that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Where they are.
    pub object: Ref,
    /// The tick that they came before.
    pub tick: u32,
}

/// Messages since the last tick that was closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageShare {
    /// All.
    pub seen: u64,
    /// Those that are set aside.
    pub aside: u64,
}

/// Messages that are set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideMessages {
    /// Where they are.
    pub object: Ref,
    /// How many.
    pub messages: u64,
    /// Since when.
    pub time: String,
    /// Whether they came since the last tick that was closed.
    pub fresh: bool,
}

/// A tick whose values are not fixed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// The tick.
    pub tick: u32,
    /// Where its atoms are.
    pub atoms: Ref,
    /// Where the rows are that came since the tick before.
    pub segments: Vec<Segment>,
    /// Which ticks halve behind it, in a chain of crowds.
    pub turns: Option<HalvingTicks>,
}

/// A release that no decision was made about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndecidedRelease {
    /// Its tick.
    pub tick: u32,
    /// When the tick was due.
    pub time: String,
    /// The recoding; known when what the tick has fixed was read.
    pub recoding: Option<Recoding>,
    /// The finer one that is tested beside it.
    pub finer: Option<Recoding>,
    /// Whether the coin lets that one out; `None` before it is drawn.
    pub coin: Option<CoinResult>,
    /// What the operator is told of the tick.
    pub verdict: Option<Ref>,
}

/// Whether a coin lets a finer release out that passes its test. As secret as the test: `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoinResult(pub bool);

impl fmt::Debug for CoinResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lets(..)")
    }
}

/// A release on its way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingRelease {
    /// What the gate has approved.
    pub approved: ReleaseDecision,
    /// The digest of the entry that decides.
    pub decision: Sha256,
    /// The recoding.
    pub recoding: Option<Recoding>,
    /// The people who have approved it, while others still have to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<RequestOrigin>,
}

/// Raw rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawRows {
    /// Where they are.
    pub object: Ref,
    /// The tick that took them.
    pub tick: u32,
    /// When what they brought was published.
    pub published: Option<String>,
}
