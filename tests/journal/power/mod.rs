//! A writer on real folders, whose every change is written down and may fail: what tests of power cuts and of disks that
//! fail share.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod checks;
pub mod disk;
pub mod requests;
pub mod trace;
pub mod writer;

pub use crate::common::{draw, feed, shim};
