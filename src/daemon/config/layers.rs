//! Whether classes can have labels of their own over the taxonomies of a feed (SCIENCE 6): to carve takes layers of equal
//! intervals, to halve no more combinations than can be counted.

use std::sync::Arc;

use super::file::ColumnTable;
use super::places::Problem;
use crate::engine::anonymizer::{NoCarving, NoLadder, carvable};
use crate::engine::model::{Column, Columns, Role};
use crate::engine::policy::{Policy, Search};

/// Gives the taxonomies of quasi columns the runs that halving divides them into.
pub fn runs(columns: &mut [Column]) -> Result<(), Problem> {
    for (at, column) in columns.iter_mut().enumerate().filter(|(_, column)| column.role == Role::Quasi) {
        let Some(domain) = &column.taxonomy else { continue };
        let text = || {
            "the taxonomy has too many nodes for `search = \"halves\"`, which divides it in two again and again: write \
                       `search = \"top-down\"`, or leave the finest labels out"
        };
        let runs = domain.with_runs().map_err(|_| Problem::new(format!("column[{at}].taxonomy"), text().to_owned()))?;
        column.taxonomy = Some(Arc::new(runs));
    }
    Ok(())
}

/// What keeps the search that is asked for from being made.
pub fn problem(policy: &Policy, columns: &Columns, tables: &[ColumnTable]) -> Option<Problem> {
    let trees = columns.trees();
    let counted = if policy.publish_every().is_some() {
        policy.division(&trees).is_some()
    } else {
        policy.halving(&trees).is_some()
    };
    if policy.search() == Search::Halves && !counted {
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
