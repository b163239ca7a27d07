//! A tick of the schedule: it closes the increment, draws coins, and decides about the release that
//! is due.

pub(super) mod chance_draws;
pub(super) mod coins;
pub(super) mod decide;
pub(super) mod judge;
pub(super) mod parts;
pub(super) mod repair;
pub(super) mod retention;
pub(super) mod sums;
pub(super) mod tick_closing;
