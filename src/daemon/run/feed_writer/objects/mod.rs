//! Reading the sealed objects of a log; values of the log in a state; values that are written in
//! pieces.

pub(super) mod in_json;
pub(super) mod pieces;
pub(super) mod reading;
