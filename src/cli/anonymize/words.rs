//! The answer for a person at a terminal: what came of each file, what was published, what waits and why.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::cli::paragraph::wrapped;
use crate::cli::tell::name;
use crate::daemon::error::printable;
use crate::daemon::oneshot::{Entry, Outcome};
use crate::engine::policy::{Guarantee, Policy};

/// The report.
pub fn report(entries: &[Entry], inputs: &[PathBuf], folder: &Path, policy: &Policy) -> String {
    let mut text = String::new();
    let names: Vec<String> = inputs.iter().map(|path| printable(&name(path))).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(5, 40);
    let head = ["outcome", "release", "rows", "added", "waiting", "withheld", "repeats", "set aside"];
    let _ = write!(text, "{:width$}  {:<9}", "file", head[0]);
    head[1..].iter().for_each(|title| _ = write!(text, "  {title:>9}"));
    text.push('\n');
    for (entry, name) in entries.iter().zip(&names) {
        let release = entry.release.map_or_else(|| "-".to_owned(), |release| release.to_string());
        let _ = write!(text, "{name:width$}  {:<9}  {release:>9}", word(entry.outcome));
        let counts = [entry.rows, entry.added, entry.waiting, entry.withheld, entry.duplicate, entry.quarantined];
        counts.iter().for_each(|count| _ = write!(text, "  {count:>9}"));
        text.push('\n');
    }
    text.push('\n');
    for (entry, name) in entries.iter().zip(&names) {
        for reason in &entry.reasons {
            wrapped(&mut text, &format!("{name}: "), &reason.text);
        }
    }
    summary(&mut text, entries, folder, policy);
    text
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Published => "published",
        Outcome::Waiting => "waiting",
        Outcome::Held => "held",
        Outcome::Rejected => "rejected",
        Outcome::Stopped => "stopped",
        Outcome::Known => "known",
    }
}

fn summary(text: &mut String, entries: &[Entry], folder: &Path, policy: &Policy) {
    let Some(last) = entries.last() else { return };
    if let Some(newest) = entries.iter().rev().find_map(|entry| entry.release) {
        let place = folder.join(newest.to_string());
        let said = format!(
            "The newest release is {}: {}. It replaces all earlier ones; never combine releases.",
            printable(&place.display().to_string()),
            rows(last.rows)
        );
        wrapped(text, "", &said);
    }
    if last.outcome == Outcome::Held {
        let said = format!(
            "There is no release yet: {} waiting, and a crowd is at least {}. Add files; nothing is lost.",
            rows(last.waiting),
            policy.k()
        );
        wrapped(text, "", &said);
    } else if last.waiting > 0 {
        let said = format!("{} waiting until enough people like them have come.", rows(last.waiting));
        wrapped(text, "", &said);
    }
    if last.pending > 0 {
        let said =
            format!("{} with a crowd: they come out with the next release that is approved.", rows(last.pending));
        wrapped(text, "", &said);
    }
    if policy.guarantee() == Some(Guarantee::Bcf) {
        let said = "Guarantee `bcf`: these releases are not safe against an attacker who knows the algorithm.";
        wrapped(text, "", said);
    }
}

fn rows(count: u64) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}
