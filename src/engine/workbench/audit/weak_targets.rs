//! The targets of crossing chains that are worth a search: those with the fewest candidates by the
//! pair bound.

use crate::gate::chain::ExactTarget;

/// The most targets that are kept for the search, of all increments together.
const MOST_SUSPECTS: usize = 100_000;

/// The number of targets of one increment that are kept.
pub(super) fn share(releases: usize) -> usize {
    assert!(releases > 0, "a chain of releases");
    (MOST_SUSPECTS / releases).max(1000)
}

/// The targets with the fewest candidates by the pair bound.
#[derive(Debug, Default)]
pub(super) struct WeakTargets {
    kept: Vec<ExactTarget>,
    /// Whether some targets were dropped.
    pub dropped: bool,
}

impl WeakTargets {
    /// Adds a target; at most `most` are kept. The result does not depend on the order.
    pub(super) fn push(&mut self, suspect: ExactTarget, most: usize) {
        assert!(most > 0, "suspects that are kept");
        self.kept.push(suspect);
        if self.kept.len() >= 2 * most {
            self.cut(most);
        }
    }

    /// Adds the targets of another increment.
    pub(super) fn extend(&mut self, other: WeakTargets) {
        self.dropped |= other.dropped;
        self.kept.extend(other.kept);
    }

    /// The targets of both, at most `most`.
    pub(super) fn join(mut self, other: WeakTargets, most: usize) -> WeakTargets {
        self.extend(other);
        self.cut(most);
        self
    }

    /// All targets that are kept.
    pub(super) fn iter(&self) -> impl Iterator<Item = &ExactTarget> {
        self.kept.iter()
    }

    fn cut(&mut self, most: usize) {
        self.kept.sort();
        self.dropped |= self.kept.len() > most;
        self.kept.truncate(most);
    }
}
