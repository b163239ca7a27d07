//! Reads the state of the feed of a feed file.

use super::root_opening::{key, look, not_begun};
use crate::config::FeedConfig;
use crate::engine::release::Layout;
use crate::error::Result;
use crate::feed_writer::{FeedRoots, FeedSnapshot};
use crate::journal::{CheckedEntry, KeyRing, read};
use crate::seal::OperatorKey;

/// Reads the state of a feed.
///
/// # Errors
/// No feed has begun, the key is another one, or the log is damaged.
pub fn seen(feed: &FeedConfig) -> Result<FeedSnapshot> {
    FeedSnapshot::whole(looked(feed, None)?)?.ok_or_else(|| not_begun(feed))
}

/// Reads the state of a feed and all entries of its log, with this key or the one that the feed
/// file names.
///
/// # Errors
/// No feed has begun, the key is another one, or the log is damaged.
pub fn seen_with(
    feed: &FeedConfig,
    named: Option<OperatorKey>,
) -> Result<(FeedSnapshot, Vec<CheckedEntry>)> {
    let seen = FeedSnapshot::whole(looked(feed, named)?)?.ok_or_else(|| not_begun(feed))?;
    let entries = read(seen.store(), seen.ring(), 0, None)?;
    Ok((seen, entries))
}

fn looked(feed: &FeedConfig, named: Option<OperatorKey>) -> Result<FeedRoots> {
    let (private, public) = (look(feed, true)?, look(feed, false)?);
    let named = named.map_or_else(|| key(feed), Ok)?;
    let ring = KeyRing::open(&*private, &named)?.ok_or_else(|| not_begun(feed))?;
    Ok(FeedRoots {
        private,
        public,
        ring,
        layout: Layout::Root,
    })
}
