//! `tidegate quarantine` (CONTRACTS 3): what was set aside, by file or partition and kind, and offering it again. What a message says is
//! never shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CommandResult, Exit, Out, ask};
use crate::daemon::config::FeedConfig;
use crate::daemon::feed_writer::Ask;
use crate::daemon::ingest::Offer;
use crate::daemon::service::seen;
use crate::engine::histogram::MisfitKind;

/// Show what was set aside, or offer it again
#[derive(clap::Args)]
#[command(after_help = "\
Messages that cannot be decoded are set aside, encrypted, with their file, place and what is wrong with them. After a value \
was added to a taxonomy they can be offered again: what counts then comes in with the next tick.

Exit code 0: done. 1: it could not be done. 2: an error.")]
pub struct Args {
    #[command(flatten)]
    ask: ask::About,
    /// Offer everything again
    #[arg(long)]
    retry: bool,
}

/// What was set aside.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuarantineAnswer {
    /// Messages.
    pub messages: u64,
    /// What is wrong with them, file by file.
    pub groups: Vec<FaultGroup>,
}

/// Messages of one file or partition with the same fault.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultGroup {
    /// The file; null for messages of a topic.
    pub file: Option<String>,
    /// The topic; null for messages of a file.
    pub topic: Option<String>,
    /// Its partition.
    pub partition: Option<i32>,
    /// The column; null: the message as such.
    pub column: Option<String>,
    /// What is wrong.
    pub text: String,
    /// How many.
    pub messages: u64,
    /// The line of the first in a text, its offset in a partition, else its row.
    pub first: u64,
}

/// Runs the command.
///
/// # Errors
/// The feed cannot be reached.
pub fn run(args: Args, out: &mut Out) -> CommandResult<Exit> {
    if args.retry {
        return args.ask.ask(&|_| Ok(Ask::Retry), false, out);
    }
    let feed = FeedConfig::load(&args.ask.feed)?;
    let seen = seen(&feed)?;
    let mut groups: BTreeMap<_, FaultGroup> = BTreeMap::new();
    let mut messages = 0;
    for aside in &seen.state.quarantine {
        let offer = Offer::parse(&seen.need(&aside.object)?)?;
        for message in offer.messages() {
            messages += 1;
            let place = &message.place;
            let (name, partition, text) = (offer.name().to_owned(), offer.partition(), advice(place.kind));
            let column = place.column.as_deref().map(str::to_owned);
            let first = place.line.unwrap_or(place.row);
            let group = groups.entry((name.clone(), partition, column.clone(), text.clone()));
            let (file, topic) = if partition.is_some() { (None, Some(name)) } else { (Some(name), None) };
            group.or_insert(FaultGroup { file, topic, partition, column, text, messages: 0, first }).messages += 1;
        }
    }
    let answer = QuarantineAnswer { messages, groups: groups.into_values().collect() };
    if out.json() {
        out.value(&answer);
    } else {
        out.text(&words(&answer));
    }
    Ok(Exit::Done)
}

/// What is wrong, and what can be done about it in a chain that runs.
fn advice(kind: MisfitKind) -> String {
    match kind {
        MisfitKind::Outside => "the value is outside the taxonomy: add it there as a new leaf under an inner node, or have the \
                                source correct it. `unknown = \"other\"` does not help now: all else of a column is frozen \
                                while the chain runs, and begins with `tidegate new-chain`"
            .to_owned(),
        MisfitKind::NumberForText => "a number where the declared type is string: have the source write it in quotes. The type \
                                      is frozen while the chain runs"
            .to_owned(),
        other => other.to_string(),
    }
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
    text.push_str("Add what a taxonomy lacks and give --retry, or have the source send the rows again, corrected (a folder: in a file of a new \
         name). \
         What is not offered again goes after quarantine_days.\n");
    text
}
