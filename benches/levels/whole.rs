//! Whole processes: this program starts itself again for each data set, reads the data, searches
//! and ends. The parent measures the time from the start of the process to its end; the process
//! reports the rest and its peak memory.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tidegate::engine::label::levels::LevelsSearch;

use super::sets::{ALL, HUGE, SETS, Set, Task, WIDE, percent};

/// The first argument of a process that reads and searches.
pub const CHILD: &str = "--child";
/// Runs of each search; the median is reported.
const RUNS: usize = 3;

/// The figures of another implementation (ARX, on the same data): seconds for the search and for
/// the whole process, and checked states.
const REFERENCE: [(f64, f64, u64); 3] =
    [(1.13, 3.0, 1_217), (6.19, 10.7, 1_524), (4.26, 7.6, 1_342)];
/// The least megabytes that it needs for one of them.
const REFERENCE_MB: f64 = 353.0;

/// The figures that one process reports and the parent measures.
#[derive(Clone)]
struct Run {
    whole: f64,
    read: f64,
    search: f64,
    megabytes: f64,
    states: u128,
    checked: u64,
    loss: f64,
    bound: f64,
    suppressed: u64,
}

/// The process that reads and searches.
pub fn child(folder: &Path, words: &[String]) {
    let [name, width, seconds] = words else {
        panic!("a data set, a number of columns and of seconds")
    };
    let set = ALL
        .into_iter()
        .find(|set| set.name == name)
        .expect("a data set");
    let limit = Duration::from_secs(seconds.parse().expect("a number of seconds"));
    let start = Instant::now();
    let data = set.read(folder, width.parse().expect("a number of columns"));
    let read = start.elapsed();
    let start = Instant::now();
    let task = Task::of(&data);
    drop(data);
    let found = LevelsSearch::new(&task.problem()).best_first(|_| start.elapsed() > limit);
    let (search, best) = (start.elapsed(), found.best.expect("a state that fits"));
    println!(
        "{} {} {} {} {} {} {} {}",
        read.as_secs_f64(),
        search.as_secs_f64(),
        most_kilobytes(),
        task.lattice.states(),
        found.checked,
        best.figure,
        found.bound.unwrap_or(best.figure),
        best.suppressed
    );
}

/// The peak memory of this process, as the system reports it.
fn most_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a system that tells it");
    let most = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    });
    most.expect("a number of kilobytes")
}

fn run(set: &Set, width: usize, limit: Duration) -> Run {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args([
        CHILD,
        set.name,
        &width.to_string(),
        &limit.as_secs().to_string(),
    ]);
    let start = Instant::now();
    let output = command.output().expect("a process");
    let whole = start.elapsed().as_secs_f64();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("a text");
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| words[at].parse::<f64>().expect("a number");
    Run {
        whole,
        read: number(0),
        search: number(1),
        megabytes: number(2) / 1_000.0 * 1.024,
        states: words[3].parse().expect("a number"),
        checked: words[4].parse().expect("a number"),
        loss: number(5),
        bound: number(6),
        suppressed: words[7].parse().expect("a number"),
    }
}

/// The median run by its total time.
fn median(set: &Set, width: usize, limit: Duration) -> Run {
    let mut runs: Vec<Run> = (0..RUNS).map(|_| run(set, width, limit)).collect();
    runs.sort_by(|one, other| one.whole.total_cmp(&other.whole));
    runs.swap_remove(RUNS / 2)
}

pub fn table(limit: Duration) {
    println!(
        "\nWhole processes (the middle of {RUNS} by whole seconds), best-first, at most {} s for the search",
        limit.as_secs()
    );
    println!(
        "data           columns            states    checked  checked %      Loss     bound  suppressed   read s  search s   whole s     MB"
    );
    let mut compared = Vec::new();
    let few = SETS.into_iter().map(|set| (set, set.columns.len()));
    let wide = (9..=14).map(|width| (&WIDE, width));
    for (set, width) in few.chain(wide).chain([(&HUGE, HUGE.columns.len())]) {
        let run = median(set, width, limit);
        println!(
            "{:14} {width:>7} {:>17} {:>10} {:>10.4} {:>9.6} {:>9.6} {:>11} {:>8.3} {:>9.3} {:>9.3} {:>6.1}",
            set.name,
            run.states,
            run.checked,
            percent(run.checked, run.states),
            run.loss,
            run.bound,
            run.suppressed,
            run.read,
            run.search,
            run.whole,
            run.megabytes
        );
        compared.push((set.name, run));
    }
    println!(
        "\nAgainst the reference (ARX), which checks more states: goals are a tenth of its search, a twentieth of the whole, a quarter of {REFERENCE_MB} MB, no more checks"
    );
    for ((name, run), (search, whole, checked)) in compared.into_iter().zip(REFERENCE) {
        goal(name, "search, s", run.search, search, 10.0);
        goal(name, "whole, s", run.whole, whole, 20.0);
        goal(name, "memory, MB", run.megabytes, REFERENCE_MB, 4.0);
        goal(
            name,
            "checked states",
            run.checked as f64,
            checked as f64,
            1.0,
        );
    }
}

/// Whether a figure is at most this fraction of that of the reference.
fn goal(name: &str, what: &str, ours: f64, reference: f64, part: f64) {
    let is_met = if ours <= reference / part {
        "met"
    } else {
        "NOT MET"
    };
    println!(
        "{name:10} {what:14} {ours:>9.3} of {reference:>9.3}: 1/{:<6.1} goal 1/{part:<3.0} {is_met}",
        reference / ours
    );
}
