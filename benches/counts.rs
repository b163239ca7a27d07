//! The utility of releases of Adult (`$TIDEGATE_DATA/adult`): chains of crowds that keep their
//! labels (`search = "halves"`, SCIENCE 11) beside one recoding for all (`search = "top-down"`),
//! after one tick with all rows, and after a stream of small ticks; and of two other tables,
//! traffic accidents (`fars_int`) and a census (`ss13acs5`), after a stream. The gate is left out.
//! Loss counts people who are not in the last release as 1.
//!
//! An error is the mean of |estimate − people| / people over 1,000 random COUNT queries about the
//! people who came: with rows spread evenly over the leaves under their labels (`even`), and as
//! `tidegate query` counts (`EM`). `EM, released` compares with the people who are released; `95 %
//! hold` is the share of queries in which their number is within 1.96 standard errors of the
//! estimate, and `width` the median width of these intervals as a share of that number. Figures are
//! means over three orders of the rows, with coins of their own; the longest wait is the longest of
//! the three, in ticks. `benches/peers/counts.py` puts the queries of the first case to a release
//! of ARX. `plot` writes truth against estimate of the first case into a file.
//!
//!     TIDEGATE_DATA=… cargo bench --bench counts [-- plot FILE.svg]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "counts/grid.rs"]
mod grid;
#[path = "counts/plot.rs"]
mod plot;
#[path = "counts/queries.rs"]
mod queries;
mod small;

use small::{small, words};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use common::chain::{Chain, Chance, Human};
use common::needs;
use common::random::Draw;
use queries::{Intervals, Queries};
use tidegate::daemon::config::FeedConfig as FeedFile;
use tidegate::daemon::ingest::{TableFile, count};
use tidegate::engine::counting::{Countable, Method};
use tidegate::engine::feed::ClosingResult;
use tidegate::engine::gate::utility;
use tidegate::engine::histogram::{Cell, Histogram, Release, SensitiveValues};
use tidegate::engine::model::{Leaf, Node};
use tidegate::engine::policy::Search as PolicySearch;

/// All columns of the data.
const COLUMNS: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];
/// The column that the stream of Adult leaves out.
const LEFT_OUT: &str = "occupation";
/// Rows of the first tick of the stream, rows of each later tick, and the number of those.
const STREAM: (usize, usize, usize) = (15_060, 200, 75);
/// Orders of the rows.
const ORDERS: u64 = 3;
/// The least number of people in a class.
const K: u64 = 5;

/// A name, and lines of the policy.
type Search = (&'static str, &'static str);

const TOP_DOWN: Search = ("top-down", "search = \"top-down\"");
const EVERY_TICK: Search = ("halves", "search = \"halves\"");
const EVERY_4TH: Search = (
    "halves, every 4th",
    "search = \"halves\"\npublish_every = 4",
);
const EVERY_8TH: Search = (
    "halves, every 8th",
    "search = \"halves\"\npublish_every = 8",
);

