//! The daemon (HOUSE 2): running feeds, independent of each other, and the pages that report on
//! them. A feed that halts stops neither the other feeds nor the pages, and is tried again until it
//! continues.

mod clock_check;
mod connect;
mod damage;
mod detached_drop;
mod event;
mod feed_loop;
mod feed_snapshot;
mod halt;
mod intake;
mod keeper;
mod known_log;
mod machine;
mod outcome;
mod page;
mod queries;
mod rekey;
mod request_delivery;
mod restart;
pub mod root_opening;
mod running_feed;
mod scrub;
mod scrub_progress;
mod sources;
mod tick;
mod timetable;
pub mod world;

use std::sync::Arc;
use std::time::Duration;

pub use clock_check::{ClockWait, future_tick};
pub use connect::{ConnectionCheck, connect};
pub use event::LoopEvent;
pub use feed_snapshot::{seen, seen_with};
pub use keeper::Keeper;
pub use outcome::{FeedTick, TickOutcome};
pub use page::{ask_health, damaged, halted, waits_for_clock};
pub use queries::{PageOptions, RunEnd, RunOptions};
pub use rekey::rekey;
pub use request_delivery::{FeedFacts, RequestBuilder, Requester, ask};
pub use restart::keep;

use machine::Machine;
use tokio::sync::watch;
use tokio::task::JoinSet;
use world::World;

use crate::config::FeedConfig;
use crate::error::{Error, ErrorCategory};
use crate::observe::Observer;
use crate::observe::http::{HttpPort, address, serve};

/// The time that a running feed has to end; work that is interrupted then is completed at the next
/// start.
const GRACE: Duration = Duration::from_secs(8);

/// Runs feeds until they end. With [`RunEnd::Once`] it returns the ticks that they closed.
///
/// # Errors
/// Why feeds halted, if they are not tried again; the others have continued until they ended.
pub async fn run(
    feeds: Vec<FeedConfig>,
    how: RunOptions,
    options: PageOptions,
    observer: Arc<Observer>,
    shutdown: watch::Receiver<bool>,
) -> std::result::Result<Vec<FeedTick>, Vec<Error>> {
    let one = |error: Error| vec![error];
    let door = match (how.until, address(&feeds).map_err(one)?) {
        (RunEnd::Asked, Some(http)) => {
            let http = http.changed_by(options.bind, options.token.as_deref());
            Some(HttpPort::open(&http).map_err(one)?)
        }
        _ => None,
    };
    let world: Arc<dyn World> = Arc::new(Machine::default());
    let mut work = JoinSet::new();
    for feed in feeds {
        let feed_observer = observer.feed(&feed);
        work.spawn(keep(
            feed,
            feed_observer,
            how,
            Arc::clone(&world),
            shutdown.clone(),
        ));
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
            Some(Err(_)) => errors.push(Error::new(
                ErrorCategory::Internal,
                "a feed has ended with an internal error",
            )),
        }
    }
    if let Some(pages) = pages {
        pages.abort();
    }
    if errors.is_empty() {
        Ok(ticks)
    } else {
        Err(errors)
    }
}

/// Some time after the process was told to end.
async fn over(shutdown: &mut watch::Receiver<bool>) {
    if shutdown.wait_for(|ends| *ends).await.is_err() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(GRACE).await;
}
