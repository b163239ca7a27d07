//! The only access to the public root (HOUSE 3, Publish). Any part of the feed that has it can read
//! and remove files. It can only write files whose digests are in a decision that the gate's
//! approval has made, or files that follow from these: the final manifest, a signature, the page
//! over all releases, the name of the newest one, a notice of removal, a file of the Delta log.
//! Nothing else can be written:
//!
//! ```compile_fail
//! # use tidegate_run::feed_writer::PublicRoot;
//! # fn leak(public: &PublicRoot, bytes: &[u8]) {
//! let _ = public.create("data/0000000001.parquet", bytes); // there is no such method
//! # }
//! ```
//!
//! ```compile_fail
//! # use tidegate_run::feed_writer::{FinalManifest, PublicRoot};
//! # fn leak(public: &PublicRoot, bytes: Vec<u8>) {
//! let _ = public.put_manifest("manifest/0000000001.json", &FinalManifest { bytes, signed_bytes: Vec::new() }); // its fields are private
//! # }
//! ```
//!
//! Reading is unrestricted:
//!
//! ```
//! # use tidegate_run::feed_writer::PublicRoot;
//! # fn read(public: &PublicRoot) {
//! let _ = public.read("LATEST");
//! # }
//! ```

use std::ops::Deref;
use std::sync::Arc;

use super::delta_log::{DeltaFile, log_path};
use crate::engine::release::{
    Language, Layout, ListedRelease, Manifest, RemovalNotice, Sha256, TableId, index,
};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::ReleaseDecision;
use crate::journal::store::{CreateOutcome, PutOutcome, ReadStore, Store, put};
use crate::sign::Signing;

/// The file that names the newest release; readers need not rely on it.
pub(in crate::feed_writer) const LATEST: &str = "LATEST";

/// The page over all releases.
pub(crate) const INDEX: &str = "index.html";

/// The public root of a feed.
#[derive(Clone)]
pub struct PublicRoot(Arc<dyn Store>);

/// A manifest as it is published: the approved one, with the digest of the entry that publishes it.
pub struct FinalManifest {
    bytes: Vec<u8>,
    signed_bytes: Vec<u8>,
}

impl FinalManifest {
    /// From a staged manifest.
    ///
    /// # Errors
    /// The bytes are not those that were approved.
    pub fn of(
        approved: &ReleaseDecision,
        staged: &[u8],
        decision: Sha256,
    ) -> Result<FinalManifest> {
        let internal = |text: String| Error::new(ErrorCategory::Internal, text);
        if Sha256::of(staged) != approved.manifest().sha256 {
            return Err(internal(
                "these are not the bytes of the approved manifest".to_owned(),
            ));
        }
        let manifest = Manifest::parse(staged).map_err(|error| internal(error.to_string()))?;
        let manifest = Manifest {
            decision: Some(decision),
            ..manifest
        };
        Ok(FinalManifest {
            bytes: manifest.bytes(),
            signed_bytes: manifest.signed_bytes(),
        })
    }