/// A table: its folder, its columns, and the rows of its first tick, of each later tick, and the
/// number of those.
type Data = (&'static str, &'static [&'static str], (usize, usize, usize));

const ADULT: Data = ("adult", &COLUMNS, (30_162, 0, 0));
const ACCIDENTS: Data = (
    "fars_int",
    &[
        "iage",
        "irace",
        "ideathmon",
        "isex",
        "ihispanic",
        "istatenum",
        "iinjury",
    ],
    (30_000, 400, 75),
);
const CENSUS: Data = (
    "ss13acs5",
    &["Age", "Sex", "Race", "Marital status", "Education"],
    (30_000, 400, 75),
);

fn main() {
    let Some(data) = needs::data() else { return };
    let start = Instant::now();
    let words: Vec<String> = words();
    if let [word, file] = &words[..] {
        assert_eq!(word, "plot", "nothing, or plot FILE.svg");
        return std::fs::write(file, plotted(&data)).expect("a file that can be written");
    }
    if small() {
        return compare(
            &data,
            ("adult", &COLUMNS[..3], (1_000, 100, 2)),
            &[TOP_DOWN, EVERY_TICK],
        );
    }
    compare(&data, ADULT, &[TOP_DOWN, EVERY_TICK]);
    let eight: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|&name| name != LEFT_OUT)
        .collect();
    compare(
        &data,
        ("adult", &eight, STREAM),
        &[TOP_DOWN, EVERY_TICK, EVERY_4TH, EVERY_8TH],
    );
    compare(&data, ACCIDENTS, &[EVERY_TICK, EVERY_8TH]);
    compare(&data, CENSUS, &[EVERY_TICK, EVERY_8TH]);
    println!("\n{:.0} seconds", start.elapsed().as_secs_f64());
}

/// True counts against estimates for all queries, after one tick of all rows of Adult in the first
/// order.
fn plotted(data: &Path) -> String {
    let (name, columns, (rows, ..)) = ADULT;
    let file = feed(&data.join(name), columns, EVERY_TICK);
    let trees = file.columns.trees();
    let mut people = people(&data.join(name), &file);
    shuffle(&mut people, &mut Draw::new(1, 0));
    let queries = Queries::draw(&people, &trees);
    let (chain, release, _) = run(&file, &people, &[rows], 1);
    let tables = tables(&chain, &release);
    let points = |method: Method| {
        let counted = queries.counted(&Countable::learn(&tables, &trees, method), &trees);
        queries.points(&counted, &chain.feed.waiting_counts())
    };
    let (em, even) = (points(learned(&file)), points(Method::Uniform));
    let caption = "Estimates of 1,000 COUNT queries against the published rows that they count";
    plot::svg(
        caption,
        &[("EM", "#2a7fd4", &em), ("even spread", "#d9731a", &even)],
    )
}

/// The figures of a chain, or their mean over several.
#[derive(Default)]
struct Measured {
    loss: f64,
    /// The mean of |estimate − people| / people over all people, if rows are spread evenly.
    even: f64,
    /// The same, if rows are spread by EM.
    em: f64,
    /// The greatest number of ticks that a person has waited for a release, or still waits.
    longest: u32,
    /// The share of the people who are not in the last release.
    missing: f64,
    /// The intervals for published rows, if labels do not follow the data.
    published: Option<Intervals>,
}

/// Prints a line per search.
fn compare(
    data: &Path,
    (name, quasi, (first, later, ticks)): (&str, &[&str], (usize, usize, usize)),
    searches: &[Search],
) {
    let folder = &data.join(name);
    let sizes: &Vec<usize> = &std::iter::once(first)
        .chain(std::iter::repeat_n(later, ticks))
        .collect();
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
            mean.add(&measure(
                &feed(folder, quasi, search),
                &people,
                sizes,
                (&queries, order),
            ));
        }
    }
    let ticks = match sizes[..] {
        [_] => String::new(),
        _ => format!(", then {} ticks of {}", sizes.len() - 1, sizes[1]),
    };
    println!(
        "\n{name}, {} columns, k = {K}, {first} rows{ticks}; queries count {:.1} %",
        quasi.len(),
        100.0 * share
    );
    println!(
        "                       Loss     even       EM  longest wait  not released  EM, released  95 % hold   width"
    );
    for (
        Measured {
            loss,
            even,
            em,
            longest,
            missing,
            published,
        },
        (name, _),
    ) in means.iter().zip(searches)
    {
        let none = "            -          -       -".to_owned();
        let published = published.map_or(none, |Intervals { error, held, width }| {
            format!("{error:>13.3} {:>9.1}% {width:>7.3}", 100.0 * held)
        });
        println!(
            "  {name:18} {loss:>6.3} {even:>8.3} {em:>8.3} {longest:>13} {:>12.1}% {published}",
            100.0 * missing
        );
    }
}

impl Measured {
    /// Adds the figures of one order of the rows.
    fn add(&mut self, one: &Measured) {
        let share = 1.0 / ORDERS as f64;
        self.loss += share * one.loss;
        self.even += share * one.even;
        self.em += share * one.em;
        self.longest = self.longest.max(one.longest);
        self.missing += share * one.missing;
        if let Some(Intervals { error, held, width }) = one.published {
            let sums = self.published.get_or_insert_default();
            sums.error += share * error;
            sums.held += share * held;
            sums.width += share * width;
        }
    }
}

/// Measures a chain.
fn measure(
    file: &FeedFile,
    people: &[Vec<Leaf>],
    sizes: &[usize],
    (queries, order): (&Queries, u64),
) -> Measured {
    let trees = file.columns.trees();
    let (chain, release, longest) = run(file, people, sizes, order);
    let came: usize = sizes.iter().sum();
    let missing = came as u64 - release.rows();
    let tables = tables(&chain, &release);
    let counted =
        |method: Method| queries.counted(&Countable::learn(&tables, &trees, method), &trees);
    let (even, em) = (counted(Method::Uniform), counted(learned(file)));
    let halves = file.policy.search() == PolicySearch::Halves;
    Measured {
        loss: utility::loss(&with_missing(&release, missing), &trees),
        even: queries.error(&even),
        em: queries.error(&em),
        longest,
        missing: missing as f64 / came as f64,
        published: halves.then(|| queries.published(&em, &chain.feed.waiting_counts())),
    }
}

