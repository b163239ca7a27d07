//! `tidegate anonymize` from outside (CONTRACTS 3): what it answers, what lies in its folder, and that neither bad input
//! nor a kill at any moment leaves half of anything there.

mod answers;
mod carving;
mod coins;
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
