//! The real program is killed (HOUSE 3): at every place of a feed's life that has a name (`kills/points.rs`), and at any
//! moment while another writer is at work on the same roots (`kills/two.rs`). Whatever happens: the state is the fold of a
//! first part of what came, nobody is lost or counted twice, and what was published stays as it was.

mod common;

#[path = "kills/books.rs"]
mod books;
#[path = "kills/held.rs"]
mod held;
#[path = "kills/life.rs"]
mod life;
#[path = "kills/named.rs"]
mod named;
#[path = "kills/planted.rs"]
mod planted;
#[path = "kills/points.rs"]
mod points;
#[path = "kills/roots.rs"]
mod roots;
#[path = "kills/scenes.rs"]
mod scenes;
#[path = "kills/two.rs"]
mod two;
#[path = "kills/watched.rs"]
mod watched;

use common::{place, public, server, shim};
