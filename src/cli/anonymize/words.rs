//! The answer for a person at a terminal: what became of each file, what was published, which rows
//! wait and why.

use std::path::{Path, PathBuf};

use crate::common_texts::{levels, name};
use crate::daemon::config::FeedConfig;
use crate::daemon::error::printable;
use crate::daemon::folder::{InputEntry, InputOutcome};
use crate::daemon::formats::advice;
use crate::engine::model::Columns;
use crate::engine::policy::{ChainKind, Guarantee, Policy, Search};
use crate::engine::release::Manifest;
use crate::input_watch::word;
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The longest file name that the table shows in full.
const WIDEST: usize = 40;

/// The whole answer as text.
pub(super) fn report(
    entries: &[InputEntry],
    inputs: &[PathBuf],
    folder: &Path,
    feed: &FeedConfig,
    newest: Option<&Manifest>,
) -> String {
    let mut text = String::new();
    let names: Vec<String> = inputs.iter().map(|path| printable(&name(path))).collect();
    // Only feeds that choose records skip some.
    let skips = entries.iter().any(|entry| entry.skipped > 0);
    let mut counted = vec![
        "release",
        "rows",
        "added",
        "waiting",
        "duplicates",
        "set aside",
    ];
    if skips {
        counted.push("skipped");
    }
    let counted = counted.into_iter().map(Head::Right);
    let heads = [Head::Left("file"), Head::Left("outcome")]
        .into_iter()
        .chain(counted);
    let mut table = TextTable::new(&heads.collect::<Vec<_>>());
    for (entry, name) in entries.iter().zip(&names) {
        let release = entry
            .release
            .map_or_else(|| "-".to_owned(), |release| release.to_string());
        let counts = [
            entry.rows,
            entry.added,
            entry.waiting,
            entry.duplicate,
            entry.quarantined,
            entry.skipped,
        ];
        let shown = counts.len() - usize::from(!skips);
        let counts = counts[..shown].iter().map(ToString::to_string);
        table.row(
            [short(name), word(entry.outcome).to_owned(), release]
                .into_iter()
                .chain(counts),
        );
    }
    table.write(&mut text, "");
    text.push('\n');
    for (entry, name) in entries.iter().zip(&names) {
        for reason in &entry.reasons {
            wrapped(&mut text, &format!("{}: ", short(name)), &reason.text);
        }
        if let Some(found) = &entry.levels {
            wrapped(
                &mut text,
                &format!("{}: levels: ", short(name)),
                &levels(found),
            );
        }
        for advice in advice(&entry.reasons) {
            wrapped(&mut text, &format!("{}: what to do: ", short(name)), advice);
        }
    }
    summary(&mut text, entries, folder, &feed.policy);
    if let Some(manifest) = newest {
        detail(&mut text, manifest, folder, &feed.columns);
    }
    text
}

/// Names the columns whose values are generalised to `*` everywhere.
fn detail(text: &mut String, manifest: &Manifest, folder: &Path, columns: &Columns) {
    let names: Vec<String> = manifest
        .without_detail(columns)
        .into_iter()
        .map(|name| format!("`{}`", printable(name)))
        .collect();
    if names.is_empty() {
        return;
    }
    // Under `blind` the reasons against more detail are kept with the release for which the
    // recoding was chosen.
    let blind = manifest.guarantee == Some(Guarantee::Blind);
    let release = if blind && manifest.chain == 1 {
        1
    } else {
        manifest.release
    };
    let said = format!(
        "Published without any detail: {}. Run `tidegate show {} {release}` to see why no more detail was possible, and `tidegate preview` with the \
         same --feed and --in to see which settings would give more.",
        names.join(", "),
        printable(&folder.display().to_string())
    );
    wrapped(text, "", &said);
}

/// A file name without its middle if it is too long: the files of a feed differ at the ends of
/// their names.
fn short(name: &str) -> String {
    let signs: Vec<char> = name.chars().collect();
    if signs.len() <= WIDEST {
        return name.to_owned();
    }
    let (head, tail) = (&signs[..WIDEST / 2 - 1], &signs[signs.len() - WIDEST / 2..]);
    head.iter().chain(['…'].iter()).chain(tail).collect()
}

