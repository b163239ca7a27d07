//! What `approve` and `reject` have in common (CONTRACTS 3): the release that a person means,
//! exactly as they saw it, and their signature if approvers have to sign. Must never see a record.

use std::path::{Path, PathBuf};

use super::common_texts::note;
use super::{CommandResult, Exit, Out, request_args};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::feed_writer::{DecidedRelease, OutgoingRelease, RequestKind};
use crate::daemon::journal::{ApprovalRule, Decision::Hold, EntryBody};
use crate::daemon::service::{self, FeedFacts, Requester, seen_with};
use crate::daemon::sign::{PublicKey, Signing};
use crate::daemon::small_file::{self, Readers};

/// A decision about the release that waits.
#[derive(clap::Args)]
pub(crate) struct DecisionAnswer {
    #[command(flatten)]
    ask: request_args::RequestArgs,
    /// The release; by default the one that waits
    #[arg(value_name = "RELEASE")]
    release: Option<u32>,
    /// The digest that `show --candidate` printed: the release must be exactly that one
    #[arg(long, value_name = "DIGEST")]
    seen: Option<String>,
    /// The key of the approver whom --as names; required, with --as, --reason and --seen, if the
    /// feed file named approvers when the release was made
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl DecisionAnswer {
    /// Makes the decision, and prints the answer.
    ///
    /// # Errors
    /// No release waits, or another one; something that an approver must give is missing; or the
    /// feed cannot be reached.
    pub(crate) fn run(self, approves: bool, out: &mut Out) -> CommandResult<Exit> {
        let by = self.ask.person()?;
        let feed = FeedConfig::load(&self.ask.feed)?;
        let key = self.key.as_deref().map(key_in).transpose()?;
        let asking = |known: &FeedFacts<'_>| {
            let held = held(known, &self, &feed)?;
            self.fits(&by, key.as_ref(), &held.rule)
                .map_err(|error| error.in_file(&feed.file))?;
            Ok(about(held, approves))
        };
        let answer = service::ask(
            &feed,
            &asking,
            &Requester {
                key: key.clone(),
                ..by.clone()
            },
            false,
        )?;
        if answer.done && approves && self.seen.is_none() {
            let text = "without --seen this approves the release that waits now, even if it is not the one you looked \
                        at: give the digest that `tidegate show FEED --candidate` shows";
            note(text);
        }
        Ok(request_args::answered(&answer, out))
    }

    /// Checks that the person may decide about a release with this rule, and gives everything that
    /// they must.
    fn fits(
        &self,
        by: &Requester,
        key: Option<&Signing>,
        rule: &ApprovalRule,
    ) -> crate::daemon::error::Result<()> {
        let refuse = |option: &str, text: String| {
            Err(Error::new(ErrorCategory::Usage, text).in_field(option))
        };
        if !rule.signs() {
            let text = "no approvers were named in `schedule.approvers` when this release was made: omit --key";
            return if key.is_some() {
                refuse("--key", text.to_owned())
            } else {
                Ok(())
            };
        }
        let names: Vec<String> = rule
            .approvers
            .iter()
            .map(|who| format!("`{}`", printable(&who.name)))
            .collect();
        let names = names.join(", ");
        let Some(name) = &by.name else {
            return refuse(
                "--as",
                format!("this release needs an approver: give your name with --as ({names})"),
            );
        };
        let Some(person) = rule.named(name) else {
            return refuse(
                "--as",
                format!("this release has no approver of this name; its approvers are {names}"),
            );
        };
        let text = "an approver signs the release that they have seen: give the digest that `show --candidate` shows";
        let Some(_) = self.seen.as_ref() else {
            return refuse("--seen", text.to_owned());
        };
        let Some(_) = by.why.as_ref() else {
            return refuse("--reason", "an approver has to give a reason".to_owned());
        };
        let Some(key) = key else {
            return refuse(
                "--key",
                "an approver has to sign: name the file with your key".to_owned(),
            );
        };
        let own = PublicKey::parse(&person.key);
        if own.as_ref() != Some(&key.public()) {
            let own = own.map_or_else(String::new, |own| own.fingerprint().to_string());
            let text = format!(
                "this is not the key of this approver: this release expects the fingerprint {own}, and this key has {}",
                key.public().fingerprint()
            );
            return refuse("--key", text);
        }
        Ok(())
    }
}

