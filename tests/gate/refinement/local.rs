//! A slow ARX-LR by the letter of SCIENCE 6, with the rows at hand, and random releases that it
//! makes.

use std::collections::{BTreeMap, BTreeSet};

use tidegate::engine::gate::refinement::{
    AttackedRows, CarvedClass, CarvedRelease, LayeredColumn, StateKey,
};

use super::column;

/// SplitMix64.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A release with the rows it was made from.
pub struct Made {
    pub release: CarvedRelease,
    /// Per class, then for the outliers, the leaves of each row.
    pub leaves: Vec<Vec<Vec<u32>>>,
}

impl Made {
    pub fn rows(&self, place: AttackedRows) -> &[Vec<u32>] {
        match place {
            AttackedRows::Class(at) => &self.leaves[at],
            AttackedRows::Outliers => &self.leaves[self.leaves.len() - 1],
        }
    }
}

/// Columns with two or three children per node.
pub fn columns(chance: &mut Chance, most: u64) -> Vec<LayeredColumn> {
    let fans: [&[usize]; 6] = [&[2], &[3], &[2, 2], &[3, 2], &[2, 3], &[2]];
    let one = |chance: &mut Chance| {
        let fans = chance.one_of(&fans);
        let mut lengths = vec![1 + chance.below(4); fans.iter().product()];
        // A shorter last interval counts as full.
        if let Some(last) = lengths.last_mut().filter(|_| chance.below(3) == 0) {
            *last = 1 + chance.below(*last);
        }
        column(&lengths, fans)
    };
    let number = 1 + chance.below(most) as usize;
    // Equal columns make full ties.
    if chance.below(2) == 0 {
        return vec![one(chance); number];
    }
    (0..number).map(|_| one(chance)).collect()
}

/// Random rows, concentrated around some places, as values counted from 0 per column.
pub fn rows(chance: &mut Chance, columns: &[LayeredColumn], number: u64) -> Vec<Vec<u64>> {
    let crowded = chance.below(2) == 0;
    let value = |chance: &mut Chance, column: &LayeredColumn| {
        let any = chance.below(column.domain());
        if crowded {
            any.min(chance.below(column.domain()))
        } else {
            any
        }
    };
    (0..number)
        .map(|_| columns.iter().map(|column| value(chance, column)).collect())
        .collect()
}

fn leaf(column: &LayeredColumn, value: u64) -> u32 {
    let holds = |leaf: &u32| value < column.values(&(0..leaf + 1));
    (0..column.leaves())
        .find(holds)
        .expect("a value of the domain")
}

/// All states below the top, in the order of public keys and then of layers.
fn states(columns: &[LayeredColumn]) -> Vec<(StateKey, Vec<usize>)> {
    let mut states = vec![Vec::new()];
    for column in columns {
        let longer = |state: &Vec<usize>| -> Vec<Vec<usize>> {
            (1..=column.height())
                .map(|layer| [&state[..], &[layer]].concat())
                .collect()
        };
        states = states.iter().flat_map(longer).collect();
    }
    states.pop();
    let mut keyed: Vec<(StateKey, Vec<usize>)> = states
        .into_iter()
        .map(|state| (StateKey::new(columns, &state), state))
        .collect();
    keyed.sort();
    keyed
}

/// The result of ARX-LR for some rows.
pub fn local(columns: &[LayeredColumn], rows: &[Vec<u64>], k: u64) -> Made {
    let leaves: Vec<Vec<u32>> = rows
        .iter()
        .map(|row| {
            columns
                .iter()
                .zip(row)
                .map(|(column, &value)| leaf(column, value))
                .collect()
        })
        .collect();
    let states = states(columns);
    let mut remaining: BTreeSet<usize> = (0..rows.len()).collect();
    let (mut classes, mut held) = (Vec::new(), Vec::new());
    loop {
        let groups = |state: &[usize]| {
            let mut groups: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
            for &row in &remaining {
                let node = |((column, &layer), &leaf): ((&LayeredColumn, &usize), &u32)| {
                    column.above(layer, leaf)
                };
                let nodes = columns
                    .iter()
                    .zip(state)
                    .zip(&leaves[row])
                    .map(node)
                    .collect();
                groups.entry(nodes).or_default().push(row);
            }
            groups
        };
        let forms = |state: &[usize]| groups(state).values().any(|rows| rows.len() as u64 >= k);
        let Some((_, state)) = states.iter().find(|(_, state)| forms(state)) else {
            break;
        };
        for (nodes, rows) in groups(state)
            .into_iter()
            .filter(|(_, rows)| rows.len() as u64 >= k)
            .collect::<Vec<_>>()
        {
            rows.iter().for_each(|row| assert!(remaining.remove(row)));
            classes.push(CarvedClass {
                state: state.clone(),
                nodes,
                rows: rows.len() as u64,
            });
            held.push(rows.iter().map(|&row| leaves[row].clone()).collect());
        }
    }
    held.push(remaining.iter().map(|&row| leaves[row].clone()).collect());
    let release = CarvedRelease::new(columns.to_vec(), classes, remaining.len() as u64, k)
        .expect("a release");
    Made {
        release,
        leaves: held,
    }
}

/// A release that the slow ARX-LR has made of random rows.
pub fn made(chance: &mut Chance, most_columns: u64, most_rows: u64) -> Made {
    let columns = columns(chance, most_columns);
    let number = 2 + chance.below(most_rows);
    let rows = rows(chance, &columns, number);
    let k = 2 + chance.below(3);
    local(&columns, &rows, k)
}
