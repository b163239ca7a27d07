//! The history of a feed in words, entry by entry of its log. Counts, times, names of checks; never
//! a value.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Result, printable};
use crate::feed_writer::FeedSnapshot;
use crate::formats::RecordedTick;
use crate::intake_counts::IntakeCounts;
use crate::journal::{
    ApproverDecision, CheckedEntry, ClosedTick, ClosingOutcome, Decision, EntryBody, Erase,
    HoldDecision, IntakePart, MessageOrigin, Rejection, RequestOrigin,
};

/// An event of the history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryEvent {
    /// The number of its entry in the log.
    pub seq: u64,
    /// The kind of entry.
    pub kind: String,
    /// When it happened.
    pub time: Option<String>,
    /// Who asked for it.
    pub who: Option<String>,
    /// Why, in their words.
    pub why: Option<String>,
    /// What happened.
    pub text: String,
}

/// Reasons against a release that had no candidate.
/// # Errors
/// The verdict is not as it was written.
pub fn against(seen: &FeedSnapshot, entry: &CheckedEntry) -> Result<String> {
    let EntryBody::Closed(ClosedTick {
        outcome: ClosingOutcome::Stopped | ClosingOutcome::Impossible,
        verdict: Some(verdict),
        ..
    }) = &entry.entry.body
    else {
        return Ok(String::new());
    };
    let reasons = RecordedTick::parse(&seen.need(verdict)?)?.reasons;
    Ok(reasons
        .iter()
        .map(|reason| format!(": {}", reason.text))
        .collect())
}

/// The result of closing a tick, in words.
fn came(outcome: ClosingOutcome) -> &'static str {
    match outcome {
        ClosingOutcome::Skipped => "no release: new rows wait for a later tick",
        ClosingOutcome::Held => "held: too few rows for a first release",
        ClosingOutcome::Waiting => "nothing was added",
        ClosingOutcome::Stopped => "the chain is stopped",
        ClosingOutcome::Impossible => "no recoding keeps the guarantee",
        ClosingOutcome::Candidate => "a release is proposed",
    }
}

/// When an entry was written, who asked for it, and its text.
type DatedText = (Option<String>, Option<RequestOrigin>, String);

/// An entry about removing files from the public root.
fn removal(body: &EntryBody) -> Option<DatedText> {
    let at = |time: &str, text: String| Some((Some(time.to_owned()), None, text));
    match body {
        EntryBody::Withdraw(withdraw) => {
            let again = if withdraw.republish {
                ", to be published again"
            } else {
                ""
            };
            let (first, last, rows) = (withdraw.first, withdraw.last, withdraw.rows);
            let releases = match first == last {
                true => format!("release {first} is"),
                false => format!("releases {first} to {last} are"),
            };
            let text = format!("{releases} withdrawn{again} ({rows} rows)");
            Some((None, Some(withdraw.wanted.clone()), text))
        }
        EntryBody::Retire(retire) => {
            let (rows, through) = (retire.rows, retire.through);
            at(
                &retire.time,
                format!("the next release removes {rows} rows of releases up to {through}"),
            )
        }
        EntryBody::Expire(expire) => at(
            &expire.time,
            format!(
                "{} old manifests are deleted from the public root",
                expire.releases.len()
            ),
        ),
        EntryBody::Cleaned(cleaned) => at(
            &cleaned.time,
            "all files that had to be deleted from the public root are deleted".to_owned(),
        ),
        _ => None,
    }
}

/// An erasure in words.
fn erased(erase: &Erase) -> String {
    let rows = erase.rows.as_ref().map_or(String::new(), |rows| {
        format!(
            "; the next release leaves {} published rows out (whole atoms: {})",
            rows.rows, rows.atoms
        )
    });
    format!(
        "{} of {} people were removed, {} are published{rows}",
        erase.erased, erase.asked, erase.published
    )
}

