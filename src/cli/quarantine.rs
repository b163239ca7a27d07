//! `tidegate quarantine` (CONTRACTS 3): shows the messages that are set aside, by file or partition and fault, and
//! offers them again. The content of a message is never shown.

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::config::FeedConfig;
use crate::daemon::feed_writer::RequestKind;
use crate::daemon::service::seen;
use crate::daemon::view::quarantine::{FaultGroup, QuarantineAnswer};

/// Show what was set aside, or offer it again
#[derive(clap::Args)]
#[command(after_help = "\
Messages that cannot be decoded are set aside, encrypted, with their file, place and what is wrong with them. After a value \
was added to a taxonomy they can be offered again: what counts then comes in with the next tick.

Exit code 0: done. 1: it could not be done. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// Offer everything again
    #[arg(long)]
    retry: bool,
}

/// Runs the command.
///
/// # Errors
/// The feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if args.retry {
        return args.ask.ask(&|_| Ok(RequestKind::Retry), false, out);
    }
    let feed = FeedConfig::load(&args.ask.feed)?;
    let seen = seen(&feed)?;
    let answer = QuarantineAnswer::of(&seen)?;
    if out.json() {
        out.value(&answer);
    } else {
        out.text(&words(&answer));
    }
    Ok(Exit::Done)
}

fn words(answer: &QuarantineAnswer) -> String {
    if answer.messages == 0 {
        return "nothing is set aside\n".to_owned();
    }
    let mut text = format!("{} messages are set aside\n", answer.messages);
    for FaultGroup { file, topic, partition, column, text: what, messages, first } in &answer.groups {
        let column = column.as_ref().map(|column| format!("`{column}`: ")).unwrap_or_default();
        let place = match (topic, partition) {
            (Some(topic), Some(partition)) => {
                format!("{topic}, partition {partition}, {messages} from offset {first} on")
            }
            _ => format!("{}, {messages} from line {first} on", file.as_deref().unwrap_or_default()),
        };
        text.push_str(&format!("  {place}: {column}{what}\n"));
    }
    text.push_str("What can be decoded by now is accepted with --retry. A source may send the rows again, corrected (a folder: in a file of a new \
         name). What is not offered again goes after quarantine_days.\n");
    text
}
