//! Leaf tuples in the order of a table that shows them unmodified (SCIENCE 9, two tables): class by
//! class, and within a class in preorder. This file never receives the sensitive values that belong
//! to them.

use crate::histogram::{Headcount, Release};
use crate::model::{Leaf, Node};

/// Leaf tuples with their people, class by class.
pub(super) struct LeafTable<'a> {
    people: &'a Headcount,
    /// The numbers of the tuples.
    order: Vec<u32>,
}

impl<'a> LeafTable<'a> {
    /// From the people of a table.
    ///
    /// # Panics
    /// If a person is in no class of it.
    pub(super) fn of(table: &Release, people: &'a Headcount) -> LeafTable<'a> {
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(people.tuples());
        let mut nodes: Vec<Node> = vec![0; people.width()];
        for tuple in 0..people.tuples() {
            let under = table.recoding().iter().zip(people.tuple_at(tuple));
            nodes
                .iter_mut()
                .zip(under)
                .for_each(|(slot, (cut, leaf))| *slot = cut.at(leaf));
            let class = table
                .find(&nodes)
                .expect("each tuple is in a class of their table");
            order.push((class as u32, tuple as u32));
        }
        order.sort_unstable();
        LeafTable {
            people,
            order: order.into_iter().map(|(_, tuple)| tuple).collect(),
        }
    }

    /// The leaf of a tuple in a column.
    pub(super) fn leaf(&self, at: usize, column: usize) -> Leaf {
        self.people.column(column)[self.order[at] as usize]
    }

    /// The number of rows of a tuple.
    pub(super) fn rows_of(&self, at: usize) -> u64 {
        self.people.count(self.order[at] as usize)
    }
}
