//! `tidegate anonymize` from outside (CONTRACTS 3): what it answers, what lies in its folder, and that neither bad input
//! nor a kill at any moment leaves half of anything there.

mod answers;
mod carved;
mod coins;
mod counted;
mod crowds;
mod crowds_judged;
mod folder;
mod global;
mod golden;
mod grouped;
mod growth;
mod halved;
mod inputs;
mod kills;
mod levels;
mod limits;
mod place;
mod preview;
mod shown;
mod two;
mod words;
