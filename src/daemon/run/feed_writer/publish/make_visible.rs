//! Makes decided releases visible (HOUSE 3, Publish): files are copied to the public root, then the
//! signature, then the manifest, which is the visibility point. Every step can be repeated: an
//! existing file with the same bytes is accepted, one with other bytes halts the feed.

use super::super::state::FeedState;
use super::super::state_parts::OutgoingRelease;
use super::super::writer::FeedWriter;
use super::clean::{clean, newest};
use super::public_root::FinalManifest;
use super::release_index::write_index;
use super::show_delta::show_delta;
use crate::engine::release::{Layout, Notice, Sha256};
use crate::error::{Error, ErrorCategory, Result};
use crate::journal::{CandidateFile, Drafts, Log, Published, destroy_all};
use crate::wiped_bytes::WipedBytes;

/// A release that has become visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedRelease {
    /// Its number.
    pub release: u32,
    /// The number of its rows.
    pub rows: u64,
    /// The digest of its manifest.
    pub manifest: Sha256,
}

/// The error for a file that is decided and not visible yet, and differs from the decision.
pub fn not_as_decided(stage: &str) -> Error {
    let text = "a file of an approved release is missing or was changed before it was published: restore the private \
                root from a newer backup";
    Error::new(ErrorCategory::Input, text).in_field(stage.to_owned())
}

/// Makes the decided release visible, if there is one.
pub(in crate::feed_writer) fn leave(
    writer: &mut FeedWriter,
    now: &str,
) -> Result<Option<PublishedRelease>> {
    let Some(pending) = writer.state.publishing.clone() else {
        return Ok(None);
    };
    let OutgoingRelease {
        approved, decision, ..
    } = &pending;
    let manifest = FinalManifest::of(
        approved,
        &staged_file(&writer.log, approved.manifest())?,
        *decision,
    )?;
    let path = writer.settings.layout.manifest(approved.release());
    let copy = |file: &CandidateFile| Ok((file.path.clone(), staged_file(&writer.log, file)?));
    let copies = approved
        .files()
        .iter()
        .map(copy)
        .collect::<Result<Vec<_>>>()?;
    writer.public.copy(approved, &copies, (&path, &manifest))?;
    if let Some(signing) = &writer.settings.signing {
        let notice = writer.settings.layout.notice(approved.release());
        if let Some((_, bytes)) = copies.iter().find(|(path, _)| *path == notice) {
            let parsed = Notice::parse(bytes).map_err(|_| not_as_decided(&notice))?;
            writer
                .public
                .sign(signing, (&notice, &parsed.signed_bytes()), &path)?;
        }
        writer
            .public
            .sign(signing, (&path, manifest.signed_bytes()), &path)?;
    }
    // A writer that was taken over must not publish again what the other writer may have
    // removed.
    writer.log.ours()?;
    writer.public.put_manifest(&path, &manifest)?;
    writer
        .state
        .table_ids()
        .into_iter()
        .try_for_each(|table| show_delta(&writer.public, &writer.state, table))?;
    let sha256 = Sha256::of(manifest.bytes());
    if writer.settings.layout == Layout::Root {
        newest(&writer.public, &writer.settings, pending.approved.release())?;
    }
    write_index(writer, Some(pending.approved.release()))?;
    let published = Published {
        release: pending.approved.release(),
        manifest: sha256,
        time: now.to_owned(),
    };
    writer.log.append(published.clone())?;
    writer.state.published(&published);
    unstage(&writer.log, &pending)?;
    clean(writer, now)?;
    let rows = writer.state.releases.last().map_or(0, |line| line.rows);
    Ok(Some(PublishedRelease {
        release: pending.approved.release(),
        rows,
        manifest: sha256,
    }))
}

/// A staged file of a decided release, with the decided content.
pub(in crate::feed_writer) fn staged_file(log: &Log, file: &CandidateFile) -> Result<Vec<u8>> {
    match file.read_staged(log.objects()) {
        // Another writer may have published it meanwhile.
        Ok(None) => log.ours().and(Err(not_as_decided(&file.stage))),
        read => Ok(read?.expect("it is there")),
    }
}

/// Stages files, sealed as every object is, and reads them back, so that the gate judges what
/// was actually written.
pub(in crate::feed_writer) fn stage(
    log: &mut Log,
    staged: &mut u64,
    release: u32,
    files: Vec<(String, Vec<u8>)>,
    stages: &mut Vec<String>,
) -> Result<Vec<Vec<u8>>> {
    // A release may be judged more than once: after a crash, when the previous one was
    // rejected, and when it was repaired. No name is used twice: a request to delete the files
    // of the previous one may still be on its way.
    let attempt = *staged;
    *staged += 1;
    let folder = format!("{release}/{}-{attempt}", log.next());
    let (mut drafts, mut objects) = (Drafts::default(), Vec::with_capacity(files.len()));
    for (name, bytes) in files {
        let bytes = WipedBytes::from(bytes);
        objects.push((
            log.seal_as(&mut drafts, "stage", &format!("{folder}-{name}"), &bytes)?,
            bytes,
        ));
    }
    drafts.put(log.store())?;
    let mut back = Vec::with_capacity(objects.len());
    for (object, bytes) in objects {
        let read = log.objects().read(&object);
        if !read
            .as_ref()
            .is_ok_and(|read| read.as_ref() == Some(&bytes))
        {
            // Another writer removes files that no entry names.
            log.ours()?;
            read?;
            let text = "the file cannot be read back as it was written: check the disk";
            return Err(Error::new(ErrorCategory::Io, text).in_field(object.path));
        }
        back.push(bytes.into_bytes());
        stages.push(object.path);
    }
    Ok(back)
}

/// Removes the staged files of a release that may not be published.
pub(in crate::feed_writer) fn discard(log: &Log, release: u32) -> Result<()> {
    let (store, ring) = (log.store(), log.ring());
    let staged = ring.listed(
        store,
        &format!("stage/{:010}/{release}", log.writer().epoch),
    )?;
    destroy_all(store, ring, staged.iter().map(|file| file.path.as_str()))
}

/// Removes the staged files of a published release.
pub(in crate::feed_writer) fn unstage(log: &Log, pending: &OutgoingRelease) -> Result<()> {
    let files: Vec<&str> = pending
        .approved
        .staged()
        .map(|file| file.stage.as_str())
        .collect();
    destroy_all(log.store(), log.ring(), files.into_iter())
}

/// Discards a release that is held for approval; returns a description if there was one.
pub(in crate::feed_writer) fn void(log: &Log, state: &mut FeedState) -> Result<String> {
    let Some(held) = state.held.take() else {
        return Ok(String::new());
    };
    unstage(log, &held)?;
    Ok(format!(
        ". Release {}, which waited for approval, is void: a later tick makes a new one",
        held.approved.release()
    ))
}
