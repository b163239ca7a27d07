//! Halving with a coin (SCIENCE 11): the possible divisions of a region, which is one node of the
//! taxonomy of each quasi column, how many people make a division certain, and which ticks halve.
//! All of it follows from taxonomies and the policy alone; no line here could look at a person.

mod reached_labels;

use super::open_sets::{OpenSets, countable, volume};
use super::settings::Values;
use crate::model::Decimal;
use crate::model::{DetailSettings, Node, Taxonomy};

/// The rule by which regions are divided.
#[derive(Debug, Clone)]
pub struct Division<'t> {
    trees: Vec<&'t Taxonomy>,
    people: u64,
    open: OpenSets,
    /// The weight of each column, in hundredths.
    weights: Vec<u32>,
}

/// A possible division of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionSplit {
    /// The column.
    pub column: usize,
    /// The two parts of its node.
    pub parts: [Node; 2],
}

impl<'t> Division<'t> {
    /// Over taxonomies with runs, for atoms of at least `people` people that leave at least `least`
    /// sets of rows possible. `None` if there are more combinations of values than 128 bits can
    /// count, or of leaves than 64.
    pub fn new(
        trees: &[&'t Taxonomy],
        people: u64,
        least: u64,
        values: Values,
    ) -> Option<Division<'t>> {
        countable(trees)?;
        let weights = trees
            .iter()
            .map(|_| DetailSettings::default().hundredths())
            .collect();
        Some(Division {
            trees: trees.to_vec(),
            people,
            open: OpenSets { least, values },
            weights,
        })
    }

    /// The same with weighted columns; without details all columns have equal weights.
    #[must_use]
    pub fn weighted(mut self, details: &[DetailSettings]) -> Division<'t> {
        assert!(
            details.is_empty() || details.len() == self.trees.len(),
            "one detail for each column"
        );
        self.weights
            .iter_mut()
            .zip(details)
            .for_each(|(weight, detail)| *weight = detail.hundredths());
        self
    }

    /// The taxonomies.
    pub fn trees(&self) -> &[&'t Taxonomy] {
        &self.trees
    }

    /// The smallest number of people of an atom.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// The region of all people.
    pub fn root(&self) -> Vec<Node> {
        self.trees.iter().map(|tree| tree.lowest(0)).collect()
    }

    /// The possible divisions of a region, in the order in which they are tried: by the columns'
    /// losses multiplied by their weights, largest first. A division with a part that would leave
    /// too few sets of rows possible is left out.
    pub fn splits(&self, region: &[Node]) -> Vec<RegionSplit> {
        assert_eq!(region.len(), self.trees.len(), "one node for each column");
        let volume = volume(&self.trees, region);
        let mut splits: Vec<RegionSplit> = Vec::new();
        for (column, (tree, &node)) in self.trees.iter().zip(region).enumerate() {
            let Some(parts) = parts(tree, node) else {
                continue;
            };
            let others = volume / u128::from(tree.values(node));
            if parts.iter().all(|&part| {
                self.open
                    .holds(others * u128::from(tree.values(part)), self.people)
            }) {
                splits.push(RegionSplit { column, parts });
            }
        }
        // A column with parts has at least two values. The sort preserves the order of columns with
        // equal losses.
        let lost = |split: &RegionSplit| {
            let tree = self.trees[split.column];
            let [lost, of] =
                [region[split.column], 0].map(|node| u128::from(tree.values(node) - 1));
            (lost, of, self.weights[split.column])
        };
        splits.sort_by(|a, b| {
            let ((lost, of, weight), (others, of_others, weight_of_others)) = (lost(a), lost(b));
            times(others * of, weight_of_others).cmp(&times(lost * of_others, weight))
        });
        splits
    }

    /// The largest number of splits that halving may have refused on the way to a label, if it may
    /// refuse `refusals`; each of them changes the odds of a person's position by at most a factor
    /// of four (SCIENCE 11, CRA). Refused splits are in different columns, in which the label still
    /// has parts.
    pub fn most_refused(&self, label: &[Node], refusals: u32) -> u32 {
        assert_eq!(label.len(), self.trees.len(), "one node for each column");
        let columns = self.trees.iter().zip(label);
        let divisible = columns
            .filter(|(tree, node)| parts(tree, **node).is_some())
            .count() as u32;
        assert!(
            divisible as usize <= self.trees.len(),
            "a column refuses once"
        );
        divisible.min(refusals)
    }

    /// The same; `None` if halving cannot produce this label.
    pub fn refused(&self, label: &[Node], refusals: u32) -> Option<u32> {
        assert_eq!(label.len(), self.trees.len(), "one node for each column");
        self.way_to(label, refusals)
            .map(|_| self.most_refused(label, refusals))
    }

    /// The regions on halving's way to a label, with the label last, if it may refuse `refusals`
    /// splits; `None` if it cannot produce this label. A split of a column whose node is not yet
    /// the label's was made, any other one was refused.
    pub fn way_to(&self, label: &[Node], refusals: u32) -> Option<Vec<Vec<Node>>> {
        assert_eq!(label.len(), self.trees.len(), "one node for each column");
        let mut way = vec![self.root()];
        let (mut refused, mut closed) = (0, vec![false; self.trees.len()]);
        while let Some(at) = way.last().filter(|at| at[..] != *label) {
            let RegionSplit { column, parts } = self
                .splits(at)
                .into_iter()
                .find(|split| !closed[split.column])?;
            if at[column] == label[column] {
                (refused, closed[column]) = (refused + 1, true);
                continue;
            }
            let part = parts
                .into_iter()
                .find(|&part| self.trees[column].covers(part, label[column]));
            let part = part.filter(|_| refused < refusals)?;
            let mut next = at.clone();
            next[column] = part;
            way.push(next);
        }
        Some(way)
    }
}

