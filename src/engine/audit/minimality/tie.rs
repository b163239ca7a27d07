//! One finding of a minimality attack (SCIENCE 5): people and what they are tied to. It names no value.

use super::groups::Equals;
use crate::gate::minimality::Credibility;
use crate::model::Node;

/// People who were equal before the release was generalised, and one guarded set.
#[derive(Debug)]
pub struct Tie {
    /// Their class in the release.
    pub class: usize,
    /// Their leaves, as nodes.
    pub leaves: Vec<Node>,
    /// How many they are.
    pub people: u64,
    /// The guarded set, in the order of the feed file.
    pub set: usize,
    /// `None` where no class can have violated l-diversity: the release was made in another way.
    pub credibility: Option<Credibility>,
}

impl Tie {
    /// Of these people.
    pub fn new(equals: &Equals, set: usize, credibility: Option<Credibility>) -> Tie {
        Tie { class: equals.class, leaves: equals.leaves.clone(), people: equals.people, set, credibility }
    }
}
