//! Deletion after a period (HOUSE 3): raw rows are deleted some time after their people were
//! published, set-aside messages after their own period. The time is passed in. The entry comes
//! first: objects that it names are deleted now or by the sweep of the next start.

use jiff::Timestamp;

use super::super::state::FeedState;
use super::super::writer::FeedSettings;
use crate::error::Result;
use crate::journal::{Forgotten, Log, destroy_all};

/// Deletes objects whose period is over; returns their number.
pub(in crate::feed_writer) fn forget(
    log: &mut Log,
    state: &mut FeedState,
    settings: &FeedSettings,
    now: Timestamp,
) -> Result<u64> {
    let over = |since: &str, keep: u64| {
        let since: Option<Timestamp> = since.parse().ok();
        since.is_some_and(|since| {
            now.as_second().saturating_sub(since.as_second())
                >= i64::try_from(keep).unwrap_or(i64::MAX)
        })
    };
    let keep = settings.keep_raw;
    let raw = state.spent().filter(|raw| {
        raw.published
            .as_deref()
            .is_some_and(|since| over(since, keep))
    });
    let aside = state
        .quarantine
        .iter()
        .filter(|aside| over(&aside.time, settings.keep_aside));
    let gone: Vec<String> = raw
        .map(|raw| raw.object.path.clone())
        .chain(aside.map(|aside| aside.object.path.clone()))
        .collect();
    if gone.is_empty() {
        return Ok(0);
    }
    let time = Timestamp::from_second(now.as_second())
        .unwrap_or(now)
        .to_string();
    let forgotten = Forgotten {
        time,
        objects: gone,
    };
    log.append(forgotten.clone())?;
    state.forgets(&forgotten.objects);
    destroy_all(
        log.store(),
        log.ring(),
        forgotten.objects.iter().map(String::as_str),
    )?;
    Ok(forgotten.objects.len() as u64)
}
