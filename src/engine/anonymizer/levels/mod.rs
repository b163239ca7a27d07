//! Full-domain search (SCIENCE 8; ARX): one generalisation level per column, the best there is within a limit on suppressed rows.
//!
//! A feed asks for it through the standing recoder. What looks at sensitive values here is for tables on their own: which classes are suppressed tells of
//! the values of their people, so no chain of ours may be searched with them.

mod antichain;
mod best_first;
mod chain;
mod checker;
mod classes;
mod counts;
mod flash;
mod greedy;
mod ground_distance;
mod index;
mod key;
mod lattice;
mod objective;
mod packing;
mod paths;
mod privacy;
mod rows;
mod search;
mod state_figures;

pub use antichain::{Antichain, Monotonicity, Property, Usage};
pub use chain::EarlierReleases;
pub use counts::{CountingQueries, Query};
pub use ground_distance::Ground;
pub use lattice::{Lattice, Levels};
pub use objective::{Costs, Mean, Objective, Score};
pub use privacy::{Diverse, Privacy};
pub use rows::DistinctRows;
pub use search::{BestState, CheckedState, CountedProperty, LevelsProblem, LevelsResult, LevelsSearch};
pub use state_figures::StateFigures;
