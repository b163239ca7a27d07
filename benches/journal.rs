//! A running feed on a local disk: rows from file to durable entry against decoding alone, the time
//! of tick n against n, and the time of a start against the length of the log, with and without a
//! checkpoint.
//!
//!     cargo bench --bench journal [-- ROWS TICKS]

mod small;

use small::{million, small};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tidegate::daemon::chance::SystemChance;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::feed_writer::{
    Consumed, FeedSettings, FeedWriter, Opening, PublicRoot, TakenMessages, past,
};
use tidegate::daemon::ingest::{PersonHasher, TakenRows as Decoded, take};
use tidegate::daemon::journal::KeyRing;
use tidegate::daemon::journal::store::{Local, Store};
use tidegate::daemon::seal::OperatorKey;
use tidegate::engine::policy::Decimal;
use tidegate::engine::release::{Layout, Sha256};

const FEED: &str = "[feed]\nname = \"bench\"\n[policy]\nk = 10\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10, 20, 40], min = 0, max = 119 }\n\
    [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n\
    [[column]]\nname = \"zip\"\nrole = \"quasi\"\ntaxonomy = { prefix = [2, 1], length = 3, domain = [\"100\", \"101\", \"200\", \"210\"] }\n\
    [[column]]\nname = \"s\"\nrole = \"sensitive\"\n";

fn main() {
    let numbers: Vec<usize> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let (rows, ticks) = (
        numbers.first().copied().unwrap_or(million() as usize),
        if small() { 10 } else { 200 },
    );
    let ticks = numbers.get(1).copied().unwrap_or(ticks);
    let folder = tempfile::tempdir().expect("a folder");
    let feed = FeedConfig::parse(FEED, Path::new("bench.toml")).expect("a feed file");
    one_file(&feed, folder.path(), rows);
    many_ticks(&feed, folder.path(), ticks);
}

fn one_file(feed: &FeedConfig, folder: &Path, rows: usize) {
    let file = folder.join("rows.csv");
    write(&file, 0, rows);
    let mut best = [f64::INFINITY; 2];
    for round in 0..3 {
        let root = folder.join(format!("one{round}"));
        let mut writer = open(feed, &root);
        let (decoded, decoding) = decode(feed, &file, writer.hasher());
        let start = Instant::now();
        writer
            .take(taken("rows.csv", decoded), "2026-01-01T00:00:00Z")
            .expect("a place");
        let keeping = start.elapsed().as_secs_f64();
        best = [best[0].min(decoding), best[1].min(decoding + keeping)];
    }
    let rate = |seconds: f64| rows as f64 / seconds / 1e6;
    println!(
        "{rows} rows of CSV: decoding {:.2} M rows/s, from file to durable entry {:.2} M rows/s ({:.0} %)",
        rate(best[0]),
        rate(best[1]),
        100.0 * best[0] / best[1]
    );
}

fn many_ticks(feed: &FeedConfig, folder: &Path, ticks: usize) {
    let root = folder.join("many");
    let mut writer = open(feed, &root);
    println!(
        "  tick   entries   closed ms   released ms   start ms (whole log, checkpoint)   state KiB   resident MiB"
    );
    for tick in 0..ticks {
        let (name, time) = (
            format!("{tick:06}.csv"),
            format!("2026-01-01T{:02}:{:02}:00Z", tick / 60 % 24, tick % 60),
        );
        let file = folder.join(&name);
        write(&file, tick * 1000, 1000);
        let (decoded, _) = decode(feed, &file, writer.hasher());
        let start = Instant::now();
        writer.take(taken(&name, decoded), &time).expect("a place");
        writer.close(&time).expect("a tick");
        let closed = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        writer.decide().expect("a decision");
        writer.leave(&time).expect("a release");
        let released = start.elapsed().as_secs_f64() * 1e3;
        writer.checkpoint().expect("a checkpoint");
        if [1, 10, 20, 50, 100, 200, 500, 1000].contains(&(tick + 1)) {
            let entries = writer.log().next();
            let (private, public) = stores(&root);
            let ring = KeyRing::open(&*private, &key())
                .expect("keys")
                .expect("keys");
            let start = Instant::now();
            past(&*private, &*public, &ring).expect("a log");
            let whole = start.elapsed().as_secs_f64() * 1e3;
            let start = Instant::now();
            writer = open(feed, &root);
            let quick = start.elapsed().as_secs_f64() * 1e3;
            let (tick, kept) = (tick + 1, writer.state().bytes().len() as f64 / 1024.0);
            println!(
                "{tick:>6}   {entries:>7}   {closed:>9.1}   {released:>11.1}   {whole:>20.1}, {quick:>10.1}   {kept:>9.0}   {:>12.1}",
                resident()
            );
        }
    }
}

/// The resident memory of the process.
fn resident() -> f64 {
    let reported = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = reported.lines().find_map(|line| {
        line.strip_prefix("VmRSS:")?
            .trim()
            .strip_suffix(" kB")?
            .parse::<f64>()
            .ok()
    });
    line.unwrap_or(f64::NAN) / 1024.0
}

fn stores(root: &Path) -> (Arc<dyn Store>, Arc<dyn Store>) {
    let private = Local::private(&root.join("private")).expect("a root");
    let public = Local::public(&root.join("public")).expect("a root");
    (Arc::new(private), Arc::new(public))
}

fn key() -> OperatorKey {
    OperatorKey::parse(&"a".repeat(64)).expect("a key")
}

fn open(feed: &FeedConfig, root: &Path) -> FeedWriter {
    let (private, public) = stores(root);
    let settings = FeedSettings {
        layout: Layout::Root,
        signing: None,
        approval: None,
        min_records: 1,
        max_quarantine_share: Decimal::ONE,
        records: std::sync::Arc::default(),
        keep_raw: u64::MAX,
        registry: None,
        keep_aside: u64::MAX,
        keep: None,
        retain: None,
        few: 64,
        pages: Default::default(),
    };
    let opening = Opening {
        private,
        public: PublicRoot::over(public),
        key: &key(),
        writer: None,
        feed,
        services: Sha256::of(b"bench"),
        chance: Box::new(SystemChance),
        settings,
        now: "2026-01-01T00:00:00Z",
        remedy: "",
        changed: false,
        drawn: None,
    };
    FeedWriter::open(opening).expect("a feed").0
}

fn decode(feed: &FeedConfig, file: &Path, hasher: &PersonHasher) -> (Decoded, f64) {
    let start = Instant::now();
    let decoded = take(file, &feed.columns, hasher, &mut |_| {}).expect("rows");
    (decoded, start.elapsed().as_secs_f64())
}

fn taken(name: &str, decoded: Decoded) -> TakenMessages {
    let look = Consumed {
        code: Sha256::of(name.as_bytes()),
        generation: 0,
        size: 0,
        modified: 0,
    };
    let seen = decoded.seen();
    TakenMessages::file(name.to_owned(), look, seen, decoded.rows, None, 0)
}

/// Rows that follow from their numbers.
fn write(file: &Path, from: usize, rows: usize) {
    use std::fmt::Write as _;
    let mut text = String::from("id,age,sex,zip,s\n");
    for row in from..from + rows {
        let mixed = (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let (age, sex, zip) = (
            mixed % 90,
            ["F", "M"][(mixed / 90 % 2) as usize],
            (mixed / 180 % 4) as usize,
        );
        let zip = ["100", "101", "200", "210"][zip];
        let _ = writeln!(text, "P{row:08},{age},{sex},{zip},s{}", mixed / 720 % 15);
    }
    std::fs::write(file, text).expect("a file");
}
