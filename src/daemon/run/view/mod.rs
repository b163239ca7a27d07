//! The answers to questions about feeds, folders and releases: the types behind `--json`, from
//! which `schemas/v1` is made. Commands say the same in words. Each answer is made here from what
//! the rooms below know, so that a page of the daemon can give it too.

pub mod anonymize;
pub mod audit;
pub mod candidate;
pub mod feed;
pub mod folder;
pub mod history;
pub mod json_number;
pub mod quarantine;
pub mod query;
pub mod refinement;
pub mod risk;
pub mod verify;
