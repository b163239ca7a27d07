//! What was read of the tables of a candidate.

use crate::gate::bytes::{PartRows, Table};
use crate::release::Span;

/// What was read.
pub enum Shown {
    /// A table, or two as the one that they were made of, and the table of measures that goes with it.
    Table(Box<Table>, Option<PartRows>),
    /// New parts of a table that grows, and of the table of measures beside it.
    Parts(Vec<(Span, PartRows)>, Vec<(Span, PartRows)>),
}
