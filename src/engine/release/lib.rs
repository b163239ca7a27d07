//! The public files of a release as canonical bytes (CONTRACTS 4): its tables, the taxonomies, the
//! manifest and the report. The bytes are a function of what is published and of nothing else, so
//! that a program with the same content can write them again and compare.
//!
//! This room knows nothing about increments, atoms, raw rows or the search, and it judges nothing:
//! it cannot publish what it does not receive.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod delta;
pub mod risk;

// The rooms that this one knows.
use tidegate_model::{self as model, arithmetic, histogram};
use tidegate_policy::{self as policy, measures};

mod check;
mod data;
mod digest;
mod figure;
mod file;
mod finding;
mod language;
mod layout;
mod manifest;
mod measure_figures;
mod notice;
mod overview;
mod pages;
mod part;
mod past_release;
mod presentation;
mod recoding;
mod removal;
mod removal_reason;
mod report;
mod signed;
mod table_kind;
mod tables;
mod taxonomy;
mod utility;

pub use check::{Check, CheckFacts, CheckLine, FigurePrivacy, Side};
pub use data::{ROW_GROUP, data, data_in_groups, part, two_in_groups};
pub use digest::Sha256;
pub use figure::Figure;
pub use file::{FileLine, is_below_root};
pub use finding::Finding;
pub use language::Language;
pub use layout::{Layout, PlacedFile, PlacedFiles};
pub use manifest::{AssumedReader, Manifest, NoManifest, ReleaseFacts, ReleaseTerms};
pub use measure_figures::MeasureFigures;
pub use notice::{ErasedLabel, Notice};
pub use overview::Overview;
pub use pages::ReleasePages;
pub use part::{PartContent, PartLine, ReleasePart, ReleaseSpan, replaced, rewritten};
pub use past_release::PastRelease;
pub use presentation::Presentation;
pub use recoding::PublishedLabels;
pub use removal::RemovalNotice;
pub use removal_reason::RemovalReason;
pub use report::{
    ListedRelease, OperatorFacts, SignedApproval, Surroundings, WaitingRows, html, index,
    operators_copy, report,
};
pub use table_kind::{TableId, TableKind};
pub use tables::Tables;
pub use taxonomy::{ColumnTree, Label, Taxonomies, taxonomy};
