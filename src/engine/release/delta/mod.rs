//! The Delta Lake log of a table that grows, as bytes (SCIENCE 11, CONTRACTS 4; the protocol of
//! Delta Lake): commits, checkpoints, and reading both. Every byte is a function of what was
//! decided: timestamps are those of the schedule, the table's id is a digest of feed and chain, and
//! the number of rows is the only statistic of a file.
//!
//! This room knows nothing about rows, people, policies or the place of a log.

mod action;
mod checkpoint;
mod commit;
mod metadata;
mod names;
mod replay;

pub use checkpoint::{CheckpointActions, checkpoint, last_checkpoint, named_checkpoint};
pub use commit::{Commit, DataFile, Operation};
pub use metadata::{Metadata, same_but_for_capitals};
pub use names::{LogFile, checkpoint_name, commit_name};
pub use replay::{NoCommit, Snapshot};
