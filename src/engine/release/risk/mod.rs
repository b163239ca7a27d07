//! The risk that a person is re-identified in a table, in the terms of the literature (SCIENCE 12):
//! prosecutor, journalist and marketer risk (El Emam and Dankar 2008, Dankar and El Emam 2010),
//! sample uniques, and estimates of population uniques (Dankar et al. 2012).
//!
//! All of it follows from the sizes of equivalence classes and, if known, the size of the
//! population. This room never sees a label or a value, and it judges nothing.

mod attackers;
mod figures;
mod matches;
mod sizes;
mod uniques;

pub use attackers::{Journalist, Prosecutor, THRESHOLD};
pub use figures::RiskFigures;
pub use matches::expected_match;
pub use sizes::Sizes;
pub use uniques::{Estimator, PopulationUniques};
