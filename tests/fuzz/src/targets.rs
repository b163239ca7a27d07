//! The functions that fuzzing calls with any bytes: every decoder of the program, each with its
//! invariants for all bytes. The same functions are called with instruments (`tests/fuzz/run`) and,
//! with all corpora and some of their mutations, by the everyday tests.

use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tidegate::daemon::config::{FeedConfig, RecordRules, hierarchy};
use tidegate::daemon::error::Error;
use tidegate::daemon::formats::RecordedTick;
use tidegate::daemon::guess::sample;
use tidegate::daemon::ingest::topic::{Batch, KnownSchema, SchemaKey, Schemas, Writing};
use tidegate::daemon::ingest::{
    BadRows, InputFile, Offer, PersonHasher, TableFile, check_parquet, count, decode, retry,
    retry_sifted, take, take_cut, topic,
};
use tidegate::daemon::journal::Entry;
use tidegate::daemon::verify::read_checkpoint;
use tidegate::engine::delta::Snapshot;
use tidegate::engine::gate::bytes::{read_local, read_part};
use tidegate::engine::model::taxonomy::{MOST_LABEL, MOST_LEVELS, MOST_NODES};
use tidegate::engine::model::{Columns, Taxonomy, paths};
use tidegate::engine::policy::Decimal;
use tidegate::engine::release::{Manifest, Notice, RemovalNotice, Taxonomies};

/// A target: its name, which is that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("csv", csv),
    ("json", json),
    ("parquet", table),
    ("arrow", table),
    ("avro", avro),
    ("stream", stream),
    ("sample", guess),
    ("feed", feed),
    ("taxonomy", taxonomy),
    ("entry", entry),
    ("sealed", sealed),
    ("manifest", manifest),
    ("delta", delta),
    ("part", part),
    ("trees", trees),
];

const FEED: &str = "[feed]\nname = \"t\"\n[policy]\nk = 2\n\
    [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
    [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = { bands = [5, 10], min = 0, max = 119 }\n\
    [[column]]\nname = \"ward\"\npath = \"$.at.ward\"\nrole = \"quasi\"\noptional = true\ntaxonomy = { flat = [\"A\", \"B\", \"unknown\"] }\n\
    [[column]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n\
    [[column]]\nname = \"stay\"\nrole = \"sensitive\"\ntype = \"int\"\n\
    [[column]]\nname = \"seen\"\nrole = \"sensitive\"\ntype = \"date\"\n";
const HEADER: &[u8] = b"id,age,at.ward,diagnosis,stay,seen\n";

fn columns() -> &'static Columns {
    static COLUMNS: OnceLock<Columns> = OnceLock::new();
    COLUMNS.get_or_init(|| {
        FeedConfig::parse(FEED, Path::new("feed.toml"))
            .expect("a feed file")
            .columns
    })
}

fn hasher() -> PersonHasher {
    PersonHasher::new(&[7; 32])
}

/// Bytes as a file that is in memory only.
struct Bytes(std::fs::File);

