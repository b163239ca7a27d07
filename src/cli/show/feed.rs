//! What `show` tells of a feed at work: what its log says, what waits, what is held, and what the next release would be.
//! Counts, times, names of checks, labels of quasi columns; never a value.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::history::{Happened, against, happened};
use super::json::{ReleaseLine, Waiting};
use super::words;
use crate::cli::paragraph::wrapped;
use crate::cli::{CommandResult, Out};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::feed_writer::{DecidedRelease, FeedSnapshot};
use crate::daemon::formats::Recorded;
use crate::daemon::journal::{Body, CheckedEntry, ReleaseDecision};
use crate::daemon::observe::Halt;
use crate::daemon::seal::OperatorKey;
use crate::daemon::service::{damaged, halted, seen_with};
use crate::engine::policy::Guarantee;
use crate::engine::release::{Manifest, RemovalReason};

/// A feed at work.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "show-feed")]
pub struct FeedShown {
    /// The feed's name.
    pub feed: String,
    /// What the chain promises; null for disjoint feeds.
    pub guarantee: Option<Guarantee>,
    /// Releases that readers see, oldest first.
    pub releases: Vec<ReleaseLine>,
    /// Releases whose manifests are gone from the public root, oldest first.
    pub removed: Vec<RemovedLine>,
    /// What happened, oldest first: the newest part of it.
    pub history: Vec<Happened>,
    /// Entries of the log.
    pub entries: u64,
    /// Why the feed is halted, and what to do; null if it is not, or if neither the private root nor the page of its process
    /// tells.
    pub halted: Option<Halt>,
    /// Entries, objects and published files that are missing or changed, as the process that runs the feed has found.
    pub damaged: Vec<String>,
    /// Rows that came since the last tick.
    pub new: u64,
    /// The release that waits for approval.
    pub held: Option<u32>,
    /// The release that is decided and that readers do not see yet: its new rows are in no release above and wait no more.
    pub decided: Option<DecidedLine>,
    /// Messages that are set aside.
    pub quarantined: u64,
    /// Who is not published.
    pub waiting: Waiting,
}

/// A release that is decided and not visible yet.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedLine {
    /// The release.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Its rows, those of earlier releases among them where the chain is cumulative.
    pub rows: u64,
}

/// A release whose manifest is gone from the public root.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemovedLine {
    /// The release.
    pub release: u32,
    /// Its chain.
    pub chain: u32,
    /// Why it is gone.
    pub reason: RemovalReason,
}

/// One release of a feed at work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FeedRelease {
    /// Its manifest.
    pub manifest: Manifest,
    /// What came of its tick: the whole verdict.
    pub verdict: Option<Recorded>,
}

/// Entries that are told at most.
const MOST: usize = 25;

/// Shows a feed, or one of its releases.
pub fn show(feed: &FeedConfig, key: Option<OperatorKey>, release: Option<u32>, out: &mut Out) -> CommandResult<()> {
    let halt = halted(feed);
    let shown = whole(feed, key, release, (halt.clone(), out));
    // What has halted the feed may keep it from being looked at, too.
    if let (Err(_), Some(halt), false) = (&shown, halt, out.json()) {
        out.text(&words::halted(&halt));
    }
    shown
}

fn whole(
    feed: &FeedConfig,
    key: Option<OperatorKey>,
    release: Option<u32>,
    (halt, out): (Option<Halt>, &mut Out),
) -> CommandResult<()> {
    let (seen, entries) = seen_with(feed, key)?;
    if let Some(number) = release {
        let shown = FeedRelease::of(&seen, &entries, number)?.ok_or_else(|| {
            let newest = seen.state.releases.last().map_or(0, |line| line.release);
            let gone = seen.state.releases.iter().any(|line| line.release == number && line.removed.is_some());
            let text = match gone {
                true => {
                    format!("the manifest of release {number} is gone from the public root: `tidegate show` says why")
                }
                false if seen.state.held.as_ref().is_some_and(|held| held.approved.release() == number) => {
                    format!("release {number} waits for approval: `tidegate show --candidate` shows it")
                }
                false => format!("there is no release {number} here; the newest is {newest}"),
            };
            Error::new(ErrorCategory::Usage, text).in_file(&feed.file).in_field("RELEASE")
        })?;
        if out.json() {
            out.value(&shown);
        } else {
            out.text(&words::release_of(&shown.manifest, shown.verdict.as_ref()));
        }
        return Ok(());
    }
    let shown = FeedShown { damaged: damaged(feed), ..FeedShown::of(&seen, &entries, halt)? };
    if out.json() {
        out.value(&shown);
    } else {
        out.text(&text(&shown));
    }
    Ok(())
}

