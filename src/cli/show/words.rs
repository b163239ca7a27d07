//! The output of `show` for a person at a terminal. Adds nothing to the content of the JSON.

use std::fmt::Write;
use std::path::Path;

use crate::common_texts::levels;
use crate::daemon::error::printable;
use crate::daemon::folder::InputOutcome;
use crate::daemon::formats::{LevelsRecord, RecordedTick, RefusalRecord, Repaired, advice};
use crate::daemon::observe::Halt;
use crate::daemon::view::folder::{
    HalvingLine, ReleaseLine, ReleaseShown, ShowAnswer, UniformLine, Waiting,
};
use crate::engine::gate::verdict::Verdict;
use crate::engine::policy::Guarantee;
use crate::engine::release::{Figure, Manifest};
use crate::paragraph::wrapped;
use crate::table::{Head, TextTable};

/// The greatest number of ticks that are listed, the newest.
const MOST_TICKS: usize = 20;
/// The greatest number of listed candidates of the search.
const MOST_REFUSED: usize = 30;

/// The text beside every release under `bcf`.
const BCF: &str = "Guarantee `bcf`: assumes a reader who knows one person's quasi columns; not safe against one who knows \
                   everybody's, nor against one who knows the algorithm.";

/// The text beside a recoding that is not shown by any row.
const TWO_TABLES: &str = "In two tables: quasi columns are published unchanged, so membership in the release is \
                          disclosed. The recoding forms the classes, which join them to the sensitive columns.";

/// A folder.
pub(super) fn folder(shown: &ShowAnswer, path: &Path) -> String {
    let mut text = String::new();
    let name = shown.feed.as_deref().unwrap_or("(no release yet)");
    let _ = writeln!(
        text,
        "{} ({})\n",
        printable(name),
        printable(&path.display().to_string())
    );
    releases(&mut text, &shown.releases);
    text.push('\n');
    ticks(&mut text, shown);
    match &shown.waiting {
        Some(found) => waiting(&mut text, found),
        None => wrapped(
            &mut text,
            "",
            "Waiting rows are sealed: give --key to see them.",
        ),
    }
    warned(&mut text, shown.guarantee);
    text
}

/// The text beside a release that is not safe.
pub(super) fn warned(text: &mut String, guarantee: Option<Guarantee>) {
    if guarantee == Some(Guarantee::Bcf) {
        wrapped(text, "", BCF);
    }
}

/// Releases, as a table.
pub(super) fn releases(text: &mut String, releases: &[ReleaseLine]) {
    if releases.is_empty() {
        return text.push_str("There is no release yet.\n");
    }
    let counted = ["rows", "classes", "smallest class", "loss"].map(Head::Right);
    let heads = [
        Head::Right("release"),
        Head::Right("chain"),
        Head::Left("time"),
    ]
    .into_iter()
    .chain(counted);
    let mut table = TextTable::new(&heads.collect::<Vec<_>>());
    for line in releases {
        let [release, chain] = [line.release, line.chain].map(|number| number.to_string());
        let counts = [line.rows, line.classes, line.smallest_class].map(|count| count.to_string());
        let loss = format!("{:.3}", line.loss);
        table.row(
            [release, chain, line.time.clone()]
                .into_iter()
                .chain(counts)
                .chain([loss]),
        );
    }
    table.write(text, "");
}

fn ticks(text: &mut String, shown: &ShowAnswer) {
    let notable = |outcome| outcome != InputOutcome::Published;
    let all: Vec<_> = shown
        .ticks
        .iter()
        .filter(|tick| notable(tick.answer.outcome) || tick.step.is_some())
        .collect();
    if all.is_empty() {
        return;
    }
    text.push_str("Ticks worth a look\n");
    if all.len() > MOST_TICKS {
        let _ = writeln!(
            text,
            "  ({} earlier ones not shown)",
            all.len() - MOST_TICKS
        );
    }
    for tick in all.iter().skip(all.len().saturating_sub(MOST_TICKS)) {
        let outcome = match tick.answer.outcome {
            InputOutcome::Published => "published",
            InputOutcome::Waiting => "waiting: no row was added",
            InputOutcome::Held => "held: too few rows for a release",
            InputOutcome::Rejected => "rejected",
            InputOutcome::Stopped => "stopped",
            InputOutcome::Known => "known",
        };
        // "Rows are held" already says why there is no recoding.
        let step = tick
            .step
            .as_ref()
            .filter(|_| tick.answer.outcome != InputOutcome::Held);
        let step = step.map_or(String::new(), |step| format!("; {step}"));
        wrapped(
            text,
            &format!("  {:>5}  ", tick.tick),
            &format!("{}: {outcome}{step}", printable(&tick.file)),
        );
        for reason in &tick.answer.reasons {
            wrapped(text, "         - ", &reason.text);
        }
        for advice in advice(&tick.answer.reasons) {
            wrapped(text, "         what to do: ", advice);
        }
    }
    text.push('\n');
}