/// A number of rows with its verb: `one` for a single row, `several` for more.
fn rows(count: u64, one: &str, several: &str) -> String {
    if count == 1 {
        format!("1 row {one}")
    } else {
        format!("{count} rows {several}")
    }
}

fn summary(text: &mut String, entries: &[InputEntry], folder: &Path, policy: &Policy) {
    let Some(last) = entries.last() else { return };
    let disjoint = policy.kind() == ChainKind::Disjoint;
    if let Some(newest) = entries.iter().rev().find_map(|entry| entry.release) {
        let place = folder.join(newest.to_string());
        let said = format!(
            "The newest release is {} with {}. {}",
            printable(&place.display().to_string()),
            rows(last.rows, "", "").trim_end(),
            match policy.has_atoms() {
                _ if disjoint => "It contains different people from the releases before it.",
                true => "Its manifest lists all parts of the table: read these and no other files.",
                false => "It replaces all earlier ones; never combine releases.",
            }
        );
        wrapped(text, "", &said);
    }
    if entries
        .iter()
        .all(|entry| entry.outcome == InputOutcome::Known)
    {
        wrapped(
            text,
            "",
            "Nothing new: all of these files are in the folder already.",
        );
    } else if last.outcome == InputOutcome::Waiting && last.waiting == 0 {
        wrapped(text, "", "The last file contained no new person.");
    }
    let waits = rows(last.waiting, "is waiting", "are waiting");
    if last.outcome == InputOutcome::Held {
        let why = if last.rows > 0 {
            "This file adds no release"
        } else {
            "There is no release yet"
        };
        let said = format!(
            "{why}: {waits}, and a class has at least {}. Add files; nothing is lost.",
            policy.a()
        );
        wrapped(text, "", &said);
    } else if last.outcome == InputOutcome::Rejected && disjoint {
        let said = format!(
            "{waits} for the next file, which tries the rows of the rejected release again."
        );
        wrapped(text, "", &said);
    } else if last.waiting > 0 {
        let said = match policy.search() {
            // A larger class of the same kind leaks as much as a smaller one.
            Search::ArxLr => format!(
                "{waits} and will be tried again with the next file. Classes that a refinement attack narrows down \
                 beyond `max_ratio` or `min_solutions` may never be published, even with more rows; `search = \
                 \"halves\"` does not have this problem."
            ),
            _ => format!("{waits} for enough similar rows."),
        };
        wrapped(text, "", &said);
    }
    share(text, entries, last, disjoint);
    if last.pending > 0 {
        let said = rows(
            last.pending,
            "has its class and is published with the next release that is approved.",
            "have their class and are published with the next release that is approved.",
        );
        wrapped(text, "", &said);
    }
    if policy.guarantee() == Some(Guarantee::Bcf) {
        let said = "Guarantee `bcf`: these releases assume a reader who knows one person's quasi columns. They are not safe \
                    against a reader who knows everybody's, nor against one who knows the algorithm.";
        wrapped(text, "", said);
    }
}

/// The share of the people so far that is published, where some of them are not.
fn share(text: &mut String, entries: &[InputEntry], last: &InputEntry, disjoint: bool) {
    let published = if disjoint {
        entries.iter().map(|entry| entry.added).sum()
    } else {
        last.rows
    };
    let others = last.waiting + last.pending;
    // Where the folder existed before this command, earlier releases are not among these entries.
    if published == 0
        || others == 0
        || (disjoint && entries.iter().all(|entry| entry.release != Some(1)))
    {
        return;
    }
    let (all, percent) = (published + others, 100 * published / (published + others));
    let below = if 2 * published < all {
        "Fewer than half of the people are published: "
    } else {
        "Published: "
    };
    wrapped(
        text,
        "",
        &format!("{below}{published} of {all} accepted rows ({percent} %)."),
    );
}
