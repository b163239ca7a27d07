//! One finding of a minimality attack (SCIENCE 5): people and the set that they are linked to. It
//! names no value.

use super::groups::Equals;
use crate::gate::minimality::Credibility;
use crate::model::Node;

/// People with equal leaves, and one guarded set or all values.
#[derive(Debug)]
pub struct GuardedTie {
    /// Their class in the release: the first generalised one that may hold rows of theirs.
    pub class: usize,
    /// Their leaves, as nodes.
    pub leaves: Vec<Node>,
    /// The number of people.
    pub people: u64,
    /// The guarded set, in the order of the feed file; `None` if the requirement looks at all
    /// values.
    pub set: Option<usize>,
    /// The credibility of the link between one of them and the set, or the likeliest value. `None`
    /// if no class can have violated the requirement, so that the release was made in another way.
    pub credibility: Option<Credibility>,
    /// The figure that is limited.
    pub figure: TieFigure,
    /// Whether the belief about one of them keeps the promise of the requirement.
    pub kept: bool,
}

/// A figure that has a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TieFigure {
    /// The credibility itself.
    Share,
    /// The c that the belief needs; and the most values that these people can have, if that is
    /// fewer than l although their number would allow more.
    Recursive {
        /// c.
        c: f64,
        /// The number of different values.
        few: Option<usize>,
    },
    /// The distance between the belief and the whole table.
    Distance(f64),
    /// The difference between the highest and the lowest possible number.
    Span(f64),
}

impl GuardedTie {
    /// A tie of these people, allowed until a limit says otherwise.
    pub(super) fn of(
        equals: &Equals,
        set: Option<usize>,
        credibility: Option<Credibility>,
    ) -> GuardedTie {
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

    /// A tie of people about whom nothing can be said.
    pub(super) fn unknown(equals: &Equals, set: Option<usize>) -> GuardedTie {
        GuardedTie {
            kept: false,
            ..GuardedTie::of(equals, set, Some(Credibility::AtMost(1.0)))
        }
    }
}