/// People who are not published.
pub(super) fn waiting(text: &mut String, found: &Waiting) {
    text.push_str("Not published\n");
    let mut line = format!("{} waiting", rows(found.rows));
    if found.pending > 0 {
        let _ = write!(
            line,
            ", {} with a class, for the next release that is approved",
            rows(found.pending)
        );
    }
    wrapped(text, "  ", &line);
    if found.stopped {
        wrapped(
            text,
            "  ",
            "This chain has stopped: a check on sensitive values failed. Start a new one with `tidegate new-chain`.",
        );
    }
    if !found.ages.is_empty() {
        let age = |ticks: u32| match ticks {
            0 => "since the newest tick".to_owned(),
            1 => "for 1 tick".to_owned(),
            ticks => format!("for {ticks} ticks"),
        };
        let ages: Vec<String> = found
            .ages
            .iter()
            .map(|of| format!("{} {}", rows(of.rows), age(of.ticks)))
            .collect();
        wrapped(text, "  waiting: ", &ages.join(", "));
    }
    for crowd in &found.crowds {
        wrapped(
            text,
            &format!("  {:>7}  ", crowd.rows),
            &printable(&crowd.class),
        );
    }
    if let Some(halving) = &found.halving {
        wrapped(text, "  ", &turns(halving));
    }
    if let Some(uniform) = &found.uniform {
        wrapped(text, "  ", &alike(uniform));
    }
    if let Some(next) = &found.next {
        let most = if next.at_most && next.added > 0 {
            "at most "
        } else {
            ""
        };
        let said = format!(
            "Without new rows the next tick adds {most}{}.",
            rows(next.added)
        );
        wrapped(text, "  ", &said);
    }
    if let Some(new_chain) = &found.new_chain {
        let said = format!(
            "The labels of this chain never change. A new chain (`tidegate new-chain`) would publish {} of these at once, \
             with labels of its own.",
            rows(new_chain.added)
        );
        wrapped(text, "  ", &said);
    }
    text.push('\n');
}

/// When a chain of crowds publishes next.
fn turns(halving: &HalvingLine) -> String {
    let when = |ticks: u64| {
        if ticks == 1 {
            "at the next tick".to_owned()
        } else {
            format!("in {ticks} ticks")
        }
    };
    let (next, sweep) = (when(halving.ticks), when(halving.sweep));
    let least = "only as far as necessary, so that few are left over";
    if sweep == next {
        format!("The waiting rows are divided into classes {next}, {least}.")
    } else {
        format!("The waiting rows are divided into classes {next}; {sweep} {least}.")
    }
}

/// The number of people whose sensitive value is known to every reader who finds their class.
fn alike(uniform: &UniformLine) -> String {
    let percent = 100.0 * uniform.share;
    let column = printable(&uniform.column);
    if uniform.rows == 0 {
        return format!("No published class shows only one `{column}`.");
    }
    let remedy = match uniform.k {
        None => String::new(),
        Some(k) => format!(" With k = {k} it would be about half as many."),
    };
    format!(
        "{} published ({percent:.1} %) are in classes that show only one `{column}`.{remedy}",
        rows(uniform.rows)
    )
}

fn rows(count: u64) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}

/// A halted feed.
pub(super) fn halted(halt: &Halt) -> String {
    let mut text = String::new();
    let Halt {
        since,
        reason,
        what_to_do,
    } = halt;
    wrapped(
        &mut text,
        "",
        &format!("Halted since {}: {}", printable(since), printable(reason)),
    );
    wrapped(
        &mut text,
        "",
        &format!("What to do: {}", printable(what_to_do)),
    );
    text
}

/// Missing or changed files in the roots of a feed; empty if there are none.
pub(super) fn damaged(damaged: &[String]) -> String {
    let mut text = String::new();
    if !damaged.is_empty() {
        text.push_str("Missing or changed (restore it from a backup; `tidegate verify FEED` checks everything):\n");
        damaged
            .iter()
            .for_each(|one| wrapped(&mut text, "  ", &printable(one)));
        text.push('\n');
    }
    text
}

/// One release of a folder.
pub(super) fn release(shown: &ReleaseShown) -> String {
    let Some(tick) = &shown.verdict else {
        return release_text(&shown.manifest, None, None);
    };
    let search = SearchRecord {
        levels: tick.answer.levels.as_ref(),
        refused: &tick.refused,
        repairs: &tick.repairs,
    };
    release_text(&shown.manifest, tick.verdict.as_ref(), Some(search))
}

