//! Every event of a feed (CONTRACTS 5), one struct each. Tests fix the names of events and fields,
//! their order and the metrics that they change.

mod decisions;
mod intake;
mod lifecycle;
pub(super) mod log_fields;
mod notices;
mod process;
#[cfg(test)]
mod tests;
mod ticks;
mod upkeep;

pub use super::field::{Checks, ColumnNames, ErrorText, FileName, UnpublishedRows, VariableNames};
pub use super::words::{Answer, Decision, Hold, Notice, Receiver, Request};
pub use decisions::{
    Decided, MisspelledGuarded, Published, Rejected, RequestDone, Stopped, StrangeNotes,
    WithoutDetail,
};
pub use intake::{
    BatchTaken, BrokersAway, BrokersBack, FileLeftAlone, FileTaken, LateFile, NothingSetAside,
    PartitionsBegun, QuarantineShare, RegistryAway, RegistryBack, SpelledApart,
};
pub use lifecycle::{
    ClockAhead, ClockBehind, ClockRight, ClockStepped, FenceAppended, Halted, Recovered, Resumed,
    ShuttingDown, Started, StillHalted, VariablesIgnored,
};
pub use log_fields::{Event, ProcessEvent};
pub use notices::{NotificationRefused, NotificationSent, ReceiverAway, ReceiverBack};
pub use process::Listening;
pub use ticks::{Held, OverdueWarning, TickClosed, TickGathered, TickSkipped, TickWaiting};
pub use upkeep::{CheckpointWritten, Damaged, Erased, Forgotten, Scrubbed, Swept};
