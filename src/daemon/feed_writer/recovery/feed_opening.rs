//! How a feed begins, and begins again (HOUSE 3, Start): the log is read to its end, a fence is put behind it, and what a
//! crash has left half done is finished. No effect outside comes before the fence lasts.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::super::publish::public_root::PublicRoot;
use super::super::state::FeedState;
use super::super::writer::{FeedSettings, FeedWriter, LastCheckpoint, terms};
use super::replay::{ReplayedLog, read_quickly, steadily};
use crate::daemon::chance::Chance;
use crate::daemon::config;
use crate::daemon::error::{Error, ErrorCategory, Result};
use crate::daemon::ingest::PersonHasher;
use crate::daemon::journal::store::{ReadStore, Store};
use crate::daemon::journal::{ChainStart, Config, Fence, KeyRing, Log, begun, fenced, write_format};
use crate::daemon::seal::OperatorKey;
use crate::daemon::terms::ChainTerms;
use crate::engine::release::{Layout, Sha256};

/// What a feed is opened with.
pub struct Opening<'a> {
    /// The private root.
    pub private: Arc<dyn Store>,
    /// The public root.
    pub public: PublicRoot,
    /// The operator's key.
    pub key: &'a OperatorKey,
    /// The feed's own keys, where they were drawn before anything was written; of a feed that begins only.
    pub drawn: Option<KeyRing>,
    /// The name that this process has as a writer of this feed; `None` draws one.
    pub writer: Option<String>,
    /// The feed file.
    pub feed: &'a config::FeedConfig,
    /// The digest of what of the feed file may change.
    pub services: Sha256,
    /// Chance.
    pub chance: Box<dyn Chance>,
    /// What may change.
    pub settings: FeedSettings,
    /// Now.
    pub now: &'a str,
    /// What can be done when the feed file has changed what is frozen.
    pub remedy: &'a str,
    /// The feed file may have changed what is frozen: a new chain is to begin under it.
    pub changed: bool,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningReport {
    /// Entries of the log.
    pub entries: u64,
    /// Entries that were read, those behind a checkpoint only.
    pub read: u64,
    /// The place of the entry that a checkpoint stood behind.
    pub checkpoint: Option<u64>,
    /// Objects that no entry names.
    pub swept: u64,
    /// The place of the fence.
    pub fence: u64,
}

/// A feed whose log was read, before a writer begins: nothing is changed yet.
pub struct OpenedFeed<'a> {
    opening: Opening<'a>,
    /// It is known whose the private root is.
    named: bool,
    ring: KeyRing,
    /// The feed's key was drawn just now.
    fresh: bool,
    past: ReplayedLog,
}

