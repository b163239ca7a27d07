//! The durable log of a feed (HOUSE 3): one ordered, hash-chained list of entries and the immutable
//! objects that they name, on any store with conditional creation. Knows nothing about the meaning
//! of entries for a feed.

mod entry;
mod format;
mod log;
mod log_reading;
mod new_entry;
mod objects;
mod packing;
mod rekey;
mod ring;
mod slot;
pub mod store;

pub use crate::formats::{
    ApprovalRule, ApproverDecision, CandidateFile, ChainStart, Cleaned, ClosedTick, ClosingOutcome,
    Coins, Config, Decision, DecisionTerms, EntryBody, Erase, ErasedRows, Expire, Fence, Forgotten,
    HoldDecision, Ingest, IntakePart, Masked, MessageOrigin, Moved, NamedApprover, Published,
    Quarantined, Ref, Refused, Rejection, Rekey, ReleaseDecision, RequestOrigin, Retire, Retry,
    SealedRows, Signed, Withdraw,
};
pub use entry::{Entry, NoEntry};
pub use format::{RootFormat, begun, write as write_format};
pub use log::{Log, Writer};
pub use log_reading::{CheckedEntry, Gap, follow_each_other, newest, read};
pub use new_entry::NewEntry;
pub use objects::{
    DraftObject, Drafts, FOLDERS, ObjectReader, SealedObject, UnsealedObject, destroy_all,
};
pub use packing::Lifetime;
pub use rekey::remove_others;
pub use ring::{KeyRing, LogHead, WrappedKey, split_generation};
pub use slot::fenced;
