//! `tidegate quarantine` (CONTRACTS 3): shows the messages that are set aside, by file or partition
//! and fault, and offers them again. The content of a message is never shown.

use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::config::FeedConfig;
use crate::daemon::feed_writer::RequestKind;
use crate::daemon::service::seen;
use crate::daemon::view::quarantine::{FaultGroup, QuarantineAnswer};

/// List messages that were set aside, or offer them again
#[derive(clap::Args)]
#[command(after_help = "\
A message that cannot be decoded is set aside, encrypted, with its file, its position and the reason. After you have added \
a missing value to a taxonomy, --retry offers these messages again; those that can be decoded count from the next tick on.

Exit code 0: done. 1: refused. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// Offer all of them again
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
    for FaultGroup {
        file,
        topic,
        partition,
        column,
        text: what,
        messages,
        first,
        element,
    } in &answer.groups
    {
        let column = column
            .as_ref()
            .map(|column| format!("`{column}`: "))
            .unwrap_or_default();
        let record = element
            .map(|element| format!(", record {element} of the message"))
            .unwrap_or_default();
        let place = match (topic, partition) {
            (Some(topic), Some(partition)) => {
                format!("{topic}, partition {partition}, {messages} from offset {first}{record} on")
            }
            _ => format!(
                "{}, {messages} from line {first}{record} on",
                file.as_deref().unwrap_or_default()
            ),
        };
        text.push_str(&format!("  {place}: {column}{what}\n"));
    }
    text.push_str(
        "--retry accepts the messages that can be decoded now. The source can also send corrected rows again \
         (in a folder: in a file with a new name). The rest is deleted after quarantine_days.\n",
    );
    text
}
