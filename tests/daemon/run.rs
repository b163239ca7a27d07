//! `tidegate run` and the commands of a person from outside (CONTRACTS 3 and 5, HOUSE 3): the real program on a folder in
//! which files appear, killed, halted, asked and watched.

mod approvers;
mod asked;
mod canaries;
mod carved;
mod clocks;
mod crowds;
mod delta;
mod doors;
mod drill;
mod halted;
mod halts;
mod halved;
mod kills;
mod listens;
mod masks;
mod measures;
mod notices;
mod readers;
mod rekey;
mod removal;
mod repeats;
mod scrub;
mod secrets;
mod set_aside;
mod signed;
mod silent;
mod told;
mod two;
mod webhooks;

use crate::common::{place, public};
