//! A preview for a person at a terminal.

use std::path::Path;

use crate::common_texts::sample_list;
use crate::daemon::error::printable;
use crate::daemon::folder::InputOutcome;
use crate::daemon::preview::{
    Alternative, BroadLabel, CountFigures, MeasureSums, Preview, SpelledColumn,
};
use crate::detail_table;
use crate::input_watch::{spelled, word};
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The greatest number of alternatives that are shown.
const SHOWN: usize = 12;

/// The report on a sample in this many ticks.
pub(super) fn report(preview: &Preview, feed: &Path, ticks: usize) -> String {
    let mut text = String::new();
    outcome(&mut text, preview);
    if ticks > 1 {
        let said = format!(
            "Each of the {ticks} files is one tick here. `tidegate run` takes all files that have come since the last tick \
             together, unless `per_file = true`: --one-tick does the same."
        );
        wrapped(&mut text, "", &said);
    }
    lists(&mut text, preview);
    if preview.loss.is_some() {
        match preview.columns[..] {
            [] => wrapped(
                &mut text,
                "",
                "In two tables: quasi columns are published unchanged.",
            ),
            _ => detail_table::write(&mut text, &preview.columns),
        }
        worth(&mut text, preview);
    }
    chain(&mut text, preview);
    alternatives(&mut text, preview, feed);
    text
}

fn outcome(text: &mut String, preview: &Preview) {
    let Preview {
        rows,
        published,
        waiting,
        repeats,
        loss,
        outcome,
        ..
    } = preview;
    let repeated = if *repeats > 0 {
        format!(" ({repeats} of them duplicates)")
    } else {
        String::new()
    };
    let said = match loss {
        Some(loss) => {
            format!(
                "{rows} rows{repeated}: {published} would be published, {waiting} would wait. Loss {loss:.3}."
            )
        }
        None => format!(
            "{rows} rows{repeated}: nothing would be published ({}); {waiting} rows would wait.",
            word(*outcome)
        ),
    };
    wrapped(text, "", &said);
    preview
        .reasons
        .iter()
        .for_each(|reason| wrapped(text, "  ", &reason.text));
    text.push('\n');
}

/// A share within a sentence, where the dash that tables show for 0 would be unclear.
fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Taxonomies whose leaves may name people.
fn lists(text: &mut String, preview: &Preview) {
    for list in &preview.sample_lists {
        wrapped(text, "", &sample_list(list));
    }
}

fn worth(text: &mut String, preview: &Preview) {
    for BroadLabel {
        column,
        label,
        share: most,
        ..
    } in &preview.broad_labels
    {
        let said = format!(
            "{}: {} of the sample's rows have one of its finest labels, {}, so that the column shows no more about \
             them. Divide this label in the taxonomy; `tidegate init --sample` proposes a division of numbers.",
            printable(column),
            share(*most),
            printable(label)
        );
        wrapped(text, "", &said);
    }
    for SpelledColumn { column, values } in &preview.spellings {
        wrapped(text, "", &format!("{}.", spelled(column, *values)));
    }
    if let Some(CountFigures { mean, median }) = preview.count_error {
        let said = format!(
            "Counts by two or three columns would be wrong by {} on average, {} in the median (waiting rows are \
             missing from them).",
            share(mean),
            share(median)
        );
        wrapped(text, "", &said);
    }
    let uniform = &preview.uniform_classes;
    if uniform.rows > 0 {
        let said = format!(
            "{} rows ({}) are in classes in which all rows have the same sensitive values.",
            uniform.rows,
            share(uniform.share)
        );
        wrapped(text, "", &said);
    }
    for MeasureSums {
        name,
        labels,
        shown,
        left_out,
    } in &preview.measures
    {
        let part = share(*left_out as f64 / (*labels).max(1) as f64);
        let said = format!(
            "{}: {shown} of {labels} labels would show their sum; {left_out} sums ({part}) would be suppressed.",
            printable(name)
        );
        wrapped(text, "", &said);
    }
    let names = |made: bool| {
        let names = preview
            .checks
            .iter()
            .filter(|check| check.made == made)
            .map(|check| check.check.name());
        names.collect::<Vec<_>>().join(", ")
    };
    let (made, not_made) = (names(true), names(false));
    wrapped(text, "", &format!("Checks: {made}."));
    if !not_made.is_empty() {
        wrapped(
            text,
            "",
            &format!("Not checked under this policy: {not_made}."),
        );
    }
}

