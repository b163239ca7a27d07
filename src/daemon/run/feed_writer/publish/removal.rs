//! Removal of releases, rows and manifests from the public root (CONTRACTS 4): a release is
//! withdrawn, old rows leave the table (`publish.retain`), old manifests are removed
//! (`publish.keep`), and manifests that list erased rows are removed after the release without
//! them. Each is one entry of the log; its effect on the state is here.
//!
//! Nothing here reads or writes an object.

use super::super::state::FeedState;
use super::super::state_parts::DecidedRelease;
use super::super::times::milliseconds;
use super::chain_table::ChainTable;
use super::removed_manifest::Removed;
use crate::engine::policy::Policy;
use crate::engine::release::{ReleaseSpan, RemovalReason, TableId};
use crate::formats::LeavingAtom;
use crate::journal::{Expire, Retire, Withdraw};
use std::collections::BTreeSet;

impl DecidedRelease {
    /// Whether readers see it: its manifest was published and not removed.
    pub fn is_visible(&self) -> bool {
        self.manifest.is_some() && self.removed.is_none()
    }

    fn remove(&mut self, reason: RemovalReason, notice: Option<u32>) {
        if self.removed.is_none() {
            self.removed = Some(Removed { reason, notice });
        }
    }
}

impl FeedState {
    /// A release and all later ones of its chain are withdrawn.
    pub fn withdraw(&mut self, withdraw: &Withdraw) {
        let Withdraw {
            chain,
            first,
            last,
            left,
            republish,
            ..
        } = *withdraw;
        self.wanted(&withdraw.wanted);
        // A release that is held for approval is void, whatever its chain: its files are gone.
        (self.held, self.candidate) = (None, None);
        let of_them = |line: &&mut DecidedRelease| {
            line.chain == chain && (first..=last).contains(&line.release)
        };
        self.releases
            .iter_mut()
            .filter(of_them)
            .for_each(|line| line.remove(RemovalReason::Withdrawn, None));
        // The table contains again what the releases after the remaining one have left out.
        let (mut again, mut through) = (Vec::new(), None);
        let is_behind =
            |line: &&mut DecidedRelease| line.chain == chain && Some(line.release) > left;
        for line in self.releases.iter_mut().filter(is_behind) {
            again.append(&mut line.retired);
            through = through.max(line.retired_through.take());
        }
        let disjoint = self.terms.disjoint;
        for (_, table) in self.tables.iter_mut().filter(|(id, _)| id.chain == chain) {
            table.withdraw(first, left, milliseconds(&withdraw.time));
        }
        self.cleaning = true;
        if chain != self.feed.chain() || disjoint {
            return;
        }
        self.retired.extend(again);
        self.retired_through = self.retired_through.max(through);
        if republish {
            self.feed.owe_release();
        } else {
            self.feed.drop_rows(first..=last);
        }
        // Rows outside the remaining table come back without these atoms, if at all.
        let parts = self.parts();
        let is_in_table =
            |atom: &LeavingAtom| parts.iter().any(|part| part.span.holds(atom.release));
        self.erased.retain(is_in_table);
        self.retired.retain(is_in_table);
        // The rows that the releases added are derived again from the remaining table.
        self.history = Default::default();
    }

    /// Rows of old releases leave with the next release.
    pub fn retire(&mut self, retire: &Retire) {
        let trees = self.terms.columns.trees();
        let label = |(release, nodes): (u32, Vec<_>)| LeavingAtom {
            release,
            label: nodes
                .iter()
                .zip(&trees)
                .map(|(&node, tree)| tree.label(node).into())
                .collect(),
        };
        let leave: Vec<LeavingAtom> = self
            .feed
            .labels_of(0..=retire.through)
            .into_iter()
            .map(label)
            .collect();
        self.retired.extend(leave);
        self.retired_through = self.retired_through.max(Some(retire.through));
        if self
            .releases_not_in_table()
            .iter()
            .any(|release| *release <= retire.through)
        {
            // The rows that these releases added are in no file any more, and the counts are
            // without them.
            self.history = Default::default();
        }
        self.feed.drop_rows(0..=retire.through);
        self.feed.owe_release();
        (self.held, self.candidate) = (None, None);
    }

