//! The real program is killed (HOUSE 3): at every named place of a feed's life (`kills/points.rs`),
//! and at any moment while another writer runs on the same roots (`kills/two_writers.rs`). Whatever
//! happens, the state is the fold of a first part of the input, no person is lost or counted twice,
//! and published files do not change.

mod books;
mod feed_life;
mod held_up_writer;
mod named_points;
mod planted;
mod points;
pub mod roots;
mod scenes;
mod shimmed_program;
mod two_writers;

use crate::common::{place, public, server, shim};