    /// The bytes that its signature covers.
    pub(in crate::feed_writer) fn signed_bytes(&self) -> &[u8] {
        &self.signed_bytes
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Deref for PublicRoot {
    type Target = dyn ReadStore;

    fn deref(&self) -> &(dyn ReadStore + 'static) {
        &*self.0
    }
}

impl PublicRoot {
    /// The public root in this store.
    pub fn over(store: Arc<dyn Store>) -> PublicRoot {
        PublicRoot(store)
    }

    /// The same files for reading only.
    pub fn read_only(&self) -> Arc<dyn ReadStore> {
        self.0.clone()
    }

    /// Copies files of an approved release to their public places, if these and that of the
    /// manifest are empty or have the same content: otherwise no file of the release is written.
    ///
    /// # Errors
    /// A place has other content, the root cannot be written, or the bytes are not those that were
    /// approved.
    pub(in crate::feed_writer) fn copy(
        &self,
        approved: &ReleaseDecision,
        copies: &[(String, Vec<u8>)],
        (path, manifest): (&str, &FinalManifest),
    ) -> Result<()> {
        let is_approved = |(path, bytes): &(String, Vec<u8>)| {
            let sha256 = Sha256::of(bytes);
            approved
                .files()
                .iter()
                .any(|file| file.path == *path && file.sha256 == sha256)
        };
        if !copies.iter().all(is_approved) {
            let text = "only the bytes that were approved are copied to the public root";
            return Err(Error::new(ErrorCategory::Internal, text));
        }
        let places = copies
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        for (path, bytes) in places.chain([(path, manifest.bytes())]) {
            if self.read(path)?.is_some_and(|there| there != bytes) {
                return Err(self.occupied(path));
            }
        }
        let created = self.0.create_all(copies)?;
        let mut doubtful = copies
            .iter()
            .zip(created)
            .filter(|(_, created)| *created != CreateOutcome::Made);
        doubtful.try_for_each(|((path, bytes), _)| self.put(path, bytes))
    }

    /// Writes the manifest of a release, which makes it visible.
    ///
    /// # Errors
    /// The place has other content, or the root cannot be written.
    pub fn put_manifest(&self, path: &str, manifest: &FinalManifest) -> Result<()> {
        self.put(path, manifest.bytes())
    }

    /// Writes the signature of a file over these bytes, before the file that makes it visible is at
    /// `visible`: until then a signature has no meaning, and may be one under an earlier key.
    pub(in crate::feed_writer) fn sign(
        &self,
        signing: &Signing,
        (path, signed_bytes): (&str, &[u8]),
        visible: &str,
    ) -> Result<()> {
        let (place, signature) = (format!("{path}.sig"), signing.sign(signed_bytes));
        match put(&*self.0, &place, &signature)? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs if self.read(visible)?.is_none() => {
                self.0.replace(&place, &signature)
            }
            PutOutcome::Theirs => Err(self.occupied(&place)),
        }
    }

    /// Writes the notice that a release was removed, after its signature. A signature under an
    /// earlier key is accepted.
    pub(in crate::feed_writer) fn put_notice(
        &self,
        path: &str,
        notice: &RemovalNotice,
        signing: Option<&Signing>,
    ) -> Result<()> {
        if let Some(signing) = signing {
            let (place, signature) = (format!("{path}.sig"), signing.sign(&notice.signed_bytes()));
            if put(&*self.0, &place, &signature)? == PutOutcome::Theirs
                && self.read(path)?.is_none()
            {
                self.0.replace(&place, &signature)?;
            }
        }
        self.put(path, &notice.bytes())
    }

    /// Names the newest release; `None`: there is none any more.
    pub(in crate::feed_writer) fn name_newest(
        &self,
        layout: Layout,
        release: Option<u32>,
    ) -> Result<()> {
        match release {
            Some(release) => self.0.replace(LATEST, &latest(layout, release)),
            None => self.0.delete(LATEST),
        }
    }

    /// Writes the page over all releases; returns its digest.
    pub(in crate::feed_writer) fn replace_index(
        &self,
        feed: &str,
        language: Language,
        releases: &[ListedRelease<'_>],
    ) -> Result<Sha256> {
        let page = index(feed, language, releases);
        self.0.replace(INDEX, &page)?;
        Ok(Sha256::of(&page))
    }

    /// Writes a commit of the Delta log of a table.
    pub(in crate::feed_writer) fn put_commit(
        &self,
        table: TableId,
        commit: &DeltaFile,
    ) -> Result<()> {
        self.put(&log_path(table, commit.name()), commit.bytes())
    }

    /// Writes a checkpoint of the Delta log of a table. Another version of the program may have
    /// written the same content in other bytes.
    pub(in crate::feed_writer) fn put_checkpoint(
        &self,
        table: TableId,
        checkpoint: &DeltaFile,
    ) -> Result<()> {
        put(
            &*self.0,
            &log_path(table, checkpoint.name()),
            checkpoint.bytes(),
        )
        .map(|_| ())
    }

    /// Names the newest checkpoint of the Delta log of a table.
    pub(in crate::feed_writer) fn name_checkpoint(
        &self,
        table: TableId,
        named: &DeltaFile,
    ) -> Result<()> {
        self.0
            .replace(&log_path(table, named.name()), named.bytes())
    }

    /// Removes a file.
    pub(in crate::feed_writer) fn delete(&self, path: &str) -> Result<()> {
        self.0.delete(path)
    }

    /// Removes several files, some of which may be missing.
    pub(in crate::feed_writer) fn delete_all(&self, paths: &[&str]) -> Result<()> {
        self.0.delete_all(paths)
    }

    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        match put(&*self.0, path, bytes)? {
            PutOutcome::Ours => Ok(()),
            PutOutcome::Theirs => Err(self.occupied(path)),
        }
    }

    fn occupied(&self, path: &str) -> Error {
        let text = format!(
            "`{path}` exists in the public root {} with different content, and is not overwritten. Move it away, or \
             name the public root of this feed",
            self.place()
        );
        Error::new(ErrorCategory::Input, text)
    }
}

/// The content of `LATEST`.
pub(in crate::feed_writer) fn latest(layout: Layout, release: u32) -> Vec<u8> {
    format!("{}\n", layout.manifest(release)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{FinalManifest, PublicRoot, Sha256};
    use crate::journal::ReleaseDecision;
    use crate::journal::store::Memory;

    fn decision(data: &[u8], manifest: &[u8]) -> ReleaseDecision {
        let staged = |path: &str, bytes| serde_json::json!({"stage": "s", "path": path, "sha256": Sha256::of(bytes), "rows": null});
        let decision = serde_json::json!({
            "release": 1, "tick": 0, "time": "", "files": [staged("data/1.parquet", data)], "manifest": staged("", manifest),
            "verdict": {"path": "", "sha256": Sha256::of(b"")},
            "figures": {"release": 1, "rows": 3, "classes": 1, "smallest_class": 3, "loss": 0.0, "refinement": null}
        });
        serde_json::from_value(decision).expect("a decision")
    }

    #[test]
    fn only_what_was_approved_is_copied() {
        let (store, manifest) = (
            Memory::default(),
            FinalManifest {
                bytes: b"{}".to_vec(),
                signed_bytes: Vec::new(),
            },
        );
        let (public, approved) = (
            PublicRoot::over(std::sync::Arc::new(store.clone())),
            decision(b"rows", b"{}"),
        );
        let copy = |path: &str, bytes: &[u8]| {
            public.copy(
                &approved,
                &[(path.to_owned(), bytes.to_vec())],
                ("manifest/1.json", &manifest),
            )
        };
        for (path, bytes) in [
            ("data/1.parquet", b"rowz"),
            ("data/2.parquet", b"rows"),
            ("manifest/1.json", b"rows"),
        ] {
            copy(path, bytes).expect_err("it was not approved");
            assert!(store.objects().is_empty(), "{path}");
        }
        copy("data/1.parquet", b"rows").expect("it was approved");
        copy("data/1.parquet", b"rows").expect("it is there");
        assert_eq!(store.objects().len(), 1);
        FinalManifest::of(&approved, b"{ }", Sha256::of(b""))
            .err()
            .expect("it was not approved");
    }
}
