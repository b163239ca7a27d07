//! What is durable (HOUSE 3): what the entries of a log say, and what is in sealed objects.

mod aggregates;
mod atoms;
mod chain_terms;
mod entry_body;
mod erased_atoms;
mod ledger;
mod members;
mod object_ref;
mod row_columns;
mod verdict_record;

pub use aggregates::numbers;
pub use atoms::{AtomCounts, Atoms, Grain, Since, histogram};
pub use chain_terms::{from_bytes as terms_from_bytes, to_bytes as terms_to_bytes};
pub use entry_body::{
    ApproverDecision, Body, ChainStart, Cleaned, ClosedTick, ClosingOutcome, Coin, Coins, Config, Decision,
    DecisionTerms, Erase, ErasedRows, Expire, FailureRecord, Fence, Forgotten, Ingest, IntakePart, Masked,
    MessageOrigin, Moved, Published, Quarantined, Rejection, Rekey, ReleaseDecision, RequestOrigin, Retire, Retry,
    SealedRows, Signed, Staged, Under, Withdraw,
};
pub use erased_atoms::{LabelTexts, LeavingAtom};
pub use ledger::LedgerColumns;
pub use members::AtomMembers;
pub use object_ref::Ref;
pub use row_columns::{Roll, bytes, other, parse};
pub use verdict_record::{Recorded, RefusalRecord, Repaired, VerdictReason, advice};
