//! The nouns (SCIENCE 1): columns and their roles, taxonomies, cuts and recodings, values.
//!
//! This room knows nothing about rows, counts, policies or files; every other room of the engine
//! may use it.

#![warn(unreachable_pub)]
#![deny(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used
)]

pub mod arithmetic;
pub mod histogram;

mod calendar;
mod carving;
mod class_finder;
mod column;
pub mod cut;
mod date_figure;
mod decimal;
mod detail;
mod edge;
mod equal_value;
pub mod forms;
mod growth;
mod layers;
mod leaf;
mod members;
pub mod paths;
pub mod predicate;
mod record_hasher;
mod release_column;
mod runs;
pub mod taxonomy;
mod text_step;
mod value;

pub use carving::Carving;
pub use class_finder::ClassFinder;
pub use column::{
    CodeShape, Column, ColumnSource, Columns, DateLevel, Domain, Kind, LeafRule, Role,
};
pub use cut::{Cut, NoAntichain, Recoding};
pub use date_figure::{DateFigure, DerivedFrom};
pub use decimal::Decimal;
pub use detail::DetailSettings;
pub use edge::Edge;
pub use equal_value::{EqualValue, spellings};
pub use growth::TreeGrowth;
pub use leaf::whole_number;
pub use paths::Path;
pub use record_hasher::RecordHasher;
pub use release_column::ReleaseColumn;
pub use smol_str::SmolStr;
pub use taxonomy::{FileLevels, Leaf, Node, Taxonomy, Tree, TreeError};
pub use text_step::{DateNotation, TextStep};
pub use value::{Finite, Value, read_text};
