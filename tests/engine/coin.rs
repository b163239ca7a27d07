//! The random draw of `chain` (SCIENCE 4): attackers who know every quasi-identifier and date, the
//! program and its policy, and all releases, but neither sensitive values nor the draws; and the
//! limits of a finer release.

mod attackers;
mod releases;
mod world;

use crate::common::chain;
