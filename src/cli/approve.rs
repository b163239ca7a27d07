//! `tidegate approve` (CONTRACTS 3): a person says that the release that is held may leave. Nobody overrides the gate.

use super::ask::{self, about, held};
use super::{Exit, Out, Result};

/// Let the release leave that waits for approval
#[derive(clap::Args)]
#[command(after_help = "\
The gate has passed the release already: `tidegate show FEED --candidate` shows it, with its digest for --seen. Who asked, when and why
is kept in the log.

Exit code 0: done. 1: it could not be done any more. 2: an error, or no release waits.")]
pub struct Args {
    #[command(flatten)]
    ask: ask::About,
    #[command(flatten)]
    meant: ask::Meant,
}

/// Runs the command.
///
/// # Errors
/// No release waits, or the feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> Result<Exit> {
    let (file, meant) = (args.ask.feed.clone(), args.meant);
    args.ask.ask(&|known| Ok(about(held(known, &meant, &file)?, true)), false, out)
}
