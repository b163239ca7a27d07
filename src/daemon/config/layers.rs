//! Whether classes can have labels of their own over the taxonomies of a feed (SCIENCE 6): that takes layers of equal intervals.

use super::file::ColumnTable;
use super::places::Problem;
use crate::engine::anonymizer::{NoCarving, NoLadder, carvable};
use crate::engine::model::{Columns, Role};
use crate::engine::policy::Policy;

/// What keeps the search that is asked for from being made.
pub fn problem(policy: &Policy, columns: &Columns, tables: &[ColumnTable]) -> Option<Problem> {
    let refused = carvable(&columns.trees()).err().filter(|_| policy.search().is_local())?;
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
