//! What the gate is given of the next release besides its bytes: the policy, the chain so far, and the private tables of people
//! who have to be found in it.

use std::sync::Arc;

use super::crowd_history::ErasedAtom;
use super::history::History;
use crate::histogram::{CodedRows, Histogram};
use crate::model::{Carving, Columns, Cut};
use crate::policy::{ChainPromise, Policy};

/// The next release, apart from its bytes.
#[derive(Clone, Copy)]
pub struct NextRelease<'a> {
    /// What is promised.
    pub policy: &'a Policy,
    /// The columns of the feed.
    pub columns: &'a Columns,
    /// The number of the release.
    pub release: u32,
    /// People withheld from the chain so far.
    pub withheld: u64,
    /// Counts of people by which a person lost is missed; `None` in chains that do not count who comes.
    pub census: Option<Census>,
    /// Tests of finer releases that were made in the chain, one of this release included.
    pub tests: u32,
    /// The recoding that the manifest will state; of no column where classes have labels of their own.
    pub recoding: &'a [Cut],
    /// Those classes, in the order in which they were formed.
    pub carving: Option<&'a Carving>,
    /// Whether it is the recoding that a search of its own, or the standing one, led to, and no other that was fixed beside it.
    pub searched: bool,
    /// By how much it narrows down who is where, as far as it was worked out.
    pub learnt: Option<RecodingGain>,
    /// The chain's releases as they were published.
    pub history: &'a History,
    /// Atoms that this release and all later ones leave out, and that its notice names; in a chain of crowds only.
    pub erased: &'a [ErasedAtom],
    /// The private table of all people in the last release. In a chain of crowds it is not looked at: `older` holds the same people,
    /// and each of those tables is compared with what its release added.
    pub before: &'a Histogram,
    /// The private tables of the increments of the history, release by release.
    pub older: &'a [OlderIncrement<'a>],
    /// The private tables of what is new, tick by tick.
    pub newest: &'a [NewIncrement<'a>],
}

/// By how much a recoding narrows down who is where, as decimal logarithms.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RecodingGain {
    /// What the final recoding alone tells; the truth is not below it.
    pub finally: Option<f64>,
    /// What the whole course of the search tells, or a bound from above; `None`: it is not known.
    pub wholly: Option<f64>,
}

/// Counts of a chain, of which the withheld are another part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// All people who ever came into the chain and were not erased from it.
    pub came: u64,
    /// People who wait and are not in the release.
    pub waiting: u64,
}

/// People who came with one earlier release.
#[derive(Clone, Copy)]
pub struct OlderIncrement<'a> {
    /// The recoding as far as which they are known.
    pub known: &'a [Cut],
    /// The recoding that split none of their atoms.
    pub atoms: &'a [Cut],
    /// They. In a chain of crowds a table that was compared with its release is not compared again while it is this very one.
    pub rows: &'a Arc<Histogram>,
    /// The addends of their measures, label by label; `None` where there are none, or where rows keep their labels.
    pub addends: Option<&'a Histogram>,
}

/// People whose atoms formed in one tick.
#[derive(Clone, Copy)]
pub struct NewIncrement<'a> {
    /// The recoding whose classes are the atoms; of no column where these have labels of their own.
    pub atoms: &'a [Cut],
    /// Those atoms.
    pub carving: Option<&'a Carving>,
    /// They, as they are published.
    pub rows: &'a Histogram,
    /// They, as they are; `None` where no person's value is ever changed.
    pub raw: Option<&'a Histogram>,
    /// They with the numbers of their measures; `None` where there are none.
    pub numbers: Option<&'a CodedRows>,
}

impl NextRelease<'_> {
    /// Whether the release is under the recoding of the one before it.
    pub(super) fn stays(&self) -> bool {
        self.history.number.last() == Some(&self.history.number_of(self.recoding))
    }

    /// The same under `blind`: the candidate then only adds rows to what all other people were seen in, and every figure of
    /// theirs is a least figure that was judged already.
    pub(super) fn only_adds(&self) -> bool {
        matches!(self.policy.chain(), ChainPromise::Blind(_)) && self.stays()
    }
}
