//! The real program is killed (HOUSE 3): at every place of a feed's life that has a name (`kills/points.rs`), and at any
//! moment while another writer is at work on the same roots (`kills/two.rs`). Whatever happens: the state is the fold of a
//! first part of what came, no person is lost or counted twice, and what was published stays as it was.

mod books;
mod held;
mod life;
mod named;
mod planted;
mod points;
pub mod roots;
mod scenes;
mod two;
mod watched;

use crate::common::{place, public, server, shim};
