//! The candidates that all attacks together leave in the classes of all people of a chain, for the
//! checks that measure them.

use super::super::super::comparison::{Lineage, PreparedCase};
use crate::chain::{ChainTarget, Fold, ReleaseChain};
use crate::histogram::{NumberedClasses, Slices, ValueCode};

/// Candidates by value.
type Crowd = [(ValueCode, u64)];

/// How a class is measured, and how the measures of two classes are combined.
pub(super) struct Measured<'m, T> {
    /// The measure of no class.
    pub none: T,
    /// The measure of one class.
    pub of: &'m (dyn Fn(&Crowd) -> T + Send + Sync),
    /// Combines two measures.
    pub both: fn(T, T) -> T,
}

impl<T: Copy + Send + Sync> Measured<'_, T> {
    /// The measure over each person's class; `None` if crossing recodings leave it open, or a
    /// release does not show the chain's people.
    pub(super) fn all_people(&self, ready: &PreparedCase<'_>, lineage: &Lineage) -> Option<T> {
        let chain = ReleaseChain::new(
            &lineage.releases,
            &lineage.number,
            &ready.trees,
            ready.values.len(),
        );
        if lineage.releases.len() > 2 && !chain.nested() {
            return None;
        }
        assert_eq!(
            lineage.releases.len(),
            lineage.number.len(),
            "a number for the recoding of each release"
        );
        let slices = Slices::of(
            &lineage.rows,
            &chain.cuts(),
            &chain.numbered().iter().collect::<Vec<&NumberedClasses>>(),
        );
        let (mut all, mut shown) = (self.none, true);
        let swept = chain.each_sight(|sight| {
            let slices = slices.of_increment(sight.increment);
            shown &= chain.shows(sight, &slices);
            if shown {
                all = (self.both)(all, chain.realised(sight, &slices, self));
            }
        });
        swept.ok().filter(|()| shown).map(|()| all)
    }
}

impl<T: Copy + Send + Sync> Fold for Measured<'_, T> {
    type Sum = T;

    fn start(&self) -> T {
        self.none
    }

    fn take(&self, all: &mut T, target: &ChainTarget<'_>) {
        // A target without candidates contains no person.
        if target.left > 0 {
            *all = (self.both)(*all, (self.of)(target.crowd));
        }
    }

    fn join(&self, first: T, second: T) -> T {
        (self.both)(first, second)
    }
}
