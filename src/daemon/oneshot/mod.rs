//! A chain of releases in a folder, one file after the other (CONTRACTS 3, anonymize): each input is a tick, each release
//! goes through the same feed, the same log and the same gate as the daemon's. Decides nothing: rows go in, and what came
//! of them is told.

mod disk;
mod entry;
mod inputs;
mod keys;
mod look;
mod outcome;
mod place;
mod rehearsal;
mod task;
mod ticks;
mod told;

pub use entry::{Entry, Outcome, Told};
pub use keys::{Found, Made, beside, find as find_key, read as read_key};
pub use look::{Seen, look, told};
pub use outcome::TickVerdict;
pub use place::{begun, roots};
pub use rehearsal::{Sample, rehearse};
pub use task::{Silent, Task, Watch};
pub use ticks::{Ran, run};
