//! The rows from which masking takes values in a chain of crowds (SCIENCE 11): the rows of the
//! chain whose labels are inside the label of an atom; if they are too few, those inside the
//! regions on halving's way to it, from the last one up to that of all people.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::histogram::ValueCode;
use crate::model::{Node, Taxonomy};
use crate::policy::Division;
use crate::safeguards::mask::{ReplacementSources, ReplacementValues};

/// A label, a value outside every guarded set, and the rows that have both.
pub(crate) type LabelValue = (Vec<Node>, ValueCode, u64);

/// The rows of a chain around its newest atoms.
pub(crate) struct MaskSources<'a> {
    rows: Vec<LabelValue>,
    trees: &'a [&'a Taxonomy],
    /// For each atom the regions on the way to its label; the label is the last.
    ways: Vec<Vec<Vec<Node>>>,
    /// The indices of the rows in a region.
    inside: RefCell<BTreeMap<Vec<Node>, Rc<[u32]>>>,
}

impl<'a> MaskSources<'a> {
    /// From the rows of a chain, for atoms with these labels.
    ///
    /// # Panics
    /// If halving cannot produce one of the labels.
    pub(crate) fn new(
        rows: Vec<LabelValue>,
        labels: &[Vec<Node>],
        division: &Division<'_>,
        refusals: u32,
        trees: &'a [&'a Taxonomy],
    ) -> MaskSources<'a> {
        assert!(
            labels.iter().all(|label| label.len() == trees.len()),
            "one label for each column"
        );
        let way = |label: &Vec<Node>| {
            division
                .way_to(label, refusals)
                .expect("halving made this label")
        };
        MaskSources {
            rows,
            trees,
            ways: labels.iter().map(way).collect(),
            inside: RefCell::default(),
        }
    }

    /// The rows in the last of these regions, each of which is inside the one before it.
    fn inside(&self, way: &[Vec<Node>]) -> Rc<[u32]> {
        let Some((region, around)) = way.split_last() else {
            return (0..self.rows.len() as u32).collect();
        };
        if let Some(known) = self.inside.borrow().get(region) {
            return Rc::clone(known);
        }
        let lies = |&at: &u32| {
            let label = &self.rows[at as usize].0;
            self.trees
                .iter()
                .zip(region)
                .zip(label)
                .all(|((tree, &upper), &lower)| tree.covers(upper, lower))
        };
        let inside: Rc<[u32]> = self.inside(around).iter().copied().filter(lies).collect();
        self.inside
            .borrow_mut()
            .insert(region.clone(), Rc::clone(&inside));
        inside
    }
}

impl ReplacementSources for MaskSources<'_> {
    fn around(&self, atom: usize, higher: usize) -> Option<ReplacementValues> {
        let way = &self.ways[atom];
        // The first region contains all people.
        let left = way.len().checked_sub(higher).filter(|&left| left > 0)?;
        let inside = self.inside(&way[..left]);
        let row = |&at: &u32| (self.rows[at as usize].1, self.rows[at as usize].2);
        Some(ReplacementValues::of(inside.iter().map(row)))
    }
}
