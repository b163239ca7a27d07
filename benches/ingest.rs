//! Decoding raw files, and JSON messages of a topic without a broker: rows per second by format,
//! over 1 and 4 million rows with eight columns (a person, six quasi columns, a diagnosis).
//! `TIDEGATE_ROWS=10` (in millions) for another size; `-- messages` for one of them. Files are in a
//! temporary folder.

#[path = "synthetic/raw.rs"]
mod raw;
mod small;

use small::million;
use std::path::Path;
use std::time::{Duration, Instant};

use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::ingest::topic::{self, Batch};
use tidegate::daemon::ingest::{BadRows, PersonHasher, decode};
use tidegate::engine::model::Columns;

/// Messages of a batch.
const BATCH: u64 = 100_000;

fn main() {
    let millions = std::env::var("TIDEGATE_ROWS")
        .ok()
        .and_then(|text| text.parse().ok());
    let asked = std::env::args()
        .nth(1)
        .filter(|name| !name.starts_with('-'));
    let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked == name);
    let columns = FeedConfig::parse(raw::FEED, Path::new("bench.toml"))
        .expect("a feed file")
        .columns;
    let hasher = PersonHasher::new(&[1; 32]);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for rows in millions.map_or(vec![1, 4], |millions: u64| vec![millions]) {
        let rows = rows * million();
        for name in ["a.csv", "a.jsonl", "a.parquet", "a.arrow"]
            .into_iter()
            .filter(|name| is_asked(name))
        {
            let path = at(name);
            raw::write(&path, 0..rows);
            let bytes = path.metadata().expect("a file").len();
            let best = (0..3)
                .map(|_| {
                    let from = Instant::now();
                    let decoded = decode(
                        &path,
                        &columns,
                        &hasher,
                        BadRows::Refused("outside"),
                        &mut |_| {},
                    )
                    .expect("rows");
                    assert_eq!(decoded.rows.len() as u64, rows);
                    from.elapsed()
                })
                .min()
                .expect("three runs");
            let speed = rows as f64 / best.as_secs_f64() / 1e6;
            println!(
                "{name:<10} {rows:>9} rows {:>5} MB {best:>8.2?} {speed:>6.2} M rows/s",
                bytes >> 20
            );
        }
        if !is_asked("messages") {
            continue;
        }
        let (best, bytes) = messages(&columns, &hasher, rows);
        println!(
            "{:<10} {rows:>9} rows {:>5} MB {best:>8.2?} {:>6.2} M rows/s",
            "messages",
            bytes >> 20,
            rows as f64 / best.as_secs_f64() / 1e6
        );
    }
}

/// The best time in three for messages of a topic, and their bytes.
fn messages(columns: &Columns, hasher: &PersonHasher, rows: u64) -> (Duration, usize) {
    let batch = |from: u64| {
        let mut batch = Batch::default();
        for number in from..(from + BATCH).min(rows) {
            let message = raw::message(number);
            batch.push((number % 6) as i32, number / 6, Some(message.as_bytes()));
        }
        batch
    };
    let batches: Vec<Batch> = (0..rows).step_by(BATCH as usize).map(batch).collect();
    let pass = || {
        let from = Instant::now();
        let decode = |batch: &Batch| {
            let unwanted = &RecordRules::default();
            let decoded = topic::decode("bench", batch, columns, hasher, unwanted);
            decoded.expect("rows").rows.len() as u64
        };
        assert_eq!(batches.iter().map(decode).sum::<u64>(), rows);
        from.elapsed()
    };
    let best = (0..3).map(|_| pass()).min().expect("three runs");
    (best, batches.iter().map(Batch::bytes).sum())
}
