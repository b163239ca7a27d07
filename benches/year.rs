//! A feed that runs for a year on a local disk, tick after tick under a clock of its own: the files
//! and bytes that it keeps, the time of a start and of `verify`, and the memory of the process per
//! known person.
//!
//!     cargo bench --bench year [-- TICKS PEOPLE [DIR]]        a tick an hour with this many people each (8760 and 300), kept in a folder
//!     cargo bench --bench year -- start|replay|verify DIR     one of these on a kept folder
//!     cargo bench --bench year -- erase DIR                   people are erased from a kept folder, which changes it
//!
//! A start and `verify` are processes of their own, so that their memory can be measured.

mod small;

use small::{small, words};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use tidegate::daemon::chance::SystemChance;
use tidegate::daemon::config::FeedConfig;
use tidegate::daemon::feed_writer::{
    Consumed, FEW, FeedSettings, FeedWriter, Hash, Opening, PublicRoot, Request, RequestKind,
    TakenMessages, past,
};
use tidegate::daemon::ingest::take;
use tidegate::daemon::journal::store::{Local, Packs, Store};
use tidegate::daemon::journal::{ApprovalRule, KeyRing};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::verify;
use tidegate::engine::policy::Decimal;
use tidegate::engine::release::{Layout, Sha256};

const FEED: &str = "[feed]\nname = \"year\"\n[policy]\nk = 5\nsearch = \"halves\"\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10, 20, 40], min = 0, max = 119 }\n\
    [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = { flat = [\"F\", \"M\"] }\n\
    [[column]]\nname = \"s\"\nrole = \"sensitive\"\n";

const RAW_DAYS: u64 = 30;

fn main() {
    let arguments: Vec<String> = words();
    if let [what, root] = &arguments[..]
        && ["start", "replay", "verify", "erase"].contains(&what.as_str())
    {
        return alone(what, Path::new(root));
    }
    let numbers: Vec<usize> = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let [ticks, people] = if small() { [48, 20] } else { [8760, 300] };
    let (ticks, people) = (
        *numbers.first().unwrap_or(&ticks),
        *numbers.get(1).unwrap_or(&people),
    );
    let temporary = tempfile::tempdir().expect("a folder");
    let folder = arguments.get(2).map_or(temporary.path(), Path::new);
    println!(
        "     ticks   people    private files, MB    public files   slowest tick ms (of those since)   peak MiB"
    );
    let (mut slowest, mut writer) = (0.0f64, open(folder));
    for tick in 0..ticks {
        let begun = Instant::now();
        one(&mut writer, folder, tick, people);
        slowest = slowest.max(begun.elapsed().as_secs_f64() * 1e3);
        if (tick + 1) % (ticks / 8).max(1) == 0 {
            let [(files, bytes), (shown, _)] =
                ["private", "public"].map(|root| size(&folder.join(root)));
            println!(
                "{:>10} {:>8} {files:>16}, {:>4.0} {shown:>12} {slowest:>34.0} {:>10.0}",
                tick + 1,
                writer.state().feed.people().len(),
                bytes as f64 / 1e6,
                memory("VmHWM:")
            );
            slowest = 0.0;
        }
    }
    drop(writer);
    for what in ["start", "replay", "verify"] {
        let program = std::env::current_exe().expect("this program");
        let ended = Command::new(program)
            .arg(what)
            .arg(folder)
            .status()
            .expect("it starts");
        assert!(ended.success());
    }
}

/// A start, a start without a checkpoint, or `verify`, in a process that has done nothing else.
fn alone(what: &str, root: &Path) {
    let begun = Instant::now();
    if what == "start" {
        let writer = open(root);
        let (seconds, people) = (
            begun.elapsed().as_secs_f64(),
            writer.state().feed.people().len() as f64,
        );
        let [held, peak] = ["VmRSS:", "VmHWM:"].map(|line| memory(line) * 1024.0 * 1024.0 / people);
        return println!(
            "start: {seconds:.2} s; it holds {held:.0} bytes per person, {peak:.0} at most"
        );
    }
    if what == "erase" {
        return erase(root);
    }
    let [private, public] = stores(root);
    let ring = KeyRing::open(&*private, &key())
        .expect("keys")
        .expect("keys");
    if what == "replay" {
        let read = past(&*private, &*public, &ring).expect("a log").read;
        let seconds = begun.elapsed().as_secs_f64();
        return println!(
            "replay of the whole log: {seconds:.2} s; {read} entries; peak {:.0} MiB",
            memory("VmHWM:")
        );
    }
    let (_, found) = verify::roots(&*private, &ring, &*public, Layout::Root, &[]).expect("roots");
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    println!(
        "verify: {:.2} s; {} entries, {} objects; peak {:.0} MiB",
        begun.elapsed().as_secs_f64(),
        found.entries,
        found.objects,
        memory("VmHWM:")
    );
}

