//! A closed list of what can happen to a feed. The task that waits makes one of these, and the feed
//! acts on it.

use jiff::Timestamp;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopEvent {
    /// It is time to look into the inbox and the source.
    Look,
    /// A process that closes one tick begins: everything is checked, unless that was done within a
    /// day.
    Round,
    /// A tick of the schedule is due.
    Tick {
        /// When it was due.
        due: Timestamp,
        /// Missed ticks before it that it replaces.
        missed: u64,
    },
}
