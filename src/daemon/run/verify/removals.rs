//! Manifests that were removed from a public root, according to the signed notices at their paths
//! (CONTRACTS 4).

use std::collections::BTreeMap;

use crate::engine::release::{Layout, Manifest, RemovalNotice, RemovalReason, Sha256};

/// The removal notices of a public root.
#[derive(Debug, Default)]
pub(super) struct Removals {
    /// The chains and hashes of removed manifests, by their releases.
    gone: BTreeMap<u32, (u32, Sha256)>,
    /// Feeds by the chains that a notice belongs to.
    chains: BTreeMap<u32, String>,
    /// The newest release of each chain whose manifest has expired; there are no notices for those
    /// before it any more.
    expired: BTreeMap<u32, u32>,
}

/// The reason that a notice at a path can have; None if no notice can be there.
pub(super) fn reason_at(layout: Layout, path: &str) -> Option<RemovalReason> {
    let reasons = [
        RemovalReason::Withdrawn,
        RemovalReason::Erased,
        RemovalReason::Expired,
    ];
    let is_in = |reason: &RemovalReason| {
        layout == Layout::Root
            && path
                .strip_prefix(reason.folder())
                .is_some_and(|rest| rest.starts_with('/'))
    };
    reasons
        .into_iter()
        .find(|reason| path.ends_with(".json") && is_in(reason))
}

impl Removals {
    /// Adds the notice at a path; `false` if it is one of another path.
    pub(super) fn take(&mut self, layout: Layout, path: &str, notice: RemovalNotice) -> bool {
        if layout.removal(notice.reason, notice.release) != path {
            return false;
        }
        if notice.reason == RemovalReason::Expired {
            let expired = self.expired.entry(notice.chain).or_default();
            *expired = notice.release.max(*expired);
        }
        self.gone
            .insert(notice.release, (notice.chain, notice.manifest));
        self.chains.insert(notice.chain, notice.feed);
        true
    }

    /// Whether no manifest was removed.
    pub(super) fn is_empty(&self) -> bool {
        self.gone.is_empty()
    }

    /// The feed of a chain, if a notice belongs to it.
    pub(super) fn feed(&self, chain: u32) -> Option<&str> {
        self.chains.get(&chain).map(String::as_str)
    }

    /// Whether a notice says that the manifest of a release of this chain was removed.
    pub(super) fn holds(&self, chain: u32, release: u32) -> bool {
        self.gone.contains_key(&release)
            || self
                .expired
                .get(&chain)
                .is_some_and(|expired| release <= *expired)
    }

    /// Whether a notice may say so of a release whose chain is not known, given these manifests:
    /// chains follow one another.
    pub(super) fn may_hold(&self, release: u32, there: &[(Manifest, Sha256)]) -> bool {
        let there = there
            .iter()
            .map(|(manifest, _)| (manifest.release, manifest.chain));
        let known = there.chain(
            self.gone
                .iter()
                .map(|(release, (chain, _))| (*release, *chain)),
        );
        // The release is of this chain or an earlier one.
        let latest = known
            .filter(|(later, _)| *later >= release)
            .map(|(_, chain)| chain)
            .min();
        let may_be_of = |chain: u32| latest.is_none_or(|latest| chain <= latest);
        self.gone.contains_key(&release)
            || self
                .expired
                .iter()
                .any(|(chain, expired)| release <= *expired && may_be_of(*chain))
    }

    /// The hash of the manifest of a removed release, if a notice still contains it.
    pub(super) fn manifest(&self, release: u32) -> Option<Sha256> {
        self.gone.get(&release).map(|(_, sha256)| *sha256)
    }
}
