//! Microaggregation of numeric columns (SCIENCE 7): rows in groups of at least k neighbours, by
//! MDAV (Domingo-Ferrer and Torra 2005) or by median cuts (LeFevre et al. 2006, Mondrian). The
//! result is deterministic for every table: ties go to the first row. A point may stand for several
//! rows, which no group divides.

mod index;
mod mdav;
mod merged_groups;
mod mondrian;
mod points;

pub use mdav::{mdav, mdav_where};
pub use merged_groups::{MergedGroups, until_safe, until_safe_where};
pub use mondrian::{mondrian, mondrian_where};
pub use points::Points;
