//! The states of a lattice of layers in the order in which ARX-LR visits them (SCIENCE 6): by loss,
//! compared as whole numbers, then by C1 and C2, then by their layers, column by column. The order
//! does not depend on the rows.
//!
//! A state is represented by its number among all states, with layer vectors ascending.

use std::ops::Mul;

use num_bigint::BigUint;
use num_integer::Integer;

use super::ladder::Ladder;

/// A layer per column, counted from 0.
pub(super) type LayerState = Vec<u8>;

/// All states.
pub(super) struct LayerStates {
    heights: Vec<u32>,
    /// For each column, the difference between the numbers of neighbouring states.
    strides: Vec<u32>,
    order: Vec<u32>,
}

/// The number of states; `None` beyond 64 bits.
pub(super) fn count(ladders: &[Ladder]) -> Option<u64> {
    ladders.iter().try_fold(1u64, |count, ladder| {
        count.checked_mul(ladder.height() as u64)
    })
}

impl LayerStates {
    /// The states over these ladders; their number has to fit into 32 bits.
    pub(super) fn new(ladders: &[Ladder]) -> LayerStates {
        let heights: Vec<u32> = ladders
            .iter()
            .map(|ladder| ladder.height() as u32)
            .collect();
        let mut strides = vec![1; heights.len()];
        for column in (1..heights.len()).rev() {
            strides[column - 1] = strides[column] * heights[column];
        }
        let most = ladders.iter().try_fold(1u128, |most, ladder| {
            most.checked_mul(factor(ladder, ladder.height() - 1))
        });
        let order = if most.is_some() {
            sorted::<u128>(ladders)
        } else {
            sorted::<BigUint>(ladders)
        };
        let states: u64 = heights.iter().map(|height| u64::from(*height)).product();
        assert!(
            order.len() as u64 == states,
            "each state has one place in the order"
        );
        LayerStates {
            heights,
            strides,
            order,
        }
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// All states, in the order of ARX-LR.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> {
        self.order.iter().copied()
    }

    /// The state with `*` in all columns.
    pub(super) fn top(&self) -> u32 {
        self.order.len() as u32 - 1
    }

    /// The layer of each column.
    pub(super) fn layers(&self, state: u32) -> impl Iterator<Item = usize> {
        self.strides
            .iter()
            .zip(&self.heights)
            .map(move |(stride, height)| (state / stride % height) as usize)
    }

    /// The state one layer up in a column.
    pub(super) fn above(&self, state: u32, column: usize) -> Option<u32> {
        assert!(
            (state as usize) < self.order.len(),
            "a state of these ladders"
        );
        let (stride, height) = (self.strides[column], self.heights[column]);
        (state / stride % height + 1 < height).then(|| state + stride)
    }

    /// The states one layer down in one of the columns.
    pub(super) fn below(&self, state: u32) -> impl Iterator<Item = u32> {
        let columns = self.strides.iter().zip(&self.heights);
        columns
            .filter(move |(stride, height)| !(state / *stride).is_multiple_of(**height))
            .map(move |(stride, _)| state - stride)
    }
}

/// The factor of a column in the loss of a state: 1 + il is this over D − 1, which all states
/// share; a column with a single value never loses anything.
fn factor(ladder: &Ladder, layer: usize) -> u128 {
    match ladder.domain() {
        1 => 1,
        domain => u128::from(ladder.length(layer)) + u128::from(domain) - 2,
    }
}

/// The order, computed with numbers that hold every loss.
fn sorted<N>(ladders: &[Ladder]) -> Vec<u32>
where
    N: Clone + From<u128> + Mul<Output = N> + Ord,
{
    let whole = ladders
        .iter()
        .fold(1u64, |whole, ladder| whole.lcm(&(ladder.height() as u64)));
    // C2 is always smaller than this, so that one number holds C1 and C2.
    let above = ladders.len() as u64 * whole + 1;
    let mut keys = vec![(N::from(1), 0)];
    for ladder in ladders {
        let layer = |layer: usize| {
            let (number, share) = (layer as u64 + 1, whole / ladder.height() as u64);
            (
                N::from(factor(ladder, layer)),
                number * above + number * share,
            )
        };
        let layers: Vec<(N, u64)> = (0..ladder.height()).map(layer).collect();
        let with = |(loss, ties): &(N, u64)| -> Vec<(N, u64)> {
            layers
                .iter()
                .map(|layer| (loss.clone() * layer.0.clone(), ties + layer.1))
                .collect()
        };
        keys = keys.iter().flat_map(with).collect();
    }
    let mut keyed: Vec<((N, u64), u32)> = keys.into_iter().zip(0..).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, state)| state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    /// Pairs of pairs of intervals of equal length.
    fn ladder(values: u64) -> Ladder {
        let mut tree = Tree::new("*");
        for half in ["a", "b"] {
            let above = tree.add(0, half, 1);
            (0..2).for_each(|leaf| _ = tree.add(above, &format!("{half}{leaf}"), values));
        }
        Ladder::of(&tree.finish().expect("a tree")).expect("layers")
    }

    #[test]
    fn losses_beyond_128_bits_give_the_same_order() {
        let ladders = [3, 5, 9, 3].map(ladder);
        assert_eq!(sorted::<u128>(&ladders), sorted::<BigUint>(&ladders));
        let large = [1 << 60, 1 << 61, 1 << 60].map(ladder);
        let states = LayerStates::new(&large);
        assert_eq!(
            (states.len(), states.order[0], states.order[26]),
            (27, 0, states.top())
        );
        assert!(
            large
                .iter()
                .try_fold(1u128, |most, ladder| most.checked_mul(factor(ladder, 2)))
                .is_none()
        );
    }

    #[test]
    fn neighbours_are_one_layer_apart() {
        let states = LayerStates::new(&[1, 2].map(ladder));
        assert_eq!(states.layers(5).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((states.above(5, 0), states.above(5, 1)), (Some(8), None));
        assert_eq!(states.below(5).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(states.below(0).count(), 0);
        assert!(states.order().count() == 9 && states.top() == 8);
    }
}
