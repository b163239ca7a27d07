//! The paper's figures 5 to 7, as far as public data allow, beside its own results.

use std::path::Path;
use std::time::{Duration, Instant};

use tidegate::engine::label::levels::{Levels, LevelsProblem, LevelsSearch, flash};

use super::paper;
use super::sets::{SETS, WIDE};

/// A point of figures 5 and 6.
#[allow(dead_code, reason = "the bench `papers` draws it")]
pub struct Width {
    pub columns: usize,
    /// States that the antichains of best-first search keep, and all states.
    pub kept: usize,
    pub states: u128,
    pub best_first: Duration,
    /// The time of Flash, where it ran.
    pub flash: Option<Duration>,
}

/// Figures 5 and 6: the kept part of the lattice, and the time of the searches.
pub fn space_and_time(folder: &Path, limit: Duration, widest: usize) -> Vec<Width> {
    println!(
        "\nFigures 5 and 6: {}; states that antichains keep, and seconds, best-first for at most {} s; Flash has no limit and ends with the widest table that took it less than a tenth of that; the paper's figures are those of SS13ACS",
        WIDE.name,
        limit.as_secs()
    );
    println!(
        "columns       states   kept: Flash  best-first   seconds: Flash  best-first   paper, MB: all states  antichains   seconds: Flash  best-first"
    );
    let (mut walks, mut widths) = (true, Vec::new());
    for width in paper::FEWEST..=WIDE.columns.len().min(widest) {
        let task = WIDE.task(folder, width);
        let problem = task.problem();
        let run = |search: &dyn Fn(Instant) -> usize| {
            let start = Instant::now();
            (search(start), start.elapsed())
        };
        let (kept, spent) = run(&|start| {
            let found = LevelsSearch::new(&problem).best_first(|_| start.elapsed() > limit);
            found.quality.largest + found.protection.largest
        });
        let flash = walks.then(|| {
            run(&|_| {
                let found = flash(LevelsSearch::new(&problem));
                found.quality.largest + found.protection.largest
            })
        });
        walks = flash.is_some_and(|(_, spent)| spent < limit / 10);
        let states = task.lattice.states();
        let flash_time = flash.map(|(_, spent)| spent);
        widths.push(Width {
            columns: width,
            kept,
            states,
            best_first: spent,
            flash: flash_time,
        });
        let (flash_kept, flash_spent) = flash
            .map_or((String::from("–"), f64::NAN), |(kept, spent)| {
                (kept.to_string(), spent.as_secs_f64())
            });
        let at = width - paper::FEWEST;
        let (all, antichains) = paper::FIGURE_5
            .get(at)
            .copied()
            .unwrap_or((f64::NAN, f64::NAN));
        let (paper_flash, paper_best_first) = paper::FIGURE_6
            .get(at)
            .copied()
            .unwrap_or((f64::NAN, f64::NAN));
        println!(
            "{width:>7} {:>12} {flash_kept:>13} {kept:>11} {flash_spent:>16.3} {:>11.3} {all:>23.1} {antichains:>11.1} {paper_flash:>16.3} {paper_best_first:>11.3}",
            states,
            spent.as_secs_f64()
        );
    }
    widths
}

/// Loss after numbers of checked states, for a data set and a number of columns.
pub type Series = (&'static str, usize, Vec<(u64, f64)>);

/// Figure 7: how early the optimum is found, and the Loss before that.
pub fn heuristic(folder: &Path, limit: Duration, widest: usize) -> Vec<Series> {
    println!(
        "\nFigure 7a: states that are checked until best-first search has found the optimum, and until it is over, at most {} s; the paper's beside",
        limit.as_secs()
    );
    println!(
        "data           columns     found      over  found, %   paper: found      over  found, %"
    );
    let mut series = Vec::new();
    for (set, paper) in SETS.into_iter().chain([&WIDE]).zip(paper::FIGURE_7) {
        for width in paper::FEWEST..=set.columns.len().min(widest) {
            let task = set.task(folder, width);
            let problem = task.problem();
            let start = Instant::now();
            let whole = LevelsSearch::new(&problem).best_first(|_| start.elapsed() > limit);
            if whole.bound.is_some() {
                break;
            }
            let best = whole.best.expect("a state that fits").levels;
            let (found, steps) = until(&problem, &best);
            let share = |found: u64, over: u64| 100.0 * found as f64 / over as f64;
            let (paper_found, paper_over) =
                paper.get(width - paper::FEWEST).copied().unwrap_or((0, 0));
            println!(
                "{:14} {width:>7} {found:>9} {:>9} {:>9.3} {paper_found:>14} {paper_over:>9} {:>9.3}",
                set.name,
                whole.checked,
                share(found, whole.checked),
                share(paper_found, paper_over)
            );
            if width == set.columns.len() || set.name == WIDE.name {
                series.push((set.name, width, steps));
            }
        }
    }
    println!("\nFigure 7b: Loss after so many checked states, up to the optimum");
    for (name, width, steps) in &series {
        let steps: Vec<String> = steps
            .iter()
            .map(|(checked, loss)| format!("{checked}: {loss:.4}"))
            .collect();
        println!("{name}, {width} columns: {}", steps.join(", "));
    }
    series
}

/// The number of checked states after which a search has found a state, and the Loss on the way:
/// the search is run again and again with a limit, which is doubled and then bisected.
fn until(problem: &LevelsProblem<'_>, best: &Levels) -> (u64, Vec<(u64, f64)>) {
    let stopped = |after: u64| {
        let found = LevelsSearch::new(problem).best_first(|checked| checked >= after);
        let state = found.best.expect("a state that fits");
        (state.levels == *best, found.checked, state.figure)
    };
    let (mut before, mut after, mut steps) = (0, 1, Vec::new());
    let mut checked = loop {
        let (is_best, checked, loss) = stopped(after);
        if steps.last().is_none_or(|&(last, _)| last != checked) {
            steps.push((checked, loss));
        }
        if is_best {
            break checked;
        }
        (before, after) = (after, 2 * after);
    };
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        let (is_best, found, _) = stopped(middle);
        if is_best {
            (after, checked) = (middle, found);
        } else {
            before = middle;
        }
    }
    (checked, steps)
}
