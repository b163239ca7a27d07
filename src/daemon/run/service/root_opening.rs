//! How a feed file becomes a running feed: its roots are opened and locked, its keys read.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use super::world::{HeldResource, OpenedRoots, World};
use crate::chance::{Chance, SystemChance};
use crate::config::{
    Approval, FeedConfig, Root, Schedule, Secret, SourcePlace, StoreSettings as StoreTable,
};
use crate::engine::model::Role;
use crate::engine::policy::ChainKind;
use crate::engine::policy::OnRepeat;
use crate::engine::release::{Layout, Sha256};
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{FEW, FeedSettings, FeedWriter, Opening, OpeningReport, PublicRoot};
use crate::journal::store::{Bucket, Local, Packs, ReadOnlyFolder, Store, open};
use crate::journal::{ApprovalRule, NamedApprover};
use crate::seal::OperatorKey;
use crate::sign::Signing;

/// What can be done if the feed file has changed frozen settings.
const REMEDY: &str =
    "run `tidegate new-chain` for this feed: the change takes effect with a new chain";

/// The `[store]` table, which the feed file must have.
pub fn store(feed: &FeedConfig) -> Result<&StoreTable> {
    feed.services
        .store
        .as_ref()
        .ok_or_else(|| missing(feed, "store", "private, public and key"))
}

fn missing(feed: &FeedConfig, field: &str, keys: &str) -> Error {
    let text = format!(
        "a running feed needs `[{}]` with {keys}: see `tidegate init`",
        field
    );
    Error::new(ErrorCategory::Feed, text)
        .in_file(&feed.file)
        .in_field(field)
}

/// Opens the roots and takes the lock; None if another process holds it.
///
/// # Errors
/// One of them cannot be used.
pub fn roots(feed: &FeedConfig) -> Result<Option<OpenedRoots>> {
    let table = store(feed)?;
    let root = |root: &Option<Root>, key: &str| {
        root.clone()
            .ok_or_else(|| missing(feed, &format!("store.{key}"), key))
    };
    let private = root(&table.private, "private")?;
    let (private, lock): (Arc<dyn Store>, Option<HeldResource>) = match &private {
        Root::Directory(path) => match Local::private_locked(path)? {
            Some((local, lock)) => (Arc::new(Packs::over(Arc::new(local))), Some(Box::new(lock))),
            None => return Ok(None),
        },
        Root::Bucket(_) => (open(&private, true)?, None),
    };
    Ok(Some(OpenedRoots {
        private,
        public: public(feed)?,
        lock,
    }))
}

/// The private root, whether or not a process is running there.
///
/// # Errors
/// It cannot be used.
pub fn private(feed: &FeedConfig) -> Result<Arc<dyn Store>> {
    let root = store(feed)?
        .private
        .clone()
        .ok_or_else(|| missing(feed, "store.private", "private"))?;
    open(&root, true)
}

/// A root, for reading only.
///
/// # Errors
/// It does not exist, or cannot be read.
pub fn look(feed: &FeedConfig, private: bool) -> Result<Arc<dyn Store>> {
    let table = store(feed)?;
    let (root, key) = if private {
        (&table.private, "private")
    } else {
        (&table.public, "public")
    };
    let root = root
        .as_ref()
        .ok_or_else(|| missing(feed, &format!("store.{key}"), key))?;
    Ok(match root {
        Root::Directory(path) if path.try_exists().is_ok_and(|there| !there) => {
            return Err(if private {
                not_begun(feed)
            } else {
                never_begun(feed)
            });
        }
        Root::Directory(path) if private => {
            Arc::new(Packs::over(Arc::new(ReadOnlyFolder::open(path)?)))
        }
        Root::Directory(path) => Arc::new(ReadOnlyFolder::open(path)?),
        Root::Bucket(_) => open(root, private)?,
    })
}

/// The public root.
///
/// # Errors
/// It cannot be used.
pub fn public(feed: &FeedConfig) -> Result<PublicRoot> {
    let root = store(feed)?
        .public
        .clone()
        .ok_or_else(|| missing(feed, "store.public", "public"))?;
    open(&root, false).map(PublicRoot::over)
}

/// The variables of the environment that look like settings of a feed's buckets and do not reach
/// them.
pub fn ignored_variables(feed: &FeedConfig) -> Vec<String> {
    let Some(table) = &feed.services.store else {
        return Vec::new();
    };
    let mut names = BTreeSet::new();
    for (root, private) in [(&table.private, true), (&table.public, false)] {
        if let Some(Root::Bucket(url)) = root {
            names.extend(Bucket::ignored_variables(url, private));
        }
    }
    names.into_iter().collect()
}

