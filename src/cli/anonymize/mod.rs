//! `tidegate anonymize` (CONTRACTS 3): each input file is one tick; releases and verdicts are
//! written to a folder, by the same feed and the same gate that the daemon uses. This module reads
//! and prints; the engine decides.

mod words;

use std::path::PathBuf;

use super::common_texts::note;
use super::input_watch::InputLine;
use super::{CommandResult, Exit, Out};
use crate::daemon::clock;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::folder::{
    CommandOutcome, InputEntry, InputOutcome, OpenedKey, Task, begun, find_key, manifest_of,
    run as run_all,
};
use crate::daemon::view::anonymize::AnonymizeAnswer;
use crate::engine::model::Role;
use crate::engine::policy::{Decimal, OnRepeat};

/// Turn files of raw rows into releases, one tick per file
#[derive(clap::Args)]
#[command(after_help = "\
Each file is CSV, JSON lines, Parquet or Arrow IPC with one row per person, and holds the rows that are new since the file \
before it. The folder can be continued later; a file that was processed already is recognised by its name and content.

Without --key and without store.key in the feed file the command makes a key beside the folder: keep it, because the folder \
cannot be continued without it.

Exit code 0: done. 1: a release was rejected, or the last rows wait until more have come. 2: an error; bad input leaves the \
folder unchanged. A folder with a manifest is always a complete release, and after an interruption the same command \
continues.")]
pub struct Args {
    /// The feed file with the policy, the columns and their taxonomies
    #[arg(long, value_name = "FILE")]
    feed: PathBuf,
    /// Files of raw rows, one per tick, oldest first
    #[arg(long = "in", value_name = "FILE", required = true, num_args = 1..)]
    inputs: Vec<PathBuf>,
    /// The folder for the releases
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The key of the folder: 64 hexadecimal digits in a file
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Set rows aside that cannot be decoded, up to this share of a file (0 to 1)
    #[arg(long, value_name = "SHARE")]
    quarantine_share: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// The feed file or an input cannot be read, or the folder cannot be written.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let time = clock::now();
    let feed = FeedConfig::load(&args.feed)?;
    let quarantine = args.quarantine_share.as_deref().map(share).transpose()?;
    let new = !begun(&args.out)?;
    let OpenedKey { key, made } =
        find_key(args.key.as_deref(), feed.services.key(), &args.out, new)?;
    if feed.policy.on_repeat() != OnRepeat::None
        && feed.columns.of(Role::Identifier).next().is_none()
    {
        note(
            "the feed declares no identifier column, so every row counts as a different person: duplicates cannot be \
             found",
        );
    }
    let task = Task {
        feed: &feed,
        inputs: &args.inputs,
        folder: &args.out,
        key,
        made,
        quarantine,
        time: &time,
    };
    let CommandOutcome { entries, finished } = {
        let mut shown = InputLine::new(&args.inputs);
        run_all(&task, &mut shown)?
    };
    if out.json() {
        out.value(&AnonymizeAnswer {
            releases: entries.clone(),
        });
    } else {
        let newest = entries.iter().rev().find_map(|entry| entry.release);
        let newest = newest
            .map(|release| manifest_of(&args.out, release))
            .transpose()?;
        out.text(&words::report(
            &entries,
            &args.inputs,
            &args.out,
            &feed,
            newest.as_ref(),
        ));
    }
    let unsafe_before = finished.is_some_and(|entry| {
        matches!(
            entry.outcome,
            InputOutcome::Rejected | InputOutcome::Stopped
        )
    });
    Ok(if unsafe_before {
        Exit::Unsafe
    } else {
        exit(&entries)
    })
}

/// 1 if a release was rejected, if the chain has stopped, or if there is no release yet.
fn exit(entries: &[InputEntry]) -> Exit {
    let bad = entries.iter().any(|entry| {
        matches!(
            entry.outcome,
            InputOutcome::Rejected | InputOutcome::Stopped
        )
    });
    let held = entries
        .last()
        .is_some_and(|entry| entry.outcome == InputOutcome::Held);
    if bad || held {
        Exit::Unsafe
    } else {
        Exit::Done
    }
}

fn share(text: &str) -> CommandResult<Decimal> {
    let number = Decimal::parse(text).filter(|share| (0.0..=1.0).contains(&share.get()));
    number.ok_or_else(|| {
        Error::new(
            ErrorCategory::Usage,
            "a share is a decimal from 0 to 1, such as 0.01",
        )
        .in_field("--quarantine-share")
        .into()
    })
}
