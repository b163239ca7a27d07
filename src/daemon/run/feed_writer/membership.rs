//! The atoms of people's rows, as a state knows them.

use super::state::FeedState;
use super::state_parts::{Membership, RawRows};
use crate::engine::gate::verdict;
use crate::error::Result;
use crate::formats::{LeavingAtom, other};

impl FeedState {
    /// Atoms of the running chain in the gate's form.
    ///
    /// # Errors
    /// They belong to another chain.
    pub fn for_the_gate(&self, atoms: &[LeavingAtom]) -> Result<Vec<verdict::ErasedAtom>> {
        let trees = self.terms.columns.trees();
        let known = |atom: &LeavingAtom| {
            let release = self
                .of_chain()
                .position(|line| line.release == atom.release)
                .ok_or_else(other)?;
            Ok(verdict::ErasedAtom {
                release,
                label: atom.nodes(&trees)?,
            })
        };
        atoms.iter().map(known).collect()
    }

    /// Records that atoms are in this release.
    pub(in crate::feed_writer) fn members_are_in(&mut self, release: u32) {
        let new = self
            .members
            .iter_mut()
            .filter(|members| members.release.is_none());
        new.for_each(|members| members.release = Some(release));
    }

    /// Records that atoms are in no release and never will be: their members are forgotten with
    /// their rows.
    pub(in crate::feed_writer) fn members_are_in_none(&mut self) {
        let gone = self
            .members
            .extract_if(.., |members| members.release.is_none());
        let raw = |Membership { object, tick, .. }| RawRows {
            object,
            tick,
            published: None,
        };
        self.raw.extend(gone.map(raw));
    }
}
