//! Chains of crowds (SCIENCE 11), in parts that are chosen by a word:
//!
//! - `chain`, `chain N`, `chain N top-down`: 1,000 or N ticks of 200 rows, which are halved, or get
//!   the labels of a standing recoding. How the time of a release grows with the
//!   number of releases before it: deciding (the feed), checking (the gate without bytes, and what
//!   it remembers of an approved release), writing the files, and reading them back with the
//!   comparison of their bytes; and the bytes of all tables so far. Goal: release 1,000 takes at
//!   most 1.2 times as long as release 10 in all.
//! - `first N`: a first tick with N million rows, by the top-down search and by halving, each in a
//!   process of its own: seconds, and the largest resident set of the process.
//!
//!     cargo bench --bench crowds -- chain [N [SEARCH]] | first N

#[path = "synthetic/arrivals.rs"]
mod arrivals;
mod small;
mod synthetic;

use small::{small, words};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrivals::{Draw, arrivals, policy};
use tidegate::engine::feed::{ClosingResult, Feed, ProposedRelease};
use tidegate::engine::gate::verdict::{History, NewIncrement, NextRelease, OlderIncrement, read};
use tidegate::engine::model::{Column, Columns, Domain};
use tidegate::engine::policy::Policy;
use tidegate::engine::release::{
    Language, Layout, Presentation, ReleaseFacts, ReleasePages, ReleaseSpan, Tables, rewritten,
};
use tidegate::engine::safeguards::mask::Draws;

/// Releases of a chain, and rows of each tick.
const CHAIN: (u32, usize) = (1_000, 200);
/// The times of a release are the medians over it and this many releases before and after it.
const AROUND: u32 = 4;

/// The facts of a release in a bench.
const FACTS: ReleaseFacts<'_> = ReleaseFacts {
    feed: "bench",
    chain: 1,
    time: "2026-11-24T00:00:00Z",
    signed: false,
    decision: None,
    previous: None,
    layout: Layout::Folders,
    presentation: Presentation {
        purpose: None,
        contact: None,
        language: Language::English,
        earlier: &[],
    },
};

fn main() {
    let words = words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] if small() => {
            ["halves", "top-down"]
                .iter()
                .for_each(|search| chain(2 * AROUND + 4, search));
            ["top-down", "halves"]
                .iter()
                .for_each(|search| in_a_process("0.01", search));
        }
        [] | ["chain"] => chain(CHAIN.0, "halves"),
        ["chain", releases] => chain(releases.parse().expect("a number of releases"), "halves"),
        ["chain", releases, search] => {
            chain(releases.parse().expect("a number of releases"), search)
        }
        ["first", millions] => ["top-down", "halves"]
            .iter()
            .for_each(|search| in_a_process(millions, search)),
        ["first", millions, search] => {
            first(millions.parse().expect("a number of millions"), search)
        }
        _ => panic!("chain, or first N"),
    }
}

/// The synthetic columns with the runs that halving divides nodes into.
fn with_runs() -> Columns {
    let with_runs = |column: &Column| {
        let runs = |domain: &Arc<Domain>| Arc::new(domain.with_runs().expect("small taxonomies"));
        Column {
            taxonomy: column.taxonomy.as_ref().map(runs),
            ..column.clone()
        }
    };
    Columns::new(synthetic::columns().iter().map(with_runs).collect())
}

/// Random draws of a bench, from a known seed.
struct Coins(Draw);

impl Draws for Coins {
    fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }
}

/// A feed with the state of its gate.
struct Run {
    columns: Columns,
    policy: Policy,
    feed: Feed,
    history: History,
    coins: Coins,
}

/// The time of each part of a release.
#[derive(Clone, Copy, Default)]
struct Times {
    deciding: Duration,
    judging: Duration,
    writing: Duration,
    reading: Duration,
    /// Bytes of the tables that were written.
    bytes: u64,
}

impl Times {
    fn milliseconds(&self) -> [f64; 4] {
        [self.deciding, self.judging, self.writing, self.reading]
            .map(|time| time.as_secs_f64() * 1e3)
    }
}

/// Adds the time of some work.
fn timed<T>(time: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *time += start.elapsed();
    done
}

impl Run {
    fn new(columns: Columns, search: &str) -> Run {
        let (feed, policy) = (
            Feed::new(&columns),
            policy(&format!("k = 5\nsearch = \"{search}\"\n"), &columns),
        );
        Run {
            columns,
            policy,
            feed,
            history: History::default(),
            coins: Coins(Draw(11)),
        }
    }

    /// A tick with these rows; None if it gives no release.
    fn tick(
        &mut self,
        rows: tidegate::engine::histogram::CodedRows,
    ) -> Option<(Times, u64, usize)> {
        let mut times = Times::default();
        let ticked = timed(&mut times.deciding, || {
            let (rows, _) = self.feed.accept(rows, &self.policy);
            self.feed.arrive(rows, self.feed.ticks());
            self.feed
                .close(&self.policy, &self.columns.trees(), &mut self.coins)
        });
        let ClosingResult::Candidate(candidate) = ticked.closed else {
            return None;
        };
        let (rows, classes) = self.publish(*candidate, &mut times);
        Some((times, rows, classes))
    }

