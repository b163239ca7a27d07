//! A feed has halted: its operator is told so before it ends, for a few seconds and not longer.

use std::time::{Duration, Instant};

use super::listeners::listeners;
use super::notification::{Audience, Notification};
use super::tell::Teller;
use crate::daemon::clock;
use crate::daemon::config::Feed;
use crate::daemon::error::Error;
use crate::daemon::observe::FeedObserver;

/// How long receivers may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tells the operator why a feed has halted.
pub fn last_words(feed: &Feed, error: &Error, told: &FeedObserver) {
    // Whoever cannot be told because the feed file does not say how: that may be the very reason.
    let Ok(listeners) = listeners(feed) else { return };
    let notification = Notification::halted(&feed.name, error, &clock::now());
    let begun = Instant::now();
    let ends = || begun.elapsed() >= PATIENCE;
    let waits = |pause: Duration| {
        std::thread::sleep(pause.min(PATIENCE.saturating_sub(begun.elapsed())));
        !ends()
    };
    std::thread::scope(|scope| {
        for listener in listeners.into_iter().filter(|listener| listener.audience == Audience::Operator) {
            let (mut teller, notification) = (Teller::new(listener, told.clone()), &notification);
            scope.spawn(move || {
                if let Some(told) = teller.tell(notification, &ends, &waits) {
                    told.say(&teller);
                }
            });
        }
    });
}