/// The operator's key.
///
/// # Errors
/// There is none, or it is not a key.
pub fn key(feed: &FeedConfig) -> Result<OperatorKey> {
    let secret = store(feed)?
        .key
        .as_ref()
        .ok_or_else(|| missing(feed, "store.key", "key"))?;
    read_key(feed, secret, "store.key", OperatorKey::parse)
}

fn read_key<T>(
    feed: &FeedConfig,
    secret: &Secret,
    field: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    let text = Zeroizing::new(secret.read().map_err(|error| error.in_field(field))?);
    parse(&text).ok_or_else(|| {
        let text =
            "this is not a key: a key is 64 hexadecimal digits, as `tidegate init` writes them";
        Error::new(ErrorCategory::Usage, text)
            .in_file(&feed.file)
            .in_field(field)
    })
}

/// Settings of the feed file that may change between two starts.
///
/// # Errors
/// The signing key cannot be read.
pub fn settings(feed: &FeedConfig) -> Result<FeedSettings> {
    let signing = store(feed)?.signing_key.as_ref();
    let signing = signing
        .map(|secret| read_key(feed, secret, "store.signing_key", Signing::parse))
        .transpose()?;
    Ok(FeedSettings {
        signing,
        ..unsigned_settings(feed)?
    })
}

/// The same, without the signing key, for a writer that publishes nothing.
fn unsigned_settings(feed: &FeedConfig) -> Result<FeedSettings> {
    let table = store(feed)?;
    let schedule = feed.services.schedule.as_ref();
    let source = feed
        .services
        .source
        .as_ref()
        .ok_or_else(|| missing(feed, "source", "kind and path"))?;
    Ok(FeedSettings {
        layout: Layout::Root,
        signing: None,
        approval: schedule
            .filter(|schedule| schedule.approval == Approval::Manual)
            .map(approval_rule),
        min_records: schedule.map_or(1, |schedule| schedule.min_records),
        max_quarantine_share: source.max_quarantine_share,
        records: Arc::clone(&feed.records),
        registry: source.registry.clone(),
        keep_raw: table.keep_raw.get().as_secs(),
        keep_aside: table.quarantine_days.saturating_mul(86_400),
        keep: feed.services.publish.keep.map(|keep| keep.get().as_secs()),
        retain: feed
            .services
            .publish
            .retain
            .map(|retain| retain.get().as_secs()),
        few: FEW,
        pages: feed.services.publish.pages.clone(),
    })
}

/// Who approves a release.
fn approval_rule(schedule: &Schedule) -> ApprovalRule {
    let people = schedule.approvers.people().iter();
    let approvers = people.map(|person| NamedApprover {
        name: person.name.clone(),
        key: person.key.text(),
    });
    ApprovalRule {
        needed: schedule.approvers.needed(),
        approvers: approvers.collect(),
    }
}

/// Checks that everything that a feed asks for exists and is possible.
///
/// # Errors
/// The setting that is not.
pub fn possible(feed: &FeedConfig) -> Result<()> {
    let refuse = |field: &str, text: &str| {
        Err(Error::new(ErrorCategory::Feed, text)
            .in_file(&feed.file)
            .in_field(field))
    };
    if feed.policy.on_repeat() != OnRepeat::None
        && feed.columns.of(Role::Identifier).next().is_none()
    {
        let text = "without an identifier column duplicates cannot be found: declare one, or write `on_repeat = \
                    \"none\"` if every row is a different person";
        return refuse("policy.on_repeat", text);
    }
    if feed.services.schedule.is_none() {
        return Err(missing(feed, "schedule", "every, cron or per_file"));
    }
    let (grows, disjoint) = (feed.policy.has_atoms(), feed.chain() == ChainKind::Disjoint);
    if feed.services.publish.keep.is_some() && !grows && !disjoint {
        let text = "in this chain each release is checked against the tables of all earlier ones, so none can be \
                    deleted: remove `keep`, or begin a chain under `guarantee = \"blind\"`, whose table grows";
        return refuse("publish.keep", text);
    }
    if feed.services.publish.retain.is_some() && (!grows || disjoint) {
        let text = "only a table that grows (a cumulative chain under `guarantee = \"blind\"`) can lose rows: \
            remove `retain`";
        return refuse("publish.retain", text);
    }
    Ok(())
}

/// How often a feed looks into its source and its inbox.
pub fn pause(feed: &FeedConfig) -> Duration {
    let bucket = |root: Option<&Root>| matches!(root, Some(Root::Bucket(_)));
    let slow = feed
        .services
        .store
        .as_ref()
        .is_some_and(|store| bucket(store.private.as_ref()));
    let settle = feed
        .services
        .source
        .as_ref()
        .map_or(Duration::ZERO, |source| match &source.place {
            SourcePlace::Directory { settle, .. } => settle.get(),
            // The source signals new messages itself.
            SourcePlace::Kafka { .. } => Duration::from_secs(2),
        });
    let often = (settle / 2).clamp(Duration::from_millis(50), Duration::from_secs(1));
    if slow {
        often.max(Duration::from_secs(5))
    } else {
        often
    }
}

