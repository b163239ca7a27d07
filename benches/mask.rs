//! Guarded values on the Adult data (the folder in `TIDEGATE_DATA`), as in the experiment of the
//! paper: education below secondary school is guarded, and 3 to 8 columns are known to readers. On
//! the left what generalising until every class is diverse reveals, on the right the cost of
//! masking: Loss, rows that are published with another value, seconds. Then the same masked people
//! in two tables, and the errors of COUNT queries.

#[path = "mask/queries.rs"]
mod queries;
mod small;

use small::small;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tidegate::daemon::config::FeedConfig as File;
use tidegate::daemon::ingest::{TableFile, count};
use tidegate::engine::audit::{MinimalityFigures, Requirement};
use tidegate::engine::feed::{ClosingResult, Feed};
use tidegate::engine::gate::utility;
use tidegate::engine::histogram::{CodedRows, Histogram, Release};
use tidegate::engine::model::{Columns, Cut, Recoding, Taxonomy};
use tidegate::engine::safeguards::mask::Draws;

const COLUMNS: [&str; 8] = [
    "age",
    "workclass",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "salary-class",
];

/// Queries per line.
const QUERIES: u32 = 10_000;
/// The default share of a table that a query selects.
const SELECTIVITY: f64 = 0.05;

fn main() {
    let Some(data) = std::env::var_os("TIDEGATE_DATA") else {
        eprintln!("skipped: TIDEGATE_DATA is not set");
        return;
    };
    let folder = Path::new(&data).join("adult");
    println!("            generalised until diverse            masked");
    println!(" m  columns   Loss  problematic  credibility     Loss  changed  of guarded  seconds");
    for m in [2, 10] {
        for columns in 3..=if small() { 3 } else { COLUMNS.len() } {
            measure(&folder, m, &COLUMNS[..columns]);
        }
    }
    if small() {
        return;
    }
    println!("\ntwo tables: mean relative error of {QUERIES} COUNT queries");
    println!(" m  columns  asked  selectivity   error");
    for m in [2, 10] {
        for columns in 3..=COLUMNS.len() {
            asked(&folder, m, &COLUMNS[..columns], &[(columns, SELECTIVITY)]);
        }
        let dimensions = (1..COLUMNS.len()).map(|dimensions| (dimensions, SELECTIVITY));
        let selectivities = [0.02, 0.04, 0.06, 0.08, 0.1].map(|share| (COLUMNS.len(), share));
        asked(
            &folder,
            m,
            &COLUMNS,
            &dimensions.chain(selectivities).collect::<Vec<_>>(),
        );
    }
}

fn measure(folder: &Path, m: u64, quasi: &[&str]) {
    let file = feed(folder, m, quasi);
    let table = TableFile::increment(&folder.join("adult.csv"), &file.columns).expect("a table");
    let reading = table.raw();
    let (raw, _) = count(table, &file.columns, reading).expect("rows that fit");
    let (loss, problematic, credibility) = diverse(&raw, &file.columns, m);
    print!(
        "{m:>2} {:>8} {loss:>6.3} {:>11.2}% {credibility:>12.2}",
        quasi.len(),
        100.0 * problematic
    );
    let (loss, changed, guarded, seconds) = masked(&raw, &file);
    let rows = raw.rows();
    println!(
        "{loss:>9.3} {:>7.2}% {:>10.1}% {seconds:>8.3}",
        100.0 * changed as f64 / rows as f64,
        100.0 * changed as f64 / guarded as f64
    );
}

/// A line for each kind of query: the number of its quasi columns, and the share that it selects.
fn asked(folder: &Path, m: u64, quasi: &[&str], kinds: &[(usize, f64)]) {
    let file = feed(folder, m, quasi);
    let table = TableFile::increment(&folder.join("adult.csv"), &file.columns).expect("a table");
    let reading = table.raw();
    let (raw, _) = count(table, &file.columns, reading).expect("rows that fit");
    let (columns, trees) = (&file.columns, file.columns.trees());
    let mut feed = Feed::new(columns);
    let ticked = feed.tick(rows(&raw), &file.policy, &trees);
    assert!(ticked.proposes(), "many rows");
    let ledger = tidegate::engine::feed::mask(&feed, &file.policy, columns, &mut Chance(7))
        .expect("others have other values");
    feed.masked(ledger.expect("values are masked"));
    let shown = feed.propose(&file.policy, &trees);
    let asked = queries::Asked {
        raw: &raw,
        shown: shown.rows(),
        table: shown.table(),
        trees: &trees,
    };
    for &(dimensions, selectivity) in kinds {
        let error = asked.error(QUERIES, dimensions, selectivity, &mut Chance(11));
        println!(
            "{m:>2} {:>8} {dimensions:>6} {selectivity:>12.2} {:>6.1}%",
            quasi.len(),
            100.0 * error
        );
    }
}

