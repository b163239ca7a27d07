//! A feed at work on stores in memory: its state is the fold of its log after every step, and whatever a crash leaves
//! behind is finished as if nothing had happened.

mod again;
mod asked;
mod begun;
mod cells;
mod certainty;
mod checkpoints;
mod crash;
mod fold;
mod grown;
mod random_requests;
mod rekey;
mod retention;
mod rows;
mod withdrawn;

use crate::common::{draw, feed};
