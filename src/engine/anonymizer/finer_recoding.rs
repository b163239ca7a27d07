//! The finer of the two recodings of `chain` (SCIENCE 4): it specialises the standing recoding as
//! long as every class has at least k people and no person becomes distinguishable from all people
//! of the same increment. Where recodings have to be nested, it first goes down to the coarsest
//! earlier one, and only from there to the next, so that of any two one refines the other. The
//! people who came after a release form a class for an attacker who compares releases: a
//! specialisation that certainly makes that class too small, whatever the values are, is not
//! tested.
//!
//! This module cannot look at sensitive values, since its input has none.

use std::collections::BTreeMap;

use super::table::{NodeSplit, SearchTable};
use super::top_down::top_down_from;
use super::validity::{Accepted, InvalidReason, SearchView, Validity};
use crate::model::{Cut, Leaf, Recoding, Taxonomy};

/// The smallest number of people of a slice in a class.
const FEWEST: u64 = 2;

/// People of one leaf tuple whom earlier releases do not distinguish from the others of their
/// slice.
pub struct LeafPeople {
    /// The leaf tuple.
    pub leaves: Vec<Leaf>,
    /// The number of their slice.
    pub slice: u32,
    /// The release in which they were first published.
    pub release: usize,
    /// The number of people.
    pub people: u64,
}

/// The finest valid recoding found below the standing one. `earlier` are the chain's releases in
/// order, all of which refine the standing recoding; if empty, the new recoding may cross earlier
/// ones.
pub fn finer(
    people: &[LeafPeople],
    standing: &[Cut],
    earlier: &[&[Cut]],
    trees: &[&Taxonomy],
    k: u64,
) -> Recoding {
    assert_eq!(standing.len(), trees.len(), "one cut for each column");
    assert!(
        earlier.iter().all(|cuts| cuts.len() == trees.len()),
        "one cut for each column"
    );
    let columns: Vec<Vec<Leaf>> = (0..trees.len())
        .map(|column| people.iter().map(|known| known.leaves[column]).collect())
        .collect();
    let rows: Vec<u64> = people.iter().map(|known| known.people).collect();
    let table = SearchTable {
        trees,
        columns: columns.iter().map(Vec::as_slice).collect(),
        rows: &rows,
        weights: Vec::new(),
    };
    let mut slices = Slices {
        people,
        after: Vec::new(),
        k,
    };
    let mut floors: Vec<Recoding> = earlier.iter().map(|cuts| cuts.to_vec()).collect();
    floors.sort_by_key(|cuts| cuts.iter().map(|cut| cut.nodes().len()).sum::<usize>());
    floors.dedup();
    floors.push(trees.iter().map(|tree| Cut::leaves(tree)).collect());
    let mut found = standing.to_vec();
    for floor in floors {
        let refines = |cuts: &[Cut]| {
            cuts.iter()
                .zip(&floor)
                .all(|(cut, floor)| cut.refines(floor))
        };
        slices.after = (0..earlier.len())
            .filter(|&release| refines(earlier[release]))
            .collect();
        found = top_down_from(&table, &found, &floor, &mut slices).recoding;
        if found != floor {
            break;
        }
    }
    found
}

/// Every class has at least k people, and at least two or none of every slice. Of people added
/// after a release that is finer it has at least k or none, since they remain when that release is
/// subtracted.
struct Slices<'p> {
    people: &'p [LeafPeople],
    /// Releases that refine the recoding under search.
    after: Vec<usize>,
    k: u64,
}

/// The people of a part of a class.
#[derive(Default)]
struct Part {
    slices: BTreeMap<u32, u64>,
    releases: BTreeMap<usize, u64>,
}

impl Slices<'_> {
    /// A number of people that is too small, with the number that is required.
    fn small(&self, part: &Part) -> Option<(u64, u64)> {
        let all = part.releases.values().sum();
        let slices = part.slices.values().map(|&people| (people, FEWEST));
        let after = |&release: &usize| {
            (
                part.releases
                    .range(release + 1..)
                    .map(|(_, people)| people)
                    .sum(),
                self.k,
            )
        };
        let counts = [(all, self.k)]
            .into_iter()
            .chain(slices)
            .chain(self.after.iter().map(after));
        counts
            .into_iter()
            .find(|&(people, least)| people > 0 && people < least)
    }
}

impl Validity for Slices<'_> {
    type Trial = ();

    fn start(&mut self, _: &SearchTable<'_>) -> Result<(), InvalidReason> {
        Ok(())
    }

    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<(), InvalidReason> {
        let leaves = view.table.columns[split.column];
        for &class in &split.classes {
            let mut parts: Vec<Part> = split.children.iter().map(|_| Part::default()).collect();
            for &item in view.items(class) {
                let known = &self.people[item as usize];
                let part = &mut parts[split.part(leaves[item as usize])];
                *part.slices.entry(known.slice).or_default() += known.people;
                *part.releases.entry(known.release).or_default() += known.people;
            }
            for (child, part) in parts.iter().enumerate() {
                if let Some((rows, limit)) = self.small(part) {
                    return Err(InvalidReason::Rows {
                        class: view.child_nodes(class, split, child),
                        rows,
                        limit,
                    });
                }
            }
        }
        Ok(())
    }

    fn accept(&mut self, _: &NodeSplit, (): (), _: &Accepted) {}
}
