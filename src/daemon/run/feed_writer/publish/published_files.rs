//! Checks that published files are unchanged: the manifests, each by the digest in the log, and the
//! signatures of manifests that declare one, under any key. Tables are read back where later
//! releases are judged against them.

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::super::writer::FeedSettings;
use super::public_root::PublicRoot;
use crate::engine::release::{Manifest, Sha256};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::Log;

/// Checks that the manifests are unchanged and have their signatures, all of them or only the
/// `newest`.
pub(in crate::feed_writer) fn shown(
    log: &Log,
    state: &FeedState,
    public: &PublicRoot,
    settings: &FeedSettings,
    newest: bool,
) -> Result<()> {
    let mut lines = state.releases.iter().rev().filter(|line| line.is_visible());
    if newest {
        lines
            .next()
            .map_or(Ok(()), |line| line_shown(log, public, settings, line))
    } else {
        lines.try_for_each(|line| line_shown(log, public, settings, line))
    }
}

fn line_shown(
    log: &Log,
    public: &PublicRoot,
    settings: &FeedSettings,
    line: &DecidedRelease,
) -> Result<()> {
    let path = settings.layout.manifest(line.release);
    let what = match (public.read(&path)?, line.manifest) {
        (Some(bytes), Some(meant)) if Sha256::of(&bytes) == meant => {
            let signed = Manifest::parse(&bytes).is_ok_and(|manifest| manifest.signed);
            if !signed || public.read(&format!("{path}.sig"))?.is_some() {
                return Ok(());
            }
            "has lost its signature, and states that it is signed"
        }
        (Some(_), _) => "was changed after it was published",
        (None, _) => "is missing",
    };
    // Another writer may have taken over, with a root that was moved.
    log.ours()?;
    let text = format!(
        "the manifest of release {} in the public root {} {what}: readers do not find the release that was \
         approved. Restore it with its signature from a copy of the public root (`tidegate verify` lists \
         everything that is wrong), or name the public root of this feed",
        line.release,
        public.place()
    );
    Err(Error::new(ErrorCategory::Input, text).in_field(path))
}
