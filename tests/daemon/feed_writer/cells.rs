//! Whatever the sensitive cells contain, the same people are published with the same labels, in the
//! same files, at the same ticks: two feeds make the same random draws, and differ only in some of
//! those cells.

use std::collections::BTreeMap;
use std::sync::Arc;

use parquet::file::reader::{FileReader, SerializedFileReader};
use tidegate::daemon::feed_writer::{Consumed, TakenMessages};
use tidegate::daemon::ingest::{self, PersonHasher};
use tidegate::daemon::journal::store::{Memory, ReadStore as _, Store};
use tidegate::engine::release::Sha256;

use super::draw::{CARVED, Draw, GROUPED, HALVED, POLICIES};
use super::feed::{feed, open, time};

/// The content of a cell.
const CELLS: [&str; 12] = [
    "NaN",
    "01",
    ".5",
    "",
    "[1,",
    "[1,2]",
    "{\"a\" 1}",
    "\"a\tb\"",
    "\"\\x\"",
    "\"\\ud800\"",
    "\"\u{1}\"",
    "12",
];

/// The people of a tick as lines of JSON; every third cell is `changed`, or a text as all others
/// are.
fn lines(tick: usize, changed: bool) -> String {
    let mut draw = Draw(40 + tick as u64);
    let line = |number: u64| {
        let (sex, age, cell) = (
            ["F", "M"][draw.below(2) as usize],
            draw.below(40),
            draw.below(12) as usize,
        );
        // An open quote does not end, and neither does its row.
        let hostile = changed && number.is_multiple_of(3) && CELLS[cell] != "[1,";
        let cell = if hostile {
            CELLS[cell].to_owned()
        } else {
            format!("\"s{}\"", cell % 4)
        };
        format!("{{\"s\":{cell},\"id\":\"{tick}-{number}\",\"sex\":\"{sex}\",\"age\":{age}}}\n")
    };
    (0..20).map(line).collect()
}

/// The files that are published after these ticks: per table its rows without the cells, and the
/// cells.
fn published(policy: &str, changed: bool) -> (BTreeMap<String, Vec<String>>, Vec<String>) {
    let feed = feed(policy);
    let (private, public) = (Arc::new(Memory::default()), Arc::new(Memory::default()));
    let mut writer = open(
        &feed,
        private,
        Arc::clone(&public) as Arc<dyn Store>,
        7,
        false,
    )
    .expect("a feed");
    let folder = tempfile::tempdir().expect("a folder");
    for tick in 0..5 {
        let (name, time) = (format!("{tick}.jsonl"), time(tick));
        let path = folder.path().join(&name);
        std::fs::write(&path, lines(tick, changed)).expect("a file");
        let rows = ingest::take(
            &path,
            &feed.columns,
            &PersonHasher::new(&[7; 32]),
            &mut |_| {},
        )
        .expect("rows");
        let look = Consumed {
            code: Sha256::of(name.as_bytes()),
            generation: 0,
            size: 1,
            modified: 0,
        };
        assert_eq!((rows.rows.len(), rows.aside.messages().len()), (20, 0));
        writer
            .take(
                TakenMessages::file(name, look, 20, rows.rows, None, rows.nulled),
                &time,
            )
            .expect("they are taken in");
        writer.close(&time).expect("a tick");
        writer.decide().expect("a verdict");
        writer.leave(&time).expect("a release");
    }
    let (mut tables, mut cells) = (BTreeMap::new(), Vec::new());
    for object in public.list("").expect("objects") {
        if !object.path.starts_with("data/") || object.path.contains("_delta_log") {
            continue;
        }
        let bytes = public
            .read(&object.path)
            .expect("an object")
            .expect("it is there");
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table");
        let rows = reader
            .get_row_iter(None)
            .expect("rows")
            .map(|row| row.expect("a row"));
        let mut labels = Vec::new();
        for row in rows {
            let (own, others): (Vec<_>, Vec<_>) =
                row.get_column_iter().partition(|(name, _)| *name == "s");
            cells.extend(own.iter().map(|(_, cell)| cell.to_string()));
            labels.push(
                others
                    .iter()
                    .map(|(name, label)| format!("{name}={label} "))
                    .collect::<String>(),
            );
        }
        // The rest of its name is its hash, which depends on the cells.
        let release = object.path.split('-').next().expect("a number").to_owned();
        tables.insert(release, labels);
    }
    (tables, cells)
}

#[test]
fn no_cell_decides_anything_but_itself() {
    for policy in POLICIES.into_iter().chain([CARVED, GROUPED, HALVED]) {
        // A policy that reads values does so on purpose, and says so in the feed file.
        if ["distinct_l", "guarantee"]
            .iter()
            .any(|looks| policy.contains(looks))
        {
            continue;
        }
        let ((plain, cells), (changed, others)) =
            (published(policy, false), published(policy, true));
        assert!(!plain.is_empty(), "{policy}");
        assert_eq!(plain, changed, "{policy}");
        let (nulls, same): (Vec<_>, Vec<_>) = others.iter().partition(|cell| *cell == "null");
        assert!(
            cells.len() == others.len()
                && !nulls.is_empty()
                && same.iter().all(|cell| cells.contains(cell)),
            "{policy}"
        );
    }
}
