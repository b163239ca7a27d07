//! What `show` prints about a feed: its log, the rows that wait, the release that is held, and what
//! the next release would be. Counts, times, names of checks, labels of quasi columns; never a
//! value.

use std::fmt::Write;

use super::words;
use crate::daemon::clock;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::observe::Halt;
use crate::daemon::seal::OperatorKey;
use crate::daemon::service::{ClockWait, damaged, future_tick, halted, seen_with, waits_for_clock};
use crate::daemon::view::feed::{DecidedLine, FeedRelease, FeedShown, RemovedLine};
use crate::daemon::view::history::HistoryEvent;
use crate::engine::release::RemovalReason;
use crate::paragraph::wrapped;
use crate::{CommandResult, Out};

/// Shows a feed, or one of its releases.
pub(super) fn show(
    feed: &FeedConfig,
    key: Option<OperatorKey>,
    release: Option<u32>,
    out: &mut Out,
) -> CommandResult<()> {
    let halt = halted(feed);
    let shown = whole(feed, key, release, (halt.clone(), out));
    // The reason for the halt may also be why the feed cannot be read.
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
                    format!(
                        "the manifest of release {number} is no longer in the public root: `tidegate show` says why"
                    )
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
    let clock = match waits_for_clock(feed) {
        Some(why) => Some(why),
        None => {
            let ticked = seen.state.ticked.as_deref().and_then(clock::parse);
            future_tick(seen.store(), ticked, clock::instant())?.map(ClockWait::text)
        }
    };
    let shown = FeedShown {
        damaged: damaged(feed),
        clock,
        ..FeedShown::of(&seen, &entries, halt)?
    };
    if out.json() {
        out.value(&shown);
    } else {
        out.text(&text(&shown));
    }
    Ok(())
}

/// The number of removed manifests, by reason.
fn gone(text: &mut String, removed: &[RemovedLine]) {
    for (reason, why) in [
        (RemovalReason::Withdrawn, "withdrawn"),
        (
            RemovalReason::Erased,
            "deleted because they list erased rows",
        ),
        (RemovalReason::Expired, "older than manifests are kept"),
    ] {
        let numbers: Vec<String> = removed
            .iter()
            .filter(|line| line.reason == reason)
            .map(|line| line.release.to_string())
            .collect();
        match &numbers[..] {
            [] => {}
            [one] => wrapped(text, "", &format!("Release {one}: {why}.")),
            [first, .., last] => {
                let count = numbers.len();
                wrapped(
                    text,
                    "",
                    &format!("{count} releases, the first {first} and the last {last}: {why}."),
                );
            }
        }
    }
}

fn text(shown: &FeedShown) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} ({} entries)\n",
        printable(&shown.feed),
        shown.entries
    );
    if let Some(halt) = &shown.halted {
        text.push_str(&words::halted(halt));
        text.push('\n');
    }
    text.push_str(&words::damaged(&shown.damaged));
    if let Some(why) = &shown.clock {
        wrapped(&mut text, "", &format!("No tick closes: {why}."));
        text.push('\n');
    }
    words::releases(&mut text, &shown.releases);
    gone(&mut text, &shown.removed);
    text.push_str("\nWhat happened\n");
    for HistoryEvent {
        seq,
        time,
        who,
        why,
        text: what,
        ..
    } in &shown.history
    {
        let who = who
            .as_ref()
            .map(|who| format!(" ({})", printable(who)))
            .unwrap_or_default();
        let why = why
            .as_ref()
            .map(|why| format!(": \"{}\"", printable(why)))
            .unwrap_or_default();
        let time = time.as_deref().unwrap_or("");
        wrapped(
            &mut text,
            &format!("  {seq:>6}  {time:20}  "),
            &format!("{what}{who}{why}"),
        );
    }
    text.push('\n');
    let held = shown.held.map(|held| {
        format!(
            "Release {held} waits for a person: `tidegate show FEED --candidate` shows it and the command that \
                 approves it; `tidegate reject FEED` rejects it."
        )
    });
    let decided = shown.decided.as_ref().map(|DecidedLine { release, rows, .. }| {
        format!(
            "Release {release} with {rows} rows is approved and not visible yet: a running daemon publishes it as soon \
             as it can write to the public root."
        )
    });
    let aside = (shown.quarantined > 0).then(|| {
        let what = if shown.quarantined == 1 {
            "message is"
        } else {
            "messages are"
        };
        format!(
            "{} {what} set aside: see `tidegate quarantine`.",
            shown.quarantined
        )
    });
    let new = (shown.new > 0).then(|| format!("{} rows arrived since the last tick.", shown.new));
    let remarks: Vec<String> = [held, decided, aside, new].into_iter().flatten().collect();
    remarks
        .iter()
        .for_each(|remark| wrapped(&mut text, "", remark));
    if !remarks.is_empty() {
        text.push('\n');
    }
    words::waiting(&mut text, &shown.waiting);
    words::warned(&mut text, shown.guarantee);
    text
}
