//! A topic as a feed reads it: events in the order in which they happened, each batch of messages
//! after the previous one.

use std::sync::Arc;

use super::backlog::Backlog;
use super::handover::{FetchBell, FetchEvent};

/// A topic that is being fetched.
pub trait Fetching: Send {
    /// The next event; `None` if there is none yet.
    fn next(&self) -> Option<FetchEvent>;

    /// The bell that rings when there may be an event.
    fn bell(&self) -> FetchBell;

    /// Whether there may be messages that were not passed on yet.
    fn waits(&self) -> bool;

    /// How far the topic is ahead of what was accepted.
    fn backlog(&self) -> Arc<Backlog>;

    /// All messages before these offsets were accepted; this is committed to Kafka.
    fn taken(&self, offsets: &[(i32, u64)]);
}
