//! `tidegate run` (CONTRACTS 3): the daemon, for one or many feeds. Loads the feed files, waits for
//! signals, and prints the result of `--once`; everything else is the daemon's.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Failure;
use super::process::{runtime, safely, signals};
use super::{CommandResult, Exit, Out};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::formats::advice;
use crate::daemon::observe::{Observer, format};
use crate::daemon::service::{
    FeedTick, PageOptions, RunEnd, RunOptions, TickOutcome, run as run_feeds,
};

/// Run feeds: read, anonymise, check and publish on schedule, until stopped
#[derive(clap::Args)]
#[command(after_help = "\
Log lines go to standard error; health and metrics to http.bind of the feed files (default 127.0.0.1:9464). SIGTERM and \
ctrl-C end it within seconds; the next start completes what was interrupted.

A feed that halts says why and what to do. Other feeds and these pages continue, and the feed is retried until it can \
continue. Exit code 0: it was asked to stop. 1 (--once): a release was rejected, or the chain is stopped. 2: an error, or \
with --once or --exit-on-halt a feed has halted.")]
pub struct Args {
    /// The feed files
    #[arg(value_name = "FEED", required = true)]
    feeds: Vec<PathBuf>,
    /// Close one tick of each feed, then exit
    #[arg(long)]
    once: bool,
    /// Accept the clock: one that is ahead of the known time by more than `max_clock_step`, was set
    /// while the feed ran, or is before the newest tick
    #[arg(long)]
    accept_clock: bool,
    /// Serve health and metrics at this address instead of `http.bind` of the feed files
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<SocketAddr>,
    /// Require the token in this file for health and metrics, in addition to those of
    /// `http.tokens`: needed if other machines can reach --bind
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// Do not retry a halted feed: exit with code 2 when no feed is left
    #[arg(long)]
    exit_on_halt: bool,
}

/// The result of `--once`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OnceAnswer {
    /// The ticks, feed by feed.
    pub ticks: Vec<FeedTick>,
}

/// Runs the command.
///
/// # Errors
/// A feed file cannot be read, or a feed has halted and is not tried again.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let (mut feeds, mut errors) = (Vec::new(), Vec::new());
    for file in &args.feeds {
        match FeedConfig::load(file) {
            Ok(feed) => feeds.push(feed),
            Err(error) => errors.push(error),
        }
    }
    if let Some(failure) = Failure::of(errors) {
        return Err(failure);
    }
    different(&feeds)?;
    safely();
    let observer = Arc::new(Observer::to_stderr(format(&feeds)?)?);
    let until = if args.once {
        RunEnd::Once
    } else {
        RunEnd::Asked
    };
    let how = RunOptions {
        until,
        accept_clock: args.accept_clock,
        exit_on_halt: args.exit_on_halt,
    };
    let pages = PageOptions {
        bind: args.bind,
        token: args.token,
    };
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let shutdown = signals().map_err(|error| vec![error])?.1;
        run_feeds(feeds, how, pages, observer, shutdown).await
    });
    // A feed that still works is interrupted: the next start completes its work.
    runtime.shutdown_background();
    let ticks = ended.map_err(|errors| Failure::of(errors).expect("a run that fails says why"))?;
    let bad = ticks
        .iter()
        .any(|tick| matches!(tick.outcome, TickOutcome::Rejected | TickOutcome::Stopped));
    if out.json() {
        out.value(&OnceAnswer { ticks });
    } else {
        ticks.iter().for_each(|tick| out.text(&words(tick)));
    }
    Ok(if bad { Exit::Unsafe } else { Exit::Done })
}

/// Two feeds of the same name could not be told apart in log lines.
fn different(feeds: &[FeedConfig]) -> CommandResult<()> {
    let mut names = BTreeSet::new();
    for feed in feeds {
        if !names.insert(&feed.name) {
            let text = "two feed files of this command have the same name: give each feed its own";
            return Err(Error::new(ErrorCategory::Feed, text)
                .in_file(&feed.file)
                .in_field("feed.name")
                .into());
        }
    }
    Ok(())
}

fn words(tick: &FeedTick) -> String {
    let FeedTick {
        feed,
        rows,
        added,
        new,
        waiting,
        pending,
        ..
    } = tick;
    let release = tick.release.unwrap_or_default();
    let what = match tick.outcome {
        TickOutcome::Published => format!("release {release} is published: {rows} rows, {added} of them new"),
        TickOutcome::Approval => format!(
            "release {release} waits for approval: `tidegate show FEED --candidate` shows it, and the command that approves it"
        ),
        TickOutcome::Waiting => "nothing is published: no class is large enough yet".to_owned(),
        TickOutcome::Held => "nothing is published: too few rows for a release".to_owned(),
        TickOutcome::Skipped => {
            format!("this tick makes no release: {new} new rows wait for a later tick (min_records, publish_every)")
        }
        TickOutcome::Idle if tick.files > 0 => {
            "no new person has come: all rows of new files are duplicates or set aside (`tidegate quarantine FEED`)"
                .to_owned()
        }
        TickOutcome::Idle => "nothing has come".to_owned(),
        TickOutcome::Rejected => "the release is rejected".to_owned(),
        TickOutcome::Stopped => "the chain has stopped: start a new one with `tidegate new-chain`".to_owned(),
        TickOutcome::Postponed => {
            "no tick closes: the newest one lies in the future, or the clock was set while the feed ran. Correct the clock; if \
             it is right, run once with --accept-clock"
                .to_owned()
        }
    };
    let mut text = format!("{feed}: {what}\n  {waiting} wait, {pending} pending\n");
    if tick.files > 1 {
        let _ = writeln!(
            text,
            "  all {} files were one tick; `tidegate preview` counts one tick per file, and with --one-tick it does the same",
            tick.files
        );
    }
    if !tick.without_detail.is_empty() {
        let names: Vec<String> = tick
            .without_detail
            .iter()
            .map(|name| format!("`{}`", printable(name)))
            .collect();
        let _ = writeln!(
            text,
            "  without any detail: {}; `tidegate preview --feed FEED --in SAMPLE` shows which settings would give more",
            names.join(", ")
        );
    }
    for reason in &tick.reasons {
        text.push_str(&format!(
            "  {}: {}: {}\n",
            reason.check, reason.place, reason.text
        ));
    }
    for advice in advice(&tick.reasons) {
        let _ = writeln!(text, "  what to do: {advice}");
    }
    text
}
