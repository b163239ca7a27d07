//! The finer one of the two recodings of `chain` (SCIENCE 4): from the standing recoding down as far as every class has at
//! least k people and nobody is told apart from everybody whom they came with. Where recodings have to be nested it goes
//! down to the coarsest earlier one, and only from there on to the next, so that of any two one refines the other.
//!
//! Nothing here could look at a sensitive value: there is none in what it is given.

use std::collections::BTreeMap;

use super::table::{Split, Table};
use super::top_down::top_down_from;
use super::validity::{Accepted, Reason, Validity, View};
use crate::engine::model::{Cut, Leaf, Recoding, Taxonomy};

/// The fewest people of a slice.
const FEWEST: u64 = 2;

/// People of one leaf tuple whom earlier releases don't tell apart from others of their slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The leaf tuple.
    pub leaves: Vec<Leaf>,
    /// The number of their slice.
    pub slice: u32,
    /// How many.
    pub people: u64,
}

/// The finest valid recoding that is found below the standing one. `earlier`: those of the chain's releases, all of which
/// refine the standing one; with none of them it may cross.
pub fn finer(people: &[Known], standing: &[Cut], earlier: &[&[Cut]], trees: &[&Taxonomy], k: u64) -> Recoding {
    let columns: Vec<Vec<Leaf>> =
        (0..trees.len()).map(|column| people.iter().map(|known| known.leaves[column]).collect()).collect();
    let rows: Vec<u64> = people.iter().map(|known| known.people).collect();
    let table = Table { trees, columns: columns.iter().map(Vec::as_slice).collect(), rows: &rows };
    let mut slices = Slices { of: people.iter().map(|known| known.slice).collect(), k };
    let mut floors: Vec<Recoding> = earlier.iter().map(|cuts| cuts.to_vec()).collect();
    floors.sort_by_key(|cuts| cuts.iter().map(|cut| cut.nodes().len()).sum::<usize>());
    floors.dedup();
    floors.push(trees.iter().map(|tree| Cut::leaves(tree)).collect());
    let mut found = standing.to_vec();
    for floor in floors {
        found = top_down_from(&table, &found, &floor, &mut slices).recoding;
        if found != floor {
            break;
        }
    }
    found
}

/// Every class has at least k people, and of every slice at least two or none.
struct Slices {
    of: Vec<u32>,
    k: u64,
}

impl Validity for Slices {
    type Trial = ();

    fn start(&mut self, _: &Table<'_>) -> Result<(), Reason> {
        Ok(())
    }

    fn test(&self, view: &View<'_>, split: &Split) -> Result<(), Reason> {
        let leaves = view.table.columns[split.column];
        for &class in &split.classes {
            let mut slices: BTreeMap<(usize, u32), u64> = BTreeMap::new();
            let mut people = vec![0; split.children.len()];
            for &item in view.items(class) {
                let (child, rows) = (split.part(leaves[item as usize]), view.table.rows[item as usize]);
                people[child] += rows;
                *slices.entry((child, self.of[item as usize])).or_default() += rows;
            }
            let classes = people.iter().enumerate().map(|(child, &rows)| (child, rows, self.k));
            let slices = slices.iter().map(|(&(child, _), &rows)| (child, rows, FEWEST));
            let small = classes.chain(slices).find(|&(_, rows, limit)| rows > 0 && rows < limit);
            if let Some((child, rows, limit)) = small {
                return Err(Reason::Rows { class: view.child_nodes(class, split, child), rows, limit });
            }
        }
        Ok(())
    }

    fn accept(&mut self, _: &Split, (): (), _: &Accepted) {}
}
