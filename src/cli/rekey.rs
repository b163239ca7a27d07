//! `tidegate rekey` (CONTRACTS 3): replaces the operator's key. Keys are read from files, never
//! from the command line, which others may see.

use std::path::PathBuf;

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::folder::read_key;
use crate::daemon::service::rekey;

/// Replace the operator's key
#[derive(clap::Args)]
#[command(after_help = "\
Stop the daemon first. The feed file or --key names the current key. The command draws new keys for the log, requests and source \
files, encrypts every object in the private root anew and records this in the log; the old key then opens nothing there, \
and a person who has it can neither write an entry nor make a request. Only the key that hashes people stays, for the life of \
the feed. Afterwards name the new key in store.key, and start the daemon.

If it is interrupted, one of the two keys still opens the private root, and the error for the other one says which; run the \
same command again to finish. Copies from before need the old key, and open with it: destroy them after a theft.

Exit code 0: done. 1: it is the same key. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// The current key, instead of the one that the feed file names: a credential of systemd exists
    /// only while its unit runs
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The new key, 64 hexadecimal digits in a file
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// A key cannot be read, another process is running, or the private root cannot be used.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let to = read_key(&args.to)?;
    let from = args.key.as_deref().map(read_key).transpose()?;
    args.ask
        .about(&|feed, by| rekey(feed, from.as_ref(), &to, by), out)
}
