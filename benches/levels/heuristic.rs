//! Best-first search as a heuristic, against greedy searches (ARX, table 5).
//!
//! Greedy searches go up from the state in which nothing is generalised, step by step, and end with
//! the first state that fits. IGreedy takes the state whose smallest class is the largest; among
//! equal ones, that in which the column with the most labels has the fewest, as DataFly does. The
//! other one takes the state of least Loss, where classes that are too small are suppressed.
//!
//! The paper stops best-first search after the time that IGreedy took. Here it is stopped after as
//! many checked states, so that the table is the same on all machines; it decides several states
//! together, so that it may check some more.

use std::cmp::Reverse;
use std::path::Path;

use tidegate::engine::histogram::Headcount;
use tidegate::engine::label::levels::{Lattice, Levels, LevelsSearch};
use tidegate::engine::model::Taxonomy;

use super::paper;
use super::sets::{K, SETS, Set, Task, WIDE};

/// How a greedy search chooses between states.
#[derive(Clone, Copy)]
enum Rule {
    IGreedy,
    Loss,
}

/// The result of a greedy search.
struct Greedy {
    levels: Levels,
    checked: u64,
}

/// The rows and states of a greedy search.
struct Rows<'r> {
    people: &'r Headcount,
    lattice: &'r Lattice,
    trees: &'r [&'r Taxonomy],
    rule: Rule,
}

/// The value of a state: greater is better. Loss is given as bits, which are ordered as
/// non-negative numbers are.
type Worth = (u64, Reverse<u64>);

impl Rows<'_> {
    /// The value of a state, and the rows that it suppresses.
    fn check(&self, levels: &[u8]) -> (Worth, u64) {
        let mut keys = vec![0u128; self.people.tuples()];
        let mut most_labels = 0;
        for (column, &level) in levels.iter().enumerate() {
            let (codes, labels) = (
                self.lattice.codes(column, level),
                self.lattice.nodes(column, level).len(),
            );
            let mut is_there = vec![false; labels];
            for (key, &leaf) in keys.iter_mut().zip(self.people.column(column)) {
                let code = codes[leaf as usize];
                is_there[code as usize] = true;
                *key = *key * labels as u128 + u128::from(code);
            }
            most_labels =
                most_labels.max(is_there.into_iter().filter(|&is_there| is_there).count() as u64);
        }
        let mut rows: Vec<(u128, u64)> = keys
            .into_iter()
            .zip((0..).map(|tuple| self.people.count(tuple)))
            .collect();
        rows.sort_unstable();
        let size = |rows: &[(u128, u64)]| rows.iter().map(|&(_, rows)| rows).sum::<u64>();
        let classes: Vec<(u128, u64)> = rows
            .chunk_by(|one, next| one.0 == next.0)
            .map(|rows| (rows[0].0, size(rows)))
            .collect();
        let suppressed = classes
            .iter()
            .map(|&(_, rows)| rows)
            .filter(|&rows| rows < K)
            .sum();
        let worth = match self.rule {
            Rule::IGreedy => (
                classes.iter().map(|&(_, rows)| rows).min().unwrap_or(0),
                Reverse(most_labels),
            ),
            Rule::Loss => (0, Reverse(self.loss(levels, &classes).to_bits())),
        };
        (worth, suppressed)
    }

    /// The product of 1 and the Loss of each column.
    fn loss(&self, levels: &[u8], classes: &[(u128, u64)]) -> f64 {
        let mut lost = vec![0.0; levels.len()];
        for &(mut key, rows) in classes {
            for (column, lost) in lost.iter_mut().enumerate().rev() {
                let (nodes, tree) = (
                    self.lattice.nodes(column, levels[column]),
                    self.trees[column],
                );
                let node = nodes[(key % nodes.len() as u128) as usize];
                key /= nodes.len() as u128;
                let share = (tree.values(node) - 1) as f64 / (tree.values(0) - 1).max(1) as f64;
                *lost += rows as f64 * if rows < K { 1.0 } else { share };
            }
        }
        lost.into_iter()
            .map(|lost| 1.0 + lost / self.people.rows() as f64)
            .product()
    }

    fn search(&self, limit: u64) -> Greedy {
        let mut found = Greedy {
            levels: self.lattice.bottom(),
            checked: 1,
        };
        let mut fits = self.check(&found.levels).1 <= limit;
        while !fits {
            let mut best: Option<(Worth, Levels)> = None;
            let all: Vec<Levels> = self.lattice.above(&found.levels).collect();
            for above in all {
                let (worth, suppressed) = self.check(&above);
                found.checked += 1;
                if suppressed <= limit {
                    (found.levels, fits) = (above, true);
                    break;
                }
                if best.as_ref().is_none_or(|(best, _)| worth > *best) {
                    best = Some((worth, above));
                }
            }
            if !fits {
                found.levels = best.expect("the state in which every column is `*` fits").1;
            }
        }
        found
    }
}

