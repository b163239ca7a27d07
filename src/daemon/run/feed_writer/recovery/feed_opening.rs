//! The start of a feed (HOUSE 3, Start): the log is read to its end, a fence is written after it,
//! and what a crash left half done is completed. No external effect happens before the fence is
//! durable.

use std::sync::Arc;

use super::super::publish::make_visible::unstage;
use super::super::publish::public_root::PublicRoot;
use super::super::state::FeedState;
use super::super::tick::tick_closing::finish_closing;
use super::super::writer::{FeedSettings, FeedWriter, LastCheckpoint, terms};
use super::published_releases::remember;
use super::replay::{ReplayedLog, read_quickly, steadily};
use crate::chance::Chance;
use crate::config;
use crate::engine::release::{Layout, Sha256};
use crate::error::{Error, ErrorCategory, Result};
use crate::ingest::PersonHasher;
use crate::journal::store::{ReadStore, Store};
use crate::journal::{ChainStart, Config, Fence, KeyRing, Log, begun, fenced, write_format};
use crate::seal::OperatorKey;
use crate::terms::ChainTerms;

/// The input for opening a feed.
pub struct Opening<'a> {
    /// The private root.
    pub private: Arc<dyn Store>,
    /// The public root.
    pub public: PublicRoot,
    /// The operator's key.
    pub key: &'a OperatorKey,
    /// The feed's own keys, if they were drawn before anything was written; only for a new feed.
    pub drawn: Option<KeyRing>,
    /// The name of this process as a writer of the feed; `None` draws one.
    pub writer: Option<String>,
    /// The feed file.
    pub feed: &'a config::FeedConfig,
    /// The digest of the settings that may change.
    pub services: Sha256,
    /// The source of randomness.
    pub chance: Box<dyn Chance>,
    /// The settings that may change.
    pub settings: FeedSettings,
    /// The current time.
    pub now: &'a str,
    /// The remedy if the feed file has changed frozen settings.
    pub remedy: &'a str,
    /// The feed file may have changed frozen settings: a new chain will begin under it.
    pub changed: bool,
}

/// What was found at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningReport {
    /// The number of entries of the log.
    pub entries: u64,
    /// The number of entries that were read: only those after a checkpoint, if there is one.
    pub read: u64,
    /// The number of the entry after which the checkpoint was taken.
    pub checkpoint: Option<u64>,
    /// The number of objects that no entry names, which were removed.
    pub swept: u64,
    /// The number of the fence.
    pub fence: u64,
}

/// A feed whose log has been read, before a writer begins: nothing is changed yet.
pub struct OpenedFeed<'a> {
    opening: Opening<'a>,
    /// Whether the private root names its feed.
    named: bool,
    ring: KeyRing,
    /// Whether the feed's key has just been drawn.
    fresh: bool,
    past: ReplayedLog,
}

