//! The standing recoding of a chain (SCIENCE 4): it is found once, for the people of the first tick
//! that has enough of them, and never changes. In each of its classes the people who wait become an
//! atom as soon as there are enough of them.
//!
//! Every decision follows from leaf tuples; no sensitive value, clock or random number reaches this
//! module.

mod course;
mod recoder;

use crate::histogram::Headcount;
use crate::model::{Cut, Node};
pub use course::Course;
pub use recoder::{FoundRecoding, LevelsQuality, RecodedPeople, Recoder};

/// What a tick did to the standing recoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecodingStep {
    /// There is none yet, and too few rows for one.
    Hold,
    /// It was found.
    First,
}

/// The classes of a recoding with at least `a` of these people, in preorder.
pub fn full_classes(people: &Headcount, cut: &[Cut], a: u64) -> Vec<Vec<Node>> {
    assert!(a > 0, "an atom has at least one person");
    let classes = RecodedPeople::of(people, cut);
    let mut full = Vec::new();
    for class in classes.classes.sorted() {
        if classes.people[class as usize] >= a {
            full.push(classes.classes.get(class).to_vec());
        }
    }
    full
}
