//! The release that waits for approval.

use schemars::JsonSchema;
use serde::Serialize;

use super::folder::ReleaseLine;
use crate::config::FeedConfig;
use crate::engine::release::{Manifest, Sha256};
use crate::error::Result;
use crate::feed_writer::FeedSnapshot;
use crate::formats::RecordedTick;
use crate::journal::{CheckedEntry, Decision, EntryBody, RequestOrigin};
use crate::opened_release::{ColumnDetail, Opened};

/// The release that waits for approval.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "show-candidate")]
pub struct HeldRelease {
    /// The hash of the candidate: `approve --seen` takes it, and refuses any other candidate.
    pub digest: Sha256,
    /// The approvers who have approved it.
    pub approvals: Vec<Approval>,
    /// Whether approvers have to sign.
    #[serde(skip)]
    pub signs: bool,
    /// How many more people have to approve it.
    pub missing: usize,
    /// Where its report is in the private root, sealed: `--report` writes a copy of it.
    pub report: Option<String>,
    /// Its manifest; the hash of the decision is added when it is published.
    pub manifest: Manifest,
    /// Detail by quasi column; empty for a release in two tables, which shows each value.
    pub columns: Vec<ColumnDetail>,
    /// The whole verdict.
    pub verdict: Option<RecordedTick>,
    /// The previous release of its chain.
    pub before: Option<ReleaseLine>,
    /// Its rows minus those of that release; negative if rows leave the table.
    pub more_rows: i64,
    /// Columns whose labels differ from those of the previous release.
    pub changed: Vec<ChangedLabels>,
}

/// An approver has approved it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Approval {
    /// The approver, with their account.
    pub who: String,
    /// When.
    pub when: String,
    /// Why, in their words.
    pub why: Option<String>,
    /// The fingerprint of the key that they signed with.
    pub key: Option<Sha256>,
}

impl Approval {
    /// From the log.
    fn of(wanted: &RequestOrigin) -> Approval {
        let RequestOrigin { who, when, why, .. } = wanted.clone();
        Approval {
            who,
            when,
            why,
            key: wanted.fingerprint(),
        }
    }
}

/// Labels of a column that are new, and labels that no longer occur.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedLabels {
    /// The column.
    pub name: String,
    /// New labels.
    pub added: Vec<String>,
    /// Labels that no longer occur.
    pub gone: Vec<String>,
}

impl HeldRelease {
    /// From the log; None if no release waits.
    ///
    /// # Errors
    /// Its files are not as they were written.
    pub fn of(
        seen: &FeedSnapshot,
        entries: &[CheckedEntry],
        feed: &FeedConfig,
    ) -> Result<Option<HeldRelease>> {
        let (Some(manifest), Some(held)) = (seen.held()?, &seen.state.held) else {
            return Ok(None);
        };
        let two = manifest.two_tables();
        let opened = || Opened::of(manifest.clone(), &|file| seen.held_file(file), &feed.file);
        let columns = if two { Vec::new() } else { opened()?.detail() };
        let before = seen
            .state
            .releases
            .iter()
            .rev()
            .find(|line| line.chain == manifest.chain && line.is_visible());
        let before = before
            .map(|line| seen.manifest(line))
            .transpose()?
            .flatten();
        let decided = entries
            .iter()
            .rev()
            .find_map(|entry| match &entry.entry.body {
                EntryBody::Decision(Decision::Hold(hold))
                    if hold.approved.release() == held.approved.release() =>
                {
                    Some(hold.approved.verdict())
                }
                _ => None,
            });
        let verdict = decided
            .map(|verdict| RecordedTick::parse(&seen.need(verdict)?))
            .transpose()?;
        let counted = held.counted();
        Ok(Some(HeldRelease {
            digest: held.decision,
            signs: held.rule.signs(),
            missing: held.missing() as usize,
            approvals: counted.into_iter().map(Approval::of).collect(),
            report: held
                .approved
                .files()
                .iter()
                .find(|file| file.path.ends_with(".html"))
                .map(|file| file.stage.clone()),
            columns,
            verdict,
            more_rows: manifest.rows as i64
                - before.as_ref().map_or(0, |before| before.rows as i64),
            changed: before
                .as_ref()
                .map_or_else(Vec::new, |before| changed(before, &manifest)),
            before: before.as_ref().map(ReleaseLine::of),
            manifest,
        }))
    }
}

fn changed(before: &Manifest, now: &Manifest) -> Vec<ChangedLabels> {
    let of = |name: &String, labels: &Vec<String>| {
        let (_, old) = before.recoding.0.iter().find(|(other, _)| other == name)?;
        let beyond = |some: &[String], other: &[String]| -> Vec<String> {
            some.iter()
                .filter(|label| !other.contains(label))
                .cloned()
                .collect()
        };
        let (added, gone) = (beyond(labels, old), beyond(old, labels));
        let changed = ChangedLabels {
            name: name.clone(),
            added,
            gone,
        };
        Some(changed).filter(|changed| !changed.added.is_empty() || !changed.gone.is_empty())
    };
    now.recoding
        .0
        .iter()
        .filter_map(|(name, labels)| of(name, labels))
        .collect()
}
