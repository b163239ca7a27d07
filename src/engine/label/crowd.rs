//! Validity by numbers of people alone (SCIENCE 4): every class that has rows has at least `a` of
//! them.
//!
//! This module cannot look at sensitive values, since its input has none.

use super::table::{NodeSplit, SearchTable};
use super::top_down::{TopDownResult, top_down};
use super::validity::{Accepted, InvalidReason, SearchView, Validity};
use crate::histogram::Headcount;
use crate::model::{Cut, Recoding, Taxonomy};

/// Classes that have rows must have at least `a` of them.
pub struct LargeClasses<'a> {
    /// The smallest number of rows of a class.
    pub a: u64,
    /// The rows of each item.
    pub rows: &'a [u64],
}

impl Validity for LargeClasses<'_> {
    type Trial = ();

    fn start(&mut self, table: &SearchTable<'_>) -> Result<(), InvalidReason> {
        let rows = self.rows.iter().sum();
        if rows < self.a && !self.rows.is_empty() {
            return Err(InvalidReason::Rows {
                class: vec![0; table.trees.len()],
                rows,
                limit: self.a,
            });
        }
        Ok(())
    }

    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<(), InvalidReason> {
        let leaves = view.table.columns[split.column];
        let mut part = vec![(0u64, false); split.children.len()];
        for &class in &split.classes {
            part.fill((0, false));
            for &item in view.items(class) {
                let (rows, has_items) = &mut part[split.part(leaves[item as usize])];
                *rows += self.rows[item as usize];
                *has_items = true;
            }
            if let Some(child) = part
                .iter()
                .position(|&(rows, has_items)| has_items && rows < self.a)
            {
                let class = view.child_nodes(class, split, child);
                return Err(InvalidReason::Rows {
                    class,
                    rows: part[child].0,
                    limit: self.a,
                });
            }
        }
        Ok(())
    }

    fn accept(&mut self, _: &NodeSplit, (): (), _: &Accepted) {}
}

/// For a table on its own: the maximal top-down recoding in which every class with rows has at
/// least `a` of them. Used for the first increment of a chain, and for every release of a disjoint
/// one.
///
/// # Errors
/// The table has rows, but fewer than `a`.
pub fn alone(
    people: &Headcount,
    trees: &[&Taxonomy],
    a: u64,
) -> Result<TopDownResult, InvalidReason> {
    assert!(a >= 1, "a class has at least one person");
    assert_eq!(people.width(), trees.len(), "one taxonomy for each column");
    let rows: Vec<u64> = (0..people.tuples())
        .map(|tuple| people.count(tuple))
        .collect();
    let columns = (0..people.width())
        .map(|column| people.column(column))
        .collect();
    let leaves: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
    let table = SearchTable {
        trees,
        columns,
        rows: &rows,
        weights: Vec::new(),
    };
    top_down(&table, &leaves, &mut LargeClasses { a, rows: &rows })
}
