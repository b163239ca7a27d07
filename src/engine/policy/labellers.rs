//! The labellers (SCIENCE 4, 6 to 8, 10 and 11), each with what readers know of it and could use
//! against its results (SCIENCE 6, "Global recoding is not immune"). The gate receives only these
//! facts, and never asks which labeller it was. A new labeller has a name
//! here, its facts, and, in `check`, the keys of `[policy]` that do not apply to it.

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

/// What happens to the rows of earlier releases when people are labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierRows {
    /// They keep their labels for ever.
    KeepLabels,
    /// All rows of the chain are labelled again.
    LabelAgain,
}

/// The ways to label the people who wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabellerName {
    /// Halving with a coin.
    Halves,
    /// One recoding from the top down.
    TopDown,
    /// One recoding with one level for each column.
    Levels,
    /// ARX-LR.
    ArxLr,
    /// Groups of neighbours by median cuts.
    Mondrian,
    /// Groups of neighbours by MDAV.
    Mdav,
    /// The paper's anonymizer.
    Bcf,
}

/// The public facts about a labeller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabellerFacts {
    /// The rule by which labels follow from rows.
    pub labels: LabelRule,
    /// The finer states that it must have refused; `None` if it searches for no recoding.
    pub refused: Option<RefusedStep>,
    /// What happens to the rows of earlier releases.
    pub earlier: EarlierRows,
}

impl LabellerName {
    /// The labeller of a search.
    pub fn of(search: Search) -> LabellerName {
        match search {
            Search::Halves => LabellerName::Halves,
            Search::TopDown => LabellerName::TopDown,
            Search::Levels => LabellerName::Levels,
            Search::ArxLr => LabellerName::ArxLr,
            Search::Mondrian => LabellerName::Mondrian,
            Search::Mdav => LabellerName::Mdav,
        }
    }

    /// The public facts.
    pub fn facts(self) -> LabellerFacts {
        use EarlierRows::{KeepLabels, LabelAgain};
        use LabelRule::{Carved, Finest, Halved, OneRecoding};
        use RefusedStep::{Level, Node};
        let (labels, refused, earlier) = match self {
            LabellerName::Halves => (Halved, None, KeepLabels),
            LabellerName::TopDown => (OneRecoding, Some(Node), KeepLabels),
            LabellerName::Levels => (OneRecoding, Some(Level), KeepLabels),
            LabellerName::ArxLr => (Carved, None, KeepLabels),
            LabellerName::Mondrian | LabellerName::Mdav => (Finest, None, KeepLabels),
            LabellerName::Bcf => (OneRecoding, Some(Node), LabelAgain),
        };
        LabellerFacts {
            labels,
            refused,
            earlier,
        }
    }
}

impl Search {
    /// Whether every class gets labels of its own, along the taxonomies.
    pub fn is_local(self) -> bool {
        LabellerName::of(self).facts().labels != LabelRule::OneRecoding
    }

    /// Whether neighbours are grouped before their classes have labels.
    pub fn is_micro(self) -> bool {
        LabellerName::of(self).facts().labels == LabelRule::Finest
    }
}
