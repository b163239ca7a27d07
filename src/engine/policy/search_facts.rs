//! The public facts about each search that could be used against its results (SCIENCE 6, "Global
//! recoding is not immune"; 7; 11). The gate receives only these facts, and never asks which search
//! it was. A new search is one line of [`Search::facts`].

use super::settings::Search;
use crate::model::Decimal;

/// The states of a search that a reader knows to have failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// None: classes have labels of their own.
    Nothing,
    /// The whole course of a top-down search from `*`, which can be replayed from public sizes of
    /// classes.
    Replay,
    /// For each node of the recoding, the state in which its children replace it: more people than
    /// this share would be left out.
    EachNode(Decimal),
    /// For each column, the state in which it is one level finer: more people than this share would
    /// be left out.
    EachLevel(Decimal),
}

/// The rule by which labels follow from rows, which readers know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelRule {
    /// All rows have one recoding.
    OneRecoding,
    /// ARX-LR: classes are formed one after the other, each with the first labels of the order that
    /// it fits.
    Carved,
    /// Regions are halved as long as both halves are large enough.
    Halved,
    /// Each class has the finest labels that cover its rows.
    Finest,
}

/// The unit of the finer states that a search with one recoding had to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedStep {
    /// A node of a taxonomy, replaced by its children.
    Node,
    /// A column, one level finer.
    Level,
}

/// The public facts about a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchFacts {
    /// The rule by which labels follow from rows.
    pub labels: LabelRule,
    /// The states that it must have refused; `None` if classes have labels of their own.
    pub refused: Option<RefusedStep>,
}

impl Search {
    /// The public facts.
    pub fn facts(self) -> SearchFacts {
        let (labels, refused) = match self {
            Search::TopDown => (LabelRule::OneRecoding, Some(RefusedStep::Node)),
            Search::Levels => (LabelRule::OneRecoding, Some(RefusedStep::Level)),
            Search::ArxLr => (LabelRule::Carved, None),
            Search::Halves => (LabelRule::Halved, None),
            Search::Mondrian | Search::Mdav => (LabelRule::Finest, None),
        };
        SearchFacts { labels, refused }
    }

    /// Whether every class gets labels of its own, along the taxonomies.
    pub fn is_local(self) -> bool {
        self.facts().labels != LabelRule::OneRecoding
    }

    /// Whether neighbours are grouped before their classes have labels.
    pub fn is_micro(self) -> bool {
        self.facts().labels == LabelRule::Finest
    }
}
