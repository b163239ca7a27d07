//! The engine's computations, on values alone: anonymizers, attacks on releases in memory, and the
//! figures of the papers.

#[path = "../common/mod.rs"]
mod common;

mod anonymizer;
mod brute_force;
mod chains;
mod counterexamples;
mod counting;
mod crowd_audit;
mod crowd_chain;
mod crowd_erasure;
mod crowds;
mod crowds_alone;
mod diversity;
mod global_recoding;
mod golden_adult;
mod golden_anonymizer;
mod golden_chain;
mod golden_detect;
mod golden_halves_coin;
mod golden_levels;
mod golden_standing;
mod groups;
mod headcounts;
mod labellers;
mod levels;
mod local_recoding;
mod mask;
mod minimality;
mod numbers;
mod properties;
mod recoding;
mod risk;
mod sums;
mod taxonomies;