/// Opens a feed whose roots are held.
///
/// # Errors
/// Its log is damaged, its key is another one, or the feed file has changed frozen settings.
pub fn writer(
    feed: &FeedConfig,
    roots: &OpenedRoots,
    now: &str,
) -> Result<(FeedWriter, OpeningReport)> {
    opened(feed, roots, &key(feed)?, now, Writer::of_a_command())
}

/// [`writer`], with this name.
///
/// # Errors
/// As for [`writer`].
pub fn named_writer(
    feed: &FeedConfig,
    roots: &OpenedRoots,
    now: &str,
    name: &str,
    world: &dyn World,
) -> Result<(FeedWriter, OpeningReport)> {
    let writer = Writer {
        name: Some(name.to_owned()),
        chance: world.chance(),
        few: world.few(),
        changed: false,
        publishes: true,
    };
    opened(feed, roots, &key(feed)?, now, writer)
}

/// Opens a feed whose file may have changed frozen settings; only a new chain is asked of it.
///
/// # Errors
/// Its log is damaged, or its key another one.
pub fn before_new_chain(feed: &FeedConfig, roots: &OpenedRoots, now: &str) -> Result<FeedWriter> {
    let writer = Writer {
        changed: true,
        ..Writer::of_a_command()
    };
    opened(feed, roots, &key(feed)?, now, writer).map(|(writer, _)| writer)
}

/// Opens a feed with this key, to change it: nothing is published, so the signing key is not read.
///
/// # Errors
/// As [`before_new_chain`].
pub fn under(
    feed: &FeedConfig,
    roots: &OpenedRoots,
    key: &OperatorKey,
    now: &str,
) -> Result<FeedWriter> {
    let writer = Writer {
        changed: true,
        publishes: false,
        ..Writer::of_a_command()
    };
    opened(feed, roots, key, now, writer).map(|(writer, _)| writer)
}

/// What a writer is opened with.
struct Writer {
    /// Its name; None to draw one.
    name: Option<String>,
    chance: Box<dyn Chance>,
    /// The number of entries or objects that are too few to be packed.
    few: usize,
    /// The feed file may have changed frozen settings.
    changed: bool,
    /// Whether it may publish, for which it needs the signing key.
    publishes: bool,
}

impl Writer {
    /// For a command, which runs for moments.
    fn of_a_command() -> Writer {
        Writer {
            name: None,
            chance: Box::new(SystemChance),
            few: FEW,
            changed: false,
            publishes: true,
        }
    }
}

fn opened(
    feed: &FeedConfig,
    roots: &OpenedRoots,
    key: &OperatorKey,
    now: &str,
    Writer {
        name: writer,
        chance,
        few,
        changed,
        publishes,
    }: Writer,
) -> Result<(FeedWriter, OpeningReport)> {
    let text = std::fs::read(&feed.file)
        .map_err(|error| Error::io(&feed.file, "read the feed file", &error))?;
    let settings = if publishes {
        settings(feed)?
    } else {
        unsigned_settings(feed)?
    };
    let opening = Opening {
        private: roots.private.clone(),
        public: roots.public.clone(),
        key,
        writer,
        feed,
        services: Sha256::of(&text),
        chance,
        settings: FeedSettings { few, ..settings },
        now,
        remedy: REMEDY,
        changed,
        drawn: None,
    };
    FeedWriter::open(opening)
}

/// The error if no feed has begun, or if its private root is gone.
pub fn not_begun(feed: &FeedConfig) -> Error {
    if has_releases(feed) {
        let text = "the private root is missing or empty, but the public root has releases: restore the newest copy of \
                    the private root before anything else. A feed that begins again does not know who is published";
        return Error::new(ErrorCategory::Input, text)
            .in_file(&feed.file)
            .in_field("store.private");
    }
    never_begun(feed)
}

fn never_begun(feed: &FeedConfig) -> Error {
    let text = "the feed has not begun yet, so there is nothing to show: `tidegate run` begins it";
    Error::new(ErrorCategory::Usage, text)
        .in_file(&feed.file)
        .in_field("store.private")
}

/// Whether there are manifests in the public root.
fn has_releases(feed: &FeedConfig) -> bool {
    let Ok(store) = look(feed, false) else {
        return false;
    };
    store
        .list("manifest")
        .is_ok_and(|manifests| !manifests.is_empty())
}
