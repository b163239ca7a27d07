//! The retention of rows and manifests (`publish.retain`, `publish.keep`): at each tick of the
//! schedule old ones are found by the dates of their releases alone, so that their removal reveals
//! nothing about people.

use super::super::publish::clean::clean;
use super::super::publish::make_visible::unstage;
use super::super::recovery::published_releases::remember;
use super::super::times::milliseconds;
use super::super::writer::FeedWriter;
use crate::engine::policy::ChainKind;
use crate::error::Result;
use crate::journal::{Expire, Retire};

/// Begins to remove old rows and manifests, if there are any at this tick.
///
/// # Errors
/// The log or the public root cannot be written.
pub(in crate::feed_writer) fn retention(writer: &mut FeedWriter, time: &str) -> Result<()> {
    expire_manifests(writer, time)?;
    retire_rows(writer, time)
}

/// Removes manifests that are older than `publish.keep`, except the newest one of each chain.
fn expire_manifests(writer: &mut FeedWriter, time: &str) -> Result<()> {
    let Some(keep) = writer.settings.keep else {
        return Ok(());
    };
    let lines = &writer.state.releases;
    let is_newest = |at: usize| {
        !lines[at + 1..]
            .iter()
            .any(|line| line.chain == lines[at].chain && line.is_visible())
    };
    let is_old = |at: &usize| is_over(&lines[*at].time, keep, time) && !is_newest(*at);
    let releases: Vec<u32> = (0..lines.len())
        .filter(|&at| lines[at].is_visible())
        .take_while(|&at| is_over(&lines[at].time, keep, time))
        .filter(is_old)
        .map(|at| lines[at].release)
        .collect();
    if releases.is_empty() {
        return Ok(());
    }
    let expire = Expire {
        time: time.to_owned(),
        releases,
    };
    writer.log.append(expire.clone())?;
    writer.state.expire(&expire);
    clean(writer, time)?;
    Ok(())
}

/// Removes rows in parts whose newest release is older than `publish.retain`, and rows of such
/// releases that were withdrawn and are to be published again.
fn retire_rows(writer: &mut FeedWriter, time: &str) -> Result<()> {
    let Some(retain) = writer
        .settings
        .retain
        .filter(|_| writer.policy.keeps_labels())
    else {
        return Ok(());
    };
    if writer.policy.kind() == ChainKind::Disjoint || writer.state.feed.stopped() {
        return Ok(());
    }
    let old = |release: u32| {
        writer
            .state
            .of_chain()
            .any(|line| line.release == release && is_over(&line.time, retain, time))
    };
    let parts = writer.state.parts();
    let missing = writer.state.releases_not_in_table();
    let mut last: Vec<u32> = parts
        .iter()
        .map(|part| part.span.last)
        .chain(missing)
        .collect();
    last.sort_unstable();
    let Some(through) = last.into_iter().take_while(|last| old(*last)).last() else {
        return Ok(());
    };
    let rows = writer.state.feed.rows_of(0..=through).rows();
    if rows == 0 {
        return Ok(());
    }
    let retire = Retire {
        time: time.to_owned(),
        through,
        rows,
    };
    writer.log.append(retire.clone())?;
    if let Some(held) = writer.state.held.take() {
        unstage(&writer.log, &held)?;
    }
    writer.state.retire(&retire);
    remember(&writer.log, &mut writer.state, &writer.public)
}

/// Whether this many seconds have passed since a time.
fn is_over(since: &str, seconds: u64, now: &str) -> bool {
    milliseconds(now) - milliseconds(since)
        >= i64::try_from(seconds)
            .unwrap_or(i64::MAX / 1_000)
            .saturating_mul(1_000)
}
