//! A chain of releases in a folder, one file after the other (CONTRACTS 3, anonymize): each input is a tick, each release
//! goes through the same feed and the same gate as the daemon's. Decides nothing: rows go in, what was approved is put
//! where the folder says, and the rest is told.

mod disk;
mod entry;
mod folder;
mod inputs;
mod keys;
mod look;
mod outcome;
mod published;
mod saved;
mod staged;
mod tables;
mod task;
mod ticks;

pub use entry::{Entry, Outcome, Told};
pub use folder::{Folder, open_state};
pub use keys::{Found, Made, beside, find as find_key, read as read_key};
pub use look::{Seen, look, told};
pub use outcome::TickVerdict;
pub use published::manifest;
pub use saved::{Line, Saved};
pub use tables::tables;
pub use task::{Task, Watch};
pub use ticks::run;
