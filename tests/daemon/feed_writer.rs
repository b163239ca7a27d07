//! A running feed on stores in memory: its state is the fold of its log after every step, and after
//! a crash the next writer completes the work as if nothing had happened.

mod cells;
mod checkpoints;
mod crash;
mod determinism;
mod fold;
mod grown_taxonomies;
mod notes;
mod random_requests;
mod rekey;
mod requests;
mod retention;
mod rows;
mod simultaneous_starts;
mod withdrawal;

use crate::common::{draw, feed};