/// The course of a chain that receives the sample in parts.
fn chain(text: &mut String, preview: &Preview) {
    let ticks = &preview.ticks;
    let Some(last) = ticks.last() else { return };
    let published = ticks
        .iter()
        .filter(|tick| tick.outcome == InputOutcome::Published)
        .count();
    let first = ticks
        .iter()
        .position(|tick| tick.outcome == InputOutcome::Published);
    let first = first.map_or_else(String::new, |first| {
        format!(", the first after tick {}", first + 1)
    });
    let waiting: Vec<String> = ticks.iter().map(|tick| tick.waiting.to_string()).collect();
    let said = format!(
        "As {} ticks of the same size: {published} releases{first}; rows that wait after each tick: {}; {} rows are published in the end.",
        ticks.len(),
        waiting.join(", "),
        last.rows
    );
    wrapped(text, "", &said);
    if preview.failing > 0.0 {
        wrapped(
            text,
            "",
            &format!(
                "The releases of {} of these ticks would be rejected.",
                share(preview.failing)
            ),
        );
    }
}

fn alternatives(text: &mut String, preview: &Preview, feed: &Path) {
    if preview.alternatives.is_empty() {
        return;
    }
    text.push('\n');
    let more: Vec<&Alternative> = preview
        .alternatives
        .iter()
        .filter(|one| gives_more(one, preview))
        .take(SHOWN)
        .collect();
    if more.is_empty() {
        wrapped(
            text,
            "",
            &format!(
                "None of the {} other settings gives more detail.",
                preview.alternatives.len()
            ),
        );
        return;
    }
    let said = format!(
        "Settings that give more detail on this sample, the most precise counts first. To use one, write it into {}:",
        feed.display()
    );
    wrapped(text, "", &printable(&said));
    let set = |one: &Alternative| format!("--set {}", shell(&one.set));
    let counted = ["now", "then", "count error", "waiting"].map(Head::Right);
    let heads = [Head::Left("Loss by column:")].into_iter().chain(counted);
    let mut table = TextTable::new(&heads.collect::<Vec<_>>());
    for one in more {
        let error = one
            .count_error
            .map_or_else(|| "-".to_owned(), |error| share(error.mean));
        let before = one
            .loss_without
            .map_or_else(|| "-".to_owned(), |loss| format!("{loss:.3}"));
        table.row([
            set(one),
            before,
            format!("{:.3}", one.loss),
            error,
            one.waiting.to_string(),
        ]);
    }
    table.write(text, "  ");
    text.push('\n');
    let sets = || {
        preview
            .alternatives
            .iter()
            .filter(|one| gives_more(one, preview))
            .take(SHOWN)
            .map(|one| &one.set)
    };
    if sets().any(|set| set.contains("column.") && set.contains("=none")) {
        let said = "`column.NAME=none` removes the [[column]] of that name from the file, so that it is not published. \
                    `now` is the Loss of the other columns under the present file.";
        wrapped(text, "", said);
    }
    if sets().any(|set| set.contains("policy.k=") || set.contains("policy.max_ratio=")) {
        wrapped(
            text,
            "",
            "A smaller `policy.k` and a larger `policy.max_ratio` protect people less.",
        );
    }
}

/// Below this multiple of the loss of the same columns, an alternative loses clearly less.
const LESS: f64 = 0.9;
/// Above this multiple of the error of counts, it is clearly worse.
const WORSE: f64 = 1.5;

/// Whether counts are more precise, or clearly less is lost of the columns that are left.
fn gives_more(one: &Alternative, preview: &Preview) -> bool {
    let precise = match (one.count_error, preview.count_error) {
        (Some(error), Some(base)) => error.mean < base.mean,
        _ => false,
    };
    // A table with much less precise counts gives no more, whatever the columns that are left show.
    let worse = match (one.count_error, preview.count_error) {
        (Some(error), Some(base)) => error.mean > base.mean * WORSE,
        _ => false,
    };
    precise || (!worse && one.loss_without.is_none_or(|loss| one.loss < loss * LESS))
}

/// Quoted for a shell: words with other characters are put in quotes.
fn shell(settings: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "._-=/:,@%+".contains(char);
    let shown = printable(settings);
    if shown
        .split(' ')
        .all(|word| word.chars().all(plain) && word.contains('='))
    {
        return shown;
    }
    format!("'{}'", shown.replace('\'', "'\\''"))
}
