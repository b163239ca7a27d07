//! The daemon (HOUSE 2): one loop per feed over one closed list of events. Waits, and hands what happens to the feed; decides
//! nothing. A feed that halts does not stop its neighbours.

mod ask;
pub mod begin;
mod connect;
mod event;
mod files;
mod held;
mod intake;
mod keeper;
mod outcome;
mod rekey;
mod seen;
mod sense;
mod tick;
mod timetable;
mod told;
mod topic;

use std::sync::Arc;
use std::time::Duration;

pub use ask::{Asking, Known, Person, ask};
pub use connect::{Reached, connect};
pub use event::Event;
pub use keeper::Keeper;
pub use outcome::{Outcome, Tick};
pub use rekey::rekey;
pub use seen::{seen, seen_with};

use held::Held;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::daemon::clock;
use crate::daemon::config::{Feed, Schedule, Ticks};
use crate::daemon::error::{Error, Kind, Result};
use crate::daemon::ingest::topic::Bell;
use crate::daemon::notify::last_words;
use crate::daemon::observe::events::{Halted, ShuttingDown};
use crate::daemon::observe::http::{Door, address, serve};
use crate::daemon::observe::{FeedObserver, Observer};

/// How long whoever is at work may take to end; what is cut off then is finished at the next start.
const GRACE: Duration = Duration::from_secs(8);
/// The longest sleep: clocks may be set.
const LONGEST: Duration = Duration::from_secs(30);

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// The process is told to end.
    Told,
    /// Each feed has closed one tick.
    Once,
}

/// Runs feeds until they end. With [`Until::Once`] the ticks that came of it. Whether a person has accepted the clock.
///
/// # Errors
/// Why the first feed halted; the others have gone on until they ended.
pub async fn run(
    feeds: Vec<Feed>,
    (until, accept_clock): (Until, bool),
    observer: Arc<Observer>,
    shutdown: watch::Receiver<bool>,
) -> std::result::Result<Vec<Tick>, Vec<Error>> {
    let one = |error: Error| vec![error];
    let door = match (until, address(&feeds).map_err(one)?) {
        (Until::Told, Some(http)) => Some(Door::open(http).map_err(one)?),
        _ => None,
    };
    let mut work = JoinSet::new();
    for feed in feeds {
        let told = observer.feed(&feed);
        work.spawn(keep(feed, told, (until, accept_clock), shutdown.clone()));
    }
    let pages = door.map(|door| {
        let mut ends = shutdown.clone();
        tokio::spawn(serve(door, observer.clone(), async move {
            let _ = ends.wait_for(|ends| *ends).await;
        }))
    });
    let (mut ticks, mut errors) = (Vec::new(), Vec::new());
    let mut ends = shutdown.clone();
    loop {
        let ended = tokio::select! {
            ended = work.join_next() => ended,
            () = over(&mut ends) => None,
        };
        match ended {
            None => break,
            Some(Ok(Ok(of_feed))) => ticks.extend(of_feed),
            Some(Ok(Err(error))) => errors.push(error),
            Some(Err(_)) => errors.push(Error::new(Kind::Internal, "a feed has ended by a fault of this program")),
        }
    }
    if let Some(pages) = pages {
        pages.abort();
    }
    if errors.is_empty() { Ok(ticks) } else { Err(errors) }
}

/// Some time after the process was told to end.
async fn over(shutdown: &mut watch::Receiver<bool>) {
    if shutdown.wait_for(|ends| *ends).await.is_err() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(GRACE).await;
}

/// One feed until it ends or halts.
async fn keep(
    feed: Feed,
    told: FeedObserver,
    how: (Until, bool),
    shutdown: watch::Receiver<bool>,
) -> Result<Vec<Tick>> {
    let feed = Arc::new(feed);
    let kept = feed_loop(Arc::clone(&feed), told.clone(), how, shutdown).await;
    if let Err(error) = &kept {
        told.emit(&Halted::because(error));
        let error = error.clone();
        // Whatever comes of it, why the feed has halted is what counts.
        let _ = aside(move || last_words(&feed, &error, &told)).await;
    }
    kept
}

