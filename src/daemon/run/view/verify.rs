//! The answer of `verify` for a feed or a folder of releases.

use schemars::JsonSchema;
use serde::Serialize;

use crate::opened_release::{ExpectedRelease, NewestRelease};
use crate::verify::{CheckedPublicRoot, FileFault, Private};

/// The result of the check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// Whether everything is as it was written.
    pub intact: bool,
    /// Releases that are published.
    pub releases: u64,
    /// The newest of them.
    pub newest: Option<NewestRelease>,
    /// Signatures that were checked; 0 without a key.
    pub signatures: u64,
    /// Entries of the log; null for a public root alone.
    pub entries: Option<u64>,
    /// Sealed objects that were opened; null for a public root alone.
    pub objects: Option<u64>,
    /// Files that are not as they were written.
    pub findings: Vec<FileFault>,
}

impl VerifyAnswer {
    /// For a public root whose newest release is to be the expected one, and the private root that
    /// belongs to it.
    pub fn of(
        seen: CheckedPublicRoot,
        found: Option<Private>,
        expected: &ExpectedRelease,
    ) -> VerifyAnswer {
        let newest = seen
            .releases
            .last()
            .map(|(manifest, _)| NewestRelease::of(manifest));
        let refused = refusal(newest.as_ref(), &seen, expected);
        let (releases, signatures) = (seen.releases.len() as u64, seen.signatures);
        let (entries, objects) = (
            found.as_ref().map(|found| found.entries),
            found.as_ref().map(|found| found.objects),
        );
        let mut findings = match found {
            Some(found) => found.with_public(seen),
            None => seen
                .findings
                .into_iter()
                .chain(seen.strange.into_iter().map(FileFault::unnamed))
                .collect(),
        };
        findings.extend(refused);
        VerifyAnswer {
            intact: findings.is_empty(),
            releases,
            newest,
            signatures,
            entries,
            objects,
            findings,
        }
    }
}

/// Why the newest release is not the expected one.
fn refusal(
    newest: Option<&NewestRelease>,
    seen: &CheckedPublicRoot,
    expected: &ExpectedRelease,
) -> Option<FileFault> {
    if let Some(newest) = newest {
        let text = expected.refusal(newest)?;
        return Some(FileFault {
            file: seen.layout.manifest(newest.release),
            text,
        });
    }
    if expected.at_least.is_none() && expected.since.is_none() {
        return None;
    }
    let text =
        "there is no release here, but --at-least or --since asks for one: get the newest files";
    Some(FileFault {
        file: "manifest".to_owned(),
        text: text.to_owned(),
    })
}
