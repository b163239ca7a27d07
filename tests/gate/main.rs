//! What the program publishes and what it rejects: the gate, the public files, refinement attacks,
//! and other programs that read published tables.

#[path = "../common/mod.rs"]
mod common;

mod readers;
mod refinement;
mod release;
mod spoilt;
