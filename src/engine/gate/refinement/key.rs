//! The keys by which states are compared (CRA 3; SCIENCE 6): the loss of local recoding and the
//! first two of its tie-breaks, as exact numbers, never floats. States with equal keys are in the
//! order of their layers.

use num_bigint::BigUint;

use super::column::LayeredColumn;

/// Loss, then C1, then C2 of a state; lower comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateKey {
    /// Π (len + D − 2) over the columns, without columns of one value: this has the order of Π (1 +
    /// il).
    pub loss: BigUint,
    /// C1: Σ layer.
    pub layers: u64,
    /// C2: Σ layer / height, times the product of all heights.
    pub heights: BigUint,
}

impl StateKey {
    /// The key of a state: a layer per column, counted from 1.
    pub fn new(columns: &[LayeredColumn], state: &[usize]) -> StateKey {
        let each = || columns.iter().zip(state);
        let loss = |(column, &layer): (&LayeredColumn, &usize)| match column.domain() {
            1 => BigUint::from(1u8),
            domain => BigUint::from(column.longest(layer)) + domain - 2u8,
        };
        let all: BigUint = columns
            .iter()
            .map(|column| BigUint::from(column.height()))
            .product();
        StateKey {
            loss: each().map(loss).product(),
            layers: state.iter().map(|&layer| layer as u64).sum(),
            heights: each()
                .map(|(column, &layer)| &all * layer / column.height())
                .sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four leaves, the last one short, and five, in groups of three; and a column of one value.
    fn columns() -> Vec<LayeredColumn> {
        let layers = |of: &[&[usize]]| -> Vec<Vec<std::ops::Range<usize>>> {
            of.iter()
                .map(|ends| ends.windows(2).map(|pair| pair[0]..pair[1]).collect())
                .collect()
        };
        let twos = layers(&[&[0, 1, 2, 3, 4], &[0, 2, 4], &[0, 4]]);
        let threes = layers(&[&[0, 1, 2, 3, 4, 5], &[0, 3, 5], &[0, 5]]);
        let pair = layers(&[&[0, 1, 2], &[0, 2]]);
        [
            (vec![7, 7, 7, 2], twos),
            (vec![4, 4, 4, 4, 3], threes),
            (vec![12, 11], pair),
            (vec![1], layers(&[&[0, 1]])),
        ]
        .into_iter()
        .map(|(lengths, layers)| LayeredColumn::new(lengths, &layers).expect("a hierarchy"))
        .collect()
    }

    /// The values in an interval of each layer, and the height, computed by hand.
    const LENGTHS: [&[u64]; 4] = [&[7, 14, 23], &[4, 12, 19], &[12, 23], &[1]];

    #[test]
    fn keys_order_states_as_fractions_do() {
        let columns = columns();
        let mut states: Vec<Vec<usize>> = vec![Vec::new()];
        for lengths in LENGTHS {
            let longer = |state: &Vec<usize>| {
                (1..=lengths.len())
                    .map(|layer| [&state[..], &[layer]].concat())
                    .collect()
            };
            states = states
                .iter()
                .flat_map::<Vec<Vec<usize>>, _>(longer)
                .collect();
        }
        // Π (1 + (len − 1) / (D − 1)), multiplied by the product of all D − 1; a column of one
        // value cannot lose anything.
        let loss = |state: &[usize]| -> u64 {
            let each = LENGTHS
                .iter()
                .zip(state)
                .filter(|(lengths, _)| lengths[lengths.len() - 1] > 1);
            each.map(|(lengths, layer)| (lengths[lengths.len() - 1] - 1) + (lengths[layer - 1] - 1))
                .product()
        };
        let layers = |state: &[usize]| state.iter().sum::<usize>();
        // Σ layer / height in sixths.
        let heights = |state: &[usize]| {
            LENGTHS
                .iter()
                .zip(state)
                .map(|(all, layer)| 6 * layer / all.len())
                .sum::<usize>()
        };
        let by_hand = |state: &[usize]| (loss(state), layers(state), heights(state));
        for a in &states {
            for b in &states {
                let order = by_hand(a).cmp(&by_hand(b));
                assert_eq!(
                    StateKey::new(&columns, a).cmp(&StateKey::new(&columns, b)),
                    order,
                    "{a:?} and {b:?}"
                );
            }
        }
        assert_eq!(states.len(), 18);
    }

    #[test]
    fn ties_go_by_layers_and_then_by_heights() {
        let column = |lengths: Vec<u64>, ends: &[&[usize]]| {
            let layers: Vec<Vec<std::ops::Range<usize>>> = ends
                .iter()
                .map(|ends| ends.windows(2).map(|pair| pair[0]..pair[1]).collect())
                .collect();
            LayeredColumn::new(lengths, &layers).expect("a hierarchy")
        };
        // The same domain, once with three layers and once with four.
        let short = column(vec![2; 4], &[&[0, 1, 2, 3, 4], &[0, 2, 4], &[0, 4]]);
        let long = column(
            vec![1; 8],
            &[
                &[0, 1, 2, 3, 4, 5, 6, 7, 8],
                &[0, 2, 4, 6, 8],
                &[0, 4, 8],
                &[0, 8],
            ],
        );
        let columns = [short, long];
        let key = |state: [usize; 2]| StateKey::new(&columns, &state);
        // 2 · 4 values in either case, at the layers 1 and 3 or 2 and 2.
        let [a, b] = [key([1, 3]), key([2, 2])];
        assert_eq!((&a.loss, a.layers), (&b.loss, b.layers));
        // 1/3 + 3/4 = 13/12, and 2/3 + 2/4 = 14/12.
        assert!(a.heights < b.heights && a < b);
        // 8 · 4 and 4 · 8 values: 1 + 3/4, and 2/3 + 1.
        let [a, b] = [key([3, 3]), key([2, 4])];
        assert!(a.loss == b.loss && a.layers == b.layers && b < a);
    }
}
