//! Validity where a limited number of rows may be left waiting: those in classes of fewer than `a`
//! rows. The parts of such a class are too small as well, so that the number only grows from a
//! state to a finer one.

use super::super::super::table::{NodeSplit, SearchTable};
use super::super::super::validity::{Accepted, InvalidReason, SearchView, Validity};

/// Leaves rows in small classes waiting, up to a limit.
pub(super) struct WaitingShare<'r> {
    a: u64,
    rows: &'r [u64],
    most: u64,
    /// The number of rows left waiting in the state of the search.
    now: u64,
}

impl WaitingShare<'_> {
    /// Starts with all people in a class of at least `a`.
    pub(super) fn new(a: u64, rows: &[u64], most: u64) -> WaitingShare<'_> {
        WaitingShare {
            a,
            rows,
            most,
            now: 0,
        }
    }
}

impl Validity for WaitingShare<'_> {
    type Trial = u64;

    fn start(&mut self, table: &SearchTable<'_>) -> Result<(), InvalidReason> {
        let rows = self.rows.iter().sum();
        if rows < self.a {
            return Err(InvalidReason::Rows {
                class: vec![0; table.trees.len()],
                rows,
                limit: self.a,
            });
        }
        Ok(())
    }

    fn test(&self, view: &SearchView<'_>, split: &NodeSplit) -> Result<u64, InvalidReason> {
        let leaves = view.table.columns[split.column];
        let (mut part, mut more) = (vec![0u64; split.children.len()], 0);
        for &class in &split.classes {
            part.fill(0);
            for &item in view.items(class) {
                part[split.part(leaves[item as usize])] += self.rows[item as usize];
            }
            if part.iter().sum::<u64>() >= self.a {
                more += part.iter().filter(|&&rows| rows < self.a).sum::<u64>();
            }
        }
        let rows = self.now + more;
        if rows <= self.most {
            Ok(rows)
        } else {
            Err(InvalidReason::SetAside {
                rows,
                limit: self.most,
            })
        }
    }

    fn accept(&mut self, _: &NodeSplit, rows: u64, _: &Accepted) {
        assert!(
            self.now <= rows && rows <= self.most,
            "more rows wait than before, and no more than may"
        );
        self.now = rows;
    }
}