/// The key of an approver, which no one else may read.
fn key_in(file: &Path) -> crate::daemon::error::Result<Signing> {
    let text = small_file::secret(file, "read the key", Readers::Owner)?;
    Signing::parse(&text).ok_or_else(|| {
        let text = "this is not a key of an approver: a key is 64 hexadecimal digits, as `tidegate approver-key` \
            writes them";
        Error::new(ErrorCategory::Usage, text).in_file(file)
    })
}

/// The least number of digits that identify a digest.
const FEWEST: usize = 8;

/// The release that waits for a person, and is the one that they mean.
///
/// # Errors
/// None waits, or another one.
fn held<'a>(
    known: &'a FeedFacts<'_>,
    meant: &DecisionAnswer,
    feed: &FeedConfig,
) -> crate::daemon::error::Result<&'a OutgoingRelease> {
    let (wanted, seen) = (meant.release, meant.seen.as_deref());
    if seen.is_some_and(|seen| {
        seen.len() < FEWEST || !seen.bytes().all(|byte| byte.is_ascii_hexdigit())
    }) {
        let text = format!(
            "this is not the beginning of a digest: give at least {FEWEST} of its digits, as `show --candidate` shows \
             them"
        );
        return Err(Error::new(ErrorCategory::Usage, text).in_field("--seen"));
    }
    let refuse = |text: String| Err(Error::new(ErrorCategory::Usage, text).in_file(&feed.file));
    match known.held {
        None => {
            let gone = gone(known.releases, wanted)
                .or_else(|| void(feed))
                .unwrap_or_default();
            refuse(format!(
                "no release waits for approval{gone}: see `tidegate show`"
            ))
        }
        Some(held) if wanted.is_some_and(|wanted| wanted != held.approved.release()) => {
            refuse(format!(
                "only release {} waits for approval: see `tidegate show`",
                held.approved.release()
            ))
        }
        Some(held)
            if seen.is_some_and(|seen| {
                !held
                    .decision
                    .to_string()
                    .starts_with(&seen.to_ascii_lowercase())
            }) =>
        {
            let text = format!(
                "release {}, which waits, does not have this digest: a tick, an erasure or a change of the feed file \
                 has replaced it since. Look at it again with `tidegate show --candidate`",
                held.approved.release()
            );
            Err(Error::new(ErrorCategory::Usage, text)
                .in_file(&feed.file)
                .in_field("--seen"))
        }
        Some(held) => Ok(held),
    }
}

/// What has happened to the release that they mean: a command that was killed may have taken
/// effect.
fn gone(releases: &[DecidedRelease], wanted: Option<u32>) -> Option<String> {
    let line = releases
        .iter()
        .rev()
        .find(|line| wanted.is_none_or(|wanted| wanted == line.release))?;
    let release = line.release;
    Some(match line.manifest {
        Some(_) => format!(", and release {release} is published"),
        None => format!(", and release {release} is approved and about to be published"),
    })
}

/// Why the release that waited last is void, if that was not a person's decision.
fn void(feed: &FeedConfig) -> Option<String> {
    let (_, entries) = seen_with(feed, None).ok()?;
    let bodies = || entries.iter().map(|entry| &entry.entry.body);
    let held = bodies().rposition(|body| matches!(body, EntryBody::Decision(Hold(_))))?;
    let Some(EntryBody::Decision(Hold(hold))) = bodies().nth(held) else {
        return None;
    };
    let cause = bodies().skip(held + 1).find_map(|body| match body {
        EntryBody::Decision(_) => Some(None),
        EntryBody::Config(_) => Some(Some("the feed file was changed")),
        EntryBody::Closed(_) => Some(Some("another tick came")),
        EntryBody::Erase(_) => Some(Some("people were erased")),
        EntryBody::Withdraw(_) => Some(Some("releases were withdrawn")),
        EntryBody::Retire(_) => Some(Some("old rows were removed from the table")),
        EntryBody::Chain(_) => Some(Some("a new chain has begun")),
        _ => None,
    });
    let cause = cause.flatten()?;
    let release = hold.approved.release();
    Some(format!(
        ". Release {release}, which waited, is void, because {cause}; a later tick makes a new one"
    ))
}

/// The request to approve or reject a held release.
fn about(held: &OutgoingRelease, approve: bool) -> RequestKind {
    let (release, decision) = (held.approved.release(), held.decision);
    if approve {
        RequestKind::Approve { release, decision }
    } else {
        RequestKind::Reject { release, decision }
    }
}
