//! Full-domain searches on public data (folders of `TIDEGATE_DATA`; SCIENCE 8), k = 5, at most 5 % of the rows suppressed, geometric
//! Loss, in the form of the paper on lattice search (ARX):
//!
//! - **searches**: best-first, Flash and greedy, with the states that each checked, and seconds for reading the data and for searching;
//! - **properties** (table 2): what Flash knows of states that it does not check;
//! - **options** (table 1): how long Flash takes to keep and ask these properties, by a list, a list that is an antichain, a prefix
//!   tree, and one that knows ranks;
//! - **columns** (table 4): best-first on 3 and more columns of a table of 16.
//!
//!     TIDEGATE_DATA=… cargo bench --bench levels [-- searches | properties | options | columns [SECONDS]]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "levels/lists.rs"]
mod lists;

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use common::levels::Data;
use common::needs;
use lists::{List, Timed};
use tidegate::engine::anonymizer::levels::{
    Antichain, Costs, Found, Inherited, Lattice, Objective, Privacy, Problem, Rows, Search, Tracked, Usage,
};

/// A data set and its columns.
const SETS: [(&str, &[&str]); 3] = [
    (
        "adult",
        &[
            "sex",
            "age",
            "race",
            "marital-status",
            "education",
            "native-country",
            "workclass",
            "occupation",
            "salary-class",
        ],
    ),
    ("cup", &["ZIP", "AGE", "GENDER", "INCOME", "STATE", "RAMNTALL", "NGIFTALL", "MINRAMNT"]),
    ("fars_int", &["iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"]),
];
const WIDE: (&str, [&str; 16]) = (
    "mach2019_int",
    [
        "age",
        "familysize",
        "gender",
        "married",
        "race",
        "religion",
        "Q1A",
        "Q2A",
        "Q3A",
        "Q4A",
        "Q5A",
        "Q6A",
        "Q7A",
        "Q8A",
        "Q9A",
        "Q10A",
    ],
);

/// A whole search.
type Run = fn(Search<'_>) -> Found;

/// A search that is ready to begin.
struct Task {
    lattice: Lattice,
    rows: Rows,
    privacy: Privacy,
    objective: Objective,
    read: Duration,
}

impl Task {
    fn of(folder: &Path, columns: &[&str]) -> Task {
        let start = Instant::now();
        let data = Data::read(folder, &columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), None);
        let read = start.elapsed();
        let trees = data.trees();
        let (lattice, rows) = (Lattice::of(&trees), data.table(false));
        let objective = Objective::Columns(Costs::loss(&rows, &lattice, &trees, 1_000));
        Task { lattice, rows, privacy: Privacy::k(5), objective, read }
    }

    fn problem(&self) -> Problem<'_> {
        let Task { lattice, rows, privacy, objective, .. } = self;
        Problem { rows, lattice, privacy, suppressed: rows.all() / 20, objective }
    }
}

fn main() {
    let Some(folder) = needs::data() else { return };
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let asked = |name: &str| words.first().is_none_or(|word| word == name);
    let tasks: Vec<(&str, Task)> =
        SETS.iter().map(|(name, columns)| (*name, Task::of(&folder.join(name), columns))).collect();
    if asked("searches") {
        searches(&tasks);
    }
    if asked("properties") {
        properties(&tasks);
    }
    if asked("options") {
        options(&tasks);
    }
    if asked("columns") {
        let seconds = words.get(1).map_or(60, |word| word.parse().expect("a number of seconds"));
        columns(&folder, Duration::from_secs(seconds));
    }
}

fn searches(tasks: &[(&str, Task)]) {
    println!("data        states  search      Loss      checked   suppressed  read s  search s    MB at hand");
    for (name, task) in tasks {
        let problem = task.problem();
        let searches: [(&str, Run); 3] = [
            ("best-first", |search| search.best_first(|_| false)),
            ("Flash", |search| search.flash()),
            ("greedy", |search| search.greedy()),
        ];
        for (kind, search) in searches {
            let start = Instant::now();
            let found = search(Search::new(&problem));
            let spent = start.elapsed().as_secs_f64();
            let best = found.best.expect("a state that fits");
            println!(
                "{name:10} {:>7}  {kind:10}  {:.6} {:>9} {:>12} {:>7.2} {spent:>9.3} {:>13}",
                task.lattice.states(),
                best.figure,
                found.checked,
                best.suppressed,
                task.read.as_secs_f64(),
                found.bytes >> 20
            );
        }
    }
}

fn properties(tasks: &[(&str, Task)]) {
    println!("\ndata        states  checked          property     inserts   hits %  largest antichain, % of inserts");
    for (name, task) in tasks {
        let found = Search::new(&task.problem()).flash();
        let states = task.lattice.states();
        let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
        for (property, Usage { queries, hits, inserts, largest }) in
            [("quality", found.quality), ("protection", found.protection)]
        {
            println!(
                "{name:10} {states:>7} {:>6} ({:>4.1} %)  {property:11} {inserts:>8} {:>8.2} {:>8.2}",
                found.checked,
                share(found.checked, states as u64),
                share(hits, queries),
                share(largest as u64, inserts)
            );
        }
    }
}

fn options(tasks: &[(&str, Task)]) {
    println!("\nmilliseconds for asking and keeping both properties, with Flash (median of 5)");
    println!("data        list  antichain  prefix tree  with ranks");
    for (name, task) in tasks {
        let problem = task.problem();
        let heights = task.lattice.heights();
        let spent = |option: usize| {
            let spent = Rc::new(Cell::new(Duration::ZERO));
            let property = |inherited: Inherited| -> Box<dyn Tracked> {
                let spent = spent.clone();
                match option {
                    0 => Box::new(Timed { property: List::new(inherited, false), spent }),
                    1 => Box::new(Timed { property: List::new(inherited, true), spent }),
                    2 => Box::new(Timed { property: Antichain::new(&heights, inherited).without_ranks(), spent }),
                    _ => Box::new(Timed { property: Antichain::new(&heights, inherited), spent }),
                }
            };
            Search::with(&problem, property(Inherited::Upward), property(Inherited::Downward)).flash();
            spent.get()
        };
        let median = |option: usize| {
            let mut all: Vec<Duration> = (0..5).map(|_| spent(option)).collect();
            all.sort_unstable();
            all[2].as_secs_f64() * 1_000.0
        };
        println!("{name:10} {:>5.1} {:>10.1} {:>12.1} {:>11.1}", median(0), median(1), median(2), median(3));
    }
}

fn columns(folder: &Path, limit: Duration) {
    println!("\n{}, best-first, at most {} s each", WIDE.0, limit.as_secs());
    println!("columns          states   checked  (%)         Loss      bound    seconds");
    for width in 3..=WIDE.1.len() {
        let task = Task::of(&folder.join(WIDE.0), &WIDE.1[..width]);
        let start = Instant::now();
        let found = Search::new(&task.problem()).best_first(|_| start.elapsed() > limit);
        let best = found.best.expect("a state that fits").figure;
        let states = task.lattice.states();
        println!(
            "{width:>7} {states:>15} {:>9}  {:<8.4} {best:.6} {:>10.6} {:>10.2}",
            found.checked,
            100.0 * found.checked as f64 / states as f64,
            found.bound.unwrap_or(best),
            start.elapsed().as_secs_f64()
        );
    }
}
