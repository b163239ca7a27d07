//! What is decided becomes visible (HOUSE 3, Publish): files are copied to the public root, then the signature, then the
//! manifest, which is the visibility point. Every step can be done twice: what is there with the same bytes is fine, what
//! is there with others stops the feed.

use super::decide::final_manifest;
use super::record::Recorded;
use super::state::Pending;
use super::work::Live;
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::journal::store::{Put, put};
use crate::daemon::journal::{Body, Published, Staged};
use crate::engine::release::{Layout, Sha256};

/// The advisory name of the newest release.
const LATEST: &str = "LATEST";

/// A release that has become visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its number.
    pub release: u32,
    /// Its rows.
    pub rows: u64,
    /// The digest of its manifest.
    pub manifest: Sha256,
}

impl Live {
    /// Makes the release visible that is decided, if one is.
    ///
    /// # Errors
    /// The public root cannot be written, or holds other bytes where the release belongs.
    pub fn leave(&mut self, now: &str) -> Result<Option<Left>> {
        let Some(pending) = self.state.publishing.clone() else { return Ok(None) };
        for file in &pending.files {
            let bytes = self.aside(file)?;
            self.show(&file.path, &bytes)?;
        }
        let manifest = final_manifest(&self.aside(&pending.manifest)?, pending.decision)?;
        let path = self.settings.layout.manifest(pending.release);
        if let Some(signing) = &self.settings.signing {
            self.signed(&path, &signing.sign(&manifest))?;
        }
        self.show(&path, &manifest)?;
        let sha256 = Sha256::of(&manifest);
        if self.settings.layout == Layout::Root {
            self.public.replace(LATEST, format!("{path}\n").as_bytes())?;
        }
        let published = Published { release: pending.release, manifest: sha256, time: now.to_owned() };
        self.append(Body::Published(published.clone()))?;
        self.state.published(&published);
        self.unstage(&pending)?;
        let rows = self.state.releases.last().map_or(0, |line| line.rows);
        Ok(Some(Left { release: pending.release, rows, manifest: sha256 }))
    }

    /// Puts a signature beside the place of a manifest. As long as the manifest is not there it tells nobody anything, and may
    /// be one of a key that was used before.
    fn signed(&self, manifest: &str, signature: &[u8]) -> Result<()> {
        let path = format!("{manifest}.sig");
        if put(&*self.public, &path, signature)? == Put::Theirs && self.public.read(manifest)?.is_none() {
            return self.public.replace(&path, signature);
        }
        self.show(&path, signature)
    }

    /// A file of a release that is decided, as it was decided.
    fn aside(&self, file: &Staged) -> Result<Vec<u8>> {
        let bytes = self.log.store().read(&file.stage)?;
        if let Some(bytes) = bytes.filter(|bytes| Sha256::of(bytes) == file.sha256) {
            return Ok(bytes);
        }
        // Another writer may have published it meanwhile.
        self.log.ours()?;
        let text = "a file of a release that was decided is gone or was changed before it was published: put the private root \
                    back from a backup that is newer";
        Err(Error::new(Kind::Input, text).in_field(file.stage.clone()))
    }

    fn show(&self, path: &str, bytes: &[u8]) -> Result<()> {
        if put(&*self.public, path, bytes)? == Put::Theirs {
            let text = format!(
                "`{path}` is in the public root {} already, with other content: nothing is overwritten. Move it away, or \
                 name the public root of this feed",
                self.public.place()
            );
            return Err(Error::new(Kind::Input, text));
        }
        Ok(())
    }

    /// Writes a file aside and reads it back, so that what is judged is what lies there.
    pub(super) fn stage(
        &self,
        release: u32,
        name: &str,
        bytes: &[u8],
        stages: &mut Vec<(String, String)>,
    ) -> Result<Vec<u8>> {
        // A release may be judged more than once: after a crash, and when the one before was rejected.
        let path = format!("stage/{:010}/{release}/{}-{name}", self.log.writer().epoch, self.log.next());
        let (store, strange) = (self.log.store(), "what was written is not what can be read back: look at the disk");
        let ours = put(store, &path, bytes)? == Put::Ours;
        let back = store.read(&path)?.filter(|back| ours && back == bytes);
        let back = back.ok_or_else(|| Error::new(Kind::Io, strange).in_field(path.clone()))?;
        stages.push((name.to_owned(), path));
        Ok(back)
    }

    /// Throws away what was written aside for a release that may not leave.
    pub(super) fn discard(&self, release: u32) -> Result<()> {
        let store = self.log.store();
        let staged = store.list(&format!("stage/{:010}/{release}", self.log.writer().epoch))?;
        staged.iter().try_for_each(|file| store.delete(&file.path))
    }

    /// What was written aside is published and needed no more.
    pub(super) fn unstage(&self, pending: &Pending) -> Result<()> {
        let mut files = pending.files.iter().chain([&pending.manifest]);
        files.try_for_each(|file| self.log.store().delete(&file.stage))
    }

    /// Finishes what the writer before has left half done, a decision included: nothing else is done before.
    ///
    /// # Errors
    /// As for each step.
    pub fn finish(&mut self, now: &str) -> Result<()> {
        self.roll_forward(now)?;
        if let Some(due) = self.state.due.clone() {
            self.decide(&mut Recorded::again(due.tick))?;
            self.leave(now)?;
        }
        Ok(())
    }

    /// Finishes what the writer before has left half done, but for a decision.
    ///
    /// # Errors
    /// As for each step.
    pub fn roll_forward(&mut self, now: &str) -> Result<Option<Left>> {
        self.finish_closing()?;
        self.leave(now)
    }
}
