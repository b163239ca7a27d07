//! `tidegate attack` (CONTRACTS 3): attacks on one release by a reader who knows the algorithm that
//! made it, one file or folder for each attack. Nothing here computes.

pub mod refinement;

use clap::Subcommand;

use super::{CommandResult, Exit, Out};

/// Attack one release as a reader who knows the algorithm
#[derive(clap::Args)]
pub struct Args {
    /// The attack to run
    #[command(subcommand)]
    pub attack: AttackCommand,
}

/// The attacks.
#[derive(Subcommand)]
pub enum AttackCommand {
    /// Compute what classes reveal to an attacker who knows ARX-LR or, if the feed uses it, halving
    Refinement(refinement::Args),
}

/// Runs the command.
///
/// # Errors
/// The attack could not be run; its own module lists the reasons.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    match args.attack {
        AttackCommand::Refinement(args) => refinement::run(args, out),
    }
}
