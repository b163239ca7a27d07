//! Tests of the package itself: its architecture, its lints, its schemas and the files in `deploy`.

#[path = "../common/mod.rs"]
mod common;

mod architecture;
mod checks;
mod contributing;
mod deploy;
mod faults;
mod formats;
mod halt_messages;
mod lints;
mod mutants;
mod needs;
mod schemas;
mod shipped;
mod walk;
