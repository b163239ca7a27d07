//! What can happen to a feed: a closed list. The thread that waits makes one of these of it, and the feed does what it says.

use jiff::Timestamp;

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopEvent {
    /// It is time to look at the inbox and at the source.
    Look,
    /// A tick of the schedule is due.
    Tick {
        /// When it was.
        due: Timestamp,
        /// Ticks before it that were missed and became this one.
        missed: u64,
    },
}
