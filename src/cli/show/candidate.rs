//! The release that waits for a person (`show --candidate`): what they have to decide on, as it was
//! staged. Only what would be public of it, and the operator's own verdict; never a value.

use std::fmt::Write;

use super::words;
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::seal::OperatorKey;
use crate::daemon::service::seen_with;
use crate::daemon::view::candidate::{Approval, ChangedLabels, HeldRelease};
use crate::paragraph::wrapped;
use crate::{CommandResult, Out, detail_table};

/// Shows it.
///
/// # Errors
/// No release waits, or its files are not as they were written.
pub(super) fn show(
    feed: &FeedConfig,
    key: Option<OperatorKey>,
    out: &mut Out,
) -> CommandResult<()> {
    let (seen, entries) = seen_with(feed, key)?;
    let Some(candidate) = HeldRelease::of(&seen, &entries, feed)? else {
        let text = "no release waits for approval: `tidegate show` without `--candidate` lists the releases";
        return Err(Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .in_field("--candidate")
            .into());
    };
    if out.json() {
        out.value(&candidate);
    } else {
        out.text(&text(&candidate, feed));
    }
    Ok(())
}

fn text(candidate: &HeldRelease, feed: &FeedConfig) -> String {
    let HeldRelease {
        manifest,
        digest,
        report,
        ..
    } = candidate;
    let mut text = format!("Release {} waits for approval.\n\n", manifest.release);
    text += &words::release_of(manifest, candidate.verdict.as_ref());
    if !candidate.columns.is_empty() {
        text.push_str("\nDetail\n");
        detail_table::write(&mut text, &candidate.columns);
    }
    text.push_str("\nSince the release before\n");
    match &candidate.before {
        None => text.push_str("  It is the first one of its chain.\n"),
        Some(before) => {
            let said = format!(
                "{:+} rows compared with release {} ({} rows); Loss {:.4} instead of {:.4}, smallest class {} instead \
                 of {}",
                candidate.more_rows,
                before.release,
                before.rows,
                manifest.loss,
                before.loss,
                manifest.smallest_class,
                before.smallest_class
            );
            wrapped(&mut text, "  ", &said);
        }
    }
    for ChangedLabels { name, added, gone } in &candidate.changed {
        let list = |labels: &[String]| {
            labels
                .iter()
                .map(|label| printable(label))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut said = String::new();
        if !added.is_empty() {
            let _ = write!(said, "new labels {}", list(added));
        }
        if !gone.is_empty() {
            let _ = write!(
                said,
                "{}gone {}",
                if added.is_empty() { "" } else { "; " },
                list(gone)
            );
        }
        wrapped(&mut text, &format!("  {}: ", printable(name)), &said);
    }
    text.push('\n');
    if report.is_some() {
        let file = printable(&feed.file.display().to_string());
        wrapped(
            &mut text,
            "",
            &format!(
                "Its report: `tidegate show {file} --candidate --report FILE.html` writes a copy of it."
            ),
        );
    }
    for Approval {
        who,
        when,
        why,
        key,
    } in &candidate.approvals
    {
        let key = key.as_ref().map_or_else(String::new, |key| {
            format!(", signed with the key {}", &key.to_string()[..DIGITS])
        });
        let why = why
            .as_ref()
            .map_or_else(String::new, |why| format!(": {}", printable(why)));
        wrapped(
            &mut text,
            "",
            &format!("Approved by {} at {when}{key}{why}.", printable(who)),
        );
    }
    let missing = candidate.missing;
    if missing > 1 || !candidate.approvals.is_empty() {
        let said = if missing == 1 {
            "One more person has".to_owned()
        } else {
            format!("{missing} people have")
        };
        wrapped(
            &mut text,
            "",
            &format!("{said} to approve it before it is published."),
        );
    }
    let (feed, sign) = (
        printable(&feed.file.display().to_string()),
        if candidate.signs {
            " --as NAME --key FILE"
        } else {
            ""
        },
    );
    let said = format!(
        "To approve exactly this release: `tidegate approve {feed} {} --seen {}{sign} --reason …`. A tick, an erasure \
         or a change of the feed file replaces it, and this digest does not approve the new one.",
        manifest.release,
        &digest.to_string()[..DIGITS]
    );
    wrapped(&mut text, "", &said);
    text
}

/// The number of shown digits, which identify a digest.
const DIGITS: usize = 16;
