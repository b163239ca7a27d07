//! Converts batches into segments and entries (HOUSE 3, Ingest order); messages that cannot be
//! decoded are set aside, and offered again later.

pub(super) mod retry;
pub(super) mod set_aside;
pub(super) mod taken_messages;
