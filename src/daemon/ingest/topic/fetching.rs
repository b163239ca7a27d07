//! What a feed reads of a topic: news in the order in which they came, each batch of messages behind the one before it.

use std::sync::Arc;

use super::backlog::Backlog;
use super::handover::{FetchBell, FetchEvent};

/// A topic that is being fetched.
pub trait Fetching: Send {
    /// The next news; `None` while there is none.
    fn next(&self) -> Option<FetchEvent>;

    /// The bell that rings when there may be news.
    fn bell(&self) -> FetchBell;

    /// Whether messages may be there that were not handed on yet.
    fn waits(&self) -> bool;

    /// How far the topic is ahead of what was taken in.
    fn backlog(&self) -> Arc<Backlog>;

    /// All before these offsets was taken in; Kafka is to be told.
    fn taken(&self, offsets: &[(i32, u64)]);
}
