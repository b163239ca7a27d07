//! A small feed, and its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tidegate::daemon::chance::Seeded;
use tidegate::daemon::config::{FeedConfig, RecordRules};
use tidegate::daemon::error::Result;
use tidegate::daemon::feed_writer::{
    Consumed, FeedSettings, FeedWriter, Opening, PublicRoot, TakenMessages,
};
use tidegate::daemon::journal::ApprovalRule;
use tidegate::daemon::journal::store::{Memory, Packs, ReadStore as _, Store, log};
use tidegate::daemon::seal::OperatorKey;
use tidegate::daemon::sign::Signing;
use tidegate::engine::histogram::{CodedRows, Person, SensitiveValues};
use tidegate::engine::model::Value;
use tidegate::engine::policy::Decimal;
use tidegate::engine::release::{Layout, Sha256};

/// A feed file with this policy.
pub fn feed(policy: &str) -> FeedConfig {
    with_columns(policy, "\"F\", \"M\"", "10, 20")
}

/// The same, with a new leaf that is a class of its own if sexes are separate.
pub fn grown(policy: &str) -> FeedConfig {
    with_columns(policy, "\"F\", \"M\", \"X\"", "10, 20")
}

/// The same, with these sexes and bands of ages.
pub fn with_columns(policy: &str, sexes: &str, bands: &str) -> FeedConfig {
    let chain = if super::draw::disjoint(policy) {
        "disjoint"
    } else {
        "cumulative"
    };
    let measure = if policy.contains("dominance") {
        "[[column]]\nname = \"cost\"\nrole = \"measure\"\n"
    } else {
        ""
    };
    let text = format!(
        "[feed]\nname = \"small\"\nchain = \"{chain}\"\n[policy]\n{policy}\n{}\
         [[column]]\nname = \"id\"\nrole = \"identifier\"\n\
         [[column]]\nname = \"sex\"\nrole = \"quasi\"\ntaxonomy = {{ flat = [{sexes}] }}\n\
         [[column]]\nname = \"age\"\nrole = \"quasi\"\ntaxonomy = {{ bands = [{bands}], min = 0, max = 39 }}\n\
         [[column]]\nname = \"s\"\nrole = \"sensitive\"\n{measure}",
        super::draw::one_list(policy)
    );
    FeedConfig::parse(&text, Path::new("small.toml")).expect("a feed file")
}

/// A row: person, sex (0 or 1), age (0 to 39), value.
pub type Human = (u128, u32, u32, u8);

/// Rows of people.
pub fn rows(people: &[Human]) -> CodedRows {
    let mut known: Vec<u8> = people.iter().map(|human| human.3).collect();
    known.sort_unstable();
    known.dedup();
    let tuple = |value: &u8| vec![Value::Text(format!("s{value}").into())].into_boxed_slice();
    let (values, codes) = SensitiveValues::from_distinct(1, known.iter().map(tuple).collect());
    let code = |human: &Human| {
        codes[known
            .iter()
            .position(|known| *known == human.3)
            .expect("a value")]
    };
    let leaves = vec![
        people.iter().map(|human| human.1).collect(),
        people.iter().map(|human| human.2).collect(),
    ];
    let persons = people.iter().map(|human| Person(human.0)).collect();
    CodedRows::new(
        leaves,
        values,
        people.iter().map(code).collect(),
        Some(persons),
    )
}

/// The intake of a file of these rows.
pub fn taken(name: &str, people: &[Human]) -> TakenMessages {
    let look = Consumed {
        code: Sha256::of(name.as_bytes()),
        generation: 0,
        size: 1,
        modified: 0,
    };
    TakenMessages::file(
        name.to_owned(),
        look,
        people.len() as u64,
        rows(people),
        None,
        0,
    )
}

/// The same with numbers of a measure: a few are missing, and a few are large.
fn measured(name: &str, people: &[Human]) -> TakenMessages {
    let number = |human: &Human| {
        let mix = (human.0 >> 64) as u64 % 1_000;
        (!mix.is_multiple_of(10)).then_some(if mix.is_multiple_of(12) {
            mix as i64 * 40
        } else {
            mix as i64
        })
    };
    let numbers = people.iter().map(number).collect();
    let look = Consumed {
        code: Sha256::of(name.as_bytes()),
        generation: 0,
        size: 1,
        modified: 0,
    };
    TakenMessages::file(
        name.to_owned(),
        look,
        people.len() as u64,
        rows(people).with_measures(vec![numbers]),
        None,
        0,
    )
}

