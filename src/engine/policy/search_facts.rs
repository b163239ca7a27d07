//! What is public of each search, and could be used against what it proposes (SCIENCE 6, "Global recoding is not immune"; 7; 11). The gate is
//! told so much of a search, and never asks which one it was. A search that is added is a line of [`Search::facts`].

use super::settings::Search;
use crate::model::Decimal;

/// Which states of a search a reader knows to have failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// None: classes have labels of their own.
    Nothing,
    /// The whole course of a top-down search from `*`, which can be walked again from public sizes of classes.
    Replay,
    /// For each node that the recoding has, the state in which its children take its place: it would leave out more people than this
    /// share.
    EachNode(Decimal),
    /// For each column, the state in which it is one level finer: the same.
    EachLevel(Decimal),
}

/// How labels follow from rows, by a rule that readers know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelRule {
    /// All rows are under one recoding.
    OneRecoding,
    /// ARX-LR: classes are carved out one after the other, each under the first labels of its order that it fits.
    Carved,
    /// Regions are halved as long as both halves are large enough.
    Halved,
    /// Each class has the finest labels that cover its rows.
    Finest,
}

/// In which unit a search that ended with one recoding had to refuse what is finer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedStep {
    /// A node of a taxonomy whose children would take its place.
    Node,
    /// A column, one level finer.
    Level,
}

/// What is public of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchFacts {
    /// How labels follow from rows.
    pub labels: LabelRule,
    /// What it must have refused; `None` where classes have labels of their own.
    pub refused: Option<RefusedStep>,
}

impl Search {
    /// What is public of it.
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
