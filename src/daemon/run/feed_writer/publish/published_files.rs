//! Checks that published files are unchanged: the manifests, each by the digest in the log, and the
//! signatures of manifests that declare one, under any key. Tables are read back where later
//! releases are judged against them.

use super::super::state_parts::DecidedRelease;
use super::super::writer::FeedWriter;
use crate::engine::release::{Manifest, Sha256};
use crate::error::{Error, ErrorCategory, Result};

impl FeedWriter {
    /// Checks that the manifests are unchanged and have their signatures, all of them or only the
    /// `newest`.
    ///
    /// # Errors
    /// One is missing, was changed or has lost its signature, or the public root cannot be read.
    pub fn shown(&self, newest: bool) -> Result<()> {
        let mut lines = self
            .state
            .releases
            .iter()
            .rev()
            .filter(|line| line.is_visible());
        if newest {
            lines.next().map_or(Ok(()), |line| self.line_shown(line))
        } else {
            lines.try_for_each(|line| self.line_shown(line))
        }
    }

    fn line_shown(&self, line: &DecidedRelease) -> Result<()> {
        let path = self.settings.layout.manifest(line.release);
        let what = match (self.public.read(&path)?, line.manifest) {
            (Some(bytes), Some(meant)) if Sha256::of(&bytes) == meant => {
                let signed = Manifest::parse(&bytes).is_ok_and(|manifest| manifest.signed);
                if !signed || self.public.read(&format!("{path}.sig"))?.is_some() {
                    return Ok(());
                }
                "has lost its signature, and states that it is signed"
            }
            (Some(_), _) => "was changed after it was published",
            (None, _) => "is missing",
        };
        // Another writer may have taken over, with a root that was moved.
        self.log.ours()?;
        let text = format!(
            "the manifest of release {} in the public root {} {what}: readers do not find the release that was \
             approved. Restore it with its signature from a copy of the public root (`tidegate verify` lists \
             everything that is wrong), or name the public root of this feed",
            line.release,
            self.public.place()
        );
        Err(Error::new(ErrorCategory::Input, text).in_field(path))
    }
}