/// Does something that may take its time.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let fault = |_| Error::new(Kind::Internal, "a feed has ended by a fault of this program: see the line above");
    tokio::task::spawn_blocking(work).await.map_err(fault)
}

async fn feed_loop(
    feed: Arc<Feed>,
    told: FeedObserver,
    (until, accept_clock): (Until, bool),
    mut shutdown: watch::Receiver<bool>,
) -> Result<Vec<Tick>> {
    let pause = begin::pause(&feed);
    let opening = told.clone();
    let mut keeper =
        aside(move || Keeper::open(feed, opening, (until == Until::Once, accept_clock)).map(Held::new)).await??;
    if until == Until::Once {
        return once(keeper, shutdown).await;
    }
    let bell = keeper.bell();
    let mut events = match keeper.missed(clock::instant()) {
        Some((due, missed)) => vec![Event::Tick { due, missed }],
        None => vec![Event::Look],
    };
    let mut next = timetable::next(keeper.schedule(), clock::instant());
    loop {
        for event in events.drain(..) {
            if *shutdown.borrow() {
                break;
            }
            keeper = step(keeper, event).await?.0;
        }
        if *shutdown.borrow() {
            told.emit(&ShuttingDown {});
            aside(move || drop(keeper.free())).await?;
            return Ok(Vec::new());
        }
        let now = clock::instant();
        let until_tick = next.map(|next| Duration::try_from(next.duration_since(now)).unwrap_or(Duration::ZERO));
        let wait = until_tick.unwrap_or(LONGEST).min(pause);
        tokio::select! {
            _ = shutdown.wait_for(|ends| *ends) => {}
            () = tokio::time::sleep(wait) => {}
            () = rings(&bell) => {}
        }
        let now = clock::instant();
        if let Some(first) = next.filter(|next| *next <= now) {
            // What was missed meanwhile is one tick.
            let schedule = keeper.schedule();
            let tick = |due| Event::Tick { due, missed: missed(schedule, first, due) };
            events.extend(timetable::last(schedule, now).map(tick));
            next = timetable::next(keeper.schedule(), now);
        } else {
            events.push(Event::Look);
        }
    }
}

/// Waits until a source has something; for ever where it cannot tell.
async fn rings(bell: &Option<Bell>) {
    match bell {
        Some(bell) => bell.rings().await,
        None => std::future::pending().await,
    }
}

/// Ticks that were due from the first on, before this one.
fn missed(schedule: &Schedule, first: Timestamp, due: Timestamp) -> u64 {
    if first < due { 1 + timetable::between(schedule, first, due) } else { 0 }
}

async fn step(keeper: Held<Keeper>, event: Event) -> Result<(Held<Keeper>, Vec<Tick>)> {
    aside(move || {
        let mut keeper = keeper.free();
        let ticks = keeper.handle(event)?;
        Ok((Held::new(keeper), ticks))
    })
    .await?
}

/// One tick: files that are there are waited for until they stand still.
async fn once(keeper: Held<Keeper>, mut shutdown: watch::Receiver<bool>) -> Result<Vec<Tick>> {
    let (mut keeper, mut ticks) = step(keeper, Event::Look).await?;
    while keeper.waits() && !*shutdown.borrow() {
        let settle = keeper.settle() / 4;
        tokio::select! {
            _ = shutdown.wait_for(|ends| *ends) => {}
            () = tokio::time::sleep(settle.clamp(Duration::from_millis(20), LONGEST)) => {}
        }
        let (same, more) = step(keeper, Event::Look).await?;
        keeper = same;
        ticks.extend(more);
    }
    if *shutdown.borrow() {
        aside(move || drop(keeper.free())).await?;
        return Ok(ticks);
    }
    if !matches!(keeper.schedule().ticks, Ticks::PerFile) {
        let (same, more) = step(keeper, Event::Tick { due: clock::instant(), missed: 0 }).await?;
        keeper = same;
        ticks.extend(more);
    }
    aside(move || keeper.free().finish()).await?;
    Ok(ticks)
}
