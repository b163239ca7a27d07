//! The acting storey: reads, writes and waits, and decides nothing.

pub mod chance;
pub mod clock;
pub mod config;
pub mod error;
pub mod guess;
pub mod ingest;
pub mod oneshot;
