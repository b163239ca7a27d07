//! A release as whoever reads its tables sees it. This file reads nothing.

use crate::histogram::{Headcount, Release, Values};

/// A table as its readers see it; two tables joined by class.
#[derive(Debug, Clone)]
pub struct Table {
    /// Classes and groups; its recoding is what the labels tell, completed.
    pub release: Release,
    /// The sensitive tuples that its codes stand for.
    pub values: Values,
    /// Where the release is in two tables, how many rows show each leaf tuple.
    pub exact: Option<Headcount>,
}
