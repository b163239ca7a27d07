//! Full-domain search (SCIENCE 8; ARX): one generalisation level per column, and the optimum within
//! a limit on suppressed rows.
//!
//! A feed uses it through the standing recoder. The parts that look at sensitive values are for
//! tables on their own: which classes are suppressed reveals the values of their people, so no
//! chain of ours may be searched with them.

mod antichain;
mod best_first;
mod chain;
mod checker;
mod classes;
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
pub use flash::flash;
pub use greedy::greedy;
pub use ground_distance::Ground;
pub use lattice::{Lattice, Levels};
pub use objective::{Costs, Mean, Objective, Score};
pub use privacy::{Diverse, Privacy};
pub use rows::DistinctRows;
pub use search::{
    BestState, CheckedState, CountedProperty, LevelsProblem, LevelsResult, LevelsSearch,
};
pub use state_figures::StateFigures;