/// Runs a chain to its end: its last release, and the greatest number of ticks that a person has
/// waited for a release or still waits.
fn run(
    file: &FeedFile,
    people: &[Vec<Leaf>],
    sizes: &[usize],
    order: u64,
) -> (Chain, Release, u32) {
    let mut chain = Chain::new(file.columns.clone(), file.policy.clone());
    chain.chance = Chance(Draw::new(order, 1));
    let (mut release, mut longest, mut came) = (None, 0, 0);
    for &size in sizes {
        let person = |at: usize| Human {
            number: at as u128,
            leaves: people[at].clone(),
            values: Vec::new(),
        };
        let new: Vec<Human> = (came..came + size).map(person).collect();
        came += size;
        let ticked = chain.tick(&new);
        let ClosingResult::Candidate(candidate) = ticked.closed else {
            continue;
        };
        let waits = candidate
            .increments
            .iter()
            .map(|increment| waited(&increment.rows, ticked.tick));
        longest = waits.fold(longest, u32::max);
        release = Some(candidate.table().clone());
        chain.feed.publish(*candidate, &chain.policy);
    }
    let longest = longest.max(waited(&chain.feed.waiting_counts(), chain.feed.ticks() - 1));
    (
        chain,
        release.expect("enough people for a release"),
        longest,
    )
}

/// The rows of a release as readers see them; if the table grows, by the release in which they were
/// added.
fn tables(chain: &Chain, release: &Release) -> Vec<Release> {
    match chain.policy.search() {
        PolicySearch::Halves => chain
            .feed
            .published()
            .iter()
            .map(|published| Release::from_own_labels(&published.rows))
            .collect(),
        _ => vec![release.clone()],
    }
}

/// EM, with the rejections of a search that has any.
fn learned(file: &FeedFile) -> Method {
    let halves = file.policy.search() == PolicySearch::Halves;
    Method::Em {
        fewest: K,
        refusals: if halves { file.policy.refusals() } else { 0 },
    }
}

/// The greatest number of ticks since one of these people was added.
fn waited(rows: &Histogram, tick: u32) -> u32 {
    let cells = (0..rows.tuples()).flat_map(|tuple| rows.cells_of(tuple));
    cells.map(|cell| tick - cell.increment).max().unwrap_or(0)
}

/// A release with this many additional people, all of them at the root.
fn with_missing(release: &Release, missing: u64) -> Release {
    let mut classes: Vec<(Vec<Node>, u64)> = (0..release.classes())
        .map(|class| (release.class(class).to_vec(), release.size(class)))
        .collect();
    classes.push((vec![0; release.width()], missing));
    classes.retain(|(_, rows)| *rows > 0);
    let columns: Vec<Vec<Node>> = (0..release.width())
        .map(|column| classes.iter().map(|(label, _)| label[column]).collect())
        .collect();
    let cells: Vec<Cell> = classes
        .iter()
        .map(|&(_, rows)| Cell {
            increment: 0,
            value: 0,
            count: rows as u32,
        })
        .collect();
    let (nothing, _) = SensitiveValues::from_distinct(0, vec![Box::new([])]);
    Release::from_own_labels(&Histogram::of_counts(&columns, nothing, &cells))
}

fn feed(folder: &Path, quasi: &[&str], (_, policy): Search) -> FeedFile {
    let mut text = format!(
        "[feed]\nname = \"adult\"\n[policy]\nk = {K}\nmax_ratio = 100\non_repeat = \"none\"\n{policy}\n"
    );
    for name in quasi {
        let file = folder.join(format!("hierarchy_{name}.csv"));
        let _ = write!(
            text,
            "[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntaxonomy = {{ file = {file:?} }}\n"
        );
    }
    FeedFile::parse(&text, &PathBuf::from("bench.toml")).expect("a feed file")
}

/// Each person's leaves, in the order of the leaves.
fn people(folder: &Path, file: &FeedFile) -> Vec<Vec<Leaf>> {
    let table = TableFile::increment(
        &folder
            .join(folder.file_name().expect("a name"))
            .with_extension("csv"),
        &file.columns,
    )
    .expect("a table");
    let reading = table.raw();
    let (rows, _) = count(table, &file.columns, reading).expect("rows that fit");
    let heads = rows.headcount();
    let alike = |tuple: usize| {
        std::iter::repeat_n(heads.tuple_at(tuple).collect(), heads.count(tuple) as usize)
    };
    (0..heads.tuples()).flat_map(alike).collect()
}

fn shuffle(people: &mut [Vec<Leaf>], draw: &mut Draw) {
    (1..people.len()).for_each(|at| people.swap(at, draw.between(0, at as u64) as usize));
}
