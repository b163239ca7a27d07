//! Decoding raw files: rows per second by format, over files of 1 and 4 million rows with eight
//! columns (a person, six quasi columns, a diagnosis). `TIDEGATE_ROWS=10` (in millions) for another
//! size; files are in a temporary folder.

#[path = "synthetic/raw.rs"]
mod raw;
mod small;

use small::million;
use std::path::Path;
use std::time::Instant;

use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::ingest::{BadRows, PersonHasher, decode};

fn main() {
    let millions = std::env::var("TIDEGATE_ROWS")
        .ok()
        .and_then(|text| text.parse().ok());
    let columns = FeedConfig::parse(raw::FEED, Path::new("bench.toml"))
        .expect("a feed file")
        .columns;
    let hasher = PersonHasher::new(&[1; 32]);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for rows in millions.map_or(vec![1, 4], |millions: u64| vec![millions]) {
        let rows = rows * million();
        for name in ["a.csv", "a.jsonl", "a.parquet", "a.arrow"] {
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
    }
}
