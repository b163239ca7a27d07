//! The daemon: reads, writes and waits, and decides nothing.

pub mod chance;
pub mod clock;
pub mod config;
pub mod error;
pub mod feed_writer;
pub mod folder;
pub mod formats;
pub mod guess;
pub mod ingest;
pub mod intake_counts;
pub mod journal;
pub mod notify;
pub mod observe;
pub mod opened_release;
pub mod preview;
pub mod seal;
pub mod service;
pub mod sign;
pub mod small_file;
pub mod terms;
pub mod verify;
pub mod view;
mod web;
pub mod whole_file;
pub mod wiped_bytes;