    /// Old manifests leave the public root.
    pub fn expire(&mut self, expire: &Expire) {
        for line in self
            .releases
            .iter_mut()
            .filter(|line| expire.releases.contains(&line.release))
        {
            line.remove(RemovalReason::Expired, None);
        }
        let oldest: Vec<(TableId, u32)> = self
            .tables
            .keys()
            .filter_map(|id| Some((*id, self.oldest(id.chain)?)))
            .collect();
        for (id, release) in oldest {
            let delta = self.tables.get_mut(&id).and_then(ChainTable::delta_mut);
            delta
                .into_iter()
                .for_each(|delta| delta.starts_with_release(release));
        }
        self.cleaning = true;
    }

    /// Whether the rows of an atom were removed from the table because they were older than the
    /// retention, or will be with the next release.
    pub(in crate::feed_writer) fn is_retired(&self, atom: &LeavingAtom) -> bool {
        self.retired.contains(atom) || self.of_chain().any(|line| line.retired.contains(atom))
    }

    /// Atoms are erased. The next release leaves them out, and manifests that list them are removed
    /// after it; at once, if a visible release has left them out because they were old.
    pub(in crate::feed_writer) fn erase_atoms(&mut self, atoms: Vec<LeavingAtom>) {
        let (chain, parts) = (self.feed.chain(), self.parts());
        let mut left_out = Vec::new();
        for atom in atoms {
            let holds = |line: &&mut DecidedRelease| {
                line.chain == chain && line.retired_through >= Some(atom.release)
            };
            if let Some(line) = self.releases.iter_mut().find(holds) {
                line.retired.retain(|retired| *retired != atom);
                line.erased.push(atom);
                left_out.extend(line.manifest.map(|_| line.release));
            } else {
                self.retired.retain(|retired| *retired != atom);
                self.feed.owe_release();
                // Rows of a release that was withdrawn, and is to be published again, are in no
                // file.
                if parts.iter().any(|part| part.span.holds(atom.release)) {
                    self.erased.push(atom);
                }
            }
        }
        left_out
            .into_iter()
            .for_each(|release| self.erased_rows_are_gone(release));
    }

    /// A release without erased rows is visible: earlier manifests that list these rows are
    /// removed.
    pub(in crate::feed_writer) fn erased_rows_are_gone(&mut self, release: u32) {
        let Some(line) = self
            .releases
            .iter()
            .rev()
            .find(|line| line.release == release)
        else {
            return;
        };
        let (chain, Some(first)) = (
            line.chain,
            line.erased.iter().map(|atom| atom.release).min(),
        ) else {
            return;
        };
        let of_them = |line: &&mut DecidedRelease| {
            line.chain == chain && (first..release).contains(&line.release)
        };
        for line in self
            .releases
            .iter_mut()
            .filter(of_them)
            .filter(|line| line.is_visible())
        {
            line.remove(RemovalReason::Erased, Some(release));
            self.replaced.push(line.release);
        }
        let of_chain = self.tables.iter_mut().filter(|(id, _)| id.chain == chain);
        of_chain
            .filter_map(|(_, table)| table.delta_mut())
            .for_each(|delta| delta.forget_versions());
        self.cleaning = true;
    }

    /// The public root contains nothing any more that had to be removed.
    pub fn cleaned(&mut self) {
        for (id, table) in &mut self.tables {
            let visible: Vec<u32> = self
                .releases
                .iter()
                .filter(|line| line.chain == id.chain && line.is_visible())
                .map(|line| line.release)
                .collect();
            table.forget_parts(&visible);
            table
                .delta_mut()
                .into_iter()
                .for_each(|delta| delta.shown());
        }
        self.replaced.clear();
        self.cleaning = false;
    }

    /// The oldest visible release of a chain.
    fn oldest(&self, chain: u32) -> Option<u32> {
        self.releases
            .iter()
            .find(|line| line.chain == chain && line.is_visible())
            .map(|line| line.release)
    }

