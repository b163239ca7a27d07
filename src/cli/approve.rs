//! `tidegate approve` (CONTRACTS 3): an approver allows the release that is held to be published.
//! No command overrides the gate.

use super::decision::DecisionAnswer;
use super::{CommandResult, Exit, Out};

/// Publish the release that waits for approval
#[derive(clap::Args)]
#[command(after_help = "\
The gate has already approved the release: `tidegate show FEED --candidate` shows it, with its digest for --seen. The \
log keeps who asked, when and why. Where the feed file named approvers (schedule.approvers) when the release was made, each \
of them signs their decision, and as many must approve as schedule.approvals said.

Exit code 0: done. 1: refused, because the release has changed or no longer waits. 2: an error, or no release waits.")]
pub struct Args {
    #[command(flatten)]
    decision: DecisionAnswer,
}

/// Runs the command.
///
/// # Errors
/// No release waits for approval, or the feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    args.decision.run(true, out)
}
