//! Tests `tidegate anonymize` from outside (CONTRACTS 3): its answers, the files in its folder, and
//! that neither bad input nor a kill at any moment leaves a half-written release there.

mod answers;
mod carving;
mod crowds;
mod crowds_judged;
mod folder;
mod global_recoding;
mod golden;
mod grouping;
mod growth;
mod halving;
mod inputs;
mod kills;
mod levels;
mod limits;
mod place;
mod preview;
mod query;
mod show_and_verify;
mod two_tables;
mod words;
