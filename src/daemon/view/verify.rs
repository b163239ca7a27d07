//! The answer of `verify` for a feed or a folder of releases.

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::verify::{CheckedPublicRoot, Finding, Private};

/// The result of the check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// Whether everything is as it was written.
    pub intact: bool,
    /// Releases that are published.
    pub releases: u64,
    /// Signatures that were checked; 0 without a key.
    pub signatures: u64,
    /// Entries of the log; null for a public root alone.
    pub entries: Option<u64>,
    /// Sealed objects that were opened; null for a public root alone.
    pub objects: Option<u64>,
    /// Files that are not as they were written.
    pub findings: Vec<Finding>,
}

impl VerifyAnswer {
    /// For a public root, and the private one that belongs to it.
    pub fn of(seen: CheckedPublicRoot, found: Option<Private>) -> VerifyAnswer {
        let (releases, signatures) = (seen.releases.len() as u64, seen.signatures);
        let (entries, objects) = (found.as_ref().map(|found| found.entries), found.as_ref().map(|found| found.objects));
        let findings = match found {
            Some(found) => found.with_public(seen),
            None => seen.findings.into_iter().chain(seen.strange.into_iter().map(Finding::unnamed)).collect(),
        };
        VerifyAnswer { intact: findings.is_empty(), releases, signatures, entries, objects, findings }
    }
}
