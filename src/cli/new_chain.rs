//! `tidegate new-chain` (CONTRACTS 3): a new chain of releases begins, under the feed file as it is now.

use super::{CommandResult, Exit, Out, ask};
use crate::daemon::live::Ask;

/// Begin a new chain of releases, under the feed file as it is now
#[derive(clap::Args)]
#[command(after_help = "\
A change of the policy or of the columns begins with a new chain. Everybody who waits, is withheld or is in atoms that were \
not published comes into it; whoever is published stays in the releases of the old chain and never comes again. The \
identifier, quasi and sensitive columns keep their names and types through all chains of a feed.

Exit code 0: done. 1: it cannot be done, and why. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: ask::About,
}

/// Runs the command.
///
/// # Errors
/// The feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    args.ask.ask(&|_| Ok(Ask::NewChain), true, out)
}
