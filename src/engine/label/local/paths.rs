//! Leaf tuples as numbers, from which a mask extracts their labels in any layers: the number holds
//! the path from the root to each leaf, a few bits per layer. Two tuples have the same labels in a
//! state if they agree in the bits of its layers and of those above.

use super::ladder::Ladder;

/// The position of the bits of each column and layer. A number has as many words as it needs.
pub(super) struct LayerBits {
    words: usize,
    /// For each column and leaf its bits; trailing words without any are omitted.
    leaves: Vec<Vec<Vec<u64>>>,
    /// For each column and layer the bits that distinguish its nodes; trailing words are omitted as
    /// well.
    masks: Vec<Vec<Vec<u64>>>,
}

impl LayerBits {
    /// The positions for these ladders.
    pub(super) fn new(ladders: &[Ladder]) -> LayerBits {
        let mut paths = LayerBits {
            words: 1,
            leaves: Vec::new(),
            masks: Vec::new(),
        };
        let mut used = 0;
        for ladder in ladders {
            let mut leaves = vec![Vec::new(); ladder.leaves()];
            let mut masks = vec![Vec::new(); ladder.height()];
            for layer in (0..ladder.height() - 1).rev() {
                let places = places(ladder, layer);
                let bits = u64::BITS
                    - places
                        .iter()
                        .fold(0, |most, &place| most.max(place))
                        .leading_zeros();
                if used + bits > u64::BITS {
                    (paths.words, used) = (paths.words + 1, 0);
                }
                let word = paths.words - 1;
                let set = |number: &mut Vec<u64>, bits: u64| {
                    number.resize(number.len().max(word + 1), 0);
                    number[word] |= bits << used;
                };
                if bits > 0 {
                    leaves
                        .iter_mut()
                        .zip(&places)
                        .for_each(|(leaf, &place)| set(leaf, place));
                    masks[..=layer]
                        .iter_mut()
                        .for_each(|mask| set(mask, u64::MAX >> (u64::BITS - bits)));
                    used += bits;
                }
            }
            assert!(used <= u64::BITS, "a word holds no more bits");
            paths.leaves.push(leaves);
            paths.masks.push(masks);
        }
        paths
    }

    /// The number of words.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The number of a leaf tuple.
    pub(super) fn number(&self, leaves: impl Iterator<Item = u32>) -> Vec<u64> {
        self.join(
            leaves
                .zip(&self.leaves)
                .map(|(leaf, of)| &of[leaf as usize]),
        )
    }

    /// The bits that distinguish labels in these layers.
    pub(super) fn mask(&self, layers: impl Iterator<Item = usize>) -> Vec<u64> {
        self.join(layers.zip(&self.masks).map(|(layer, of)| &of[layer]))
    }

    fn join<'n>(&self, columns: impl Iterator<Item = &'n Vec<u64>>) -> Vec<u64> {
        let mut number = vec![0; self.words];
        columns.for_each(|column| {
            assert!(column.len() <= self.words, "bits have a word");
            number
                .iter_mut()
                .zip(column)
                .for_each(|(word, bits)| *word |= bits);
        });
        number
    }
}

/// The index of each leaf's node in a layer among the children of the node above.
fn places(ladder: &Ladder, layer: usize) -> Vec<u64> {
    let mut places = vec![0];
    for leaf in 1..ladder.leaves() as u32 {
        let same = |layer: usize| ladder.node(layer, leaf) == ladder.node(layer, leaf - 1);
        let before = places[leaf as usize - 1];
        places.push(if same(layer + 1) {
            before + u64::from(!same(layer))
        } else {
            0
        });
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tree;

    /// Groups of three in groups of three; the last group has one leaf.
    fn ladder() -> Ladder {
        let mut tree = Tree::new("*");
        for (at, size) in [3, 3, 1].into_iter().enumerate() {
            let above = tree.add(0, &format!("{at}"), 1);
            (0..size).for_each(|leaf| _ = tree.add(above, &format!("{at}.{leaf}"), 1));
        }
        Ladder::of(&tree.finish().expect("a tree")).expect("layers")
    }

    #[test]
    fn tuples_agree_under_a_mask_if_their_labels_do() {
        // Four bits for each column: 17 columns need more than one word.
        for columns in [1, 2, 17] {
            let ladders: Vec<Ladder> = (0..columns).map(|_| ladder()).collect();
            let paths = LayerBits::new(&ladders);
            assert_eq!(paths.words(), if columns == 17 { 2 } else { 1 });
            for (a, b) in (0..7).flat_map(|a| (0..7).map(move |b| (a, b))) {
                let number = |last: u32| {
                    let leaves =
                        (0..columns).map(|at| if at + 1 == columns { last } else { at % 7 });
                    paths.number(leaves)
                };
                for layer in 0..3 {
                    let mask = paths.mask((0..columns).map(|_| layer));
                    let under = |number: Vec<u64>| -> Vec<u64> {
                        number
                            .iter()
                            .zip(&mask)
                            .map(|(word, mask)| word & mask)
                            .collect()
                    };
                    let same = ladders[0].node(layer, a) == ladders[0].node(layer, b);
                    assert_eq!(
                        under(number(a)) == under(number(b)),
                        same,
                        "{a} and {b} on layer {layer}"
                    );
                }
            }
        }
    }
}