/// Erases people: one whose raw row is forgotten, one whose raw row exists, one with their
/// published row, enough of the newest tick that some of them wait, and some in a release that
/// waits for approval; prints the time of each, and of the start after it.
fn erase(root: &Path) {
    let known = open(root).state().feed.people().len();
    let newest = known - known / 1000;
    let asks = [
        ("a raw row that is forgotten", 0..1, false),
        ("a raw row", newest - 1..newest, false),
        ("a published row", newest - 2..newest - 1, true),
        ("people who wait", newest..known, false),
        ("people in a release that is held", known..known + 20, false),
    ];
    for (what, people, rows) in asks {
        let mut writer = open(root);
        if people.start == known {
            writer = held(root, known);
        }
        let hash = |row: usize| Hash(writer.hasher().person(&[&format!("P{row:08}")]));
        let ask = RequestKind::Erase {
            people: people.map(hash).collect(),
            rows,
        };
        let time = "2027-01-01T00:00:00Z".to_owned();
        let request = Request::new(
            ask,
            "me".into(),
            time.clone(),
            None,
            writer.log().place(),
            &mut SystemChance,
        );
        let (request, begun) = (request.expect("a request"), Instant::now());
        let answer = writer
            .carry_out(&request, &|| Ok(feed()), &time)
            .expect("an answer");
        let took = begun.elapsed().as_secs_f64();
        drop(writer);
        let begun = Instant::now();
        drop(open(root));
        println!(
            "{what}: {took:.2} s, and the start behind it {:.2} s; {}",
            begun.elapsed().as_secs_f64(),
            answer.text
        );
    }
}

/// A tick whose release waits for approval.
fn held(root: &Path, known: usize) -> FeedWriter {
    let mut writer = opened(root, true);
    let (time, new) = ("2027-01-01T01:00:00Z", 100);
    for tick in known / new.. {
        come(&mut writer, root, (tick, new), time);
        writer.close(time).expect("a tick");
        writer.decide().expect("a decision");
        if writer.state().held.is_some() {
            break;
        }
    }
    writer
}

/// A tick of an hour: people arrive, it is closed and published, and the work of a daemon after it
/// follows.
fn one(writer: &mut FeedWriter, folder: &Path, tick: usize, people: usize) {
    let due = Timestamp::from_second(1_735_689_600 + 3600 * tick as i64).expect("a time");
    let time = due.to_string();
    come(writer, folder, (tick, people), &time);
    writer.close(&time).expect("a tick");
    writer.decide().expect("a decision");
    writer.leave(&time).expect("a release");
    writer.forget(due).expect("a root");
    writer.pack().expect("a root");
    writer.checkpoint().expect("a checkpoint");
}

/// The people of a tick arrive.
fn come(writer: &mut FeedWriter, folder: &Path, (tick, people): (usize, usize), time: &str) {
    let file = folder.join("rows.csv");
    std::fs::write(&file, rows(tick, people)).expect("a file");
    let decoded = take(&file, &feed().columns, writer.hasher(), &mut |_| {}).expect("rows");
    let name = format!("{tick:06}.csv");
    let look = Consumed {
        code: Sha256::of(name.as_bytes()),
        generation: 0,
        size: 0,
        modified: 0,
    };
    let seen = decoded.seen();
    writer
        .take(
            TakenMessages::file(name, look, seen, decoded.rows, None, 0),
            time,
        )
        .expect("a place");
}

fn rows(tick: usize, people: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("id,age,sex,s\n");
    for row in tick * people..(tick + 1) * people {
        let mixed = (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let _ = writeln!(
            text,
            "P{row:08},{},{},s{}",
            mixed % 90,
            ["F", "M"][(mixed / 90 % 2) as usize],
            mixed / 720 % 15
        );
    }
    text
}

fn feed() -> FeedConfig {
    FeedConfig::parse(FEED, Path::new("year.toml")).expect("a feed file")
}

fn stores(root: &Path) -> [Arc<dyn Store>; 2] {
    let private = Local::private(&root.join("private")).expect("a root");
    [
        Arc::new(Packs::over(Arc::new(private))),
        Arc::new(Local::public(&root.join("public")).expect("a root")),
    ]
}

fn key() -> OperatorKey {
    OperatorKey::parse(&"a".repeat(64)).expect("a key")
}

fn open(root: &Path) -> FeedWriter {
    opened(root, false)
}

fn opened(root: &Path, manual: bool) -> FeedWriter {
    let [private, public] = stores(root);
    let settings = FeedSettings {
        layout: Layout::Root,
        signing: None,
        approval: manual.then(ApprovalRule::by_operator),
        min_records: 1,
        max_quarantine_share: Decimal::ONE,
        records: std::sync::Arc::default(),
        keep_raw: RAW_DAYS * 86_400,
        registry: None,
        keep_aside: RAW_DAYS * 86_400,
        keep: None,
        retain: None,
        few: FEW,
        pages: Default::default(),
    };
    let opening = Opening {
        private,
        public: PublicRoot::over(public),
        key: &key(),
        writer: None,
        feed: &feed(),
        services: Sha256::of(b"year"),
        chance: Box::new(SystemChance),
        settings,
        now: "2025-01-01T00:00:00Z",
        remedy: "",
        changed: false,
        drawn: None,
    };
    FeedWriter::open(opening).expect("a feed").0
}

/// The number of files below a folder, and their bytes.
fn size(folder: &Path) -> (u64, u64) {
    let mut folders: Vec<PathBuf> = vec![folder.to_path_buf()];
    let (mut files, mut bytes) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.metadata() {
                Ok(about) if about.is_dir() => folders.push(entry.path()),
                Ok(about) => (files, bytes) = (files + 1, bytes + about.len()),
                Err(_) => {}
            }
        }
    }
    (files, bytes)
}

/// A line of the system's status of this process, in MiB.
fn memory(line: &str) -> f64 {
    let reported = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = reported.lines().find_map(|reported| {
        reported
            .strip_prefix(line)?
            .trim()
            .strip_suffix(" kB")?
            .parse::<f64>()
            .ok()
    });
    found.unwrap_or(f64::NAN) / 1024.0
}
