//! What follows for a reader who knows the search from the recoding that it ended with (SCIENCE 6, "Global recoding is not immune"). The
//! gate is told so much of a search, and no more.

use crate::model::Decimal;

/// Which states of a search a reader knows to have failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// None: classes have labels of their own.
    Nothing,
    /// The whole course of a top-down search from `*`, which can be walked again from public sizes of classes.
    Replay,
    /// For each node that the recoding has, the state in which its children take its place: it would leave out more people than this
    /// share.
    EachNode(Decimal),
    /// For each column, the state in which it is one level finer: the same.
    EachLevel(Decimal),
}
