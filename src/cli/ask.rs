//! What the commands of a person have in common (CONTRACTS 3: approve, reject, erase, new-chain, quarantine): a feed, a
//! reason, and an answer in words or as JSON. Must never see a record.

use std::path::{Path, PathBuf};

use super::{Exit, Out, Result};
use crate::daemon::config::Feed;
use crate::daemon::error::{Error, Kind};
use crate::daemon::live::{Answer, Ask, Line, Pending};
use crate::daemon::run::{Asking, Known, Person, ask};

/// A feed and a reason.
#[derive(clap::Args)]
pub struct About {
    /// The feed file
    #[arg(value_name = "FEED")]
    pub feed: PathBuf,
    /// Why, to be kept in the log: nobody's data belongs here
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// The person who asks, to be kept in the log beside the account; the account alone when left out
    #[arg(long = "as", value_name = "NAME")]
    pub person: Option<String>,
}

/// The most letters of a reason.
const MOST_REASON: usize = 1000;
/// The most letters of a name.
const MOST_NAME: usize = 200;

impl About {
    /// Asks it, and prints what came of it: 1 when it was refused.
    ///
    /// # Errors
    /// The feed cannot be reached.
    pub fn ask(self, asking: &Asking<'_>, new_chain: bool, out: &mut Out) -> Result<Exit> {
        self.about(&|feed, by| ask(feed, asking, by, new_chain), out)
    }

    /// Does something with a feed for a reason, and prints what came of it: 1 when it was refused.
    ///
    /// # Errors
    /// The reason is none, or it cannot be done.
    pub fn about(self, doing: &Doing<'_>, out: &mut Out) -> Result<Exit> {
        let by =
            Person { name: line(self.person, MOST_NAME, "--as")?, why: line(self.reason, MOST_REASON, "--reason")? };
        let feed = Feed::load(&self.feed)?;
        let answer = doing(&feed, &by)?;
        print(&answer, out);
        Ok(if answer.done { Exit::Done } else { Exit::Unsafe })
    }
}

/// One line of text; none where it is empty.
fn line(text: Option<String>, most: usize, option: &str) -> crate::daemon::error::Result<Option<String>> {
    let text = text.filter(|text| !text.trim().is_empty());
    if text.as_ref().is_some_and(|text| text.len() > most || text.chars().any(char::is_control)) {
        let said = format!("this is one line of at most {most} letters");
        return Err(Error::new(Kind::Usage, said).in_field(option));
    }
    Ok(text)
}

/// What is done with a feed for a person.
pub type Doing<'a> = dyn Fn(&Feed, &Person) -> crate::daemon::error::Result<Answer> + 'a;

fn print(answer: &Answer, out: &mut Out) {
    if out.json() {
        out.value(answer);
    } else if answer.done {
        out.text(&format!("{}\n", answer.text));
    } else {
        out.text(&format!("not done: {}\n", answer.text));
    }
}

/// The release that a person means.
#[derive(clap::Args)]
pub struct Meant {
    /// The release that is meant; the one that waits when left out
    #[arg(value_name = "RELEASE")]
    release: Option<u32>,
    /// The digest that `show --candidate` gave: what waits has to be exactly what was seen
    #[arg(long, value_name = "DIGEST")]
    seen: Option<String>,
}

/// The fewest digits of a digest that tell it from others.
const FEWEST: usize = 8;

/// The release that waits for a person, and is the one that they mean.
///
/// # Errors
/// None waits, or another one.
pub fn held<'a>(known: &'a Known<'_>, meant: &Meant, feed: &Path) -> crate::daemon::error::Result<&'a Pending> {
    let (wanted, seen) = (meant.release, meant.seen.as_deref());
    if seen.is_some_and(|seen| seen.len() < FEWEST || !seen.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        let text = format!(
            "this is the beginning of no digest: give at least {FEWEST} of its digits, as `show --candidate` shows it"
        );
        return Err(Error::new(Kind::Usage, text).in_field("--seen"));
    }
    let refuse = |text: String| Err(Error::new(Kind::Usage, text).in_file(feed));
    match known.held {
        None => refuse(format!("no release waits for approval{}: see `tidegate show`", gone(known.releases, wanted))),
        Some(held) if wanted.is_some_and(|wanted| wanted != held.release) => {
            refuse(format!("release {} waits for approval, and no other: see `tidegate show`", held.release))
        }
        Some(held) if seen.is_some_and(|seen| !held.decision.to_string().starts_with(&seen.to_ascii_lowercase())) => {
            let text = format!(
                "release {} that waits is not the one with this digest: a tick, an erasure or a change of the feed file has made another \
                 one of it since. Look at it with `tidegate show --candidate`",
                held.release
            );
            Err(Error::new(Kind::Usage, text).in_file(feed).in_field("--seen"))
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
