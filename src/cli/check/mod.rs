//! `tidegate check FEED…` (CONTRACTS 3): what a feed file means, in words, and what can go wrong.
//! Reads feed files and the taxonomies they name. Without `--connect` it must never read a key or a
//! secret, and never connect to anything; with it, too, it must never read a record or write
//! anything. With `--in` it runs a sample in memory, and shows no value of it.

mod connect;
mod doubts;
mod local_recoding;
mod one_recoding;
mod report;
mod sample;
mod text;
mod words;

pub use report::CheckReport;

use std::path::PathBuf;

use self::report::FeedReport;
use super::{CommandResult, Exit, Failure, Out};
use crate::daemon::config::FeedConfig;

/// Explain feed files in words: columns, taxonomies, policy, and what can go wrong
#[derive(clap::Args)]
pub struct Args {
    /// Feed files
    #[arg(required = true, value_name = "FEED")]
    feeds: Vec<PathBuf>,
    /// Also check that the source, its registry and the roots can be used: no record is read and
    /// nothing is written
    #[arg(long)]
    connect: bool,
    /// A sample of raw rows, one file per tick: warn of columns that would be published without any
    /// detail
    #[arg(long = "in", value_name = "FILE", num_args = 1..)]
    inputs: Vec<PathBuf>,
}

/// Explains all of them; fails with the errors of all.
///
/// # Errors
/// A feed file is invalid. An unreachable source or root is not an error of the command: it is
/// reported, and the exit code says so.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let (mut feeds, mut errors) = (Vec::new(), Vec::new());
    for file in &args.feeds {
        match FeedConfig::load(file) {
            Ok(feed) => feeds.push(feed),
            Err(error) => errors.push(error),
        }
    }
    // The results of local checks are shown before connections are waited for.
    let mut reports: Vec<FeedReport> = feeds.iter().map(FeedReport::of).collect();
    let mut reached = true;
    if !args.inputs.is_empty() {
        let [feed] = &args.feeds[..] else {
            return Err(sample::of_one_feed().into());
        };
        for report in &mut reports {
            let found = sample::warnings(feed, &args.inputs)?;
            report.warnings.splice(0..0, found);
        }
    }
    for (feed, report) in feeds.iter().zip(&mut reports) {
        if !out.json() {
            out.text(&text::feed(report));
        }
        if args.connect {
            let found = connect::reports(feed);
            reached &= found.iter().all(|one| one.ok);
            if !out.json() {
                out.text(&connect::words(&found));
            }
            report.connect = Some(found);
        }
    }
    if !out.json() {
        let together = doubts::together(&feeds);
        if !together.is_empty() {
            out.text(&text::together(&together));
        }
    }
    if let Some(failure) = Failure::of(errors) {
        return Err(failure);
    }
    if out.json() {
        out.value(&CheckReport {
            feeds: reports,
            warnings: doubts::together(&feeds),
        });
    }
    Ok(if reached { Exit::Done } else { Exit::Failed })
}
