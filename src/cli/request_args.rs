//! What the commands that make a request have in common (CONTRACTS 3: approve, reject, erase,
//! new-chain, quarantine): a feed, a reason, and an answer in words or as JSON. Must never see a
//! record.

use std::path::PathBuf;

use super::{CommandResult, Exit, Out};
use crate::daemon::config::{FeedConfig, MOST_NAME};
use crate::daemon::error::{Error, ErrorCategory};
use crate::daemon::feed_writer::RequestOutcome;
use crate::daemon::service::{RequestBuilder, Requester, ask};

/// A feed and a reason.
#[derive(clap::Args)]
pub(crate) struct RequestArgs {
    /// The feed file
    #[arg(value_name = "FEED")]
    pub feed: PathBuf,
    /// The reason, which the log keeps: do not write personal data into it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// The name of the person who asks, which the log keeps with the account
    #[arg(long = "as", value_name = "NAME")]
    pub person: Option<String>,
}

/// The greatest length of a reason.
const MOST_REASON: usize = 1000;

impl RequestArgs {
    /// Makes the request, and prints its answer; the exit code is 1 if it was refused.
    ///
    /// # Errors
    /// The feed cannot be reached.
    pub(crate) fn ask(
        self,
        asking: &RequestBuilder<'_>,
        new_chain: bool,
        out: &mut Out,
    ) -> CommandResult<Exit> {
        self.about(&|feed, by| ask(feed, asking, by, new_chain), out)
    }

    /// Changes a feed for a reason, and prints the answer; the exit code is 1 if it was refused.
    ///
    /// # Errors
    /// The reason is empty, or the change cannot be made.
    pub(crate) fn about(self, doing: &FeedAction<'_>, out: &mut Out) -> CommandResult<Exit> {
        let by = self.person()?;
        let feed = FeedConfig::load(&self.feed)?;
        Ok(answered(&doing(&feed, &by)?, out))
    }

    /// Who asks.
    pub(crate) fn person(&self) -> CommandResult<Requester> {
        let (name, why) = (self.person.as_deref(), self.reason.as_deref());
        let (name, why) = (
            line(name, MOST_NAME, "--as")?,
            line(why, MOST_REASON, "--reason")?,
        );
        Ok(Requester {
            name,
            why,
            key: None,
        })
    }
}

/// Prints the answer; the exit code is 1 if the request was refused.
pub(crate) fn answered(answer: &RequestOutcome, out: &mut Out) -> Exit {
    print(answer, out);
    if answer.done {
        Exit::Done
    } else {
        Exit::Unsafe
    }
}

/// One line of text; none if it is empty.
fn line(
    text: Option<&str>,
    most: usize,
    option: &str,
) -> crate::daemon::error::Result<Option<String>> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    if text.is_some_and(|text| text.chars().count() > most || text.chars().any(char::is_control)) {
        let said = format!("write one line of at most {most} characters");
        return Err(Error::new(ErrorCategory::Usage, said).in_field(option));
    }
    Ok(text.map(str::to_owned))
}

/// A change of a feed for a person.
pub(crate) type FeedAction<'a> =
    dyn Fn(&FeedConfig, &Requester) -> crate::daemon::error::Result<RequestOutcome> + 'a;

fn print(answer: &RequestOutcome, out: &mut Out) {
    if out.json() {
        out.value(answer);
    } else if answer.done {
        out.text(&format!("{}\n", answer.text));
    } else {
        out.text(&format!("not done: {}\n", answer.text));
    }
}
