//! `tidegate withdraw` (CONTRACTS 3): a release and all later ones of its chain are withdrawn.

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::feed_writer::RequestKind;

/// Withdraw a release and all later ones of its chain
#[derive(clap::Args)]
#[command(after_help = "\
The manifests of these releases are replaced by signed notices (withdrawn/<release>.json), and the files that no other release \
lists are deleted, at once. The release before them is the newest one again; the Delta table has a new version with its rows, \
and no reader can go back behind it. The people whose rows these releases added are never published again, in this chain or a later one; \
with --republish the next release holds their rows again, with the labels that they had.

Copies that others have made are beyond reach. In a chain that runs and whose table does not grow (any search but \"halves\") \
begin another chain first.

Exit code 0: done. 1: refused. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// The number of the first release that is withdrawn
    #[arg(value_name = "RELEASE")]
    release: u32,
    /// Publish their rows again with the next release
    #[arg(long)]
    republish: bool,
}

/// Runs the command.
///
/// # Errors
/// There is no reason, or the feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if args.ask.reason.is_none() {
        let text = "say why the release is withdrawn: --reason \"…\" is kept in the log, and not published";
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--reason").into());
    }
    let (release, republish) = (args.release, args.republish);
    args.ask.ask(&|_| Ok(RequestKind::Withdraw { release, republish }), false, out)
}