impl<'a> OpenedFeed<'a> {
    /// Reads the log of a feed, or finds that there is none.
    ///
    /// # Errors
    /// The roots belong to another feed, the key does not fit, the log is damaged, or the feed file
    /// has changed frozen settings.
    pub fn read(mut opening: Opening<'a>) -> Result<OpenedFeed<'a>> {
        let Opening {
            private,
            public,
            key,
            drawn,
            feed,
            settings,
            chance,
            remedy,
            changed,
            ..
        } = &mut opening;
        let format = begun(&**private)?;
        if let Some(format) = format
            .as_ref()
            .filter(|format| format.feed != feed.name && settings.layout == Layout::Root)
        {
            return Err(format
                .is_of_another(&**private)
                .in_file(&feed.file)
                .in_field("store.private"));
        }
        let (ring, fresh) = match (KeyRing::open(&**private, key)?, drawn.take()) {
            (Some(ring), None) => (ring, false),
            // Keys are there before the log.
            (None, _) if !private.list("log")?.is_empty() => return Err(fenced(&**private)),
            (None, Some(ring)) => (ring, true),
            (None, None) => (KeyRing::draw(key, &feed.name, &mut **chance)?, true),
            (Some(_), Some(_)) => {
                let text = "another tidegate has begun here at the same time, with its own keys: repeat the command";
                return Err(Error::new(ErrorCategory::Io, text));
            }
        };
        let past = steadily(&**private, || {
            let past = read_quickly(&**private, &**public, &ring)?;
            strangers(&**public, settings.layout, past.state.as_ref())?;
            Ok(past)
        });
        // Entries that another process has written meanwhile are not read with our keys.
        let past = past.or_else(|error| {
            if fresh {
                begun_meanwhile(&**private, key).and(Err(error))
            } else {
                Err(error)
            }
        })?;
        if let Some(state) = past.state.as_ref().filter(|_| !*changed) {
            state.terms.frozen(feed, remedy)?;
        }
        let named = format.is_some();
        Ok(OpenedFeed {
            opening,
            named,
            ring,
            fresh,
            past,
        })
    }

    /// The state of the log; `None` if no feed has begun.
    pub fn state(&self) -> Option<&FeedState> {
        self.past.state.as_ref()
    }

    /// The state of the log with the keys to it; `None` if no feed has begun.
    pub fn known(&self) -> Option<(&FeedState, &KeyRing)> {
        self.state().map(|state| (state, &self.ring))
    }

    /// The hasher for the people of the feed.
    pub fn hasher(&self) -> PersonHasher {
        PersonHasher::new(&self.ring.people())
    }

    /// Begins the feed, or continues it as a new writer.
    ///
    /// # Errors
    /// The log cannot be written, or another writer has taken over.
    pub fn begin(self) -> Result<(FeedWriter, OpeningReport)> {
        let hasher = self.hasher();
        let OpenedFeed {
            opening,
            named,
            ring,
            fresh,
            past,
        } = self;
        let Opening {
            private,
            public,
            writer,
            feed,
            services,
            mut chance,
            settings,
            now,
            changed,
            ..
        } = opening;
        let ReplayedLog {
            state,
            last,
            read,
            checkpoint,
        } = past;
        if !named {
            write_format(&*private, &feed.name)?;
        }
        if fresh {
            ring.keep(&*private, &mut *chance)?;
        }
        let entries = last.as_ref().map_or(0, |last| last.entry.seq + 1);
        let head = last.as_ref().map(|last| last.sha256);
        let mut log = Log::behind(
            private,
            ring,
            chance,
            writer,
            last.as_ref().map(|last| &last.entry),
            head,
        )?;
        log.append(Fence {
            time: now.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
        })?;
        log.settle()?;
        let state = match state {
            Some(state) => state,
            None => first(&mut log, feed, &settings)?,
        };
        let policy = state.terms.policy()?;
        let known = LastCheckpoint {
            entries: checkpoint.map_or(0, |seq| seq + 1),
            bytes: 0,
        };
        let mut opened = FeedWriter {
            log,
            state,
            policy,
            public,
            settings,
            hasher,
            last: known,
            packed: entries,
            staged: 0,
            index: None,
        };
        // The decisions of a tick are completed under the taxonomies with which it was closed.
        finish_closing(&mut opened.log, &mut opened.state, &opened.policy)?;
        if !changed {
            configured(&mut opened, feed, services, now)?;
        }
        remember(&opened.log, &mut opened.state, &opened.public)?;
        opened.removed_stay_away()?;
        let swept = opened.sweep()?;
        Ok((
            opened,
            OpeningReport {
                entries,
                read,
                checkpoint,
                swept,
                fence: entries,
            },
        ))
    }
}

/// Checks that no other writer has begun the feed since this one found no key.
///
/// # Errors
/// Another writer has begun it.
fn begun_meanwhile(private: &dyn Store, key: &OperatorKey) -> Result<()> {
    match KeyRing::open(private, key)? {
        Some(_) => Err(fenced(private)),
        None => Ok(()),
    }
}

/// Records which settings of the feed file have changed, if any.
fn configured(
    writer: &mut FeedWriter,
    feed: &config::FeedConfig,
    services: Sha256,
    now: &str,
) -> Result<()> {
    let grown = writer.state.terms.growth(&feed.columns).is_some();
    if writer.state.services == Some(services) && !grown {
        return Ok(());
    }
    let object = if grown {
        Some(terms(&mut writer.log, &ChainTerms::of(feed))?)
    } else {
        None
    };
    let config = Config {
        time: now.to_owned(),
        terms: object.clone(),
        services,
    };
    writer.log.append(config)?;
    writer.state.services = Some(services);
    let held = writer.state.void(&writer.policy);
    held.iter()
        .try_for_each(|held| unstage(&writer.log, held))?;
    if let Some(object) = object {
        writer.state.live.insert(object.path.clone());
        writer.state.grown(ChainTerms::of(feed))?;
    }
    Ok(())
}

/// The first chain of a feed.
fn first(log: &mut Log, feed: &config::FeedConfig, settings: &FeedSettings) -> Result<FeedState> {
    let frozen = ChainTerms::of(feed);
    let chain = ChainStart {
        chain: 1,
        terms: terms(log, &frozen)?,
        wanted: None,
        delta: settings.writes_delta(feed),
        release_column: feed.columns.release().clone(),
    };
    log.append(chain.clone())?;
    let mut state = FeedState::new(frozen);
    state.begin_tables(&chain);
    state.live.insert(chain.terms.path);
    Ok(state)
}

/// Checks that nothing is published that the log does not know: otherwise its newest entries are
/// lost, and continuing would publish people twice.
fn strangers(public: &dyn ReadStore, layout: Layout, state: Option<&FeedState>) -> Result<()> {
    let prefix = if layout == Layout::Root {
        "manifest"
    } else {
        ""
    };
    let known = state
        .and_then(|state| state.releases.last())
        .map_or(0, |line| line.release);
    for object in public.list(prefix)? {
        if layout
            .release(&object.path)
            .is_some_and(|release| release > known)
        {
            let text = format!(
                "`{}` in the public root {} is newer than the private root, which was restored from an older copy, or \
                 belongs to another feed: restore the newest private root. To continue from an older one would publish \
                 people twice",
                object.path,
                public.place()
            );
            return Err(Error::new(ErrorCategory::Input, text));
        }
    }
    Ok(())
}
