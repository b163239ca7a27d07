//! The whole command: `anonymize` on raw files of 1 and 10 million rows, from the start of the
//! process to its end, with its peak memory. One file in one tick, and the same rows in ten files.
//! Everything is included: decoding, deciding, writing, checking the bytes, the sealed state.
//!
//!     cargo bench --bench whole [-- MILLIONS …]

#[path = "synthetic/raw.rs"]
mod raw;
mod small;

use small::{million, small};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs of each command; the median is reported.
const RUNS: usize = 3;

fn main() {
    let asked: Vec<u64> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("feed.toml"), raw::FEED).expect("space");
    println!("format   million rows  files  seconds  M rows/s  peak MiB  bytes/row");
    let sizes = match asked {
        asked if !asked.is_empty() => asked,
        _ if small() => vec![1],
        _ => vec![1, 10],
    };
    for millions in sizes {
        for (format, files) in [("csv", 1), ("csv", 10), ("parquet", 1)] {
            measure(folder.path(), format, millions, files);
        }
    }
}

/// One line of the table.
fn measure(folder: &Path, format: &str, millions: u64, files: u64) {
    let each = millions * million() / files;
    let names: Vec<String> = (0..files).map(|at| format!("{at}.{format}")).collect();
    for (at, name) in (0..files).zip(&names) {
        raw::write(&folder.join(name), at * each..(at + 1) * each);
    }
    let mut runs: Vec<(Duration, u64)> = (0..RUNS).map(|_| run(folder, &names)).collect();
    runs.sort_unstable();
    let (time, peak) = (
        runs[RUNS / 2].0.as_secs_f64(),
        runs.iter().map(|run| run.1).max().unwrap_or(0),
    );
    let rows = (millions * million()) as f64;
    println!(
        "{format:<8} {millions:>12} {files:>6} {time:>8.2} {:>9.2} {:>9} {:>10.0}",
        rows / time / 1e6,
        peak >> 10,
        (peak << 10) as f64 / rows
    );
    names
        .iter()
        .for_each(|name| std::fs::remove_file(folder.join(name)).expect("it is there"));
}

/// The time of one run, and its peak memory in KiB.
fn run(folder: &Path, names: &[String]) -> (Duration, u64) {
    for old in ["out", "out.key"] {
        let old = folder.join(old);
        let _ = if old.is_dir() {
            std::fs::remove_dir_all(old)
        } else {
            std::fs::remove_file(old)
        };
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidegate"));
    command
        .current_dir(folder)
        .args(["anonymize", "--feed", "feed.toml", "--out", "out"]);
    names
        .iter()
        .for_each(|name| _ = command.args(["--in", name]));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().expect("the command");
    let peak = watch(&mut child);
    let time = start.elapsed();
    assert!(child.wait().expect("an end").success());
    (time, peak)
}

/// Waits for the end; returns the peak memory of the process in KiB, as the system reports it.
fn watch(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let reported = std::fs::read_to_string(&status).unwrap_or_default();
        let high = reported.lines().find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .trim()
                .strip_suffix(" kB")?
                .parse()
                .ok()
        });
        peak = peak.max(high.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(10));
    }
    peak
}
