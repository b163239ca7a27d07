//! `tidegate approve` (CONTRACTS 3): a person says that the release that is held may leave. Nobody overrides the gate.

use super::ask::{self, about, held};
use super::{Exit, Out, Result};

/// Let the release leave that waits for approval
#[derive(clap::Args)]
#[command(after_help = "\
The gate has passed the release already; see `tidegate show` and the report. Who asked, when and why is kept in the log.

Exit code 0: done. 1: it could not be done any more. 2: an error, or no release waits.")]
pub struct Args {
    #[command(flatten)]
    ask: ask::About,
    /// The release that is meant; the one that waits when left out
    #[arg(value_name = "RELEASE")]
    release: Option<u32>,
}

/// Runs the command.
///
/// # Errors
/// No release waits, or the feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> Result<Exit> {
    let (file, release) = (args.ask.feed.clone(), args.release);
    args.ask.ask(&|known| Ok(about(held(known, release, &file)?, true)), false, out)
}
