//! `tidegate check FEED…` (CONTRACTS 3): what a feed file means, in words, and what can go wrong. Reads feed files and
//! the taxonomies they name; must never read a record, a key or a secret, and never connect to anything.

mod doubts;
mod report;
mod text;
mod words;

pub use report::Report;

use std::path::PathBuf;

use self::report::FeedReport;
use super::{Exit, Failure, Out, Result};
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind};

/// Explains feed files in words: columns, taxonomies, policy, and what can go wrong
#[derive(clap::Args)]
pub struct Args {
    /// Feed files
    #[arg(required = true, value_name = "FEED")]
    feeds: Vec<PathBuf>,
    /// Also try to reach the source and the store (not built in this version)
    #[arg(long)]
    connect: bool,
}

/// Explains all of them; fails with the errors of all.
///
/// # Errors
/// A feed file that is wrong, or `--connect`.
pub fn run(args: Args, out: &mut Out) -> Result<Exit> {
    if args.connect {
        let text = "nothing can be connected to in this version: leave --connect out";
        return Err(Error::new(Kind::Usage, text).in_field("--connect").into());
    }
    let (mut feeds, mut errors) = (Vec::new(), Vec::new());
    for file in &args.feeds {
        match Feed::load(file) {
            Ok(feed) => feeds.push(feed),
            Err(error) => errors.push(error),
        }
    }
    if !out.json() {
        for feed in &feeds {
            out.text(&text::feed(&FeedReport::of(feed)));
        }
        let together = doubts::together(&feeds);
        if !together.is_empty() {
            out.text(&text::together(&together));
        }
    }
    if let Some(failure) = Failure::of(errors) {
        return Err(failure);
    }
    if out.json() {
        out.value(&Report { feeds: feeds.iter().map(FeedReport::of).collect(), warnings: doubts::together(&feeds) });
    }
    Ok(Exit::Done)
}
