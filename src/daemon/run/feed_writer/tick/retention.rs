//! The retention of rows and manifests (`publish.retain`, `publish.keep`): at each tick of the
//! schedule old ones are found by the dates of their releases alone, so that their removal reveals
//! nothing about people.

use super::super::times::milliseconds;
use super::super::writer::FeedWriter;
use crate::engine::policy::ChainKind;
use crate::error::Result;
use crate::journal::{Expire, Retire};

impl FeedWriter {
    /// Begins to remove old rows and manifests, if there are any at this tick.
    ///
    /// # Errors
    /// The log or the public root cannot be written.
    pub(in crate::feed_writer) fn retention(&mut self, time: &str) -> Result<()> {
        self.expire_manifests(time)?;
        self.retire_rows(time)
    }

    /// Removes manifests that are older than `publish.keep`, except the newest one of each chain.
    fn expire_manifests(&mut self, time: &str) -> Result<()> {
        let Some(keep) = self.settings.keep else {
            return Ok(());
        };
        let lines = &self.state.releases;
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
        self.append(expire.clone())?;
        self.state.expire(&expire);
        self.clean(time)?;
        Ok(())
    }

    /// Removes rows in parts whose newest release is older than `publish.retain`, and rows of such
    /// releases that were withdrawn and are to be published again.
    fn retire_rows(&mut self, time: &str) -> Result<()> {
        let Some(retain) = self.settings.retain.filter(|_| self.policy.keeps_labels()) else {
            return Ok(());
        };
        if self.policy.kind() == ChainKind::Disjoint || self.state.feed.stopped() {
            return Ok(());
        }
        let old = |release: u32| {
            self.state
                .of_chain()
                .any(|line| line.release == release && is_over(&line.time, retain, time))
        };
        let parts = self.state.parts();
        let missing = self.state.releases_not_in_table();
        let mut last: Vec<u32> = parts
            .iter()
            .map(|part| part.span.last)
            .chain(missing)
            .collect();
        last.sort_unstable();
        let Some(through) = last.into_iter().take_while(|last| old(*last)).last() else {
            return Ok(());
        };
        let rows = self.state.feed.rows_of(0..=through).rows();
        if rows == 0 {
            return Ok(());
        }
        let retire = Retire {
            time: time.to_owned(),
            through,
            rows,
        };
        self.append(retire.clone())?;
        if let Some(held) = self.state.held.take() {
            self.unstage(&held)?;
        }
        self.state.retire(&retire);
        self.remember()
    }
}

/// Whether this many seconds have passed since a time.
fn is_over(since: &str, seconds: u64, now: &str) -> bool {
    milliseconds(now) - milliseconds(since)
        >= i64::try_from(seconds)
            .unwrap_or(i64::MAX / 1_000)
            .saturating_mul(1_000)
}
