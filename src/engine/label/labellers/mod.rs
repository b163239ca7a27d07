//! Labellers (HOUSE 2, SCIENCE 10): given the people who wait, the policy, coins, and what it
//! remembers of earlier ticks, a labeller says which atoms form, under which labels. People in no
//! atom go on waiting.
//!
//! A labeller is one file here, one line of [`labeller`], and one line of what readers know of it
//! (`policy::LabellerName::facts`). None of them receives sensitive values, but for `bcf`, which
//! alone opens [`PrivateRows`].

mod arx_lr;
mod bcf;
mod halves;
mod interface;
mod neighbours;
mod one_recoding;
mod private_rows;

use super::local::Grouping;
use crate::policy::LabellerName;
pub use interface::{Labeller, LabellerMemory, NewAtoms, RowsBeforeTick, WaitingPeople};
pub use private_rows::PrivateRows;

/// The labeller of this name.
pub fn labeller(name: LabellerName) -> &'static dyn Labeller {
    match name {
        LabellerName::Halves => &halves::Halves,
        LabellerName::TopDown | LabellerName::Levels => &one_recoding::OneRecoding,
        LabellerName::ArxLr => &arx_lr::ArxLr,
        LabellerName::Mondrian => &neighbours::Neighbours(Grouping::Mondrian),
        LabellerName::Mdav => &neighbours::Neighbours(Grouping::Mdav),
        LabellerName::Bcf => &bcf::PaperAnonymizer,
    }
}
