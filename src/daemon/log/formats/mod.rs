//! The durable formats (HOUSE 3): the content of log entries and of sealed objects.

mod aggregates;
mod atom_counts;
mod atoms;
mod chain_terms;
mod entry_body;
mod erased_atoms;
mod label_texts;
mod ledger;
mod members;
mod object_ref;
mod row_columns;
mod sealed_format;
mod stored_columns;
mod value_table;
mod verdict_record;

pub use atom_counts::{AtomCounts, Grain};
pub use atoms::{Atoms, RowsByTick};
pub use chain_terms::{terms_from_bytes, terms_to_bytes};
pub use entry_body::{
    ApprovalRule, ApproverDecision, CandidateFile, ChainStart, Cleaned, ClosedTick, ClosingOutcome,
    Coins, Config, Decision, DecisionTerms, EntryBody, Erase, ErasedRows, Expire, Fence, Forgotten,
    HoldDecision, Ingest, IntakePart, Masked, MessageOrigin, Moved, NamedApprover, Published,
    Quarantined, Refused, Rejection, Rekey, ReleaseDecision, RequestOrigin, Retire, Retry,
    SealedRows, Signed, Withdraw,
};
pub use erased_atoms::{LabelTexts, LeavingAtom};
pub use ledger::LedgerColumns;
pub use members::AtomMembers;
pub use object_ref::Ref;
pub use row_columns::{RowColumns, other};
pub use sealed_format::SealedFormat;
pub use verdict_record::{LevelsRecord, RecordedTick, RefusalRecord, Repaired, advice};
