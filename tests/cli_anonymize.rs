//! `tidegate anonymize` from outside (CONTRACTS 3): what it answers, what lies in its folder, and that neither bad input
//! nor a kill at any moment leaves half of anything there.

mod common;

#[path = "cli_anonymize/answers.rs"]
mod answers;
#[path = "cli_anonymize/carved.rs"]
mod carved;
#[path = "cli_anonymize/coins.rs"]
mod coins;
#[path = "cli_anonymize/folder.rs"]
mod folder;
#[path = "cli_anonymize/global.rs"]
mod global;
#[path = "cli_anonymize/golden.rs"]
mod golden;
#[path = "cli_anonymize/growth.rs"]
mod growth;
#[path = "cli_anonymize/halved.rs"]
mod halved;
#[path = "cli_anonymize/inputs.rs"]
mod inputs;
#[path = "cli_anonymize/kills.rs"]
mod kills;
#[path = "cli_anonymize/place.rs"]
mod place;
#[path = "cli_anonymize/shown.rs"]
mod shown;
#[path = "cli_anonymize/two.rs"]
mod two;
#[path = "cli_anonymize/words.rs"]
mod words;
