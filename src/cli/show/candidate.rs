//! The release that waits for a person (`show --candidate`): what they are to decide on, as it was written aside. What is public of it
//! anyway, and the operator's own verdict; never a value.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::json::ReleaseLine;
use super::words;
use crate::cli::paragraph::wrapped;
use crate::cli::{CommandResult, Out, detail_table};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::{Error, ErrorCategory, printable};
use crate::daemon::feed_writer::FeedSnapshot;
use crate::daemon::formats::Recorded;
use crate::daemon::journal::{Body, CheckedEntry, Decision, RequestOrigin};
use crate::daemon::opened_release::{ColumnDetail, Opened};
use crate::daemon::seal::OperatorKey;
use crate::daemon::service::seen_with;
use crate::engine::release::{Manifest, Sha256};

/// The release that waits for approval.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "show-candidate")]
pub struct HeldRelease {
    /// The digest of what waits: `approve --seen` takes it, and refuses anything else.
    pub digest: Sha256,
    /// The approvers who have approved it.
    pub approvals: Vec<Approval>,
    /// How many more people have to approve it.
    pub missing: usize,
    /// Where its report is, in the private root.
    pub report: Option<String>,
    /// Its manifest; it gets the digest of the decision when it is published.
    pub manifest: Manifest,
    /// Detail by quasi column; empty for a release in two tables, which shows each value.
    pub columns: Vec<ColumnDetail>,
    /// The whole verdict.
    pub verdict: Option<Recorded>,
    /// The release before it in its chain.
    pub before: Option<ReleaseLine>,
    /// Rows that it has more than that one; fewer where rows leave the table.
    pub more_rows: i64,
    /// Columns whose labels are others than in the release before.
    pub changed: Vec<ChangedLabels>,
}

/// An approver has approved it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Approval {
    /// Who, with their account.
    pub who: String,
    /// When.
    pub when: String,
    /// Why, in their words.
    pub why: Option<String>,
    /// The fingerprint of the key that they signed with.
    pub key: Option<Sha256>,
}

impl Approval {
    /// From what the log holds of it.
    fn of(wanted: &RequestOrigin) -> Approval {
        let RequestOrigin { who, when, why, .. } = wanted.clone();
        Approval { who, when, why, key: wanted.fingerprint() }
    }
}

/// Labels of a column that were not there before, and that are not there any more.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedLabels {
    /// The column.
    pub name: String,
    /// New ones.
    pub added: Vec<String>,
    /// Those that are gone.
    pub gone: Vec<String>,
}

/// Shows it.
///
/// # Errors
/// No release waits, or its files are not as they were written.
pub fn show(feed: &FeedConfig, key: Option<OperatorKey>, out: &mut Out) -> CommandResult<()> {
    let (seen, entries) = seen_with(feed, key)?;
    let Some(candidate) = HeldRelease::of(&seen, &entries, feed)? else {
        let text = "no release waits for approval: `tidegate show` without `--candidate` says what there is";
        return Err(Error::new(ErrorCategory::Usage, text).in_file(&feed.file).in_field("--candidate").into());
    };
    if out.json() {
        out.value(&candidate);
    } else {
        out.text(&text(&candidate, feed));
    }
    Ok(())
}

