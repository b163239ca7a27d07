//! The paper's tables 1 to 4, with its own figures.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tidegate::engine::label::levels::{
    Antichain, CountedProperty, LevelsSearch, Monotonicity, Usage, flash,
};

use super::lists::{List, Timed};
use super::paper;
use super::sets::{SETS, Task, WIDE, percent};

/// Inserts, hits and the largest antichain, as tables 2 and 4 have them.
fn used(
    Usage {
        queries,
        hits,
        inserts,
        largest,
    }: Usage,
) -> paper::Used {
    (
        inserts,
        percent(hits, queries.into()),
        percent(largest as u64, inserts.into()),
    )
}

/// Columns of the table in which the paper's options were compared over many columns.
const TEN: usize = 10;

/// Table 1; the wide table takes minutes.
pub fn options(folder: &Path, with_wide: bool) {
    println!(
        "\nTable 1: seconds for asking and keeping both properties, with Flash (median of 5), and the paper's"
    );
    println!(
        "data                     list  antichain  prefix tree  with ranks   paper: list  antichain  tree  ranks"
    );
    let tasks = SETS
        .iter()
        .map(|set| (set.name.to_owned(), set.task(folder, set.columns.len())));
    let wide = with_wide.then(|| {
        (
            format!("{}, {TEN} columns", WIDE.name),
            WIDE.task(folder, TEN),
        )
    });
    for ((name, task), (paper_name, paper)) in tasks.chain(wide).zip(paper::TABLE_1) {
        let ours: Vec<f64> = (0..paper.len())
            .map(|option| median(&task, option))
            .collect();
        println!(
            "{name:24} {:>6.4} {:>8.4} {:>12.4} {:>11.4}   {paper_name:>8} {:>8.3} {:>6.3} {:>6.3} {:>6.3}",
            ours[0], ours[1], ours[2], ours[3], paper[0], paper[1], paper[2], paper[3]
        );
    }
}

fn median(task: &Task, option: usize) -> f64 {
    let mut all: Vec<Duration> = (0..5).map(|_| spent(task, option)).collect();
    all.sort_unstable();
    all[all.len() / 2].as_secs_f64()
}

/// The time for both properties, kept in one of four ways.
fn spent(task: &Task, option: usize) -> Duration {
    let (problem, heights) = (task.problem(), task.lattice.heights());
    let spent = Rc::new(Cell::new(Duration::ZERO));
    let property = |inherited: Monotonicity| -> Box<dyn CountedProperty> {
        let spent = spent.clone();
        match option {
            0 => Box::new(Timed {
                property: List::new(inherited, false),
                spent,
            }),
            1 => Box::new(Timed {
                property: List::new(inherited, true),
                spent,
            }),
            2 => Box::new(Timed {
                property: Antichain::new(&heights, inherited).without_ranks(),
                spent,
            }),
            _ => Box::new(Timed {
                property: Antichain::new(&heights, inherited),
                spent,
            }),
        }
    };
    flash(LevelsSearch::with(
        &problem,
        property(Monotonicity::Upward),
        property(Monotonicity::Downward),
    ));
    spent.get()
}

/// Table 2.
pub fn properties(folder: &Path) {
    println!("\nTable 2: Flash; largest antichain in per cent of inserts");
    println!(
        "data        states   checked          property     inserts  hits %  antichain %   paper: checked  inserts  hits %  antichain %"
    );
    for (set, (paper_checked, paper)) in SETS.into_iter().zip(paper::TABLE_2) {
        let task = set.task(folder, set.columns.len());
        let found = flash(LevelsSearch::new(&task.problem()));
        let states = task.lattice.states();
        let ours = [
            ("quality", used(found.quality)),
            ("protection", used(found.protection)),
        ];
        for ((property, (inserts, hits, largest)), (paper_inserts, paper_hits, paper_largest)) in
            ours.into_iter().zip(paper)
        {
            println!(
                "{:10} {states:>7} {:>6} ({:>5.2} %)  {property:11} {inserts:>8} {hits:>7.2} {largest:>12.2} {paper_checked:>16} {paper_inserts:>8} {paper_hits:>7.2} {paper_largest:>12.2}",
                set.name,
                found.checked,
                percent(found.checked, states)
            );
        }
    }
}

