//! One finding of a minimality attack (SCIENCE 5): people and what they are tied to. It names no value.

use super::groups::Equals;
use crate::gate::minimality::Credibility;
use crate::model::Node;

/// People who were equal before the release was generalised, and one guarded set, or all values.
#[derive(Debug)]
pub struct GuardedTie {
    /// Their class in the release: the first generalised one that may hold rows of theirs.
    pub class: usize,
    /// Their leaves, as nodes.
    pub leaves: Vec<Node>,
    /// How many they are.
    pub people: u64,
    /// The guarded set, in the order of the feed file; `None` where the requirement looks at all values.
    pub set: Option<usize>,
    /// How strongly one of them is tied to the set, or to the likeliest value. `None` where no class can have violated the
    /// requirement: the release was made in another way.
    pub credibility: Option<Credibility>,
    /// What the limit is on.
    pub figure: TieFigure,
    /// Whether what is believed of one of them is what the requirement promises.
    pub kept: bool,
}

/// A figure with a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TieFigure {
    /// The credibility itself.
    Share,
    /// The c that the belief needs; and the most values that these people can have, where that is fewer than l and their
    /// number leaves room for more.
    Recursive {
        /// c.
        c: f64,
        /// Different values.
        few: Option<usize>,
    },
    /// Distance of the belief from the whole table.
    Distance(f64),
    /// From the lowest to the highest number that is possible.
    Span(f64),
}

impl GuardedTie {
    /// Of these people, kept until a limit says otherwise.
    pub(super) fn of(equals: &Equals, set: Option<usize>, credibility: Option<Credibility>) -> GuardedTie {
        GuardedTie {
            class: equals.class,
            leaves: equals.leaves.clone(),
            people: equals.people,
            set,
            credibility,
            figure: TieFigure::Share,
            kept: true,
        }
    }

    /// Of people of whom nothing can be said.
    pub(super) fn unknown(equals: &Equals, set: Option<usize>) -> GuardedTie {
        GuardedTie { kept: false, ..GuardedTie::of(equals, set, Some(Credibility::AtMost(1.0))) }
    }
}
