//! Requests of operators to a feed: approve, erase, withdraw, begin another chain, change the key.

pub(super) mod approval;
pub(super) mod erase;
pub(super) mod leaving_atoms;
pub(super) mod new_chain;
pub(super) mod person_search;
pub(super) mod rekey;
pub(super) mod request;
pub(super) mod request_entry;
pub(super) mod rewrite;
pub(super) mod statement;
pub(super) mod withdraw;
