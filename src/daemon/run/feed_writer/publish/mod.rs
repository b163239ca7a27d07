//! Makes decided releases visible in the public root, and removes what has to be removed.

pub(super) mod chain_table;
pub(super) mod clean;
pub(super) mod delta_log;
pub(super) mod make_visible;
pub(super) mod public_root;
pub(super) mod published_files;
pub(super) mod release_index;
pub(super) mod removal;
pub(super) mod removed_manifest;
pub(super) mod show_delta;
