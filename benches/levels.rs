//! Full-domain searches on public data (folders of `TIDEGATE_DATA`; SCIENCE 8), k = 5, at most 5 %
//! of the rows suppressed, geometric Loss. The tables and figures are those of the paper on lattice
//! search (ARX), with its own figures beside ours:
//!
//! - **searches**: best-first, Flash and greedy, with the states that each checked, and seconds for
//!   reading the data and for searching;
//! - **whole**: a process for each data set, its seconds and peak memory, and their ratio to those
//!   of the reference;
//! - **options** (table 1): the time that Flash takes to insert into and query both properties,
//!   with a list, a list that is an antichain, a prefix tree, and one that knows ranks;
//! - **properties** (table 2): what Flash knows about states that it does not check;
//! - **prediction** (table 3): best-first with and without conclusions about other states;
//! - **columns** (table 4): best-first on 3 and more columns of a table of 16;
//! - **heuristic** (table 5): best-first that is stopped early, against a greedy search;
//! - **space** (figures 5 and 6): states that are kept, and seconds, by columns;
//! - **early** (figure 7): when the optimum is found.
//!
//! Of the paper's data sets Atus and Ihis are not public, and of SS13ACS only other columns are: a
//! table of another survey takes its place. `SECONDS` (60) is the time limit of a search of many
//! columns.
//!
//!     TIDEGATE_DATA=… cargo bench --bench levels [-- PART [SECONDS]]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "levels/figures.rs"]
mod figures;
#[path = "levels/heuristic.rs"]
mod heuristic;
#[path = "levels/lists.rs"]
mod lists;
#[path = "levels/paper.rs"]
mod paper;
#[path = "levels/sets.rs"]
mod sets;
mod small;
#[path = "levels/tables.rs"]
mod tables;
#[path = "levels/whole.rs"]
mod whole;

use small::small;
use std::path::Path;
use std::time::{Duration, Instant};

use common::needs;
use sets::{CENSUS_OF_FIVE, SETS, Set, Task};
use tidegate::engine::label::levels::{LevelsResult, LevelsSearch, flash, greedy};

/// Words that are no parts.
const CARGO: [&str; 2] = ["--bench", "--test"];

/// A whole search.
type Run = fn(LevelsSearch<'_>) -> LevelsResult;

fn main() {
    let Some(folder) = needs::data() else { return };
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !CARGO.contains(&word.as_str()))
        .collect();
    if let Some((_, words)) = words
        .split_first()
        .filter(|(first, _)| *first == whole::CHILD)
    {
        return whole::child(&folder, words);
    }
    if small() {
        return searches(&folder, &SETS[..1]);
    }
    let seconds = words
        .get(1)
        .map_or(60, |word| word.parse().expect("a number of seconds"));
    let limit = Duration::from_secs(seconds);
    let parts: [(&str, &dyn Fn()); 9] = [
        ("searches", &|| {
            searches(&folder, &[&SETS[..], &[&CENSUS_OF_FIVE]].concat())
        }),
        ("whole", &|| whole::table(limit)),
        ("options", &|| tables::options(&folder, true)),
        ("properties", &|| tables::properties(&folder)),
        ("prediction", &|| {
            tables::prediction(&folder, limit, usize::MAX)
        }),
        ("columns", &|| tables::columns(&folder, limit, usize::MAX)),
        ("heuristic", &|| heuristic::table(&folder)),
        ("space", &|| {
            drop(figures::space_and_time(&folder, limit, usize::MAX))
        }),
        ("early", &|| {
            drop(figures::heuristic(&folder, limit, usize::MAX))
        }),
    ];
    let asked = words.first();
    assert!(
        asked.is_none_or(|asked| parts.iter().any(|(name, _)| name == asked)),
        "a part that this file's head names"
    );
    parts
        .iter()
        .filter(|(name, _)| asked.is_none_or(|asked| name == asked))
        .for_each(|(_, part)| part());
}

fn searches(folder: &Path, sets: &[&Set]) {
    println!(
        "data        states  search      Loss      checked   suppressed  read s  search s    MB at hand"
    );
    for set in sets {
        let start = Instant::now();
        let data = set.read(folder, set.columns.len());
        let read = start.elapsed().as_secs_f64();
        let task = Task::of(&data);
        let problem = task.problem();
        let searches: [(&str, Run); 3] = [
            ("best-first", |search| search.best_first(|_| false)),
            ("Flash", flash),
            ("greedy", greedy),
        ];
        for (kind, search) in searches {
            let start = Instant::now();
            let found = search(LevelsSearch::new(&problem));
            let spent = start.elapsed().as_secs_f64();
            let best = found.best.expect("a state that fits");
            println!(
                "{:10} {:>7}  {kind:10}  {:.6} {:>9} {:>12} {read:>7.2} {spent:>9.3} {:>13}",
                set.name,
                task.lattice.states(),
                best.figure,
                found.checked,
                best.suppressed,
                found.bytes >> 20
            );
        }
    }
}
