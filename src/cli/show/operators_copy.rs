//! The operator's copy of a report (`show --report FILE`): the public page with approvals, private
//! figures and lines for signatures. It names people, so only the owner can read the file.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::feed_writer::FeedSnapshot;
use crate::daemon::formats::RecordedTick;
use crate::daemon::journal::{CheckedEntry, EntryBody, Ref, RequestOrigin};
use crate::daemon::seal::OperatorKey;
use crate::daemon::service::{root_opening, seen_with};
use crate::daemon::view::folder::Waiting;
use crate::engine::release::{
    CheckLine, Manifest, OperatorFacts, Sha256, SignedApproval, WaitingRows, operators_copy,
};
use crate::new_files::{NewFile, write};
use crate::{CommandResult, Out};

/// A copy that was written.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "show-report")]
pub struct CopyWritten {
    /// The release.
    pub release: u32,
    /// Whether it waits for approval.
    pub candidate: bool,
    /// The file.
    pub file: String,
}

/// The release that is copied.
#[derive(Debug, Clone, Copy)]
pub(super) enum CopyChoice {
    /// The newest published release.
    Newest,
    /// A published release.
    Release(u32),
    /// The release that waits for approval.
    Candidate,
}

/// Writes the copy to a new file.
///
/// # Errors
/// There is no such release, its report is gone or was changed, or the file exists.
pub(super) fn write_copy(
    feed: &FeedConfig,
    key: Option<OperatorKey>,
    which: CopyChoice,
    file: &Path,
    out: &mut Out,
) -> CommandResult<()> {
    let (seen, entries) = seen_with(feed, key)?;
    let (manifest, facts) = match which {
        CopyChoice::Candidate => candidate(&seen, feed, &entries)?,
        CopyChoice::Newest => published(&seen, feed, &entries, None)?,
        CopyChoice::Release(number) => published(&seen, feed, &entries, Some(number))?,
    };
    let is_report = |path: &str| path.ends_with(".html");
    let line = manifest.files.iter().find(|file| is_report(&file.path));
    let line = line.ok_or_else(|| {
        Error::new(ErrorCategory::Input, "the manifest lists no report").in_file(&feed.file)
    })?;
    let report = seen.held_file(line)?;
    let copy = operators_copy(&report, &facts).and_then(|copy| String::from_utf8(copy).ok());
    let copy = copy.ok_or_else(|| {
        let text = "this page has no place for the operator's part: it is not the report that was published";
        Error::new(ErrorCategory::Input, text).in_field(line.path.clone())
    })?;
    let (dir, name) = (file.parent().unwrap_or(Path::new("")), file.file_name());
    let name = name.ok_or_else(|| {
        Error::new(ErrorCategory::Usage, "name the new file, not a directory").in_field("--report")
    })?;
    write(
        dir,
        &[NewFile {
            path: name.into(),
            content: copy,
            secret: true,
        }],
        &[],
    )?
    .keep();
    let written = CopyWritten {
        release: manifest.release,
        candidate: matches!(which, CopyChoice::Candidate),
        file: file.display().to_string(),
    };
    if out.json() {
        out.value(&written);
    } else {
        let (release, file) = (written.release, printable(&written.file));
        out.text(&format!(
            "The operator's copy of the report of release {release} is in {file}. It names approvers and contains \
             private figures: do not publish it.\n"
        ));
    }
    Ok(())
}

/// The release that waits for approval.
fn candidate(
    seen: &FeedSnapshot,
    feed: &FeedConfig,
    entries: &[CheckedEntry],
) -> CommandResult<(Manifest, OperatorFacts)> {
    let (Some(manifest), Some(held)) = (seen.held()?, &seen.state.held) else {
        let text = "no release waits for approval: omit `--candidate` for the newest published one";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .in_field("--candidate")
            .into());
    };
    let missing = u64::from(held.missing());
    let approvals = held.counted().into_iter().map(approval).collect();
    let (_, verdict) = decision(entries, held.approved.release()).unzip();
    let facts = facts(seen, feed, verdict)?;
    let (decision, lasting) = (Some(held.decision), manifest.has_atoms());
    Ok((
        manifest,
        OperatorFacts {
            decision,
            lasting,
            approvals,
            missing,
            ..facts
        },
    ))
}

