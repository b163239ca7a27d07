//! The states of a lattice of layers in the order in which ARX-LR looks at them (SCIENCE 6): by loss, compared as whole
//! numbers, then by C1 and C2. States that are equal in all three are told apart by the rows that remain, round by round.

use num_bigint::BigUint;
use num_integer::Integer;

use super::ladder::Ladder;

/// A layer per column, counted from 0.
pub type State = Vec<u8>;

/// States that the order does not tell apart, layer vectors ascending; group after group.
pub fn groups(ladders: &[Ladder]) -> Vec<Vec<State>> {
    let whole = ladders.iter().fold(1u64, |whole, ladder| whole.lcm(&(ladder.height() as u64)));
    let key = |state: &State| -> (BigUint, u64, u64) {
        let columns = || ladders.iter().zip(state);
        // 1 + il is this over D − 1, which all states share; a column of one value loses nothing anywhere.
        let loss = |(ladder, &layer): (&Ladder, &u8)| ladder.length(layer.into()) + ladder.domain() - 2;
        let losses = columns().filter(|(ladder, _)| ladder.domain() > 1).map(loss);
        let layer = |(_, &layer): (&Ladder, &u8)| u64::from(layer) + 1;
        let share = |(ladder, &layer): (&Ladder, &u8)| (u64::from(layer) + 1) * (whole / ladder.height() as u64);
        (losses.product(), columns().map(layer).sum(), columns().map(share).sum())
    };
    let mut all: Vec<((BigUint, u64, u64), State)> = states(ladders).map(|state| (key(&state), state)).collect();
    all.sort();
    let same = |a: &((BigUint, u64, u64), State), b: &((BigUint, u64, u64), State)| a.0 == b.0;
    all.chunk_by(same).map(|group| group.iter().map(|(_, state)| state.clone()).collect()).collect()
}

/// How many states there are; `None` beyond 64 bits.
pub fn count(ladders: &[Ladder]) -> Option<u64> {
    ladders.iter().try_fold(1u64, |count, ladder| count.checked_mul(ladder.height() as u64))
}

/// Everything at the root.
pub fn top(ladders: &[Ladder]) -> State {
    ladders.iter().map(|ladder| ladder.height() as u8 - 1).collect()
}

/// Whether a state is nowhere coarser than another.
pub fn refines(fine: &State, coarse: &State) -> bool {
    fine.iter().zip(coarse).all(|(fine, coarse)| fine <= coarse)
}

/// All of them, layer vectors ascending.
fn states(ladders: &[Ladder]) -> impl Iterator<Item = State> + '_ {
    let mut next = Some(vec![0u8; ladders.len()]);
    std::iter::from_fn(move || {
        let state = next.take()?;
        let up = (0..state.len()).rev().find(|&column| usize::from(state[column]) + 1 < ladders[column].height());
        next = up.map(|column| {
            let mut above = state.clone();
            above[column] += 1;
            above[column + 1..].fill(0);
            above
        });
        Some(state)
    })
}
