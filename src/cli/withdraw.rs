//! `tidegate withdraw` (CONTRACTS 3): a release and all later ones of its chain are withdrawn.

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::feed_writer::RequestKind;

/// Withdraw a release and all later ones of its chain
#[derive(clap::Args)]
#[command(after_help = "\
The feed replaces the manifests of these releases by signed notices (withdrawn/<release>.json), and deletes the files that \
no other release lists, at once. The release before them becomes the newest again; the Delta table gets a new version with \
its rows, and readers cannot open the versions before it. The people whose rows these releases added are never published \
again, in this chain or a later one; with --republish the next release contains their rows again, with the same labels.

Copies that readers have made cannot be recalled. In a running chain whose table does not grow (under bcf, and disjoint \
chains of any search but \"halves\"), begin a new chain first.

Exit code 0: done. 1: refused. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// The number of the first release to withdraw
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
        let text = "give a reason: --reason \"…\" is kept in the log and not published";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_field("--reason")
            .into());
    }
    let (release, republish) = (args.release, args.republish);
    args.ask.ask(
        &|_| Ok(RequestKind::Withdraw { release, republish }),
        false,
        out,
    )
}
