//! The notice that replaces a manifest which was removed from the public root (CONTRACTS 4): which
//! manifest it was, and why it was removed.
//!
//! Like a manifest it has one spelling. It says nothing about rows.

use serde::{Deserialize, Serialize};

use super::digest::Sha256;
use super::manifest::NoManifest;
use super::removal_reason::RemovalReason;
use super::signed::{SCHEMA, signed_bytes};

/// The notice about a removed manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovalNotice {
    /// The version of this format: 2.
    pub schema: u32,
    /// The feed's name.
    pub feed: String,
    /// The chain of the release.
    pub chain: u32,
    /// The release whose manifest was removed. For expired ones the newest: those before it in the
    /// chain were removed too.
    pub release: u32,
    /// Why it was removed.
    pub reason: RemovalReason,
    /// The digest of the manifest.
    pub manifest: Sha256,
    /// The release whose notice says which rows were erased; null for other reasons.
    pub notice: Option<u32>,
}

impl RemovalNotice {
    /// The notice about a manifest.
    pub fn new(
        feed: &str,
        chain: u32,
        release: u32,
        manifest: Sha256,
        (reason, notice): (RemovalReason, Option<u32>),
    ) -> RemovalNotice {
        assert!(
            release > 0 && notice.is_none_or(|notice| notice > 0),
            "releases are numbered from 1"
        );
        RemovalNotice {
            schema: SCHEMA,
            feed: feed.to_owned(),
            chain,
            release,
            reason,
            manifest,
            notice,
        }
    }

    /// The canonical bytes: JSON with two spaces of indentation and a final newline.
    ///
    /// # Panics
    /// Never: a notice is JSON.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes =
            serde_json::to_vec_pretty(self).expect("serialisation failed (this is a bug)");
        bytes.push(b'\n');
        bytes
    }

    /// The bytes that the signature beside it covers.
    pub fn signed_bytes(&self) -> Vec<u8> {
        signed_bytes("notice", &self.feed, &self.bytes())
    }

    /// Reads the output of [`RemovalNotice::bytes`].
    ///
    /// # Errors
    /// The bytes are no such notice, or their spelling is not canonical.
    pub fn parse(bytes: &[u8]) -> Result<RemovalNotice, NoManifest> {
        let form = |error: serde_json::Error| NoManifest::Form {
            line: error.line(),
            column: error.column(),
        };
        let notice: RemovalNotice = serde_json::from_slice(bytes).map_err(form)?;
        if notice.schema != SCHEMA {
            return Err(NoManifest::Version(notice.schema));
        }
        if notice.bytes() == bytes {
            Ok(notice)
        } else {
            Err(NoManifest::Spelling)
        }
    }
}
