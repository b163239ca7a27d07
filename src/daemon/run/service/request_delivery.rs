//! How a command brings a request to a feed (HOUSE 3): if no process is running it handles the
//! request itself, under the lock; otherwise it writes the request into the inbox and waits for the
//! answer. It never fences a live daemon.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::root_opening::{before_new_chain, key, not_begun, private, roots, writer};
use super::world::OpenedRoots;
use crate::chance::SystemChance;
use crate::clock;
use crate::config::FeedConfig;
use crate::error::{Error, ErrorCategory, Result};
use crate::feed_writer::{
    DecidedRelease, FeedState, OutgoingRelease, ReplayedLog, Request, RequestKind, RequestOutcome,
    past,
};
use crate::journal::store::Store;
use crate::journal::{KeyRing, LogHead};
use crate::sign::Signing;

/// The time that an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a command knows about the feed before it asks.
pub struct FeedFacts<'a> {
    /// The release that waits for approval.
    pub held: Option<&'a OutgoingRelease>,
    /// The releases that were published, in order.
    pub releases: &'a [DecidedRelease],
    /// The keys.
    pub ring: &'a KeyRing,
}

impl<'a> FeedFacts<'a> {
    fn of(state: &'a FeedState, ring: &'a KeyRing) -> FeedFacts<'a> {
        FeedFacts {
            held: state.held.as_ref(),
            releases: &state.releases,
            ring,
        }
    }
}

/// Who asks, and why.
#[derive(Debug, Clone, Default)]
pub struct Requester {
    /// Their name; None for the account alone.
    pub name: Option<String>,
    /// Their reason.
    pub why: Option<String>,
    /// The key of an approver, who signs decisions with it.
    pub key: Option<Signing>,
}

impl Requester {
    /// A requester who gives this reason.
    pub fn with_reason(why: &str) -> Requester {
        Requester {
            why: Some(why.to_owned()),
            ..Requester::default()
        }
    }

    /// The request, signed if they have a key.
    fn request(&self, ask: RequestKind, when: String, place: (&str, LogHead)) -> Result<Request> {
        let request = Request::new(
            ask,
            self.who(),
            when,
            self.why.clone(),
            place,
            &mut SystemChance,
        )?;
        Ok(match self.name.as_deref().zip(self.key.as_ref()) {
            Some((name, key)) => request.signed_by(name, key),
            None => request,
        })
    }

    /// As the log names them.
    pub fn who(&self) -> String {
        self.name
            .as_ref()
            .map_or_else(account, |name| format!("{name} (account {})", account()))
    }
}

/// The request, once the feed is known; or why there is nothing to ask.
pub type RequestBuilder<'a> = dyn Fn(&FeedFacts<'_>) -> Result<RequestKind> + 'a;

/// Asks, and waits for the answer. `new_chain`: the feed file may have changed settings that are
/// frozen.
///
/// # Errors
/// The feed cannot be opened, or no answer arrives.
pub fn ask(
    feed: &FeedConfig,
    asking: &RequestBuilder<'_>,
    by: &Requester,
    new_chain: bool,
) -> Result<RequestOutcome> {
    match roots(feed)? {
        Some(roots) if roots.lock.is_some() => here(feed, &roots, asking, by, new_chain),
        held => {
            let store = match held {
                Some(roots) => roots.private,
                None => private(feed)?,
            };
            there(feed, &store, asking, by)
        }
    }
}

/// Handles it in this process, which holds the lock.
fn here(
    feed: &FeedConfig,
    roots: &OpenedRoots,
    asking: &RequestBuilder<'_>,
    by: &Requester,
    new_chain: bool,
) -> Result<RequestOutcome> {
    let now = clock::now();
    let mut writer = match writer(feed, roots, &now) {
        Ok((writer, _)) => writer,
        // Frozen settings were changed: only a new chain may be asked for then.
        Err(error) => match new_chain {
            true => before_new_chain(feed, roots, &now)?,
            false => return Err(error),
        },
    };
    writer.finish(&now)?;
    let ask = asking(&FeedFacts::of(writer.state(), writer.log().ring()))?;
    let request = by.request(ask, now.clone(), writer.log().place())?;
    writer.carry_out(&request, &|| FeedConfig::load(&feed.file), &now)
}

/// Asks the running process.
fn there(
    feed: &FeedConfig,
    store: &Arc<dyn Store>,
    asking: &RequestBuilder<'_>,
    by: &Requester,
) -> Result<RequestOutcome> {
    let ring = KeyRing::open(&**store, &key(feed)?)?.ok_or_else(|| not_begun(feed))?;
    let public = super::root_opening::public(feed)?;
    let ReplayedLog { state, last, .. } = past(&**store, &*public, &ring)?;
    let (state, last) = state.zip(last).ok_or_else(|| not_begun(feed))?;
    let ask = asking(&FeedFacts::of(&state, &ring))?;
    let after = LogHead {
        seq: last.entry.seq,
        sha256: last.sha256,
    };
    let request = by.request(ask, clock::now(), (ring.feed(), after))?;
    request.put(&**store, &ring, &mut SystemChance)?;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(answer) = request.answer(&**store, &ring)? {
            request.read(&**store)?;
            return Ok(answer);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let text = "the request is in the inbox of the feed, but was not answered within a minute: the process that runs \
                the feed will do it next. `tidegate show` shows the result";
    Err(Error::new(ErrorCategory::Io, text).in_file(&feed.file))
}

/// The account that a command runs under.
fn account() -> String {
    let user = std::env::var("USER").or_else(|_| std::env::var("LOGNAME"));
    let user = user.ok().filter(|user| !user.is_empty());
    user.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}