/// A product, as its part above 128 bits and the rest.
fn times(number: u128, weight: u32) -> (u128, u128) {
    let (high, low) = (number >> 64, number & u128::from(u64::MAX));
    let [high, low] = [high, low].map(|half| half * u128::from(weight));
    let high = high + (low >> 64);
    (high >> 64, (high << 64) | (low & u128::from(u64::MAX)))
}

/// The two parts of a node; `None` for a leaf.
fn parts(tree: &Taxonomy, node: Node) -> Option<[Node; 2]> {
    let mut children = tree.children(tree.lowest(node));
    children
        .next()
        .zip(children.next())
        .map(|(first, second)| [first, second].map(|part| tree.lowest(part)))
}

/// The number of classes from which on a region is always divided, for each kind of tick that
/// halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Certain {
    /// In the first tick that halves.
    pub first: u64,
    /// In other ticks that halve.
    pub harvest: u64,
    /// In every fourth of these.
    pub sweep: u64,
}

impl Certain {
    /// The values that every chain uses.
    pub const CROWDS: Certain = Certain {
        first: 4,
        harvest: 3,
        sweep: 16,
    };

    /// The number of classes that makes a split certain in tick number `tick`, counted from the
    /// first tick that halved; `None` if this tick halves no region. `every` is `publish_every`.
    pub fn crowds(&self, tick: u64, every: u64) -> Option<u64> {
        match tick.is_multiple_of(every) {
            false => None,
            true if tick == 0 => Some(self.first),
            true if (tick / every).is_multiple_of(4) => Some(self.sweep),
            true => Some(self.harvest),
        }
    }
}

/// The number of splits that halving may refuse on the way to a label. Each refusal multiplies the
/// odds of a person's position by at most four, and `most` is the largest factor that the policy
/// allows.
pub fn refusals(most: Decimal) -> u32 {
    // Powers of four are exact.
    (1..)
        .take_while(|&refusals| 4f64.powi(refusals) <= most.get())
        .count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_costs_a_factor_of_four() {
        let of = |most: &str| refusals(Decimal::parse(most).expect("a number"));
        assert_eq!(
            ["3.999", "4", "15.9", "16", "63", "64", "100", "256"].map(of),
            [0, 1, 1, 2, 2, 3, 3, 4]
        );
    }

    #[test]
    fn products_of_more_than_128_bits() {
        assert_eq!(times(u128::MAX, 1), (0, u128::MAX));
        assert_eq!(times(u128::MAX, 10_000), (9_999, u128::MAX - 9_999));
        assert_eq!(times(7 << 64, 3), (0, 21 << 64));
    }

    #[test]
    fn ticks_halve_when_their_turn_comes() {
        let of = |every: u64| {
            (0..17)
                .map(move |tick| Certain::CROWDS.crowds(tick, every))
                .collect::<Vec<_>>()
        };
        let (first, harvest, sweep) = (Some(4), Some(3), Some(16));
        assert_eq!(
            of(1)[..9],
            [
                first, harvest, harvest, harvest, sweep, harvest, harvest, harvest, sweep
            ]
        );
        let second: Vec<_> = of(2).into_iter().step_by(2).collect();
        assert_eq!(second, of(1)[..9]);
        assert!(
            of(2)
                .into_iter()
                .skip(1)
                .step_by(2)
                .all(|crowds| crowds.is_none())
        );
    }
}
