//! One running feed, from the start of its writer until the process ends or the feed halts: a loop
//! over one closed list of events. It waits, and passes each event to the feed; it decides nothing.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use super::detached_drop::DetachedDrop;
use super::event::LoopEvent;
use super::keeper::Keeper;
use super::outcome::FeedTick;
use super::queries::RunEnd;
use super::root_opening::pause;
use super::running_feed::RunningFeed;
use super::timetable;
use super::world::{World, run_blocking};
use crate::config::{Schedule, Ticks};
use crate::error::Result;
use crate::ingest::topic::FetchBell;
use crate::observe::events::ShuttingDown;

/// The longest sleep, since clocks may be set.
const LONGEST: Duration = Duration::from_secs(30);
/// A source that always has messages has been read for this long without an error: it is not the
/// reason for the halt.
const SETTLED: Duration = Duration::from_secs(30);

/// Runs until the process ends.
///
/// # Errors
/// The feed halts.
pub(in crate::service) async fn work(
    running: &RunningFeed,
    mut shutdown: watch::Receiver<bool>,
) -> Result<Vec<FeedTick>> {
    let pause = pause(&running.feed);
    let world = &running.world;
    let opens = running.clone();
    let mut keeper =
        run_blocking(world, move || Keeper::open(&opens).map(DetachedDrop::new)).await??;
    if running.how.until == RunEnd::Once {
        return once(keeper, running, shutdown).await;
    }
    let mut settling = Some(world.age());
    let bell = keeper.bell();
    let begun = keeper.time();
    let mut events = match keeper.missed(begun) {
        Some((due, missed)) => vec![LoopEvent::Tick { due, missed }],
        None => vec![LoopEvent::Look],
    };
    let mut next = timetable::next(keeper.schedule(), begun);
    loop {
        for event in events.drain(..) {
            if *shutdown.borrow() {
                break;
            }
            keeper = step(world, keeper, event).await?.0;
            // A tick that the clock has kept from closing is still due when the clock is right
            // again.
            if let LoopEvent::Tick { due, .. } = event
                && keeper.waits_for_clock()
            {
                next = Some(due);
            }
        }
        if *shutdown.borrow() {
            running.observer.emit(&ShuttingDown {});
            let halts = Arc::clone(&running.halts);
            run_blocking(world, move || {
                drop(keeper.free());
                halts.finish();
            })
            .await?;
            return Ok(Vec::new());
        }
        if settling
            .is_some_and(|since| !keeper.waits() || world.age().saturating_sub(since) >= SETTLED)
        {
            settling = None;
            keeper.settled = true;
            running.end_halt().await?;
        }
        let now = keeper.time();
        let awaited = next.filter(|_| !keeper.waits_for_clock());
        let until_tick = awaited
            .map(|next| Duration::try_from(next.duration_since(now)).unwrap_or(Duration::ZERO));
        let wait = until_tick.unwrap_or(LONGEST).min(pause);
        tokio::select! {
            biased;
            _ = shutdown.wait_for(|ends| *ends) => {}
            () = world.sleep(wait) => {}
            () = rings(&bell) => {}
        }
        let now = keeper.time();
        if let Some(first) = next.filter(|next| *next <= now && !keeper.waits_for_clock()) {
            // All ticks that were missed in this time are one tick.
            let schedule = keeper.schedule();
            let tick = |due| LoopEvent::Tick {
                due,
                missed: missed(schedule, first, due),
            };
            events.extend(timetable::last(schedule, now).map(tick));
            next = timetable::next(keeper.schedule(), now);
        } else {
            events.push(LoopEvent::Look);
        }
    }
}

/// Waits until a source has messages; for ever if it cannot signal that.
async fn rings(bell: &Option<FetchBell>) {
    match bell {
        Some(bell) => bell.rings().await,
        None => std::future::pending().await,
    }
}

/// The number of ticks that were due from the first one on, before this one.
fn missed(schedule: &Schedule, first: Timestamp, due: Timestamp) -> u64 {
    if first < due {
        1 + timetable::between(schedule, first, due)
    } else {
        0
    }
}

async fn step(
    world: &Arc<dyn World>,
    keeper: DetachedDrop<Keeper>,
    event: LoopEvent,
) -> Result<(DetachedDrop<Keeper>, Vec<FeedTick>)> {
    run_blocking(world, move || {
        let mut keeper = keeper.free();
        let ticks = keeper.handle(event)?;
        Ok((DetachedDrop::new(keeper), ticks))
    })
    .await?
}

/// One tick: it waits until existing files no longer change.
async fn once(
    keeper: DetachedDrop<Keeper>,
    running: &RunningFeed,
    mut shutdown: watch::Receiver<bool>,
) -> Result<Vec<FeedTick>> {
    let world = &running.world;
    let (keeper, _) = step(world, keeper, LoopEvent::Round).await?;
    let (mut keeper, mut ticks) = step(world, keeper, LoopEvent::Look).await?;
    while keeper.waits() && !*shutdown.borrow() {
        let settle = keeper.settle() / 4;
        tokio::select! {
            biased;
            _ = shutdown.wait_for(|ends| *ends) => {}
            () = world.sleep(settle.clamp(Duration::from_millis(20), LONGEST)) => {}
        }
        let (same, more) = step(world, keeper, LoopEvent::Look).await?;
        keeper = same;
        ticks.extend(more);
    }
    if *shutdown.borrow() {
        run_blocking(world, move || drop(keeper.free())).await?;
        return Ok(ticks);
    }
    if !matches!(keeper.schedule().ticks, Ticks::PerFile) {
        let due = keeper.time();
        let (same, more) = step(world, keeper, LoopEvent::Tick { due, missed: 0 }).await?;
        keeper = same;
        ticks.extend(more);
    }
    running.end_halt().await?;
    let halts = Arc::clone(&running.halts);
    run_blocking(world, move || {
        keeper.free().finish();
        halts.finish();
    })
    .await?;
    Ok(ticks)
}
