//! The search for a recoding (SCIENCE 4): from the top down here, and by levels in a file of its
//! own.

use super::super::super::crowd::LargeClasses;
use super::super::super::table::SearchTable;
use super::super::super::top_down::{top_down, top_down_from};
use super::super::course::Course;
use super::levels;
use super::set_aside::WaitingShare;
use super::terms::{FoundRecoding, Recoder};
use crate::histogram::Headcount;
use crate::model::{Cut, Leaf, Recoding, Taxonomy};

impl Recoder {
    /// Searches; `None` if no class of at least `a` people can be published.
    pub fn find(&self, people: &Headcount, trees: &[&Taxonomy]) -> Option<FoundRecoding> {
        let most = self.set_aside.whole_of(people.rows());
        let [kept, _] = self.within_floors(people);
        if kept.rows() == 0 {
            return None;
        }
        Some(if self.levels {
            levels::find(self, &kept, most, trees)
        } else {
            self.find_top_down(&kept, most, trees)
        })
    }

    fn find_top_down(&self, people: &Headcount, most: u64, trees: &[&Taxonomy]) -> FoundRecoding {
        let rows: Vec<u64> = (0..people.tuples())
            .map(|tuple| people.count(tuple))
            .collect();
        let columns: Vec<&[Leaf]> = (0..people.width())
            .map(|column| people.column(column))
            .collect();
        let leaves: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
        let table = SearchTable {
            trees,
            columns,
            rows: &rows,
            weights: self.weights(),
        };
        let from = self.has_floors().then_some(&self.coarsest[..]);
        let mut crowd = LargeClasses {
            a: self.a,
            rows: &rows,
        };
        let mut set_aside = WaitingShare::new(self.a, &rows, most);
        let found = match (from, most) {
            (None, 0) => {
                top_down(&table, &leaves, &mut crowd).expect("there are at least a people")
            }
            (None, _) => {
                top_down(&table, &leaves, &mut set_aside).expect("there are at least a people")
            }
            (Some(from), 0) => top_down_from(&table, from, &leaves, &mut crowd),
            (Some(from), _) => top_down_from(&table, from, &leaves, &mut set_aside),
        };
        let course = Course::searched_from(&self.coarsest, &found, trees);
        FoundRecoding {
            course,
            refusals: found.refusals,
            levels: None,
        }
    }
}
