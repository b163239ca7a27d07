//! A topic as a feed takes it in: what there is to tell, in order, each batch behind the one before it.

use std::sync::Arc;

use super::backlog::Backlog;
use super::handover::{Bell, News};

/// A topic that is being fetched.
pub trait Fetching: Send {
    /// What there is to tell next, if there is anything.
    fn next(&self) -> Option<News>;

    /// What rings when there may be something to tell.
    fn bell(&self) -> Bell;

    /// Whether messages may be there that were not handed on yet.
    fn waits(&self) -> bool;

    /// How far the topic is ahead of what was taken in.
    fn backlog(&self) -> Arc<Backlog>;

    /// All before these offsets was taken in; Kafka is to be told.
    fn taken(&self, offsets: &[(i32, u64)]);
}
