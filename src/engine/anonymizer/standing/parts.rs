//! The input and output types of a tick of the standing recoding (SCIENCE 4).
//!
//! This file only defines types; nothing is decided here.

use super::super::top_down::Refusal;
use super::recoder::LevelsQuality;
use crate::histogram::Headcount;
use crate::model::Node;
use crate::policy::Decimal;

/// The parameters of a chain for rare rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RareRowRules {
    /// The smallest class; at least 1.
    pub a: u64,
    /// The number of ticks after which a waiting row is overdue; 0 = rows do not wait.
    pub max_wait: u32,
    /// The share of all rows that may be withheld; 0 = none are.
    pub max_withheld: Decimal,
}

/// What a tick did to the recoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecodingStep {
    /// There is no recoding yet and too few rows for one.
    Hold,
    /// The recoding was found.
    First,
    /// Overdue rows were withheld.
    Withhold,
    /// It was made coarser from the overdue rows up.
    BottomUp,
    /// It was made coarser by a search from the top.
    TopDown,
}

/// People of one increment whom no release distinguishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// Their class under the standing recoding at the time, one node per quasi column.
    pub class: Vec<Node>,
    /// All people with these leaf tuples and arrivals who waited.
    pub people: Headcount,
}

/// The result of a tick.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingTick {
    /// What was done to the recoding; `None` = nothing.
    pub step: Option<RecodingStep>,
    /// The specialisations that the searches of this tick refused, and why.
    pub refusals: Vec<Refusal>,
    /// How good the levels are that the tick found, if it searched levels.
    pub levels: Option<LevelsQuality>,
    /// The atoms formed, by class in preorder: the increment of this tick.
    pub atoms: Vec<Atom>,
    /// The people who are withheld from this tick on.
    pub withheld: Headcount,
}