fn feed(folder: &Path, m: u64, quasi: &[&str]) -> File {
    let mut text = format!(
        "[feed]\nname = \"adult\"\n[policy]\nk = 2\nm = {m}\nsearch = \"top-down\"\non_repeat = \"none\"\n"
    );
    for name in quasi {
        let file = folder.join(format!("hierarchy_{name}.csv"));
        let _ = write!(
            text,
            "[[column]]\nname = \"{name}\"\nrole = \"quasi\"\ntaxonomy = {{ file = {file:?} }}\n"
        );
    }
    text += "[[column]]\nname = \"education\"\nrole = \"sensitive\"\n\
             guarded = [[\"Preschool\", \"1st-4th\", \"5th-6th\", \"7th-8th\"]]\n";
    File::parse(&text, &PathBuf::from("bench.toml")).expect("a feed file")
}

/// Whether at most one in m of every class is in the set.
fn is_diverse(release: &Release, set: &[bool], m: u64) -> bool {
    (0..release.classes()).all(|class| {
        let held = release
            .range(class)
            .filter(|&at| set[release.values()[at] as usize]);
        held.map(|at| release.counts()[at]).sum::<u64>() * m <= release.size(class)
    })
}

/// Generalises column by column, the one with the most labels first, until every class is diverse:
/// the Loss, the number of people that an attacker who knows the method links to the set with more
/// than 1/m, and how strongly.
fn diverse(raw: &Histogram, columns: &Columns, m: u64) -> (f64, f64, f64) {
    let trees = columns.trees();
    let set = &raw.values().guarded(columns)[0];
    let mut recoding: Recoding = trees.iter().map(|tree| Cut::leaves(tree)).collect();
    let mut release = Release::under(raw, 0..1, &recoding);
    while !is_diverse(&release, set, m) {
        let most = (0..trees.len())
            .max_by_key(|&column| recoding[column].nodes().len())
            .expect("a column");
        recoding[most] = above(&recoding[most], trees[most]);
        release = Release::under(raw, 0..1, &recoding);
    }
    let found = MinimalityFigures::of(
        &release,
        raw,
        columns,
        Requirement::Diverse { l: m },
        MinimalityFigures::WORK,
    )
    .expect("its rows");
    let sure = found
        .ties
        .iter()
        .filter_map(|tie| Some((tie.people, tie.credibility.as_ref()?)));
    let sure: Vec<(u64, f64)> = sure
        .filter(|(_, credibility)| !credibility.is_at_most_one_in(m))
        .map(|(people, credibility)| (people, credibility.value()))
        .collect();
    let people: u64 = sure.iter().map(|(people, _)| people).sum();
    let credibility = sure.iter().fold(0.0, |sum, (people, credibility)| {
        sum + *people as f64 * credibility
    });
    (
        utility::loss(&release, &trees),
        people as f64 / raw.rows() as f64,
        credibility / people.max(1) as f64,
    )
}

/// The cut whose nodes are the parents of these.
fn above(cut: &Cut, tree: &Taxonomy) -> Cut {
    let mut nodes: Vec<u32> = cut
        .nodes()
        .iter()
        .map(|&node| tree.parent(node).unwrap_or(node))
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    let highest: Vec<u32> = nodes
        .iter()
        .copied()
        .filter(|&node| !nodes.iter().any(|&up| up != node && tree.covers(up, node)))
        .collect();
    Cut::completed(tree, &highest).expect("none lies above another one")
}

/// The Loss of the masked release, the number of rows that are published with another value, the
/// number of guarded rows, and the seconds that masking took.
fn masked(raw: &Histogram, file: &File) -> (f64, u64, u64, f64) {
    let (columns, trees) = (&file.columns, file.columns.trees());
    let mut feed = Feed::new(columns);
    let ClosingResult::Candidate(candidate) = feed.tick(rows(raw), &file.policy, &trees).closed
    else {
        panic!("many rows")
    };
    let start = Instant::now();
    let ledger = tidegate::engine::feed::mask(&feed, &file.policy, columns, &mut Chance(7))
        .expect("others have other values");
    let seconds = start.elapsed().as_secs_f64();
    let changed = ledger
        .expect("values are masked")
        .changed
        .iter()
        .map(|line| u64::from(line.rows))
        .sum();
    let set = &raw.values().guarded(columns)[0];
    let cells = (0..raw.tuples()).flat_map(|tuple| raw.cells_of(tuple));
    let guarded = cells
        .filter(|cell| set[cell.value as usize])
        .map(|cell| u64::from(cell.count))
        .sum();
    (
        utility::loss(candidate.table(), &trees),
        changed,
        guarded,
        seconds,
    )
}

/// Counts as rows.
fn rows(raw: &Histogram) -> CodedRows {
    let (mut leaves, mut codes) = (vec![Vec::new(); raw.width()], Vec::new());
    for tuple in 0..raw.tuples() {
        for cell in raw.cells_of(tuple) {
            for (column, leaf) in leaves.iter_mut().zip(raw.tuple_at(tuple)) {
                column.extend(std::iter::repeat_n(leaf, cell.count as usize));
            }
            codes.extend(std::iter::repeat_n(cell.value, cell.count as usize));
        }
    }
    CodedRows::new(leaves, raw.values().clone(), codes, None)
}

/// The same draws each time, so that results can be compared.
struct Chance(u64);

impl Draws for Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 11) % n
    }
}
