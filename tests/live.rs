//! A feed at work on stores in memory: its state is the fold of its log after every step, and whatever a crash leaves
//! behind is finished as if nothing had happened.

#[path = "live/again.rs"]
mod again;
#[path = "live/asked.rs"]
mod asked;
mod common;
#[path = "live/crash.rs"]
mod crash;
#[path = "live/fold.rs"]
mod fold;
#[path = "live/grown.rs"]
mod grown;
#[path = "live/rekey.rs"]
mod rekey;

use common::{draw, feed};
