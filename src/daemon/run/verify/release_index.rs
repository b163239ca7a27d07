//! Checks that the page of all releases follows from the manifests. It may lack a release that is
//! just being published, and must not list a release that has a removal notice already.

use super::FileFault;
use super::removals::Removals;
use crate::engine::release::{Language, Layout, ListedRelease, Manifest, Sha256, index};
use crate::error::Result;
use crate::journal::store::ReadStore;

/// The page of all releases.
pub(super) const INDEX: &str = "index.html";

/// What is wrong with the page, if it exists; `releases` are the manifests that were found, and
/// `removals` the notices.
///
/// # Errors
/// The public root cannot be read.
pub(super) fn look(
    store: &dyn ReadStore,
    layout: Layout,
    releases: &[(Manifest, Sha256)],
    removals: &Removals,
) -> Result<Option<FileFault>> {
    // Without a manifest the name of the feed is unknown.
    let (Some(bytes), Some((newest, _))) = (store.read(INDEX)?, releases.last()) else {
        return Ok(None);
    };
    let of = |releases: &[&Manifest]| {
        Language::ALL
            .iter()
            .any(|&language| page(&newest.feed, releases, language) == bytes)
    };
    let all: Vec<&Manifest> = releases.iter().map(|(manifest, _)| manifest).collect();
    let staying = all
        .iter()
        .filter(|manifest| !removals.holds(manifest.chain, manifest.release));
    for listed in [&all, &staying.copied().collect()] {
        if of(listed) || of(&listed[..listed.len().saturating_sub(1)]) {
            return Ok(None);
        }
    }
    // A running feed has published or removed releases since the manifests were listed.
    let there = store
        .list("")?
        .iter()
        .filter(|object| layout.release(&object.path).is_some())
        .count();
    let text = "the page does not list the existing releases: it was changed. The next release writes it again";
    Ok((there == releases.len()).then(|| FileFault::new(INDEX, text)))
}

fn page(feed: &str, releases: &[&Manifest], language: Language) -> Vec<u8> {
    let listed = releases.iter().map(|manifest| ListedRelease {
        figures: manifest.figures(),
        chain: manifest.chain,
        time: &manifest.time,
        report: manifest
            .files
            .iter()
            .map(|file| file.path.as_str())
            .find(|path| path.ends_with(".html")),
    });
    index(feed, language, &listed.collect::<Vec<_>>())
}