impl<'a> OpenedFeed<'a> {
    /// Reads the log of a feed, or sees that none has begun.
    ///
    /// # Errors
    /// The roots are another feed's, the key another one, the log damaged, or the feed file has changed what is frozen.
    pub fn read(mut opening: Opening<'a>) -> Result<OpenedFeed<'a>> {
        let Opening { private, public, key, drawn, feed, settings, chance, remedy, changed, .. } = &mut opening;
        let format = begun(&**private)?;
        if let Some(format) =
            format.as_ref().filter(|format| format.feed != feed.name && settings.layout == Layout::Root)
        {
            return Err(format.is_of_another(&**private).in_file(&feed.file).in_field("store.private"));
        }
        let (ring, fresh) = match (KeyRing::open(&**private, key)?, drawn.take()) {
            (Some(ring), None) => (ring, false),
            (None, _) if !private.list("log")?.is_empty() => {
                begun_meanwhile(&**private, key)?;
                let text = "the keys of this private root are gone: put them back from a backup of the whole root";
                return Err(Error::new(ErrorCategory::Input, text).in_field("keys"));
            }
            (None, Some(ring)) => (ring, true),
            (None, None) => (KeyRing::draw(key, &mut **chance)?, true),
            (Some(_), Some(_)) => {
                let text = "another tidegate has begun here meanwhile, with keys of its own: give the command again";
                return Err(Error::new(ErrorCategory::Io, text));
            }
        };
        let past = steadily(&**private, || {
            let past = read_quickly(&**private, &**public, &ring)?;
            strangers(&**public, settings.layout, past.state.as_ref())?;
            Ok(past)
        });
        // What another one has written meanwhile is not read with our keys.
        let past =
            past.or_else(|error| if fresh { begun_meanwhile(&**private, key).and(Err(error)) } else { Err(error) })?;
        match past.state.as_ref().filter(|_| !*changed) {
            Some(state) => {
                *feed = feed.running(&state.terms.policy()?)?;
                state.terms.frozen(feed, remedy)?;
            }
            None if past.state.is_none() => *feed = feed.beginning()?,
            None => {}
        }
        let named = format.is_some();
        Ok(OpenedFeed { opening, named, ring, fresh, past })
    }

    /// What the log says; `None` where no feed has begun.
    pub fn state(&self) -> Option<&FeedState> {
        self.past.state.as_ref()
    }

    /// Hashes the people of the feed.
    pub fn hasher(&self) -> PersonHasher {
        PersonHasher::new(&self.ring.people())
    }

    /// The feed begins, or goes on under a new writer.
    ///
    /// # Errors
    /// The log cannot be written, or another writer has taken over.
    pub fn begin(self) -> Result<(FeedWriter, OpeningReport)> {
        let hasher = self.hasher();
        let OpenedFeed { opening, named, ring, fresh, past } = self;
        let Opening { private, public, writer, feed, services, mut chance, settings, now, changed, .. } = opening;
        let ReplayedLog { state, last, read, checkpoint } = past;
        if !named {
            write_format(&*private, &feed.name)?;
        }
        if fresh {
            ring.keep(&*private, &mut *chance)?;
        }
        let entries = last.as_ref().map_or(0, |last| last.entry.seq + 1);
        let head = last.as_ref().map(|last| last.sha256);
        let mut log = Log::behind(private, ring, chance, writer, last.as_ref().map(|last| &last.entry), head)?;
        log.append(Fence { time: now.to_owned(), program: env!("CARGO_PKG_VERSION").to_owned() })?;
        log.settle()?;
        let state = match state {
            Some(state) => state,
            None => first(&mut log, feed, &settings)?,
        };
        let policy = state.terms.policy()?;
        let known = LastCheckpoint { entries: checkpoint.map_or(0, |seq| seq + 1), bytes: 0 };
        let mut opened = FeedWriter {
            log,
            state,
            policy,
            public,
            settings,
            hasher,
            last: known,
            packed: entries,
            staged: AtomicU64::new(0),
            index: None,
        };
        // What a tick has fixed is put down under the taxonomies that it was closed under.
        opened.finish_closing()?;
        if !changed {
            opened.configured(feed, services, now)?;
        }
        opened.remember()?;
        opened.removed_stay_away()?;
        let swept = opened.sweep()?;
        Ok((opened, OpeningReport { entries, read, checkpoint, swept, fence: entries }))
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

impl FeedWriter {
    /// Opens a feed, or begins one.
    ///
    /// # Errors
    /// As for [`OpenedFeed::read`] and [`OpenedFeed::begin`].
    pub fn open(opening: Opening<'_>) -> Result<(FeedWriter, OpeningReport)> {
        OpenedFeed::read(opening)?.begin()
    }

    /// What of the feed file has changed, if anything has.
    fn configured(&mut self, feed: &config::FeedConfig, services: Sha256, now: &str) -> Result<()> {
        let grown = self.state.terms.growth(&feed.columns).is_some();
        if self.state.services == Some(services) && !grown {
            return Ok(());
        }
        let object = if grown { Some(terms(&mut self.log, &ChainTerms::of(feed))?) } else { None };
        let config = Config { time: now.to_owned(), terms: object.clone(), services };
        self.append(config)?;
        self.state.services = Some(services);
        let held = self.state.void(&self.policy);
        held.iter().try_for_each(|held| self.unstage(held))?;
        if let Some(object) = object {
            self.state.live.insert(object.path.clone());
            self.state.grown(ChainTerms::of(feed), &object)?;
        }
        Ok(())
    }
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
        logs_forgetting: true,
    };
    log.append(chain.clone())?;
    let mut state = FeedState { logs_forgetting: true, ..FeedState::new(frozen, chain.terms.clone()) };
    state.begin_tables(&chain);
    state.live.insert(chain.terms.path);
    Ok(state)
}

/// Nothing is published that the log does not know: else its newest entries are lost, and going on would publish people
/// twice.
fn strangers(public: &dyn ReadStore, layout: Layout, state: Option<&FeedState>) -> Result<()> {
    let prefix = if layout == Layout::Root { "manifest" } else { "" };
    let known = state.and_then(|state| state.releases.last()).map_or(0, |line| line.release);
    for object in public.list(prefix)? {
        if layout.release(&object.path).is_some_and(|release| release > known) {
            let text = format!(
                "`{}` in the public root {} is newer than the private root, which was put back from an older copy, or \
                 is another one: put the newest private root back. Going on from an older one would publish people twice",
                object.path,
                public.place()
            );
            return Err(Error::new(ErrorCategory::Input, text));
        }
    }
    Ok(())
}
