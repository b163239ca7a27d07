//! The utility of releases of Adult (`$TIDEGATE_DATA/adult`): chains of crowds that keep their labels (`search = "halves"`,
//! SCIENCE 11) beside one recoding for all (`search = "top-down"`), after one tick with all rows, and after a stream of small ticks.
//! The gate is left out. Loss counts people who are not in the last release as 1. An error is the mean of
//! |estimate − people| / people over 1,000 random COUNT queries about everybody who came. The estimator `even` spreads each row
//! evenly over the leaves under its label; `EM` spreads it by the distribution under which the labels are most likely; `95 % hold` says in how many of 200 of these
//! queries, about published rows, the truth lies within 1.96 of its standard errors. Figures are
//! means over three orders of the rows, with coins of their own; the longest wait is the longest of the three, in ticks.
//! `benches/peers/counts.py` puts the queries of the first case to a release of ARX.
//!
//! `TIDEGATE_DATA=… cargo bench --bench counts`

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "counts/grid.rs"]
mod grid;
#[path = "counts/queries.rs"]
mod queries;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use common::chain::{Chain, Chance, Human};
use common::needs;
use common::random::Draw;
use queries::{Errors, Queries};
use tidegate::daemon::config::Feed as FeedFile;
use tidegate::daemon::ingest::{Table, count};
use tidegate::engine::feed::Closed;
use tidegate::engine::gate::utility;
use tidegate::engine::histogram::{Cell, Histogram, Release, Values};
use tidegate::engine::model::{Leaf, Node};
use tidegate::engine::policy::Search as PolicySearch;

/// All columns of the data.
const COLUMNS: [&str; 9] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"];
/// The column that the stream leaves out.
const LEFT_OUT: &str = "occupation";
/// Rows of the first tick of the stream, rows of each later tick, and the number of those.
const STREAM: (usize, usize, usize) = (15_060, 200, 75);
/// Orders of the rows.
const ORDERS: u64 = 3;

/// A name, and lines of the policy.
type Search = (&'static str, &'static str);

const TOP_DOWN: Search = ("top-down", "search = \"top-down\"");
const EVERY_TICK: Search = ("halves", "search = \"halves\"");
const EVERY_4TH: Search = ("halves, every 4th", "search = \"halves\"\npublish_every = 4");
const EVERY_8TH: Search = ("halves, every 8th", "search = \"halves\"\npublish_every = 8");

fn main() {
    let Some(folder) = needs::data().map(|data| data.join("adult")) else { return };
    let start = Instant::now();
    let all = people(&folder, &feed(&folder, &COLUMNS, TOP_DOWN)).len();
    compare(&folder, &COLUMNS, &[all], &[TOP_DOWN, EVERY_TICK]);
    let (first, later, ticks) = STREAM;
    let quasi: Vec<&str> = COLUMNS.into_iter().filter(|&name| name != LEFT_OUT).collect();
    let sizes: Vec<usize> = std::iter::once(first).chain(std::iter::repeat_n(later, ticks)).collect();
    compare(&folder, &quasi, &sizes, &[TOP_DOWN, EVERY_TICK, EVERY_4TH, EVERY_8TH]);
    println!("\n{:.0} seconds", start.elapsed().as_secs_f64());
}

/// The figures of a chain, or their mean over several.
#[derive(Default)]
struct Measured {
    loss: f64,
    errors: Errors,
    /// The most ticks that a person has waited for a release, or still waits.
    longest: u32,
    /// The share of the people who are not in the last release.
    missing: f64,
    /// In how many queries over published rows an interval of 95 % holds, in the first order of the rows, where labels tell nothing.
    held: Option<f64>,
}

/// Prints a line per search. `sizes`: rows of each tick.
fn compare(folder: &Path, quasi: &[&str], sizes: &[usize], searches: &[Search]) {
    let plain = feed(folder, quasi, TOP_DOWN);
    let mut people = people(folder, &plain);
    let came: usize = sizes.iter().sum();
    let mut means: Vec<Measured> = searches.iter().map(|_| Measured::default()).collect();
    let mut share = 0.0;
    for order in 1..=ORDERS {
        shuffle(&mut people, &mut Draw::new(order, 0));
        let queries = Queries::draw(&people[..came], &plain.columns.trees());
        share += queries.share(came) / ORDERS as f64;
        for (mean, &search) in means.iter_mut().zip(searches) {
            mean.add(&measure(&feed(folder, quasi, search), &people, sizes, (&queries, order)));
        }
    }
    let ticks = match sizes {
        [_] => String::new(),
        _ => format!(", then {} ticks of {}", sizes.len() - 1, sizes[1]),
    };
    println!("\nAdult, {} columns, k = 5, {} rows{ticks}; queries count {:.1} %", quasi.len(), sizes[0], 100.0 * share);
    println!("                       Loss     even       EM  longest wait  not released  95 % hold");
    for (Measured { loss, errors: Errors { even, em }, longest, missing, held }, (name, _)) in
        means.iter().zip(searches)
    {
        let held = held.map_or_else(|| "-".to_owned(), |share| format!("{:.1}%", 100.0 * share));
        println!("  {name:18} {loss:>6.3} {even:>8.3} {em:>8.3} {longest:>13} {:>12.1}% {held:>10}", 100.0 * missing);
    }
}

