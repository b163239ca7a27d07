//! `tidegate new-chain` (CONTRACTS 3): a new chain of releases begins, under the feed file as it is
//! now.

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::feed_writer::RequestKind;

/// Begin a new chain of releases, under the present feed file
#[derive(clap::Args)]
#[command(after_help = "\
A change of the policy or of the columns needs a new chain. The new chain starts with the people who wait or are in \
unpublished atoms. Published people stay in the releases of the old chain and are not published again. The \
identifier, quasi and sensitive columns keep their names and types in all chains of a feed, as soon as someone waits or is \
published: before that (all messages were set aside, say) a new chain begins under any columns. `tidegate quarantine FEED \
--retry` then offers the messages again.

Exit code 0: done. 1: refused, with the reason. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
}

/// Runs the command.
///
/// # Errors
/// The feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    args.ask.ask(&|_| Ok(RequestKind::NewChain), true, out)
}
