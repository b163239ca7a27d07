//! A chain of releases in a folder, one file after the other (CONTRACTS 3, anonymize): each input
//! is a tick, and each release goes through the same feed, log and gate as the daemon's. Decides
//! nothing: rows go in, and the results are reported.

mod disk;
mod entry;
mod folder_status;
mod inputs;
mod keys;
mod outcome;
mod place;
mod rehearsal;
mod summary;
mod task;
mod ticks;

pub use entry::{InputEntry, InputOutcome, TickTotals};
pub use folder_status::{FolderStatus, look, manifest_of};
pub use keys::{NewKey, OpenedKey, beside, find as find_key, read as read_key};
pub use outcome::TickVerdict;
pub use place::{begun, roots};
pub use rehearsal::{RehearsalRows, rehearse};
pub use task::{SilentProgress, Task, TaskProgress};
pub use ticks::{CommandOutcome, run};
