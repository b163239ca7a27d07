//! A writer on real folders, whose every change is recorded and may fail: shared by tests of power
//! cuts and of failing disks.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod checks;
pub mod disk;
pub mod requests;
pub mod trace;
pub mod writer;

pub use crate::common::{draw, feed, shim};
