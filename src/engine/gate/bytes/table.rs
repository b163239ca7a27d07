//! A release as a reader of its tables sees it. This file reads nothing.

use std::collections::BTreeMap;

use crate::histogram::{Headcount, Histogram, Release, SensitiveValues};

/// A table as its readers see it; two tables joined by class.
#[derive(Debug, Clone)]
pub struct PublishedTable {
    /// Classes and groups; its recoding is the one that the labels show, completed.
    pub release: Release,
    /// The sensitive tuples of its codes.
    pub values: SensitiveValues,
    /// If the release has two tables, how many rows show each leaf tuple.
    pub exact: Option<Headcount>,
}

/// A part of a table that grows as its readers see it.
#[derive(Debug, Clone)]
pub struct PartRows {
    /// The rows of each release in the part.
    pub releases: BTreeMap<u32, Release>,
    /// The sensitive tuples of their codes.
    pub values: SensitiveValues,
    /// The same rows as counts, by the number of the release, with the nodes of labels in the place
    /// of leaves.
    pub counts: Histogram,
}