/// A published release; the newest if no number is given.
fn published(
    seen: &FeedSnapshot,
    feed: &FeedConfig,
    entries: &[CheckedEntry],
    number: Option<u32>,
) -> CommandResult<(Manifest, OperatorFacts)> {
    let mut lines = seen
        .state
        .releases
        .iter()
        .rev()
        .filter(|line| line.is_visible());
    let line = lines.find(|line| number.is_none_or(|number| line.release == number));
    let manifest = line.map(|line| seen.manifest(line)).transpose()?.flatten();
    let Some(manifest) = manifest else {
        let text = match number {
            Some(number) => format!(
                "there is no published report of a release {number}: `tidegate show` lists the \
                 releases"
            ),
            None => "no release is published yet: `--candidate` writes the copy of the one that waits for approval"
                .to_owned(),
        };
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .in_field("--report")
            .into());
    };
    let (digest, verdict) = decision(entries, manifest.release).unzip();
    let approvals = entries.iter().filter_map(|entry| match &entry.entry.body {
        EntryBody::Approve(vote) if Some(vote.decision) == digest => Some(&vote.wanted),
        _ => None,
    });
    let approvals = approvals.map(approval).collect();
    let facts = facts(seen, feed, verdict)?;
    let lasting = manifest.has_atoms();
    Ok((
        manifest,
        OperatorFacts {
            decision: digest,
            lasting,
            approvals,
            ..facts
        },
    ))
}

/// The newest decision that publishes or holds a release: its hash, and its verdict.
fn decision(entries: &[CheckedEntry], number: u32) -> Option<(Sha256, &Ref)> {
    entries
        .iter()
        .rev()
        .find_map(|entry| match &entry.entry.body {
            EntryBody::Decision(decision) => {
                let approved = decision
                    .release()
                    .filter(|approved| approved.release() == number);
                approved.map(|approved| (entry.sha256, approved.verdict()))
            }
            _ => None,
        })
}

fn approval(wanted: &RequestOrigin) -> SignedApproval {
    let RequestOrigin { who, when, why, .. } = wanted.clone();
    SignedApproval {
        who,
        when,
        why,
        key: wanted.fingerprint(),
    }
}

/// What the operator may see of each release: all figures of the checks, the people who wait, the
/// key that signs.
fn facts(
    seen: &FeedSnapshot,
    feed: &FeedConfig,
    verdict: Option<&Ref>,
) -> CommandResult<OperatorFacts> {
    let recorded = verdict
        .map(|verdict| RecordedTick::parse(&seen.need(verdict)?))
        .transpose()?;
    let checks = recorded
        .iter()
        .filter_map(|recorded| recorded.verdict.as_ref())
        .flat_map(|verdict| &verdict.checks);
    let checks = checks.map(|check| CheckLine {
        check: check.check,
        made: check.made,
        value: check.value,
        limit: check.limit,
    });
    let checks = checks.collect();
    let reasons = recorded.iter().flat_map(|recorded| &recorded.reasons);
    let reasons = reasons.map(|reason| reason.text.clone()).collect();
    let waiting = Waiting::of(&seen.state.feed, &seen.state.terms);
    let oldest = waiting.ages.first().map(|age| u64::from(age.ticks));
    let waiting = WaitingRows {
        waiting: waiting.rows,
        oldest,
    };
    // The copy is written by people who may not be able to read the key.
    let signing = root_opening::settings(feed)
        .ok()
        .and_then(|settings| settings.signing);
    let signing_key = signing.map(|signing| signing.public().fingerprint());
    Ok(OperatorFacts {
        checks,
        reasons,
        waiting: Some(waiting),
        signing_key,
        ..OperatorFacts::default()
    })
}
