//! Waiting for an event. A test that waits polls until the event has happened. Its limit is so long
//! that slow machines do not reach it, but shorter than a developer's patience with a program that
//! hangs.

use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// The time after which the event is assumed never to happen.
pub const LIMIT: Duration = Duration::from_secs(600);

/// Polls until there is a value, and returns it; `what` describes the event.
///
/// # Panics
/// There is no value within [`LIMIT`].
#[track_caller]
pub fn until<T, D: Display>(what: impl Fn() -> D, mut poll: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(
            begun.elapsed() < LIMIT,
            "it has not come within {LIMIT:?}: {}",
            what()
        );
        sleep(Duration::from_millis(10));
    }
}

/// Runs work that must end, and returns what it returns.
///
/// # Panics
/// It does not end within [`LIMIT`], or it panics.
#[track_caller]
pub fn ends<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, is_done) = channel();
    let worker = spawn(move || {
        let value = work();
        // After the limit the test no longer waits.
        let _ = done.send(value);
    });
    match is_done.recv_timeout(LIMIT) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("it has not ended within {LIMIT:?}: {what}"),
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("it sends before it ends"),
        },
    }
}