impl Bytes {
    fn new(parts: &[&[u8]]) -> Bytes {
        let memory =
            rustix::fs::memfd_create("bytes", rustix::fs::MemfdFlags::CLOEXEC).expect("memory");
        let mut file = std::fs::File::from(memory);
        parts
            .iter()
            .for_each(|part| file.write_all(part).expect("memory"));
        Bytes(file)
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

/// No error shows a word of the data that no message contains: at least twelve letters and digits,
/// with both among them.
fn shows_nothing(error: &Error, data: &[u8]) {
    let shown = format!("{error} {error:?}");
    for word in words(data) {
        let mixed = word.iter().any(u8::is_ascii_digit) && word.iter().any(u8::is_ascii_alphabetic);
        let word = std::str::from_utf8(word).expect("ASCII");
        assert!(
            !mixed || !shown.contains(word),
            "an error shows what is in the file"
        );
    }
}

/// Runs of at least twelve letters and digits.
fn words(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    data.split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| word.len() >= 12)
}

/// A file of raw rows, read in every way. `secret`: its bytes that no error may show.
fn rows(file: &Bytes, secret: &[u8]) {
    let path = file.path();
    let strict = decode(
        &path,
        columns(),
        &hasher(),
        BadRows::Refused("outside"),
        &mut |_| {},
    );
    let taken = match take(&path, columns(), &hasher(), &mut |_| {}) {
        Ok(taken) => taken,
        Err(error) => {
            shows_nothing(&error, secret);
            assert!(strict.is_err(), "what cannot be taken in cannot be decoded");
            return;
        }
    };
    // With every share permitted the same rows are decoded, and with none permitted too if there is
    // no fault.
    let lenient = decode(
        &path,
        columns(),
        &hasher(),
        BadRows::SetAside(Decimal::parse("1").expect("a share")),
        &mut |_| {},
    )
    .expect("it was taken in");
    assert!(
        lenient.rows == taken.rows && lenient.nulled == taken.nulled,
        "the same rows"
    );
    assert_eq!(lenient.quarantined.len(), taken.aside.messages().len());
    match strict {
        Ok(strict) => assert!(
            strict.rows == taken.rows && taken.aside.messages().is_empty(),
            "the same rows"
        ),
        Err(error) => {
            shows_nothing(&error, secret);
            assert!(!taken.aside.messages().is_empty(), "an error has a row");
        }
    }
    again(&taken.aside);
}

/// Messages that were set aside are read back as they were written, and are still faults.
fn again(offer: &Offer) {
    let written = offer.bytes();
    assert!(
        Offer::parse(&written).expect("what was written") == *offer,
        "the same messages"
    );
    if let Ok(taken) = retry(offer, columns(), &hasher(), &RecordRules::default()) {
        assert!(
            taken.rows.is_empty() && taken.aside.messages().len() == offer.messages().len(),
            "the same faults"
        );
    }
}

fn csv(data: &[u8]) {
    rows(&Bytes::new(&[HEADER, data]), data);
    let headless = Bytes::new(&[data]);
    let _ = TableFile::release(&headless.path(), columns()).and_then(|table| {
        let reading = table.labels();
        count(table, columns(), reading)
    });
}

fn json(data: &[u8]) {
    // Without it the file could have any format.
    let file = Bytes::new(&[b"{}\n", data]);
    rows(&file, data);
    records(&file, data);
}

/// The same lines as messages with several records.
fn records(file: &Bytes, secret: &[u8]) {
    static RULES: OnceLock<std::sync::Arc<RecordRules>> = OnceLock::new();
    let rules = RULES.get_or_init(|| {
        let source = "[source]\nkind = \"directory\"\npath = \"in\"\nformat = \"json\"\n\
                      each = \"$.entry[*]\"\nwhere = [{ \"$.stay\" = \"4*\" }, { \"$.at.ward\" = \"A\" }]\n";
        let feed = FEED.replace("[policy]", &format!("{source}[policy]"));
        let feed = FeedConfig::parse(&feed, Path::new("feed.toml")).expect("a feed file");
        feed.records
    });
    let input = InputFile::open(&file.path()).expect("it is open");
    let put = &mut |_| Ok(());
    let taken = match take_cut(&input, columns(), &hasher(), rules, None, usize::MAX, put) {
        Ok(taken) => taken,
        Err(error) => return shows_nothing(&error, secret),
    };
    let offer = Offer::parse(&taken.aside.bytes()).expect("it was written");
    let again = retry_sifted(&offer, columns(), &hasher(), rules, None).expect("it was taken in");
    // What had a fault has it again, and is one record each.
    assert!(
        again.rows.is_empty() && again.skipped == 0,
        "nothing has changed"
    );
    assert!(again.aside == offer, "nothing has changed");
}

/// Parquet and Arrow files identify themselves. Errors may name their columns.
fn table(data: &[u8]) {
    let file = Bytes::new(&[data]);
    rows(&file, b"");
    let _ = TableFile::release(&file.path(), columns()).and_then(|table| {
        let reading = table.labels();
        count(table, columns(), reading)
    });
}

/// A schema, a zero byte, and records, each after its length.
fn avro(data: &[u8]) {
    let end = data
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(data.len());
    let Ok(schema) = std::str::from_utf8(&data[..end]) else {
        return;
    };
    let known = KnownSchema::Avro {
        text: schema.to_owned(),
        referred: Vec::new(),
    };
    let schemas = Schemas::of(&[(SchemaKey::Id(1), known)]);
    let mut rest = data.get(end + 1..).unwrap_or_default();
    let mut messages = vec![[&[0, 0, 0, 0, 1], rest].concat(), rest.to_vec()];
    while let Some((&length, more)) = rest.split_first() {
        let (record, more) = more.split_at((length as usize).min(more.len()));
        messages.push([&[0, 0, 0, 0, 1], record].concat());
        rest = more;
    }
    decoded(Writing::Avro(schemas), &messages);
}

/// A message that is an Arrow IPC stream, and the same as JSON.
fn stream(data: &[u8]) {
    decoded(Writing::Arrow, &[data.to_vec()]);
    decoded(Writing::Json, &[data.to_vec()]);
}

fn decoded(writing: Writing, messages: &[Vec<u8>]) {
    let mut batch = Batch::default();
    batch.writing = writing;
    (0..)
        .zip(messages)
        .for_each(|(offset, message)| batch.push(0, offset, Some(message)));
    let found = topic::decode(
        "wards",
        &batch,
        columns(),
        &hasher(),
        &RecordRules::default(),
    )
    .expect("nothing halts");
    for partition in &found.partitions {
        assert_eq!(partition.next, messages.len() as u64);
        let aside = partition
            .aside
            .as_ref()
            .map_or(0, |offer| offer.messages().len() as u64);
        assert_eq!(partition.seen, partition.rows + partition.skipped + aside);
        partition.aside.iter().for_each(again);
    }
}

fn guess(data: &[u8]) {
    if let Err(error) = sample::read(&Bytes::new(&[data]).path()) {
        // Errors may name columns, whose names are in the first line with content; rows may contain
        // the same words.
        let mut lines = data.split(|byte| matches!(byte, b'\n' | b'\r'));
        let header = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let is_named = |word: &&[u8]| header.windows(word.len()).any(|part| part == *word);
        let words = lines
            .flat_map(words)
            .filter(|word| !is_named(word))
            .collect::<Vec<_>>();
        shows_nothing(&error, &words.join(&b' '));
    }
}

fn feed(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // Nothing that it names exists.
    match FeedConfig::parse(text, Path::new("/proc/self/fd/none/feed.toml")) {
        Ok(feed) => feed.columns.trees().into_iter().for_each(within),
        Err(error) => assert!(!error.text.is_empty()),
    }
}

/// A taxonomy does not exceed the limits.
fn within(tree: &Taxonomy) {
    assert!(tree.nodes() <= MOST_NODES && (tree.height(0) as usize) < MOST_LEVELS);
    assert!(
        (0..tree.nodes()).all(|node| (1..=MOST_LABEL).contains(&tree.label(node as u32).len()))
    );
}

fn taxonomy(data: &[u8]) {
    let _ = hierarchy::codes(data);
    let Ok(rows) = hierarchy::rows(data) else {
        return;
    };
    let Ok((tree, _)) = paths::from_paths(&rows) else {
        return;
    };
    within(&tree);
    for row in &rows {
        let leaf = tree.find_leaf(&row.labels[0]).expect("a leaf of its own");
        let above = std::iter::successors(Some(tree.leaf_node(leaf)), |&node| tree.parent(node));
        let mut labels: Vec<&str> = row.labels.iter().map(|label| &**label).collect();
        labels.dedup();
        assert!(
            above.map(|node| tree.label(node)).eq(labels),
            "the path of the row"
        );
    }
}

fn entry(data: &[u8]) {
    if let Ok(entry) = Entry::unproven(data) {
        assert_eq!(entry.bytes(), data);
    }
}

/// The content of a sealed object after it was opened.
fn sealed(data: &[u8]) {
    if let Ok(offer) = Offer::parse(data) {
        assert!(
            Offer::parse(&offer.bytes()).is_ok_and(|again| again == offer),
            "the same messages"
        );
        if let Ok(taken) = retry(&offer, columns(), &hasher(), &RecordRules::default()) {
            assert!(
                taken.seen() <= offer.messages().len() as u64 || offer.partition().is_some(),
                "no more rows"
            );
        }
    }
    if let Ok(verdict) = RecordedTick::parse(data) {
        assert!(RecordedTick::parse(&verdict.bytes()).is_ok());
    }
}

fn manifest(data: &[u8]) {
    if let Ok(manifest) = Manifest::parse(data) {
        assert_eq!(manifest.bytes(), data);
    }
    if let Ok(notice) = Notice::parse(data) {
        assert_eq!(notice.bytes(), data);
    }
    if let Ok(notice) = RemovalNotice::parse(data) {
        assert_eq!(notice.bytes(), data);
    }
}

fn delta(data: &[u8]) {
    let _ = read_checkpoint("1.checkpoint.parquet", data.to_vec());
    let mut parts = data.split(|byte| *byte == 0);
    let _ = parts.try_fold(Snapshot::default(), |log, commit| {
        log.after(commit, "tidegate/t/1")
    });
}

/// A table of a release, which another program may have written: input that the library would read
/// for too long is refused before.
fn part(data: &[u8]) {
    if check_parquet(Path::new("part.parquet"), &data.to_vec().into()).is_err() {
        return;
    }
    let (rows, leaks) = read_part(data, columns(), 3);
    assert!(
        rows.is_some() || !leaks.is_empty(),
        "what cannot be read says why"
    );
    let (table, leaks) = read_local(data, columns());
    assert!(
        table.is_some() || !leaks.is_empty(),
        "what cannot be read says why"
    );
}

fn trees(data: &[u8]) {
    let Ok(trees) = serde_json::from_slice::<Taxonomies>(data) else {
        return;
    };
    trees
        .columns
        .iter()
        .filter_map(tidegate::engine::release::ColumnTree::tree)
        .for_each(|tree| within(&tree));
}