    /// Writes a candidate, lets the gate check the bytes that it reads back, and publishes it.
    /// Returns its rows and classes.
    fn publish(&mut self, candidate: ProposedRelease, times: &mut Times) -> (u64, usize) {
        let Run {
            columns,
            policy,
            feed,
            history,
            ..
        } = self;
        let write = || {
            let earlier = rewritten(&history.parts(), |_| false, (|_| 0, 0)).into_iter();
            let earlier = earlier.map(|span| (span, feed.rows_of(span.first..=span.last)));
            let new = (ReleaseSpan::of(candidate.release), candidate.new_rows());
            Tables::parts(&earlier.chain([new]).collect::<Vec<_>>(), columns)
        };
        let tables = timed(&mut times.writing, write);
        let older = feed
            .published()
            .iter()
            .map(|of| OlderIncrement { rows: &of.rows });
        let older: Vec<OlderIncrement> = timed(&mut times.judging, || older.collect());
        let newest = candidate.increments.iter().map(|of| NewIncrement {
            labels: of.labels.as_ref().expect("labels"),
            rows: &of.rows,
            raw: None,
            numbers: None,
        });
        let newest: Vec<NewIncrement> = newest.collect();
        let (release, recoding) = (candidate.release, &candidate.recoding[..]);
        let (before, older, newest, erased) = (feed.whole(), &older[..], &newest[..], &[][..]);
        let learnt = None;
        #[rustfmt::skip]
        let case = NextRelease {
            policy, columns, release, recoding, learnt, history, erased, before, older, newest,
        };
        let read = timed(&mut times.reading, || read(&case, tables.clone()));
        let judged = timed(&mut times.judging, || read.judge());
        assert!(judged.verdict().safe(), "{:?}", judged.verdict());
        let (lines, table) = (judged.lines(), judged.overview().expect("a table"));
        let reported = (table.sums.rows(), table.sums.classes() as usize);
        times.bytes = tables.iter().map(<[u8]>::len).sum::<usize>() as u64;
        let pages = timed(&mut times.writing, || {
            ReleasePages::of(&FACTS, &judged.terms(&lines), &table, &tables)
        });
        let approved =
            timed(&mut times.reading, || judged.approve(&FACTS, pages)).expect("a good release");
        timed(&mut times.judging, || {
            approved
                .enter(history, recoding)
                .expect("labels of the recoding")
        });
        timed(&mut times.deciding, || feed.publish(candidate, policy));
        reported
    }
}

/// A long chain of small ticks.
fn chain(releases: u32, search: &str) {
    let (rows, told_of) = (CHAIN.1, [10, 100, releases]);
    let mut run = Run::new(with_runs(), search);
    let (mut draw, mut reported) = (Draw(7), Vec::new());
    let mut tick = 0;
    println!(
        "{releases} ticks of {rows} rows; milliseconds, the median of {} releases each",
        2 * AROUND + 1
    );
    println!(
        "release     rows  classes  deciding  judging  writing  reading back    all  bytes so far"
    );
    let mut all = Vec::new();
    while reported.len() < (releases + AROUND) as usize {
        let new = arrivals(&run.columns, rows, tick * rows, &mut draw);
        tick += 1;
        reported.extend(run.tick(new));
        let release = reported.len() as u32;
        if release > AROUND && told_of.contains(&(release - AROUND)) {
            let around = &reported[(release - 2 * AROUND - 1) as usize..];
            let median = |of: &dyn Fn(&Times) -> f64| {
                let mut figures: Vec<f64> = around.iter().map(|(times, ..)| of(times)).collect();
                figures.sort_by(f64::total_cmp);
                figures[figures.len() / 2]
            };
            let [deciding, judging, writing, reading] =
                [0, 1, 2, 3].map(|at| median(&|times| times.milliseconds()[at]));
            all.push(median(&|times| times.milliseconds().iter().sum()));
            let bytes: u64 = reported[..(release - AROUND) as usize]
                .iter()
                .map(|(times, ..)| times.bytes)
                .sum();
            let (_, rows, classes) = around[AROUND as usize];
            println!(
                "{:>7}  {rows:>7}  {classes:>7}  {deciding:>8.2}  {judging:>7.2}  {writing:>7.2}  {reading:>12.2}  {:>5.2}  {bytes:>12}",
                release - AROUND,
                all.last().expect("a figure")
            );
        }
    }
    if let [first, .., last] = all[..] {
        println!("all, {releases} : 10: {:.2}", last / first);
    }
}

/// The first tick in a process of its own, so that its memory can be measured.
fn in_a_process(millions: &str, search: &str) {
    let program = std::env::current_exe().expect("this program");
    let status = Command::new(program)
        .args(["first", millions, search])
        .status()
        .expect("it runs");
    assert!(status.success(), "{search}: {status}");
}

/// A first tick with many rows.
fn first(millions: f64, search: &str) {
    let columns = if search == "halves" {
        with_runs()
    } else {
        synthetic::columns()
    };
    let mut run = Run::new(columns, search);
    let new = arrivals(&run.columns, (millions * 1e6) as usize, 0, &mut Draw(7));
    let (times, rows, classes) = run.tick(new).expect("a release");
    let [deciding, judging, writing, reading] = times.milliseconds().map(|time| time / 1e3);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    });
    println!(
        "{search}: {rows} rows, {classes} classes; seconds: deciding {deciding:.2}, judging {judging:.2}, writing {writing:.2}, \
         reading back {reading:.2}; peak {:.0} MiB",
        peak.unwrap_or(0.0) / 1024.0
    );
}
