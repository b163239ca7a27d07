//! What the commands of a person have in common (CONTRACTS 3: approve, reject, erase, new-chain, quarantine): a feed, a
//! reason, and an answer in words or as JSON. Must never see a record.

use std::path::{Path, PathBuf};

use super::{Exit, Out, Result};
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind};
use crate::daemon::live::{Answer, Ask, Line, Pending};
use crate::daemon::run::{Asking, Known, ask};

/// A feed and a reason.
#[derive(clap::Args)]
pub struct About {
    /// The feed file
    #[arg(value_name = "FEED")]
    pub feed: PathBuf,
    /// Why, to be kept in the log: nobody's data belongs here
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// The most letters of a reason.
const MOST_REASON: usize = 1000;

impl About {
    /// Asks it, and prints what came of it: 1 when it was refused.
    ///
    /// # Errors
    /// The feed cannot be reached.
    pub fn ask(self, asking: &Asking<'_>, new_chain: bool, out: &mut Out) -> Result<Exit> {
        self.about(&|feed, reason| ask(feed, asking, reason, new_chain), out)
    }

    /// Does something with a feed for a reason, and prints what came of it: 1 when it was refused.
    ///
    /// # Errors
    /// The reason is none, or it cannot be done.
    pub fn about(self, doing: &Doing<'_>, out: &mut Out) -> Result<Exit> {
        let reason = self.reason.filter(|reason| !reason.trim().is_empty());
        if reason.as_ref().is_some_and(|reason| reason.len() > MOST_REASON || reason.chars().any(char::is_control)) {
            let text = format!("a reason is one line of at most {MOST_REASON} letters");
            return Err(Error::new(Kind::Usage, text).in_field("--reason").into());
        }
        let feed = Feed::load(&self.feed)?;
        let answer = doing(&feed, reason)?;
        print(&answer, out);
        Ok(if answer.done { Exit::Done } else { Exit::Unsafe })
    }
}

/// What is done with a feed for a reason.
pub type Doing<'a> = dyn Fn(&Feed, Option<String>) -> crate::daemon::error::Result<Answer> + 'a;

fn print(answer: &Answer, out: &mut Out) {
    if out.json() {
        out.value(answer);
    } else if answer.done {
        out.text(&format!("{}\n", answer.text));
    } else {
        out.text(&format!("not done: {}\n", answer.text));
    }
}

/// The release that waits for a person, and is the one that they mean.
///
/// # Errors
/// None waits, or another one.
pub fn held<'a>(known: &'a Known<'_>, wanted: Option<u32>, feed: &Path) -> crate::daemon::error::Result<&'a Pending> {
    let refuse = |text: String| Err(Error::new(Kind::Usage, text).in_file(feed));
    match known.held {
        None => refuse(format!("no release waits for approval{}: see `tidegate show`", gone(known.releases, wanted))),
        Some(held) if wanted.is_some_and(|wanted| wanted != held.release) => {
            refuse(format!("release {} waits for approval, and no other: see `tidegate show`", held.release))
        }
        Some(held) => Ok(held),
    }
}

/// What has become of the release that they mean: a command that was killed may have been done.
fn gone(releases: &[Line], wanted: Option<u32>) -> String {
    let line = releases.iter().rev().find(|line| wanted.is_none_or(|wanted| wanted == line.release));
    match line {
        None => String::new(),
        Some(Line { release, manifest: Some(_), .. }) => format!(", and release {release} is published"),
        Some(Line { release, .. }) => format!(", and release {release} may leave and is about to be published"),
    }
}

/// The request that a release that is held may leave, or may not.
pub fn about(held: &Pending, approve: bool) -> Ask {
    let (release, decision) = (held.release, held.decision);
    if approve { Ask::Approve { release, decision } } else { Ask::Reject { release, decision } }
}