/// Table 3.
pub fn prediction(folder: &Path, limit: Duration, widest: usize) {
    println!(
        "\nTable 3: {}, best-first without prediction (nothing is concluded about other states but by what labels cost) and with it, at most {} s each; the paper's seconds are those of SS13ACS",
        WIDE.name,
        limit.as_secs()
    );
    println!(
        "columns   checked without      with   seconds without     with   improvement   paper: without      with  improvement"
    );
    let mut is_over = true;
    for (width, (paper_without, paper_with)) in
        (paper::FEWEST + 1..=WIDE.columns.len().min(widest)).zip(paper::TABLE_3)
    {
        let task = WIDE.task(folder, width);
        let problem = task.problem();
        let run = |search: LevelsSearch<'_>| {
            let start = Instant::now();
            let found = search.best_first(|_| start.elapsed() > limit);
            (
                found.checked,
                start.elapsed().as_secs_f64(),
                found.bound.is_none(),
            )
        };
        let (checked, with, _) = run(LevelsSearch::new(&problem));
        let (unpredicted, without, ended) = match is_over {
            true => run(LevelsSearch::new(&problem).without_prediction()),
            false => (0, f64::NAN, false),
        };
        let without_text = match (is_over, ended) {
            (true, true) => format!("{without:.3}"),
            (true, false) => format!("> {without:.3}"),
            (false, _) => "-".to_owned(),
        };
        let unpredicted = if is_over {
            unpredicted.to_string()
        } else {
            "-".to_owned()
        };
        is_over = ended;
        let better = |without: f64, with: f64| 100.0 * (without - with) / without;
        let improvement = if ended {
            format!("{:.2} %", better(without, with))
        } else {
            "-".to_owned()
        };
        println!(
            "{width:>7} {unpredicted:>17} {checked:>9} {without_text:>16} {with:>8.3} {improvement:>13} {paper_without:>16.3} {paper_with:>9.3} {:>10.2} %",
            better(paper_without, paper_with)
        );
    }
}

/// Table 4.
pub fn columns(folder: &Path, limit: Duration, widest: usize) {
    println!(
        "\nTable 4: {}, best-first, at most {} s each; the property is that of insufficient protection, since what labels cost tells insufficient quality; the paper's is that of quality, and its data SS13ACS",
        WIDE.name,
        limit.as_secs()
    );
    println!(
        "columns       states   checked (%)            Loss     bound  inserts  hits %  antichain %   seconds   paper: states   checked (%)       inserts  hits %  antichain %"
    );
    for width in paper::FEWEST..=WIDE.columns.len().min(widest) {
        let task = WIDE.task(folder, width);
        let start = Instant::now();
        let found = LevelsSearch::new(&task.problem()).best_first(|_| start.elapsed() > limit);
        let seconds = start.elapsed().as_secs_f64();
        let best = found.best.expect("a state that fits").figure;
        let states = task.lattice.states();
        let (inserts, hits, largest) = used(found.protection);
        print!(
            "{width:>7} {states:>12} {:>9} ({:>8.4} %) {best:>9.6} {:>9.6} {inserts:>8} {hits:>7.2} {largest:>12.2} {seconds:>9.2}",
            found.checked,
            percent(found.checked, states),
            found.bound.unwrap_or(best)
        );
        match paper::TABLE_4.get(width - paper::FEWEST) {
            Some(&(states, checked, (inserts, hits, largest))) => println!(
                " {states:>15} {checked:>9} ({:>5.2} %) {inserts:>9} {hits:>7.2} {largest:>12.2}",
                percent(checked, states.into())
            ),
            None => println!(),
        }
    }
}
