//! How many sets of rows a label leaves open (SCIENCE 6 and 11): the combinations of values in a region, taken as often as it has
//! people.

use super::settings::Values;
use crate::model::{Node, Taxonomy};

/// How many sets of rows are to be left open.
#[derive(Debug, Clone, Copy)]
pub struct OpenSets {
    /// The fewest; 0: any number will do.
    pub least: u64,
    /// Whether two people may have the same values.
    pub values: Values,
}

/// Nothing, if combinations can be counted: of values in 128 bits, of leaves in 64.
pub fn countable(trees: &[&Taxonomy]) -> Option<()> {
    trees.iter().try_fold(1u128, |all, tree| all.checked_mul(tree.values(0).into()))?;
    trees.iter().try_fold(1u64, |all, tree| all.checked_mul(tree.leaves() as u64)).map(drop)
}

/// Combinations of values in a region.
pub fn volume(trees: &[&Taxonomy], region: &[Node]) -> u128 {
    assert_eq!(region.len(), trees.len(), "a node for each column");
    trees.iter().zip(region).map(|(tree, &node)| u128::from(tree.values(node))).product()
}

impl OpenSets {
    /// Whether so many people with so many combinations of values leave enough sets of rows open.
    pub fn holds(self, volume: u128, people: u64) -> bool {
        let (least, mut sets) = (u128::from(self.least), 1u128);
        // Without repeats those that are left out tell as much as those that are there.
        let left = volume.checked_sub(people.into());
        let steps = match self.values {
            Values::Repeated if volume > 1 => people,
            Values::Repeated => 0,
            Values::Distinct => match left {
                None => return self.least == 0,
                Some(left) => u64::try_from(left).map_or(people, |left| left.min(people)),
            },
        };
        // Each step doubles the number at least.
        for step in 0..u128::from(steps) {
            if sets >= least {
                break;
            }
            let more = match self.values {
                Values::Repeated => sets.checked_mul(volume),
                Values::Distinct => sets.checked_mul(volume - step).map(|sets| sets / (step + 1)),
            };
            let Some(more) = more else { return true };
            sets = more;
        }
        sets >= least
    }
}
