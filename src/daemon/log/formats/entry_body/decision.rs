//! The decisions about a release, and its publication.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requests::RequestOrigin;
use crate::engine::gate::verdict::Approved;
use crate::engine::release::{Finding, Manifest, PastRelease, ReleaseSpan, Sha256};
use crate::formats::Ref;

/// A file of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateFile {
    /// The path of the staged file.
    pub stage: String,
    /// The public path.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// The number of its rows; null for a file that is no table.
    pub rows: Option<u64>,
    /// The releases whose rows it contains; only for parts of a table that grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<ReleaseSpan>,
    /// Its size in bytes; only for parts of a table that grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A release that the gate has approved, as the log records it. Only an [`Approved`] creates one;
/// the only other source is an entry of the log, whose code
/// [`Entry::parse`](crate::journal::Entry::parse) has checked.
///
/// ```compile_fail
/// use tidegate_log::journal::ReleaseDecision;
/// let decision = ReleaseDecision { release: 1, files: Vec::new() }; // its fields are private, and there is no other constructor
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseDecision {
    /// The release.
    release: u32,
    /// Its tick.
    tick: u32,
    /// The scheduled time of the tick.
    time: String,
    /// Its table, taxonomy and report.
    files: Vec<CandidateFile>,
    /// The staged manifest, without its `decision`.
    manifest: CandidateFile,
    /// The whole verdict.
    verdict: Ref,
    /// Its public figures.
    figures: PastRelease,
}

/// The content of a decision about an approved release besides what the gate has read.
#[derive(Debug, Clone)]
pub struct DecisionTerms {
    /// The release.
    pub release: u32,
    /// Its tick.
    pub tick: u32,
    /// The scheduled time of the tick.
    pub time: String,
    /// The whole verdict.
    pub verdict: Ref,
    /// The paths of its staged files, in the order in which the gate read them, and the manifest
    /// last.
    pub stages: Vec<String>,
}

impl ReleaseDecision {
    /// The decision about what the gate has approved.
    ///
    /// # Panics
    /// If not every file of the release was staged.
    pub(crate) fn of(approved: &Approved, terms: DecisionTerms) -> ReleaseDecision {
        let DecisionTerms {
            release,
            tick,
            time,
            verdict,
            mut stages,
        } = terms;
        let stage = stages.pop().expect("a manifest was staged");
        assert_eq!(
            stages.len(),
            approved.files().len(),
            "every file was staged"
        );
        let lines = approved.lines().iter().zip(approved.files());
        let files = stages
            .into_iter()
            .zip(lines)
            .map(|(stage, ((line, span), (_, bytes)))| CandidateFile {
                stage,
                path: line.path.clone(),
                sha256: line.sha256,
                rows: line.rows,
                span: *span,
                bytes: span.map(|_| bytes.len() as u64),
            });
        let (path, sha256) = (String::new(), Sha256::of(approved.manifest()));
        let manifest = CandidateFile {
            stage,
            path,
            sha256,
            rows: None,
            span: None,
            bytes: None,
        };
        let figures = Manifest::parse(approved.manifest())
            .expect("the gate has read the manifest")
            .figures();
        ReleaseDecision {
            release,
            tick,
            time,
            files: files.collect(),
            manifest,
            verdict,
            figures,
        }
    }

    /// The release.
    pub fn release(&self) -> u32 {
        self.release
    }

    /// Its tick.
    pub fn tick(&self) -> u32 {
        self.tick
    }

    /// The scheduled time of the tick.
    pub fn time(&self) -> &str {
        &self.time
    }

    /// Its table, taxonomy and report.
    pub fn files(&self) -> &[CandidateFile] {
        &self.files
    }

    /// The staged manifest, without its `decision`.
    pub fn manifest(&self) -> &CandidateFile {
        &self.manifest
    }

    /// All staged files, including the manifest.
    pub fn staged(&self) -> impl Iterator<Item = &CandidateFile> {
        self.files.iter().chain([&self.manifest])
    }

    /// The whole verdict.
    pub fn verdict(&self) -> &Ref {
        &self.verdict
    }

    /// Its public figures.
    pub fn figures(&self) -> PastRelease {
        self.figures
    }
}

/// Who may approve a release that is held, and how many of them must. The entry that holds it says
/// so: a later change of the feed file changes nothing for this release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRule {
    /// The number of people who have to approve it.
    pub needed: u32,
    /// The people who may. If there are none, each person with the operator's key may, without a
    /// signature.
    pub approvers: Vec<NamedApprover>,
}

/// A person who may approve a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedApprover {
    /// Their name.
    pub name: String,
    /// The public key that verifies their statements, as 64 hexadecimal digits.
    pub key: String,
}

impl ApprovalRule {
    /// One person with the operator's key.
    pub fn by_operator() -> ApprovalRule {
        ApprovalRule {
            needed: 1,
            approvers: Vec::new(),
        }
    }

    /// Whether approvals have to be signed.
    pub fn signs(&self) -> bool {
        !self.approvers.is_empty()
    }

    /// The approver with this name.
    pub fn named(&self, name: &str) -> Option<&NamedApprover> {
        self.approvers.iter().find(|approver| approver.name == name)
    }

    /// Whether a request has the signature of one of them; whether the signature is valid is
    /// another question.
    pub fn permits(&self, wanted: &RequestOrigin) -> bool {
        match &wanted.signed {
            Some(signed) => self
                .named(&signed.name)
                .is_some_and(|approver| approver.key == signed.key),
            None => !self.signs(),
        }
    }
}

/// A release that the gate has approved and that people have to approve before it is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HoldDecision {
    /// The release.
    #[serde(flatten)]
    pub approved: ReleaseDecision,
    /// Who may approve it.
    pub rule: ApprovalRule,
}

/// A release that may not be published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rejection {
    /// The number it would have had.
    pub release: u32,
    /// Its tick.
    pub tick: u32,
    /// The scheduled time of the tick.
    pub time: String,
    /// Whether a check that reads sensitive values failed, so that the chain publishes nothing any
    /// more.
    pub stops: bool,
    /// The reasons; places and words are in the sealed verdict.
    pub reasons: Vec<Finding>,
    /// The whole verdict; null when a person rejected it.
    pub verdict: Option<Ref>,
    /// The person who rejected a release that was held.
    pub wanted: Option<RequestOrigin>,
}

/// The decision about a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Decision {
    /// It is published.
    Publish(ReleaseDecision),
    /// It is published once a person approves.
    Hold(HoldDecision),
    /// It is not published.
    Reject(Rejection),
}

impl Decision {
    /// The release that may be published; `None` if it was rejected.
    pub fn release(&self) -> Option<&ReleaseDecision> {
        match self {
            Decision::Publish(release)
            | Decision::Hold(HoldDecision {
                approved: release, ..
            }) => Some(release),
            Decision::Reject(_) => None,
        }
    }

    /// The tick of the release.
    pub fn tick(&self) -> u32 {
        match self {
            Decision::Publish(release)
            | Decision::Hold(HoldDecision {
                approved: release, ..
            }) => release.tick,
            Decision::Reject(rejection) => rejection.tick,
        }
    }

    /// The whole verdict; `None` when a person rejected the release.
    pub fn verdict(&self) -> Option<&Ref> {
        match self {
            Decision::Publish(release)
            | Decision::Hold(HoldDecision {
                approved: release, ..
            }) => Some(&release.verdict),
            Decision::Reject(rejection) => rejection.verdict.as_ref(),
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
    /// Who made the decision.
    pub wanted: RequestOrigin,
    /// The number of approvals that are missing.
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
    /// When it became visible.
    pub time: String,
}