impl HeldRelease {
    fn of(seen: &FeedSnapshot, entries: &[CheckedEntry], feed: &FeedConfig) -> CommandResult<Option<HeldRelease>> {
        let (Some(manifest), Some(held)) = (seen.held()?, &seen.state.held) else { return Ok(None) };
        let two = manifest.two_tables();
        let opened = || Opened::of(manifest.clone(), &|file| seen.held_file(file), &feed.file);
        let columns = if two { Vec::new() } else { opened()?.detail() };
        let before = seen.state.releases.iter().rev().find(|line| line.chain == manifest.chain && line.is_visible());
        let before = before.map(|line| seen.manifest(line)).transpose()?.flatten();
        let decided = entries.iter().rev().find_map(|entry| match &entry.entry.body {
            Body::Decision(Decision::Hold(approved)) if approved.release() == held.approved.release() => {
                Some(approved.verdict())
            }
            _ => None,
        });
        let verdict = decided.map(|verdict| Recorded::parse(&seen.need(verdict)?)).transpose()?;
        let approvers = feed.services.approvers();
        let counted = held.counted(&approvers);
        Ok(Some(HeldRelease {
            digest: held.decision,
            missing: approvers.needed().saturating_sub(counted.len()),
            approvals: counted.into_iter().map(Approval::of).collect(),
            report: held
                .approved
                .files()
                .iter()
                .find(|file| file.path.ends_with(".html"))
                .map(|file| file.stage.clone()),
            columns,
            verdict,
            more_rows: manifest.rows as i64 - before.as_ref().map_or(0, |before| before.rows as i64),
            changed: before.as_ref().map_or_else(Vec::new, |before| changed(before, &manifest)),
            before: before.as_ref().map(ReleaseLine::of),
            manifest,
        }))
    }
}

fn changed(before: &Manifest, now: &Manifest) -> Vec<ChangedLabels> {
    let of = |name: &String, labels: &Vec<String>| {
        let (_, old) = before.recoding.0.iter().find(|(other, _)| other == name)?;
        let beyond = |some: &[String], other: &[String]| -> Vec<String> {
            some.iter().filter(|label| !other.contains(label)).cloned().collect()
        };
        let (added, gone) = (beyond(labels, old), beyond(old, labels));
        let changed = ChangedLabels { name: name.clone(), added, gone };
        Some(changed).filter(|changed| !changed.added.is_empty() || !changed.gone.is_empty())
    };
    now.recoding.0.iter().filter_map(|(name, labels)| of(name, labels)).collect()
}

fn text(candidate: &HeldRelease, feed: &FeedConfig) -> String {
    let HeldRelease { manifest, digest, report, .. } = candidate;
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
                "{:+} rows beside release {} ({} rows); Loss {:.4} in the place of {:.4}, smallest class {} in the place of {}",
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
        let list = |labels: &[String]| labels.iter().map(|label| printable(label)).collect::<Vec<_>>().join(", ");
        let mut said = String::new();
        if !added.is_empty() {
            let _ = write!(said, "new labels {}", list(added));
        }
        if !gone.is_empty() {
            let _ = write!(said, "{}gone {}", if added.is_empty() { "" } else { "; " }, list(gone));
        }
        wrapped(&mut text, &format!("  {}: ", printable(name)), &said);
    }
    text.push('\n');
    if report.is_some() {
        let file = printable(&feed.file.display().to_string());
        wrapped(
            &mut text,
            "",
            &format!("Its report: `tidegate show {file} --candidate --report FILE.html` writes a copy of it."),
        );
    }
    for Approval { who, when, why, key } in &candidate.approvals {
        let key = key
            .as_ref()
            .map_or_else(String::new, |key| format!(", signed with the key {}", &key.to_string()[..DIGITS]));
        let why = why.as_ref().map_or_else(String::new, |why| format!(": {}", printable(why)));
        wrapped(&mut text, "", &format!("Approved by {} at {when}{key}{why}.", printable(who)));
    }
    let signs = feed.services.approvers().sign();
    let missing = candidate.missing;
    if missing > 1 || !candidate.approvals.is_empty() {
        let said = if missing == 1 { "One more person has".to_owned() } else { format!("{missing} people have") };
        wrapped(&mut text, "", &format!("{said} to approve it before it is published."));
    }
    let (feed, sign) = (printable(&feed.file.display().to_string()), if signs { " --as NAME --key FILE" } else { "" });
    let said = format!(
        "To let exactly this release leave: `tidegate approve {feed} {} --seen {}{sign} --reason …`. A tick, an erasure or a change of the feed \
         file makes another one of it, which this digest does not approve.",
        manifest.release,
        &digest.to_string()[..DIGITS]
    );
    wrapped(&mut text, "", &said);
    text
}

/// Digits of a digest that tell it from others.
const DIGITS: usize = 16;