/// One release of a feed.
pub(super) fn release_of(manifest: &Manifest, recorded: Option<&RecordedTick>) -> String {
    let Some(tick) = recorded else {
        return release_text(manifest, None, None);
    };
    let search = SearchRecord {
        levels: tick.levels.as_ref(),
        refused: &tick.refused,
        repairs: &tick.repairs,
    };
    release_text(manifest, tick.verdict.as_ref(), Some(search))
}

/// What the operator's record says of the search for a release.
struct SearchRecord<'r> {
    levels: Option<&'r LevelsRecord>,
    refused: &'r [RefusalRecord],
    repairs: &'r [Repaired],
}

fn release_text(
    of: &Manifest,
    verdict: Option<&Verdict>,
    search: Option<SearchRecord<'_>>,
) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: release {} of chain {}, {}\n",
        printable(&of.feed),
        of.release,
        of.chain,
        of.time
    );
    let said = format!(
        "{} in {} classes, the smallest has {} (k = {}); Loss {:.4}, discernibility {:.4}",
        rows(of.rows),
        of.classes,
        of.smallest_class,
        of.k,
        of.loss,
        of.discernibility
    );
    wrapped(&mut text, "", &said);
    if of.two_tables() {
        text.push('\n');
        wrapped(&mut text, "", TWO_TABLES);
    }
    text.push_str("\nRecoding\n");
    for (column, labels) in &of.recoding.0 {
        let labels: Vec<String> = labels.iter().map(|label| printable(label)).collect();
        wrapped(
            &mut text,
            &format!("  {}: ", printable(column)),
            &shortened(&labels),
        );
    }
    text.push_str("\nChecks\n");
    checks(&mut text, of, verdict);
    if let Some(search) = search {
        if let Some(found) = search.levels {
            text.push('\n');
            wrapped(&mut text, "Levels: ", &levels(found));
        }
        write_repairs(&mut text, search.repairs);
        kept_back(&mut text, search.refused);
    }
    if of.guarantee == Some(Guarantee::Bcf) {
        text.push('\n');
        wrapped(&mut text, "", BCF);
    }
    text
}

/// Labels, shortened so that a person can read them.
fn shortened(labels: &[String]) -> String {
    const MOST: usize = 40;
    // Labels of runs contain the usual separator.
    let between = if labels.iter().any(|label| label.contains(" | ")) {
        "; "
    } else {
        " | "
    };
    if labels.len() <= MOST {
        return labels.join(between);
    }
    format!(
        "{}{between}… ({} labels)",
        labels[..MOST].join(between),
        labels.len()
    )
}

/// Classes that were returned to the waiting rows, and columns that became coarser.
fn write_repairs(text: &mut String, repairs: &[Repaired]) {
    if !repairs.is_empty() {
        text.push_str("\nWhat was repaired before the release was checked\n");
    }
    for repair in repairs {
        let done = match (&repair.column, repair.classes) {
            (Some(column), _) => format!("{} is coarser", printable(column)),
            (None, 1) => "its class waits".to_owned(),
            (None, classes) => format!("{classes} classes wait"),
        };
        wrapped(text, &format!("  {done}: "), &printable(&repair.text));
    }
}

fn checks(text: &mut String, of: &Manifest, verdict: Option<&Verdict>) {
    let figure = |figure: Option<Figure>| match figure {
        None => "-".to_owned(),
        Some(Figure::Whole(count)) => count.to_string(),
        Some(Figure::Real(number)) if number.get() >= 1e9 => format!("{:.1e}", number.get()),
        Some(Figure::Real(number)) => format!("{:.4}", number.get()),
    };
    let mut table = TextTable::without_head([false, false, true, true]);
    for line in &of.checks {
        // The operator may see figures that the public manifest leaves out.
        let found = verdict.and_then(|verdict| {
            verdict
                .checks
                .iter()
                .find(|check| check.check == line.check)
        });
        let value = line.value.or_else(|| found.and_then(|check| check.value));
        let made = if line.made { "made" } else { "not made" };
        let figures = [("found", value), ("limit", line.limit)]
            .map(|(name, of)| format!("{name} {}", figure(of)));
        table.row(
            [line.check.to_string(), made.to_owned()]
                .into_iter()
                .chain(figures),
        );
    }
    table.write(text, "  ");
}

/// Candidates that the search rejected.
fn kept_back(text: &mut String, refused: &[RefusalRecord]) {
    if !refused.is_empty() {
        text.push_str("\nWhat the search refused to show in more detail\n");
    }
    for refused in refused.iter().take(MOST_REFUSED) {
        let head = format!(
            "  {}, below `{}`: ",
            printable(&refused.column),
            printable(&refused.label)
        );
        wrapped(text, &head, &refused.text);
    }
    if refused.len() > MOST_REFUSED {
        let _ = writeln!(
            text,
            "  … and {} more, in the verdict file",
            refused.len() - MOST_REFUSED
        );
    }
}
