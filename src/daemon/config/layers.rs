//! Whether classes can have labels of their own over the taxonomies of a feed (SCIENCE 6): to carve takes layers of equal
//! intervals, to halve no more combinations than can be counted.

use super::file::ColumnTable;
use super::places::Problem;
use crate::engine::anonymizer::{NoCarving, NoLadder, carvable};
use crate::engine::model::{Columns, Role};
use crate::engine::policy::{Policy, Search};

/// What keeps the search that is asked for from being made.
pub fn problem(policy: &Policy, columns: &Columns, tables: &[ColumnTable]) -> Option<Problem> {
    let trees = columns.trees();
    if policy.search() == Search::Halves && policy.halving(&trees).is_none() {
        let text = "the quasi columns have more combinations of values between them than can be counted: leave some of them out";
        return Some(Problem::new("policy.search", text.to_owned()));
    }
    let refused = carvable(&trees).err().filter(|_| policy.search() == Search::ArxLr)?;
    let (column, why) = match refused {
        NoCarving::Ladder { column, why } => (column, why),
        NoCarving::States => {
            let text = "the quasi columns have so many layers between them that no local search ends: give some of them fewer \
                        layers, or write `search = \"top-down\"`";
            return Some(Problem::new("policy.search", text.to_owned()));
        }
    };
    let why = match why {
        NoLadder::Uneven => "its leaves lie at different depths",
        NoLadder::Lengths => "the intervals of a layer hold different numbers of values",
    };
    let (at, table) = tables.iter().enumerate().filter(|(_, table)| table.role == Role::Quasi).nth(column)?;
    let text = format!(
        "`search = \"arx-lr\"` carves by layers of equal intervals, and `{}` has none: {why}. Only the last interval of a layer \
         may be smaller; `bands`, `leaves` with `layers`, `prefix` and `flat` give such layers",
        table.name
    );
    Some(Problem::new(format!("column[{at}].taxonomy"), text))
}
