//! The coin of `chain` (SCIENCE 4): attackers who know every quasi-identifier and date, the program and its policy, and all
//! releases, but neither sensitive values nor the coins; and what a finer release must keep to.

mod attackers;
mod releases;
mod world;

use crate::common::chain;
