//! How a feed starts from its log: a checkpoint, a replay, a sweep; and how its root stays small.

pub(super) mod checkpoint;
pub(super) mod feed_opening;
pub(super) mod forget;
pub(super) mod pack;
pub(super) mod published_releases;
pub(super) mod replay;
pub(super) mod snapshot;
pub(super) mod sweep;
