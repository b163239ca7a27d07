//! The gate's input about the next release besides its bytes: the policy, the chain so far, and the
//! private tables of the people who must be found in it.

use std::sync::Arc;

use super::crowd_history::ErasedAtom;
use super::history::History;
use crate::histogram::{CodedRows, Histogram};
use crate::model::{Carving, Columns, Cut};
use crate::policy::Policy;

/// The next release, apart from its bytes.
#[derive(Clone, Copy)]
pub struct NextRelease<'a> {
    /// The policy of the chain.
    pub policy: &'a Policy,
    /// The columns of the feed.
    pub columns: &'a Columns,
    /// The number of the release.
    pub release: u32,
    /// The recoding that the manifest will state; without columns if classes have labels of their
    /// own.
    pub recoding: &'a [Cut],
    /// By how much it reduces the possible tables, as far as that was computed.
    pub learnt: Option<RecodingGain>,
    /// The chain's releases as they were published.
    pub history: &'a History,
    /// Atoms that this release and all later ones leave out, and that its notice names; only in a
    /// chain of crowds.
    pub erased: &'a [ErasedAtom],
    /// The private table of all people in the last release. Not used in a chain of crowds: `older`
    /// holds the same people, and each of those tables is compared with what its release added.
    pub before: &'a Histogram,
    /// The private tables of the increments of the history, release by release.
    pub older: &'a [OlderIncrement<'a>],
    /// The private tables of the new people, tick by tick.
    pub newest: &'a [NewIncrement<'a>],
}

impl<'a> NextRelease<'a> {
    /// The classes of the release in the order in which they were formed, if each release has new
    /// ones with labels of their own.
    pub fn own_labels(&self) -> Option<&'a Carving> {
        if self.policy.has_atoms() || !self.recoding.is_empty() {
            return None;
        }
        self.newest.last().map(|newest| newest.labels)
    }
}

/// By how much a recoding reduces the possible tables, as decimal logarithms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RecodingGain {
    /// The reduction due to the final recoding alone, a lower bound.
    pub finally: Option<f64>,
    /// The reduction due to the whole course of the search, or an upper bound; `None` if it is
    /// unknown.
    pub wholly: Option<f64>,
}

/// The people who came with one earlier release.
#[derive(Clone, Copy)]
pub struct OlderIncrement<'a> {
    /// The people. If rows keep their labels, a table that was compared with its release is not compared
    /// again as long as it is the same shared table.
    pub rows: &'a Arc<Histogram>,
}

/// People whose atoms formed in one tick.
#[derive(Clone, Copy)]
pub struct NewIncrement<'a> {
    /// The labels of the atoms, in the order in which they were formed, and who is in which.
    pub labels: &'a Carving,
    /// The people, as they are published.
    pub rows: &'a Histogram,
    /// The people, before masking; `None` if values are never masked.
    pub raw: Option<&'a Histogram>,
    /// The people with the numbers of their measures; `None` if there are none.
    pub numbers: Option<&'a CodedRows>,
}
