//! Refinement attacks on local recoding (CRA; SCIENCE 6): ARX-LR is greedy, so the positions of
//! earlier classes, and the fact that no smaller segment became a class first, reveal where the
//! rows of a class can be. For every class, and for the outliers, the attack computes the number of
//! remaining solutions, what holds in each of them, and how precise each figure is.
//!
//! Why no enumeration is needed: a cell that an earlier class covers holds no row, and every proper
//! part of a segment is inside a slab, one child in one column, which holds fewer than k rows. What
//! remains are counts per block, one child in every column, and those are counted by a dynamic
//! program (`paths`, `count`).
//!
//! This room knows only numbers; labels occur only in `labels` and `names`, values nowhere, and it
//! never knows how a recoding was found. Work is counted in operations, never in time, and beyond
//! the budget a figure becomes a float with an error bound, then a bound on the safe side, then
//! unknown; it is never invented. Every figure is the same with any number of threads.

mod attack;
mod blocks;
mod budget;
mod column;
mod count;
mod cover;
mod figure;
mod finest_labels;
mod formation_order;
mod halves;
mod joint;
mod key;
mod labels;
mod limits;
mod malformed_release;
mod moduli;
mod names;
mod paths;
mod refinement_verdict;
mod release;
mod results;
mod ring;
mod sample;
mod search;
mod target;
mod true_rows;
mod urn;
mod wide_float;
mod worlds;

pub use self::attack::{AttackTerms, RefinementAttack};
pub use self::budget::RefinementBudget;
pub use self::column::LayeredColumn;
pub use self::figure::{RatioFigure, SolutionCount};
pub use self::joint::{Joint, joint};
pub use self::key::StateKey;
pub use self::labels::{Layers, NoLayers};
pub use self::limits::{FailedLimit, ImpossibleTarget, against, certain, short};
pub use self::malformed_release::Malformed;
pub use self::names::Names;
pub use self::refinement_verdict::{RefinementVerdict, attacked, judge};
pub use self::release::{
    AttackedRows, Attacker, CarvedClass, CarvedRelease, CarvingRule, RepeatedValues,
};
pub use self::results::{AttackResult, JointAttack, NoFinding};
pub use self::target::{AttackTarget, CertainClass, HeldRows, SegmentPart, Support};
pub use self::true_rows::{RowsMismatch, divide, fuzzy};
pub use self::worlds::crowds;
