//! One feed for as long as the process lives. A feed that halts is tried again, at growing
//! intervals: its file is read again and its writer opened as at a start, which recovers from the
//! log. By then an operator may have ended the cause of the halt, or it has ended by itself.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::feed_loop::work;
use super::halt::Halts;
use super::known_log::KnownLog;
use super::outcome::FeedTick;
use super::queries::RunOptions;
use super::root_opening::ignored_variables;
use super::running_feed::RunningFeed;
use super::world::{World, run_blocking};
use crate::config::FeedConfig;
use crate::error::{Error, ErrorCategory, Result};
use crate::observe::FeedObserver;
use crate::observe::events::{ShuttingDown, Started, VariableNames, VariablesIgnored};

/// Between two attempts: at first, at most in the first hours, and after those. Each attempt
/// appends a fence to the log, which stays there for good.
const AGAIN: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_secs(60),
    Duration::from_secs(600),
];
/// Attempts before the intervals grow: a command holds the lock for moments.
const QUICK: u32 = 8;
/// Attempts within the first four hours.
const FIRST_HOURS: u32 = 256;

/// One feed until the process ends, or until it halts if it is not tried again.
///
/// # Errors
/// Why it has halted, if it is not tried again.
// Not itself an `async fn`: a public one is compiled into each program of unit tests, with all that
// it calls.
pub fn keep(
    feed: FeedConfig,
    observer: FeedObserver,
    how: RunOptions,
    world: Arc<dyn World>,
    shutdown: watch::Receiver<bool>,
) -> impl Future<Output = Result<Vec<FeedTick>>> {
    try_again(feed, observer, how, world, shutdown)
}

/// Runs a feed, and again after each halt.
async fn try_again(
    feed: FeedConfig,
    observer: FeedObserver,
    how: RunOptions,
    world: Arc<dyn World>,
    mut shutdown: watch::Receiver<bool>,
) -> Result<Vec<FeedTick>> {
    observer.emit(&Started {
        version: env!("CARGO_PKG_VERSION"),
    });
    let ignored = ignored_variables(&feed);
    if !ignored.is_empty() {
        observer.emit(&VariablesIgnored {
            names: VariableNames::new(ignored),
        });
    }
    let known = Arc::new(KnownLog::new(&mut *world.chance())?);
    let halts = Arc::new(Halts::new(observer.clone(), Arc::clone(&world)));
    let mut running = RunningFeed {
        feed: Arc::new(feed),
        observer,
        how,
        known,
        halts,
        world,
    };
    let mut tries = 0;
    let mut done = work(&running, shutdown.clone()).await;
    loop {
        let Err(error) = done else { return done };
        tries = if running.halts.lasts() { tries + 1 } else { 0 };
        halt(&running, &error).await;
        if !how.tries_again() {
            return Err(error);
        }
        if waits(&running, tries, &mut shutdown).await {
            running.observer.emit(&ShuttingDown {});
            let halts = Arc::clone(&running.halts);
            let _ = run_blocking(&running.world, move || halts.finish()).await;
            return Ok(Vec::new());
        }
        done = match read_again(&running).await {
            Ok(feed) => {
                running.feed = Arc::new(feed);
                work(&running, shutdown.clone()).await
            }
            Err(error) => Err(error),
        };
    }
}

/// Reports a halt; if the process ends now, receivers have some time.
async fn halt(running: &RunningFeed, error: &Error) {
    let (feed, halts, error) = (
        Arc::clone(&running.feed),
        Arc::clone(&running.halts),
        error.clone(),
    );
    let again = running.how.tries_again();
    // Whatever the result, the reason for the halt is the one above.
    let _ = run_blocking(&running.world, move || {
        halts.failed(&feed, &error, again);
        if !again {
            halts.finish();
        }
    })
    .await;
}

/// The pause after this many attempts.
fn pause(tries: u32) -> Duration {
    let slower = 1 << tries.saturating_sub(QUICK).min(16);
    (AGAIN[0] * slower).min(AGAIN[if tries < FIRST_HOURS { 1 } else { 2 }])
}

/// Waits for the next attempt; returns whether the process is to end instead.
async fn waits(running: &RunningFeed, tries: u32, shutdown: &mut watch::Receiver<bool>) -> bool {
    let pause = pause(tries);
    let ends = async {
        if shutdown.wait_for(|ends| *ends).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let next = async {
        if running.halts.is_lost() {
            std::future::pending::<()>().await;
        }
        running.world.sleep(pause).await;
    };
    tokio::select! {
        biased;
        () = ends => true,
        () = next => false,
    }
}

/// The feed file as it is now.
async fn read_again(running: &RunningFeed) -> Result<FeedConfig> {
    let before = Arc::clone(&running.feed);
    run_blocking(&running.world, move || {
        let feed = FeedConfig::load(&before.file)?;
        if feed.name != before.name {
            let text = format!(
                "this feed file began as the feed \"{}\" and has another name now: restart",
                before.name
            );
            return Err(Error::new(ErrorCategory::Feed, text)
                .in_file(&feed.file)
                .in_field("feed.name"));
        }
        Ok(feed)
    })
    .await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_become_slower() {
        let all: Vec<Duration> = (0..3_000).map(pause).collect();
        assert!(
            all.is_sorted() && all[0] == Duration::from_millis(500),
            "ever more slowly"
        );
        let tries_in = |time: Duration| {
            let mut left = time;
            all.iter()
                .take_while(|pause| {
                    left.checked_sub(**pause).is_some_and(|rest| {
                        left = rest;
                        true
                    })
                })
                .count()
        };
        let hour = Duration::from_secs(3_600);
        assert!(
            (8..12).contains(&tries_in(Duration::from_secs(10))),
            "a command that holds the lock ends soon"
        );
        assert!(
            (60..80).contains(&tries_in(hour)),
            "each minute in the first hours"
        );
        // A halt of two weeks leaves no more fences than a feed has files in a year.
        assert!(
            (2_000..2_500).contains(&tries_in(hour * 24 * 14)),
            "{}",
            tries_in(hour * 24 * 14)
        );
    }
}
