//! The tables of a candidate, as they were read.

use crate::bytes::{PartRows, PublishedTable};
use crate::release::ReleaseSpan;

/// The tables as they were read.
pub(super) enum ReadTables {
    /// A table, or two joined into one, and the table of measures that belongs to it.
    Table(Box<PublishedTable>, Option<PartRows>),
    /// New parts of a table that grows, and of the table of measures beside it.
    Parts(Vec<(ReleaseSpan, PartRows)>, Vec<(ReleaseSpan, PartRows)>),
}
