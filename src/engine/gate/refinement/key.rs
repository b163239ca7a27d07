//! What everybody can compare states by (CRA 3; SCIENCE 6): the loss of local recoding and the first two of its
//! tie-breaks, as exact numbers. Never floats, and never the third tie-break, which needs the rows.

use num_bigint::BigUint;

use super::column::Column;

/// Loss, then C1, then C2 of a state; lower comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Π (len + D − 2) over the columns, a column of one value left out: in the order of Π (1 + il).
    pub loss: BigUint,
    /// C1: Σ layer.
    pub layers: u64,
    /// C2: Σ layer / height, times the product of all heights.
    pub heights: BigUint,
}

impl Key {
    /// Of a state: a layer per column, counted from 1.
    pub fn new(columns: &[Column], state: &[usize]) -> Key {
        let each = || columns.iter().zip(state);
        let loss = |(column, &layer): (&Column, &usize)| match column.domain() {
            1 => BigUint::from(1u8),
            domain => BigUint::from(column.longest(layer)) + domain - 2u8,
        };
        let all: BigUint = columns.iter().map(|column| BigUint::from(column.height())).product();
        Key {
            loss: each().map(loss).product(),
            layers: state.iter().map(|&layer| layer as u64).sum(),
            heights: each().map(|(column, &layer)| &all * layer / column.height()).sum(),
        }
    }
}