    /// The newest visible release of a chain before another one.
    pub fn newest_before(&self, chain: u32, release: u32) -> Option<u32> {
        let mut before = self
            .releases
            .iter()
            .rev()
            .filter(|line| line.chain == chain && line.release < release);
        before
            .find(|line| line.is_visible())
            .map(|line| line.release)
    }

    /// Whether the next release changes the rows of the growing table: rows have to be removed from
    /// it, or to be added again.
    pub(in crate::feed_writer) fn table_is_behind(&self, policy: &Policy) -> bool {
        policy.has_atoms() && (!self.retired.is_empty() || !self.releases_not_in_table().is_empty())
    }

    /// Releases whose rows belong to the table and are in no part of it.
    pub(in crate::feed_writer) fn releases_not_in_table(&self) -> Vec<u32> {
        if self.terms.disjoint {
            return Vec::new();
        }
        let parts = self.parts();
        let missing = self.feed.published().iter().filter(|published| {
            published.rows.rows() > 0
                && !parts.iter().any(|part| part.span.holds(published.release))
        });
        missing.map(|published| published.release).collect()
    }

    /// The same, as the files that the next release writes for them.
    pub fn not_in_table(&self) -> Vec<ReleaseSpan> {
        let mut spans: Vec<ReleaseSpan> = Vec::new();
        let joined = self.terms.columns.release().name().is_some();
        for release in self.releases_not_in_table() {
            match spans.last_mut() {
                Some(span) if joined && span.last + 1 == release => span.last = release,
                _ => spans.push(ReleaseSpan::of(release)),
            }
        }
        spans
    }

    /// Releases whose manifests were removed, oldest first.
    pub(super) fn removed(&self) -> impl Iterator<Item = (&DecidedRelease, Removed)> {
        self.releases
            .iter()
            .filter_map(|line| Some((line, line.removed?)))
    }

    /// Releases of a chain whose manifests were removed for a reason.
    pub fn removed_in(&self, chain: u32, reason: RemovalReason) -> impl Iterator<Item = u32> + '_ {
        let of_them = self
            .removed()
            .filter(move |(line, removed)| line.chain == chain && removed.reason == reason);
        of_them.map(|(line, _)| line.release)
    }

    /// The newest release of a chain whose manifest has expired.
    pub(super) fn last_expired(&self, chain: u32) -> Option<u32> {
        self.removed_in(chain, RemovalReason::Expired).max()
    }

    /// Files that some visible release, or the newest table of a chain, needs.
    pub fn needed_files(&self) -> BTreeSet<&str> {
        let visible = || self.releases.iter().filter(|line| line.is_visible());
        let own = visible()
            .flat_map(|line| &line.files)
            .map(|(path, _)| path.as_str());
        let part_of = |path: &str| {
            self.tables
                .values()
                .flat_map(|table| table.parts())
                .any(|part| part.line.file.path == path)
        };
        let mut needed: BTreeSet<&str> = own.filter(|path| !part_of(path)).collect();
        for (id, table) in &self.tables {
            let in_use = table.parts().iter().filter(|part| {
                part.until.is_none()
                    || visible().any(|line| line.chain == id.chain && part.is_in(line.release))
            });
            needed.extend(in_use.map(|part| part.line.file.path.as_str()));
        }
        needed
    }

    /// Whether a release needs one of its files, or if that is a part of a table, whether any
    /// visible release or the newest table of a chain needs it. [`FeedState::needed_files`] lists
    /// the files that some release needs.
    pub fn needs_file(&self, line: &DecidedRelease, path: &str) -> bool {
        let parts = self
            .tables
            .iter()
            .flat_map(|(id, table)| table.parts().iter().map(move |part| (id.chain, part)));
        let mut parts = parts
            .filter(|(_, part)| part.line.file.path == path)
            .peekable();
        if parts.peek().is_none() {
            return line.is_visible();
        }
        let is_seen = |chain: u32, line: &DecidedRelease| line.is_visible() && line.chain == chain;
        parts.any(|(chain, part)| {
            let mut lines = self.releases.iter();
            part.until.is_none()
                || lines.any(|line| is_seen(chain, line) && part.is_in(line.release))
        })
    }
}
