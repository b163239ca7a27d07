//! The number of sets of rows that a label leaves possible (SCIENCE 6 and 11): the number of
//! combinations of values in a region, to the power of its number of people.

use super::settings::Values;
use crate::model::{Node, Taxonomy};

/// The requirement on the number of possible sets of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenSets {
    /// The smallest number; 0 means no limit.
    pub least: u64,
    /// Whether two people may have the same values.
    pub values: Values,
}

/// Succeeds if combinations can be counted: of values in 128 bits, of leaves in 64.
pub(crate) fn countable(trees: &[&Taxonomy]) -> Option<()> {
    trees
        .iter()
        .try_fold(1u128, |all, tree| all.checked_mul(tree.values(0).into()))?;
    trees
        .iter()
        .try_fold(1u64, |all, tree| all.checked_mul(tree.leaves() as u64))
        .map(drop)
}

/// The number of combinations of values in a region.
pub(crate) fn volume(trees: &[&Taxonomy], region: &[Node]) -> u128 {
    assert_eq!(region.len(), trees.len(), "one node for each column");
    trees
        .iter()
        .zip(region)
        .map(|(tree, &node)| u128::from(tree.values(node)))
        .product()
}

impl OpenSets {
    /// Whether this number of people, with this many combinations of values, leaves enough sets of
    /// rows possible.
    pub(crate) fn holds(self, volume: u128, people: u64) -> bool {
        let (least, mut sets) = (u128::from(self.least), 1u128);
        // Without repetition, the combinations that are left out determine the others.
        let left = volume.checked_sub(people.into());
        let steps = match self.values {
            Values::Repeated if volume > 1 => people,
            Values::Repeated => 0,
            Values::Distinct => match left {
                None => return self.least == 0,
                Some(left) => u64::try_from(left).map_or(people, |left| left.min(people)),
            },
        };
        // Each step at least doubles the number.
        for step in 0..u128::from(steps) {
            if sets >= least {
                break;
            }
            let more = match self.values {
                Values::Repeated => sets.checked_mul(volume),
                Values::Distinct => sets
                    .checked_mul(volume - step)
                    .map(|sets| sets / (step + 1)),
            };
            let Some(more) = more else { return true };
            sets = more;
        }
        sets >= least
    }
}
