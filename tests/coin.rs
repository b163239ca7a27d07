//! The coin of `chain` (SCIENCE 4): attackers who know every quasi-identifier and date, the program and its policy, and all
//! releases, but neither sensitive values nor the coins; and what a finer release must keep to.

mod common;

#[path = "coin/attackers.rs"]
mod attackers;
#[path = "coin/releases.rs"]
mod releases;
#[path = "coin/world.rs"]
mod world;

use common::chain;
