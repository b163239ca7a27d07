//! A chain of many increments under `blind`: how the time of a tick grows with the number of
//! releases before it. Deciding (the feed), checking (the gate without the bytes), and the bytes
//! themselves (writing, reading back and writing again to compare) are measured separately.
//!
//!     cargo bench --bench ticks [-- INCREMENTS ROWS]

#[path = "synthetic/arrivals.rs"]
mod arrivals;
mod small;
mod synthetic;

use small::small;
use std::time::{Duration, Instant};

use arrivals::{Draw, arrivals, policy};
use tidegate::engine::feed::{ClosingResult, Feed, ProposedRelease};
use tidegate::engine::gate::bytes;
use tidegate::engine::gate::verdict::{
    Census, History, NewIncrement, NextRelease, OlderIncrement, judge,
};
use tidegate::engine::model::Columns;
use tidegate::engine::policy::Policy;
use tidegate::engine::release::Tables;

/// One recoding for all rows, which each tick keeps.
const POLICY: &str = "k = 40\nsearch = \"top-down\"\n";

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let [increments, rows] = if small() { [5, 2_000] } else { [100, 10_000] };
    let (increments, rows) = (
        *numbers.first().unwrap_or(&increments),
        *numbers.get(1).unwrap_or(&rows),
    );
    let columns = synthetic::columns();
    let policy = policy(POLICY, &columns);
    let trees = columns.trees();
    let (mut feed, mut history) = (Feed::new(&columns), History::default());
    let mut draw = Draw(7);
    println!(
        "increments of {rows} rows; milliseconds\nrelease  classes  waiting  deciding  judging  bytes"
    );
    for tick in 0..increments {
        let rows = arrivals(&columns, rows, tick * rows, &mut draw);
        let start = Instant::now();
        let ticked = feed.tick(rows, &policy, &trees);
        let mut deciding = start.elapsed();
        let ClosingResult::Candidate(candidate) = ticked.closed else {
            continue;
        };
        let (judging, bytes, classes) =
            judged(&feed, &mut history, &candidate, (&policy, &columns));
        let start = Instant::now();
        feed.publish(*candidate, &policy, &trees);
        deciding += start.elapsed();
        let release = tick + 1;
        if [1, 2, 5].contains(&release) || release % 10 == 0 {
            let waiting = feed.waiting().rows();
            let [deciding, judging, bytes] =
                [deciding, judging, bytes].map(|time| time.as_secs_f64() * 1e3);
            println!(
                "{release:>7}  {classes:>7}  {waiting:>7}  {deciding:>8.1}  {judging:>7.1}  {bytes:>5.1}"
            );
        }
    }
}

/// Lets the gate decide on a candidate: the time without its bytes, the time of its bytes, and its
/// classes.
fn judged(
    feed: &Feed,
    history: &mut History,
    candidate: &ProposedRelease,
    (policy, columns): (&Policy, &Columns),
) -> (Duration, Duration, usize) {
    let start = Instant::now();
    let tables = Tables::of(candidate.table(), candidate.rows().values(), None, columns);
    let written = start.elapsed();
    let start = Instant::now();
    let read = bytes::read(tables.iter().next().expect("a table"), columns)
        .0
        .expect("a table");
    let read_back = start.elapsed();
    let older = feed.published().iter().map(|of| OlderIncrement {
        known: &of.recoding,
        atoms: &of.atoms,
        rows: &of.rows,
        addends: None,
    });
    let older: Vec<OlderIncrement> = older.collect();
    let newest: Vec<NewIncrement> = candidate
        .increments
        .iter()
        .map(|of| NewIncrement {
            atoms: &of.recoding,
            carving: None,
            rows: &of.rows,
            raw: None,
            numbers: None,
        })
        .collect();
    let recoding = &candidate.recoding[..];
    let (release, withheld) = (candidate.release, feed.withheld().rows());
    let (before, older, newest) = (feed.whole(), &older[..], &newest[..]);
    let census = Some(Census {
        came: feed.standing().arrived(),
        waiting: feed.waiting().rows(),
    });
    let (tests, carving, searched, learnt, erased) = (0, None, true, None, &[][..]);
    #[rustfmt::skip]
    let case = NextRelease {
        policy, columns, release, withheld, census, tests, recoding, carving, searched, learnt, history, erased, before,
        older, newest,
    };
    let start = Instant::now();
    let judged = judge(&case, tables);
    // The gate reads the bytes and writes them again.
    let judging = start.elapsed().saturating_sub(written + read_back);
    assert!(judged.verdict().safe(), "{:?}", judged.verdict());
    let classes = read.release.classes();
    history
        .push(read, recoding)
        .expect("labels of the recoding");
    (judging, written * 2 + read_back, classes)
}
