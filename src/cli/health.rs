//! `tidegate health` (CONTRACTS 3): whether the feeds of a daemon are ready, for probes and
//! scripts. Asks the daemon's own page and prints.

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::{CommandResult, Exit, Out};
use crate::daemon::config::FeedConfig;
use crate::daemon::observe::{FeedPhase, Health};
use crate::daemon::service::ask_health;

/// Ask a daemon whether its feeds are ready, for probes and scripts
#[derive(clap::Args)]
#[command(after_help = "\
Asks /health/ready of the daemon that runs this feed, on the same machine or in the same container, at http.bind of the \
feed file. It sends the first of http.tokens to the program that listens there, so run it only where no other account can \
take that port.

Exit code 0: all feeds of the daemon run. 1: one is starting, behind, halted, or waits for its clock. 2: an error, or no daemon answers.")]
pub struct Args {
    /// The feed file, or one of those that the daemon runs
    #[arg(value_name = "FEED")]
    feed: PathBuf,
    /// The address of the daemon, if it was started with --bind
    #[arg(long, value_name = "ADDRESS:PORT")]
    bind: Option<SocketAddr>,
    /// The file of the token to send, instead of the first of `http.tokens`
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// The feed file cannot be read, no daemon answers, or it requires another token.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let feed = FeedConfig::load(&args.feed)?;
    let health = ask_health(
        &feed
            .services
            .http
            .changed_by(args.bind, args.token.as_deref()),
    )?;
    if out.json() {
        out.value(&health);
    } else {
        out.text(&words(&health));
    }
    Ok(if health.ready {
        Exit::Done
    } else {
        Exit::Unsafe
    })
}

fn words(health: &Health) -> String {
    let mut text = String::from(if health.ready {
        "ready\n"
    } else {
        "not ready\n"
    });
    for (feed, state) in &health.feeds {
        let state = match state {
            FeedPhase::Starting => "starting",
            FeedPhase::Running => "running",
            FeedPhase::Behind => {
                "behind: messages of its topic have waited longer than source.max_lag"
            }
            FeedPhase::Clock => "waits for its clock: no tick closes",
            FeedPhase::Halted => "halted",
        };
        let _ = writeln!(text, "  {feed}: {state}");
        if let Some(halt) = health.halted.get(feed) {
            let _ = writeln!(
                text,
                "    since {}: {}\n    {}",
                halt.since, halt.reason, halt.what_to_do
            );
        }
        if let Some(why) = health.clock.get(feed) {
            let _ = writeln!(text, "    {why}");
        }
        for damaged in health.damaged.get(feed).into_iter().flatten() {
            let _ = writeln!(text, "    damaged: {damaged}");
        }
    }
    text
}
