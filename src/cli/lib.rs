//! The command line (CONTRACTS 3): one file per command, each with its `Args` and `run`. Results go
//! to standard output, everything else to standard error; 0 = done or safe, 1 = unsafe or rejected,
//! 2 = error.
//!
//! A new command is a file, a line in `Command` and a line in `dispatch`. Nothing here computes.

#![warn(unreachable_pub)]
/// What this room knows of the engine.
mod engine {
    pub(crate) use tidegate_feed::safeguards;
    pub(crate) use tidegate_gate as gate;
    pub(crate) use tidegate_model::{self as model, arithmetic, histogram};
    pub(crate) use tidegate_policy::{self as policy, dominance};
    pub(crate) use tidegate_release::{self as release, risk};
    pub(crate) use tidegate_workbench::{audit, counting, sums};
}

/// What the commands know of the daemon.
mod daemon {
    pub(crate) use tidegate_ingest::{self as ingest, guess};
    pub(crate) use tidegate_log::{formats, journal};
    pub(crate) use tidegate_run::{
        feed_writer, folder, observe, opened_release, preview, service, verify, view,
    };
    pub(crate) use tidegate_settings::{
        chance, clock, config, error, seal, sign, small_file, whole_file,
    };
}

pub mod anonymize;
mod answer;
pub mod approve;
pub mod approver_key;
pub mod attack;
pub mod audit;
pub mod check;
mod common_texts;
pub mod completions;
mod decision;
pub mod demo;
mod detail_table;
pub mod erase;
mod fault;
pub mod health;
pub mod init;
mod input_watch;
pub mod new_chain;
mod new_files;
mod newest;
mod out;
mod paragraph;
pub mod path;
mod place;
pub mod preview;
mod process;
mod progress;
pub mod quarantine;
pub mod query;
pub mod reject;
pub mod rekey;
mod release_tables;
pub mod render;
mod request_args;
pub mod run;
pub mod show;
mod table;
pub mod verify;
pub mod withdraw;

pub use answer::{CommandResult, ErrorReport, Exit, Failure};
pub use out::Out;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::daemon::error::{Error, ErrorCategory, printable_but};

/// Publishes anonymised releases of data that never stops arriving, and attacks each one before it
/// leaves.
#[derive(Parser)]
#[command(name = "tidegate", version, max_term_width = 100)]
struct Cli {
    /// Print the result, or the error, as JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Args),
    Anonymize(anonymize::Args),
    Audit(audit::Args),
    Attack(attack::Args),
    Check(check::Args),
    Preview(preview::Args),
    Init(init::Args),
    Run(run::Args),
    Health(health::Args),
    Approve(approve::Args),
    Reject(reject::Args),
    ApproverKey(approver_key::Args),
    Erase(erase::Args),
    Withdraw(withdraw::Args),
    Rekey(rekey::Args),
    NewChain(new_chain::Args),
    Quarantine(quarantine::Args),
    Verify(verify::Args),
    Query(query::Args),
    Path(path::Args),
    Show(show::Args),
    Completions(completions::Args),
    Man(completions::ManArgs),
}

fn dispatch(command: Command, out: &mut Out) -> CommandResult<Exit> {
    match command {
        Command::Demo(args) => demo::run(args, out),
        Command::Anonymize(args) => anonymize::run(args, out),
        Command::Audit(args) => audit::run(args, out),
        Command::Attack(args) => attack::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Preview(args) => preview::run(args, out),
        Command::Init(args) => init::run(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Health(args) => health::run(args, out),
        Command::Approve(args) => approve::run(args, out),
        Command::Reject(args) => reject::run(args, out),
        Command::ApproverKey(args) => approver_key::run(args, out),
        Command::Erase(args) => erase::run(args, out),
        Command::Withdraw(args) => withdraw::run(args, out),
        Command::Rekey(args) => rekey::run(args, out),
        Command::NewChain(args) => new_chain::run(args, out),
        Command::Quarantine(args) => quarantine::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Path(args) => path::run(args, out),
        Command::Query(args) => query::run(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Completions(args) => completions::run(args, Cli::command(), out),
        Command::Man(args) => completions::man(&args, Cli::command(), out),
    }
}

/// Runs the program.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    fault::show_places_only();
    let args: Vec<OsString> = args.collect();
    let json = args
        .iter()
        .skip(1)
        .take_while(|arg| *arg != "--")
        .any(|arg| arg == "--json");
    let mut out = Out::new(json);
    let answer = match Cli::try_parse_from(args) {
        Ok(cli) => fault::caught(|| {
            process::seed_hashes()?;
            dispatch(cli.command, &mut out)
        }),
        Err(said) if !said.use_stderr() => {
            out.help(&said.render().ansi().to_string());
            Ok(Exit::Done)
        }
        Err(said) if json => Err(usage(&said).into()),
        Err(said) => {
            // Standard error may be closed or full; the exit code then says it.
            // It may repeat an argument.
            let shown = printable_but(&said.render().ansi().to_string(), |c| {
                matches!(c, '\n' | '\t' | '\u{1b}')
            });
            let _ = write!(anstream::stderr(), "{shown}");
            return ExitCode::from(2);
        }
    };
    let failure = match answer {
        Ok(exit) => match out.finish() {
            Ok(()) => return ExitCode::from(exit as u8),
            Err(error) => error.into(),
        },
        Err(failure) => failure,
    };
    show(&failure, &mut out);
    ExitCode::from(2)
}

/// What is wrong with the command line, in one line.
fn usage(said: &clap::Error) -> Error {
    let text = said.render().to_string();
    let first = text
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ");
    Error::new(
        ErrorCategory::Usage,
        first.split_whitespace().collect::<Vec<_>>().join(" "),
    )
}

fn show(failure: &Failure, out: &mut Out) {
    if out.json() {
        let mut errors = failure.errors().iter().map(Error::describe);
        let error = errors.next().expect("a failure holds an error");
        out.value(&ErrorReport {
            error,
            more: errors.collect(),
        });
    } else {
        for error in failure.errors() {
            let _ = writeln!(anstream::stderr(), "{}", render::error(error));
        }
    }
    // If this fails too there is no way left to report it.
    let _ = out.finish();
}
