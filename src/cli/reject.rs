//! `tidegate reject` (CONTRACTS 3): a person rejects the release that is held. No command overrides
//! the gate.

use super::decision::DecisionAnswer;
use super::{CommandResult, Exit, Out};

/// Reject the release that waits for approval
#[derive(clap::Args)]
#[command(after_help = "\
The gate has already approved the release: `tidegate show FEED --candidate` shows it, with its digest for --seen. The \
log keeps who asked, when and why. Where the feed file named approvers (schedule.approvers) when the release was made, one of them has to sign; one \
rejection is enough.

Exit code 0: done. 1: refused, because the release has changed or no longer waits. 2: an error, or no release waits.")]
pub struct Args {
    #[command(flatten)]
    decision: DecisionAnswer,
}

/// Runs the command.
///
/// # Errors
/// No release waits, or the feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    args.decision.run(false, out)
}
