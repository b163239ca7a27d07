//! What is to become of a release, and what became of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::RequestOrigin;
use crate::daemon::journal::objects::Ref;
use crate::engine::release::{Figure, PastRelease, ReleaseSpan, Sha256};

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
    /// The releases whose rows it holds; of parts of a table that grows only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<ReleaseSpan>,
    /// Its bytes; of parts of a table that grows only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Why a release may not leave. Where and in which words is in the sealed verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailureRecord {
    /// The check.
    pub check: String,
    /// The figure.
    pub value: Option<Figure>,
    /// What it would have to be.
    pub limit: Option<Figure>,
}

/// Which of the recodings that a release can be under, fixed beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Under {
    /// The one that the tick proposed.
    Proposed,
    /// A finer one, which has passed its test and whose coin lets it out.
    Finer,
    /// Everything is at the root, because a check that reads sensitive values failed; there the chain stays.
    Coarsest,
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
        /// Which of the recodings that it could be under it is.
        under: Under,
        /// The whole verdict.
        verdict: Ref,
        /// Its public figures; null in entries that earlier versions wrote.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        figures: Option<PastRelease>,
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
        /// Which of the recodings that it could be under it is.
        under: Under,
        /// The whole verdict.
        verdict: Ref,
        /// Its public figures; null in entries that earlier versions wrote.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        figures: Option<PastRelease>,
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
        reasons: Vec<FailureRecord>,
        /// The whole verdict; null when a person rejected it.
        verdict: Option<Ref>,
        /// The person who rejected a release that was held.
        wanted: Option<RequestOrigin>,
    },
}

impl Decision {
    /// Which recoding the release is under; `None` where none may leave.
    pub fn under(&self) -> Option<Under> {
        match self {
            Decision::Publish { under, .. } | Decision::Hold { under, .. } => Some(*under),
            Decision::Reject { .. } => None,
        }
    }

    /// The tick that the release came of.
    pub fn tick(&self) -> u32 {
        match self {
            Decision::Publish { tick, .. } | Decision::Hold { tick, .. } | Decision::Reject { tick, .. } => *tick,
        }
    }
}

/// A person decided about a release that was held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApproverDecision {
    /// The release.
    pub release: u32,
    /// The digest of the entry that holds it.
    pub decision: Sha256,
    /// Who.
    pub wanted: RequestOrigin,
    /// How many more people have to approve it before it leaves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missing: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
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
