//! What the daemon tells its operator (CONTRACTS 5): log lines, metrics and health. One observable event is one struct
//! that writes its line and moves its metrics together, so that the two never disagree.
//!
//! An event holds counts, numbers of ticks, releases and entries, digests, durations, names of files and of checks, and
//! texts of our own errors: no other type can be a [`EventField`] of one, so that no value of a record is ever told. All of
//! it is private; nothing here is published, and of masking nothing is told at all.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use tidegate::daemon::config::{FeedConfig, LogFormat};
//! use tidegate::daemon::observe::{Observer, events::CheckpointWritten};
//!
//! fn watch(feed: &FeedConfig) -> Result<(), tidegate::daemon::error::Error> {
//!     let observer = Arc::new(Observer::to_stderr(LogFormat::Text)?);
//!     let observe = observer.feed(feed);
//!     observe.emit(&CheckpointWritten { seq: 41, bytes: 9_000, seconds: Duration::from_millis(3) });
//!     Ok(())
//! }
//! ```

pub mod events;
mod field;
pub mod http;
mod lateness;
mod line;
mod lines;
mod metrics;
mod observer;
mod process_settings;
mod state;
mod words;

pub use field::EventField;
pub use lateness::SourceLag;
pub use observer::{FeedObserver, Observer};
pub use process_settings::format;
pub use state::{FeedPhase, Halt, Health};
