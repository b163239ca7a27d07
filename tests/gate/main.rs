//! What leaves the program and what keeps it back: the gate, the public files, refinement attacks, and other programs that
//! read published tables.

#[path = "../common/mod.rs"]
mod common;

mod readers;
mod refinement;
mod release;
mod spoilt;