/// Opens the feed; `seed` determines its random draws.
pub fn open(
    feed: &FeedConfig,
    private: Arc<dyn Store>,
    public: Arc<dyn Store>,
    seed: u64,
    manual: bool,
) -> Result<FeedWriter> {
    open_set(&key(), feed, private, public, seed, settings(manual))
}

/// The settings of the feed outside its policy: nothing that it published is removed.
pub fn settings(manual: bool) -> FeedSettings {
    FeedSettings {
        layout: Layout::Root,
        signing: Signing::parse(&"1".repeat(64)),
        approval: manual.then(ApprovalRule::by_operator),
        min_records: 1,
        max_quarantine_share: Decimal::parse("0.01").expect("a decimal"),
        records: std::sync::Arc::default(),
        keep_raw: 10,
        registry: None,
        keep_aside: 10,
        keep: None,
        retain: None,
        few: 4,
        pages: Default::default(),
    }
}

/// [`open`] with another key of the operator and these settings.
pub fn open_set(
    key: &OperatorKey,
    feed: &FeedConfig,
    private: Arc<dyn Store>,
    public: Arc<dyn Store>,
    seed: u64,
    settings: FeedSettings,
) -> Result<FeedWriter> {
    let opening = Opening {
        private: Arc::new(Packs::over(private)),
        public: PublicRoot::over(public),
        key,
        writer: None,
        feed,
        services: Sha256::of(b"services"),
        chance: Box::new(Seeded::new(seed)),
        settings,
        now: "2026-01-01T00:00:00Z",
        remedy: "begin a new chain",
        changed: false,
        drawn: None,
    };
    FeedWriter::open(opening).map(|(writer, _)| writer)
}

/// A private root with its packs opened.
pub fn packed(store: &Memory) -> Packs {
    Packs::over(Arc::new(store.clone()))
}

/// Every object of a private root under its own path, packed or not, including the entries of the
/// log.
pub fn unpacked(store: Arc<dyn Store>) -> BTreeMap<String, Vec<u8>> {
    let packs = Packs::over(store);
    let listed = packs
        .list("")
        .expect("a listing")
        .into_iter()
        .map(|listed| listed.path);
    let newest = packs
        .list("log")
        .expect("a listing")
        .iter()
        .filter_map(|listed| log::place(&listed.path))
        .max();
    let entries = (0..newest.map_or(0, |newest| newest + 1)).map(log::path);
    let paths: BTreeSet<String> = listed
        .chain(entries)
        .filter(|path| !path.starts_with("pack/"))
        .collect();
    paths
        .into_iter()
        .filter_map(|path| Some((path.clone(), packs.read(&path).expect("a read")?)))
        .collect()
}

/// The operator's key.
pub fn key() -> OperatorKey {
    OperatorKey::parse(&"a".repeat(64)).expect("a key")
}

/// The time of a tick.
pub fn time(tick: usize) -> String {
    format!("2026-01-01T{:02}:{:02}:00Z", tick / 60, tick % 60)
}

/// Random people of a tick; some are repeated.
pub fn crowd(draw: &mut super::draw::Draw, known: &mut u128) -> Vec<Human> {
    let many = draw.below(14);
    (0..many)
        .map(|_| {
            let again = *known > 0 && draw.below(8) == 0;
            let id = if again {
                u128::from(draw.below(*known as u64))
            } else {
                *known
            };
            *known += u128::from(!again);
            let old = if draw.below(5) == 0 {
                draw.below(40)
            } else {
                draw.below(10)
            };
            // A person's hash is as large as hashes are.
            (
                id.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835),
                draw.below(2) as u32,
                old as u32,
                draw.below(4) as u8,
            )
        })
        .collect()
}

/// One tick, from any state of the feed: steps that are done already are not repeated.
pub fn step(writer: &mut FeedWriter, tick: usize, people: &[Human]) -> Result<()> {
    let (name, time) = (format!("{tick:03}.csv"), time(tick));
    writer.roll_forward(&time)?;
    if writer.taken(&name).is_none() {
        let is_measured = writer.state().terms.columns.has_measures();
        writer.take(
            if is_measured {
                measured(&name, people)
            } else {
                taken(&name, people)
            },
            &time,
        )?;
    }
    // A tick whose successor's file exists has ended, even if nothing had to be appended for it.
    let over = writer.taken(&format!("{:03}.csv", tick + 1)).is_some();
    if !over && writer.state().ticked.as_deref() < Some(&time) {
        writer.close(&time)?;
    }
    writer.decide()?;
    writer.leave(&time)?;
    // Objects are packed now and then, and separate otherwise.
    if tick % 3 == 2 {
        writer.pack()?;
    }
    Ok(())
}
