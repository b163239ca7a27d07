//! A running feed: its log, the rows that wait, the release that is held. Counts, times, names of
//! checks, labels of quasi columns; never a value.

use schemars::JsonSchema;
use serde::Serialize;

use super::folder::{ReleaseLine, Waiting};
use super::history::{HistoryEvent, against, happened};
use crate::engine::policy::Guarantee;
use crate::engine::release::{Manifest, RemovalReason};
use crate::error::Result;
use crate::feed_writer::{DecidedRelease, FeedSnapshot};
use crate::formats::RecordedTick;
use crate::journal::{CheckedEntry, EntryBody, ReleaseDecision};
use crate::observe::Halt;

/// A running feed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "show-feed")]
pub struct FeedShown {
    /// The feed's name.
    pub feed: String,
    /// The guarantee of the chain; null for disjoint feeds.
    pub guarantee: Option<Guarantee>,
    /// Releases that readers see, oldest first.
    pub releases: Vec<ReleaseLine>,
    /// Releases whose manifests were removed from the public root, oldest first.
    pub removed: Vec<RemovedLine>,
    /// What happened, oldest first, limited to the newest events.
    pub history: Vec<HistoryEvent>,
    /// Entries of the log.
    pub entries: u64,
    /// Why the feed is halted, and what to do; null if it is not, or if neither the private root
    /// nor the page of its process says so.
    pub halted: Option<Halt>,
    /// Entries, objects and published files that are missing or changed, as the process that runs
    /// the feed has found.
    pub damaged: Vec<String>,
    /// Why no tick closes because of the clock, and what to do; null if the clock is right.
    pub clock: Option<String>,
    /// Rows since the last tick.
    pub new: u64,
    /// The release that waits for approval.
    pub held: Option<u32>,
    /// The release that is decided and that readers do not see yet: its new rows are in no release
    /// above and do not wait any more.
    pub decided: Option<DecidedLine>,
    /// Messages that are set aside.
    pub quarantined: u64,
    /// People who are not published.
    pub waiting: Waiting,
}

/// A release that is decided and not published yet.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedLine {
    /// The release.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// The number of its rows, including those of earlier releases if the chain is cumulative.
    pub rows: u64,
}

/// A release whose manifest was removed from the public root.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemovedLine {
    /// The release.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Why it was removed.
    pub reason: RemovalReason,
}

/// One release of a running feed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FeedRelease {
    /// Its manifest.
    pub manifest: Manifest,
    /// The whole verdict of its tick.
    pub verdict: Option<RecordedTick>,
}

/// The greatest number of events that are shown.
const MOST: usize = 25;

impl FeedRelease {
    /// From its log.
    ///
    /// # Errors
    /// A manifest or a verdict is not as it was written.
    pub fn of(
        seen: &FeedSnapshot,
        entries: &[CheckedEntry],
        number: u32,
    ) -> Result<Option<FeedRelease>> {
        let Some(line) = seen
            .state
            .releases
            .iter()
            .find(|line| line.release == number)
        else {
            return Ok(None);
        };
        let Some(manifest) = seen.manifest(line)? else {
            return Ok(None);
        };
        let decided = entries
            .iter()
            .rev()
            .find_map(|entry| match &entry.entry.body {
                EntryBody::Decision(decision) => decision
                    .release()
                    .filter(|approved| approved.release() == number),
                _ => None,
            });
        let decided = decided.map(ReleaseDecision::verdict);
        let verdict = decided
            .map(|verdict| RecordedTick::parse(&seen.need(verdict)?))
            .transpose()?;
        Ok(Some(FeedRelease { manifest, verdict }))
    }
}

impl FeedShown {
    /// From its log.
    ///
    /// # Errors
    /// A manifest or a verdict is not as it was written.
    pub fn of(
        seen: &FeedSnapshot,
        entries: &[CheckedEntry],
        halted: Option<Halt>,
    ) -> Result<FeedShown> {
        let state = &seen.state;
        let mut releases = Vec::new();
        for line in &state.releases {
            releases.extend(seen.manifest(line)?.as_ref().map(ReleaseLine::of));
        }
        let removed = |line: &DecidedRelease| {
            Some(RemovedLine {
                release: line.release,
                chain: line.chain,
                reason: line.removed?.reason,
            })
        };
        let removed = state.releases.iter().filter_map(removed).collect();
        let mut events: Vec<_> = entries
            .iter()
            .filter_map(|entry| Some((entry, happened(entry)?)))
            .collect();
        let newest = events.split_off(events.len().saturating_sub(MOST));
        let history = newest.into_iter().map(|(entry, happened)| {
            let text = happened.text + &against(seen, entry)?;
            Ok(HistoryEvent { text, ..happened })
        });
        Ok(FeedShown {
            feed: state.terms.name.clone(),
            guarantee: state.terms.policy()?.guarantee(),
            releases,
            removed,
            history: history.collect::<Result<_>>()?,
            entries: seen.last.as_ref().map_or(0, |last| last.entry.seq + 1),
            halted,
            damaged: Vec::new(),
            clock: None,
            new: state.feed.new_rows(),
            held: state.held.as_ref().map(|held| held.approved.release()),
            decided: state.publishing.as_ref().and_then(|pending| {
                let line = state
                    .releases
                    .iter()
                    .find(|line| line.release == pending.approved.release())?;
                Some(DecidedLine {
                    release: line.release,
                    chain: line.chain,
                    rows: line.rows,
                })
            }),
            quarantined: state.quarantine.iter().map(|aside| aside.messages).sum(),
            waiting: Waiting::of(&state.feed, &state.terms),
        })
    }
}
