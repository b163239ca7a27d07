//! Everything that a feed tells (CONTRACTS 5), one struct each. The names of events and fields, their order and the metrics
//! they move are pinned by tests.

mod decisions;
mod intake;
mod life;
mod notices;
mod process;
#[cfg(test)]
mod tests;
mod ticks;
pub(super) mod told;
mod upkeep;

pub use super::field::{Checks, ColumnNames, ErrorText, FileName, Rows, Standing};
pub use super::words::{Answer, Decision, Hold, Notice, Receiver, Request};
pub use decisions::{
    Coarsest, Decided, MisspelledGuarded, Published, Rejected, RequestDone, Stopped, StrangeNotes, WithoutDetail,
};
pub use intake::{
    BatchTaken, BrokersAway, BrokersBack, FileTaken, LateFile, NothingSetAside, PartitionsBegun, QuarantineShare,
    RegistryAway, RegistryBack,
};
pub use life::{
    Appended, ClockAhead, ClockBehind, FenceAppended, Halted, Recovered, Resumed, ShuttingDown, Started, StillHalted,
};
pub use notices::{NotificationRefused, NotificationSent, ReceiverAway, ReceiverBack};
pub use process::Listening;
pub use ticks::{Held, OverdueWarning, TickClosed, TickGathered, TickSkipped, TickWaiting};
pub use told::{Event, ProcessEvent};
pub use upkeep::{CheckpointWritten, Damaged, Erased, Forgotten, Scrubbed, Swept};
