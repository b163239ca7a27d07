//! What holds of the package itself: its architecture, its lints, its schemas and what `deploy` ships.

#[path = "../common/mod.rs"]
mod common;

mod architecture;
mod checks;
mod contributing;
mod deploy;
mod faults;
mod formats;
mod lints;
mod needs;
mod schemas;
