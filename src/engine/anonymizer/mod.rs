//! Proposes recodings (SCIENCE 4): the top-down search, the paper's validity over it (`bcf`), the search for one table
//! on its own, the standing recoding of a chain (`blind`), and the finer one that is tested beside it (`chain`).
//!
//! What it proposes is judged elsewhere, from bytes and without a line of this code. Nothing here approves anything, and
//! nothing but [`bcf`] is ever given a sensitive value, and [`levels`] where a table is on its own.

mod bcf;
mod candidates;
mod crowd;
mod finer;
pub mod levels;
mod local;
mod standing;
mod table;
mod top_down;
mod validity;

pub use bcf::{NoRelease, bcf};
pub use crowd::{Crowd, alone};
pub use finer::{Known, finer};
pub use local::{
    Ahead, Carved, Class, Effort, Grouping, Halved, Hidden, Ladder, NoCarving, NoLadder, Region, Turns, arx_lr,
    carvable, crowds, grouped, halves, steps,
};
pub use standing::{Atom, Classes, Course, Recoded, Recoder, Rules, Standing, State, Step, Tick};
pub use table::{Split, Table};
pub use top_down::{Found, Refusal, Tried, top_down};
pub use validity::{Accepted, Reason, Validity, View};
