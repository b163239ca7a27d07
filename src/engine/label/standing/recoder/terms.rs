//! The terms of a search for a recoding, and its result (SCIENCE 4 and 8). Nothing is searched
//! here.

use super::super::super::top_down::Refusal;
use super::super::course::Course;
use super::classes::RecodedPeople;
use crate::histogram::Headcount;
use crate::model::{Cut, Decimal, DetailSettings, Recoding, Taxonomy};
use crate::policy::{Policy, Search};

/// The terms of a search for a recoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recoder {
    /// The smallest number of people of a class.
    pub(super) a: u64,
    /// Whether each column gets one level.
    pub(super) levels: bool,
    /// The share of people who may be left waiting.
    pub(super) set_aside: Decimal,
    /// How much detail each column should keep, in order.
    pub(super) details: Vec<DetailSettings>,
    /// The coarsest recoding that may be published.
    pub(super) coarsest: Recoding,
}

/// A recoding that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundRecoding {
    /// The recoding, with the specialisations that led to it.
    pub course: Course,
    /// The specialisations that the search refused.
    pub refusals: Vec<Refusal>,
    /// How good the levels are, if levels were searched.
    pub levels: Option<LevelsQuality>,
}

/// How good the levels are that a search found, and whether it proved that none are better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelsQuality {
    /// Their Loss; a waiting row counts as one at `*`.
    pub found: f64,
    /// No levels have a smaller figure.
    pub lower_bound: f64,
    /// Whether the search ended at its limit, so that better levels may exist.
    pub stopped: bool,
    /// The number of states that the search checked.
    pub checked: u64,
}

impl Recoder {
    /// From the top down, with all people in a class of at least `a` people.
    pub fn top_down(a: u64, trees: &[&Taxonomy]) -> Recoder {
        Recoder::new(a, false, Decimal::ZERO, &[], trees)
    }

    /// The terms of a policy.
    pub fn of(policy: &Policy, trees: &[&Taxonomy]) -> Recoder {
        let levels = policy.search() == Search::Levels;
        Recoder::new(
            policy.a(),
            levels,
            policy.set_aside(),
            policy.details(),
            trees,
        )
    }

    fn new(
        a: u64,
        levels: bool,
        set_aside: Decimal,
        details: &[DetailSettings],
        trees: &[&Taxonomy],
    ) -> Recoder {
        let details = if details.is_empty() {
            vec![DetailSettings::default(); trees.len()]
        } else {
            details.to_vec()
        };
        assert_eq!(details.len(), trees.len(), "one detail for each column");
        let coarsest = details
            .iter()
            .zip(trees)
            .map(|(detail, tree)| detail.coarsest(tree))
            .collect();
        Recoder {
            a,
            levels,
            set_aside,
            details,
            coarsest,
        }
    }

    /// The coarsest recoding that may be published.
    pub fn coarsest(&self) -> &[Cut] {
        &self.coarsest
    }

    /// Whether some column has a floor.
    pub fn has_floors(&self) -> bool {
        self.details.iter().any(|detail| detail.floor().is_some())
    }

    /// The weight of each column.
    pub fn weights(&self) -> Vec<u32> {
        self.details
            .iter()
            .map(DetailSettings::hundredths)
            .collect()
    }

    /// The people who can be in a class of at least `a` under a recoding that may be published, and
    /// the others, who wait.
    pub fn within_floors(&self, people: &Headcount) -> [Headcount; 2] {
        let classes = RecodedPeople::of(people, &self.coarsest);
        people.divide(|tuple, _| classes.people[classes.of_tuple[tuple]] >= self.a)
    }
}