impl Measured {
    /// Adds what is measured with one order of the rows.
    fn add(&mut self, one: &Measured) {
        let share = 1.0 / ORDERS as f64;
        self.loss += share * one.loss;
        self.errors.even += share * one.errors.even;
        self.errors.em += share * one.errors.em;
        self.longest = self.longest.max(one.longest);
        self.missing += share * one.missing;
        self.held = self.held.or(one.held);
    }
}

/// Runs a chain to its end.
fn measure(file: &FeedFile, people: &[Vec<Leaf>], sizes: &[usize], (queries, order): (&Queries, u64)) -> Measured {
    let mut chain = Chain::new(file.columns.clone(), file.policy.clone());
    chain.chance = Chance(Draw::new(order, 1));
    let trees = file.columns.trees();
    let (mut release, mut longest, mut came) = (None, 0, 0);
    for &size in sizes {
        let person = |at: usize| Human { number: at as u128, leaves: people[at].clone(), values: Vec::new() };
        let new: Vec<Human> = (came..came + size).map(person).collect();
        came += size;
        let ticked = chain.tick(&new);
        let Closed::Candidate(candidate) = ticked.closed else { continue };
        let waits = candidate.increments.iter().map(|increment| waited(&increment.rows, ticked.tick));
        longest = waits.fold(longest, u32::max);
        release = Some(candidate.table().clone());
        chain.feed.publish(*candidate, &chain.policy, &trees);
    }
    let release = release.expect("enough people for a release");
    let coins = order == 1 && file.policy.search() == PolicySearch::Halves;
    let missing = came as u64 - release.rows();
    Measured {
        loss: utility::loss(&with_missing(&release, missing), &trees),
        errors: queries.errors(&release, &trees),
        longest: longest.max(waited(chain.feed.waiting(), chain.feed.ticks() - 1)),
        missing: missing as f64 / came as f64,
        held: coins.then(|| queries.held(&release, &trees, chain.feed.waiting())),
    }
}

/// The most ticks since one of these people came.
fn waited(rows: &Histogram, tick: u32) -> u32 {
    let cells = (0..rows.tuples()).flat_map(|tuple| rows.cells_of(tuple));
    cells.map(|cell| tick - cell.increment).max().unwrap_or(0)
}

/// A release with so many more people, all of them at the root.
fn with_missing(release: &Release, missing: u64) -> Release {
    let mut classes: Vec<(Vec<Node>, u64)> =
        (0..release.classes()).map(|class| (release.class(class).to_vec(), release.size(class))).collect();
    classes.push((vec![0; release.width()], missing));
    classes.retain(|(_, rows)| *rows > 0);
    let columns: Vec<Vec<Node>> =
        (0..release.width()).map(|column| classes.iter().map(|(label, _)| label[column]).collect()).collect();
    let cells: Vec<Cell> =
        classes.iter().map(|&(_, rows)| Cell { increment: 0, value: 0, count: rows as u32 }).collect();
    let (nothing, _) = Values::from_distinct(0, vec![Box::new([])]);
    Release::from_own_labels(&Histogram::of_counts(&columns, nothing, &cells))
}

fn feed(folder: &Path, quasi: &[&str], (_, policy): Search) -> FeedFile {
    let mut text =
        format!("[feed]\nname = \"adult\"\n[policy]\nk = 5\nmax_ratio = 100\non_repeat = \"none\"\n{policy}\n");
    for name in quasi {
        let file = folder.join(format!("hierarchy_{name}.csv"));
        let _ = write!(text, "[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntaxonomy = {{ file = {file:?} }}\n");
    }
    FeedFile::parse(&text, &PathBuf::from("bench.toml")).expect("a feed file")
}

/// Everybody's leaves, in the order of the leaves.
fn people(folder: &Path, file: &FeedFile) -> Vec<Vec<Leaf>> {
    let table = Table::increment(&folder.join("adult.csv"), &file.columns).expect("a table");
    let reading = table.raw();
    let (rows, _) = count(table, &file.columns, reading).expect("rows that fit");
    let heads = rows.headcount();
    let alike = |tuple: usize| std::iter::repeat_n(heads.tuple_at(tuple).collect(), heads.count(tuple) as usize);
    (0..heads.tuples()).flat_map(alike).collect()
}

fn shuffle(people: &mut [Vec<Leaf>], draw: &mut Draw) {
    (1..people.len()).for_each(|at| people.swap(at, draw.between(0, at as u64) as usize));
}
