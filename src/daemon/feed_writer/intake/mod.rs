//! Batches become segments and entries (HOUSE 3, Ingest order); what cannot be decoded is set aside, and offered again.

pub(super) mod retry;
pub(super) mod set_aside;
pub(super) mod taken_messages;
