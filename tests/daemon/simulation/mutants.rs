//! Errors that a program could have, made at its border: a write that it leaves out. Each must be found by the promises.

use super::nature::Side;
use super::stores::Change;

/// A program with an error.
pub struct Mutant {
    pub name: &'static str,
    /// Whether it leaves out a change that it should make.
    pub leaves_out: fn(Side, &Change) -> bool,
}
