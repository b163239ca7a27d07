//! Validity by headcount alone (SCIENCE 4): every class that must have a class has at least `a` rows. For the first
//! increment, and for a table on its own, that is every realised class; when the standing recoding is coarsened, every
//! class that holds an overdue row.
//!
//! Nothing here could look at a sensitive value: there is none in what it is given.

use super::table::{NodeSplit, SearchTable};
use super::top_down::{TopDownResult, top_down};
use super::validity::{Accepted, InvalidReason, SearchView, Validity};
use crate::histogram::Headcount;
use crate::model::{Cut, Recoding, Taxonomy};

/// Classes that hold an urgent item must hold at least `a` rows.
pub struct UrgentClasses<'a> {
    /// The smallest class.
    pub a: u64,
    /// Rows that count towards the class, per item.
    pub rows: &'a [u64],
    /// Whether an item must find a class; `None` = every item must.
    pub urgent: Option<&'a [bool]>,
}

impl UrgentClasses<'_> {
    fn urgent(&self, item: u32) -> bool {
        self.urgent.is_none_or(|urgent| urgent[item as usize])
    }
}

impl Validity for UrgentClasses<'_> {
    type Trial = ();

    fn start(&mut self, table: &SearchTable<'_>) -> Result<(), InvalidReason> {
        let rows = self.rows.iter().sum();
        if rows < self.a && (0..self.rows.len() as u32).any(|item| self.urgent(item)) {
            return Err(InvalidReason::Rows { class: vec![0; table.trees.len()], rows, limit: self.a });
        }
        Ok(())
    }

    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<(), InvalidReason> {
        let leaves = view.table.columns[split.column];
        let mut part = vec![(0u64, false); split.children.len()];
        for &class in &split.classes {
            part.fill((0, false));
            for &item in view.items(class) {
                let (rows, urgent) = &mut part[split.part(leaves[item as usize])];
                *rows += self.rows[item as usize];
                *urgent |= self.urgent(item);
            }
            if let Some(child) = part.iter().position(|&(rows, urgent)| urgent && rows < self.a) {
                let class = view.child_nodes(class, split, child);
                return Err(InvalidReason::Rows { class, rows: part[child].0, limit: self.a });
            }
        }
        Ok(())
    }

    fn accept(&mut self, _: &NodeSplit, (): (), _: &Accepted) {}
}

/// A table on its own: the maximal top-down recoding with every realised class of at least `a` rows. The first increment
/// of a chain, and every release of a disjoint one.
///
/// # Errors
/// There are fewer than `a` rows, but some.
pub fn alone(people: &Headcount, trees: &[&Taxonomy], a: u64) -> Result<TopDownResult, InvalidReason> {
    assert!(a >= 1, "a class holds a person at least");
    assert_eq!(people.width(), trees.len(), "a taxonomy for each column");
    let rows: Vec<u64> = (0..people.tuples()).map(|tuple| people.count(tuple)).collect();
    let columns = (0..people.width()).map(|column| people.column(column)).collect();
    let leaves: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
    let table = SearchTable { trees, columns, rows: &rows, weights: Vec::new() };
    top_down(&table, &leaves, &mut UrgentClasses { a, rows: &rows, urgent: None })
}
