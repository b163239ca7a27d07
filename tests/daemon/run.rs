//! Tests `tidegate run` and the commands of a person from outside (CONTRACTS 3 and 5, HOUSE 3): the
//! real program on a folder in which files appear, killed, halted, asked and watched.

mod approvers;
mod canaries;
mod carving;
mod clocks;
mod crowds;
mod dead_ends;
mod delta;
mod doors;
mod drill;
mod events;
mod foreign_files;
mod halted_feeds;
mod halts;
mod halving;
mod kills;
mod masks;
mod measures;
mod notices;
mod old_releases;
mod private_root;
mod readers;
mod rekey;
mod removal;
mod repeats;
mod requests;
mod scrub;
mod secrets;
mod set_aside;
mod signatures;
mod silent_bucket;
mod source_links;
mod two_tables;
mod web_receiver;
mod webhooks;

use crate::common::{place, public};
