//! `tidegate preview` (CONTRACTS 3, preview): what a feed file would publish of a sample, and which
//! settings give more detail. Reads and prints.

mod follow;
mod words;

use std::path::PathBuf;

use super::{CommandResult, Exit, Out};
use crate::daemon::clock;
use crate::daemon::config::Setting;
use crate::daemon::error;
use crate::daemon::folder::InputOutcome;
use crate::daemon::preview::{PreviewRequest, preview};
use follow::PreviewLine;

/// Show what a feed file would publish from a sample, and which settings give more detail; writes
/// nothing
#[derive(clap::Args)]
#[command(after_help = "\
The command runs the sample through the search and the gate of `anonymize`, in memory. Each file is one tick, as for \
`anonymize` and a feed with `per_file = true`; with --one-tick all files are one tick, as for `run` with a schedule, which takes \
all files that have come since the last tick. It also tries \
the rows as ten ticks, and under each of a few other settings, and lists what these give; each can be given here as an \
option or written into the feed file.

With `search = \"halves\"` coins decide where classes are divided, so figures differ a little from run to run.

Exit code 0: a release would be published. 1: none would. 2: an error.")]
pub struct Args {
    /// The feed file with the policy, the columns and their taxonomies
    #[arg(long, value_name = "FILE")]
    feed: PathBuf,
    /// Files of raw rows, one per tick, oldest first
    #[arg(long = "in", value_name = "SAMPLE", required = true, num_args = 1..)]
    inputs: Vec<PathBuf>,
    /// Change the value of a key of the feed file: policy.k=10, column.zip.weight=2;
    /// column.zip=none removes the column
    #[arg(long = "set", value_name = "KEY=VALUE", num_args = 1..)]
    settings: Vec<String>,
    /// Count all files as one tick, as `run --once` does
    #[arg(long)]
    one_tick: bool,
    /// Do not try other settings
    #[arg(long)]
    no_alternatives: bool,
}

/// Runs the command.
///
/// # Errors
/// The feed file or a sample cannot be read, or no chain can begin under the feed file.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    let settings = args
        .settings
        .iter()
        .map(|text| Setting::parse_all(text))
        .collect::<error::Result<Vec<_>>>()?
        .concat();
    let time = clock::now();
    let request = PreviewRequest {
        file: &args.feed,
        settings: &settings,
        inputs: &args.inputs,
        one_tick: args.one_tick,
        time: &time,
        alternatives: !args.no_alternatives,
    };
    let found = {
        let mut shown = PreviewLine::new(&args.inputs);
        preview(&request, &mut shown)?
    };
    if out.json() {
        out.value(&found);
    } else {
        out.text(&words::report(
            &found,
            &args.feed,
            if args.one_tick { 1 } else { args.inputs.len() },
        ));
    }
    Ok(if found.outcome == InputOutcome::Published {
        Exit::Done
    } else {
        Exit::Unsafe
    })
}
