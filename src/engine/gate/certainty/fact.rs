//! The certain facts, as plain values (SCIENCE 6). Judges nothing; the caller has the limits.

use super::budget::CertaintyUndone;
use crate::model::Node;

/// A class below `a` that every reader can infer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The nodes of the class, one per quasi column: a published class, or one of the search that
    /// was split later.
    pub class: Vec<Node>,
    /// The column in which only a part of the class is meant.
    pub column: usize,
    /// The node of that part.
    pub child: Node,
    /// At least this many people are in it, and not 0.
    pub least: u64,
    /// At most this many, and fewer than `a`.
    pub most: u64,
    /// Whether its refusal has no other explanation: no other class, and no other child of this
    /// one, can be that small.
    pub sole: bool,
}

/// How complete an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactExtent {
    /// Every clause was solved.
    Whole,
    /// The budget was spent; what was found is true.
    Open,
    /// No possible table agrees: the algorithm did not make this release.
    Impossible,
}

/// The result of the certainty attack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certainty {
    /// Small classes that exist in every possible table, in order.
    pub facts: Vec<Fact>,
    /// Refusals that a reader can infer and that were solved.
    pub clauses: u64,
    /// Clauses that only one class can satisfy: some child of a known class holds few people.
    pub lone: u64,
    /// How complete the answer is.
    pub answer: FactExtent,
}

impl Certainty {
    pub(super) fn nothing() -> Certainty {
        Certainty {
            facts: Vec::new(),
            clauses: 0,
            lone: 0,
            answer: FactExtent::Whole,
        }
    }

    /// Sorted, with each fact once.
    pub(super) fn finished(mut self, ended: Result<(), CertaintyUndone>) -> Certainty {
        self.facts.sort_unstable();
        self.facts.dedup();
        self.answer = match ended {
            Ok(()) => FactExtent::Whole,
            Err(CertaintyUndone::Spent) => FactExtent::Open,
            Err(CertaintyUndone::Contradiction) => FactExtent::Impossible,
        };
        self
    }
}
