//! `tidegate run` and the commands of a person from outside (CONTRACTS 3 and 5, HOUSE 3): the real program on a folder in
//! which files appear, killed, halted, asked and watched.

mod common;

#[path = "cli_run/asked.rs"]
mod asked;
#[path = "cli_run/canaries.rs"]
mod canaries;
#[path = "cli_run/carved.rs"]
mod carved;
#[path = "cli_run/halts.rs"]
mod halts;
#[path = "cli_run/halved.rs"]
mod halved;
#[path = "cli_run/kills.rs"]
mod kills;
#[path = "cli_run/listens.rs"]
mod listens;
#[path = "cli_run/masks.rs"]
mod masks;
#[path = "cli_run/notices.rs"]
mod notices;
#[path = "cli_run/readers.rs"]
mod readers;
#[path = "cli_run/rekey.rs"]
mod rekey;
#[path = "cli_run/repeats.rs"]
mod repeats;
#[path = "cli_run/signed.rs"]
mod signed;
#[path = "cli_run/told.rs"]
mod told;
#[path = "cli_run/two.rs"]
mod two;

use common::{place, public};
