//! What was read of the tables of a candidate.

use crate::gate::bytes::{PartRows, PublishedTable};
use crate::release::ReleaseSpan;

/// What was read.
pub enum ReadTables {
    /// A table, or two as the one that they were made of, and the table of measures that goes with it.
    Table(Box<PublishedTable>, Option<PartRows>),
    /// New parts of a table that grows, and of the table of measures beside it.
    Parts(Vec<(ReleaseSpan, PartRows)>, Vec<(ReleaseSpan, PartRows)>),
}