/// An entry in words; None for entries that only serve the log.
pub fn happened(entry: &CheckedEntry) -> Option<HistoryEvent> {
    let (mut time, mut wanted) = (None, None);
    let text = match &entry.entry.body {
        EntryBody::Fence(_)
        | EntryBody::Masked(_)
        | EntryBody::Coins(_)
        | EntryBody::Forgotten(_) => return None,
        EntryBody::Chain(chain) => {
            wanted.clone_from(&chain.wanted);
            format!("chain {} begins", chain.chain)
        }
        EntryBody::Config(config) => {
            time = Some(config.time.clone());
            let what = if config.terms.is_some() {
                "the new leaves of its taxonomies"
            } else {
                "its settings"
            };
            format!("the feed file was read again: {what} apply now")
        }
        EntryBody::Ingest(ingest) => {
            time = Some(ingest.time.clone());
            taken(&ingest.parts)?
        }
        EntryBody::Retry(retry) => {
            wanted = Some(retry.wanted.clone());
            format!(
                "offered again: {} of {} messages are accepted now",
                retry.kept, retry.offered
            )
        }
        EntryBody::Closed(closed) => {
            time = Some(closed.time.clone());
            let what = came(closed.outcome);
            format!(
                "tick {}: {what}; {} added, {} waiting",
                closed.tick, closed.added, closed.waiting
            )
        }
        EntryBody::Decision(made) => {
            let text;
            (time, wanted, text) = decision(made);
            text
        }
        EntryBody::Approve(approval) => {
            wanted = Some(approval.wanted.clone());
            approved(approval)
        }
        EntryBody::Published(published) => {
            time = Some(published.time.clone());
            format!("release {} is visible", published.release)
        }
        EntryBody::Erase(erase) => {
            wanted = Some(erase.wanted.clone());
            erased(erase)
        }
        EntryBody::Withdraw(_)
        | EntryBody::Retire(_)
        | EntryBody::Expire(_)
        | EntryBody::Cleaned(_) => {
            let text;
            (time, wanted, text) = removal(&entry.entry.body)?;
            text
        }
        EntryBody::Rekey(rekey) => {
            wanted = Some(rekey.wanted.clone());
            format!(
                "the operator's key is another one; {} objects are encrypted anew",
                rekey.objects
            )
        }
        EntryBody::Refused(refused) => {
            wanted = Some(refused.wanted.clone());
            format!("`tidegate {}` was refused", refused.command)
        }
    };
    let time = time.or_else(|| wanted.as_ref().map(|wanted| wanted.when.clone()));
    let (who, why) = wanted.map_or((None, None), |wanted| (Some(wanted.who), wanted.why));
    Some(HistoryEvent {
        seq: entry.entry.seq,
        kind: entry.entry.body.kind().to_owned(),
        time,
        who,
        why,
        text,
    })
}

/// A decision about a release in words.
fn decision(made: &Decision) -> DatedText {
    match made {
        Decision::Publish(approved) => {
            let text = format!("release {} may leave", approved.release());
            (Some(approved.time().to_owned()), None, text)
        }
        Decision::Hold(HoldDecision { approved, .. }) => {
            let text = format!("release {} waits for approval", approved.release());
            (Some(approved.time().to_owned()), None, text)
        }
        Decision::Reject(Rejection {
            release,
            time,
            stops,
            reasons,
            wanted,
            ..
        }) => {
            let checks: Vec<&str> = reasons.iter().map(|reason| reason.check.as_str()).collect();
            let why = wanted
                .as_ref()
                .map_or_else(|| format!(" ({})", checks.join(", ")), signed);
            let end = if *stops { ": the chain is stopped" } else { "" };
            (
                Some(time.clone()),
                wanted.clone(),
                format!("release {release} is rejected{why}{end}"),
            )
        }
    }
}

/// An approval in words.
fn approved(approval: &ApproverDecision) -> String {
    let still = if approval.missing > 0 {
        format!("; {} more must approve it", approval.missing)
    } else {
        String::new()
    };
    format!(
        "release {} is approved{}{still}",
        approval.release,
        signed(&approval.wanted)
    )
}

/// The key that a person signed with, if they did.
fn signed(by: &RequestOrigin) -> String {
    by.fingerprint().map_or_else(String::new, |key| {
        format!(" (signed with the key {})", &key.to_string()[..16])
    })
}

/// Messages that were read, in words.
fn taken(parts: &[IntakePart]) -> Option<String> {
    let [first, more @ ..] = parts else {
        return None;
    };
    let from = match (&first.origin, more.len()) {
        (_, 0) => printable(&first.origin.name()),
        (MessageOrigin::Partition { topic, .. }, more) => {
            format!("{topic}, {} partitions", more + 1)
        }
        (MessageOrigin::File { .. }, more) => format!("{} files", more + 1),
    };
    let counts: IntakeCounts = parts.iter().map(|part| part.counts).sum();
    let IntakeCounts {
        kept,
        duplicate: repeats,
        quarantined: aside,
        ..
    } = counts;
    Some(format!(
        "{from}: {kept} rows, {repeats} duplicates, {aside} set aside"
    ))
}