/// The improvement of quality in per cent, and the states that both searches checked.
struct Better {
    percent: f64,
    checked: [u64; 2],
}

impl Better {
    fn of(set: &Set, folder: &Path, width: usize, rule: Rule) -> Better {
        let data = set.read(folder, width);
        let (task, people, trees) = (Task::of(&data), data.rows.headcount(), data.trees());
        let problem = task.problem();
        let rows = Rows {
            people: &people,
            lattice: &task.lattice,
            trees: &trees,
            rule,
        };
        let greedy = rows.search(problem.suppressed);
        let judged = LevelsSearch::new(&problem).check(std::slice::from_ref(&greedy.levels));
        let loss = task.objective.figure(
            judged[0]
                .value
                .expect("IGreedy ends with a state that fits"),
        );
        let found = LevelsSearch::new(&problem).best_first(|checked| checked >= greedy.checked);
        let best = found.best.expect("a state that fits").figure;
        Better {
            percent: 100.0 * ((1.0 - best) / (1.0 - loss) - 1.0),
            checked: [greedy.checked, found.checked],
        }
    }
}

/// The rows of the table.
const TITLES: [&str; 3] = [
    "minimal improvement",
    "maximal improvement",
    "average improvement",
];

pub fn table(folder: &Path) {
    println!(
        "\nTable 5: by how many per cent best-first search has better quality (1 - Loss), in as many checks"
    );
    against(folder, "IGreedy", Rule::IGreedy);
    against(folder, "greedy by Loss", Rule::Loss);
    line(
        "\nthe paper has",
        paper::TABLE_5.iter().map(|(name, _)| (*name).to_owned()),
    );
    for (row, title) in TITLES.into_iter().enumerate() {
        line(
            title,
            paper::TABLE_5
                .iter()
                .map(|(_, percents)| figure(percents[row])),
        );
    }
    println!("better in 34 of 45 searches, the same in 9, no state that fits in 2");
}

fn line(title: &str, cells: impl Iterator<Item = String>) {
    print!("{title:26}");
    cells.for_each(|cell| print!(" {cell:>14}"));
    println!();
}

fn figure(percent: f64) -> String {
    format!("{percent:.2} %")
}

/// Against one greedy search.
fn against(folder: &Path, name: &str, rule: Rule) {
    let sets = || SETS.into_iter().chain([&WIDE]);
    let of_set = |set: &Set| -> Vec<Better> {
        (paper::FEWEST..=set.columns.len())
            .map(|width| Better::of(set, folder, width, rule))
            .collect()
    };
    let all: Vec<Vec<Better>> = sets().map(of_set).collect();
    let percents = |of_set: &Vec<Better>| {
        of_set
            .iter()
            .map(|better| better.percent)
            .collect::<Vec<f64>>()
    };
    let row = |title: &str, of: &dyn Fn(Vec<f64>) -> f64| {
        line(title, all.iter().map(|of_set| figure(of(percents(of_set)))));
    };
    line(
        &format!("\nagainst {name}"),
        sets().map(|set| set.name.to_owned()),
    );
    row(TITLES[0], &|percents| {
        percents.into_iter().fold(f64::INFINITY, f64::min)
    });
    row(TITLES[1], &|percents| {
        percents.into_iter().fold(f64::NEG_INFINITY, f64::max)
    });
    row(TITLES[2], &|percents| {
        percents.iter().sum::<f64>() / percents.len() as f64
    });
    for (at, title) in ["states checked, greedy", "states checked, best-first"]
        .into_iter()
        .enumerate()
    {
        line(
            title,
            all.iter().map(|of_set| {
                of_set
                    .iter()
                    .map(|better| better.checked[at])
                    .sum::<u64>()
                    .to_string()
            }),
        );
    }
    let all: Vec<f64> = all.iter().flat_map(percents).collect();
    let number = |is: fn(f64) -> bool| all.iter().filter(|&&percent| is(percent)).count();
    println!(
        "better in {} of {} searches, the same in {}, worse in {}",
        number(|percent| percent > 1e-9),
        all.len(),
        number(|percent| percent.abs() <= 1e-9),
        number(|percent| percent < -1e-9)
    );
}