impl FeedRelease {
    fn of(seen: &FeedSnapshot, entries: &[CheckedEntry], number: u32) -> CommandResult<Option<FeedRelease>> {
        let Some(line) = seen.state.releases.iter().find(|line| line.release == number) else { return Ok(None) };
        let Some(manifest) = seen.manifest(line)? else { return Ok(None) };
        let decided = entries.iter().rev().find_map(|entry| match &entry.entry.body {
            Body::Decision(decision) => decision.release().filter(|approved| approved.release() == number),
            _ => None,
        });
        let decided = decided.map(ReleaseDecision::verdict);
        let verdict = decided.map(|verdict| Recorded::parse(&seen.need(verdict)?)).transpose()?;
        Ok(Some(FeedRelease { manifest, verdict }))
    }
}

impl FeedShown {
    fn of(seen: &FeedSnapshot, entries: &[CheckedEntry], halted: Option<Halt>) -> CommandResult<FeedShown> {
        let state = &seen.state;
        let mut releases = Vec::new();
        for line in &state.releases {
            releases.extend(seen.manifest(line)?.as_ref().map(ReleaseLine::of));
        }
        let removed = |line: &DecidedRelease| {
            Some(RemovedLine { release: line.release, chain: line.chain, reason: line.removed?.reason })
        };
        let removed = state.releases.iter().filter_map(removed).collect();
        let mut told: Vec<_> = entries.iter().filter_map(|entry| Some((entry, happened(entry)?))).collect();
        let newest = told.split_off(told.len().saturating_sub(MOST));
        let history = newest.into_iter().map(|(entry, happened)| {
            let text = happened.text + &against(seen, entry)?;
            Ok(Happened { text, ..happened })
        });
        Ok(FeedShown {
            feed: state.terms.name.clone(),
            guarantee: state.terms.policy()?.guarantee(),
            releases,
            removed,
            history: history.collect::<CommandResult<_>>()?,
            entries: seen.last.as_ref().map_or(0, |last| last.entry.seq + 1),
            halted,
            damaged: Vec::new(),
            new: state.feed.new_rows(),
            held: state.held.as_ref().map(|held| held.approved.release()),
            decided: state.publishing.as_ref().and_then(|pending| {
                let line = state.releases.iter().find(|line| line.release == pending.approved.release())?;
                Some(DecidedLine { release: line.release, chain: line.chain, rows: line.rows })
            }),
            quarantined: state.quarantine.iter().map(|aside| aside.messages).sum(),
            waiting: Waiting::of(&state.feed, &state.terms),
        })
    }
}

/// How many manifests are gone, reason by reason.
fn gone(text: &mut String, removed: &[RemovedLine]) {
    for (reason, why) in [
        (RemovalReason::Withdrawn, "withdrawn"),
        (RemovalReason::Erased, "gone because they list erased rows"),
        (RemovalReason::Expired, "older than manifests are kept"),
    ] {
        let numbers: Vec<String> =
            removed.iter().filter(|line| line.reason == reason).map(|line| line.release.to_string()).collect();
        match &numbers[..] {
            [] => {}
            [one] => wrapped(text, "", &format!("Release {one}: {why}.")),
            [first, .., last] => {
                let count = numbers.len();
                wrapped(text, "", &format!("{count} releases, the first {first} and the last {last}: {why}."));
            }
        }
    }
}

fn text(shown: &FeedShown) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} ({} entries)\n", printable(&shown.feed), shown.entries);
    if let Some(halt) = &shown.halted {
        text.push_str(&words::halted(halt));
        text.push('\n');
    }
    text.push_str(&words::damaged(&shown.damaged));
    words::releases(&mut text, &shown.releases);
    gone(&mut text, &shown.removed);
    text.push_str("\nWhat happened\n");
    for Happened { seq, time, who, why, text: what, .. } in &shown.history {
        let who = who.as_ref().map(|who| format!(" ({})", printable(who))).unwrap_or_default();
        let why = why.as_ref().map(|why| format!(": \"{}\"", printable(why))).unwrap_or_default();
        let time = time.as_deref().unwrap_or("");
        wrapped(&mut text, &format!("  {seq:>6}  {time:20}  "), &format!("{what}{who}{why}"));
    }
    text.push('\n');
    let held =
        shown.held.map(|held| {
            format!(
                "Release {held} waits for a person: `tidegate show FEED --candidate` shows it and the command that approves it; `tidegate reject FEED` \
                 throws it away."
            )
        });
    let decided = shown.decided.as_ref().map(|DecidedLine { release, rows, .. }| {
        format!(
            "Release {release} with {rows} rows is decided, and readers do not see it yet: a running daemon publishes it as soon as the              public root can be written."
        )
    });
    let aside = (shown.quarantined > 0).then(|| {
        let what = if shown.quarantined == 1 { "message is" } else { "messages are" };
        format!("{} {what} set aside: see `tidegate quarantine`.", shown.quarantined)
    });
    let new = (shown.new > 0).then(|| format!("{} rows came since the last tick.", shown.new));
    let remarks: Vec<String> = [held, decided, aside, new].into_iter().flatten().collect();
    remarks.iter().for_each(|remark| wrapped(&mut text, "", remark));
    if !remarks.is_empty() {
        text.push('\n');
    }
    words::waiting(&mut text, &shown.waiting);
    words::warned(&mut text, shown.guarantee);
    text
}
