//! What the daemon reports to its operator (CONTRACTS 5): log lines, metrics and health. One
//! observable event is one struct that writes its line and changes its metrics together, so that
//! the two never disagree.
//!
//! An event contains counts, numbers of ticks, releases and entries, hashes, durations, names of
//! files and of checks, and texts of this program's errors: no other type can be an [`EventField`],
//! so that no value of a record is ever reported. All of it is private; nothing here is published,
//! and nothing at all describes masking.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use tidegate_settings::config::{FeedConfig, LogFormat};
//! use tidegate_run::observe::{Observer, events::CheckpointWritten};
//!
//! fn watch(feed: &FeedConfig) -> Result<(), tidegate_settings::error::Error> {
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
